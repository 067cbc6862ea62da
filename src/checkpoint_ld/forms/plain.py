"""Plain keys: the form in which checkpoints are written, and by which their dialects are told apart.

`{"@type": "Question", "text": …}`: the names of schema.org without prefix, and `karenina:` for the rest.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from checkpoint_ld.members import CODE, DATES, TEXTS

__all__ = ["CODE", "DATES", "TEXTS"]

Tree = dict[str, Any]

SCENARIO_TYPES = frozenset(("karenina:Scenario", "karenina:ScenarioNode"))

ROOT_TYPES = frozenset(("DataFeed", "Dataset"))
AGENT_TYPES = frozenset(("Person", "Organization"))
PART_TYPES = frozenset(("DataFeedItem", "Question", "Answer", "SoftwareSourceCode", "Rating", "PropertyValue"))
TYPES = ROOT_TYPES | PART_TYPES | AGENT_TYPES | SCENARIO_TYPES

STRUCTURE = frozenset(
    ("dataFeedElement", "item", "acceptedAnswer", "hasPart", "rating", "additionalProperty", "creator")
)
"""Members that hold the objects of a checkpoint."""

SCENARIO_STRUCTURE = frozenset(("nodes", "edges", "outcomeCriteria", "question"))
"""The same of a scenario."""

NUMBERS = frozenset(("bestRating", "worstRating", "ratingValue"))
MEMBERS = STRUCTURE | TEXTS | NUMBERS | {"contentRating", "value", "additionalType"}
"""Members that mean something in a checkpoint."""


KEYWORDS = frozenset(
    (
        *("@context", "@direction", "@graph", "@id", "@included", "@index", "@language", "@list", "@nest"),
        *("@reverse", "@set", "@type", "@value"),
    )
)
"""Keywords that may be keys of objects (JSON-LD 1.1 §9.16)."""


@dataclass(frozen=True, slots=True)
class Plain:
    """A document in plain keys; `forms` says what was unusual about it, `changed` what plain keys say otherwise.

    `origins` maps pointers to those of the source; it is None when expansion has lost the way back to it.
    """

    tree: Any
    forms: tuple[str, ...] = ()
    origins: dict[str, str] | None = field(default_factory=dict)
    changed: tuple[str, ...] = ()
    has_typed_texts: bool = False

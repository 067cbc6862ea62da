"""Plain keys: the form in which checkpoints are written, and by which their dialects are told apart.

`{"@type": "Question", "text": …}`: the names of schema.org without prefix, and `karenina:` for the rest.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Tree = dict[str, Any]

SCENARIO_TYPES = frozenset(("karenina:Scenario", "karenina:ScenarioNode"))

TYPES = SCENARIO_TYPES | {
    *("DataFeed", "Dataset", "DataFeedItem", "Question", "Answer", "SoftwareSourceCode", "Rating", "PropertyValue"),
    *("Person", "Organization"),
}

STRUCTURE = frozenset(
    ("dataFeedElement", "item", "acceptedAnswer", "hasPart", "rating", "additionalProperty", "creator")
)
"""Members that hold the objects of a checkpoint."""

SCENARIO_STRUCTURE = frozenset(("nodes", "edges", "outcomeCriteria", "question"))
"""The same of a scenario."""

TEXTS = frozenset(
    (
        *(
            "name",
            "description",
            "version",
            "text",
            "dateCreated",
            "dateModified",
            "programmingLanguage",
            "codeRepository",
        ),
        *("identifier", "answerTemplate", "keywords", "creator", "url", "email"),
    )
)
"""Members that hold text."""

MEMBERS = STRUCTURE | TEXTS | {"contentRating", "value", "bestRating", "worstRating", "ratingValue", "additionalType"}
"""Members that mean something in a checkpoint."""


@dataclass(frozen=True, slots=True)
class Plain:
    """A document in plain keys; `forms` says what was unusual about it.

    `origins` maps pointers to those of the source; it is None when expansion has lost the way back to it.
    """

    tree: Any
    forms: tuple[str, ...] = ()
    origins: dict[str, str] | None = field(default_factory=dict)

"""The roles of a checkpoint's objects by their place, with the type and the keys that each one has."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from checkpoint_ld.members import BY_SLOT, BY_TYPE

if TYPE_CHECKING:
    from collections.abc import Mapping

TYPES: Mapping[str, str] = MappingProxyType(
    {
        "Benchmark": "DataFeed",
        "Item": "DataFeedItem",
        "Question": "Question",
        "Answer": "Answer",
        "Template": "SoftwareSourceCode",
        "Trait": "Rating",
        "Setting": "PropertyValue",
        "Scenario": "karenina:Scenario",
        "Node": "karenina:ScenarioNode",
    }
)
"""The type that the object in each role has."""

KEYS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        **{role: BY_TYPE[kind] for role, kind in TYPES.items()},
        "Edge": BY_SLOT["edges"],
        "Criterion": BY_SLOT["outcomeCriteria"],
    }
)
"""The keys that Karenina knows in the object in each role."""

ARRAYS = frozenset(
    (
        *("rating", "additionalProperty", "keywords", "dataFeedElement", "hasPart", "acceptedAnswer", "creator"),
        *("edges", "outcomeCriteria"),
    )
)
"""The keys whose values may be arrays, also where one value is usual."""

ANYTHING = frozenset(
    ("value", "condition", "check", "metadata", "modelOverride", "toolFilter", "questionData", "nodes")
)
"""The keys whose values have a form of their own, of which other rules speak."""

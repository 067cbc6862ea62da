"""The classes of a trait follow from its type, its bounds and a few of its settings."""

from __future__ import annotations

from typing import Any

import pytest

from checkpoint_ld.validation.inference.benchmark import BOUNDS, CLASSIFYING, classes_of
from checkpoint_ld.vocabulary import DYNAMIC, SETTINGS, TRAIT_FAMILIES

VALUES: tuple[Any, ...] = (None, True, 0, 1, 5.0, "5", "score", "boolean", "literal", "regex", "full_matrix", {}, [])


class Asked(dict[str, Any]):
    """Values that remember what they were requested."""

    def __init__(self, **values: Any) -> None:
        super().__init__(values)
        self.names: set[str] = set()

    def get(self, name: str, default: Any = None) -> Any:
        self.names.add(name)
        return super().get(name, default)


@pytest.mark.parametrize("suffix", [*TRAIT_FAMILIES, DYNAMIC])
def test_nothing_but_what_shows_is_requested(suffix: str) -> None:
    bounds, values = Asked(), Asked()
    for name in (None, *CLASSIFYING):
        for found in VALUES:
            for family in (None, *TRAIT_FAMILIES.values()):
                values.clear()
                values.update({"dynamic_trait_type": family} | ({} if name is None else {name: found}))
                bounds.update(bestRating=5.0, worstRating=found)
                classes_of(suffix, bounds, values)

    assert values.names <= CLASSIFYING <= set(SETTINGS["Trait"])
    assert bounds.names <= set(BOUNDS)

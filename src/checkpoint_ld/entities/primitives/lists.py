"""Primitives that compare lists."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from checkpoint_ld.entities.primitives.normalizing import Normalizers, same_text
from checkpoint_ld.entities.primitives.primitive import VerificationPrimitive
from checkpoint_ld.entities.primitives.values import items_of
from checkpoint_ld.errors import EvaluationTypeError


class SetContainment(VerificationPrimitive):
    """Passes if the items stand in a relation to those of the ground truth; order and repetition do not count.

    `exact`: the same items; `subset`: none besides the ground truth's; `superset`: all of the ground truth's;
    `overlap`: at least `min_overlap` in common (1 if that is null or 0). Items are compared as they are, case
    included. A bare text is one item.
    """

    mode: Literal["exact", "subset", "superset", "overlap"] = Field(
        default="exact", description="How the items stand to those of the ground truth"
    )
    min_overlap: int | None = Field(default=None, description="For overlap: how many items are in common; null: one")
    type: Literal["SetContainment"] = "SetContainment"

    def check(self, extracted: Any, expected: Any) -> bool:
        """Compare two lists; raises `EvaluationTypeError` for items that are lists or objects themselves."""
        given, asked = _set_of(extracted), _set_of(expected)
        match self.mode:
            case "exact":
                return given == asked
            case "subset":
                return given <= asked
            case "superset":
                return given >= asked
            case "overlap":
                return len(given & asked) >= (self.min_overlap or 1)


class OrderedMatch(VerificationPrimitive):
    """Passes if both lists have the same texts in the same order, after the normalisers. A bare text is one item."""

    normalize: Normalizers = Field(default=["lowercase", "strip"])
    type: Literal["OrderedMatch"] = "OrderedMatch"

    def check(self, extracted: Any, expected: Any) -> bool:
        """Compare two lists."""
        given, asked = items_of(extracted), items_of(expected)
        if len(given) != len(asked):
            return False
        return all(same_text(one, other, self.normalize) for one, other in zip(given, asked, strict=True))


def _set_of(value: Any) -> frozenset[Any]:
    items = items_of(value)
    try:
        return frozenset(items)
    except TypeError as error:
        raise EvaluationTypeError(f"lists and objects cannot be items of a set: {error}") from error

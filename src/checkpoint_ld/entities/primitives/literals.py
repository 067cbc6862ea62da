"""Primitives that compare values as they are: booleans, and one of several literals."""

from __future__ import annotations

from typing import Any, Literal

from checkpoint_ld.entities.primitives.primitive import VerificationPrimitive
from checkpoint_ld.entities.primitives.values import named
from checkpoint_ld.errors import EvaluationError, EvaluationValueError

_WORDS = dict.fromkeys(("true", "yes", "y", "t", "on", "1"), True) | dict.fromkeys(
    ("false", "no", "n", "f", "off", "0"), False
)


def truth_of(value: Any) -> bool:
    """Return a boolean for a boolean, for a number (all but 0 are true) or for a word such as "yes".

    Raises `EvaluationError` for everything else.
    """
    if isinstance(value, (bool, int, float)):
        return bool(value)
    truth = _WORDS.get(value.strip().lower()) if isinstance(value, str) else None
    if truth is None:
        raise EvaluationValueError(f"{named(value)} is neither true nor false: give one of them")
    return truth


class BooleanMatch(VerificationPrimitive):
    """Passes if both values are true or both are false; null equals null only.

    Numbers other than 0 count as true. Words count by their meaning, where Karenina takes every text but "" for true.
    """

    type: Literal["BooleanMatch"] = "BooleanMatch"

    def check(self, extracted: Any, expected: Any) -> bool:
        """Compare the truth of two values."""
        if extracted is None or expected is None:
            return extracted is expected
        return truth_of(extracted) is truth_of(expected)


class LiteralMatch(VerificationPrimitive):
    """Passes if both values are equal as they are: 1 and 1.0 are, "A" and "a" or true and 1 are not."""

    type: Literal["LiteralMatch"] = "LiteralMatch"

    def check(self, extracted: Any, expected: Any) -> bool:
        """Compare two values."""
        if isinstance(extracted, bool) is not isinstance(expected, bool):
            return False
        try:
            return bool(extracted == expected)
        except RecursionError as error:
            raise EvaluationError("the values are nested too deeply to be compared") from error

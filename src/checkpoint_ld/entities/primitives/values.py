"""JSON values as the texts, numbers and collections that primitives compare."""

from __future__ import annotations

import reprlib
from typing import TYPE_CHECKING, Any

from checkpoint_ld.documents.values import shown
from checkpoint_ld.errors import EvaluationError, EvaluationTypeError, EvaluationValueError

if TYPE_CHECKING:
    from collections.abc import Collection


def text_of(value: Any) -> str:
    """Return a value as Python writes it: 1.0 is "1.0", true is "True"; null has no text (`EvaluationError`)."""
    if value is None:
        raise EvaluationError("null is no text: give a value")
    try:
        return str(value)
    except (ValueError, RecursionError) as error:  # integers of thousands of digits; lists a thousand deep
        raise EvaluationError(f"the value cannot be compared as text: {error}") from error


def number_of(value: Any) -> float:
    """Return a value as a number, as Python's `float` does: true is 1, and " 1e3 " is 1000.

    Raises `EvaluationTypeError` for null and collections, `EvaluationValueError` for texts that are no numbers and for
    integers beyond all floats.
    """
    try:
        return float(value)
    except TypeError as error:
        raise EvaluationTypeError(f"{named(value)} is no number: give one, such as 3.5") from error
    except (ValueError, OverflowError) as error:
        raise EvaluationValueError(f"{named(value)} is no number: give one, such as 3.5") from error


def items_of(value: Any) -> Collection[Any]:
    """Return the items of a list; a bare text is one item. Raises `EvaluationTypeError` for what is neither."""
    if isinstance(value, str):
        return (value,)
    if isinstance(value, (list, tuple, set, frozenset)):
        return value
    raise EvaluationTypeError(f"{named(value)} is no list: give one, such as [{shown('a')}]")


TRUTH_WORDS = ("true", "false", "yes", "no", "1", "0")
"""The texts that mean a truth value, in small letters."""


def means_number(value: Any) -> bool:
    """Tell whether a ground truth is a number, or the text of one."""
    if isinstance(value, str):
        try:
            float(value)
        except ValueError:
            return False
        return True
    return isinstance(value, int | float) and not isinstance(value, bool)


def means_truth_value(value: Any) -> bool:
    """Tell whether a ground truth is true or false, in whatever spelling."""
    if isinstance(value, str):
        return value.lower() in TRUTH_WORDS
    return isinstance(value, int | float) and value in {0, 1}


def named(value: Any) -> str:
    """Return a value for a message, on one line and short."""
    if isinstance(value, str):
        return shown(value)
    try:
        return shown(reprlib.repr(value))[1:-1]
    except ValueError:
        return "a huge number"

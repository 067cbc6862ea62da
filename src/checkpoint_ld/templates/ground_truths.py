"""Whether a ground truth fits what it is compared by."""

from __future__ import annotations

import datetime as dt
import re
import warnings
from typing import TYPE_CHECKING

from checkpoint_ld.entities.primitives.primitive import means_number, means_truth_value
from checkpoint_ld.templates.showing import listed, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from checkpoint_ld.templates.primitives import Primitive

_LONGEST_DATE = 100
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_OTHER_WORDS = ("am", "pm", "a", "p", "m", "h", "t", "z", "utc", "gmt", "st", "nd", "rd", "th", "of", "and", "at", "on")


def misfit(
    primitive: Primitive,
    parameters: Mapping[str, JsonValue],
    literal_values: tuple[str, ...] | None,
    value: JsonValue,
) -> str | None:
    """Return why a ground truth will not be met as its author means it, None if it fits.

    Values of the wrong type are converted by some primitives, so this is about what is likely.
    """
    if literal_values and str(value) not in literal_values:
        return f"is {shown(value)}, not one of the literal values {listed(literal_values)}"
    match primitive.truth:
        case "number" if not means_number(value):
            return f"is {shown(value)}, not a number"
        case "boolean" if not means_truth_value(value):
            return f"is {shown(value)}, not true or false"
        case "flag" if not isinstance(value, bool):
            return f"is {shown(value)}, not true or false"
        case "list" if not isinstance(value, list):
            return f"is {shown(value)}, not a list"
        case "date" if not is_date(value, parameters.get("format")):
            return f"is {shown(value)}, not a whole date"
    return None


def is_date(value: JsonValue, form: JsonValue = None) -> bool:
    """Tell whether a text may be a whole date: in the form of strptime if one is given, else in any that is often met.

    A date without its day, month or year is none.
    """
    if not isinstance(value, str) or len(value) > _LONGEST_DATE:
        return False
    if isinstance(form, str):
        return len(form) <= _LONGEST_DATE and _has_form(value, form)
    try:
        dt.datetime.fromisoformat(value)
    except ValueError:
        return _looks_like_date(value)
    return True


def _has_form(value: str, form: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a form without a year is the author's matter
            dt.datetime.strptime(value, form)
    except (ValueError, re.error):
        return False
    return True


def _looks_like_date(text: str) -> bool:
    words = [word.lower() for word in re.findall(r"[^\W\d_]+", text)]
    months = sum(word.startswith(_MONTHS) for word in words)
    if any(not word.startswith(_MONTHS + _DAYS) and word not in _OTHER_WORDS for word in words):
        return False
    numbers = re.findall(r"\d+", text)
    return len(numbers) + months >= 3 or any(len(number) in {8, 12, 14} for number in numbers)

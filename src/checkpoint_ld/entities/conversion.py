"""Conversions of JSON values to the texts, numbers, lists, sets, booleans and dates that primitives compare.

A value that has no such form raises an `EvaluationError`, or `NoDateError` for dates. The primitives themselves are in
`checkpoint_ld.entities.primitives`.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from functools import cache
from typing import TYPE_CHECKING, Any

from checkpoint_ld.errors import EvaluationError, EvaluationTypeError, EvaluationValueError
from checkpoint_ld.host import without_warnings
from checkpoint_ld.phrases import BOOLEAN_WORDS, brief, shown

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import tzinfo


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
        raise EvaluationTypeError(f"{brief(value)} is no number: give one, such as 3.5") from error
    except (ValueError, OverflowError) as error:
        raise EvaluationValueError(f"{brief(value)} is no number: give one, such as 3.5") from error


def items_of(value: Any) -> Collection[Any]:
    """Return the items of a list; a bare text is one item. Raises `EvaluationTypeError` for other values."""
    if isinstance(value, str):
        return (value,)
    if isinstance(value, (list, tuple, set, frozenset)):
        return value
    raise EvaluationTypeError(f"{brief(value)} is no list: give one, such as [{shown('a')}]")


def set_of(value: Any) -> frozenset[Any]:
    """Return the items of a list as a set. Raises `EvaluationTypeError` for a list that has lists or objects."""
    items = items_of(value)
    try:
        return frozenset(items)
    except TypeError as error:
        raise EvaluationTypeError(f"lists and objects cannot be items of a set: {error}") from error


def truth_of(value: Any) -> bool:
    """Return a boolean for a boolean, for a number (all but 0 are true) or for a word such as "yes".

    Raises `EvaluationError` for everything else.
    """
    if isinstance(value, (bool, int, float)):
        return bool(value)
    truth = BOOLEAN_WORDS.get(value.strip().lower()) if isinstance(value, str) else None
    if truth is None:
        raise EvaluationValueError(f"{brief(value)} is neither true nor false: give one of them")
    return truth


LONGEST_DATE = 100
"""The maximum length of a date, and of a format of dates, in characters."""

_FILLINGS = (datetime(2000, 1, 1), datetime(2004, 3, 2))
"""Defaults for missing parts: two days that differ in year, month, day and weekday, of leap years and long months."""

_TURN_OF_CENTURY = 69
"""The first year of two digits that belongs to the last century, by POSIX for strptime."""


class NoDateError(ValueError):
    """A value is no whole date, or two dates cannot be compared; the message has the value and the reason."""


def read_date(value: Any, form: str | None = None) -> datetime:
    """Return the date and time that a value stands for; a date without a time is at 00:00.

    With `form`, a format of Python's `strptime`, the whole text has to have it. Otherwise any usual form is read, as
    python-dateutil does: the month comes first where that is possible (05/01/2020 is 1 May). Karenina completes a date
    from today's date; this function does not: a text without year, month or day is no date. Raises NoDateError.
    """
    if value is None:
        raise NoDateError("null is no date")
    try:
        text = str(value)
    except (ValueError, RecursionError) as error:
        raise NoDateError(f"{brief(value)} is no date") from error
    if len(text) > LONGEST_DATE:
        raise NoDateError(f"{shown(text)} is too long for a date")
    return _read_any(text) if form is None else _read_form(text, form)


def _read_form(text: str, form: str) -> datetime:
    if len(form) > LONGEST_DATE:
        raise NoDateError(f"the form {shown(form)} is too long for a date")
    try:
        with without_warnings():  # Python warns of a form without a year, which is allowed here
            return datetime.strptime(text, form)
    except (ValueError, re.error, OverflowError) as error:
        raise NoDateError(f"{shown(text)} is no date of the form {shown(form)}") from error


def _read_any(text: str) -> datetime:
    parser = _parser()
    try:
        first, second = (parser.parse(text, default=filling, tzinfos=_zone) for filling in _FILLINGS)
        complete = first.date() == second.date()
    except (ValueError, TypeError, ArithmeticError, LookupError, AttributeError) as error:
        raise NoDateError(f"{shown(text)} is no date") from error
    if not complete:
        raise NoDateError(f"{shown(text)} is an incomplete date: give year, month and day")
    result: datetime = first
    return result


@cache
def _parser() -> Any:
    """Return dateutil's parser; unlike the original, its result does not depend on the current year."""
    from dateutil import parser  # type: ignore[import-untyped] # noqa: PLC0415 - only those who compare dates need it

    info = parser.parserinfo()
    info.convertyear = _whole_year
    return parser.parser(info)


def _whole_year(year: int, century_specified: bool = False) -> int:
    if century_specified or year >= 100:
        return year
    return year + (1900 if year >= _TURN_OF_CENTURY else 2000)


def _zone(name: str | None, offset: int | None) -> tzinfo | None:
    """Return the zone of an offset in seconds. Names other than UTC are ignored: they depend on the machine."""
    if offset:
        return timezone(timedelta(seconds=offset))
    return UTC if offset == 0 or name == "UTC" else None

"""Primitives that compare dates, read the same on every day and on every machine."""

from __future__ import annotations

import logging
import re
import warnings
from datetime import UTC, datetime, timedelta, timezone
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from checkpoint_ld.documents.values import shown
from checkpoint_ld.entities.primitives.primitive import VerificationPrimitive, named

if TYPE_CHECKING:
    from datetime import tzinfo


LONGEST_DATE = 100
"""Longer texts are no dates, in characters; nor are longer forms of dates."""

_FILLINGS = (datetime(2000, 1, 1), datetime(2004, 3, 2))
"""Two days that differ in year, month, day and weekday, both in a leap year and in a month of 31 days."""

_TURN_OF_CENTURY = 69
"""Years of two digits from here on are those of the last century, as POSIX has it for strptime."""


class NoDateError(ValueError):
    """A value is no whole date, or two dates cannot be compared; the text says which and why."""


def read_date(value: Any, form: str | None = None) -> datetime:
    """Return the date and time that a value stands for, at 00:00 if it says nothing else.

    With `form`, one of Python's `strptime`, the whole text has to have it. Otherwise any usual form is read, as
    python-dateutil does: the month comes first where that is possible (05/01/2020 is 1 May). Where Karenina lets
    today's date fill in what a text leaves open, a text without its year, month or day is no date here. Raises
    NoDateError.
    """
    if value is None:
        raise NoDateError("null is no date")
    try:
        text = str(value)
    except (ValueError, RecursionError) as error:
        raise NoDateError(f"{named(value)} is no date") from error
    if len(text) > LONGEST_DATE:
        raise NoDateError(f"{shown(text)} is too long for a date")
    return _read_any(text) if form is None else _read_form(text, form)


def _read_form(text: str, form: str) -> datetime:
    if len(form) > LONGEST_DATE:
        raise NoDateError(f"the form {shown(form)} is too long for a date")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a form without a year is the author's matter
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
    """Return dateutil's parser, without what it asks the clock for."""
    from dateutil import parser  # type: ignore[import-untyped] # noqa: PLC0415 - only those who compare dates need it

    info = parser.parserinfo()
    info.convertyear = _whole_year
    return parser.parser(info)


def _whole_year(year: int, century_specified: bool = False) -> int:
    if century_specified or year >= 100:
        return year
    return year + (1900 if year >= _TURN_OF_CENTURY else 2000)


def _zone(name: str | None, offset: int | None) -> tzinfo | None:
    """Return the zone of an offset in seconds; names other than UTC mean something else on each machine."""
    if offset:
        return timezone(timedelta(seconds=offset))
    return UTC if offset == 0 or name == "UTC" else None


_log = logging.getLogger(__name__)


class _DatePrimitive(VerificationPrimitive):
    """What is no date does not pass, which `remarks` tells and the log too: it is no error."""

    def check(self, extracted: Any, expected: Any) -> bool:
        """Compare dates; what cannot be compared does not pass."""
        try:
            return self._compare(extracted, expected)
        except NoDateError as error:
            _log.warning("%s does not pass: %s", type(self).__name__, error)
            return False

    def remarks(self, extracted: Any, expected: Any) -> tuple[str, ...]:
        """Say which value is no date, or why two dates cannot be compared."""
        try:
            self._compare(extracted, expected)
        except NoDateError as error:
            return (str(error),)
        return ()

    def _compare(self, extracted: Any, expected: Any) -> bool:
        raise NotImplementedError


class DateMatch(_DatePrimitive):
    """Passes if both values are the same day of the calendar, each in its own time zone.

    `format` is one of Python's `strptime`, for both values; without it any usual form of a whole date is read.
    """

    format: str | None = Field(default=None, description="A format of strptime; null: any usual form of a whole date")
    type: Literal["DateMatch"] = "DateMatch"

    def _compare(self, extracted: Any, expected: Any) -> bool:
        return read_date(extracted, self.format).date() == read_date(expected, self.format).date()


class DateTolerance(_DatePrimitive):
    """Passes if the value is at most `tolerance` units away from the ground truth; the time of day counts.

    A time with a zone and one without cannot be compared. A negative tolerance lets nothing pass.
    """

    tolerance: int = Field(description="How many units from the ground truth a value may be")
    unit: Literal["days", "hours", "minutes"] = Field(default="days", description="The unit of the tolerance")
    type: Literal["DateTolerance"] = "DateTolerance"

    def _compare(self, extracted: Any, expected: Any) -> bool:
        given, asked = read_date(extracted), read_date(expected)
        try:
            apart = abs(given - asked)
        except (TypeError, OverflowError) as error:
            raise NoDateError(f"{given} and {asked} cannot be compared: {error}") from error
        return apart // timedelta(microseconds=1) <= self.tolerance * (
            timedelta(**{self.unit: 1}) // timedelta(microseconds=1)
        )


class DateRange(_DatePrimitive):
    """Passes if the value lies between `min` and `max`, both included; a bound that is null is open.

    The ground truth does not count. A bound without a time of day is the beginning of that day.
    """

    min: str | None = Field(default=None, description="The earliest moment that passes; null: there is none")
    max: str | None = Field(default=None, description="The latest moment that passes; null: there is none")
    type: Literal["DateRange"] = "DateRange"

    def _compare(self, extracted: Any, expected: Any) -> bool:
        del expected
        given = read_date(extracted)
        least = given if self.min is None else read_date(self.min)
        most = given if self.max is None else read_date(self.max)
        try:
            return least <= given <= most
        except (TypeError, OverflowError) as error:
            raise NoDateError(f"{given} cannot be compared with the bounds: {error}") from error

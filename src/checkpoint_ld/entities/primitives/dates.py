"""Primitives that compare dates."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any, Literal

from pydantic import Field

from checkpoint_ld.entities.primitives.date_parsing import NoDateError, read_date
from checkpoint_ld.entities.primitives.primitive import VerificationPrimitive

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

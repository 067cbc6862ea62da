"""Primitives that compare numbers: some pass or do not, some give a part of the credit."""

from __future__ import annotations

import logging
import re
import warnings
from datetime import UTC, datetime, timedelta, timezone
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, TypeAlias

from pydantic import Field, FiniteFloat, model_validator

from checkpoint_ld.entities.comparison import VerificationPrimitive, named, number_of
from checkpoint_ld.phrases import shown

if TYPE_CHECKING:
    from datetime import tzinfo


Mode: TypeAlias = Annotated[
    Literal["relative", "absolute"],
    Field(description="Whether distances are shares of a number, or numbers themselves"),
]
Least: TypeAlias = Annotated[FiniteFloat | None, Field(description="The lower bound; null: there is none")]
Most: TypeAlias = Annotated[FiniteFloat | None, Field(description="The upper bound; null: there is none")]
ExclusiveLeast: TypeAlias = Annotated[bool, Field(description="The lower bound itself does not pass")]
ExclusiveMost: TypeAlias = Annotated[bool, Field(description="The upper bound itself does not pass")]
Exclusive: TypeAlias = Annotated[bool, Field(description="The ground truth itself does not pass")]


def distance(number: float, reference: float, mode: Mode) -> float | None:
    """Return how far `number` is from `reference`, in units of the latter if `mode` is relative.

    Relative to 0 there is no distance but 0 itself: None.
    """
    gap = abs(number - reference)
    if mode == "absolute":
        return gap
    if reference == 0:
        return 0.0 if number == 0 else None
    return gap / abs(reference)


class NumericExact(VerificationPrimitive):
    """Passes if both values are the same number."""

    type: Literal["NumericExact"] = "NumericExact"

    def _passes(self, extracted: Any, expected: Any) -> bool:
        return number_of(extracted) == number_of(expected)


class NumericTolerance(VerificationPrimitive):
    """Passes if the value is at most `tolerance` away from the ground truth, as a share of it unless absolute.

    If the ground truth is 0, only 0 passes a relative tolerance. A negative tolerance lets nothing pass.
    """

    tolerance: FiniteFloat = Field(description="How far from the ground truth a value may be")
    mode: Mode = "relative"
    type: Literal["NumericTolerance"] = "NumericTolerance"

    def _passes(self, extracted: Any, expected: Any) -> bool:
        apart = distance(number_of(extracted), number_of(expected), self.mode)
        return apart is not None and apart <= self.tolerance


class NumericRange(VerificationPrimitive):
    """Passes if the value lies between `min` and `max`; a bound that is null is open. The ground truth does not count.

    As in Karenina, "nan" is outside no bound and therefore passes.
    """

    min: Least = None
    max: Most = None
    exclusive_min: ExclusiveLeast = False
    exclusive_max: ExclusiveMost = False
    type: Literal["NumericRange"] = "NumericRange"

    def _passes(self, extracted: Any, _expected: Any) -> bool:
        number = number_of(extracted)
        if self.min is not None and (number < self.min or (self.exclusive_min and number == self.min)):
            return False
        return not (self.max is not None and (number > self.max or (self.exclusive_max and number == self.max)))


class NumericMinimum(VerificationPrimitive):
    """Passes if the value is at least the ground truth, or above it if `exclusive`."""

    exclusive: Exclusive = False
    type: Literal["NumericMinimum"] = "NumericMinimum"

    def _passes(self, extracted: Any, expected: Any) -> bool:
        number, least = number_of(extracted), number_of(expected)
        return number > least if self.exclusive else number >= least


class NumericMaximum(VerificationPrimitive):
    """Passes if the value is at most the ground truth, or below it if `exclusive`."""

    exclusive: Exclusive = False
    type: Literal["NumericMaximum"] = "NumericMaximum"

    def _passes(self, extracted: Any, expected: Any) -> bool:
        number, most = number_of(extracted), number_of(expected)
        return number < most if self.exclusive else number <= most


Decay: TypeAlias = Annotated[
    Literal["linear", "quadratic"], Field(description="How credit falls: evenly, or slowly at first and then faster")
]
Above0: TypeAlias = Annotated[FiniteFloat, Field(gt=0)]


def credit(gap: float, whole: float, decay: Decay) -> float:
    """Return the credit at `gap` on the way from 1.0 at 0 to 0.0 at `whole`; "nan" earns nothing."""
    if not gap < whole:
        return 0.0
    share = gap / whole
    return 1 - share if decay == "linear" else 1 - share * share


class NumericGraded(VerificationPrimitive):
    """Passes near the ground truth, and gives less credit the farther a value is from it.

    Up to `full_credit` away all the credit is given, from `cutoff` on none. A value passes up to `full_credit` or,
    without one, up to `cutoff`. Both are shares of the ground truth unless `mode` is absolute.
    """

    graded: ClassVar[bool] = True

    cutoff: Above0 = Field(description="From this distance on there is no credit")
    full_credit: Annotated[FiniteFloat, Field(ge=0)] | None = Field(
        default=None, description="Up to this distance, below cutoff, there is all the credit"
    )
    mode: Mode = "relative"
    decay: Decay = "linear"
    type: Literal["NumericGraded"] = "NumericGraded"

    @model_validator(mode="after")
    def _credit_ends_after_it_is_full(self) -> Self:
        if self.full_credit is not None and self.full_credit >= self.cutoff:
            raise ValueError(f"full_credit {self.full_credit} is not below cutoff {self.cutoff}: lower it")
        return self

    def _passes(self, extracted: Any, expected: Any) -> bool:
        apart = distance(number_of(extracted), number_of(expected), self.mode)
        return apart is not None and apart <= (self.cutoff if self.full_credit is None else self.full_credit)

    def _credit(self, extracted: Any, expected: Any) -> float:
        apart = distance(number_of(extracted), number_of(expected), self.mode)
        inner = self.full_credit or 0.0
        if apart is None:
            return 0.0
        return 1.0 if apart <= inner else credit(apart - inner, self.cutoff - inner, self.decay)


class NumericRangeGraded(VerificationPrimitive):
    """Passes between `min` and `max`, and gives some credit up to `margin` outside. The ground truth does not count.

    If `mode` is relative, `margin` is a share of the width of the range. A bound that is exclusive does not pass, but
    has all the credit.
    """

    graded: ClassVar[bool] = True

    min: FiniteFloat = Field(description="The lower bound")
    max: FiniteFloat = Field(description="The upper bound")
    margin: Above0 = Field(description="How far outside of the range some credit is left")
    mode: Mode = "absolute"
    decay: Decay = "linear"
    exclusive_min: ExclusiveLeast = False
    exclusive_max: ExclusiveMost = False
    type: Literal["NumericRangeGraded"] = "NumericRangeGraded"

    @model_validator(mode="after")
    def _has_numbers_inside(self) -> Self:
        if self.min >= self.max:
            raise ValueError(f"min {self.min} is not below max {self.max}: exchange them")
        return self

    def _passes(self, extracted: Any, _expected: Any) -> bool:
        number = number_of(extracted)
        above = number > self.min if self.exclusive_min else number >= self.min
        below = number < self.max if self.exclusive_max else number <= self.max
        return above and below

    def _credit(self, extracted: Any, _expected: Any) -> float:
        number = number_of(extracted)
        if self.min <= number <= self.max:
            return 1.0
        shoulder = self.margin if self.mode == "absolute" else self.margin * (self.max - self.min)
        return credit(self.min - number if number < self.min else number - self.max, shoulder, self.decay)


class NumericThresholdGraded(VerificationPrimitive):
    """Passes on the right side of the ground truth: up to it if `direction` is max, from it on if it is min.

    On the other side some credit is given up to `margin` away, which is a share of the ground truth unless `mode` is
    absolute. The ground truth itself does not pass if `exclusive`, but has all the credit.
    """

    graded: ClassVar[bool] = True

    direction: Literal["max", "min"] = Field(
        description="Whether the ground truth is the most or the least that passes"
    )
    margin: Above0 = Field(description="How far beyond the ground truth some credit is left")
    mode: Mode = "relative"
    decay: Decay = "linear"
    exclusive: Exclusive = False
    type: Literal["NumericThresholdGraded"] = "NumericThresholdGraded"

    def _passes(self, extracted: Any, expected: Any) -> bool:
        beyond = self._beyond(extracted, expected)
        return beyond < 0 if self.exclusive else beyond <= 0

    def _credit(self, extracted: Any, expected: Any) -> float:
        beyond = self._beyond(extracted, expected)
        shoulder = self.margin if self.mode == "absolute" else self.margin * abs(number_of(expected))
        return 1.0 if beyond <= 0 else credit(beyond, shoulder, self.decay)

    def _beyond(self, extracted: Any, expected: Any) -> float:
        number, threshold = number_of(extracted), number_of(expected)
        if number == threshold:  # infinity less itself would be no number
            return 0.0
        return number - threshold if self.direction == "max" else threshold - number


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
            return self._passes(extracted, expected)
        except NoDateError as error:
            _log.warning("%s does not pass: %s", type(self).__name__, error)
            return False

    def remarks(self, extracted: Any, expected: Any) -> tuple[str, ...]:
        """Say which value is no date, or why two dates cannot be compared."""
        try:
            self._passes(extracted, expected)
        except NoDateError as error:
            return (str(error),)
        return ()


class DateMatch(_DatePrimitive):
    """Passes if both values are the same day of the calendar, each in its own time zone.

    `format` is one of Python's `strptime`, for both values; without it any usual form of a whole date is read.
    """

    format: str | None = Field(default=None, description="A format of strptime; null: any usual form of a whole date")
    type: Literal["DateMatch"] = "DateMatch"

    def _passes(self, extracted: Any, expected: Any) -> bool:
        return read_date(extracted, self.format).date() == read_date(expected, self.format).date()


class DateTolerance(_DatePrimitive):
    """Passes if the value is at most `tolerance` units away from the ground truth; the time of day counts.

    A time with a zone and one without cannot be compared. A negative tolerance lets nothing pass.
    """

    tolerance: int = Field(description="How many units from the ground truth a value may be")
    unit: Literal["days", "hours", "minutes"] = Field(default="days", description="The unit of the tolerance")
    type: Literal["DateTolerance"] = "DateTolerance"

    def _passes(self, extracted: Any, expected: Any) -> bool:
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

    def _passes(self, extracted: Any, _expected: Any) -> bool:
        given = read_date(extracted)
        least = given if self.min is None else read_date(self.min)
        most = given if self.max is None else read_date(self.max)
        try:
            return least <= given <= most
        except (TypeError, OverflowError) as error:
            raise NoDateError(f"{given} cannot be compared with the bounds: {error}") from error

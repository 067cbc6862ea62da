"""Verification primitives that compare numbers and dates."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias

from pydantic import Field, FiniteFloat, model_validator

from checkpoint_ld.entities.conversion import NoDateError, number_of, read_date
from checkpoint_ld.entities.verification_primitive import VerificationPrimitive

_log = logging.getLogger(__name__)

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
    """Return the distance of `number` from `reference`, as a share of the latter if `mode` is relative.

    The distance relative to 0 is 0.0 for 0 and None for other numbers.
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


class _DatePrimitive(VerificationPrimitive):
    """A comparison of dates. A value that is no date does not pass, with a remark and a warning in the log."""

    def check(self, extracted: Any, expected: Any) -> bool:
        """Compare dates; values that cannot be compared do not pass."""
        try:
            return self._passes(extracted, expected)
        except NoDateError as error:
            _log.warning("%s does not pass: %s", type(self).__name__, error)
            return False

    def remarks(self, extracted: Any, expected: Any) -> tuple[str, ...]:
        """Return which value is no date, or why two dates cannot be compared."""
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
        given, wanted = read_date(extracted), read_date(expected)
        try:
            apart = abs(given - wanted)
        except (TypeError, OverflowError) as error:
            raise NoDateError(f"{given} and {wanted} cannot be compared: {error}") from error
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

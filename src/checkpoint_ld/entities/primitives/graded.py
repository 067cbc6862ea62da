"""Primitives that give part of the credit to numbers that are nearly right."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias

from pydantic import Field, FiniteFloat, model_validator

from checkpoint_ld.entities.primitives.numeric import Exclusive, ExclusiveLeast, ExclusiveMost, Mode, distance
from checkpoint_ld.entities.primitives.primitive import VerificationPrimitive
from checkpoint_ld.entities.primitives.values import number_of

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

    def check(self, extracted: Any, expected: Any) -> bool:
        """Compare two numbers."""
        apart = distance(number_of(extracted), number_of(expected), self.mode)
        return apart is not None and apart <= (self.cutoff if self.full_credit is None else self.full_credit)

    def score(self, extracted: Any, expected: Any) -> float:
        """Return the credit from 0.0 to 1.0."""
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

    def check(self, extracted: Any, expected: Any) -> bool:
        """Compare a number with the bounds."""
        del expected
        number = number_of(extracted)
        above = number > self.min if self.exclusive_min else number >= self.min
        below = number < self.max if self.exclusive_max else number <= self.max
        return above and below

    def score(self, extracted: Any, expected: Any) -> float:
        """Return the credit from 0.0 to 1.0."""
        del expected
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

    def check(self, extracted: Any, expected: Any) -> bool:
        """Compare two numbers."""
        beyond = self._beyond(extracted, expected)
        return beyond < 0 if self.exclusive else beyond <= 0

    def score(self, extracted: Any, expected: Any) -> float:
        """Return the credit from 0.0 to 1.0."""
        beyond = self._beyond(extracted, expected)
        shoulder = self.margin if self.mode == "absolute" else self.margin * abs(number_of(expected))
        return 1.0 if beyond <= 0 else credit(beyond, shoulder, self.decay)

    def _beyond(self, extracted: Any, expected: Any) -> float:
        number, threshold = number_of(extracted), number_of(expected)
        if number == threshold:  # infinity less itself would be no number
            return 0.0
        return number - threshold if self.direction == "max" else threshold - number

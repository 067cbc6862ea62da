"""Primitives that compare numbers and either pass or do not."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, FiniteFloat

from checkpoint_ld.entities.primitives.primitive import VerificationPrimitive
from checkpoint_ld.entities.primitives.values import number_of

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

    def check(self, extracted: Any, expected: Any) -> bool:
        """Compare two numbers."""
        return number_of(extracted) == number_of(expected)


class NumericTolerance(VerificationPrimitive):
    """Passes if the value is at most `tolerance` away from the ground truth, as a share of it unless absolute.

    If the ground truth is 0, only 0 passes a relative tolerance. A negative tolerance lets nothing pass.
    """

    tolerance: FiniteFloat = Field(description="How far from the ground truth a value may be")
    mode: Mode = "relative"
    type: Literal["NumericTolerance"] = "NumericTolerance"

    def check(self, extracted: Any, expected: Any) -> bool:
        """Compare two numbers."""
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

    def check(self, extracted: Any, expected: Any) -> bool:
        """Compare a number with the bounds."""
        del expected
        number = number_of(extracted)
        if self.min is not None and (number < self.min or (self.exclusive_min and number == self.min)):
            return False
        return not (self.max is not None and (number > self.max or (self.exclusive_max and number == self.max)))


class NumericMinimum(VerificationPrimitive):
    """Passes if the value is at least the ground truth, or above it if `exclusive`."""

    exclusive: Exclusive = False
    type: Literal["NumericMinimum"] = "NumericMinimum"

    def check(self, extracted: Any, expected: Any) -> bool:
        """Compare two numbers."""
        number, least = number_of(extracted), number_of(expected)
        return number > least if self.exclusive else number >= least


class NumericMaximum(VerificationPrimitive):
    """Passes if the value is at most the ground truth, or below it if `exclusive`."""

    exclusive: Exclusive = False
    type: Literal["NumericMaximum"] = "NumericMaximum"

    def check(self, extracted: Any, expected: Any) -> bool:
        """Compare two numbers."""
        number, most = number_of(extracted), number_of(expected)
        return number < most if self.exclusive else number <= most

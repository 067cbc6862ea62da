"""Verification primitives: the 23 ways to compare a value, or a whole response, with a ground truth.

A primitive is a pydantic model: its parameters are its fields, and `check` and `score` compare. `PRIMITIVES` has all
of them by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final, Literal, Self, TypeAlias

from pydantic import Field, FiniteFloat, model_validator

from checkpoint_ld import phrases
from checkpoint_ld.entities.conversion import items_of, set_of, text_of, truth_of
from checkpoint_ld.entities.measures import (
    DateMatch,
    DateRange,
    DateTolerance,
    NumericExact,
    NumericGraded,
    NumericMaximum,
    NumericMinimum,
    NumericRange,
    NumericRangeGraded,
    NumericThresholdGraded,
    NumericTolerance,
)
from checkpoint_ld.entities.verification_primitive import (
    Normalizers,
    TracePrimitive,
    VerificationPrimitive,
    normalized,
    same_text,
)
from checkpoint_ld.errors import EvaluationError, NotVerifiableError, SettingsError
from checkpoint_ld.phrases import brief
from checkpoint_ld.workers.patterns import FlagName, find_all, occurs, refuse_faulty


class ExactMatch(VerificationPrimitive):
    """Passes if both values have the same text after the normalisers; null equals null only."""

    normalize: Normalizers = Field(default=["lowercase", "strip"])
    type: Literal["ExactMatch"] = "ExactMatch"

    def _passes(self, extracted: Any, expected: Any) -> bool:
        return same_text(extracted, expected, self.normalize)


class _Contains(VerificationPrimitive):
    substrings: list[str] = Field(description="The texts to look for")
    normalize: Normalizers = Field(default=[])

    def _found(self, extracted: Any) -> list[bool]:
        if extracted is None:
            return [False] * len(self.substrings)
        text = normalized(self.normalize, text_of(extracted))
        return [normalized(self.normalize, substring) in text for substring in self.substrings]


class ContainsAny(_Contains):
    """Passes if one of `substrings` occurs in the value's text, both normalised; null contains nothing.

    The ground truth does not count. Without substrings nothing passes.
    """

    type: Literal["ContainsAny"] = "ContainsAny"

    def _passes(self, extracted: Any, _expected: Any) -> bool:
        return any(self._found(extracted))


class ContainsAll(_Contains):
    """Passes if all `substrings` occur in the value's text, both normalised; null contains nothing.

    The ground truth does not count. Without substrings everything passes.
    """

    type: Literal["ContainsAll"] = "ContainsAll"

    def _passes(self, extracted: Any, _expected: Any) -> bool:
        return all(self._found(extracted))


class RegexMatch(VerificationPrimitive):
    """Passes if `pattern`, a Python regular expression, occurs anywhere in the value's text; null has none.

    The ground truth does not count. `flags` are names of Python's `re`, such as IGNORECASE or I.
    """

    pattern: str = Field(description="A Python regular expression")
    flags: list[FlagName] = Field(default=[], description="Names of flags of Python's re, such as IGNORECASE")
    type: Literal["RegexMatch"] = "RegexMatch"

    @model_validator(mode="after")
    def _compiles(self) -> Self:
        refuse_faulty(self.pattern, self.flags)
        return self

    def _passes(self, extracted: Any, _expected: Any) -> bool:
        return extracted is not None and occurs(self.pattern, text_of(extracted), self.flags)


class SemanticMatch(VerificationPrimitive):
    """A comparison of meanings, which needs embeddings: it can be kept and written, but not used."""

    needs: ClassVar[str] = "an embedding stage"

    threshold: FiniteFloat = Field(default=0.85, description="How alike the meanings have to be, 0 to 1")
    type: Literal["SemanticMatch"] = "SemanticMatch"

    def check(self, extracted: Any, expected: Any) -> bool:
        """Raise `NotVerifiableError`."""
        del extracted, expected
        raise NotVerifiableError(f"SemanticMatch needs {self.needs}: verify the field in Karenina, or with ExactMatch")


class SetContainment(VerificationPrimitive):
    """Passes if the items stand in a relation to those of the ground truth; order and repetition do not count.

    `exact`: the same items; `subset`: none besides the ground truth's; `superset`: all of the ground truth's;
    `overlap`: at least `min_overlap` in common (1 if that is null or 0). Items are compared as they are, case
    included. A bare text is one item.
    """

    mode: Literal["exact", "subset", "superset", "overlap"] = Field(
        default="exact", description="How the items stand to those of the ground truth"
    )
    min_overlap: int | None = Field(default=None, description="For overlap: how many items are in common; null: one")
    type: Literal["SetContainment"] = "SetContainment"

    def _passes(self, extracted: Any, expected: Any) -> bool:
        given, wanted = set_of(extracted), set_of(expected)
        match self.mode:
            case "exact":
                return given == wanted
            case "subset":
                return given <= wanted
            case "superset":
                return given >= wanted
            case "overlap":
                return len(given & wanted) >= (self.min_overlap or 1)


class OrderedMatch(VerificationPrimitive):
    """Passes if both lists have the same texts in the same order, after the normalisers. A bare text is one item."""

    normalize: Normalizers = Field(default=["lowercase", "strip"])
    type: Literal["OrderedMatch"] = "OrderedMatch"

    def _passes(self, extracted: Any, expected: Any) -> bool:
        given, wanted = items_of(extracted), items_of(expected)
        if len(given) != len(wanted):
            return False
        return all(same_text(*pair, self.normalize) for pair in zip(given, wanted, strict=True))


class BooleanMatch(VerificationPrimitive):
    """Passes if both values are true or both are false; null equals null only.

    Numbers other than 0 count as true. Words count by their meaning, where Karenina takes every text but "" for true.
    """

    type: Literal["BooleanMatch"] = "BooleanMatch"

    def _passes(self, extracted: Any, expected: Any) -> bool:
        if extracted is None or expected is None:
            return extracted is expected
        return truth_of(extracted) is truth_of(expected)


class LiteralMatch(VerificationPrimitive):
    """Passes if both values are equal without conversion: 1 and 1.0 are; "A" and "a", or true and 1, are not."""

    type: Literal["LiteralMatch"] = "LiteralMatch"

    def _passes(self, extracted: Any, expected: Any) -> bool:
        if isinstance(extracted, bool) is not isinstance(expected, bool):
            return False
        try:
            return bool(extracted == expected)
        except RecursionError as error:
            raise EvaluationError("the values are nested too deeply to be compared") from error


class TraceRegex(TracePrimitive):
    """Passes if `pattern`, a Python regular expression, occurs at least `count_min` times (once if that is null).

    Flags are written into the pattern: `(?i)`.
    """

    pattern: str = Field(description="A Python regular expression")
    count_min: int | None = Field(default=None, description="How often it has to occur; null: once")
    type: Literal["TraceRegex"] = "TraceRegex"

    @model_validator(mode="after")
    def _compiles(self) -> Self:
        refuse_faulty(self.pattern)
        return self

    def _found_in(self, response: str) -> bool:
        least = 1 if self.count_min is None else self.count_min
        return len(find_all(self.pattern, response)) >= least


class TraceContains(TracePrimitive):
    """Passes if `substring` occurs in the response, case included; an empty one always does."""

    substring: str = Field(description="The text to look for")
    type: Literal["TraceContains"] = "TraceContains"

    def _found_in(self, response: str) -> bool:
        return self.substring in response


class TraceLength(TracePrimitive):
    """Passes if the response has from `min` to `max` characters, or words, both included; null is open.

    Words are separated by white space.
    """

    min: int | None = Field(default=None, description="The shortest length that passes; null: any")
    max: int | None = Field(default=None, description="The longest length that passes; null: any")
    unit: Literal["chars", "words"] = Field(default="chars", description="What is counted")
    type: Literal["TraceLength"] = "TraceLength"

    def _found_in(self, response: str) -> bool:
        length = len(response.split()) if self.unit == "words" else len(response)
        return (self.min is None or length >= self.min) and (self.max is None or length <= self.max)


ParsedPrimitive: TypeAlias = (
    BooleanMatch
    | ExactMatch
    | ContainsAny
    | ContainsAll
    | RegexMatch
    | SemanticMatch
    | NumericExact
    | NumericTolerance
    | NumericRange
    | NumericMinimum
    | NumericMaximum
    | NumericGraded
    | NumericRangeGraded
    | NumericThresholdGraded
    | SetContainment
    | OrderedMatch
    | LiteralMatch
    | DateMatch
    | DateTolerance
    | DateRange
)
"""The primitives that check a value that was extracted from a response."""

AnyTracePrimitive: TypeAlias = TraceRegex | TraceContains | TraceLength
"""The primitives that check the whole response."""

AnyPrimitive: TypeAlias = Annotated[ParsedPrimitive | AnyTracePrimitive, Field(discriminator="type")]
"""Any primitive, for the fields of other models: distinguished by `type`."""

PRIMITIVES: Final[Mapping[str, type[VerificationPrimitive]]] = MappingProxyType(
    {primitive.__name__: primitive for primitive in (*ParsedPrimitive.__args__, *AnyTracePrimitive.__args__)}
)
"""All 23 primitives by their exact names."""


def primitive_of(serialised: Mapping[str, Any]) -> VerificationPrimitive:
    """Build a primitive from its parameters and `type`, in any order; parameters with a default may be missing.

    Raises `SettingsError` (a ValueError) if `type` is missing or no primitive has that name, and
    `pydantic.ValidationError` (a ValueError) for parameters that do not fit.
    """
    name = serialised.get("type") if isinstance(serialised, Mapping) else None
    if not isinstance(name, str):
        raise SettingsError(
            f"a primitive has no name: set its type to one of {', '.join(PRIMITIVES)}, not {brief(name)}"
        )
    if name not in PRIMITIVES:
        raise SettingsError(phrases.unknown("primitive", name, PRIMITIVES))
    return PRIMITIVES[name].model_validate(dict(serialised))

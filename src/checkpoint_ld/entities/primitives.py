"""Verification primitives: the 23 ways to compare a value, or a whole response, with a ground truth.

A primitive is a pydantic model: its parameters are its fields, and `check` and `score` compare. `PRIMITIVES` has all
of them by name. `safe_check` turns errors into results. `checkpoint_ld.entities.conversion` converts compared values.
"""

from __future__ import annotations

import logging
import string
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, Self, TypeAlias

from pydantic import ConfigDict, Field, FiniteFloat, model_validator

from checkpoint_ld import phrases
from checkpoint_ld.arguments import checked, renamed
from checkpoint_ld.entities.conversion import (
    NoDateError,
    items_of,
    named,
    number_of,
    read_date,
    set_of,
    text_of,
    truth_of,
)
from checkpoint_ld.entities.entity import Entity
from checkpoint_ld.errors import (
    EvaluationError,
    EvaluationTypeError,
    EvaluationValueError,
    NotVerifiableError,
    SettingsError,
    WrongTypeError,
)
from checkpoint_ld.phrases import shown
from checkpoint_ld.workers.patterns import FlagName, find_all, occurs, refuse_faulty

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pydantic import JsonValue

_log = logging.getLogger(__name__)


class OpenEntity(Entity):
    """An entity that keeps unknown members, which may come from a newer Karenina, and logs a warning about them."""

    model_config = ConfigDict(extra="allow")

    @property
    def unknown_parameters(self) -> tuple[str, ...]:
        """The names of the unknown members; they have no effect."""
        return tuple(self.__pydantic_extra__ or ())

    def model_post_init(self, context: Any, /) -> None:
        """Log the names of the unknown members."""
        del context
        for name in self.unknown_parameters:
            _log.warning("%s has no parameter %s: it is kept and has no effect", type(self).__name__, shown(name))


class VerificationPrimitive(OpenEntity):
    """A way to compare the value of a field with its ground truth; its parameters are its fields.

    Parameters are checked when a primitive is built and when one is assigned to: `pydantic.ValidationError`. The last
    field, `type`, is the name of the class, so that `model_dump(mode="json")` is the form that templates hold.
    """

    needs: ClassVar[str] = ""
    """What the primitive needs that a checkpoint does not have; empty for usable primitives."""

    graded: ClassVar[bool] = False
    """Whether the primitive gives partial credit."""

    def check(self, extracted: Any, expected: Any) -> bool:
        """Return whether the value `extracted` from an answer passes, given the ground truth `expected`.

        Both are JSON values. Raises `EvaluationError` if they cannot be compared in this way, or if it takes too long.
        """
        return self._passes(extracted, expected)

    def score(self, extracted: Any, expected: Any) -> float:
        """Return the credit from 0.0 to 1.0: all or nothing, except for graded primitives. Raises as `check` does."""
        return self._credit(extracted, expected) if self.graded else float(self.check(extracted, expected))

    def _passes(self, extracted: Any, expected: Any) -> bool:
        raise NotImplementedError

    def _credit(self, extracted: Any, expected: Any) -> float:
        raise NotImplementedError

    def remarks(self, extracted: Any, expected: Any) -> tuple[str, ...]:
        """Return remarks about values that do not pass without an error, such as an incomplete date."""
        del extracted, expected
        return ()

    def serialised(self) -> dict[str, JsonValue]:
        """Return the parameters in declared order, then unknown members, then `type`."""
        members = self.model_dump(mode="json")
        return {**{name: value for name, value in members.items() if name != "type"}, "type": members["type"]}


class TracePrimitive(VerificationPrimitive):
    """A primitive that checks the whole text of a response instead of a value that was extracted from it.

    A field passes if the result of `check_trace` equals its ground truth: false stands for "must not".
    """

    def check(self, extracted: Any, expected: Any) -> bool:
        """Raise `NotVerifiableError`: there is no extracted value to compare."""
        del extracted, expected
        raise NotVerifiableError(f"{type(self).__name__} looks at the whole response: call check_trace")

    @renamed(text="raw_trace")
    def check_trace(self, raw_trace: str) -> bool:
        """Return whether a response passes. Raises `EvaluationError` if it is no text or takes too long."""
        if not isinstance(raw_trace, str):
            raise EvaluationTypeError(f"{named(raw_trace)} is no response: give its text")
        return self._found_in(raw_trace)

    def _found_in(self, response: str) -> bool:
        raise NotImplementedError


NormalizerName: TypeAlias = Literal["lowercase", "strip", "remove_punctuation", "collapse_whitespace"]

_WITHOUT_PUNCTUATION = str.maketrans("", "", string.punctuation)

NORMALIZERS: Final[Mapping[NormalizerName, Callable[[str], str]]] = {
    "lowercase": str.lower,
    "strip": str.strip,
    "remove_punctuation": lambda text: text.translate(_WITHOUT_PUNCTUATION),
    "collapse_whitespace": lambda text: " ".join(text.split()),
}
"""The normalisers that have a name.

`lowercase` leaves the German sharp s alone; `remove_punctuation` knows the punctuation of ASCII only.
"""


class SynonymMap(OpenEntity):
    """A normaliser that replaces a whole text: a key of `mapping` by its value. Other texts stay as they are."""

    mapping: dict[str, str] = Field(description="Texts and what takes their place")


Normalizer: TypeAlias = NormalizerName | SynonymMap
Normalizers: TypeAlias = Annotated[
    list[Normalizer], Field(description="What is done to both texts before they are compared, in order")
]


@checked
def apply_normalizer(normalizer: Normalizer, text: str) -> str:
    """Return `text` after one normaliser. Raises `EvaluationValueError` (a ValueError) for an unknown name."""
    return _normalized([normalizer], text)


@checked
def apply_normalizers(normalizers: Sequence[Normalizer], text: str) -> str:
    """Return `text` after all normalisers, from left to right; the order matters. Raises as `apply_normalizer` does."""
    return _normalized(normalizers, text)


def _normalized(normalizers: Sequence[Normalizer], text: str) -> str:
    for normalizer in normalizers:
        if isinstance(normalizer, SynonymMap):
            text = normalizer.mapping.get(text, text)
        elif normalizer in NORMALIZERS:
            text = NORMALIZERS[normalizer](text)
        else:
            raise EvaluationValueError(phrases.unknown("normaliser", str(normalizer), NORMALIZERS))
    return text


def same_text(extracted: Any, expected: Any, normalizers: Sequence[Normalizer]) -> bool:
    """Return whether two JSON values have the same text after the normalisers; null equals null only."""
    if extracted is None or expected is None:
        return extracted is expected
    return _normalized(normalizers, text_of(extracted)) == _normalized(normalizers, text_of(expected))


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of a primitive for one value.

    `score` is the credit from 0.0 to 1.0. `error` is the reason why the value could not be judged, None if it could;
    such a value has not passed. `remarks` are about a value that was judged, such as an incomplete date.
    """

    passed: bool
    score: float
    error: str | None = None
    remarks: tuple[str, ...] = ()


def safe_check(primitive: VerificationPrimitive, extracted: Any, expected: Any) -> CheckResult:
    """Return the result of `primitive` for a value, given its ground truth; a value that cannot be judged fails.

    For a trace primitive `extracted` is the text of the response, and the ground truth false means that the response
    must not satisfy the primitive.
    """
    if not isinstance(primitive, VerificationPrimitive):
        raise WrongTypeError(f"safe_check(): primitive is of type {type(primitive).__name__}: give a primitive")
    try:
        if isinstance(primitive, TracePrimitive):
            passed = primitive.check_trace(extracted) is bool(expected)
            return CheckResult(passed, float(passed))
        passed = primitive.check(extracted, expected)
        score = primitive.score(extracted, expected) if primitive.graded else float(passed)
    except EvaluationError as error:
        return CheckResult(passed=False, score=0.0, error=str(error))
    return CheckResult(passed, score, remarks=() if passed else primitive.remarks(extracted, expected))


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
        text = _normalized(self.normalize, text_of(extracted))
        return [_normalized(self.normalize, substring) in text for substring in self.substrings]


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
            f"a primitive has no name: set its type to one of {', '.join(PRIMITIVES)}, not {named(name)}"
        )
    if name not in PRIMITIVES:
        raise SettingsError(phrases.unknown("primitive", name, PRIMITIVES))
    return PRIMITIVES[name].model_validate(dict(serialised))

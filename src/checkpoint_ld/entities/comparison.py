"""What all primitives share: the values that they compare, texts in one form, and checks that cannot raise."""

from __future__ import annotations

import logging
import reprlib
import string
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, TypeAlias

from pydantic import ConfigDict, Field

from checkpoint_ld import phrases
from checkpoint_ld.arguments import renamed
from checkpoint_ld.entities.entity import Entity
from checkpoint_ld.errors import EvaluationError, EvaluationTypeError, EvaluationValueError, NotVerifiableError
from checkpoint_ld.phrases import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from pydantic import JsonValue


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
        raise EvaluationTypeError(f"{named(value)} is no number: give one, such as 3.5") from error
    except (ValueError, OverflowError) as error:
        raise EvaluationValueError(f"{named(value)} is no number: give one, such as 3.5") from error


def items_of(value: Any) -> Collection[Any]:
    """Return the items of a list; a bare text is one item. Raises `EvaluationTypeError` for what is neither."""
    if isinstance(value, str):
        return (value,)
    if isinstance(value, (list, tuple, set, frozenset)):
        return value
    raise EvaluationTypeError(f"{named(value)} is no list: give one, such as [{shown('a')}]")


def named(value: Any) -> str:
    """Return a value for a message, on one line and short."""
    if isinstance(value, str):
        return shown(value)
    try:
        return shown(reprlib.repr(value))[1:-1]
    except ValueError:
        return "a huge number"


_log = logging.getLogger(__name__)


class OpenEntity(Entity):
    """An entity that keeps members which nobody knows, as they may come from a newer Karenina, and logs a warning."""

    model_config = ConfigDict(extra="allow")

    @property
    def unknown_parameters(self) -> tuple[str, ...]:
        """The names of the members that nobody knows; they have no effect."""
        return tuple(self.__pydantic_extra__ or ())

    def model_post_init(self, context: Any, /) -> None:
        """Tell which members nobody knows."""
        del context
        for name in self.unknown_parameters:
            _log.warning("%s has no parameter %s: it is kept and has no effect", type(self).__name__, shown(name))


class VerificationPrimitive(OpenEntity):
    """A way to compare the value of a field with its ground truth; its parameters are its fields.

    Parameters are checked when a primitive is built and when one is assigned to: `pydantic.ValidationError`. The last
    field, `type`, is the name of the class, so that `model_dump(mode="json")` is the form that templates hold.
    """

    needs: ClassVar[str] = ""
    """What the primitive needs and a checkpoint does not have; empty for those that can be used."""

    graded: ClassVar[bool] = False
    """Whether there is more than all or nothing."""

    def check(self, extracted: Any, expected: Any) -> bool:
        """Tell whether the value `extracted` from an answer passes, given the ground truth `expected`.

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
        """Say what is odd about values that do not pass and are no error: an incomplete date, say."""
        del extracted, expected
        return ()

    def serialised(self) -> dict[str, JsonValue]:
        """Return the parameters in declared order, then what nobody knows, then `type`."""
        members = self.model_dump(mode="json")
        return {**{name: value for name, value in members.items() if name != "type"}, "type": members["type"]}


class TracePrimitive(VerificationPrimitive):
    """A primitive that looks at the whole text of a response instead of at a value that was extracted from it.

    A field passes if what `check_trace` says equals its ground truth: false stands for "must not".
    """

    def check(self, extracted: Any, expected: Any) -> bool:
        """Raise `NotVerifiableError`: there is no extracted value to look at."""
        del extracted, expected
        raise NotVerifiableError(f"{type(self).__name__} looks at the whole response: call check_trace")

    @renamed(text="raw_trace")
    def check_trace(self, raw_trace: str) -> bool:
        """Tell whether a response is as asked for; raises `EvaluationError` for what is no text or takes too long."""
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


def apply_normalizer(normalizer: Normalizer, text: str) -> str:
    """Return `text` after one normaliser. Raises `EvaluationValueError` (a ValueError) for a name that is none."""
    if isinstance(normalizer, SynonymMap):
        return normalizer.mapping.get(text, text)
    if normalizer in NORMALIZERS:
        return NORMALIZERS[normalizer](text)
    raise EvaluationValueError(phrases.unknown("normaliser", str(normalizer), NORMALIZERS))


def apply_normalizers(normalizers: Sequence[Normalizer], text: str) -> str:
    """Return `text` after all normalisers, from left to right; the order matters. Raises as `apply_normalizer` does."""
    for normalizer in normalizers:
        text = apply_normalizer(normalizer, text)
    return text


def same_text(extracted: Any, expected: Any, normalizers: Sequence[Normalizer]) -> bool:
    """Tell whether two JSON values have the same text after the normalisers; null equals null only."""
    if extracted is None or expected is None:
        return extracted is expected
    return apply_normalizers(normalizers, text_of(extracted)) == apply_normalizers(normalizers, text_of(expected))


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What a primitive says about one value.

    `score` is the credit from 0.0 to 1.0. `error` says why the value could not be judged, None if it could; it has
    then not passed. `remarks` say what is odd about a value that was judged, such as an incomplete date.
    """

    passed: bool
    score: float
    error: str | None = None
    remarks: tuple[str, ...] = ()


def safe_check(primitive: VerificationPrimitive, extracted: Any, expected: Any) -> CheckResult:
    """Return what `primitive` says about a value, given its ground truth; what cannot be judged does not pass.

    For a trace primitive `extracted` is the text of the response, and the ground truth false means that it must not be
    as the primitive asks.
    """
    try:
        if isinstance(primitive, TracePrimitive):
            passed = primitive.check_trace(extracted) is bool(expected)
            return CheckResult(passed, float(passed))
        passed = primitive.check(extracted, expected)
        score = primitive.score(extracted, expected) if primitive.graded else float(passed)
    except EvaluationError as error:
        return CheckResult(passed=False, score=0.0, error=str(error))
    return CheckResult(passed, score, remarks=() if passed else primitive.remarks(extracted, expected))

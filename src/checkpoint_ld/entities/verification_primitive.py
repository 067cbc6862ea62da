"""What all verification primitives have in common: parameters, `check` and `score`, normalisers, and `safe_check`.

`checkpoint_ld.entities.conversion` converts the values that are compared.
"""

from __future__ import annotations

import logging
import string
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, TypeAlias

from pydantic import ConfigDict, Field

from checkpoint_ld import phrases
from checkpoint_ld.entities.conversion import text_of
from checkpoint_ld.entities.entity import Entity
from checkpoint_ld.errors import (
    EvaluationError,
    EvaluationTypeError,
    EvaluationValueError,
    NotVerifiableError,
    WrongTypeError,
)
from checkpoint_ld.phrases import brief, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

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
        """Return the parameters in declared order, then unknown members, then the name of the class as `type`."""
        return {**self.model_dump(mode="json", exclude={"type"}), "type": type(self).__name__}


class TracePrimitive(VerificationPrimitive):
    """A primitive that checks the whole text of a response instead of a value that was extracted from it.

    A field passes if the result of `check_trace` equals its ground truth: false stands for "must not".
    """

    def check(self, extracted: Any, expected: Any) -> bool:
        """Raise `NotVerifiableError`: there is no extracted value to compare."""
        del extracted, expected
        raise NotVerifiableError(f"{type(self).__name__} looks at the whole response: call check_trace")

    def check_trace(self, raw_trace: str) -> bool:
        """Return whether a response passes. Raises `EvaluationError` if it is no text or takes too long."""
        if not isinstance(raw_trace, str):
            raise EvaluationTypeError(f"{brief(raw_trace)} is no response: give its text")
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
    """Return `text` after one normaliser. Raises `EvaluationValueError` (a ValueError) for an unknown name."""
    return normalized([normalizer], text)


def apply_normalizers(normalizers: Sequence[Normalizer], text: str) -> str:
    """Return `text` after all normalisers, from left to right; the order matters. Raises as `apply_normalizer` does."""
    return normalized(normalizers, text)


def normalized(normalizers: Sequence[Normalizer], text: str) -> str:
    """Return what `apply_normalizers` does, for arguments of the right types."""
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
    return normalized(normalizers, text_of(extracted)) == normalized(normalizers, text_of(expected))


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

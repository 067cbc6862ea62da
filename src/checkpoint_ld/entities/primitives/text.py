"""Primitives that compare texts."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

from pydantic import Field, FiniteFloat, model_validator

from checkpoint_ld.entities.primitives.matching import FlagName, occurs, refuse_faulty
from checkpoint_ld.entities.primitives.normalizing import Normalizers, apply_normalizers, same_text
from checkpoint_ld.entities.primitives.primitive import VerificationPrimitive
from checkpoint_ld.entities.primitives.values import text_of
from checkpoint_ld.errors import NotVerifiableError


class ExactMatch(VerificationPrimitive):
    """Passes if both values have the same text after the normalisers; null equals null only."""

    normalize: Normalizers = Field(default=["lowercase", "strip"])
    type: Literal["ExactMatch"] = "ExactMatch"

    def check(self, extracted: Any, expected: Any) -> bool:
        """Compare the texts of two values."""
        return same_text(extracted, expected, self.normalize)


class _Contains(VerificationPrimitive):
    substrings: list[str] = Field(description="The texts to look for")
    normalize: Normalizers = Field(default=[])

    def _found(self, extracted: Any) -> list[bool]:
        if extracted is None:
            return [False] * len(self.substrings)
        text = apply_normalizers(self.normalize, text_of(extracted))
        return [apply_normalizers(self.normalize, one) in text for one in self.substrings]


class ContainsAny(_Contains):
    """Passes if one of `substrings` occurs in the value's text, both normalised; null contains nothing.

    The ground truth does not count. Without substrings nothing passes.
    """

    type: Literal["ContainsAny"] = "ContainsAny"

    def check(self, extracted: Any, expected: Any) -> bool:
        """Look for the substrings in the text of `extracted`."""
        del expected
        return any(self._found(extracted))


class ContainsAll(_Contains):
    """Passes if all `substrings` occur in the value's text, both normalised; null contains nothing.

    The ground truth does not count. Without substrings everything passes.
    """

    type: Literal["ContainsAll"] = "ContainsAll"

    def check(self, extracted: Any, expected: Any) -> bool:
        """Look for the substrings in the text of `extracted`."""
        del expected
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

    def check(self, extracted: Any, expected: Any) -> bool:
        """Search the text of `extracted`; raises `EvaluationError` if that takes too long."""
        del expected
        return extracted is not None and occurs(self.pattern, text_of(extracted), self.flags)


class SemanticMatch(VerificationPrimitive):
    """Stands for a comparison of meanings, which needs embeddings: it can be kept and written, and not used."""

    needs: ClassVar[str] = "an embedding stage"

    threshold: FiniteFloat = Field(default=0.85, description="How alike the meanings have to be, 0 to 1")
    type: Literal["SemanticMatch"] = "SemanticMatch"

    def check(self, extracted: Any, expected: Any) -> bool:
        """Raise `NotVerifiableError`."""
        del extracted, expected
        raise NotVerifiableError(f"SemanticMatch needs {self.needs}: verify the field in Karenina, or with ExactMatch")

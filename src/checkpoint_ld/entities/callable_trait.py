"""Traits that a Python function decides."""

from collections.abc import Callable
from typing import Self

from pydantic import Field, model_validator

from checkpoint_ld.entities.callable_code import CallableCode
from checkpoint_ld.entities.kinds import Score, TraitKind
from checkpoint_ld.entities.trait import Trait, require_classes
from checkpoint_ld.errors import EvaluationError
from checkpoint_ld.findings import Finding


class CallableRubricTrait(Trait):
    """A trait that a Python function of the answer's text decides.

    The function's code is kept as it was found and never run; who wants results passes a function of their own to
    `evaluate`. `callable_code` is None on an incomplete trait, as files may hold it.
    """

    kind: TraitKind
    callable_code: CallableCode | None = Field(description="Base64 text, or Python source as plain text")
    min_score: Score | None = None
    max_score: Score | None = None
    invert_result: bool = Field(default=False, description="Negate the result of a boolean trait")
    classes: dict[str, str] | None = Field(default=None, description="Class names in order of score -> descriptions")
    higher_is_better: bool | None = Field(default=True, description="null: the trait has no direction")

    @property
    def is_incomplete(self) -> bool:
        """Whether there is no code."""
        return not self.callable_code

    def evaluate(self, text: str, *, callable_override: Callable[[str], object] | None = None) -> bool | int | float:
        """Return what `callable_override` finds about `text`: a truth value, a score, or the index of a class.

        Raises `EvaluationError` without a function (the stored code is never run), if the function fails, and if
        its result does not fit the trait.
        """
        if callable_override is None:
            raise EvaluationError(
                f"trait {self.name!r}: stored code is never run; pass a trusted function as callable_override"
            )
        try:
            result = callable_override(text)
        except Exception as error:
            raise EvaluationError(f"trait {self.name!r}: the function raised {error!r}") from error
        return self._score(result)

    def validate_score(self, value: object) -> bool:
        """Tell whether `value` is a result that the trait can have."""
        if self.kind == "boolean":
            return isinstance(value, bool)
        if isinstance(value, bool) or not isinstance(value, int if self.kind == "literal" else int | float):
            return False
        return self._in_range(value)

    def problems(self) -> tuple[Finding, ...]:
        """Report missing code, odd classes and an empty or broken range of scores."""
        found = self.class_problems(self.classes)
        if self.callable_code is None:
            found += (self.problem("callable-code-missing", "no callable_code", "set callable_code"),)
        if self.kind == "score":
            found += self.range_problems(self.min_score, self.max_score)
        return found

    def _score(self, result: object) -> bool | int | float:
        if self.kind == "boolean" and isinstance(result, bool):
            return result is not self.invert_result
        if self.kind == "literal" and isinstance(result, str) and result in (self.classes or ()):
            return list(self.classes or ()).index(result)
        if self.kind == "score" and isinstance(result, int | float) and self._in_range(result):
            return result
        expected = {
            "boolean": "true or false",
            "literal": f"one of the classes {', '.join(self.classes or ())}",
            "score": f"a number from {self.min_score} to {self.max_score}",
        }
        raise EvaluationError(f"trait {self.name!r}: the function returned {result!r}, not {expected[self.kind]}")

    def _in_range(self, value: float) -> bool:
        above = self.min_score is None or self.min_score <= value
        return above and (self.max_score is None or value <= self.max_score)

    def _derive(self) -> None:
        if self.kind == "literal" and self.classes:
            self.__dict__.update(min_score=0, max_score=len(self.classes) - 1)

    @model_validator(mode="after")
    def _has_classes(self) -> Self:
        require_classes(self.kind, self.classes)
        return self

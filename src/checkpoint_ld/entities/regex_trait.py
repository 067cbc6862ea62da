"""Traits that a regular expression decides."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, Field, ValidationInfo, model_validator

from checkpoint_ld.entities.entity import is_lenient
from checkpoint_ld.entities.trait import Trait
from checkpoint_ld.errors import EvaluationError

if TYPE_CHECKING:
    from checkpoint_ld.findings import Finding


def _compiling(pattern: str | None) -> str | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Python may do with the pattern one day is not the reader's matter
            re.compile(pattern or "")
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"the pattern {pattern!r} is no Python regular expression ({error}): correct it") from error
    return pattern


class RegexRubricTrait(Trait):
    """A trait that an answer has if `pattern`, a Python regular expression, occurs anywhere in it.

    `pattern` is None on an incomplete trait, as files may hold it; such a trait refuses to evaluate anything. An
    empty pattern is a pattern: it occurs in every text. Files may call `invert_result` by its older name `invert`.
    """

    pattern: Annotated[str | None, AfterValidator(_compiling)] = Field(description="A Python regular expression")
    case_sensitive: bool = Field(default=True, description="Whether upper and lower case differ")
    invert_result: bool = Field(default=False, description="Negate the result")
    higher_is_better: bool | None = Field(default=True, description="null: the trait has no direction")

    @property
    def is_incomplete(self) -> bool:
        """Whether there is no pattern."""
        return self.pattern is None

    def evaluate(self, text: str) -> bool:
        """Tell whether `text` has the trait.

        Raises `EvaluationError` if the trait has no pattern, or if matching takes longer than a few seconds.
        """
        from checkpoint_ld.entities.primitives.matching import occurs  # noqa: PLC0415 - few who load a file evaluate

        if self.pattern is None:
            raise EvaluationError(f"trait {self.name!r} has no pattern: set one before evaluating")
        if not isinstance(text, str):
            raise EvaluationError(f"trait {self.name!r} cannot be evaluated on {text!r}: give a text")
        return occurs(self.pattern, text, () if self.case_sensitive else ("IGNORECASE",)) is not self.invert_result

    def validate_score(self, value: object) -> bool:
        """Tell whether `value` is a result that the trait can have."""
        return isinstance(value, bool)

    @model_validator(mode="before")
    @classmethod
    def _accept_older_member(cls, data: Any, info: ValidationInfo) -> Any:
        older = isinstance(data, Mapping) and "invert" in data and "invert_result" not in data
        if not (older and is_lenient(info)):
            return data
        return {"invert_result" if name == "invert" else name: value for name, value in data.items()}

    def problems(self) -> tuple[Finding, ...]:
        """Report a missing pattern."""
        if not self.is_incomplete:
            return ()
        return (self.problem("pattern-missing", "no pattern", "set pattern to a regular expression"),)

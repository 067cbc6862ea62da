"""Primitives that look at the whole text of a response."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from checkpoint_ld.arguments import renamed
from checkpoint_ld.entities.primitives.matching import find_all, refuse_faulty
from checkpoint_ld.entities.primitives.primitive import TracePrimitive
from checkpoint_ld.entities.primitives.values import named
from checkpoint_ld.errors import EvaluationTypeError


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

    @renamed(text="raw_trace")
    def check_trace(self, raw_trace: str) -> bool:
        """Count the matches; raises `EvaluationError` for what is no text or takes too long."""
        least = 1 if self.count_min is None else self.count_min
        return len(find_all(self.pattern, _checked(raw_trace))) >= least


class TraceContains(TracePrimitive):
    """Passes if `substring` occurs in the response, case included; an empty one always does."""

    substring: str = Field(description="The text to look for")
    type: Literal["TraceContains"] = "TraceContains"

    @renamed(text="raw_trace")
    def check_trace(self, raw_trace: str) -> bool:
        """Look for the substring; raises `EvaluationTypeError` for what is no text."""
        return self.substring in _checked(raw_trace)


class TraceLength(TracePrimitive):
    """Passes if the response has from `min` to `max` characters, or words, both included; null is open.

    Words are what stands between whitespace.
    """

    min: int | None = Field(default=None, description="The shortest length that passes; null: any")
    max: int | None = Field(default=None, description="The longest length that passes; null: any")
    unit: Literal["chars", "words"] = Field(default="chars", description="What is counted")
    type: Literal["TraceLength"] = "TraceLength"

    @renamed(text="raw_trace")
    def check_trace(self, raw_trace: str) -> bool:
        """Measure the response; raises `EvaluationTypeError` for what is no text."""
        response = _checked(raw_trace)
        length = len(response.split()) if self.unit == "words" else len(response)
        return (self.min is None or length >= self.min) and (self.max is None or length <= self.max)


def _checked(text: Any) -> str:
    if not isinstance(text, str):
        raise EvaluationTypeError(f"{named(text)} is no response: give its text")
    return text

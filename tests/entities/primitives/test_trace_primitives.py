"""Primitives that look at the whole response."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from checkpoint_ld.entities import TraceContains, TraceLength, TracePrimitive, TraceRegex
from checkpoint_ld.errors import EvaluationError

ALL: list[TracePrimitive] = [TraceRegex(pattern="a"), TraceContains(substring="a"), TraceLength()]


@pytest.mark.parametrize(
    ("pattern", "least", "text", "passed"),
    [
        (r"\[\d+\]", None, "see [1] and [22]", True),
        (r"\[\d+\]", 2, "see [1] and [22]", True),
        (r"\[\d+\]", 3, "see [1] and [22]", False),
        (r"(\[)(\d)", 2, "see [1] and [22]", True),
        ("x", None, "see", False),
        ("x", 0, "see", True),
        ("SEE", None, "see", False),
        ("(?i)SEE", None, "see", True),
    ],
)
def test_matches_are_counted(pattern: str, least: int | None, text: str, passed: bool) -> None:
    assert TraceRegex(pattern=pattern, count_min=least).check_trace(text) is passed


def test_substrings_are_looked_for_as_they_are() -> None:
    assert TraceContains(substring="bcl").check_trace("a bcl2")
    assert not TraceContains(substring="BCL").check_trace("a bcl2")
    assert TraceContains(substring="").check_trace("")


@pytest.mark.parametrize(
    ("members", "passed"),
    [
        ({}, True),
        ({"min": 7}, True),
        ({"min": 8}, False),
        ({"max": 7}, True),
        ({"max": 6}, False),
        ({"min": 2, "max": 2, "unit": "words"}, True),
        ({"min": 3, "unit": "words"}, False),
    ],
)
def test_lengths_are_in_characters_or_words(members: dict[str, Any], passed: bool) -> None:
    assert TraceLength(**members).check_trace("two \n é") is passed


@pytest.mark.parametrize("primitive", ALL)
def test_there_is_no_extracted_value(primitive: TracePrimitive) -> None:
    for use in (primitive.check, primitive.score):
        with pytest.raises(EvaluationError, match="call check_trace"):
            use("a", True)


@pytest.mark.parametrize("primitive", ALL)
@pytest.mark.parametrize("value", [None, 1, ["a"]])
def test_a_response_is_a_text(primitive: TracePrimitive, value: Any) -> None:
    with pytest.raises(EvaluationError, match="is no response"):
        primitive.check_trace(value)


@pytest.mark.parametrize(
    ("cls", "members"),
    [
        (TraceRegex, {}),
        (TraceRegex, {"pattern": "["}),
        (TraceRegex, {"pattern": "a", "count_min": "many"}),
        (TraceContains, {}),
        (TraceContains, {"substring": None}),
        (TraceLength, {"unit": "tokens"}),
        (TraceLength, {"min": 1.5}),
    ],
)
def test_parameters_that_make_no_sense_are_refused(cls: type[TracePrimitive], members: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        cls.model_validate(members)

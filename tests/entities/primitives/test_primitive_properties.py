"""What holds for every primitive and any value."""

from __future__ import annotations

import json
import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from checkpoint_ld.entities import PRIMITIVES, TracePrimitive, VerificationPrimitive, primitive_of, safe_check
from checkpoint_ld.errors import EvaluationError, SettingsError
from checkpoint_ld.templates import primitives as described

WORDS = [
    "",
    "a",
    "nan",
    "-inf",
    " 12 ",
    "1e3",
    "true",
    "No",
    "2020-01-02",
    "Jan 2, 2020",
    "2020",
    "(",
    "(a+)+$",
    "strip",
    "I",
]
TEXTS = st.sampled_from(WORDS) | st.text(max_size=12)
SCALARS = st.none() | st.booleans() | st.integers() | st.integers(10**300, 10**400) | st.floats() | TEXTS
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=3), max_leaves=8
)
NORMALIZERS = [["lowercase", "strip"], [{"mapping": {"a": "b"}}], ["remove_punctuation", "collapse_whitespace"], []]
FITTING: dict[str, st.SearchStrategy[Any]] = {
    "text": st.sampled_from(["a", "", "%Y", "2020-01-01", "2030"]),
    "texts": st.lists(st.sampled_from(["a", "", "1"]), max_size=2),
    "pattern": st.sampled_from(["a", "^.$", r"\d+", "(a|b)*", ""]),
    "flags": st.lists(st.sampled_from(["I", "VERBOSE", "ASCII"]), max_size=2),
    "normalizers": st.sampled_from(NORMALIZERS),
    "number": st.integers(-1, 5) | st.floats(0, 9),
    "integer": st.integers(-1, 3),
    "boolean": st.booleans(),
}


@st.composite
def serialised(draw: st.DrawFn) -> dict[str, Any]:
    """Draw the form of a primitive, of which now and then a part is wrong."""
    name = draw(st.sampled_from(list(PRIMITIVES)))
    members = {}
    for one in described.registry()[name].parameters:
        if one.required or draw(st.booleans()):
            members[one.name] = draw(st.sampled_from(one.choices) if one.choices else FITTING[one.kind])
    if draw(st.integers(0, 5)) == 0:
        members[draw(st.sampled_from([*members, "fuzzy"]))] = draw(VALUES)
    return {**members, "type": name}


def built(members: dict[str, Any]) -> VerificationPrimitive | None:
    try:
        return primitive_of(members)
    except ValidationError:
        return None


@given(VALUES | st.dictionaries(st.sampled_from(["type", "pattern"]), st.sampled_from([*PRIMITIVES]) | VALUES))
def test_whatever_is_no_primitive_is_refused_in_a_controlled_way(value: Any) -> None:
    try:
        primitive = primitive_of(value)
    except (SettingsError, ValidationError):
        return
    assert type(primitive).__name__ == value["type"]


@given(serialised())
def test_what_is_written_is_read_again_as_the_same(members: dict[str, Any]) -> None:
    primitive = built(members)
    if primitive is None:
        return
    form = primitive.serialised()
    assert list(form)[-1] == "type"
    again = primitive_of(form)
    assert again.serialised() == form or "nan" in repr(form)
    if not primitive.unknown_parameters:
        assert again == primitive
        assert primitive_of(json.loads(primitive.model_dump_json())) == primitive


@given(serialised(), VALUES, VALUES)
def test_any_two_values_are_compared_or_refused(members: dict[str, Any], extracted: Any, expected: Any) -> None:
    primitive = built(members)
    if primitive is None:
        return
    try:
        passed, score = primitive.check(extracted, expected), primitive.score(extracted, expected)
    except EvaluationError:
        assert isinstance(primitive, TracePrimitive) or safe_check(primitive, extracted, expected).error
        return
    assert isinstance(passed, bool)
    assert isinstance(score, float)
    assert 0 <= score <= 1
    assert primitive.graded or score == float(passed)
    assert isinstance(primitive.remarks(extracted, expected), tuple)


@given(serialised(), VALUES, VALUES)
def test_safe_check_never_raises(members: dict[str, Any], extracted: Any, expected: Any) -> None:
    primitive = built(members)
    if primitive is None:
        return
    result = safe_check(primitive, extracted, expected)
    assert math.isfinite(result.score)
    assert result.error is None or not result.passed


@given(st.sampled_from(["ExactMatch", "LiteralMatch", "DateMatch", "BooleanMatch"]), VALUES, VALUES)
def test_sides_may_be_exchanged(name: str, one: Any, other: Any) -> None:
    primitive = primitive_of({"type": name})
    assert safe_check(primitive, one, other).passed is safe_check(primitive, other, one).passed

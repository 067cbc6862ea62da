"""The registry of primitives: what a template may say is what the primitive takes, and becomes the same there."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from checkpoint_ld.entities import NORMALIZERS, PRIMITIVES, primitive_of
from checkpoint_ld.templates import primitives
from checkpoint_ld.templates.primitives import FIELD_TYPES, Parameter, Patterns, registry, settle
from checkpoint_ld.workers import patterns
from tests.mapping import json_values
from tests.templates import answer, field, only
from tests.trials import examples

GRADED = {"mode": "absolute", "decay": "linear", "exclusive_min": False, "exclusive_max": False}
FULL = [
    ("BooleanMatch()", {}),
    ("ExactMatch()", {"normalize": ["lowercase", "strip"]}),
    ("ContainsAny(substrings=['a'])", {"substrings": ["a"], "normalize": []}),
    ("ContainsAll(substrings=['a'])", {"substrings": ["a"], "normalize": []}),
    ("RegexMatch(pattern='a')", {"pattern": "a", "flags": []}),
    ("SemanticMatch()", {"threshold": 0.85}),
    ("NumericExact()", {}),
    ("NumericTolerance(tolerance=1)", {"tolerance": 1.0, "mode": "relative"}),
    ("NumericRange(max=3)", {"min": None, "max": 3.0, "exclusive_min": False, "exclusive_max": False}),
    ("NumericMinimum()", {"exclusive": False}),
    ("NumericMaximum()", {"exclusive": False}),
    ("NumericGraded(cutoff=1)", {"cutoff": 1.0, "full_credit": None, "mode": "relative", "decay": "linear"}),
    ("NumericRangeGraded(margin=1, max=3, min=2)", {"min": 2.0, "max": 3.0, "margin": 1.0, **GRADED}),
    (
        "NumericThresholdGraded(direction='min', margin=1)",
        {"direction": "min", "margin": 1.0, "mode": "relative", "decay": "linear", "exclusive": False},
    ),
    ("SetContainment()", {"mode": "exact", "min_overlap": None}),
    ("OrderedMatch()", {"normalize": ["lowercase", "strip"]}),
    ("LiteralMatch()", {}),
    ("DateMatch()", {"format": None}),
    ("DateTolerance(tolerance=1.0)", {"tolerance": 1, "unit": "days"}),
    ("DateRange()", {"min": None, "max": None}),
    ("TraceRegex(pattern='a')", {"pattern": "a", "count_min": None}),
    ("TraceContains(substring='a')", {"substring": "a"}),
    ("TraceLength()", {"min": None, "max": None, "unit": "chars"}),
]


@pytest.mark.parametrize(("call", "parameters"), FULL)
def test_a_primitive_has_all_its_parameters_in_declared_order(call: str, parameters: dict[str, object]) -> None:
    name = call.partition("(")[0]
    read = only(answer(field(verify_with=call)))
    assert (read.primitive, read.is_trace) == (name, name.startswith("Trace"))
    assert read.verify_with is not None
    assert list(read.verify_with.items()) == [*parameters.items(), ("type", name)]
    assert [type(value) for value in read.parameters.values()] == [type(value) for value in parameters.values()]


def test_primitives_types_flags_and_normalisers_are_those_that_there_are() -> None:
    assert {call.partition("(")[0] for call, _ in FULL} == set(registry()) == set(PRIMITIVES)
    assert {type_ for known in registry().values() for type_ in known.types} == set(FIELD_TYPES)
    assert tuple(NORMALIZERS) == primitives.NORMALIZERS
    assert {name: patterns.FLAGS[letter] for name, letter in primitives.FLAGS.items()} == dict(patterns.FLAGS)


def test_two_templates_share_no_default() -> None:
    first, second = (only(answer(field())).parameters["normalize"] for _ in range(2))
    assert first == second
    assert first is not second


# Values

REQUIRED: dict[str, Any] = {
    "substrings": ["a"],
    "pattern": "a",
    "tolerance": 1,
    "cutoff": 3,
    "margin": 1,
    "min": 0,
    "max": 9,
    "direction": "min",
    "substring": "a",
}
CASES = [(name, parameter) for name, one in registry().items() for parameter in one.parameters]
ODD = [1e300, 1e19, 9e18, 5.0, "5.0", "1_000", "٣", " 5 ", "1e3", "nan", "inf", True, "on", "T", "0", 10**30, 2, 0.5]
NAMED = ["lowercase", "strip", "I", "IGNORECASE", "relative", "exact", "days", "linear"]
odd_values = json_values | st.sampled_from([*ODD, *([one] for one in NAMED)])


def taken(name: str, parameter: Parameter, value: Any) -> tuple[bool, Any]:
    """Tell whether the primitive itself takes the value, and what it makes of it."""
    try:
        built = primitive_of({**needed(name), parameter.name: value, "type": name})
    except ValidationError:
        return False, None
    return True, built.serialised()[parameter.name]


def settled(name: str, parameter: Parameter, value: Any) -> tuple[bool, Any]:
    """Tell whether a template may say the value, and what it is read as."""
    values, faults = settle(registry()[name], {**needed(name), parameter.name: value}, Patterns())
    return (False, None) if faults else (True, values[parameter.name])


def needed(name: str) -> dict[str, Any]:
    return {one.name: REQUIRED[one.name] for one in registry()[name].parameters if one.required}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "parameter"), CASES, ids=[f"{name}-{parameter.name}" for name, parameter in CASES])
def test_a_template_may_state_what_the_primitive_takes(name: str, parameter: Parameter) -> None:
    @settings(max_examples=examples(50))
    @given(odd_values)
    def agree(value: Any) -> None:
        expected, found = taken(name, parameter, value), settled(name, parameter, value)
        if parameter.kind == "pattern" and isinstance(value, str):
            assert found in {(True, value), (False, None)}  # whether it compiles is queried elsewhere
        else:
            assert found == expected
            assert type(found[1]) is type(expected[1])

    agree()

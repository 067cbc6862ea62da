"""Parameters of primitives: what a template may say is what the primitive itself takes, and becomes the same there."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from checkpoint_ld.entities import NORMALIZERS, PRIMITIVES, primitive_of
from checkpoint_ld.templates import primitives
from checkpoint_ld.templates.primitives import Parameter, registry, settle
from checkpoint_ld.templates.scope import Patterns
from checkpoint_ld.workers import patterns
from tests.mapping import json_values
from tests.trials import examples

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
odd_values = (
    json_values
    | st.sampled_from(
        [1e300, 1e19, 9e18, 5.0, "5.0", "1_000", "٣", " 5 ", "1e3", "nan", "inf", True, "on", "T", "0", 10**30, 2, 0.5]
    )
    | st.sampled_from(["lowercase", "strip", "I", "IGNORECASE", "relative", "exact", "days", "linear"]).map(
        lambda one: [one]
    )
)


def taken(name: str, parameter: Parameter, value: Any) -> tuple[bool, Any]:
    """Tell whether the primitive itself takes the value, and what it makes of it."""
    needed = {one.name: REQUIRED[one.name] for one in registry()[name].parameters if one.required}
    try:
        built = primitive_of({**needed, parameter.name: value, "type": name})
    except ValidationError:
        return False, None
    return True, built.serialised()[parameter.name]


def said(name: str, parameter: Parameter, value: Any) -> tuple[bool, Any]:
    """Tell whether a template may say the value, and what it is read as."""
    needed = {one.name: REQUIRED[one.name] for one in registry()[name].parameters if one.required}
    values, faults = settle(registry()[name], {**needed, parameter.name: value}, Patterns())
    return (False, None) if faults else (True, values[parameter.name])


@pytest.mark.slow
@pytest.mark.parametrize(("name", "parameter"), CASES, ids=[f"{name}-{parameter.name}" for name, parameter in CASES])
def test_a_template_may_say_what_the_primitive_takes(name: str, parameter: Parameter) -> None:
    @settings(max_examples=examples(50))
    @given(odd_values)
    def agree(value: Any) -> None:
        expected, found = taken(name, parameter, value), said(name, parameter, value)
        if parameter.kind == "pattern" and isinstance(value, str):
            assert found in {(True, value), (False, None)}  # whether it compiles is asked elsewhere
        else:
            assert found == expected
            assert type(found[1]) is type(expected[1])

    agree()


def test_names_of_flags_and_normalisers_are_those_of_the_primitives() -> None:
    assert tuple(NORMALIZERS) == primitives.NORMALIZERS
    assert set(primitives.FLAGS) == set(patterns.FLAGS)
    assert all(patterns.FLAGS[primitives.FLAGS[name]] == flag for name, flag in patterns.FLAGS.items())
    assert set(registry()) == set(PRIMITIVES)

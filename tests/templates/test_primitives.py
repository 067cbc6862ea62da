"""The registry of primitives, as templates see it."""

from __future__ import annotations

import pytest

from checkpoint_ld.entities import comparison
from checkpoint_ld.templates.primitives import FIELD_TYPES, FLAGS, NORMALIZERS, registry
from checkpoint_ld.workers import patterns
from tests.templates import answer, field, only

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
    (
        "NumericRangeGraded(margin=1, max=3, min=2)",
        {
            "min": 2.0,
            "max": 3.0,
            "margin": 1.0,
            "mode": "absolute",
            "decay": "linear",
            "exclusive_min": False,
            "exclusive_max": False,
        },
    ),
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


def test_these_are_all_primitives() -> None:
    assert sorted(registry()) == sorted(call.partition("(")[0] for call, _ in FULL)


def test_primitives_are_for_types_of_the_vocabulary() -> None:
    assert {type_ for known in registry().values() for type_ in known.types} == set(FIELD_TYPES)


def test_two_templates_share_no_default() -> None:
    first, second = (only(answer(field())).parameters["normalize"] for _ in range(2))
    assert first == second
    assert first is not second


def test_normalisers_and_flags_are_those_that_are_applied() -> None:
    assert list(comparison.NORMALIZERS) == list(NORMALIZERS)
    assert {name: patterns.FLAGS[letter] for name, letter in FLAGS.items()} == dict(patterns.FLAGS)

"""Primitives that compare numbers, graded or not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from checkpoint_ld.entities import (
    NumericExact,
    NumericGraded,
    NumericMaximum,
    NumericMinimum,
    NumericRange,
    NumericRangeGraded,
    NumericThresholdGraded,
    NumericTolerance,
    VerificationPrimitive,
)
from checkpoint_ld.errors import EvaluationError

ALL: list[VerificationPrimitive] = [
    NumericExact(),
    NumericTolerance(tolerance=1),
    NumericRange(min=0),
    NumericMinimum(),
    NumericMaximum(),
    NumericGraded(cutoff=1),
    NumericRangeGraded(min=0, max=1, margin=1),
    NumericThresholdGraded(direction="max", margin=1),
]


@pytest.mark.parametrize("primitive", ALL)
@pytest.mark.parametrize("value", [None, "", "abc", "1,000", [1], {}, 10**400])
def test_what_is_no_number_is_not_comparable(primitive: VerificationPrimitive, value: object) -> None:
    for use in (primitive.check, primitive.score):
        with pytest.raises(EvaluationError, match="is no number"):
            use(value, 1)


@pytest.mark.parametrize("value", [1, 1.0, True, "1", " 1.0 ", "1e0", "0_1"])
def test_numbers_come_in_many_forms(value: object) -> None:
    assert NumericExact().check(value, 1)
    assert NumericExact().check(1, value)
    assert not NumericExact().check(value, 2)


@pytest.mark.parametrize(
    ("tolerance", "mode", "extracted", "expected", "passed"),
    [
        (0.05, "relative", 105, 100, True),
        (0.05, "relative", 106, 100, False),
        (0.05, "relative", -105, -100, True),
        (0.05, "relative", 0, 0, True),
        (0.05, "relative", 1e-9, 0, False),
        (0.5, "absolute", 0.5, 0, True),
        (0.5, "absolute", 10.6, 10, False),
        (-1, "absolute", 1, 1, False),
        (-1, "relative", 1, 1, False),
        (0.5, "relative", "nan", 1, False),
        (0.5, "absolute", "inf", "inf", False),
    ],
)
def test_tolerance(tolerance: float, mode: Any, extracted: object, expected: object, passed: bool) -> None:
    assert NumericTolerance(tolerance=tolerance, mode=mode).check(extracted, expected) is passed


@pytest.mark.parametrize(
    ("members", "inside", "outside"),
    [
        ({}, [0, -1e300, "nan"], []),
        ({"min": 1, "max": 2}, [1, 1.5, 2, "nan"], [0.9, 2.1]),
        ({"min": 1, "max": 2, "exclusive_min": True}, [1.1, 2], [1]),
        ({"min": 1, "max": 2, "exclusive_max": True}, [1, 1.9], [2]),
        ({"max": 2, "exclusive_min": True}, [-5, 2], [3]),
        ({"min": 2, "max": 1}, [], [1, 1.5, 2]),
    ],
)
def test_range(members: dict[str, Any], inside: list[object], outside: list[object]) -> None:
    primitive = NumericRange(**members)
    assert [value for value in inside if not primitive.check(value, "whatever")] == []
    assert [value for value in outside if primitive.check(value, None)] == []


def test_minimum_and_maximum_are_the_ground_truth() -> None:
    assert [NumericMinimum().check(value, 2) for value in (1, 2, 3)] == [False, True, True]
    assert [NumericMinimum(exclusive=True).check(value, 2) for value in (1, 2, 3)] == [False, False, True]
    assert [NumericMaximum().check(value, 2) for value in (1, 2, 3)] == [True, True, False]
    assert [NumericMaximum(exclusive=True).check(value, 2) for value in (1, 2, 3)] == [True, False, False]


# Graded


def graded(primitive: VerificationPrimitive, value: object, expected: object) -> tuple[bool, float]:
    return primitive.check(value, expected), round(primitive.score(value, expected), 4)


@pytest.mark.parametrize(
    ("members", "extracted", "expected", "result"),
    [
        ({"cutoff": 0.1}, 100, 100, (True, 1.0)),
        ({"cutoff": 0.1}, 105, 100, (True, 0.5)),
        ({"cutoff": 0.1}, 110, 100, (True, 0.0)),
        ({"cutoff": 0.1}, 111, 100, (False, 0.0)),
        ({"cutoff": 0.1, "full_credit": 0.02, "decay": "quadratic"}, 102, 100, (True, 1.0)),
        ({"cutoff": 0.1, "full_credit": 0.02, "decay": "quadratic"}, 105, 100, (False, 0.8594)),
        ({"cutoff": 0.1, "full_credit": 0.02, "decay": "quadratic"}, 110, 100, (False, 0.0)),
        ({"cutoff": 0.1, "full_credit": 0}, 100, 100, (True, 1.0)),
        ({"cutoff": 0.1, "full_credit": 0}, 101, 100, (False, 0.9)),
        ({"cutoff": 2, "mode": "absolute"}, 1, 0, (True, 0.5)),
        ({"cutoff": 2}, 0, 0, (True, 1.0)),
        ({"cutoff": 2}, 1, 0, (False, 0.0)),
        ({"cutoff": 2}, "nan", 1, (False, 0.0)),
        ({"cutoff": 2}, "inf", 1, (False, 0.0)),
    ],
)
def test_graded(members: dict[str, Any], extracted: object, expected: object, result: tuple[bool, float]) -> None:
    assert graded(NumericGraded(**members), extracted, expected) == result


@pytest.mark.parametrize(
    ("members", "extracted", "result"),
    [
        ({}, 10, (True, 1.0)),
        ({}, 22.5, (False, 0.5)),
        ({}, 25, (False, 0.0)),
        ({}, 7.5, (False, 0.5)),
        ({"mode": "relative", "margin": 0.5}, 22.5, (False, 0.5)),
        ({"decay": "quadratic"}, 22.5, (False, 0.75)),
        ({"exclusive_min": True}, 10, (False, 1.0)),
        ({"exclusive_max": True}, 20, (False, 1.0)),
        ({}, "nan", (False, 0.0)),
        ({}, "-inf", (False, 0.0)),
    ],
)
def test_range_graded(members: dict[str, Any], extracted: object, result: tuple[bool, float]) -> None:
    assert graded(NumericRangeGraded(**{"min": 10, "max": 20, "margin": 5, **members}), extracted, None) == result


@pytest.mark.parametrize(
    ("members", "extracted", "expected", "result"),
    [
        ({}, 0, 100, (True, 1.0)),
        ({}, 105, 100, (False, 0.5)),
        ({}, 110, 100, (False, 0.0)),
        ({"exclusive": True}, 100, 100, (False, 1.0)),
        ({"direction": "min"}, 100, 100, (True, 1.0)),
        ({"direction": "min"}, 95, 100, (False, 0.5)),
        ({"direction": "min", "mode": "absolute", "margin": 10, "decay": "quadratic"}, 95, 100, (False, 0.75)),
        ({}, 0.1, 0, (False, 0.0)),
        ({}, -0.1, 0, (True, 1.0)),
        ({}, "inf", "inf", (True, 1.0)),
        ({}, "nan", 1, (False, 0.0)),
    ],
)
def test_threshold_graded(
    members: dict[str, Any], extracted: object, expected: object, result: tuple[bool, float]
) -> None:
    primitive = NumericThresholdGraded.model_validate({"direction": "max", "margin": 0.1, **members})
    assert graded(primitive, extracted, expected) == result


@given(st.sampled_from([one for one in ALL if one.graded]), *[st.floats(-1e6, 1e6)] * 3)
def test_what_is_farther_off_never_earns_more(
    primitive: VerificationPrimitive, expected: float, first: float, second: float
) -> None:
    right = 0.5 if isinstance(primitive, NumericRangeGraded) else expected
    near, far = sorted((abs(first), abs(second)))
    for side in (1, -1):
        scores = [primitive.score(right + side * gap, expected) for gap in (near, far)]
        assert 1 >= scores[0] >= scores[1] >= 0


@pytest.mark.parametrize(
    ("cls", "members"),
    [
        (NumericTolerance, {}),
        (NumericTolerance, {"tolerance": None}),
        (NumericTolerance, {"tolerance": "much"}),
        (NumericTolerance, {"tolerance": float("nan")}),
        (NumericTolerance, {"tolerance": 1, "mode": "Relative"}),
        (NumericRange, {"min": "low"}),
        (NumericRange, {"exclusive_min": None}),
        (NumericMinimum, {"exclusive": "perhaps"}),
        (NumericGraded, {}),
        (NumericGraded, {"cutoff": 0}),
        (NumericGraded, {"cutoff": -1}),
        (NumericGraded, {"cutoff": 1, "full_credit": -0.1}),
        (NumericGraded, {"cutoff": 1, "full_credit": 1}),
        (NumericGraded, {"cutoff": 1, "decay": "cubic"}),
        (NumericRangeGraded, {"min": 1, "max": 2}),
        (NumericRangeGraded, {"min": 2, "max": 2, "margin": 1}),
        (NumericRangeGraded, {"min": 1, "max": 2, "margin": 0}),
        (NumericThresholdGraded, {"margin": 1}),
        (NumericThresholdGraded, {"direction": "up", "margin": 1}),
        (NumericThresholdGraded, {"direction": "max", "margin": -1}),
    ],
)
def test_parameters_that_make_no_sense_are_refused(cls: type[VerificationPrimitive], members: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        cls.model_validate(members)

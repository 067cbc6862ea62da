"""Primitives that compare values as they are."""

from __future__ import annotations

import pytest

from checkpoint_ld.entities import BooleanMatch, LiteralMatch
from checkpoint_ld.errors import EvaluationError


@pytest.mark.parametrize(
    ("extracted", "expected", "passed"),
    [
        (True, True, True),
        (False, False, True),
        (True, False, False),
        (1, True, True),
        (0.0, False, True),
        (2.5, True, True),
        (None, None, True),
        (None, False, False),
        (True, None, False),
        ("false", False, True),
        ("No", False, True),
        (" yes ", True, True),
        ("0", True, False),
    ],
)
def test_boolean_match(extracted: object, expected: object, passed: bool) -> None:
    assert BooleanMatch().check(extracted, expected) is passed
    assert BooleanMatch().score(extracted, expected) == float(passed)


@pytest.mark.parametrize("value", ["", "maybe", "2", [], [True], {}])
def test_what_is_neither_true_nor_false_is_not_comparable(value: object) -> None:
    for pair in ((value, True), (True, value)):
        with pytest.raises(EvaluationError, match="neither true nor false"):
            BooleanMatch().check(*pair)


@pytest.mark.parametrize(
    ("extracted", "expected", "passed"),
    [
        ("a", "a", True),
        ("A", "a", False),
        ("a ", "a", False),
        (1, 1.0, True),
        (1, "1", False),
        (True, True, True),
        (True, 1, False),
        (0, False, False),
        (None, None, True),
        (None, "None", False),
        (["a"], ["a"], True),
    ],
)
def test_literal_match(extracted: object, expected: object, passed: bool) -> None:
    assert LiteralMatch().check(extracted, expected) is passed
    assert LiteralMatch().score(extracted, expected) == float(passed)


@pytest.mark.slow
def test_values_that_are_nested_too_deeply_are_not_comparable() -> None:
    values = []
    for _ in range(2):
        value: list[object] = []
        for _ in range(200_000):
            value = [value]
        values.append(value)
    with pytest.raises(EvaluationError, match="too deeply"):
        LiteralMatch().check(*values)

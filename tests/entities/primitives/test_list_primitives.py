"""Primitives that compare lists."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from checkpoint_ld.entities import OrderedMatch, SetContainment
from checkpoint_ld.errors import EvaluationError


@pytest.mark.parametrize(
    ("extracted", "expected", "modes"),
    [
        (["a", "b"], ["b", "a", "a"], {"exact", "subset", "superset", "overlap"}),
        (["a"], ["a", "b"], {"subset", "overlap"}),
        (["a", "b"], ["a"], {"superset", "overlap"}),
        (["a", "c"], ["a", "b"], {"overlap"}),
        (["A"], ["a"], set()),
        ([], [], {"exact", "subset", "superset"}),
        ([], ["a"], {"subset"}),
        ("ab", ["a", "b"], set()),
        ("ab", ["ab"], {"exact", "subset", "superset", "overlap"}),
        (("a",), {"a"}, {"exact", "subset", "superset", "overlap"}),
    ],
)
def test_set_containment(extracted: object, expected: object, modes: set[str]) -> None:
    every: tuple[Any, ...] = ("exact", "subset", "superset", "overlap")
    assert {mode for mode in every if SetContainment(mode=mode).check(extracted, expected)} == modes


@pytest.mark.parametrize(("least", "passed"), [(None, True), (0, True), (1, True), (2, True), (3, False)])
def test_an_overlap_has_a_size(least: int | None, passed: bool) -> None:
    primitive = SetContainment(mode="overlap", min_overlap=least)
    assert primitive.check(["a", "b", "c"], ["b", "c", "d"]) is passed
    assert not primitive.check(["a"], ["b"])


@pytest.mark.parametrize("value", [None, 1, True, {"a": 1}])
@pytest.mark.parametrize("primitive", [SetContainment(), OrderedMatch()])
def test_what_is_no_list_is_not_comparable(primitive: SetContainment, value: object) -> None:
    with pytest.raises(EvaluationError, match="is no list"):
        primitive.check(value, [])
    with pytest.raises(EvaluationError, match="is no list"):
        primitive.check([], value)


def test_lists_and_objects_are_no_items_of_a_set() -> None:
    with pytest.raises(EvaluationError, match="cannot be items"):
        SetContainment().check([["a"]], [])


@pytest.mark.parametrize(
    ("extracted", "expected", "passed"),
    [
        (["A ", " b"], ["a", "B"], True),
        (["b", "a"], ["a", "b"], False),
        (["a"], ["a", "a"], False),
        ([], [], True),
        ([1, True], ["1", "true"], True),
        ([None], [None], True),
        ([None], ["None"], False),
        ("ab", ["a", "b"], False),
        ("ab", "AB", True),
    ],
)
def test_ordered_match(extracted: object, expected: object, passed: bool) -> None:
    assert OrderedMatch().check(extracted, expected) is passed
    assert OrderedMatch().score(extracted, expected) == float(passed)


def test_ordered_match_without_normalisers() -> None:
    assert not OrderedMatch(normalize=[]).check(["A"], ["a"])


@pytest.mark.parametrize("members", [{"mode": "zzz"}, {"mode": None}, {"min_overlap": "two"}, {"min_overlap": 1.5}])
def test_parameters_that_make_no_sense_are_refused(members: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        SetContainment.model_validate(members)

"""How right an answer is: trees against the properties that a score has to have."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from checkpoint_ld.entities.template_spec import (
    AllOf,
    AnyOf,
    AtLeastN,
    FieldCheck,
    StrategyNode,
    evaluate_strategy,
    granular_score,
)
from checkpoint_ld.errors import LookupFailedError

NODES: TypeAdapter[StrategyNode] = TypeAdapter(StrategyNode)
FIELDS = ("a", "b", "c", "d")
FLAGS = st.fixed_dictionaries({name: st.booleans() for name in FIELDS})
CREDIT = st.fixed_dictionaries({name: st.sampled_from([0.0, 0.25, 1.0]) | st.floats(0, 1) for name in FIELDS})
WEIGHTS = st.fixed_dictionaries({name: st.sampled_from([1.0, 2.0, 0.5]) | st.floats() for name in FIELDS})
SANE = st.fixed_dictionaries({name: st.floats(0.1, 10) for name in FIELDS})


def composites(children: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    conditions = st.lists(children, max_size=4)
    return st.one_of(
        st.fixed_dictionaries({"type": st.sampled_from(["all_of", "any_of"]), "conditions": conditions}),
        st.fixed_dictionaries({"type": st.just("at_least_n"), "n": st.integers(0, 5), "conditions": conditions}),
    )


TREES = st.recursive(
    st.builds(lambda name: {"type": "field_check", "field": name}, st.sampled_from(FIELDS[:3])), composites
).map(NODES.validate_python)


def leaf(name: str) -> FieldCheck:
    return FieldCheck(field=name)


def leaves(node: StrategyNode) -> set[str]:
    return {node.field} if isinstance(node, FieldCheck) else {name for part in node.conditions for name in leaves(part)}


def expected(node: StrategyNode, credit: dict[str, float], weights: dict[str, float]) -> float:
    """Say by the book what a tree is worth; only for trees whose parts all have fields."""
    if isinstance(node, FieldCheck):
        return credit[node.field]
    worths = sorted((expected(part, credit, weights) for part in node.conditions), reverse=True)
    if isinstance(node, AllOf):
        shares = [heaviness(part, weights) for part in node.conditions]
        parts = [expected(part, credit, weights) for part in node.conditions]
        return sum(worth * share for worth, share in zip(parts, shares, strict=True)) / sum(shares)
    if isinstance(node, AnyOf):
        return worths[0]
    return 1.0 if node.n == 0 else sum(worths[: node.n]) / node.n


def heaviness(node: StrategyNode, weights: dict[str, float]) -> float:
    return (
        weights[node.field] if isinstance(node, FieldCheck) else sum(heaviness(one, weights) for one in node.conditions)
    )


def is_full(node: StrategyNode) -> bool:
    return isinstance(node, FieldCheck) or (bool(node.conditions) and all(map(is_full, node.conditions)))


@given(TREES.filter(is_full), CREDIT, SANE)
def test_trees_are_worth_what_the_rule_says(
    tree: StrategyNode, credit: dict[str, float], weights: dict[str, float]
) -> None:
    results = {name: bool(earned) for name, earned in credit.items()}
    score = granular_score(tree, results, credit, weights)
    if evaluate_strategy(tree, results):
        assert score == pytest.approx(expected(tree, credit, weights))
    elif any(credit[name] for name in leaves(tree)):
        assert score == pytest.approx(min(expected(tree, credit, weights), 1.0))
    else:
        assert score == 0


@given(TREES, FLAGS, CREDIT, WEIGHTS)
def test_scores_are_what_scores_have_to_be(
    tree: StrategyNode, flags: dict[str, bool | None], credit: dict[str, float], weights: dict[str, float]
) -> None:
    score = granular_score(tree, flags, dict(credit), weights)
    passes = evaluate_strategy(tree, flags)
    assert 0 <= score <= 1
    assert passes or score < 1
    if not any(credit[name] for name in leaves(tree)) and not passes:
        assert score == 0
    outside = {"d": 1 - credit["d"]}
    assert granular_score(tree, {**flags, "d": not flags["d"]}, {**credit, **outside}, {**weights, "d": 77.0}) == score


@given(TREES, WEIGHTS)
def test_what_is_all_right_is_worth_all(tree: StrategyNode, weights: dict[str, float]) -> None:
    right: dict[str, bool | None] = dict.fromkeys(FIELDS, True)
    if evaluate_strategy(tree, right):
        assert granular_score(tree, right, dict.fromkeys(FIELDS, 1.0), weights) == 1


@given(st.lists(st.sampled_from(FIELDS), max_size=4), st.integers(0, 5), FLAGS, WEIGHTS)
def test_enough_right_fields_are_worth_all(
    names: list[str], needed: int, flags: dict[str, bool | None], weights: dict[str, float]
) -> None:
    credit: dict[str, float | None] = {name: float(bool(flag)) for name, flag in flags.items()}
    trees: list[StrategyNode] = [AnyOf(conditions=[leaf(name) for name in names])]
    trees.append(AtLeastN(n=needed, conditions=[leaf(name) for name in names]))
    for tree in trees:
        assert (granular_score(tree, flags, credit, weights) == 1) is evaluate_strategy(tree, flags)


def test_without_a_tree_it_is_the_weighted_mean_of_all_fields() -> None:
    results: dict[str, bool | None] = {"a": True, "b": True, "c": False}
    scores: dict[str, float | None] = {"a": 1.0, "b": 1.0, "c": None}
    weights = {"a": 1.0, "b": 2.0, "c": 3.0}
    assert granular_score(None, results, scores, weights) == 0.5
    assert granular_score(None, results, scores, dict.fromkeys("abc", 0.0)) == 0
    assert granular_score(None, results, scores, {"a": 1.0, "b": -5.0, "c": math.nan}) == 1
    assert granular_score(None, results, scores, dict.fromkeys("abc", math.inf)) == pytest.approx(2 / 3)


def test_examples_of_trees() -> None:
    weights = {"a": 2.0, "b": 1.0, "c": 1.0}
    scores: dict[str, float | None] = {"a": 1.0, "b": 0.0, "c": 0.5}
    results: dict[str, bool | None] = {"a": True, "b": False, "c": False}
    both = AllOf(conditions=[leaf("a"), AnyOf(conditions=[leaf("b"), leaf("c")])])
    assert granular_score(both, results, scores, weights) == pytest.approx((2 * 1 + 2 * 0.5) / 4)
    assert granular_score(AtLeastN(n=2, conditions=[leaf("a"), leaf("b"), leaf("c")]), results, scores, weights) == 0.75
    assert granular_score(AnyOf(), results, scores, weights) == 0
    assert granular_score(AllOf(), results, scores, weights) == 1
    assert granular_score(AtLeastN(n=0), results, scores, weights) == 1


def test_a_field_that_there_is_not_is_an_error() -> None:
    with pytest.raises(LookupFailedError, match="'z'"):
        granular_score(leaf("z"), {"a": True}, {"a": 1.0}, {"a": 1.0})

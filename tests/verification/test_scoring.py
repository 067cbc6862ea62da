"""Verdicts and scores where some results are not known, against trying all possibilities."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from checkpoint_ld import FieldResult
from checkpoint_ld.entities.template_spec import AllOf, AnyOf, AtLeastN, FieldCheck, StrategyNode, evaluate_strategy
from checkpoint_ld.templates.verification import karenina_score, scores_of, verdict_of

NODES: TypeAdapter[StrategyNode] = TypeAdapter(StrategyNode)
NAMES = ("a", "b", "c")


def composites(children: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    conditions = st.lists(children, max_size=3)
    return st.one_of(
        st.fixed_dictionaries({"type": st.sampled_from(["all_of", "any_of"]), "conditions": conditions}),
        st.fixed_dictionaries({"type": st.just("at_least_n"), "n": st.integers(0, 4), "conditions": conditions}),
    )


TREES = st.none() | st.recursive(
    st.builds(lambda name: {"type": "field_check", "field": name}, st.sampled_from(NAMES)), composites
).map(NODES.validate_python)


def results(*passed: bool | None) -> list[FieldResult]:
    return [
        FieldResult(name, one, None if one is None else float(one), "", weight=index + 1.0)
        for index, (name, one) in enumerate(zip(NAMES, passed, strict=True))
    ]


def possibilities(passed: tuple[bool | None, ...]) -> list[tuple[bool, ...]]:
    return list(product(*([False, True] if one is None else [one] for one in passed)))


@given(TREES, st.tuples(*[st.sampled_from([True, False, None])] * 3))
def test_a_verdict_is_known_if_all_possibilities_agree(
    node: StrategyNode | None, passed: tuple[bool | None, ...]
) -> None:
    verdicts = {
        all(one) if node is None else evaluate_strategy(node, dict(zip(NAMES, one, strict=True)))
        for one in possibilities(passed)
    }
    assert verdict_of(node, results(*passed)) is (verdicts.pop() if len(verdicts) == 1 else None)


@given(TREES, st.tuples(*[st.sampled_from([True, False, None])] * 3))
def test_a_score_is_known_if_all_possibilities_agree(
    node: StrategyNode | None, passed: tuple[bool | None, ...]
) -> None:
    for index, found in enumerate(scores_of(node, results(*passed))):
        scores = {scores_of(node, results(*one))[index] for one in possibilities(passed)}
        assert found == (scores.pop() if len(scores) == 1 else None)


WEIGHTS = {"a": 1.0, "b": 2.0, "c": 3.0}
SCORES = {"a": 1.0, "b": 1.0, "c": 0.0}


@pytest.mark.parametrize(
    ("node", "score"),
    [
        (None, 0.5),
        (AllOf(), 0.5),
        (FieldCheck(field="c"), 0.5),
        (AnyOf(), 1 / 3),
        (AtLeastN(n=2), 0.5),
        (AtLeastN(n=1), 1 / 3),
        (AtLeastN(n=0), 0.0),
    ],
)
def test_the_score_of_karenina_looks_at_the_root_only(node: StrategyNode | None, score: float) -> None:
    assert karenina_score(node, SCORES, WEIGHTS) == pytest.approx(score)


def test_the_score_of_karenina_is_not_bounded() -> None:
    assert karenina_score(None, SCORES, {"a": 2.0, "b": 0.0, "c": -1.0}) == 2.0
    assert karenina_score(None, SCORES, {"a": 0.0}) == 0.0
    assert karenina_score(AnyOf(), {}, {}) == 0.0

"""Verdicts and scores where some results are not known, against trying all possibilities."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld import FieldResult
from checkpoint_ld.entities.template_spec import (
    AllOf,
    AnyOf,
    AtLeastN,
    FieldCheck,
    StrategyNode,
    VerifyStrategySpec,
    evaluate_strategy,
)
from checkpoint_ld.templates.verification import decided, karenina_score
from tests.templates.specs import strategies

NAMES = ("a", "b", "c")


TREES = st.none() | strategies(NAMES).map(VerifyStrategySpec.node)


def results(*passed: bool | None) -> list[FieldResult]:
    return [
        FieldResult(name, one, None if one is None else float(one), "", weight=index + 1.0)
        for index, (name, one) in enumerate(zip(NAMES, passed, strict=True))
    ]


@given(TREES, st.tuples(*[st.sampled_from([True, False, None])] * 3))
def test_a_verdict_and_scores_are_known_if_all_possibilities_agree(
    node: StrategyNode | None, passed: tuple[bool | None, ...]
) -> None:
    possible = list(product(*([False, True] if one is None else [one] for one in passed)))
    verdicts = {
        all(one) if node is None else evaluate_strategy(node, dict(zip(NAMES, one, strict=True))) for one in possible
    }
    verdict, *scores_found = decided(node, results(*passed))
    assert verdict is (verdicts.pop() if len(verdicts) == 1 else None)
    for index, found in enumerate(scores_found, start=1):
        scores = {decided(node, results(*one))[index] for one in possible}
        assert found == (scores.pop() if len(scores) == 1 else None)


WEIGHTS = {"a": 1.0, "b": 2.0, "c": 3.0}


@pytest.mark.parametrize(
    ("node", "weights", "score"),
    [
        (None, WEIGHTS, 0.5),
        (AllOf(), WEIGHTS, 0.5),
        (FieldCheck(field="c"), WEIGHTS, 0.5),
        (AnyOf(), WEIGHTS, 1 / 3),
        (AtLeastN(n=2), WEIGHTS, 0.5),
        (AtLeastN(n=1), WEIGHTS, 1 / 3),
        (AtLeastN(n=0), WEIGHTS, 0.0),
        (None, {"a": 2.0, "b": 0.0, "c": -1.0}, 2.0),
        (None, {"a": 0.0}, 0.0),
    ],
)
def test_the_score_of_karenina_looks_at_the_root_only_and_is_not_bounded(
    node: StrategyNode | None, weights: dict[str, float], score: float
) -> None:
    assert karenina_score(node, {"a": 1.0, "b": 1.0, "c": 0.0}, weights) == pytest.approx(score)
    assert karenina_score(AnyOf(), {}, {}) == 0.0

"""Trees that say which fields have to pass: building, evaluating, limits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from checkpoint_ld.entities.template_spec import (
    DEEPEST,
    AllOf,
    AnyOf,
    AtLeastN,
    FieldCheck,
    StrategyNode,
    evaluate_composition,
    evaluate_strategy,
)
from checkpoint_ld.errors import LookupFailedError

NODES: TypeAdapter[StrategyNode] = TypeAdapter(StrategyNode)
FIELDS = ("a", "b", "c")
RESULTS = st.fixed_dictionaries({name: st.sampled_from([True, False, None]) for name in FIELDS})


def composites(children: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    conditions = st.lists(children, max_size=4)
    return st.one_of(
        st.fixed_dictionaries({"type": st.sampled_from(["all_of", "any_of"]), "conditions": conditions}),
        st.fixed_dictionaries({"type": st.just("at_least_n"), "n": st.integers(0, 5), "conditions": conditions}),
    )


TREES = st.recursive(
    st.builds(lambda name: {"type": "field_check", "field": name}, st.sampled_from(FIELDS)), composites
)


def expected(tree: dict[str, Any], results: dict[str, bool | None]) -> bool:
    """Evaluate by counting: every node asks for a number of passing conditions."""
    if tree["type"] == "field_check":
        return results[tree["field"]] is True
    passing = [expected(child, results) for child in tree["conditions"]].count(True)
    needed = {"all_of": len(tree["conditions"]), "any_of": 1, "at_least_n": tree.get("n", 0)}[tree["type"]]
    return bool(passing >= needed)


def nested(levels: int) -> dict[str, Any]:
    tree: dict[str, Any] = {"type": "field_check", "field": "a"}
    for _ in range(levels - 1):
        tree = {"type": "all_of", "conditions": [tree]}
    return tree


@given(TREES, RESULTS)
def test_a_tree_passes_when_enough_conditions_do(tree: dict[str, Any], results: dict[str, bool | None]) -> None:
    assert evaluate_strategy(NODES.validate_python(tree), results) is expected(tree, results)


@given(TREES)
def test_a_tree_is_written_as_it_was_read(tree: dict[str, Any]) -> None:
    node = NODES.validate_python(tree)
    assert node.model_dump() == tree
    assert next(iter(node.model_dump())) == "type"
    assert NODES.validate_json(node.model_dump_json()) == node


def test_observed_results_are_met(corpus: Path) -> None:
    rows = json.loads((corpus / "tables/composition.json").read_text(encoding="utf-8"))
    for tree, results, outcome, *mark in rows:
        node = NODES.validate_python(tree)
        if mark or isinstance(outcome, dict):
            with pytest.raises(LookupFailedError):
                evaluate_strategy(node, results)
        else:
            assert evaluate_strategy(node, results) is outcome, tree


@pytest.mark.parametrize(
    ("node", "passes"), [(AllOf(), True), (AnyOf(), False), (AtLeastN(n=0), True), (AtLeastN(n=1), False)]
)
def test_trees_without_conditions(node: StrategyNode, passes: bool) -> None:
    assert evaluate_strategy(node, {}) is passes


@pytest.mark.parametrize(("result", "passes"), [(True, True), (False, False), (None, False)])
def test_null_does_not_pass(result: bool | None, passes: bool) -> None:
    assert evaluate_strategy(FieldCheck(field="a"), {"a": result}) is passes


def test_more_than_there_are_conditions_never_pass() -> None:
    assert not evaluate_strategy(AtLeastN(n=2, conditions=[FieldCheck(field="a")]), {"a": True})


def test_a_field_without_a_result_is_told_even_where_it_decides_nothing() -> None:
    decided = AnyOf(conditions=[FieldCheck(field="a"), AllOf(conditions=[FieldCheck(field=name) for name in "xyx"])])
    with pytest.raises(LookupFailedError, match="without a result: 'x', 'y'; there are 'a', 'b'"):
        evaluate_strategy(decided, {"a": True, "b": None})
    with pytest.raises(LookupFailedError, match="there are none"):
        evaluate_strategy(FieldCheck(field="a"), {})


@pytest.mark.parametrize(
    "tree",
    [
        {"type": "none_of", "conditions": []},
        {"type": "all_of", "conditions": [{"field": "a"}]},
        {"type": "all_of", "conditions": [{"type": "none_of"}]},
        {"type": "at_least_n", "conditions": []},
        {"type": "at_least_n", "n": -1, "conditions": []},
        {"type": "field_check"},
        {"type": "field_check", "field": None},
    ],
)
def test_what_is_no_tree_is_refused(tree: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        NODES.validate_python(tree)


def test_the_type_of_the_root_is_known_and_unknown_members_are_dropped() -> None:
    node = AtLeastN.model_validate({"n": 1, "conditions": [{"type": "field_check", "field": "a", "x": 1}], "y": 2})
    assert node == AtLeastN(n=1, conditions=[FieldCheck(field="a")])
    assert "x" not in node.model_dump_json()


def test_an_edit_is_checked() -> None:
    node = AtLeastN(n=1)
    with pytest.raises(ValidationError):
        node.n = -1
    assert node.n == 1


def test_trees_have_a_limited_depth() -> None:
    assert evaluate_strategy(NODES.validate_python(nested(DEEPEST)), {"a": True})
    for levels in (DEEPEST + 1, 5 * DEEPEST):
        with pytest.raises(ValidationError):
            NODES.validate_python(nested(levels))
    with pytest.raises(ValidationError, match="more than 100 levels"):
        AllOf(conditions=[NODES.validate_python(nested(DEEPEST))])


def test_a_tree_that_holds_itself_is_no_endless_matter() -> None:
    node = AnyOf()
    node.conditions.extend([node, node])
    with pytest.raises(ValueError, match="levels"):
        evaluate_strategy(node, {})
    with pytest.raises(ValueError, match="levels"):
        evaluate_composition(node, bool)


@given(TREES, RESULTS)
def test_leaves_may_be_judged_by_anybody(tree: dict[str, Any], results: dict[str, bool | None]) -> None:
    node = NODES.validate_python(tree)
    assert evaluate_composition(node, lambda leaf: not results[leaf.field]) is expected(
        tree, {name: not result for name, result in results.items()}
    )


def test_nobody_is_asked_once_it_is_decided_but_for_a_count() -> None:
    asked: list[str] = []

    def judge(leaf: FieldCheck) -> bool:
        asked.append(leaf.field)
        return leaf.field == "yes"

    yes, no = FieldCheck(field="yes"), FieldCheck(field="no")
    for node, order in [
        (AnyOf(conditions=[no, yes, no]), ["no", "yes"]),
        (AllOf(conditions=[yes, no, yes]), ["yes", "no"]),
        (AtLeastN(n=1, conditions=[yes, no]), ["yes", "no"]),
    ]:
        asked.clear()
        evaluate_composition(node, judge)
        assert asked == order


def test_what_is_no_node_is_a_leaf() -> None:
    assert evaluate_composition("anything", lambda leaf: leaf == "anything")

"""Trees that say which fields have to pass: building, evaluating, limits, and how right an answer is by them."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError
from tests.templates.specs import strategies

from checkpoint_ld.entities import LENIENT, OutcomeCriterion, Question, Scenario, ScenarioEdge, ScenarioNode
from checkpoint_ld.entities.template_spec import (
    DEEPEST,
    AllOf,
    AnyOf,
    AtLeastN,
    FieldCheck,
    StrategyNode,
    VerifyStrategySpec,
    evaluate_composition,
    evaluate_strategy,
    granular_score,
)
from checkpoint_ld.errors import LookupFailedError

NODES: TypeAdapter[StrategyNode] = TypeAdapter(StrategyNode)
FIELDS = ("a", "b", "c", "d")
TREES = strategies(FIELDS[:3]).map(VerifyStrategySpec.node)
RESULTS = st.fixed_dictionaries({name: st.sampled_from([True, False, None]) for name in FIELDS})
FLAGS = st.fixed_dictionaries({name: st.booleans() for name in FIELDS})
CREDIT = st.fixed_dictionaries({name: st.sampled_from([0.0, 0.25, 1.0]) | st.floats(0, 1) for name in FIELDS})
WEIGHTS = st.fixed_dictionaries({name: st.sampled_from([1.0, 2.0, 0.5]) | st.floats() for name in FIELDS})
A, B, C = (FieldCheck(field=name) for name in "abc")


def passes(node: StrategyNode, results: dict[str, bool | None]) -> bool:
    """Evaluate by counting: every node requests a number of passing conditions."""
    if isinstance(node, FieldCheck):
        return results[node.field] is True
    needed = {"all_of": len(node.conditions), "any_of": 1, "at_least_n": getattr(node, "n", 0)}[node.type]
    return [passes(child, results) for child in node.conditions].count(True) >= needed


def nested(levels: int) -> dict[str, Any]:
    tree: dict[str, Any] = {"type": "field_check", "field": "a"}
    for _ in range(levels - 1):
        tree = {"type": "all_of", "conditions": [tree]}
    return tree


@given(TREES, RESULTS)
def test_a_tree_passes_when_enough_conditions_do(node: StrategyNode, results: dict[str, bool | None]) -> None:
    assert evaluate_strategy(node, results) is passes(node, results)
    inverted: dict[str, bool | None] = {name: not result for name, result in results.items()}
    assert evaluate_composition(node, lambda leaf: not results[leaf.field]) is passes(node, inverted)


@given(TREES)
def test_a_tree_is_read_as_it_was_written(node: StrategyNode) -> None:
    assert NODES.validate_python(node.model_dump()) == node == NODES.validate_json(node.model_dump_json())


def test_a_tree_is_written_as_it_was_read() -> None:
    any_of = {"type": "any_of", "conditions": [{"type": "field_check", "field": "a"}]}
    tree = {"type": "at_least_n", "n": 1, "conditions": [any_of, {"type": "all_of", "conditions": []}]}
    written = NODES.validate_python(tree).model_dump()
    assert (written, next(iter(written))) == (tree, "type")


def test_observed_results_are_met(corpus: Path) -> None:
    for tree, results, outcome, *mark in json.loads((corpus / "tables/composition.json").read_text(encoding="utf-8")):
        node = NODES.validate_python(tree)
        if mark or isinstance(outcome, dict):
            with pytest.raises(LookupFailedError):
                evaluate_strategy(node, results)
        else:
            assert evaluate_strategy(node, results) is outcome, tree


@pytest.mark.parametrize(
    ("node", "results", "passed"),
    [
        (AllOf(), {}, True),
        (AnyOf(), {}, False),
        (AtLeastN(n=0), {}, True),
        (AtLeastN(n=1), {}, False),
        (AtLeastN(n=2, conditions=[A]), {"a": True}, False),
        (A, {"a": True}, True),
        (A, {"a": None}, False),
    ],
)
def test_trees_without_enough_conditions_and_fields_without_a_result(node: Any, results: Any, passed: bool) -> None:
    assert evaluate_strategy(node, results) is passed


def test_a_field_without_a_result_is_reported_even_where_it_decides_nothing() -> None:
    decided = AnyOf(conditions=[A, AllOf(conditions=[FieldCheck(field=name) for name in "xyx"])])
    with pytest.raises(LookupFailedError, match="without a result: 'x', 'y'; there are 'a', 'b'"):
        evaluate_strategy(decided, {"a": True, "b": None})
    with pytest.raises(LookupFailedError, match="there are none"):
        evaluate_strategy(A, {})
    with pytest.raises(LookupFailedError, match="'c'"):
        granular_score(C, {"a": True}, {"a": 1.0}, {"a": 1.0})


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
        nested(DEEPEST + 1),
        nested(5 * DEEPEST),
    ],
)
def test_what_is_no_tree_is_refused(tree: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        NODES.validate_python(tree)


def test_the_type_of_the_root_is_known_and_unknown_members_are_dropped() -> None:
    node = AtLeastN.model_validate({"n": 1, "conditions": [{"type": "field_check", "field": "a", "x": 1}], "y": 2})
    assert node == AtLeastN(n=1, conditions=[A])
    assert "x" not in node.model_dump_json()


def test_an_edit_is_checked() -> None:
    node = AtLeastN(n=1)
    with pytest.raises(ValidationError):
        node.n = -1
    assert node.n == 1


def test_trees_have_a_limited_depth() -> None:
    deepest = NODES.validate_python(nested(DEEPEST))
    assert evaluate_strategy(deepest, {"a": True})
    with pytest.raises(ValidationError, match="more than 100 levels"):
        AllOf(conditions=[deepest])


def test_a_tree_that_holds_itself_is_no_endless_matter() -> None:
    node = AnyOf()
    node.conditions.extend([node, node])
    with pytest.raises(ValueError, match="levels"):
        evaluate_strategy(node, {})
    with pytest.raises(ValueError, match="levels"):
        evaluate_composition(node, bool)


@pytest.mark.parametrize(
    ("node", "order"),
    [
        (AnyOf(conditions=[B, A, B]), "ba"),
        (AllOf(conditions=[A, B, A]), "ab"),
        (AtLeastN(n=1, conditions=[A, B]), "ab"),
    ],
)
def test_nobody_is_queried_once_it_is_decided_but_for_a_count(node: StrategyNode, order: str) -> None:
    wanted: list[str] = []

    def judge(leaf: FieldCheck) -> bool:
        wanted.append(leaf.field)
        return leaf.field == "a"

    evaluate_composition(node, judge)
    assert wanted == list(order)


def test_what_is_no_node_is_a_leaf() -> None:
    assert evaluate_composition("anything", lambda leaf: leaf == "anything")


# Scores


def leaves(node: StrategyNode) -> set[str]:
    return {node.field} if isinstance(node, FieldCheck) else {name for part in node.conditions for name in leaves(part)}


@given(TREES, FLAGS, CREDIT, WEIGHTS)
def test_scores_are_what_scores_have_to_be(
    tree: StrategyNode, flags: dict[str, bool | None], credit: dict[str, float], weights: dict[str, float]
) -> None:
    score = granular_score(tree, flags, dict(credit), weights)
    is_right = evaluate_strategy(tree, flags)
    assert 0 <= score <= 1
    assert is_right or score < 1
    if not any(credit[name] for name in leaves(tree)) and not is_right:
        assert score == 0
    outside = {"d": 1 - credit["d"]}
    assert granular_score(tree, {**flags, "d": not flags["d"]}, {**credit, **outside}, {**weights, "d": 77.0}) == score
    right: dict[str, bool | None] = dict.fromkeys(FIELDS, True)
    if evaluate_strategy(tree, right):
        assert granular_score(tree, right, dict.fromkeys(FIELDS, 1.0), weights) == 1


@given(st.lists(st.sampled_from(FIELDS), max_size=4), st.integers(0, 5), FLAGS, WEIGHTS)
def test_enough_right_fields_are_worth_all(
    names: list[str], needed: int, flags: dict[str, bool | None], weights: dict[str, float]
) -> None:
    credit: dict[str, float | None] = {name: float(bool(flag)) for name, flag in flags.items()}
    conditions: list[Any] = [FieldCheck(field=name) for name in names]
    for tree in (AnyOf(conditions=conditions), AtLeastN(n=needed, conditions=conditions)):
        assert (granular_score(tree, flags, credit, weights) == 1) is evaluate_strategy(tree, flags)


@pytest.mark.parametrize(
    ("weights", "score"),
    [
        ({"a": 1.0, "b": 2.0, "c": 3.0}, 0.5),
        (dict.fromkeys("abc", 0.0), 0),
        ({"a": 1.0, "b": -5.0, "c": math.nan}, 1),
        (dict.fromkeys("abc", math.inf), 2 / 3),
    ],
)
def test_without_a_tree_it_is_the_weighted_mean_of_all_fields(weights: dict[str, float], score: float) -> None:
    results: dict[str, bool | None] = {"a": True, "b": True, "c": False}
    assert granular_score(None, results, {"a": 1.0, "b": 1.0, "c": None}, weights) == pytest.approx(score)


@pytest.mark.parametrize(
    ("tree", "score"),
    [
        (AllOf(conditions=[A, AnyOf(conditions=[B, C])]), (2 * 1 + 2 * 0.5) / 4),
        (AtLeastN(n=2, conditions=[A, B, C]), 0.75),
        (AnyOf(), 0),
        (AllOf(), 1),
        (AtLeastN(n=0), 1),
    ],
)
def test_examples_of_trees(tree: StrategyNode, score: float) -> None:
    results: dict[str, bool | None] = {"a": True, "b": False, "c": False}
    weights = {"a": 2.0, "b": 1.0, "c": 1.0}
    assert granular_score(tree, results, {"a": 1.0, "b": 0.0, "c": 0.5}, weights) == pytest.approx(score)


# --- Scenarios as projections of a file's objects.


EXPLODING = "(_ for _ in ()).throw(SystemExit('run'))"


def template(name: str, text: str) -> dict[str, str]:
    return {"@type": "SoftwareSourceCode", "name": name, "text": text, "programmingLanguage": "Python"}


QUESTION_OBJECT: dict[str, Any] = {
    "@type": "Question",
    "text": "Which?",
    "acceptedAnswer": {"@type": "Answer", "text": "this"},
    "hasPart": template("Which? Answer Template", "class Answer: ..."),
}


def document() -> dict[str, Any]:
    return {
        "@type": "karenina:Scenario",
        "name": "retry",
        "description": "",
        "entryNode": "ask",
        "nodes": {
            "ask": {
                "@type": "karenina:ScenarioNode",
                "nodeId": "ask",
                "question": QUESTION_OBJECT,
                "toolFilter": {"remove": [{"server": "web", "tool": None}]},
                "stateUpdateSource": EXPLODING,
                "agentIdentity": "nurse",
                "metadata": {"note": None},
                "colour": "red",
            },
            "again": {"@type": "karenina:ScenarioNode", "nodeId": "again", "question": QUESTION_OBJECT, "metadata": {}},
        },
        "edges": [
            {"source": "ask", "target": "again", "condition": {"type": "state_check", "expected": None}},
            {"source": "ask", "target": "__end__", "conditionSource": EXPLODING, "handover": "transcript_append"},
            {"source": "again", "target": "__end__", "condition": [{"type": "state_check"}]},
        ],
        "outcomeCriteria": [{"name": "short", "description": "", "evaluateSource": EXPLODING}],
        "metadata": {},
        "license": "CC0",
    }


def test_a_scenario_is_written_as_it_was_read_and_source_texts_stay_texts() -> None:
    scenario = Scenario.model_validate(document())
    assert scenario.model_dump(mode="json", by_alias=True, exclude_none=True) == document()
    assert scenario.entry_node == "ask"
    assert scenario.nodes["ask"].state_update_source == EXPLODING
    assert scenario.edges[1].condition_source == EXPLODING
    assert scenario.edges[2].condition == [{"type": "state_check"}]
    assert scenario.outcome_criteria[0].evaluate_source == EXPLODING


def test_a_scenario_can_be_built_by_names() -> None:
    asking = Question(question="Which?", raw_answer="this")
    scenario = Scenario(
        name="one",
        entry_node="ask",
        nodes={"ask": ScenarioNode.asking("ask", asking)},
        edges=[ScenarioEdge(source="ask", target="__end__")],
        outcome_criteria=[OutcomeCriterion(name="short", evaluate_source="lambda result: True")],
    )
    written = scenario.model_dump(mode="json", by_alias=True, exclude_none=True)
    assert written["@type"] == "karenina:Scenario"
    assert written["outcomeCriteria"] == [{"name": "short", "description": "", "evaluateSource": "lambda result: True"}]
    assert Scenario.model_validate(written) == scenario


@pytest.mark.parametrize("missing", ["name", "entryNode", "nodes", "edges"])
def test_a_scenario_needs_name_entry_nodes_and_edges(missing: str) -> None:
    members = {name: value for name, value in document().items() if name != missing}
    with pytest.raises(ValidationError):
        Scenario.model_validate(members, context=LENIENT)


def test_the_name_of_the_entry_is_not_empty() -> None:
    named = {"entryNode": "", "nodes": {"": document()["nodes"]["ask"]}, "edges": []}
    with pytest.raises(ValidationError, match="entryNode"):  # no file with it can be loaded
        Scenario.model_validate({**document(), **named})


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"entryNode": "nowhere"}, "entry_node 'nowhere'"),
        ({"nodes": {}, "edges": []}, "entry_node 'ask'"),
        ({"edges": [{"source": "nowhere", "target": "__end__"}]}, "source of edge 0 'nowhere'"),
        ({"edges": [{"source": "ask", "target": "again"}, {"source": "ask", "target": "x"}]}, "target of edge 1 'x'"),
    ],
)
def test_ways_to_nowhere_are_refused_from_authors_and_kept_from_files(change: dict[str, Any], named: str) -> None:
    with pytest.raises(ValidationError, match=named):
        Scenario.model_validate({**document(), **change})
    found = Scenario.model_validate({**document(), **change}, context=LENIENT).problems()
    assert [(one.condition, one.subject) for one in found] == [("W-SCENARIO-REF", "retry")]


# The question of a node


def node(**members: Any) -> ScenarioNode:
    return ScenarioNode.model_validate({"nodeId": "ask", "question": QUESTION_OBJECT, **members})


def test_a_node_without_question_data_asks_its_question_object() -> None:
    question = node().question
    assert (question.question, question.raw_answer) == ("Which?", "this")
    assert question.answer_template == "class Answer: ..."
    assert question.date_created == ""
    assert node().question == question


def test_question_data_wins() -> None:
    data = {"question": "Which one?", "raw_answer": "that", "tags": ["t"], "author": None, "id": "0", "new": 1}
    question = node(questionData=data).question
    assert (question.question, question.raw_answer, question.keywords) == ("Which one?", "that", ["t"])


@pytest.mark.parametrize(
    "members",
    [
        {"question": {}},
        {"question": {"text": "Which?"}},
        {"question": {"text": "Which?", "acceptedAnswer": "this"}},
        {"questionData": {"question": "Which?"}},
        {"questionData": {"question": 5, "raw_answer": "this"}},
    ],
)
def test_a_node_without_a_readable_question_is_refused_from_files_too(members: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ScenarioNode.model_validate({"nodeId": "ask", "question": QUESTION_OBJECT, **members}, context=LENIENT)


def test_a_new_node_holds_the_whole_question() -> None:
    question = Question(question="Which?", raw_answer="this", keywords=["k"], answer_template="class Answer: ...")
    made = ScenarioNode.asking("ask", question)
    assert ScenarioNode.model_validate({"node_id": "ask", "question": question}) == made
    assert made.question == question
    assert made.question_object == QUESTION_OBJECT


def test_replacing_the_question_of_a_node_keeps_what_else_its_object_holds() -> None:
    changed = node(question={**QUESTION_OBJECT, "license": "CC0"})
    changed.question = Question(question="W" * 41, raw_answer="that")
    assert changed.question.raw_answer == "that"
    assert changed.question_object == {
        "@type": "Question",
        "text": "W" * 41,
        "acceptedAnswer": {"@type": "Answer", "text": "that"},
        "hasPart": template("W" * 40 + "... Answer Template", ""),
        "license": "CC0",
    }


@pytest.mark.parametrize(("length", "end"), [(40, " Answer Template"), (41, "... Answer Template")])
def test_the_template_of_a_node_is_named_by_the_start_of_a_long_question(length: int, end: str) -> None:
    made = ScenarioNode.asking("ask", Question(question="W" * length, raw_answer="this"))
    assert made.model_dump(by_alias=True)["question"]["hasPart"]["name"] == "W" * 40 + end


def test_real_scenarios_are_written_as_they_were_read(corpus: Path) -> None:
    seen = 0
    for file in sorted((corpus / "datafeed-ns-v3").glob("gen-scenario-*.jsonld")):
        for members in json.loads(file.read_text(encoding="utf-8"))["hasPart"]:
            scenario = Scenario.model_validate(members, context=LENIENT)
            written = scenario.model_dump(mode="json", by_alias=True, exclude_none=True)
            assert json.dumps(written) == json.dumps(members)
            assert scenario.problems() == ()
            seen += 1
    assert seen > 0

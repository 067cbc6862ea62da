"""Scenarios as projections of a file's objects."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from checkpoint_ld.entities import LENIENT, OutcomeCriterion, Question, Scenario, ScenarioEdge, ScenarioNode

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

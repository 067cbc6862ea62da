"""What is checked about scenarios."""

from __future__ import annotations

import json
import os

import pytest

from checkpoint_ld.checks import check
from tests.checks import Json, found
from tests.documents import scenario

PART = "/hasPart/0"
CODES = [
    ("W-CODE", f"{PART}/nodes/start here/stateUpdateSource"),
    ("W-CODE", f"{PART}/edges/1/conditionSource"),
]
"""What the sample scenario shows by itself: two places with Python text."""


def changed(*path: str | int, to: Json) -> Json:
    """Return the sample scenario with the value at `path` replaced; None takes it away."""
    tree = json.loads(json.dumps(scenario()))  # the sample shares one question among its nodes
    holder = tree["hasPart"][0]
    for step in path[:-1]:
        holder = holder[step]
    if to is None:
        del holder[path[-1]]
    else:
        holder[path[-1]] = to
    return tree


def test_python_text_is_reported_where_it_stands_and_nothing_else() -> None:
    assert found(scenario()) == CODES


@pytest.mark.parametrize(
    ("path", "to", "finding"),
    [
        (("name",), None, ("E-SCENARIO", "/name")),
        (("name",), "", ("E-SCENARIO", "/name")),
        (("entryNode",), None, ("E-SCENARIO", "/entryNode")),
        (("entryNode",), 5, ("E-SCENARIO", "/entryNode")),
        (("entryNode",), "nowhere", ("W-SCENARIO-REF", "/entryNode")),
        (("nodes", "again"), 5, ("E-SCENARIO", "/nodes/again")),
        (("nodes", "again", "question"), None, ("E-SCENARIO", "/nodes/again/question")),
        (("nodes", "again", "question", "text"), "", ("E-TEXT", "/nodes/again/question/text")),
        (("nodes", "again", "question", "acceptedAnswer"), None, ("E-ANSWER", "/nodes/again/question/acceptedAnswer")),
        (("nodes", "again", "nodeId"), None, ("W-VALUE", "/nodes/again/nodeId")),
        (("nodes", "again", "nodeId"), "other", ("W-VALUE", "/nodes/again/nodeId")),
        (("nodes", "again", "stateUpdateSource"), 5, ("W-VALUE", "/nodes/again/stateUpdateSource")),
        (("edges", 0, "target"), "nowhere", ("W-SCENARIO-REF", "/edges/0/target")),
        (("edges", 0, "source"), "__end__", ("W-SCENARIO-REF", "/edges/0/source")),
        (("edges", 0, "source"), None, ("E-SCENARIO", "/edges/0/source")),
        (("edges", 0), "start here", ("E-SCENARIO", "/edges/0")),
        (("outcomeCriteria", 0), 5, ("E-SCENARIO", "/outcomeCriteria/0")),
        (("outcomeCriteria", 0, "evaluateSource"), "lambda r: 1", ("W-CODE", "/outcomeCriteria/0/evaluateSource")),
    ],
)
def test_a_fault_is_reported_at_its_place(path: tuple[str | int, ...], to: Json, finding: tuple[str, str]) -> None:
    code, pointer = finding

    assert set(found(changed(*path, to=to))) - set(CODES) == {(code, PART + pointer)}


@pytest.mark.parametrize("member", ["nodes", "edges"])
def test_a_scenario_without_nodes_or_edges_is_refused(member: str) -> None:
    assert ("E-SCENARIO", f"{PART}/{member}") in found(changed(member, to=None))


def test_a_scenario_without_any_node_cannot_be_entered() -> None:
    empty = {**scenario(), "hasPart": [{"@type": "karenina:Scenario", "name": "bad", "nodes": {}, "edges": []}]}

    assert found(empty) == [("E-SCENARIO", f"{PART}/entryNode"), ("W-SCENARIO-REF", f"{PART}/entryNode")]


@pytest.mark.parametrize("kind", ["karenina:Scenario", "urn:karenina:vocab:Scenario", "Scenario", None])
def test_every_spelling_of_the_type_is_a_scenario(kind: str | None) -> None:
    assert found(changed("@type", to=kind)) == CODES


@pytest.mark.parametrize("part", [{"@type": "CreativeWork", "name": "x"}, {"name": "x"}, "x", 5])
def test_another_part_is_kept_with_a_warning(part: Json) -> None:
    assert found({**scenario(), "hasPart": [part]}) == [
        ("W-PART", PART),
    ]


def test_code_in_a_scenario_is_never_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CHECKPOINT_LD_WAS_RUN", raising=False)
    code = "__import__('os').environ.__setitem__('CHECKPOINT_LD_WAS_RUN', '1')"

    assert ("W-CODE", f"{PART}/edges/0/conditionSource") in found(changed("edges", 0, "conditionSource", to=code))
    assert "CHECKPOINT_LD_WAS_RUN" not in os.environ


def test_node_ids_with_slashes_and_tildes_are_escaped_in_pointers() -> None:
    tree = changed("nodes", "a/b~c", to={"nodeId": "a/b~c", "question": 5})

    assert ("E-SCENARIO", f"{PART}/nodes/a~1b~0c/question") in found(tree)


def test_a_finding_names_scenario_and_node() -> None:
    findings = check(changed("nodes", "again", "question", "text", to=""))

    assert 'scenario "retry", node "again"' in {finding.subject for finding in findings}

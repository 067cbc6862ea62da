"""Rules about scenarios, beyond one example each: one fault is one finding, and what is fine is none."""

import pytest

from tests.rules import broken
from tests.rules.broken import Json, added, removed, replaced

SCENARIO = "/hasPart/0"
NODES, EDGES, CRITERION = f"{SCENARIO}/nodes", f"{SCENARIO}/edges", f"{SCENARIO}/outcomeCriteria/0"
ASK, AGAIN = f"{NODES}/ask", f"{NODES}/again"
DATA = f"{ASK}/questionData"
CONDITION = f"{EDGES}/0/condition"


def located(*operations: Json) -> list[tuple[str, str | None]]:
    """Return the rules that are broken, in words, and where."""
    return [(one.rule, one.place.pointer) for one in broken.findings(*operations, start="interview")]


def message(*operations: Json) -> str:
    [found] = broken.findings(*operations, start="interview")
    return found.message


@pytest.mark.parametrize(
    ("operation", "rule", "pointer"),
    [
        (replaced(f"{SCENARIO}/name", None), "scenario-name", f"{SCENARIO}/name"),
        (replaced(f"{SCENARIO}/name", 5), "scenario-name", f"{SCENARIO}/name"),
        (replaced(f"{SCENARIO}/entryNode", ""), "scenario-entry", f"{SCENARIO}/entryNode"),
        (replaced(f"{SCENARIO}/entryNode", 5), "scenario-entry", f"{SCENARIO}/entryNode"),
        (replaced(f"{SCENARIO}/entryNode", "__end__"), "scenario-entry-node", f"{SCENARIO}/entryNode"),
        (removed(NODES), "scenario-members", NODES),
        (replaced(NODES, None), "scenario-members", NODES),
        (replaced(EDGES, None), "scenario-members", EDGES),
        (replaced(NODES, {}), "scenario-without-nodes", NODES),
        (added(f"{NODES}/third", 5), "node-object", f"{NODES}/third"),
        (removed(f"{ASK}/question"), "node-question", f"{ASK}/question"),
        (replaced(f"{ASK}/question", None), "node-question", f"{ASK}/question"),
        (replaced(DATA, "Which metal?"), "node-question-data", DATA),
        (replaced(f"{DATA}/raw_answer", ""), "node-question-data", DATA),
        (removed(f"{DATA}/question"), "node-question-data", DATA),
        (added(f"{EDGES}/-", 5), "edge-object", f"{EDGES}/2"),
        (replaced(f"{EDGES}/1/source", None), "edge-source", f"{EDGES}/1/source"),
        (replaced(f"{EDGES}/1/target", 5), "edge-target", f"{EDGES}/1/target"),
        (replaced(f"{EDGES}/1/source", "__end__"), "edge-source-node", f"{EDGES}/1/source"),
        (replaced(f"{EDGES}/0/handover", 5), "edge-handover", f"{EDGES}/0/handover"),
        (replaced(CONDITION, "turn > 2"), "edge-condition", CONDITION),
        (replaced(CONDITION, [{"field": "turn", "expected": 2}, 5]), "edge-condition", CONDITION),
        (replaced(f"{CONDITION}/type", "TurnCheck"), "edge-condition", CONDITION),
        (removed(f"{CONDITION}/expected"), "edge-condition", CONDITION),
        (added(f"{EDGES}/0/conditionSource", 5), "edge-code-text", f"{EDGES}/0/conditionSource"),
        (replaced(f"{CRITERION}/name", 5), "criterion-name", f"{CRITERION}/name"),
        (added(f"{SCENARIO}/outcomeCriteria/-", 5), "criterion-object", f"{SCENARIO}/outcomeCriteria/1"),
        (added(f"{CRITERION}/evaluateSource", {"code": "x"}), "criterion-code-text", f"{CRITERION}/evaluateSource"),
    ],
)
def test_a_fault_is_one_finding_at_its_place(operation: Json, rule: str, pointer: str) -> None:
    assert located(operation) == [(rule, pointer)]


@pytest.mark.parametrize(
    ("operation", "rule", "pointer"),
    [
        (replaced(f"{EDGES}/0/source", "aks"), "edge-source-node", f"{EDGES}/0/source"),
        (replaced(f"{EDGES}/0/target", "agian"), "edge-target-node", f"{EDGES}/0/target"),
        (removed(f"{EDGES}/0/source"), "edge-source", f"{EDGES}/0/source"),
        (replaced(f"{EDGES}/0/target", 5), "edge-target", f"{EDGES}/0/target"),
        (replaced(f"{EDGES}/0", "ask -> again"), "edge-object", f"{EDGES}/0"),
        (removed(EDGES), "scenario-members", EDGES),
    ],
)
def test_an_edge_that_leads_astray_does_not_make_nodes_unreachable_as_well(
    operation: Json, rule: str, pointer: str
) -> None:
    assert located(operation) == [(rule, pointer)]


@pytest.mark.parametrize(
    "operation",
    [
        added(f"{ASK}/stateUpdateSource", ""),
        added(f"{EDGES}/-", {"source": "again", "target": "ask"}),
        replaced(CONDITION, [{"field": "turn", "expected": None, "verify_with": {"type": "NumericExact"}}]),
        removed(f"{EDGES}/0/handover"),
        replaced(f"{EDGES}/0/handover", "transcript_prepend"),
        added(f"{DATA}/tags", ["metals"]),
        removed(f"{SCENARIO}/outcomeCriteria"),
    ],
    ids=lambda operation: operation["path"],
)
def test_what_a_scenario_may_hold_or_do_without_is_not_reported(operation: Json) -> None:
    assert located(operation) == []


def test_a_member_of_ones_own_in_a_node_is_dropped_by_karenina() -> None:
    assert located(added(f"{AGAIN}/x_note", "ours")) == [("member-unknown", f"{AGAIN}/x_note")]


def test_nodes_that_only_lead_to_each_other_are_both_unreachable() -> None:
    def node(key: str) -> Json:
        return {**AN_ASKING_NODE, "nodeId": key}

    operations = [added(f"{NODES}/{key}", node(key)) for key in ("left", "right")]
    round_trip = [
        added(f"{EDGES}/-", {"source": one, "target": other}) for one, other in (("left", "right"), ("right", "left"))
    ]

    assert located(*operations, *round_trip) == [
        ("node-reachable", f"{NODES}/left"),
        ("node-reachable", f"{NODES}/right"),
    ]
    assert located(*operations, *round_trip, added(f"{EDGES}/-", {"source": "ask", "target": "right"})) == []


AN_ASKING_NODE = {
    "@type": "karenina:ScenarioNode",
    "question": {
        "@type": "Question",
        "text": "Which metal rusts?",
        "acceptedAnswer": {"@type": "Answer", "text": "Iron"},
        "hasPart": {
            "@type": "SoftwareSourceCode",
            "name": "Which metal rusts? Answer Template",
            "text": "class Answer(BaseAnswer):\n    metal: str = VerifiedField(\n        description='The metal',\n"
            "        ground_truth='iron',\n        verify_with=ExactMatch(),\n    )\n",
            "programmingLanguage": "Python",
        },
    },
    "metadata": {},
}


def test_a_node_is_found_by_a_key_with_slashes_and_tildes() -> None:
    node = {**AN_ASKING_NODE, "nodeId": "other"}
    edge = {"source": "ask", "target": "a/b ~c"}

    assert located(added(f"{NODES}/a~1b ~0c", node), added(f"{EDGES}/-", edge)) == [
        ("node-id", f"{NODES}/a~1b ~0c/nodeId")
    ]


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        (added(f"{DATA}/keyword", ["metals"]), 'Karenina knows no member "keyword"; did you mean keywords?'),
        (removed(f"{CONDITION}/field"), "its field is missing"),
        (replaced(f"{EDGES}/1/target", "end"), 'the target "end" is no node of the scenario'),
        (replaced(f"{ASK}/nodeId", "start"), 'nodeId is "start"; the key "ask" counts'),
    ],
)
def test_a_message_states_what_is_wrong(operation: Json, expected: str) -> None:
    assert expected in message(operation)


def test_python_text_is_reported_wherever_karenina_would_run_it() -> None:
    places = {
        f"{ASK}/stateUpdateSource": "node-code",
        f"{EDGES}/1/conditionSource": "edge-code",
        f"{CRITERION}/evaluateSource": "criterion-code",
    }

    assert located(*(added(place, "lambda state: state") for place in places)) == [
        (rule, place) for place, rule in places.items()
    ]


def test_outcome_criteria_of_one_name_hide_each_other_only_within_a_scenario() -> None:
    criterion = {"name": "right in the end", "description": "", "check": {"type": "CountTurns"}}
    twin = {"name": "another", "entryNode": "ask", "nodes": {"ask": {**AN_ASKING_NODE, "nodeId": "ask"}}}
    other = {"@type": "karenina:Scenario", **twin, "edges": [], "outcomeCriteria": [criterion], "metadata": {}}

    assert located(added("/hasPart/-", other)) == []
    assert located(added(f"{SCENARIO}/outcomeCriteria/-", criterion)) == [
        ("criterion-name-duplicate", f"{SCENARIO}/outcomeCriteria/1/name")
    ]
    assert located(added("/hasPart/-", {**other, "name": "second chance"})) == [
        ("scenario-name-duplicate", "/hasPart/1/name")
    ]

"""Scenarios: conversations of several turns."""

from __future__ import annotations

import pytest

from checkpoint_ld.errors import ReadError
from checkpoint_ld.mapping.questions import is_scenario, scenario_object, scenario_of
from tests.documents import scenario
from tests.mapping import Json, through_a_graph


def part(**members: Json) -> Json:
    return scenario()["hasPart"][0] | members


def test_a_scenario_comes_back_from_a_graph_as_it_was() -> None:
    document = scenario()
    (read,) = through_a_graph(document).scenarios
    assert scenario_object(read) == document["hasPart"][0]
    assert list(read.nodes) == ["start here", "again"]
    assert read == scenario_of(document["hasPart"][0])


def test_the_key_of_a_node_counts() -> None:
    whole = part()
    whole["nodes"]["again"]["nodeId"] = "other"
    del whole["nodes"]["start here"]["nodeId"]
    assert [node.node_id for node in scenario_of(whole).nodes.values()] == ["start here", "again"]
    assert whole["nodes"]["again"]["nodeId"] == "other"


def test_code_is_text() -> None:
    read = scenario_of(part())
    assert read.nodes["start here"].state_update_source == "lambda state: state"
    assert read.edges[1].condition_source == "lambda s: True"


def test_a_scenario_that_cannot_be_read_is_named() -> None:
    with pytest.raises(ReadError, match=r"scenario 'retry' cannot be read: edges: "):
        scenario_of(part(edges=5))


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        ({"@type": "karenina:Scenario"}, True),
        ({"@type": "Scenario"}, True),
        ({"nodes": {}}, True),
        ({"@type": "CreativeWork", "nodes": {}}, False),
        ({"name": "x"}, False),
        ("x", False),
    ],
)
def test_a_scenario_is_told_by_its_type_or_its_nodes(value: Json, verdict: bool) -> None:
    assert is_scenario(value) is verdict

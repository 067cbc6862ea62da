"""The provenance of agents, as the library `prov` reads it."""

import re
from pathlib import Path

import pytest
from tests.agents import documents

from checkpoint_ld import AgentCheckpoint, RuntimeState
from checkpoint_ld.agents.schema import iri
from checkpoint_ld.checkpointing import CheckpointManager

pytest.importorskip("prov.model", reason="prov is not installed: make .venv/.integrations-group")

from prov.model import (
    ProvActivity,
    ProvAgent,
    ProvAssociation,
    ProvDerivation,
    ProvDocument,
    ProvEntity,
    ProvGeneration,
    ProvRelation,
    ProvUsage,
)

from checkpoint_ld.integrations.prov import prov_document


@pytest.fixture
def run(tmp_path: Path) -> list[AgentCheckpoint]:
    with CheckpointManager(tmp_path) as manager:
        state = RuntimeState("reader")
        first = state.thought_chain.add("planning", "Look it up")
        with state.tool("search", q="gold") as call:
            call.result = "Au"
        manager.save(state)
        state.thought_chain.add("reasoning", "It is Au", parent_id=first.id)
        manager.save(state)
        return [manager.get(one.id) for one in manager.list(order="oldest")]


def test_a_run_is_read_by_prov_and_comes_back_from_its_json(run: list[AgentCheckpoint]) -> None:
    document = prov_document(run)
    kinds = [type(one) for one in document.get_records()]
    assert kinds.count(ProvAgent) == 1
    assert kinds.count(ProvActivity) == 2  # the execution and the call
    assert kinds.count(ProvEntity) == 6  # checkpoints and thoughts, the arguments and the result
    assert kinds.count(ProvDerivation) == 3  # of the second checkpoint, of the second thought twice
    assert kinds.count(ProvUsage) == 2  # of the arguments and the first thought, by the call
    assert kinds.count(ProvGeneration) == 5  # of checkpoints, thoughts, the result
    assert ProvAssociation in kinds
    again = ProvDocument.deserialize(content=document.serialize(format="json"), format="json")
    assert again == document
    provn = document.get_provn()
    declared = set(re.findall(r"prefix ([\w-]+) ", provn))
    assert declared == {"execution", "vocab", "agent", "checkpoint", "thought", "tool-call", "arguments", "result"}
    assert all(re.search(rf"[(,' ]{prefix}:", provn) for prefix in declared)
    assert re.search(r'entity\(result:\S+, \[prov:value="\\"Au\\""\]\)', provn)


@pytest.mark.parametrize(
    "unusual", ["t 1", "1st", "ü#/x", "漢", "a:b", "50%", "[x]", "a<b", "https://example.org/a?b=c#d"]
)
def test_whatever_its_parts_are_called_it_is_valid(unusual: str) -> None:
    made = documents.checkpoint(
        [documents.thought(unusual)], [documents.call(unusual)], {}, id=unusual, agent_id=unusual, execution_id=unusual
    )
    document = prov_document(AgentCheckpoint.of_tree(made))
    found = {one.identifier.uri for one in document.get_records(ProvEntity)}
    assert {iri("checkpoint", unusual), iri("thought", unusual)} <= found
    assert ProvDocument.deserialize(content=document.serialize(format="json"), format="json") == document
    # From its own XML, `prov` reads times without their type; names and relations come back.
    again = ProvDocument.deserialize(content=document.serialize(format="xml"), format="xml")
    assert {str(one.identifier) for one in again.get_records()} == {
        str(one.identifier) for one in document.get_records()
    }
    relations = [{one.get_provn() for one in each.get_records(ProvRelation)} for each in (again, document)]
    assert relations[0] == relations[1]


def test_what_a_run_was_about_is_what_it_used(run: list[AgentCheckpoint]) -> None:
    about = run[0].but(about={"question": "urn:uuid:question-1", "benchmark": "urn:uuid:benchmark-1"})
    used = {str(one.args[1].uri) for one in prov_document(about).get_records(ProvUsage)}
    assert used >= {"urn:uuid:question-1", "urn:uuid:benchmark-1"}

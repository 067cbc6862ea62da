"""`AgentCheckpoint`: loaded, made, compared, written."""

from __future__ import annotations

import gzip
import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
import rdflib
from hypothesis import given
from pydantic import ValidationError

from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.agents.values import Thought, bytes_of, sha256_of
from checkpoint_ld.errors import InvalidCheckpoint, ShapeError, TargetExistsError, UnsupportedVersion, WriteError
from tests.agents.documents import MOMENT, Json, call, checkpoint, checkpoints, second, thought


def changed(value: Json, *path: str | int) -> Json:
    """Return a sound checkpoint with another value at one place."""
    tree = checkpoint([thought("t1"), thought("t2", parent_id="t1")], [call("c1"), {"id": "c2", "status": "running"}])
    holder = tree
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    return tree


THOUGHT = ("snapshot", "thought_chain", 0)
CALL = ("snapshot", "tool_state", "calls", 0)


def test_a_file_is_loaded_and_written_again_to_the_byte(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_bytes(bytes_of(checkpoint(name="first", note={"z": 1, "a": None})))
    loaded = AgentCheckpoint.load(path)
    assert loaded.snapshot.thought_chain[0].content == "look first"
    assert loaded.metadata.tokens_used == 10
    assert loaded.dumps() == path.read_text(encoding="utf-8")
    assert loaded.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_second_shape_is_loaded_and_written() -> None:
    loaded = AgentCheckpoint.load(bytes_of(second(), "second"))
    assert [one.success for one in loaded.snapshot.tool_state.calls] == [True, False, None]
    assert loaded.dumps("second") == bytes_of(second(), "second").decode()
    assert loaded.content("second").decode() == loaded.dumps("second")


@pytest.mark.slow
@given(checkpoints)
def test_values_hold_everything_that_the_tree_states(tree: Json) -> None:
    made = AgentCheckpoint.model_validate(tree)
    assert made.dumps() == bytes_of(tree).decode()
    assert made.sha256 == sha256_of(tree)
    assert AgentCheckpoint.model_validate(json.loads(made.dumps())) == made


def test_nulls_are_kept_and_absent_members_stay_absent() -> None:
    tree = checkpoint([thought(confidence=None)], name=None)
    made = AgentCheckpoint.of_tree(tree)
    assert made.tree() == tree
    assert made.name is None
    assert made.description is None
    assert "description" not in made.tree()


def test_a_checkpoint_is_frozen_and_equal_by_content() -> None:
    tree = checkpoint()
    one, other = AgentCheckpoint.of_tree(tree), AgentCheckpoint.of_tree(checkpoint())
    assert one.sha256
    assert one == other
    assert one != AgentCheckpoint.of_tree(checkpoint(name="other"))
    with pytest.raises(ValidationError):
        one.name = "other"
    tree["snapshot"]["thought_chain"][0]["content"] = "edited"  # of the source, which changes nothing
    assert one.snapshot.thought_chain[0].content == "look first"


def test_the_hash_follows_what_is_changed_in_a_new_checkpoint() -> None:
    made = AgentCheckpoint.of_tree(checkpoint())
    named = made.but(name="first")
    assert made.content()
    assert named.sha256 == sha256_of(checkpoint(name="first"))
    assert made.sha256 == sha256_of(checkpoint()) != named.sha256
    assert made.model_copy(update={"name": "first"}).sha256 == named.sha256


BROKEN = [
    (("id",), 5),
    (("timestamp",), True),
    (("snapshot", "thought_chain"), None),
    (THOUGHT, "a text"),
    ((*THOUGHT, "id"), "t2"),
    ((*THOUGHT, "parent_id"), "t1"),
    ((*THOUGHT, "parent_id"), "t2"),
    ((*THOUGHT, "alternatives"), [{"option": "a"}]),
    ((*THOUGHT, "alternatives"), ["a"]),
    ((*THOUGHT, "created_at"), None),
    ((*CALL, "id"), "c2"),
    ((*CALL, "success"), 1),
    ((*CALL, "status"), "failed"),
    ((*CALL, "status"), "running"),
    ((*CALL, "duration_ms"), -1),
    (("snapshot", "progress", "step_number"), 1.0),
    (("snapshot", "context", "memory"), [{"key": "a"}]),
    (("metadata", "agent_id"), "another"),
    (("parent",), {"checkpoint_id": "ckpt_1"}),
    (("about",), {"replicate": 1}),
    (("diff",), {"from_checkpoint_id": "x", "changes": []}),
    (("snapshot", "tool_state", "calls", 1), {"id": "c1", "status": "completed"}),
    (("snapshot", "tool_state", "calls", 1), {"id": "c1", "tool_id": "x", "success": True, "started_at": 1}),
]


@pytest.mark.parametrize(("path", "value"), BROKEN)
def test_what_breaks_rules_is_refused_with_the_report(path: tuple[str | int, ...], value: Json) -> None:
    tree = changed(value, *path)
    for make in (AgentCheckpoint.of_tree, lambda broken: AgentCheckpoint.load(json.dumps(broken).encode())):
        with pytest.raises(InvalidCheckpoint) as refused:
            make(tree)
        assert refused.value.findings
        assert refused.value.report.at_least(refused.value.findings[0].severity)


def test_a_refusal_points_into_the_file() -> None:
    data = second()
    del data["metadata"]["agent_id"]  # which only the second shape demands
    with pytest.raises(InvalidCheckpoint, match="/metadata/agent_id"):
        AgentCheckpoint.load(bytes_of(data, "second"))
    with pytest.raises(InvalidCheckpoint) as refused:
        AgentCheckpoint.load(bytes_of(changed(85, *THOUGHT, "confidence")))
    (found,) = refused.value.findings
    assert (found.place.pointer, found.place.line) == ("/snapshot/thought_chain/0/confidence", 13)
    assert "0.85" in found.remedy


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (MOMENT - 10_000, (*CALL, "completed_at")),
        ("napping", (*CALL, "status")),
        ("musing", (*THOUGHT, "type")),
    ],
)
def test_warnings_refuse_nothing_and_are_reported(value: Json, path: tuple[str | int, ...]) -> None:
    made = AgentCheckpoint.of_tree(changed(value, *path))
    report = made.validate()
    assert report.conforms
    assert "/" + "/".join(map(str, path)) in [found.place.pointer for found in report.findings]
    assert not made.validate("agent-strict").conforms


def test_a_checkpoint_that_was_made_unchecked_is_refused_before_it_is_used() -> None:
    made = AgentCheckpoint.of_tree(checkpoint([thought("t1"), thought("t2")]))
    assert made.refusing() is made
    twice = made.snapshot.thought_chain[:1] * 2
    with pytest.raises(InvalidCheckpoint):
        made.model_copy(update={"snapshot": made.snapshot.model_copy(update={"thought_chain": twice})}).refusing()


@pytest.mark.parametrize("identifier", ["../../etc/passwd", "a/b", "CON", "x\x00", "é" * 900, "_:b0", '<x>"\\'])
def test_unusual_identifiers_come_back_unchanged(identifier: str) -> None:
    made = AgentCheckpoint.of_tree(checkpoint(id=identifier))
    assert AgentCheckpoint.load(made.content()).id == identifier
    assert AgentCheckpoint.load(made.content("second")).id == identifier
    assert AgentCheckpoint.from_graph(made.to_graph()).dumps() == made.dumps()


def test_trees_of_another_shape_or_version_are_refused() -> None:
    with pytest.raises(ShapeError, match="second shape"):
        AgentCheckpoint.of_tree(second())
    with pytest.raises(UnsupportedVersion):
        AgentCheckpoint.of_tree(checkpoint(version="9.0.0"))
    tree = checkpoint()
    tree["snapshot"]["context"]["messages"] = []
    with pytest.raises(ShapeError, match="/snapshot/context/messages"):
        AgentCheckpoint.of_tree(tree)


def test_saving_makes_a_whole_new_file(tmp_path: Path) -> None:
    made = AgentCheckpoint.of_tree(checkpoint())
    path = tmp_path / "one.json"
    made.save(path)
    with pytest.raises(TargetExistsError):
        made.but(name="other").save(path)
    with pytest.raises(WriteError, match="create the folder"):
        made.save(tmp_path / "none" / "one.json")
    with pytest.raises(WriteError, match=r"csv: use one of .json, .jsonld, .nq, .nt, .ttl, .n3, .trig, .rdf"):
        made.save(tmp_path / "one.csv")
    assert {one.name: one.read_bytes() for one in tmp_path.iterdir()} == {"one.json": made.content()}


def test_what_is_no_json_is_not_written(tmp_path: Path) -> None:
    tree = changed({"v": float("nan")}, "snapshot", "context", "variables")
    with pytest.raises(WriteError, match="nan is not a JSON number"):
        AgentCheckpoint.of_tree(tree)
    with pytest.raises(WriteError, match="nan is not a JSON number"):
        AgentCheckpoint.model_validate(tree).save(tmp_path / "one.json")
    assert list(tmp_path.iterdir()) == []


def test_the_graph_and_back() -> None:
    made = AgentCheckpoint.of_tree(checkpoint(about={"question": "urn:q"}))
    assert AgentCheckpoint.from_graph(made.to_graph()).dumps() == made.dumps()
    assert len(made.to_graph(prov=False)) < len(made.to_graph())
    with pytest.raises(ShapeError, match="no agent checkpoint"):
        AgentCheckpoint.from_graph(rdflib.Graph())
    edited = made.to_graph()
    edited.remove((edited.root, rdflib.URIRef("https://schema.org/schemaVersion"), None))
    with pytest.raises(UnsupportedVersion, match="states no version"):
        AgentCheckpoint.from_graph(edited)


def test_values_can_be_made_one_by_one() -> None:
    made = AgentCheckpoint.of_tree(checkpoint())
    more = Thought(id="t9", type="decision", content="done", created_at=MOMENT)
    chain = (*made.snapshot.thought_chain, more)
    longer = made.but(snapshot=made.snapshot.but(thought_chain=chain))
    assert longer.snapshot.thought_chain[0] is made.snapshot.thought_chain[0]
    assert [one["id"] for one in longer.tree()["snapshot"]["thought_chain"]] == ["t1", "t9"]


@pytest.mark.slow
def test_saving_a_checkpoint_does_not_wait_for_the_graph_libraries(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from checkpoint_ld.checkpointing import CheckpointManager\n"
        "from checkpoint_ld import RuntimeState\n"
        "with CheckpointManager(sys.argv[1]) as manager:\n"
        "    manager.save(RuntimeState('agent'))\n"
        "assert 'rdflib' not in sys.modules and 'pyshacl' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "c")], check=True)


STARTS = {
    "": b"{",
    ".json": b"{",
    ".jsonld": b'{"@context"',
    ".ttl": b"@prefix",
    ".n3": b"@prefix",
    ".TTL": b"@prefix",
    ".trig": b"@prefix",
    ".rdf": b"<?xml",
    ".nt": b"<urn:caf:",
    ".nq": b"<urn:caf:",
}


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize("extension", STARTS)
def test_save_goes_by_the_extension(tmp_path: Path, extension: str, packed: str) -> None:
    saved = AgentCheckpoint.of_tree(checkpoint())
    path = tmp_path / f"one{extension}{packed}"
    saved.save(path)
    content = gzip.decompress(path.read_bytes()) if packed else path.read_bytes()
    assert AgentCheckpoint.load(path) == saved
    assert content.replace(b"\n  ", b"").startswith(STARTS[extension])
    assert (content == saved.content()) is (extension in {"", ".json"})

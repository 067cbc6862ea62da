"""`AgentCheckpoint`: loaded, made, compared, written."""

import copy
import gzip
import hashlib
import json
import random
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
import rdflib
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from checkpoint_ld.agents import rules
from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.agents.values import ROOT, bytes_of, ordered, sha256_of
from checkpoint_ld.documents.values import walk
from checkpoint_ld.errors import InvalidCheckpoint, ShapeError, TargetExistsError, UnsupportedVersion, WriteError
from checkpoint_ld.findings import Severity
from checkpoint_ld.validation.results import Report
from tests.agents.documents import MOMENT, Json, call, checkpoint, checkpoints, second, thought


def broken(tree: Json, path: tuple[str | int, ...], value: Json, *, is_absent: bool = False) -> Json:
    """Return a tree with another value at one place, or with none."""
    holder = tree
    for step in path[:-1]:
        holder = holder[step]
    if is_absent:
        del holder[path[-1]]
    else:
        holder[path[-1]] = copy.deepcopy(value)
    return tree


def changed(value: Json, *path: str | int) -> Json:
    """Return a sound checkpoint with another value at one place."""
    calls = [call("c1"), {"id": "c2", "status": "running"}]
    return broken(checkpoint([thought("t1"), thought("t2", parent_id="t1")], calls), path, value)


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


def test_a_refusal_points_into_the_file() -> None:
    data = second()
    del data["metadata"]["agent_id"]  # which only the second shape demands
    with pytest.raises(InvalidCheckpoint, match="/metadata/agent_id"):
        AgentCheckpoint.load(bytes_of(data, "second"))
    with pytest.raises(InvalidCheckpoint) as refused:
        AgentCheckpoint.load(bytes_of(changed(85, *THOUGHT, "confidence")))
    (found,) = refused.value.findings
    assert refused.value.report.at_least(Severity.VIOLATION) == (found,)
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


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (float("nan"), "nan is not a JSON number"),
        ({1}, "set is not a JSON type"),
        ([{"at": datetime(2026, 1, 31, tzinfo=UTC)}], "datetime is not a JSON type"),
    ],
)
def test_what_is_no_json_is_not_written(tmp_path: Path, value: object, words: str) -> None:
    tree = changed({"v": value}, "snapshot", "context", "variables")
    for refused in (tree, changed(value, "metadata", "v")):
        with pytest.raises(WriteError, match=words):
            AgentCheckpoint.of_tree(refused)
    with pytest.raises(WriteError, match=words):
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


# --- The text form: equal data is equal bytes.


def shuffled(value: Json, seed: int, parts: tuple[str, ...] = ()) -> Json:
    """Return a checkpoint with the members of its own objects, and not those of JSON parts, in another order."""
    if isinstance(value, list):
        return [shuffled(one, seed, parts) for one in value]
    if not isinstance(value, dict):
        return value
    known = {
        (): ("snapshot", "metadata", "parent", "about"),
        ("snapshot",): ("thought_chain", "context", "tool_state", "progress"),
        ("snapshot", "tool_state"): ("calls",),
    }
    names = list(value)
    random.Random(seed).shuffle(names)
    inside = known.get(parts, ())
    return {name: shuffled(value[name], seed, (*parts, name)) if name in inside else value[name] for name in names}


def test_known_members_come_in_their_order_then_unknown_ones_by_code_point() -> None:
    tree = checkpoint([{"zeta": 1, "Alpha": 2, "content": "", "type": "x", "ångström": 3, "id": "t", "created_at": 0}])
    names = list(ordered({"note": 1, "Apart": 2, **dict(reversed(tree.items()))}))
    assert names == ["version", "id", "timestamp", "execution_id", "agent_id", "snapshot", "metadata", "Apart", "note"]
    chain = ordered(tree)["snapshot"]["thought_chain"]
    assert list(chain[0]) == ["id", "type", "content", "created_at", "Alpha", "zeta", "ångström"]


def test_json_parts_and_unknown_objects_keep_the_order_that_they_have() -> None:
    tree = checkpoint([thought(metadata={"z": 1, "a": 2})], note={"y": 1, "b": 2})
    tree["snapshot"]["context"]["variables"] = {"z": {"b": 1, "a": 2}, "a": 1}
    tree["snapshot"]["tool_state"]["results"] = {"c2": 1, "c1": 2}
    found = json.loads(bytes_of(tree).decode())
    assert json.dumps(found["snapshot"]["context"]["variables"]) == '{"z": {"b": 1, "a": 2}, "a": 1}'
    assert list(found["snapshot"]["tool_state"]["results"]) == ["c2", "c1"]
    assert list(found["snapshot"]["thought_chain"][0]["metadata"]) == ["z", "a"]
    assert list(found["note"]) == ["y", "b"]


def test_text_is_indented_by_two_not_escaped_and_hashed_in_utf8() -> None:
    text = bytes_of(checkpoint(name="naïve 漢字")).decode()
    assert text.startswith('{\n  "version": "0.0.1",\n  "id": "ckpt_1",\n')
    assert text.endswith('  "name": "naïve 漢字"\n}\n')
    assert '"history": []' in text
    assert '"state": {}' in text
    # sha256sum of the file that holds the text
    tree = {"id": "é", "version": "0.0.1"}
    assert bytes_of(tree).decode() == '{\n  "version": "0.0.1",\n  "id": "é"\n}\n'
    assert sha256_of(tree) == "6ae106d15d886b6cf5e68685d7f48ceb5459ada2fa766c9d305c348ba98d4a7d"
    assert tuple(AgentCheckpoint.model_fields) == ROOT


@pytest.mark.slow
@given(checkpoints, st.integers())
def test_equal_data_is_equal_bytes_and_comes_back(tree: Json, seed: int) -> None:
    text = bytes_of(tree).decode()
    assert bytes_of(shuffled(tree, seed)).decode() == text
    assert bytes_of(json.loads(text)).decode() == text
    assert json.loads(text) == tree


@pytest.mark.parametrize("number", ["1", "1.0", "-0.0", "12345678901234567890123", "1e+21", "0.30000000000000004"])
def test_numbers_keep_their_kind(number: str) -> None:
    assert f'"name": {number}\n' in bytes_of(checkpoint(name=json.loads(number))).decode()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800"])
def test_what_is_no_json_has_no_text(value: Json) -> None:
    tree = checkpoint()
    tree["snapshot"]["context"]["variables"]["v"] = value
    with pytest.raises(WriteError, match="/snapshot/context/variables/v"):
        bytes_of(tree).decode()


def test_second_shape_has_an_order_of_its_own() -> None:
    tree = second()
    assert bytes_of(shuffled(tree, 3), "second").decode() == json.dumps(tree, indent=2, ensure_ascii=False) + "\n"


# --- Checkpoints are loaded if they break no rule; the rules forbid what the types of entities do.


_USUAL = st.sampled_from(
    [None, 5, -1, 85, 1.0, 1.5, True, "", "x", "t1", "c1", "ckpt_1", "completed", "failed", "pending", "x" * 1025]
)
_ODD = _USUAL | st.sampled_from([2**60, 10**15, MOMENT, [], {}, [None], ["a"], [{}], {"a": 1}])


def whole() -> Json:
    """Return a sound checkpoint with all members that there are."""
    more = {"alternatives": [{"option": "a", "reason_rejected": "b", "confidence": 0.5}], "metadata": {}}
    about = {"benchmark": "b", "question": "q", "benchmark_version": "1", "benchmark_sha256": "0" * 64, "replicate": 1}
    tree = checkpoint(
        [thought("t1", confidence=0.5, children=["t2"], reasoning="why", **more), thought("t2", parent_id="t1")],
        [
            call("c1", completed_at=MOMENT - 10, status="completed", duration_ms=5),
            call("c2", success=False, status="cancelled", error="no"),
            {"id": "c3", "status": "running"},
        ],
        parent={"checkpoint_id": "ckpt_0", "is_branch": True, "branch_reason": "try"},
        name="n",
        description="d",
        about=about,
        diff={"from_checkpoint_id": "ckpt_0", "changes": {"/a": {"before": 1}}, "summary": "s"},
    )
    snapshot = tree["snapshot"]
    snapshot["current_step_id"] = "t1"
    snapshot["context"]["memory"] = [{"key": "k", "value": 1, "importance": 0.5, "timestamp": MOMENT}]
    snapshot["tool_state"]["last_tool_call_id"] = "c1"
    snapshot["progress"] |= {"total_steps_estimate": 3, "iterations_completed": 1, "tokens_used": 1, "duration_ms": 2}
    tree["metadata"] |= {"total_steps_estimate": 3, "agent_name": "x", "agent_id": "agent_1"}
    return tree


# Without these there is no agent checkpoint, or none of a version that is known.
_PATHS = [tuple(path) for path, _ in walk(whole()) if path not in ([], ["version"], ["snapshot"], ["execution_id"])]


def test_a_checkpoint_with_all_members_breaks_no_rule() -> None:
    assert AgentCheckpoint.of_tree(whole()).tree() == whole()


@given(st.sampled_from(_PATHS), _ODD, st.booleans())
def test_what_is_loaded_breaks_no_rule_and_what_is_refused_does(
    path: tuple[str | int, ...], value: Json, is_absent: bool
) -> None:
    tree = broken(whole(), path, value, is_absent=is_absent)
    violations = rules.report_on(tree).at_least(Severity.VIOLATION)
    try:
        AgentCheckpoint.model_validate(tree)
    except ValidationError:
        assert violations
    if violations:
        with pytest.raises(InvalidCheckpoint) as refused:
            AgentCheckpoint.of_tree(tree)
        assert refused.value.findings == violations
    else:
        AgentCheckpoint.of_tree(tree)


def test_integers_that_no_float_holds_are_numbers() -> None:
    tree = broken(whole(), ("snapshot", "context", "memory", 0, "importance"), 10**400)
    assert AgentCheckpoint.of_tree(tree).tree() == tree
    tree = broken(whole(), ("snapshot", "thought_chain", 0, "alternatives", 0, "confidence"), 10**400)
    with pytest.raises(InvalidCheckpoint, match="/alternatives/0/confidence"):
        AgentCheckpoint.of_tree(tree)


def test_a_value_of_the_wrong_type_is_refused_even_if_no_rule_minds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "report_on", lambda *_: Report("agent", (), {}))
    with pytest.raises(
        InvalidCheckpoint, match=r"/snapshot/thought_chain/1/confidence AD011 .*; found float"
    ) as refused:
        AgentCheckpoint.of_tree(broken(whole(), ("snapshot", "thought_chain", 1, "confidence"), 1.5))
    assert {found.rule for found in refused.value.findings} == {"agent-value"}

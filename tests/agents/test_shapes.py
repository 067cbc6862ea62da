"""The two shapes of agent checkpoints: distinguished, and turned into each other without loss."""

import copy
import json
from pathlib import Path

import pytest
from hypothesis import given

from checkpoint_ld.agents import values
from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.agents.difference import diff_checkpoints
from checkpoint_ld.agents.json_patch import applied
from checkpoint_ld.agents.serialization import examine
from checkpoint_ld.agents.shapes import detect_shape, is_agent, of_second, origins_of, second_faults, to_second
from checkpoint_ld.agents.values import MIGRATIONS, NEWEST, Migration, Tree, bytes_of, migrated, released, sha256_of
from checkpoint_ld.dialects import source_pointer
from checkpoint_ld.documents.values import same
from checkpoint_ld.errors import ReadError, ShapeError, UnsupportedVersion
from tests.agents.documents import MOMENT, Json, call, checkpoint, checkpoints, second, thought
from tests.conftest import corpus_folder


def there_and_back(tree: Json) -> Json:
    """Write a checkpoint in the second shape as text, and read that."""
    back, findings = of_second(json.loads(bytes_of(to_second(tree), "second").decode()))
    assert findings == ()
    return back


def replaced(part: str, value: Json) -> Json:
    """Return a checkpoint with something else in the place of a part of its snapshot."""
    tree = checkpoint()
    tree["snapshot"][part] = value
    return tree


@pytest.mark.parametrize(
    ("snapshot", "shape"),
    [
        (checkpoint()["snapshot"], "canonical"),
        ({**checkpoint()["snapshot"], "thought_chain": None}, "canonical"),
        (second()["snapshot"], "second"),
        ({"thought_chain": {"steps": []}}, "second"),
        ({"context": {"messages": []}}, "second"),
        *(({"tool_state": {name: None}}, "second") for name in ("pending", "running", "completed", "failed")),
    ],
)
def test_shapes_are_recognised_by_their_structure_of_which_one_sign_is_enough(snapshot: Json, shape: str) -> None:
    assert detect_shape({"execution_id": "e", "snapshot": snapshot}) == shape


@pytest.mark.parametrize(
    ("snapshot", "seen"),
    [
        ({"thought_chain": [], "context": {"messages": []}}, "/snapshot/context/messages"),
        ({"thought_chain": {"steps": []}, "tool_state": {"calls": []}}, "/snapshot/tool_state/calls"),
        ({"context": {"messages": [], "history": []}}, "/snapshot/context/history"),
        ({"thought_chain": {"parts": []}, "mood": 1}, '"thought_chain", "mood"'),
        ({}, "it is empty"),
        ("text", "no object"),
        ([None], "no object"),
        (5, "no object"),
        (True, "no object"),
    ],
)
def test_both_shapes_or_neither_are_refused_with_the_members_seen(snapshot: Json, seen: str) -> None:
    with pytest.raises(ShapeError, match=seen):
        detect_shape({"execution_id": "e", "snapshot": snapshot})


def test_an_agent_checkpoint_has_a_snapshot_and_an_execution_and_is_no_benchmark() -> None:
    trees: list[Json] = [checkpoint(), {"snapshot": None, "execution_id": None}, {"snapshot": {}}, [checkpoint()]]
    assert [*map(is_agent, trees)] == [True, True, False, False]
    with pytest.raises(ShapeError, match=r"this is a benchmark.*use checkpoint-ld validate, convert or query"):
        detect_shape({"@type": "DataFeed", "dataFeedElement": []})


def test_second_shape_becomes_canonical_and_comes_back_to_the_byte() -> None:
    data = second()
    tree, findings = of_second(data)
    snapshot = tree["snapshot"]
    step = {"id": "t1", "type": "planning", "content": "look first", "confidence": 0.9, "children": []}
    history = [{"role": "user", "content": "hi"}]
    assert (findings, [*second_faults(data)]) == ((), [])
    assert snapshot["thought_chain"] == [{**step, "created_at": MOMENT - 900}]
    assert snapshot["current_step_id"] == "t1"
    assert snapshot["context"] == {"variables": {"task": "sort"}, "state": {}, "history": history}
    assert [(one["id"], one.get("success"), one["status"]) for one in snapshot["tool_state"]["calls"]] == [
        ("c1", True, "completed"),
        ("c2", False, "failed"),
        ("c3", None, "pending"),
    ]
    assert snapshot["tool_state"]["calls"][0]["args"] == {"q": "x"}
    assert snapshot["tool_state"]["results"] == {"c1": ["a"]}
    assert (snapshot["progress"]["total_thoughts"], snapshot["progress"]["total_tool_calls"]) == (1, 3)
    assert data == second(), "the document stays as it is"
    assert bytes_of(to_second(tree), "second").decode() == bytes_of(data, "second").decode()


def test_what_the_second_shape_demands_is_made_up() -> None:
    calls = [
        call("c1", completed_at=MOMENT - 300),
        call("c2", success=False, error="boom"),
        {"id": "c3", "status": "running", "tool_id": "x"},
        {"id": "c4"},
    ]
    tree = checkpoint([thought("t1", type="action"), thought("t2", type="musing", parent_id="t1")], calls)
    written = to_second(tree)
    steps, tools = written["snapshot"]["thought_chain"]["steps"], written["snapshot"]["tool_state"]
    assert [(one["type"], one["confidence"], one["children"]) for one in steps] == [
        ("tool_execution", 1, ["t2"]),
        ("observation", 1, []),
    ]
    done = {"id": "c1", "tool_id": "grep", "arguments": {"q": "x"}, "status": "completed", "result": ["a"]}
    assert tools["completed"] == [{**done, "duration_ms": 500, "timestamp": MOMENT - 800}]
    assert [one["id"] for one in tools["failed"]] == ["c2"]
    assert (tools["running"], tools["pending"]) == (["c3"], ["c4"])
    counts = {"step_number": 1, "iterations_completed": 1, "tokens_used": 10, "duration_ms": 20}
    assert written["snapshot"]["progress"] == counts
    assert written["metadata"]["agent_id"] == "agent_1"
    assert list(second_faults(written)) == []
    assert bytes_of(there_and_back(tree)).decode() == bytes_of(tree).decode()


REASONS = {
    "thought_completed": "step_complete",
    "execution_completed": "step_complete",
    "tool_completed": "auto",
    "execution_failed": "auto",
    "because": "auto",
    "paused": "manual",
    **{one: one for one in ("tool_error", "low_confidence", "decision", "manual", "branch", "step_complete", "auto")},
}


@pytest.mark.parametrize(("reason", "written"), REASONS.items())
def test_reasons_are_written_as_the_second_shape_has_them(reason: str, written: str) -> None:
    tree = checkpoint()
    tree["metadata"]["checkpoint_reason"] = reason
    assert to_second(tree)["metadata"]["checkpoint_reason"] == written
    assert there_and_back(tree)["metadata"]["checkpoint_reason"] == reason


@pytest.mark.slow
@given(checkpoints)
def test_nothing_is_lost_in_the_second_shape(tree: Json) -> None:
    before = copy.deepcopy(tree)
    back = there_and_back(tree)
    assert same(back, tree, exact=True)
    assert bytes_of(back).decode() == bytes_of(tree).decode()
    assert same(tree, before, exact=True)
    assert list(second_faults(to_second(tree))) == []


_PARTS = ("thought_chain", "context", "tool_state", "progress")
_FAILED = call("a", success=False)
_ODD: list[Json] = [None, 5, "x", {"a": 1}, [1, None, {}]]


@pytest.mark.parametrize(
    "tree",
    [
        checkpoint(calls=["a text", {**call(), "id": 5}, {"success": False}], results=None),
        checkpoint(calls=[call("c", args={"n": 1}), call("c", success=False), call("c", args={"n": 2.0})]),
        checkpoint(calls=[_FAILED, call("b"), call("c")], results={"a": 1, "c": 2, "orphan": 3, "b": 4}),
        *(replaced(part, value) for part in _PARTS for value in _ODD),
    ],
)
def test_what_the_second_shape_has_no_place_for_is_kept(tree: Json) -> None:
    back, _ = of_second(json.loads(bytes_of(to_second(tree), "second").decode()))
    assert same(back, tree, exact=True)
    assert bytes_of(back).decode() == bytes_of(tree).decode()


def test_patch_is_small_where_only_the_order_of_calls_is_another() -> None:
    ends = [(number % 10 > 0, "completed" if number % 10 else "failed") for number in range(50)]
    calls = [call(f"c{at}", success=success, status=status) for at, (success, status) in enumerate(ends)]
    tree = checkpoint(calls=calls, results={})
    assert [one["op"] for one in to_second(tree)["canonical_patch"]["patch"]].count("move") == 5
    assert bytes_of(there_and_back(tree)).decode() == bytes_of(tree).decode()


def test_history_that_is_no_message_is_only_in_the_patch() -> None:
    tree = checkpoint()
    message = {"role": "user", "content": "hi", "timestamp": 1.0}
    tree["snapshot"]["context"]["history"] = ["text", message, {"role": 5}]
    assert to_second(tree)["snapshot"]["context"]["messages"] == [message]
    assert bytes_of(there_and_back(tree)).decode() == bytes_of(tree).decode()


def test_a_patch_that_does_not_fit_any_more_is_left_out_and_reported() -> None:
    written = to_second(checkpoint([thought(type="action")]))
    written["snapshot"]["thought_chain"]["steps"][0]["content"] = "edited"
    tree, (found,) = of_second(written)
    (kept,) = tree["snapshot"]["thought_chain"]
    assert (kept["content"], kept["type"]) == ("edited", "tool_execution")
    assert "canonical_patch" not in tree
    assert (found.rule, found.place.pointer) == ("agent-patch", "/canonical_patch")
    assert "edited" in found.message


@pytest.mark.parametrize(
    "patch",
    [5, {}, {"patch": [{"op": "remove", "path": ""}]}, {"patch": [5]}, {"patch": [{"op": "remove", "path": "/no"}]}],
)
def test_a_patch_that_is_none_is_left_out_and_reported(patch: Json) -> None:
    plain, _ = of_second(second())
    patch = {**patch, "sha256": sha256_of(plain)} if isinstance(patch, dict) else patch
    tree, (found,) = of_second(second(canonical_patch=patch))
    assert tree == plain
    assert found.rule == "agent-patch"


def test_members_that_nobody_knows_are_kept_also_under_names_of_the_other_shape() -> None:
    data = second(custom={"a": 1})
    data["snapshot"]["thought_chain"]["mood"] = "good"
    data["snapshot"]["thought_chain"]["steps"][0]["created_at"] = "a name of ours"
    data["snapshot"]["tool_state"]["completed"][0] |= {"args": 1, "started_at": 2}
    tree, _ = of_second(data)
    assert (tree["custom"], tree["snapshot"]["thought_chain_extra"]) == ({"a": 1}, {"mood": "good"})
    assert bytes_of(to_second(tree), "second").decode() == bytes_of(data, "second").decode()
    data["snapshot"]["thought_chain_extra"] = 5
    tree, _ = of_second(data)
    assert tree["snapshot"]["thought_chain_extra"] == {"mood": "good", "thought_chain_extra": 5}
    assert same(there_and_back(tree), tree, exact=True)


def test_pointers_lead_back_into_the_second_shape() -> None:
    data = second()
    tree, _ = of_second(data)
    origins = origins_of(tree, data)
    found = {
        "/snapshot/thought_chain/0/content": "/snapshot/thought_chain/steps/0/content",
        "/snapshot/thought_chain/0/created_at": "/snapshot/thought_chain/steps/0/timestamp",
        "/snapshot/current_step_id": "/snapshot/thought_chain/current_step_id",
        "/snapshot/context/history/0/role": "/snapshot/context/messages/0/role",
        "/snapshot/tool_state/calls/1/started_at": "/snapshot/tool_state/failed/0/timestamp",
        "/snapshot/tool_state/calls/0/args/q": "/snapshot/tool_state/completed/0/arguments/q",
        "/snapshot/tool_state/calls/2": "/snapshot/tool_state/pending/0",
        "/snapshot/tool_state/results/c1/0": "/snapshot/tool_state/completed/0/result/0",
        "/metadata/step_number": "/metadata/step_number",
    }
    assert {pointer: source_pointer(origins, pointer) for pointer in found} == found


def test_pointers_lead_back_also_where_a_patch_put_the_calls_into_another_order() -> None:
    tree = checkpoint(calls=[call("a", success=False), {"id": "b", "status": "running"}, call("c")], results={"c": 1})
    origins = origins_of(tree, to_second(tree))
    found = {
        "/snapshot/tool_state/calls/0": "/snapshot/tool_state/failed/0",
        "/snapshot/tool_state/calls/1": "/snapshot/tool_state/running/0",
        "/snapshot/tool_state/calls/2": "/snapshot/tool_state/completed/0",
        "/snapshot/tool_state/results/c": "/snapshot/tool_state/completed/0/result",
    }
    assert {pointer: source_pointer(origins, pointer) for pointer in found} == found


REQUIRED = [
    *("/snapshot/thought_chain/steps/0/confidence", "/snapshot/thought_chain/steps/0/children"),
    *("/snapshot/tool_state/running", "/snapshot/tool_state/completed/0/status", "/snapshot/progress/tokens_used"),
    *("/snapshot/context/messages/0/role", "/metadata/agent_id"),
]


@pytest.mark.parametrize("pointer", REQUIRED)
def test_what_the_second_shape_requires_is_missed(pointer: str) -> None:
    (found,) = second_faults(applied(second(), [{"op": "remove", "path": pointer}]))
    assert (found.rule, found.place.pointer) == ("agent-second-member", pointer)


def test_empty_objects_miss_all_that_is_required() -> None:
    data = second(metadata={})
    data["snapshot"] |= {"tool_state": {}, "progress": {}}
    assert [found.place.pointer for found in second_faults(data)] == [
        "/metadata/agent_id",
        *(f"/snapshot/tool_state/{name}" for name in ("pending", "running", "completed", "failed")),
        *(f"/snapshot/progress/{name}" for name in ("iterations_completed", "tokens_used", "duration_ms")),
    ]
    assert list(second_faults({"snapshot": {"thought_chain": {"steps": None}}})) == []


def test_unusual_things_that_only_the_second_shape_can_state() -> None:
    data = second()
    data["metadata"]["checkpoint_reason"] = "thought_completed"
    data["snapshot"]["tool_state"]["completed"][0]["success"] = False
    data["snapshot"]["tool_state"]["failed"] = {}
    data["snapshot"]["context"]["messages"] = ["hi", {"role": 1, "content": ""}]
    assert [(found.rule, found.place.pointer) for found in second_faults(data)] == [
        ("agent-second-value", "/metadata/checkpoint_reason"),
        ("agent-second-member", "/snapshot/context/messages/0"),
        ("agent-second-member", "/snapshot/context/messages/1/role"),
        ("agent-second-member", "/snapshot/tool_state/failed"),
        ("agent-second-value", "/snapshot/tool_state/completed/0/success"),
    ]


# --- Versions of agent checkpoints: what is read, what is refused, and how old ones become new ones.


PAGE = Path(__file__).parents[2] / "docs" / "agent-checkpoints.md"


def test_the_newest_version_stays_as_it_is_and_a_missing_one_is_refused() -> None:
    tree = checkpoint()
    assert migrated(tree) == tree
    assert tree.pop("version") == NEWEST == "0.0.1"
    with pytest.raises(UnsupportedVersion, match="states no version"):
        migrated(tree)


@pytest.mark.parametrize(
    ("version", "message", "remedy"),
    [
        (1, "the version is the number 1, not a text", '"0.0.1"'),
        (True, "the boolean true", '"0.0.1"'),
        (None, "is null", '"0.0.1"'),
        (["0.0.1"], "an array", '"0.0.1"'),
        ("0.0.1 ", 'the version "0.0.1 " has white space around it', 'write "0.0.1"'),
        ("9.0.0", 'version "9.0.0" is newer than "0.0.1", the newest that can be read', "upgrade checkpoint-ld"),
        ("0.0.10", "newer", "upgrade checkpoint-ld"),
        ("0.0.0", 'there is no way from version "0.0.0" to "0.0.1"', "these are read: 0.0.1"),
        ("0", "there is no way", "these are read"),
        ("latest", '"latest" is no version', '"0.0.1"'),
        ("", '"" is no version', '"0.0.1"'),
    ],
)
def test_each_version_that_cannot_be_read_is_refused_in_its_own_words(version: Json, message: str, remedy: str) -> None:
    with pytest.raises(UnsupportedVersion) as refused:
        migrated(checkpoint(version=version))
    (found,) = refused.value.findings
    assert message in found.message
    assert remedy in found.remedy
    assert (found.rule, found.place.pointer) == ("agent-version", "/version")
    assert isinstance(refused.value, ReadError)


def test_old_versions_go_step_by_step_to_the_newest(monkeypatch: pytest.MonkeyPatch) -> None:
    def renamed(tree: Tree) -> Tree:
        return {("name" if key == "title" else key): value for key, value in tree.items()}

    def shouted(tree: Tree) -> Tree:
        return {**tree, "name": tree["name"].upper()}

    steps = [
        Migration("0.0.1", "0.1.0", "title becomes name", renamed),
        Migration("0.1.0", "0.2.0", "names are in capitals", shouted),
    ]
    monkeypatch.setattr(values, "MIGRATIONS", steps)
    monkeypatch.setattr(values, "NEWEST", "0.2.0")
    old = {"version": "0.0.1", "title": "one"}
    assert released() == ("0.0.1", "0.1.0", "0.2.0")
    assert migrated(old) == {"version": "0.2.0", "name": "ONE"}
    assert migrated({"version": "0.1.0", "name": "two"}) == {"version": "0.2.0", "name": "TWO"}
    assert old == {"version": "0.0.1", "title": "one"}


def test_the_steps_are_one_chain_to_the_newest_and_the_documentation_shows_them() -> None:
    ways = [*(step.old for step in MIGRATIONS), NEWEST]
    assert [step.new for step in MIGRATIONS] == ways[1:]
    assert ways[0] == "0.0.1"
    page = PAGE.read_text(encoding="utf-8")
    assert [
        one for one in (*(f"`{one}`" for one in released()), *(step.summary for step in MIGRATIONS)) if one not in page
    ] == []


# --- The samples of the format's description, where they are at hand.


CANONICAL = ("canonical", "next", "quirks", "second-shape-as-canonical")


@pytest.fixture(scope="module")
def samples() -> Path:
    folder = corpus_folder().parent / "spec" / "agent-examples"
    if not folder.is_dir():
        pytest.skip(f"no samples at {folder}: set CHECKPOINT_LD_CORPUS to the folder of the corpus beside them")
    return folder


@pytest.mark.parametrize("name", CANONICAL)
def test_samples_are_written_to_the_byte_also_from_the_second_shape_and_the_graph(samples: Path, name: str) -> None:
    path = samples / f"{name}.json"
    loaded = AgentCheckpoint.load(path)
    assert examine(path).shape == "canonical"
    again = [AgentCheckpoint.from_graph(loaded.to_graph(prov=prov)) for prov in (False, True)]
    again += [loaded, AgentCheckpoint.load(loaded.content("second"))]
    assert [one.content() for one in again] == [path.read_bytes()] * 4


def test_the_second_shape_is_the_canonical_one_to_the_byte_and_back(samples: Path) -> None:
    loaded = AgentCheckpoint.load(samples / "second-shape.json")
    assert loaded.content() == (samples / "second-shape-as-canonical.json").read_bytes()
    assert loaded.content("second") == (samples / "second-shape.json").read_bytes()


def test_a_patch_that_another_program_made_is_applied(samples: Path) -> None:
    reading = examine(samples / "next-as-second-shape.json")
    assert reading.findings == ()
    assert same(reading.tree, json.loads((samples / "next.json").read_bytes()), exact=True)


# As many as the description counts, or fewer: calls are matched by their ids, not by their places.
@pytest.mark.parametrize(("name", "most"), [("canonical", 11), ("next", 29), ("quirks", 21)])
def test_patches_are_no_longer_than_the_description_counts(samples: Path, name: str, most: int) -> None:
    written = to_second(json.loads((samples / f"{name}.json").read_bytes()))
    assert 0 < len(written["canonical_patch"]["patch"]) <= most


def test_the_difference_of_the_samples_is_the_one_described(samples: Path) -> None:
    before, after = (AgentCheckpoint.load(samples / f"{name}.json") for name in ("canonical", "next"))
    described = json.loads((samples / "canonical-next.diff.json").read_bytes())
    assert same(diff_checkpoints(before, after).to_dict(), described, exact=True)

"""Saving checkpoints of a state."""

import json
import threading
from pathlib import Path
from typing import Any, Literal, NoReturn

import pytest

from checkpoint_ld import RuntimeState
from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.agents.values import About
from checkpoint_ld.checkpointing import REDACTED, CheckpointManager, CombinedStore, Redaction
from checkpoint_ld.errors import (
    CheckpointExists,
    CheckpointNotFound,
    CheckpointWarning,
    DatabaseSyncError,
    GraphSyncError,
    InvalidCheckpoint,
    SettingsError,
    StoreError,
    WriteError,
)
from checkpoint_ld.secrets import WITHHELD
from checkpoint_ld.stores.files import FileStore
from checkpoint_ld.stores.protocol import header_of
from tests.agents.states import START, heard
from tests.checkpointing.managers import Bench, MemoryStore, above, newest


def test_a_checkpoint_holds_the_state_and_is_in_every_store(bench: Bench) -> None:
    bench.state.agent_name, bench.state.about = "Agnes", About(question="q")
    bench.think("look", confidence=1)
    bench.state.context.variables["task"] = "count"
    bench.state.progress.add_tokens(7)
    saved = bench.manager.save(bench.state, "paused", name="first", description="so far", about=About(benchmark="b"))
    tree = saved.checkpoint.tree()
    counts = {"step_number": 1, "tokens_used": 7, "duration_ms": 1000}
    assert tree == {
        "version": "0.0.1",
        "id": saved.id,
        "timestamp": START + 1000,
        "execution_id": "exec",
        "agent_id": "agent",
        "snapshot": bench.state.snapshot().tree(),
        "metadata": {**counts, "checkpoint_reason": "paused", "agent_name": "Agnes"},
        "name": "first",
        "description": "so far",
        "about": {"benchmark": "b"},
    }
    assert saved.path is not None
    assert (saved.created, saved.path, saved.findings) == (True, bench.folder / "files" / f"{saved.id}.json", ())
    assert AgentCheckpoint.load(saved.path).sha256 == saved.sha256
    for store in bench.manager.store.stores.values():
        assert store.get(saved.id).tree() == tree
    assert bench.graph.recorded[saved.id] == (saved.path.name, None)
    assert bench.manager.save(bench.state).checkpoint.about == About(question="q")


def test_each_checkpoint_names_the_one_before_as_its_parent_and_is_listed(bench: Bench) -> None:
    bench.state.about = About(question="q")
    saved = [bench.manager.save(bench.state) for _ in range(3)]
    ids = [one.id for one in saved]
    assert [above(one.checkpoint) for one in saved] == [None, {"checkpoint_id": ids[0]}, {"checkpoint_id": ids[1]}]
    assert [one.id for one in bench.manager.list()] == ids[::-1]
    assert [one.id for one in bench.manager.list(order="oldest", limit=2)] == ids[:2]
    assert [one.id for one in bench.manager.list(question="q")] == ids[::-1]
    assert bench.manager.list(question="another") == []


def test_the_event_comes_when_everything_is_kept_and_whoever_fails_there_fails_no_save(
    bench: Bench, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kept: list[bool] = []
    bench.state.on("agent.checkpoint", lambda event: kept.append(event["id"] in bench.graph.held))
    of_state = heard(bench.state, "agent.*")
    saved = bench.manager.save(bench.state, "decision")
    shown = {"id": saved.id, "execution_id": "exec", "reason": "decision", "path": saved.path, "sha256": saved.sha256}
    assert kept == [True]
    assert [(one.name, dict(one.payload)) for one in bench.events] == [("agent.checkpoint", shown)]
    assert of_state == bench.events
    manager = CheckpointManager(tmp_path / "c", on_event=lambda _: 1 / 0)  # type: ignore[arg-type]
    assert manager.save(RuntimeState("a")).created
    assert 'a subscriber to "agent.checkpoint" failed' in caplog.text


@pytest.mark.parametrize("reason", ["", "\ud800", None])
def test_a_reason_that_is_none_is_refused_and_nothing_is_written(bench: Bench, reason: str) -> None:
    with pytest.raises(WriteError, match="reason"):
        bench.manager.save(bench.state, reason)
    assert not (bench.folder / "files").exists()
    assert bench.manager.save(bench.state).checkpoint.parent is None


def test_a_violation_refuses_the_save_before_anything_is_written(bench: Bench) -> None:
    bench.state.about = About()
    events = heard(bench.state, "agent.*")
    with pytest.raises(InvalidCheckpoint) as caught:
        bench.manager.save(bench.state)
    assert not caught.value.report.conforms
    assert not (bench.folder / "files").exists()
    assert bench.graph.held == {}
    assert [(one.name, one["stage"], one["error"], one["path"]) for one in events] == [
        ("agent.checkpoint_failed", "validate", caught.value, None)
    ]
    assert bench.state.parent is None


def test_warnings_come_back_with_the_result(bench: Bench) -> None:
    bench.state.context.variables["big"] = 2**60
    bench.think(confidence=0.5)
    found = bench.manager.save(bench.state).findings
    assert any("big" in str(one.place) for one in found)


@pytest.mark.parametrize(("kind", "error"), [("database", DatabaseSyncError), ("graph", GraphSyncError)])
def test_where_a_store_cannot_follow_the_file_is_kept(
    bench: Bench, kind: Literal["database", "graph"], error: type[DatabaseSyncError], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = bench.manager.save(bench.state)
    broken = MemoryStore()
    broken.broken = {"put"}
    with monkeypatch.context() as patch:
        patch.setitem(bench.manager.store.followers, kind, broken)
        with pytest.raises(error, match="run reindex") as caught:
            bench.manager.save(bench.state)
    path = caught.value.path or ""
    assert Path(path).is_file()
    assert path in str(caught.value)
    assert bench.names() == ["agent.checkpoint", "agent.checkpoint_failed"]
    assert (bench.events[1]["stage"], bench.events[1]["path"]) == (kind, path)
    kept = newest(bench.manager)
    assert above(kept) == {"checkpoint_id": first.id}
    assert above(bench.manager.save(bench.state).checkpoint) == {"checkpoint_id": kept.id}
    assert [one.rule for one in bench.manager.verify()] == ["agent-row-missing"]
    bench.manager.reindex()
    assert bench.manager.verify() == ()
    assert len(bench.manager.list()) == len(bench.graph.held) == 3


def test_after_a_database_could_not_follow_all_checkpoints_are_listed(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.manager.save(bench.state)
    broken = MemoryStore()
    broken.put(bench.manager.get(bench.manager.list()[0].id))
    broken.broken = {"put"}
    with monkeypatch.context() as patch:
        patch.setitem(bench.manager.store.followers, "database", broken)
        with pytest.raises(DatabaseSyncError, match="run reindex"):
            bench.manager.save(bench.state)
        assert len(bench.manager.list()) == len(bench.graph.held) == 2
    bench.manager.reindex()
    assert len(bench.manager.list()) == 2


def test_a_database_that_cannot_be_read_is_no_reason_not_to_list(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    bench.manager.save(bench.state)

    def refuse(*_: object) -> NoReturn:
        raise StoreError("the disk is gone")

    broken = MemoryStore()
    monkeypatch.setattr(broken, "headers", refuse)
    monkeypatch.setitem(bench.manager.store.followers, "database", broken)
    assert len(bench.manager.list()) == 1
    assert "the database cannot be read: the disk is gone" in caplog.text


def test_one_id_with_the_same_content_is_no_second_checkpoint(bench: Bench) -> None:
    saved = bench.manager.save(bench.state)
    again = bench.manager.import_(saved.checkpoint)
    assert [(one.created, one.checkpoint) for one in again] == [(False, header_of(saved.checkpoint))]
    assert bench.names() == ["agent.checkpoint"]
    other = saved.checkpoint.but(name="other")
    with pytest.raises(CheckpointExists, match=rf"(?s){saved.sha256}.*{other.sha256}|{other.sha256}.*{saved.sha256}"):
        bench.manager.import_(other)


def test_any_store_alone_is_enough(tmp_path: Path) -> None:
    for settings in (
        {"files": tmp_path / "files"},
        {"files": FileStore(tmp_path / "others")},
        {"files": None, "database": f"sqlite:///{tmp_path}/c.db"},
        {"files": None, "graph": MemoryStore()},
    ):
        with CheckpointManager(**settings) as manager:
            saved = manager.save(RuntimeState("a"))
            assert manager.get(saved.id) == saved.checkpoint
            assert [one.id for one in manager.list()] == [saved.id]
            assert (manager.verify(), manager.reindex().checkpoints) == ((), 1)
            assert [manager.delete(saved.id), manager.delete(saved.id)] == [True, False]
            assert manager.latest() is None
            with pytest.raises(CheckpointNotFound):
                manager.get(saved.id)
    with pytest.raises(SettingsError, match="nowhere to keep"):
        CombinedStore()


def test_metadata_changes_everywhere_and_the_state_does_not(bench: Bench) -> None:
    saved = bench.manager.save(bench.state)
    changed = bench.manager.update_metadata(saved.id, name="kept", metadata={"agent_name": "A"})
    assert (changed.name, changed.metadata.agent_name, changed.snapshot) == ("kept", "A", saved.checkpoint.snapshot)
    for store in bench.manager.store.stores.values():
        assert store.get(saved.id).tree() == changed.tree()
    assert bench.manager.verify() == ()
    bench.graph.broken = {"update_metadata"}
    with pytest.raises(GraphSyncError, match="run reindex"):
        bench.manager.update_metadata(saved.id, name=None)
    assert "name" not in bench.manager.get(saved.id).tree()
    with pytest.raises(InvalidCheckpoint):
        bench.manager.update_metadata(saved.id, metadata={"tokens_used": -1})


@pytest.mark.slow
def test_states_of_many_threads_are_saved_in_lines_of_their_own(bench: Bench) -> None:
    states = [RuntimeState("agent", f"exec{number}") for number in range(4)]

    def work(state: RuntimeState) -> None:
        for _ in range(4):
            state.thought_chain.add("a", "")
            bench.manager.save(state)

    threads = [threading.Thread(target=work, args=(state,)) for state in [*states, states[0]]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for state, count in zip(states, (8, 4, 4, 4), strict=True):
        line = bench.manager.list(execution_id=state.execution_id, order="oldest")
        assert len(line) == count
        assert [one.parent_checkpoint_id for one in line] == [None, *(one.id for one in line[:-1])]
    assert bench.manager.verify() == ()


# --- What must not be kept.


def secretive() -> RuntimeState:
    state = RuntimeState("agent")
    state.context.variables.update({"password": "hunter2", "a/b": {"token": ["t1", "t2"]}, "*": 1})
    for number in range(2):
        call = state.tool_state.start("http", {"headers": {"authorization": f"key {number}"}, "n": number})
        state.tool_state.complete(call.id, {"body": "ok"})
    return state


@pytest.mark.filterwarnings("ignore:.*looks like a secret")
def test_pointers_take_out_what_they_lead_to(tmp_path: Path) -> None:
    redact = [
        "/snapshot/context/variables/password",
        "/snapshot/context/variables/a~1b/token/1",
        "/snapshot/tool_state/calls/*/args/headers/*",
        "/snapshot/tool_state/results/*",
        "/snapshot/nothing/here",
        "/snapshot/context/history/0",
        "/id/0",
    ]
    manager = CheckpointManager(tmp_path, redact=redact)
    state = secretive()
    saved = manager.save(state)
    text = saved.path.read_text()  # type: ignore[union-attr]
    assert not [secret for secret in ("hunter2", "t2", "key 0", "key 1", "body") if secret in text]
    tree = manager.get(saved.id).tree()["snapshot"]
    assert tree["context"]["variables"] == {"password": REDACTED, "a/b": {"token": [WITHHELD, REDACTED]}, "*": 1}
    assert [one["args"] for one in tree["tool_state"]["calls"]] == [
        {"headers": {"authorization": REDACTED}, "n": number} for number in range(2)
    ]
    assert set(tree["tool_state"]["results"].values()) == {REDACTED}
    assert saved.checkpoint.sha256 == manager.get(saved.id).sha256
    assert state.context.variables["password"] == "hunter2"


@pytest.mark.filterwarnings("ignore:.*looks like a secret")
def test_a_function_takes_out_what_it_likes(tmp_path: Path) -> None:
    def redact(tree: dict[str, Any]) -> dict[str, Any]:
        tree["snapshot"]["context"]["variables"].clear()
        return json.loads(json.dumps(tree).replace("key ", "?"))  # type: ignore[no-any-return]

    saved = CheckpointManager(tmp_path, redact=redact).save(secretive())
    text = saved.path.read_text()  # type: ignore[union-attr]
    assert "hunter2" not in text
    assert '"n": 1' in text


KEY = "sk-" + "a1" * 12


def test_secrets_are_withheld_wherever_they_stand(tmp_path: Path) -> None:
    state = secretive()
    state.thought_chain.add("reasoning", "x" * 20_000 + f" I use {KEY}", metadata={"api_key": "k"})
    state.thought_chain.add("reasoning", "nothing to hide")
    state.tool_state.fail(state.tool_state.start("http", {"n": 1}).id, f"refused: {KEY}")
    state.tool_state.complete(state.tool_state.start("http", {"n": 1}).id, {"headers": [f"Bearer {KEY}"]})
    state.context.history.append({"role": "user", "content": KEY})
    with CheckpointManager(tmp_path / "c", tmp_path / "c.db") as manager:
        with pytest.warns(CheckpointWarning, match="the value at /snapshot/thought_chain/0/content and 9 more"):
            saved = manager.save(state)
        later = manager.save(state)  # one warning is enough
        for kept in (saved, later):
            assert KEY not in manager.get(kept.id).dumps()
        tree = manager.get(later.id).tree()["snapshot"]
        assert tree["thought_chain"][0] | {"id": "", "created_at": 0} == {
            "id": "", "type": "reasoning", "content": WITHHELD, "created_at": 0, "metadata": {"api_key": WITHHELD},
        }  # fmt: skip
        assert tree["context"]["variables"]["a/b"] == {"token": [WITHHELD, WITHHELD]}
        assert [one["args"]["n"] for one in tree["tool_state"]["calls"]] == [0, 1, 1, 1]
        assert not [one for one in saved.findings if "secret" in one.message]
        assert not manager.verify()
        with pytest.warns(CheckpointWarning, match="redact=None"), CheckpointManager(tmp_path / "d") as other:
            other.import_(CheckpointManager(tmp_path / "open", redact=None).save(state).checkpoint)
        assert KEY not in "".join(path.read_text() for path in (tmp_path / "d").glob("*.json"))
        manager.update_metadata(saved.id, description=f"with {KEY}")
        assert manager.get(saved.id).description == WITHHELD
    assert state.thought_chain[0].content.endswith(KEY)
    assert KEY in "".join(path.read_text() for path in (tmp_path / "open").glob("*.json"))


@pytest.mark.filterwarnings("ignore:.*looks like a secret")
def test_every_way_into_the_store_is_redacted(tmp_path: Path) -> None:
    plain = CheckpointManager(tmp_path / "open", redact=None).save(secretive())
    pointers: Any = iter(["/snapshot/context/variables/password"])
    manager = CheckpointManager(tmp_path / "closed", redact=pointers)
    manager.import_(tmp_path / "open")
    assert not manager.import_(plain.checkpoint)[0].created
    restored, forked = manager.restore(plain.checkpoint).state.snapshot(), manager.fork(plain.id).checkpoint.snapshot
    for snapshot in (manager.get(plain.id).snapshot, restored, forked):
        assert snapshot.context.variables["password"] == REDACTED
    kept = RuntimeState("agent")
    kept.context.variables["x"] = {"deep": 1}  # where nothing fits, nothing is copied
    assert manager.save(kept).checkpoint.snapshot.context.variables["x"] is kept.context.variables["x"]


@pytest.mark.parametrize(
    ("redact", "error", "message"),
    [
        (["/id"], SettingsError, "changed id"),
        (["/execution_id"], SettingsError, "changed execution_id"),
        (lambda _: None, SettingsError, "returned NoneType"),
        (lambda tree: {**tree, "agent_id": "x"}, SettingsError, "changed agent_id"),
        (["/snapshot/progress"], InvalidCheckpoint, "progress"),
        (["password"], SettingsError, "no JSON Pointer"),
        ([""], SettingsError, "no JSON Pointer"),
        (["/context/variables/password"], SettingsError, "write the whole way, such as /snapshot/context/variables"),
        (["/variables/*"], SettingsError, "begins with a member of the snapshot"),
        ("/snapshot", SettingsError, "no JSON Pointer"),
    ],
)
def test_a_redaction_that_takes_the_identity_breaks_rules_or_makes_no_sense_is_refused(
    tmp_path: Path, redact: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        CheckpointManager(tmp_path / "c", redact=redact).save(secretive())
    assert not (tmp_path / "c").exists()


def _without_secrets(tree: dict[str, Any]) -> dict[str, Any]:
    if "description" in tree:
        tree["description"] = REDACTED
    if "token" in tree["metadata"]:
        tree["metadata"]["token"] = REDACTED
    return tree


@pytest.mark.parametrize("redact", [["/description", "/metadata/token"], _without_secrets])
@pytest.mark.filterwarnings("ignore:.*looks like a secret")
def test_what_is_changed_later_is_redacted_as_well(tmp_path: Path, redact: Redaction) -> None:
    manager = CheckpointManager(tmp_path / "c", f"sqlite:///{tmp_path}/c.db", redact=redact)
    saved = manager.save(secretive())
    changed = manager.update_metadata(
        saved.id, name="open", description="hush", metadata={"token": "hush", "agent_name": "A", "gone": None}
    )
    assert (changed.name, changed.description, changed.metadata.agent_name) == ("open", REDACTED, "A")
    assert changed.metadata.tree()["token"] == REDACTED
    assert manager.verify() == ()
    assert manager.update_metadata(saved.id, description=None).description is None
    assert b"hush" not in (tmp_path / "c" / f"{saved.id}.json").read_bytes()

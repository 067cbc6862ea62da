"""Checkpoints that are made by themselves."""

import gzip
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld import Collection, Event, RuntimeState
from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.agents.values import About
from checkpoint_ld.checkpointing import TRIGGERS, Checkpointer, CheckpointManager, Policy, Retention, Saved
from checkpoint_ld.errors import (
    CheckpointWarning,
    DatabaseSyncError,
    SettingsError,
    StoreError,
    StoreFull,
    TargetExistsError,
    WriteError,
)
from checkpoint_ld.stores.graphs import GraphStore
from tests.agents.states import heard
from tests.checkpointing.managers import Bench, above, newest
from tests.stores.documents import checkpoint
from tests.trials import CI


def reasons(bench: Bench) -> list[str]:
    return [one.checkpoint_reason for one in bench.manager.list(order="oldest")]


def test_each_kind_of_change_has_its_reason(bench: Bench) -> None:
    Checkpointer(bench.state, bench.manager, Policy(confidence_threshold=0.5))
    bench.think()
    bench.think(confidence=0.9)
    bench.think(confidence=0.4)
    unsure = bench.state.thought_chain[1]
    bench.state.thought_chain.add("decision", "go")
    good, bad, odd = (bench.state.tool_state.start("ls", {}) for _ in range(3))
    bench.state.tool_state.complete(good.id)
    bench.state.tool_state.fail(bad.id, "exit 1")
    bench.state.tool_state.cancel(odd.id)
    bench.state.context.variables["x"] = 1
    bench.state.thought_chain.update(unsure.id, confidence=0.1)
    bench.state.thought_chain.update(unsure.id, confidence=0.2)
    assert reasons(bench) == [
        *("thought_completed", "thought_completed", "low_confidence", "decision"),
        *("tool_started", "tool_started", "tool_started"),
        *("tool_completed", "tool_error", "tool_error", "low_confidence"),
    ]
    assert newest(bench.manager).snapshot.thought_chain[1].confidence == 0.1


def test_several_triggers_in_one_change_make_one_checkpoint_and_none_after_one_that_was_requested(bench: Bench) -> None:
    keeper = Checkpointer(bench.state, bench.manager, Policy(confidence_threshold=0.5))
    bench.state.thought_chain.add("decision", "", confidence=0.1)
    with bench.state.change():
        bench.state.thought_chain.add("decision", "")
        call = bench.state.tool_state.start("ls", {})
        bench.state.tool_state.fail(call.id, "no")
        bench.state.context.variables["x"] = 1
    assert newest(bench.manager).snapshot.context.variables == {"x": 1}

    def save(_: Event) -> None:
        keeper.save("seen")

    bench.state.on("thought.created", save)
    bench.think()
    assert reasons(bench) == ["low_confidence", "tool_error", "seen"]


def test_the_policy_chooses(bench: Bench) -> None:
    policy = Policy(triggers=["thought_completed", "tool_error"], every_thoughts=3)  # type: ignore[arg-type] # any collection
    with Checkpointer(bench.state, bench.manager, policy):
        for number in range(7):
            bench.state.thought_chain.add("decision", str(number), confidence=0.0)
        bench.state.tool_state.complete(bench.state.tool_state.start("ls", {}).id)
    assert reasons(bench) == ["thought_completed"] * 2
    for _ in range(9):
        bench.think()
    assert len(reasons(bench)) == 2
    Checkpointer(bench.state, bench.manager, Policy(triggers=frozenset(TRIGGERS) - {"tool_started"}))
    bench.state.tool_state.complete(bench.state.tool_state.start("rm", {}).id)
    assert reasons(bench)[2:] == ["tool_completed"]


def test_between_two_checkpoints_goes_the_least_interval(bench: Bench) -> None:
    keeper = Checkpointer(bench.state, bench.manager, Policy(min_interval_ms=2500))
    for _ in range(7):
        bench.think()
    keeper.save()
    bench.think()
    assert reasons(bench) == ["thought_completed"] * 3 + ["manual"]
    assert [one.step_number for one in bench.manager.list(order="oldest")] == [1, 4, 7, 7]


def test_what_is_requested_is_saved_even_if_nothing_changed(bench: Bench) -> None:
    keeper = Checkpointer(bench.state, bench.manager, about=About(question="q"))
    saved = [keeper.pause(), keeper.save(name="n", description="d"), keeper.save("mine"), keeper.complete()]
    bench.think()
    assert reasons(bench) == ["paused", "manual", "mine", "execution_completed"]
    assert (saved[1].checkpoint.name, saved[1].checkpoint.description) == ("n", "d")
    assert {one.checkpoint.about for one in saved} == {About(question="q")}


def test_a_failure_is_given_in_the_last_checkpoint(bench: Bench) -> None:
    found = {
        "ValueError: no such folder": ValueError("no such folder"),
        "gave up": "gave up",
        "OSError: no file caf\\udce9": OSError(b"no file caf\xe9".decode("utf-8", "surrogateescape")),
    }
    for description, failure in found.items():
        with Checkpointer(bench.state, bench.manager) as keeper:
            assert keeper.fail(failure).checkpoint.description == description  # type: ignore[arg-type]
            bench.think()
    bench.think()
    assert reasons(bench) == ["execution_failed"] * 3


@pytest.mark.parametrize(
    "settings",
    [
        *({"triggers": {"thought"}}, {"every_thoughts": 0}, {"min_interval_ms": -1}),
        *({"confidence_threshold": threshold} for threshold in (85, -0.1, float("nan"))),
    ],
)
def test_a_policy_that_makes_no_sense_is_refused(settings: dict[str, object]) -> None:
    with pytest.raises(SettingsError):
        Policy(**settings)  # type: ignore[arg-type]


def test_each_failed_save_is_reported_and_the_first_one_of_a_row_warns(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The folder cannot be made at first, then it can, then nothing fits into a file any more."""
    blocked = tmp_path / "blocked"
    blocked.write_text("a file, where a folder should be")
    errors: list[Exception] = []
    state = RuntimeState("agent", on_error=lambda error, _: errors.append(error))
    failures = heard(state, "agent.checkpoint_failed")
    manager = CheckpointManager(blocked / "checkpoints")
    keeper = Checkpointer(state, manager)
    with pytest.warns(CheckpointWarning, match="give the path of a folder") as first:
        state.thought_chain.add("reasoning", "one")
    state.thought_chain.add("reasoning", "two")
    with pytest.raises(StoreError, match="give the path of a folder"):
        keeper.complete()
    blocked.unlink()
    state.thought_chain.add("reasoning", "three")
    no_room = r"agent at step 4 .thought_completed. is not saved: .*no room is left .* free some space"
    with room_for(100), pytest.warns(CheckpointWarning, match=no_room) as second:
        state.thought_chain.add("reasoning", "four")
    with room_for(100), pytest.raises(StoreFull):
        keeper.complete()
    assert [Path(str(one.filename)).name for one in (*first, *second)] == [Path(__file__).name] * 2
    assert [type(error) for error in errors] == [StoreError, StoreError, StoreFull]
    assert [one["stage"] for one in failures] == ["file"] * 5
    logged = [one.message for one in caplog.records if one.name == "checkpoint_ld.checkpointing"]
    assert [" ".join(one.split()[2:7]) for one in logged] == [f"of agent at step {n}" for n in (1, 2, 4)]
    three, four = manager.list(order="oldest")[0], keeper.complete()
    assert (three.parent_checkpoint_id, above(four.checkpoint)) == (None, {"checkpoint_id": three.id})


def test_a_store_that_cannot_follow_is_reported_as_such(bench: Bench) -> None:
    bench.graph.broken = {"put"}
    Checkpointer(bench.state, bench.manager)
    with pytest.warns(CheckpointWarning, match=r"is not in every store: .*its file is written .*run reindex"):
        bench.think()


RUN = """
import os, signal, sys
from checkpoint_ld import Checkpointer, CheckpointManager, RuntimeState

state = RuntimeState("reader")
manager = CheckpointManager(sys.argv[1])
checkpointer = Checkpointer(state, manager)
state.thought_chain.add("reasoning", "the file first", confidence=0.9)
state.tool_state.start("delete_file", {"path": "a.txt"})
os.kill(os.getpid(), signal.SIGKILL)
"""
"""The set-up of the first page; the process dies while a tool runs."""


def test_a_call_under_way_when_the_process_is_killed_is_interrupted_after_the_restore(tmp_path: Path) -> None:
    killed = subprocess.run([sys.executable, "-c", RUN, str(tmp_path)], check=False)
    assert killed.returncode not in (0, 1)
    with CheckpointManager(tmp_path) as manager:
        kept = newest(manager)
        assert kept.metadata.checkpoint_reason == "tool_started"
        interrupted = manager.restore(kept.id).interrupted
        assert [(one.tool_id, one.args) for one in interrupted] == [("delete_file", {"path": "a.txt"})]
        assert kept.validate().findings == ()


def test_another_call_at_the_end_saves_one_more_checkpoint(bench: Bench) -> None:
    keeper = Checkpointer(bench.state, bench.manager)
    keeper.complete()
    keeper.complete()
    keeper.fail("afterwards")
    assert reasons(bench) == ["execution_completed", "execution_completed", "execution_failed"]


# --- Which checkpoints go and which stay.


def run(bench: Bench, count: int = 6) -> list[Saved]:
    saved = []
    for _ in range(count):
        bench.think()
        saved.append(bench.manager.save(bench.state))
    return saved


def test_the_newest_of_each_execution_stay_and_a_dry_run_deletes_nothing(bench: Bench) -> None:
    first = run(bench)
    bench.state = RuntimeState("agent", "other", clock=bench.clock.clock())
    second = run(bench, 3)
    tried = bench.manager.prune(Retention(keep_last=2), dry_run=True, archive=bench.folder / "archive")
    assert len(bench.manager.list()) == 9
    assert not (bench.folder / "archive").exists()
    pruned = bench.manager.prune(Retention(keep_last=2))
    assert set(pruned.going) == {*(one.id for one in first[:4]), second[0].id} == set(tried.going)
    assert {one.id for one in bench.manager.list()} == {one.id for one in [*first[4:], *second[1:]]}
    assert bench.manager.verify() == ()
    assert set(bench.graph.held) == {one.id for one in bench.manager.list()}
    assert pruned.staying[first[5].id] == "it is the newest of its execution"
    assert pruned.staying[first[4].id] == "it is one of the newest 2 of its execution"
    assert pruned.decisions[-1].reason == "it is not one of the newest 2 of its execution"


def test_what_is_needed_or_wanted_is_never_deleted(bench: Bench) -> None:
    saved = run(bench, 12)
    manager = bench.manager
    manager.update_metadata(saved[0].id, name="kept")
    fork = manager.fork(saved[1].id)
    resumed = manager.save(manager.restore(saved[11].id).state)
    branch = manager.restore(saved[3].id, continue_execution=True, clock=bench.clock.clock()).state
    bench.clock.tick()
    branched = manager.save(branch)
    bench.clock.tick()
    final = manager.save(bench.state, "execution_completed")
    linked = manager.save(bench.state, about=About(question="q"))
    for_reason = manager.save(bench.state, "decision")
    newest = manager.save(bench.state)
    reasons: Any = iter(["decision"])
    ids: Any = (one.id for one in saved[7:8])
    retention = Retention(keep_last=0, keep_reasons=reasons, keep=ids)
    staying = manager.prune(retention).staying
    assert staying == {
        saved[0].id: "it has the name 'kept'",
        saved[1].id: f"the branch {fork.id} continues from it",
        saved[3].id: f"the branch {branched.id} continues from it",
        saved[7].id: "its id is to be kept",
        saved[11].id: f"another execution continues from it ({resumed.checkpoint.execution_id})",
        fork.id: "it is the newest of its execution",
        resumed.id: "it is the newest of its execution",
        final.id: "it is the final one of its execution (execution_completed)",
        linked.id: "it is about a benchmark",
        for_reason.id: "its reason is to be kept (decision)",
        newest.id: "it is the newest of its execution",
    }
    assert {one.id for one in manager.list()} == set(staying)
    assert linked.id in manager.prune(Retention(keep_last=0, protect_linked=False)).going


def test_what_is_young_stays_and_what_is_old_goes(bench: Bench) -> None:
    saved = run(bench, 6)
    aged = bench.manager.prune(Retention(max_age=timedelta(seconds=3)), dry_run=True)
    both = bench.manager.prune(Retention(max_age=timedelta(0), keep_last=4), dry_run=True)
    assert set(aged.going) == set(both.going) == {one.id for one in saved[:2]}
    assert aged.staying[saved[2].id] == "it is not older than 0:00:03"
    assert aged.decisions[-1].reason == "it is older than 0:00:03"
    assert both.decisions[-1].reason == "it is not one of the newest 4 of its execution and older than 0:00:00"


def test_an_archive_is_written_first(bench: Bench) -> None:
    saved = run(bench, 3)
    archive = bench.folder / "archive" / "2025"
    pruned = bench.manager.prune(Retention(keep_last=1), archive=archive)
    assert pruned.archived == tuple(archive / f"{one.id}.json.gz" for one in saved[:2])
    assert AgentCheckpoint.load(pruned.archived[0]).content() == saved[0].checkpoint.content()
    bench.manager.import_(archive)
    assert len(bench.manager.list()) == 3
    assert bench.manager.prune(Retention(keep_last=1), archive=archive).going == pruned.going


@pytest.mark.parametrize(
    "other", [gzip.compress(b"something else", mtime=0), b"no gzip", gzip.compress(b"cut", mtime=0)[:-3]]
)
def test_an_archive_never_loses_what_is_in_it(bench: Bench, other: bytes) -> None:
    saved = run(bench, 2)
    archive = bench.folder / "archive"
    archive.mkdir()
    taken = archive / f"{saved[0].id}.json.gz"
    taken.write_bytes(other)
    with pytest.raises(TargetExistsError, match="holds something else"):
        bench.manager.prune(Retention(keep_last=1), archive=archive)
    assert taken.read_bytes() == other
    for name in (taken, taken / "below"):
        with pytest.raises(WriteError, match=r"cannot be made: .*; choose another folder"):
            bench.manager.prune(Retention(keep_last=1), archive=name)
    assert len(bench.manager.list()) == 2


def test_a_file_is_there_as_long_as_anything_refers_to_it_and_a_damaged_one_is_left_alone(bench: Bench) -> None:
    saved = run(bench, 4)
    path = saved[0].path
    assert path is not None
    path.write_text("{")
    bench.graph.broken = {"delete"}
    with pytest.raises(StoreError):
        bench.manager.prune(Retention(keep_last=1))
    assert len(bench.paths()) == 4
    bench.graph.broken = set()
    assert set(bench.manager.prune(Retention(keep_last=1)).going) == {one.id for one in saved[1:3]}
    assert bench.paths() == sorted(f"{one.id}.json" for one in (saved[0], saved[3]))
    assert path.read_text() == "{"
    assert bench.manager.restore(saved[0].id).findings


@pytest.mark.parametrize("settings", [{}, {"keep_last": -1}, {"max_age": timedelta(-1)}])
def test_a_retention_that_makes_no_sense_is_refused(settings: dict[str, object]) -> None:
    with pytest.raises(SettingsError):
        Retention(**settings)  # type: ignore[arg-type]


def test_two_who_prune_at_once_do_not_disturb_each_other(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    saved = run(bench, 4)
    headers = list(bench.manager.store.truth.headers())
    bench.manager.delete(saved[1].id)
    monkeypatch.setattr(bench.manager.store.truth, "headers", lambda: iter(headers))
    done = bench.manager.prune(Retention(keep_last=1), archive=bench.folder / "archive")
    assert {path.name.split(".")[0] for path in done.archived} == {saved[0].id, saved[2].id}
    assert bench.paths() == [f"{saved[3].id}.json"]


# --- Saves that are killed at every step: what was kept is kept, what was not leaves no trace.


ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked, so that each kill costs little")
@pytest.mark.parametrize("kind", ["save", "amend", "prune"])
def test_a_process_may_be_killed_at_any_step(kind: str, tmp_path: Path) -> None:
    every = 31 if CI else 1
    done = subprocess.run(
        [sys.executable, "-m", "tests.checkpointing.killing", str(tmp_path), kind, str(every)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 40


# --- No room on the disk.


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """Let no file grow beyond `size` bytes."""
    resource = pytest.importorskip("resource", reason="only POSIX limits the size of files")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_without_room_for_the_file_nothing_is_changed(bench: Bench) -> None:
    first = bench.manager.save(bench.state)
    bench.state.context.variables["large"] = "x" * 5000
    with room_for(4000), pytest.raises(StoreFull, match="free some space"):
        bench.manager.save(bench.state)
    assert bench.paths() == [f"{first.id}.json"]
    assert not [path for path in (bench.folder / "files").iterdir() if path.name.endswith(".tmp")]
    assert bench.state.context.variables["large"] == "x" * 5000
    assert above(bench.manager.save(bench.state).checkpoint) == {"checkpoint_id": first.id}
    assert bench.manager.verify() == ()


def test_without_room_for_the_database_the_file_is_kept(bench: Bench) -> None:
    bench.manager.save(bench.state)
    size = (bench.folder / "checkpoints.db").stat().st_size
    bench.state.context.variables["large"] = "x" * size
    with (
        room_for(size + 5000),
        pytest.raises(DatabaseSyncError, match=r"no room is left for the database.*run reindex") as caught,
    ):
        bench.manager.save(bench.state)
    assert caught.value.path is not None
    assert Path(caught.value.path).stat().st_size > size
    assert len(bench.paths()) == 2
    bench.manager.reindex()
    assert bench.manager.verify() == ()
    assert len(bench.manager.list()) == 2


@pytest.mark.parametrize("is_open", [False, True])
def test_a_graph_store_goes_on_when_there_is_room_again(tmp_path: Path, is_open: bool) -> None:
    folder = tmp_path / "collection"
    given = Collection.open(folder) if is_open else folder
    store = GraphStore(given)
    store.put(checkpoint("first"))
    large = checkpoint("large", name="x" * 50_000)
    with room_for(50_000):
        for _ in range(2):
            with pytest.raises(StoreFull, match=r"no room is left for the collection .*; free some space"):
                store.put(large)
        assert store.get("first").id == "first"
    with room_for(0):
        with pytest.raises(StoreFull):
            store.put(large)
        assert [one.id for one in store.headers()] == ["first"]
    assert store.put(large).created
    assert store.get("large") == large
    assert list(store.verify()) == []
    store.close()
    if isinstance(given, Collection):
        given.close()
    assert {one.id for one in GraphStore(folder).headers()} == {"first", "large"}

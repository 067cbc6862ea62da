"""Which checkpoints go and which stay."""

import gzip
from datetime import timedelta

import pytest

from checkpoint_ld import RuntimeState
from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.agents.values import About
from checkpoint_ld.checkpointing import Retention, Saved
from checkpoint_ld.errors import SettingsError, StoreError, TargetExistsError, WriteError
from tests.checkpointing.managers import Bench


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
    retention = Retention(keep_last=0, keep_reasons=frozenset({"decision"}), keep=frozenset({saved[7].id}))
    staying = manager.prune(retention).staying
    assert staying == {
        saved[0].id: "it has the name 'kept'",
        saved[1].id: f"the branch {fork.id} goes on from it",
        saved[3].id: f"the branch {branched.id} goes on from it",
        saved[7].id: "its id is to be kept",
        saved[11].id: f"another execution goes on from it ({resumed.checkpoint.execution_id})",
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
        with pytest.raises(WriteError, match="cannot be used as an archive"):
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

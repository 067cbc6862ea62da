"""Whether all stores hold the same."""

import os
import sqlite3
import time

import pytest

from checkpoint_ld.checkpointing import Saved
from checkpoint_ld.errors import StoreError
from tests.checkpointing.managers import Bench, MemoryStore


@pytest.fixture
def saved(bench: Bench) -> list[Saved]:
    made = []
    for text in "abc":
        bench.think(text)
        made.append(bench.manager.save(bench.state))
    return made


def rules(bench: Bench, *, repair: bool = False) -> list[str]:
    return sorted(one.rule for one in bench.manager.verify(repair=repair))


def everything(bench: Bench) -> list[dict[str, str | None]]:
    return [{one.id: one.sha256 for one in store.headers()} for store in bench.manager.store.followers.values()]


@pytest.mark.parametrize("kind", ["database", "graph"])
def test_each_disagreement_is_found_and_repaired_from_the_files(bench: Bench, saved: list[Saved], kind: str) -> None:
    store = bench.manager.database if kind == "database" else bench.graph
    assert store is not None
    store.delete(saved[0].id)
    store.update_metadata(saved[1].id, name="other")
    store.put(saved[2].checkpoint.but(id="orphan"))
    found = {one.rule: one for one in bench.manager.verify()}
    assert sorted(found) == ["agent-row-differs", "agent-row-missing", "agent-row-orphan"]
    assert found["agent-row-missing"].message == f'"{saved[0].id}" is not in the {kind}'
    assert found["agent-row-orphan"].message == f'"orphan" is in the {kind}, but has no file'
    assert found["agent-row-differs"].subject == f'"{saved[1].id}"'
    before = {path: path.read_bytes() for path in (bench.folder / "files").iterdir()}
    assert rules(bench, repair=True) == sorted(found)
    assert rules(bench) == []
    assert {path: path.read_bytes() for path in (bench.folder / "files").iterdir()} == before
    assert everything(bench) == [{one.id: one.sha256 for one in saved}] * 2


def test_what_a_lost_file_stated_is_not_removed_with_it_when_it_is_only_damaged(
    bench: Bench, saved: list[Saved]
) -> None:
    path = saved[0].path
    assert path is not None
    path.write_text("{")
    assert rules(bench) == ["agent-file-damaged"]
    assert rules(bench, repair=True) == ["agent-file-damaged"]
    assert bench.manager.reindex().kept == (saved[0].id,)
    assert bench.manager.restore(saved[0].id).checkpoint.tree() == saved[0].checkpoint.tree()
    assert path.read_text() == "{"


def test_reindex_makes_everything_anew(bench: Bench, saved: list[Saved]) -> None:
    assert rules(bench) == []
    with sqlite3.connect(bench.folder / "checkpoints.db") as connection:
        connection.execute("UPDATE thoughts SET content = 'forged'")
        connection.execute("DELETE FROM tool_calls")
    connection.close()
    bench.graph.held.clear()
    (bench.folder / "files" / saved[0].path.name).unlink()  # type: ignore[union-attr]
    done = bench.manager.reindex()
    assert (done.checkpoints, done.removed) == (2, (saved[0].id,))
    assert rules(bench) == []
    with sqlite3.connect(bench.folder / "checkpoints.db") as connection:
        assert {row[0] for row in connection.execute("SELECT content FROM thoughts")} == {"a", "b", "c"}
        assert {row[0] for row in connection.execute("SELECT file_name FROM checkpoints")} == set(bench.paths())
    connection.close()
    saved[1].path.unlink()  # type: ignore[union-attr]
    assert bench.manager.delete(saved[1].id)  # only the others had it
    assert not bench.manager.delete(saved[1].id)
    assert rules(bench) == []


@pytest.mark.parametrize("repair", [False, True])
def test_a_corrupt_database_is_reported_and_made_again_from_the_files(
    bench: Bench, saved: list[Saved], repair: bool
) -> None:
    bench.manager.close()
    for name in ("checkpoints.db-wal", "checkpoints.db-shm"):
        (bench.folder / name).unlink(missing_ok=True)
    path = bench.folder / "checkpoints.db"
    content = bytearray(path.read_bytes())
    content[1000:] = b"\xff" * (len(content) - 1000)
    path.write_bytes(content)
    found = bench.manager.verify(repair=repair)
    assert "agent-database-damaged" in {one.rule for one in found}
    bench.graph.broken = set()
    if not repair:
        bench.manager.reindex()
    assert rules(bench) == []
    assert everything(bench) == [{one.id: one.sha256 for one in saved}] * 2
    assert [one for one in bench.folder.iterdir() if ".corrupt" in one.name]


@pytest.mark.usefixtures("saved")
def test_a_store_that_is_damaged_and_cannot_be_emptied_is_an_error(bench: Bench) -> None:
    broken = MemoryStore()
    broken.broken = {"delete"}
    bench.manager.store.followers["graph"] = broken
    with pytest.raises(StoreError, match="delete fails"):
        bench.manager.reindex()


@pytest.mark.usefixtures("saved")
def test_what_a_killed_save_left_behind_is_removed_after_an_hour(bench: Bench) -> None:
    stale, fresh = (bench.folder / "files" / f".{number:016x}.tmp" for number in range(2))
    for path in (stale, fresh):
        path.write_text("{")
    hours_ago = time.time() - 7200
    os.utime(stale, (hours_ago, hours_ago))
    assert rules(bench) == ["agent-temporary"]
    assert rules(bench, repair=True) == ["agent-temporary"]
    assert (stale.exists(), fresh.exists()) == (False, True)
    assert rules(bench) == []


def test_a_database_that_was_lost_hides_nothing(bench: Bench, saved: list[Saved]) -> None:
    bench.manager.close()
    for path in bench.folder.glob("checkpoints.db*"):
        path.unlink()
    assert {one.id for one in bench.manager.list()} == {one.id for one in saved}
    bench.graph.broken = set()
    bench.manager.reindex()
    assert bench.manager.verify() == ()

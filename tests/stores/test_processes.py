"""Many processes on one store."""

import contextlib
import json
import random
import time
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld import CheckpointManager
from checkpoint_ld.errors import CheckpointExists
from checkpoint_ld.stores import sqlite
from checkpoint_ld.stores.database import DatabaseStore
from checkpoint_ld.stores.files import FileStore
from checkpoint_ld.stores.protocol import Filter
from tests.forking import SERVER, begun_together
from tests.stores.documents import checkpoint

WRITERS, EACH = 4, 20

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_patient")]


def patient() -> None:
    """Let a process wait for others longer than a user would: on a busy machine, they take longer."""
    setattr(sqlite, "_PATIENCE_MS", 120_000)  # noqa: B010 - it is private


def save(folder: Path, process: int) -> None:
    """Save checkpoints into both stores."""
    patient()
    files, database = FileStore(folder / "files"), DatabaseStore(folder / "index.db", follows_files=True)
    for at in range(EACH):
        one = checkpoint(f"{process}-{at:03}", at, execution_id=f"exec_{process}")
        path = files.put(one).path
        database.put(one, file_name=None if path is None else path.name)
        if at % 20 == 0:
            assert files.get(one.id) == database.get(one.id)
            list(database.headers(Filter(execution_id=one.execution_id)))


def go_on(folder: Path, agent: str, place: dict[str, Any]) -> None:
    """Save one checkpoint after another, and note each that is kept, until the process is killed."""
    patient()
    with CheckpointManager(**place) as manager, (folder / agent).open("a") as confirmed:
        run = manager.resume_or_start(agent)
        for number in range(10_000):
            run.state.thought_chain.add("reasoning", f"thought {number} " + "x" * 4000)
            saved = manager.save(run.state)
            confirmed.write(f"{saved.id} {saved.checkpoint.sha256}\n")
            confirmed.flush()


def race(folder: Path, process: int) -> list[tuple[int, str, str]]:
    """Save checkpoints whose ids others save as well, with other content; return which ids this process has saved."""
    won = []
    begun_together(folder, str(process), 3)
    for store in (FileStore(folder / "files"), DatabaseStore(folder / "index.db")):
        for at in range(40):
            try:
                store.put(checkpoint(f"ckpt-{at:03}", at, name=str(process)))
                won.append((at, type(store).__name__, str(process)))
            except CheckpointExists:
                continue
    return won


def amend(folder: Path, process: int) -> None:
    """Add members to the metadata of one checkpoint."""
    for store in (FileStore(folder / "files"), DatabaseStore(folder / "index.db")):
        for at in range(10):
            store.update_metadata("ckpt_1", metadata={f"{process}-{at}": at})


def test_processes_save_many_checkpoints_each_and_readers_see_none_torn(tmp_path: Path) -> None:
    files, database = FileStore(tmp_path / "files"), DatabaseStore(tmp_path / "index.db")
    processes = [SERVER.Process(target=save, args=(tmp_path, number)) for number in range(WRITERS)]
    for process in processes:
        process.start()
    seen = 0
    while any(process.is_alive() for process in processes):
        for path in (tmp_path / "files").glob("*.json"):
            with contextlib.suppress(FileNotFoundError):  # it is packed since the folder was listed
                json.loads(path.read_bytes())
                seen += 1
        assert len(list(files.headers())) <= WRITERS * EACH
        assert len(list(database.headers())) <= WRITERS * EACH
        time.sleep(0.02)  # the writers need the processor
    assert [process.exitcode for process in processes] == [0] * WRITERS

    expected = {f"{process}-{at:03}" for process in range(WRITERS) for at in range(EACH)}
    assert {header.id for header in files.headers()} == expected
    assert {header.id for header in database.headers()} == expected
    assert [*files.verify(), *database.verify()] == []
    assert seen > 0
    packed = {".db", ".db-shm", ".db-wal"}  # of older checkpoints
    assert sorted({path.suffix for path in (tmp_path / "files").iterdir()} - {"", *packed}) == [".json"]
    database.close()


@pytest.mark.parametrize("kind", ["files", "database"])
def test_two_processes_that_are_killed_at_any_moment_lose_nothing_that_was_kept(tmp_path: Path, kind: str) -> None:
    place: dict[str, Any] = {"files": None, kind: tmp_path / kind}
    drawn = random.Random(43)
    for _ in range(12):
        processes = [SERVER.Process(target=go_on, args=(tmp_path, agent, place)) for agent in ("a", "b")]
        before = len(list(tmp_path.glob("?"))) and [(tmp_path / agent).stat().st_size for agent in ("a", "b")]
        for process in processes:
            process.start()
        while len(list(tmp_path.glob("?"))) < 2 or before == [(tmp_path / one).stat().st_size for one in ("a", "b")]:
            time.sleep(0.002)
        for process in processes:
            time.sleep(drawn.uniform(0, 0.15))
            process.kill()
            process.join()
    confirmed = dict(line.split() for one in ("a", "b") for line in (tmp_path / one).read_text().splitlines())
    with CheckpointManager(**place) as manager:
        assert {one for one in confirmed if manager.get(one).sha256 != confirmed[one]} == set()
        assert confirmed.keys() <= {header.id for header in manager.list()}
        manager.verify(repair=True)
        assert {found.rule for found in manager.verify()} <= {"agent-temporary"}  # those are removed after an hour
        assert manager.save(manager.resume_or_start("a").state).created
    assert len(confirmed) > 100


def test_of_writers_of_one_id_one_wins(tmp_path: Path) -> None:
    with SERVER.Pool(3, patient) as pool:
        won = [one for each in pool.starmap(race, [(tmp_path, number) for number in range(3)], 1) for one in each]

    assert sorted((at, store) for at, store, _ in won) == sorted(
        (at, store) for at in range(40) for store in ("FileStore", "DatabaseStore")
    )
    stores = {"FileStore": FileStore(tmp_path / "files"), "DatabaseStore": DatabaseStore(tmp_path / "index.db")}
    for at, store, winner in won:
        assert stores[store].get(f"ckpt-{at:03}").name == winner  # type: ignore[attr-defined]  # both have it


def test_no_change_of_metadata_is_lost_to_another_one(tmp_path: Path) -> None:
    files, database = FileStore(tmp_path / "files"), DatabaseStore(tmp_path / "index.db")
    files.put(checkpoint())
    database.put(checkpoint())
    database.close()

    with SERVER.Pool(3, patient) as pool:
        pool.starmap(amend, [(tmp_path, number) for number in range(3)], 1)

    expected = {f"{process}-{at}": at for process in range(3) for at in range(10)}
    for found in (files.get("ckpt_1"), database.get("ckpt_1")):
        assert expected.items() <= found.metadata.tree().items()
    assert files.get("ckpt_1").snapshot == checkpoint().snapshot

"""Many processes on one store, and processes that are killed while they save."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from checkpoint_ld.errors import CheckpointNotFound
from checkpoint_ld.stores.database import DatabaseStore
from checkpoint_ld.stores.files import FileStore
from tests.stores import worker
from tests.stores.documents import checkpoint

REPOSITORY = Path(__file__).resolve().parents[2]


def started(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.stores.worker", *map(str, arguments)]
    return subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(process: subprocess.Popen[str]) -> str:
    said, complained = process.communicate(timeout=300)
    assert process.returncode == 0, complained
    return said


@pytest.mark.slow
def test_eight_processes_save_a_hundred_checkpoints_each_and_readers_see_none_torn(tmp_path: Path) -> None:
    files, database = FileStore(tmp_path / "files"), DatabaseStore(tmp_path / "index.db")
    processes = [started("save", tmp_path, number, 100) for number in range(8)]
    seen = 0
    while any(process.poll() is None for process in processes):
        for path in (tmp_path / "files").glob("*.json"):
            json.loads(path.read_bytes())
            seen += 1
        assert len(list(files.headers())) <= 800
        assert len(list(database.headers())) <= 800
    for process in processes:
        ended(process)

    expected = {f"{process}-{at:03}" for process in range(8) for at in range(100)}
    assert {header.id for header in files.headers()} == expected
    assert {header.id for header in database.headers()} == expected
    assert [*files.verify(), *database.verify()] == []
    assert seen > 0
    assert sorted({path.suffix for path in (tmp_path / "files").iterdir()} - {""}) == [".json"]
    database.close()


@pytest.mark.slow
def test_of_writers_of_one_id_one_wins(tmp_path: Path) -> None:
    processes = [started("race", tmp_path, number, 40) for number in range(3)]
    won = [(int(at), store, str(number)) for number, process in enumerate(processes)
           for store, at in (line.split() for line in ended(process).splitlines())]  # fmt: skip

    assert sorted((at, store) for at, store, _ in won) == sorted(
        (at, store) for at in range(40) for store in ("FileStore", "DatabaseStore")
    )
    stores = {"FileStore": FileStore(tmp_path / "files"), "DatabaseStore": DatabaseStore(tmp_path / "index.db")}
    for at, store, winner in won:
        assert stores[store].get(f"ckpt-{at:03}").name == winner  # type: ignore[attr-defined]  # both have it


@pytest.mark.slow
def test_no_change_of_metadata_is_lost_to_another_one(tmp_path: Path) -> None:
    files, database = FileStore(tmp_path / "files"), DatabaseStore(tmp_path / "index.db")
    files.put(checkpoint())
    database.put(checkpoint())

    for process in [started("amend", tmp_path, number, 10) for number in range(3)]:
        ended(process)

    expected = {f"{process}-{at}": at for process in range(3) for at in range(10)}
    for found in (files.get("ckpt_1"), database.get("ckpt_1")):
        assert expected.items() <= found.metadata.tree().items()
    assert files.get("ckpt_1").snapshot == checkpoint().snapshot


STEPS = [
    (step, when)
    for step in ("open", "write", "fsync", "close", "link", "unlink", "flush")
    for when in ("before", "after")
]
STATEMENTS = [*map(str, range(0, 200, 17)), "COMMIT", "none"]


@pytest.fixture(scope="module")
def died(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of a store for each step that a save is killed at: one process starts, and forks them."""
    base, deaths = tmp_path_factory.mktemp("died"), []
    for step, when in STEPS:
        FileStore(base / step / when / "files").put(checkpoint())
        deaths.append(["die_in_file", str(base / step / when), step, when, "long"])
    for step in STATEMENTS:
        (base / step).mkdir()
        store = DatabaseStore(base / step / "index.db")
        store.put(checkpoint())
        store.close()
        deaths.append(["die_in_database", str(base / step), step, "long"])
    assert set(json.loads(ended(started("die_in_turn", json.dumps(deaths))))) == {-signal.SIGKILL}
    return base


@pytest.mark.slow
@pytest.mark.parametrize(("step", "when"), STEPS)
def test_a_save_that_is_killed_leaves_a_whole_file_or_none(step: str, when: str, died: Path) -> None:
    store = FileStore(died / step / when / "files")
    is_there = (step, when) in {
        ("link", "after"),
        *((late, either) for late in ("unlink", "flush") for either in ("before", "after")),
    }
    assert {header.id for header in store.headers()} == ({"ckpt_1", "long"} if is_there else {"ckpt_1"})
    if is_there:
        assert store.get("long") == worker.long("long")
    left = store.sweep(0)
    assert len(left) == ((step, when) not in {("open", "before"), ("unlink", "after")} and step != "flush")
    assert list(store.verify()) == []
    assert store.put(worker.long("long")).created != is_there
    assert store.get("ckpt_1") == checkpoint()
    assert {path.name for path in store.directory.iterdir()} == {"ckpt_1.json", "long.json"}


@pytest.mark.slow
@pytest.mark.parametrize("step", STATEMENTS)
def test_an_insertion_that_is_killed_leaves_all_rows_or_none(step: str, died: Path) -> None:
    store = DatabaseStore(died / step / "index.db")
    if step == "none":
        assert store.get("long") == worker.long("long")
    else:
        with pytest.raises(CheckpointNotFound):
            store.get("long")
    assert list(store.verify()) == []
    assert store.put(worker.long("long")).created == (step != "none")
    assert {header.id for header in store.headers()} == {"ckpt_1", "long"}
    store.close()

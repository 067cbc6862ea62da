"""Many processes on one store."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from checkpoint_ld.stores.database import DatabaseStore
from checkpoint_ld.stores.files import FileStore
from tests.stores.documents import checkpoint
from tests.trials import CI

REPOSITORY = Path(__file__).resolve().parents[2]
EACH = 20 if CI else 100


def started(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.stores.worker", *map(str, arguments)]
    return subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(process: subprocess.Popen[str]) -> str:
    said, complained = process.communicate(timeout=300)
    assert process.returncode == 0, complained
    return said


@pytest.mark.slow
@pytest.mark.usefixtures("_patient")
def test_eight_processes_save_many_checkpoints_each_and_readers_see_none_torn(tmp_path: Path) -> None:
    files, database = FileStore(tmp_path / "files"), DatabaseStore(tmp_path / "index.db")
    processes = [started("save", tmp_path, number, EACH) for number in range(8)]
    seen = 0
    while any(process.poll() is None for process in processes):
        for path in (tmp_path / "files").glob("*.json"):
            json.loads(path.read_bytes())
            seen += 1
        assert len(list(files.headers())) <= 8 * EACH
        assert len(list(database.headers())) <= 8 * EACH
        time.sleep(0.02)  # the writers need the processor
    for process in processes:
        ended(process)

    expected = {f"{process}-{at:03}" for process in range(8) for at in range(EACH)}
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

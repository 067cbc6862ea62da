"""Our own stores, held to the published suite."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from checkpoint_ld import CheckpointStore, DatabaseStore, FileStore
from checkpoint_ld.checkpointing import CombinedStore
from checkpoint_ld.testing import conformance


def database(folder: Path) -> DatabaseStore:
    return DatabaseStore(f"sqlite:///{folder}/agents.db")


def files(folder: Path) -> FileStore:
    return FileStore(folder / "checkpoints")


def both(folder: Path) -> CheckpointStore:
    return CombinedStore(files(folder), database(folder))


def tear_file(folder: Path, name: str) -> None:
    file = folder / "checkpoints" / f"{name}.json"
    file.write_bytes(file.read_bytes()[:-20])


def in_database(statement: str, folder: Path, name: str) -> None:
    with sqlite3.connect(folder / "agents.db") as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(statement, (name,))
    connection.close()


def take_row(folder: Path, name: str) -> None:
    in_database("DELETE FROM checkpoints WHERE id = ?", folder, name)


def change_row(folder: Path, name: str) -> None:
    changed = "snapshot_json = replace(snapshot_json, 'thought 0', 'thought 9')"
    in_database(f"UPDATE checkpoints SET {changed} WHERE id = ?", folder, name)


def blur_row(folder: Path, name: str) -> None:
    in_database("""UPDATE checkpoints SET snapshot_json = '{"a": 1}' WHERE id = ?""", folder, name)


test_files = conformance(files, damages={"unreadable": tear_file}, follows=False)
test_database = conformance(database, damages={"missing": take_row, "changed": change_row, "unreadable": blur_row})
test_both = conformance(both)

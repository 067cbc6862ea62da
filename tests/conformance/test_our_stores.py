"""Our own stores, held to the published suite."""

from __future__ import annotations

import sqlite3
from functools import partial
from pathlib import Path

from checkpoint_ld import DatabaseStore, FileStore
from checkpoint_ld.testing import conformance


def database(folder: Path) -> DatabaseStore:
    return DatabaseStore(f"sqlite:///{folder}/agents.db")


def files(folder: Path) -> FileStore:
    return FileStore(folder / "checkpoints")


def tear_file(folder: Path, name: str) -> None:
    file = folder / "checkpoints" / f"{name}.json"
    file.write_bytes(file.read_bytes()[:-20])


def in_database(statement: str, folder: Path, name: str) -> None:
    with sqlite3.connect(folder / "agents.db") as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(statement, (name,))
    connection.close()


ROWS = {
    "missing": "DELETE FROM checkpoints WHERE id = ?",
    "changed": "UPDATE checkpoints SET snapshot_json = replace(snapshot_json, 'thought 0', 'thought 9') WHERE id = ?",
    "unreadable": """UPDATE checkpoints SET snapshot_json = '{"a": 1}' WHERE id = ?""",
}

test_files = conformance(files, damages={"unreadable": tear_file}, follows=False)
test_database = conformance(
    database, damages={kind: partial(in_database, statement) for kind, statement in ROWS.items()}
)

"""Databases that checkpoint-ld did not make: told apart without a change, and those of CAF read.

CAF's own program keeps checkpoints in tables of the same names (its Drizzle schema): `checkpoints` has the columns
below, and a snapshot of either shape as JSON. Such a database is only read, and stays as it is, byte for byte. Its
checkpoints are put into tables of ours in memory, so that all queries are the same.
"""

from __future__ import annotations

import contextlib
import sqlite3
from contextlib import closing
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from checkpoint_ld.agents import values
from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.agents.serialization import examine_bytes
from checkpoint_ld.documents.text import dump_json
from checkpoint_ld.errors import (
    IntegrityError,
    InvalidCheckpoint,
    ReadError,
    StoreError,
    UnsupportedVersion,
    WriteError,
)
from checkpoint_ld.stores import tables

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_SNAPSHOT, _METADATA = ("snapshot_json", "snapshot"), ("metadata_json", "metadata")
_REQUIRED: Final = frozenset({"id", "execution_id"})
_COUNTS: Final[Mapping[str, Any]] = MappingProxyType(
    {"step_number": 0, "tokens_used": 0, "duration_ms": 0, "checkpoint_reason": "manual"}
)
"""The required metadata of a checkpoint, with the values where neither metadata, progress nor columns have them."""
_LOOKS: Final = 100
"""The times that a database is looked at while others write to it, before its kind is an error."""


def kind_of(path: Path) -> str:
    """Return what the database at `path` is: `ours`, `empty` or `caf`. Nothing is changed, and no file is made.

    Raises StoreError for a database of another program, and UnsupportedVersion for one of a newer checkpoint-ld.
    """
    for _ in range(_LOOKS):
        before = state_of(path)
        try:
            return _kind_of(path)
        except (StoreError, sqlite3.DatabaseError):
            if state_of(path) == before:  # otherwise another process was making it, or writing
                raise
    return _kind_of(path)


def state_of(path: Path) -> tuple[int, ...]:
    """Return what changes when somebody writes to a database."""
    found: list[int] = []
    for name in (path.name, f"{path.name}-wal"):
        with contextlib.suppress(FileNotFoundError):
            status = path.with_name(name).stat()
            found += status.st_size, status.st_mtime_ns, status.st_ino
    return tuple(found)


def _kind_of(path: Path) -> str:
    if not path.exists() or not path.stat().st_size:
        return "empty"
    with closing(_opened(path)) as driver:
        driver.execute("BEGIN")  # so that all three are of one moment
        number = int(driver.execute("PRAGMA user_version").fetchone()[0])
        names = {row[0] for row in driver.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        columns = {row[1] for row in driver.execute("PRAGMA table_info(checkpoints)")}
    is_alike = names >= tables.metadata.tables.keys() and "sha256" in columns
    if number == tables.NUMBER and is_alike:
        return "ours"
    if number > tables.NUMBER and is_alike:
        raise UnsupportedVersion(
            f"{path}: the database has schema {number}, the newest that can be read is {tables.NUMBER}; "
            "upgrade checkpoint-ld"
        )
    if not (number or names):
        return "empty"
    if columns >= _REQUIRED and not columns.isdisjoint(_SNAPSHOT) and "sha256" not in columns:
        return "caf"
    raise StoreError(f"{path}: is a database, but none of agent checkpoints; name another file")


def checkpoints_in(path: Path) -> Iterator[AgentCheckpoint | IntegrityError]:
    """Yield the checkpoints in a database of CAF, in their order, and an error for each row that holds none."""
    with closing(_opened(path)) as driver:
        driver.row_factory = sqlite3.Row
        agents = {}
        if driver.execute("SELECT 1 FROM sqlite_schema WHERE name = 'executions'").fetchone():
            agents = {row["id"]: dict(row).get("agent_id") for row in driver.execute("SELECT * FROM executions")}
        for row in driver.execute("SELECT * FROM checkpoints ORDER BY rowid"):
            try:
                content = dump_json(_tree(dict(row), agents))
                yield AgentCheckpoint.of_reading(examine_bytes(content))
            except (ReadError, InvalidCheckpoint, WriteError, TypeError, ValueError) as error:
                yield IntegrityError(f"{path}: the row of {row['id']!r} holds no checkpoint: {error}")


def _opened(path: Path) -> sqlite3.Connection:
    # Only with a log beside it may somebody be writing; otherwise SQLite must not make one.
    mode = "mode=ro" if path.with_name(f"{path.name}-wal").exists() else "mode=ro&immutable=1"
    return sqlite3.connect(f"file:{quote(str(path))}?{mode}", uri=True, isolation_level=None)


def _tree(row: dict[str, Any], agents: Mapping[str, Any]) -> dict[str, Any]:
    """Return the checkpoint in a row as JSON, in the shape of its snapshot."""
    snapshot = _loaded(row, _SNAPSHOT)
    if isinstance(snapshot, dict) and isinstance(snapshot.get("snapshot"), dict):
        return snapshot  # the whole checkpoint
    stated = _loaded(row, _METADATA)
    metadata = stated if isinstance(stated, dict) else {}
    progress = snapshot.get("progress") if isinstance(snapshot, dict) else None
    places = (metadata, row, progress if isinstance(progress, dict) else {}, _COUNTS)
    counted = {name: next(one[name] for one in places if one.get(name) is not None) for name in _COUNTS}
    parent = {name: row.get(column) for name, column in _PARENT.items()}
    parent["is_branch"] = None if parent["is_branch"] is None else bool(parent["is_branch"])
    agent = row.get("agent_id") or agents.get(row["execution_id"]) or metadata.get("agent_id") or "unknown"
    tree = {
        "version": row.get("version") or values.released()[0],
        **{name: row.get(name) for name in ("id", "timestamp", "execution_id")},
        "agent_id": agent,
        "snapshot": snapshot,
        "metadata": {**metadata, **counted},
        "parent": {name: value for name, value in parent.items() if value is not None} or None,
        **{name: row.get(name) for name in ("name", "description")},
    }
    return {name: value for name, value in tree.items() if value is not None}


_PARENT: Final = {
    "checkpoint_id": "parent_checkpoint_id",
    "is_branch": "is_branch",
    "branch_reason": "branch_reason",
}


def _loaded(row: Mapping[str, Any], columns: tuple[str, ...]) -> Any:
    """Return the JSON in the first of these columns that there is; None where it is NULL. Raises ValueError."""
    text = next((row[name] for name in columns if name in row), None)
    return None if text is None else tables.loaded(text.encode() if isinstance(text, str) else bytes(text))

"""Migrations: databases of earlier schemas converted to the current schema, each in one transaction.

The first schema has no number. Its four tables have fewer constraints and no version and hash, and hold a thought only
for the first of its checkpoints. In schema 1, unknown values are NULL, and the parent of a thought need not be in the
chain.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.agents.values import Header, Heading, sha256_of
from checkpoint_ld.errors import InvalidCheckpoint, ReadError, StoreError, UnsupportedVersion
from checkpoint_ld.stores import tables
from checkpoint_ld.stores.tables import (
    NUMBER,
    STATUSES,
    UNKNOWN,
    checkpoints,
    executions,
    filled,
    metadata,
    thoughts,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from checkpoint_ld.agents.values import Tree
    from checkpoint_ld.stores.tables import Row

_OLD = "old_"
_PARENT = """CASE WHEN EXISTS (
  SELECT 1 FROM old_thoughts p WHERE p.checkpoint_id = o.checkpoint_id AND p.id = o.parent_id) THEN parent_id END"""
_FIRST_COLUMNS = frozenset({"id", "execution_id", "timestamp", "snapshot_json"})
_FIRST_VERSION = "0.0.1"
_COUNTS = {"step_number": 0, "tokens_used": 0, "duration_ms": 0, "checkpoint_reason": "manual"}
"""The required metadata of a checkpoint, with the defaults where neither metadata nor columns have values."""


def is_current(connection: sa.Connection, path: Path) -> bool:
    """Return whether a database has the newest schema.

    Raises StoreError for a database of another program, and UnsupportedVersion for one of a newer checkpoint-ld.
    """
    number, inspected = _number(connection), sa.inspect(connection)
    names = set(inspected.get_table_names())
    is_ours = names >= metadata.tables.keys() or not (number or names)
    if is_ours and names and not number:
        columns = {column["name"] for column in inspected.get_columns("checkpoints")}
        is_ours = columns >= _FIRST_COLUMNS and "sha256" not in columns
    if not is_ours:
        raise StoreError(f"{path}: is a database, but none of agent checkpoints; name another file")
    if number > NUMBER:
        raise UnsupportedVersion(
            f"{path}: the database has schema {number}, the newest that can be read is {NUMBER}; upgrade checkpoint-ld"
        )
    return number == NUMBER


def migrate(connection: sa.Connection, path: Path) -> None:
    """Convert a database to the newest schema, within the transaction of `connection`.

    Raises as `is_current`, and StoreError for rows that are no checkpoints; then nothing is changed.
    """
    if is_current(connection, path):  # another process has converted it
        return
    number, old = _number(connection), metadata.sorted_tables if sa.inspect(connection).get_table_names() else ()
    for table in old:
        for index in table.indexes:
            connection.execute(sa.text(f"DROP INDEX IF EXISTS {index.name}"))
        connection.execute(sa.text(f"ALTER TABLE {table.name} RENAME TO {_OLD}{table.name}"))
    metadata.create_all(connection)
    if number:
        _copy_rows(connection)
    elif old:
        _convert_rows(connection, path)
    for table in reversed(old):
        connection.execute(sa.text(f"DROP TABLE {_OLD}{table.name}"))
    connection.exec_driver_sql(f"PRAGMA user_version = {NUMBER:d}")


def _number(connection: sa.Connection) -> int:
    return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())


def _copy_rows(connection: sa.Connection) -> None:
    for table in metadata.sorted_tables:
        values = {column.name: column.name for column in table.columns}
        values |= {name: f"coalesce({name}, {UNKNOWN[name]!r})" for name in values.keys() & UNKNOWN.keys()}
        if table is thoughts:
            values["parent_id"] = _PARENT
        chosen = f"SELECT {', '.join(values.values())} FROM {_OLD}{table.name} o"  # noqa: S608 - names are ours
        connection.execute(sa.text(f"INSERT INTO {table.name} ({', '.join(values)}) {chosen}"))


def _convert_rows(connection: sa.Connection, path: Path) -> None:
    """Convert all rows of the first schema. Raises StoreError for a row that is no checkpoint."""
    for row in _rows(connection, "executions"):
        status = row.get("status") if row.get("status") in STATUSES else "running"
        connection.execute(sa.insert(executions), [{**_columns(row, executions), "status": status}])
    for row in _rows(connection, "checkpoints"):
        try:
            _convert_checkpoint(connection, row)
        except (ReadError, InvalidCheckpoint, TypeError, ValueError) as error:
            raise StoreError(
                f"{path}: its checkpoint {row['id']!r} is of an older checkpoint-ld and cannot be brought to the "
                f"schema of today, so nothing was changed: {error}; export or delete that row with sqlite3"
            ) from error


def _convert_checkpoint(connection: sa.Connection, row: Row) -> None:
    execution_id = row["execution_id"]
    execution = connection.execute(sa.select(executions).where(executions.c.id == execution_id)).mappings().first()
    tree = _tree(row, execution or {})
    if execution is None:  # foreign keys are off unless they are switched on
        opened = {"id": execution_id, "agent_id": tree["agent_id"], "status": "running"}
        connection.execute(sa.insert(executions), [_columns(opened, executions)])
    made = tables.row_of(tree, Header.of(Heading.model_validate(tree), sha256_of(tree)))
    connection.execute(sa.insert(checkpoints), [{**made, "file_name": None, "source_sha256": None}])
    _convert_parts(connection, tree)
    if execution is None:
        tables.follow(connection, execution_id)


def _tree(row: Row, execution: Mapping[Any, Any]) -> Tree:
    stated = tables.loaded(row.get("metadata_json") or "{}")
    counts = {name: row.get(name, none) for name, none in _COUNTS.items() if name not in stated}
    parent = {"checkpoint_id": row.get("parent_checkpoint_id"), "branch_reason": row.get("branch_reason")}
    tree = {
        "version": _FIRST_VERSION,
        **{name: row[name] for name in ("id", "timestamp", "execution_id")},
        "agent_id": row.get("agent_id") or execution.get("agent_id") or "unknown",
        "snapshot": tables.loaded(row["snapshot_json"]),
        "metadata": {**stated, **counts},
        "parent": {name: value for name, value in parent.items() if value is not None} or None,
        "name": row.get("name"),
        "description": row.get("description"),
    }
    return {name: value for name, value in tree.items() if value is not None}


def _convert_parts(connection: sa.Connection, tree: Tree) -> None:
    """Insert the thoughts and calls of a checkpoint, including those that only the old tables have."""
    snapshot = None
    with contextlib.suppress(ReadError, InvalidCheckpoint):  # its row stays unchanged: it can be read, not restored
        snapshot = AgentCheckpoint.of_tree(tree).snapshot
    for table, rows_of in tables.PARTS.items():
        found = [] if snapshot is None else rows_of(tree["id"], snapshot)
        known = {row["id"] for row in found}
        others = [row for row in _rows(connection, table.name, tree["id"]) if row["id"] not in known]
        known |= {other["id"] for other in others}
        for other in others:
            row = {**_columns(other, table), "seq": len(found)}
            if table is thoughts:
                row["parent_id"] = row["parent_id"] if row["parent_id"] in known else None
            elif not row["status"]:
                row["status"] = (
                    "pending" if other.get("success") is None else "completed" if other["success"] else "failed"
                )
            found.append(row)
        if found:
            connection.execute(sa.insert(table), found)


def _columns(old: Row, table: sa.Table) -> Row:
    """Return a row of the first schema as a row of a current table."""
    return filled({column.name: old.get(column.name) for column in table.columns})


def _rows(connection: sa.Connection, table: str, checkpoint_id: str | None = None) -> list[Row]:
    found = sa.Table(_OLD + table, sa.MetaData(), autoload_with=connection)
    query = sa.select(found).order_by(sa.text("rowid"))
    if checkpoint_id is not None:
        query = query.where(found.c.checkpoint_id == checkpoint_id)
    return [dict(row) for row in connection.execute(query).mappings()]

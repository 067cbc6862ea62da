"""Migrations: a new database, or an older one, brought to the newest schema, each in one transaction.

The first schema is that of databases from before schemas were numbered: the same tables, but looser ones. They state no
version and no hash, and hold a thought under one checkpoint only, the first that had it. In schema 1, what is unknown
is NULL, and the parent of a thought need not be in the chain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import MetaData, Table, insert, inspect, select, text

from checkpoint_ld.agent.checkpoint import AgentCheckpoint
from checkpoint_ld.agent.text import sha256_of
from checkpoint_ld.errors import InvalidCheckpoint, ReadError, StoreError, UnsupportedVersion
from checkpoint_ld.stores import tables
from checkpoint_ld.stores.protocol import Heading
from checkpoint_ld.stores.tables import (
    NUMBER,
    STATUSES,
    UNKNOWN,
    checkpoints,
    executions,
    metadata,
    thoughts,
    tool_calls,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from sqlalchemy import Connection

    from checkpoint_ld.stores.tables import Row, Tree

_OURS = frozenset(metadata.tables)
_OLD = "old_"
_PARENT = """CASE WHEN EXISTS (
  SELECT 1 FROM old_thoughts p WHERE p.checkpoint_id = o.checkpoint_id AND p.id = o.parent_id) THEN parent_id END"""
_VERSION = "0.0.1"
_FIRST_COLUMNS = frozenset({"id", "execution_id", "timestamp", "snapshot_json"})
_COUNTS = {"step_number": 0, "tokens_used": 0, "duration_ms": 0, "checkpoint_reason": "manual"}
"""What the metadata of a checkpoint have to say, and what is taken where neither they nor the columns say it."""


def is_current(connection: Connection, path: Path) -> bool:
    """Return whether a database has the newest schema.

    Raises StoreError for a database of somebody else, and UnsupportedVersion for one of a newer checkpoint-ld.
    """
    number, tables = _number(connection), frozenset(inspect(connection).get_table_names())
    is_new = not number and not tables
    if not (is_new or tables >= _OURS) or (not number and tables and not _is_first(connection)):
        raise StoreError(f"{path}: is a database, but none of agent checkpoints; name another file")
    if number > NUMBER:
        raise UnsupportedVersion(
            f"{path}: the database has schema {number}, the newest that can be read is {NUMBER}; upgrade checkpoint-ld"
        )
    return number == NUMBER


def migrate(connection: Connection, path: Path) -> None:
    """Bring a database to the newest schema, within the transaction of `connection`.

    Raises what `is_current` raises, and StoreError for rows that are no checkpoints; then nothing is changed.
    """
    if is_current(connection, path):  # another process was first
        return
    is_numbered, is_old = bool(_number(connection)), bool(inspect(connection).get_table_names())
    if is_old:
        for table in metadata.sorted_tables:
            for index in table.indexes:
                connection.execute(text(f"DROP INDEX IF EXISTS {index.name}"))
            connection.execute(text(f"ALTER TABLE {table.name} RENAME TO {_OLD}{table.name}"))
    metadata.create_all(connection)
    if is_old:
        if is_numbered:
            _copy_tables(connection)
        else:
            _bring_rows(connection, path)
        for table in reversed(metadata.sorted_tables):
            connection.execute(text(f"DROP TABLE {_OLD}{table.name}"))
    connection.exec_driver_sql(f"PRAGMA user_version = {NUMBER:d}")


def _number(connection: Connection) -> int:
    """Return the number of the schema that a database has; 0 for a new one, and for those of others."""
    return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())


def _is_first(connection: Connection) -> bool:
    columns = {column["name"] for column in inspect(connection).get_columns("checkpoints")}
    return columns >= _FIRST_COLUMNS and "sha256" not in columns


def _copy_tables(connection: Connection) -> None:
    for table in metadata.sorted_tables:
        values = {column.name: column.name for column in table.columns}
        values |= {name: f"coalesce({name}, {UNKNOWN[name]!r})" for name in values.keys() & UNKNOWN.keys()}
        if table is thoughts:
            values["parent_id"] = _PARENT
        chosen = f"SELECT {', '.join(values.values())} FROM {_OLD}{table.name} o"  # noqa: S608 - names are ours
        connection.execute(text(f"INSERT INTO {table.name} ({', '.join(values)}) {chosen}"))


def _bring_rows(connection: Connection, path: Path) -> None:
    """Bring all rows of the first schema into the tables. Raises StoreError for a row that is no checkpoint."""
    for row in _old(connection, "executions"):
        status = row.get("status") if row.get("status") in STATUSES else "running"
        connection.execute(insert(executions), [tables.filled({**_known(row, executions), "status": status})])
    for row in _old(connection, "checkpoints"):
        try:
            _bring_checkpoint(connection, row)
        except (ReadError, InvalidCheckpoint, TypeError, ValueError) as error:
            raise StoreError(
                f"{path}: its checkpoint {row['id']!r} is of an older checkpoint-ld and cannot be brought to the "
                f"schema of today, so nothing was changed: {error}; export or delete that row with sqlite3"
            ) from error


def _bring_checkpoint(connection: Connection, row: Row) -> None:
    execution = connection.execute(select(executions).where(executions.c.id == row["execution_id"])).mappings().first()
    tree = _tree(row, execution or {})
    if execution is None:  # nothing kept them together, as foreign keys are off unless they are switched on
        tables.open_execution(connection, row["execution_id"], tree["agent_id"])
    made = tables.row_of(tree, Heading.model_validate(tree), sha256_of(tree))
    connection.execute(insert(checkpoints), [{**made, "file_name": None, "source_sha256": None}])
    _bring_parts(connection, tree)
    if execution is None:
        tables.follow(connection, row["execution_id"])


def _tree(row: Row, execution: Mapping[Any, Any]) -> Tree:
    stated = tables.loaded(row.get("metadata_json") or "{}")
    counts = {name: row.get(name, none) for name, none in _COUNTS.items() if name not in stated}
    parent = {"checkpoint_id": row.get("parent_checkpoint_id"), "branch_reason": row.get("branch_reason")}
    tree = {
        "version": _VERSION,
        **{name: row[name] for name in ("id", "timestamp", "execution_id")},
        "agent_id": row.get("agent_id") or execution.get("agent_id") or "unknown",
        "snapshot": tables.loaded(row["snapshot_json"]),
        "metadata": {**stated, **counts},
        "parent": {name: value for name, value in parent.items() if value is not None} or None,
        "name": row.get("name"),
        "description": row.get("description"),
    }
    return {name: value for name, value in tree.items() if value is not None}


def _bring_parts(connection: Connection, tree: Tree) -> None:
    """Insert the thoughts and calls of a checkpoint, and those that only the old tables know."""
    made: dict[str, list[Row]] = {"thoughts": [], "tool_calls": []}
    try:
        snapshot = AgentCheckpoint.of_tree(tree).snapshot
    except (ReadError, InvalidCheckpoint):  # kept as it is; it can be read by its row, not restored
        pass
    else:
        made = {
            "thoughts": tables.thought_rows(tree["id"], snapshot),
            "tool_calls": tables.call_rows(tree["id"], snapshot),
        }
    for table in (thoughts, tool_calls):
        found = made[table.name]
        known = {one["id"] for one in found}
        mine = [one for one in _old(connection, table.name, tree["id"]) if one["id"] not in known]
        known |= {one["id"] for one in mine}
        found += [{**_completed(one, table, known), "seq": len(found) + at} for at, one in enumerate(mine)]
        if found:
            connection.execute(insert(table), found)


def _completed(row: Row, table: Table, ids: set[str]) -> Row:
    if table is thoughts:
        return _known({**row, "parent_id": row.get("parent_id") if row.get("parent_id") in ids else None}, table)
    status = "pending" if row.get("success") is None else "completed" if row["success"] else "failed"
    return tables.filled({**_known(row, table), "status": row.get("status") or status})


def _known(row: Row, table: Table) -> Row:
    return {name: row.get(name) for name in table.c.keys()}  # noqa: SIM118 - iterating over it gives columns


def _old(connection: Connection, table: str, checkpoint_id: str | None = None) -> Iterator[Row]:
    found = Table(_OLD + table, MetaData(), autoload_with=connection)
    query = select(found).order_by(text("rowid"))
    if checkpoint_id is not None:
        query = query.where(found.c.checkpoint_id == checkpoint_id)
    yield from [dict(row) for row in connection.execute(query).mappings()]

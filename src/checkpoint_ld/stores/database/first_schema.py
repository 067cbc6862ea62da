"""The first schema: databases from before schemas were numbered, with the same tables but looser ones.

They state no version and no hash, and hold a thought under one checkpoint only, the first that had it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Column, MetaData, Table, insert, inspect, select, text

from checkpoint_ld.agent.checkpoint import AgentCheckpoint
from checkpoint_ld.agent.text import sha256_of
from checkpoint_ld.errors import InvalidCheckpoint, ReadError, StoreError
from checkpoint_ld.stores.database import contents, rows
from checkpoint_ld.stores.database.schema import STATUSES, checkpoints, executions, metadata, thoughts, tool_calls
from checkpoint_ld.stores.header import Heading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from sqlalchemy import Connection

_VERSION = "0.0.1"
_OLD = "first_"
_NEEDED = frozenset({"id", "execution_id", "timestamp", "snapshot_json"})
_COUNTS = {"step_number": 0, "tokens_used": 0, "duration_ms": 0, "checkpoint_reason": "manual"}
"""What the metadata of a checkpoint have to say, and what is taken where neither they nor the columns say it."""

Row = dict[str, Any]


def is_it(connection: Connection) -> bool:
    """Tell whether the tables of a database without a number are those of the first schema."""
    columns = {column["name"] for column in inspect(connection).get_columns("checkpoints")}
    return columns >= _NEEDED and "sha256" not in columns


def migrate(connection: Connection, path: Path) -> None:
    """Make the tables of today and bring all rows into them. Raises StoreError for a row that is no checkpoint."""
    names = [table.name for table in metadata.sorted_tables]
    for name in names:
        connection.execute(text(f"ALTER TABLE {name} RENAME TO {_OLD}{name}"))
    metadata.create_all(connection)
    _bring_executions(connection)
    for row in _old(connection, "checkpoints"):
        try:
            _bring_checkpoint(connection, row)
        except (ReadError, InvalidCheckpoint, TypeError, ValueError) as error:
            raise StoreError(
                f"{path}: its checkpoint {row['id']!r} is of an older checkpoint-ld and cannot be brought to the "
                f"schema of today, so nothing was changed: {error}; export or delete that row with sqlite3"
            ) from error
    for name in reversed(names):
        connection.execute(text(f"DROP TABLE {_OLD}{name}"))


def _bring_executions(connection: Connection) -> None:
    for row in _old(connection, "executions"):
        status = row.get("status") if row.get("status") in STATUSES else "running"
        connection.execute(insert(executions), [rows.filled({**_known(row, executions), "status": status})])


def _bring_checkpoint(connection: Connection, row: Row) -> None:
    execution = connection.execute(select(executions).where(executions.c.id == row["execution_id"])).mappings().first()
    tree = _tree(row, execution or {})
    if execution is None:  # nothing kept them together, as foreign keys are off unless they are switched on
        contents.open_execution(connection, row["execution_id"], tree["agent_id"])
    told = rows.row_of(tree, Heading.model_validate(tree), sha256_of(tree))
    connection.execute(insert(checkpoints), [{**told, "file_name": None, "source_sha256": None}])
    _bring_parts(connection, tree)
    if execution is None:
        contents.follow(connection, row["execution_id"])


def _tree(row: Row, execution: Mapping[Any, Any]) -> rows.Tree:
    stated = rows.loaded(row.get("metadata_json") or "{}")
    metadata = {**stated, **{name: row.get(name, none) for name, none in _COUNTS.items() if name not in stated}}
    parent = {"checkpoint_id": row.get("parent_checkpoint_id"), "branch_reason": row.get("branch_reason")}
    tree = {
        "version": _VERSION,
        **{name: row[name] for name in ("id", "timestamp", "execution_id")},
        "agent_id": row.get("agent_id") or execution.get("agent_id") or "unknown",
        "snapshot": rows.loaded(row["snapshot_json"]),
        "metadata": metadata,
        "parent": {name: said for name, said in parent.items() if said is not None} or None,
        "name": row.get("name"),
        "description": row.get("description"),
    }
    return {name: value for name, value in tree.items() if value is not None}


def _bring_parts(connection: Connection, tree: rows.Tree) -> None:
    """Insert the thoughts and calls of a checkpoint, and those that only the old tables know."""
    try:
        snapshot = AgentCheckpoint.of_tree(tree).snapshot
    except (ReadError, InvalidCheckpoint):  # kept as it is; it can be read by its row, not restored
        made: dict[str, list[Row]] = {"thoughts": [], "tool_calls": []}
    else:
        made = {
            "thoughts": list(rows.thought_rows(tree["id"], snapshot)),
            "tool_calls": list(rows.call_rows(tree["id"], snapshot)),
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
    if table is not tool_calls:
        return _known({**row, "parent_id": row.get("parent_id") if row.get("parent_id") in ids else None}, table)
    status = "pending" if row.get("success") is None else "completed" if row["success"] else "failed"
    return rows.filled({**_known(row, table), "status": row.get("status") or status})


def _known(row: Row, table: Table) -> Row:
    columns: list[Column[Any]] = list(table.c)
    return {column.name: row.get(column.name) for column in columns}


def _old(connection: Connection, table: str, checkpoint_id: str | None = None) -> Iterator[Row]:
    found = Table(_OLD + table, MetaData(), autoload_with=connection)
    query = select(found).order_by(text("rowid"))
    if checkpoint_id is not None:
        query = query.where(found.c.checkpoint_id == checkpoint_id)
    yield from [dict(row) for row in connection.execute(query).mappings()]

"""What is wrong with a database of agent checkpoints."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, select

from checkpoint_ld.agent.checkpoint import AgentCheckpoint
from checkpoint_ld.agent.text import sha256_of
from checkpoint_ld.errors import IntegrityError, InvalidCheckpoint, ReadError
from checkpoint_ld.findings import Place
from checkpoint_ld.rules import finding
from checkpoint_ld.stores.database import contents, queries, sqlite
from checkpoint_ld.stores.database.rows import call_rows, thought_rows, tree_of
from checkpoint_ld.stores.database.schema import checkpoints, thoughts, tool_calls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection, Table

    from checkpoint_ld.findings import Finding
    from checkpoint_ld.stores.database.connection import Database


def findings(database: Database, *, repair: bool) -> Iterator[Finding]:
    """Yield what is wrong with a database; with `repair`, make thoughts and calls again where the checkpoint is whole.

    Raises StoreError for a database that is not ours, or cannot be used.
    """
    where = Place(str(database.path))
    try:
        with database.reading() as connection:
            faults = sqlite.faults(connection)
            ids = list(connection.scalars(select(checkpoints.c.id).order_by(checkpoints.c.id)))
    except IntegrityError as error:
        faults, ids = [str(error)], []
    for fault in faults:
        yield replace(finding("agent-database-damaged", f"the database is damaged: {fault}"), place=where)
    for checkpoint_id in [] if faults else ids:
        found = _of_checkpoint(database, checkpoint_id, repair=repair)
        if found is not None:
            yield replace(found, place=where)


def _of_checkpoint(database: Database, checkpoint_id: str, *, repair: bool) -> Finding | None:
    with database.writing() if repair else database.reading() as connection:
        row = connection.execute(queries.whole(checkpoint_id)).mappings().first()
        if row is None:  # deleted meanwhile
            return None
        try:
            tree = tree_of(row)
            fits, checkpoint = sha256_of(tree) == row["sha256"], AgentCheckpoint.of_tree(tree)
        except (ReadError, InvalidCheckpoint, TypeError, ValueError) as error:
            return finding("agent-row-damaged", f"the row cannot be restored: {error}", subject=checkpoint_id)
        if not fits:
            return finding("agent-row-damaged", f"the row does not fit {row['sha256']}", subject=checkpoint_id)
        if _has_its_parts(connection, checkpoint):
            return None
        if repair:
            _make_parts_again(connection, checkpoint)
    message = f"other thoughts or calls than those of its snapshot{', which were made again' if repair else ''}"
    return finding("agent-row-parts", message, subject=checkpoint_id)


def _has_its_parts(connection: Connection, checkpoint: AgentCheckpoint) -> bool:
    return _rows(connection, thoughts, checkpoint.id) == list(
        thought_rows(checkpoint.id, checkpoint.snapshot)
    ) and _rows(connection, tool_calls, checkpoint.id) == list(call_rows(checkpoint.id, checkpoint.snapshot))


def _rows(connection: Connection, table: Table, checkpoint_id: str) -> list[dict[str, Any]]:
    query = select(table).where(table.c.checkpoint_id == checkpoint_id).order_by(table.c.seq)
    return [dict(row) for row in connection.execute(query).mappings()]


def _make_parts_again(connection: Connection, checkpoint: AgentCheckpoint) -> None:
    for table in (thoughts, tool_calls):
        connection.execute(delete(table).where(table.c.checkpoint_id == checkpoint.id))
    contents.add_parts(connection, checkpoint)

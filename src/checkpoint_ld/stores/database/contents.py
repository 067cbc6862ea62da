"""Contents: checkpoints brought into the tables, changed and taken out, with the rows of their executions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, insert, select, update

from checkpoint_ld.stores.database.rows import Row, call_rows, filled, row_of, thought_rows
from checkpoint_ld.stores.database.schema import UNKNOWN, checkpoints, executions, thoughts, tool_calls

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from checkpoint_ld.agent.checkpoint import AgentCheckpoint

_ENDED = {"execution_completed": "completed", "execution_failed": "failed"}
_STATUSES = {"paused": "paused", **_ENDED}
_COUNTED = ("step_number", "tokens_used", "duration_ms", "checkpoint_reason")
_CHANGING = (*_COUNTED, "name", "description", "sha256", "metadata_json", "extra_json")
"""The columns that other metadata change; the snapshot is always the same."""


def add(
    connection: Connection, checkpoint: AgentCheckpoint, *, file_name: str | None, source_sha256: str | None
) -> None:
    """Insert a checkpoint with its thoughts and calls; one of its id must not be there."""
    told = row_of(checkpoint.tree(), checkpoint, checkpoint.sha256)
    _open_execution(connection, checkpoint)
    connection.execute(insert(checkpoints), [{**told, "file_name": file_name, "source_sha256": source_sha256}])
    add_parts(connection, checkpoint)
    follow(connection, checkpoint.execution_id, task_of(checkpoint), checkpoint.id)


def add_parts(connection: Connection, checkpoint: AgentCheckpoint) -> None:
    """Insert the thoughts and calls of a checkpoint."""
    for table, rows in (
        (thoughts, list(thought_rows(checkpoint.id, checkpoint.snapshot))),
        (tool_calls, list(call_rows(checkpoint.id, checkpoint.snapshot))),
    ):
        if rows:
            connection.execute(insert(table), rows)


def change(connection: Connection, checkpoint: AgentCheckpoint) -> None:
    """Write what may be changed about a checkpoint that is there."""
    told = row_of(checkpoint.tree(), checkpoint, checkpoint.sha256)
    changed = {name: told[name] for name in _CHANGING}
    connection.execute(update(checkpoints).where(checkpoints.c.id == checkpoint.id).values(changed))
    follow(connection, checkpoint.execution_id)


def remove(connection: Connection, checkpoint_id: str) -> bool:
    """Delete a checkpoint with its thoughts and calls; tell whether it was there."""
    execution = connection.scalar(select(checkpoints.c.execution_id).where(checkpoints.c.id == checkpoint_id))
    if execution is None:
        return False
    connection.execute(delete(checkpoints).where(checkpoints.c.id == checkpoint_id))
    follow(connection, execution)
    return True


def follow(connection: Connection, execution_id: str, task: str | None = None, told_by: str | None = None) -> None:
    """Bring the row of an execution up to date: its state is that of its newest checkpoint; without any it goes.

    `task` is that of the checkpoint `told_by`; it counts if that one is the newest, or if none was known.
    """
    of = checkpoints.c
    mine = select(of.id, of.timestamp, of.checkpoint_reason).where(of.execution_id == execution_id).limit(1)
    newest = connection.execute(mine.order_by(of.timestamp.desc(), of.step_number.desc(), of.id.desc())).first()
    if newest is None:
        connection.execute(delete(executions).where(executions.c.id == execution_id))
        return
    oldest = connection.execute(mine.order_by(of.timestamp, of.step_number, of.id)).one()
    told: Row = {
        "status": _STATUSES.get(newest.checkpoint_reason, "running"),
        "started_at": oldest.timestamp,
        "completed_at": newest.timestamp if newest.checkpoint_reason in _ENDED else None,
    }
    here = update(executions).where(executions.c.id == execution_id)
    connection.execute(here.values(told))
    if task is not None:
        connection.execute(
            (here if newest.id == told_by else here.where(executions.c.task == UNKNOWN["task"])).values({"task": task})
        )


def task_of(checkpoint: AgentCheckpoint) -> str | None:
    """Return what an agent was to do, where the variable `task` says so."""
    task: Any = checkpoint.snapshot.context.variables.get("task")
    return task if isinstance(task, str) else None


def _open_execution(connection: Connection, checkpoint: AgentCheckpoint) -> None:
    known = connection.scalar(select(executions.c.id).where(executions.c.id == checkpoint.execution_id))
    if known is None:
        open_execution(connection, checkpoint.execution_id, checkpoint.agent_id)


def open_execution(connection: Connection, execution_id: str, agent_id: str) -> None:
    """Insert the row of an execution of which nothing else is known yet."""
    row = {"id": execution_id, "agent_id": agent_id, "status": "running", "task": None, "started_at": None}
    connection.execute(insert(executions), [filled(row)])

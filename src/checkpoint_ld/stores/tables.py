"""The tables of the database, strict where it can be, with their indexes; and checkpoints as rows of them, and back.

Types and constraints are chosen so that PostgreSQL can hold the same tables: integers of 64 bits, real numbers of
double precision, texts that are ordered by code point. What only one of the two understands is marked so.
"""

from __future__ import annotations

import json
import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import orjson
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from checkpoint_ld.agent.values import real
from checkpoint_ld.stores.protocol import Header

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from sqlalchemy.types import TypeEngine

    from checkpoint_ld.agent.checkpoint import AgentCheckpoint
    from checkpoint_ld.agent.values import Snapshot
    from checkpoint_ld.stores.protocol import Filter, Heading


NUMBER: Final = 2
"""The number of this schema. Older databases are brought to it; newer ones are refused."""

_text: TypeEngine[Any] = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
_integer: TypeEngine[Any] = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_real: TypeEngine[Any] = sa.Double().with_variant(sa.REAL(), "sqlite")

STATUSES: Final = ("pending", "running", "paused", "completed", "failed", "cancelled")
"""The states of an execution."""

UNKNOWN: Final[Mapping[str, Any]] = MappingProxyType(
    {"task": "", "started_at": 0, "tool_id": "", "args_json": "{}", "success": -1}
)
"""What stands in columns that are not NULL where nothing is known; the success of a call in flight is not."""

metadata = sa.MetaData()


def _json_checks(*names: str) -> list[sa.CheckConstraint]:
    sqlite = [sa.CheckConstraint(f"json_valid({name})").ddl_if(dialect="sqlite") for name in names]
    return [*sqlite, *(sa.CheckConstraint(f"{name} IS JSON").ddl_if(dialect="postgresql") for name in names)]


def _checkpoint_id() -> sa.Column[str]:
    return sa.Column(
        "checkpoint_id", _text, sa.ForeignKey("checkpoints.id", ondelete="CASCADE"), primary_key=True, nullable=False
    )


executions = sa.Table(
    "executions",
    metadata,
    sa.Column("id", _text, primary_key=True),
    sa.Column("agent_id", _text, nullable=False),
    sa.Column("task", _text, nullable=False),  # see UNKNOWN, as for all that may be unknown and not NULL
    sa.Column("started_at", _integer, nullable=False),
    sa.Column("completed_at", _integer),
    sa.Column("status", _text, nullable=False),
    sa.CheckConstraint(f"status IN ({', '.join(map(repr, STATUSES))})"),
    sqlite_strict=True,
)

checkpoints = sa.Table(
    "checkpoints",
    metadata,
    sa.Column("id", _text, primary_key=True),
    sa.Column("version", _text, nullable=False),
    sa.Column("timestamp", _integer, nullable=False),
    sa.Column("execution_id", _text, sa.ForeignKey("executions.id", ondelete="CASCADE"), nullable=False),
    sa.Column("agent_id", _text, nullable=False),
    sa.Column("step_number", _integer, nullable=False),
    sa.Column("tokens_used", _integer, nullable=False),
    sa.Column("duration_ms", _real, nullable=False),
    sa.Column("checkpoint_reason", _text, nullable=False),
    sa.Column("parent_checkpoint_id", _text),  # no foreign key: parents may be pruned
    sa.Column("is_branch", _integer, nullable=False),
    sa.Column("branch_reason", _text),
    sa.Column("name", _text),
    sa.Column("description", _text),
    sa.Column("about_benchmark", _text),
    sa.Column("about_question", _text),
    sa.Column("sha256", _text, nullable=False),
    sa.Column("source_sha256", _text),
    sa.Column("file_name", _text),
    # Long texts come last, so that scans of the others pass them by.
    sa.Column("snapshot_json", _text, nullable=False),
    sa.Column("metadata_json", _text, nullable=False),
    sa.Column("extra_json", _text),
    sa.CheckConstraint("is_branch IN (0, 1)"),
    sa.CheckConstraint("length(sha256) = 64"),
    *_json_checks("snapshot_json", "metadata_json"),
    sqlite_strict=True,
)

thoughts = sa.Table(
    "thoughts",
    metadata,
    _checkpoint_id(),
    sa.Column("id", _text, primary_key=True),
    sa.Column("seq", _integer, nullable=False),
    sa.Column("type", _text, nullable=False),
    sa.Column("content", _text, nullable=False),
    sa.Column("confidence", _real),
    sa.Column("parent_id", _text),  # NULL as well where the parent is not in the chain
    sa.Column("created_at", _integer, nullable=False),
    sa.ForeignKeyConstraint(
        ["checkpoint_id", "parent_id"], ["thoughts.checkpoint_id", "thoughts.id"], deferrable=True, initially="DEFERRED"
    ),
    sa.CheckConstraint("confidence BETWEEN 0 AND 1"),
    sqlite_strict=True,
    sqlite_with_rowid=False,
)

tool_calls = sa.Table(
    "tool_calls",
    metadata,
    _checkpoint_id(),
    sa.Column("id", _text, primary_key=True),
    sa.Column("seq", _integer, nullable=False),
    sa.Column("tool_id", _text, nullable=False),
    sa.Column("args_json", _text, nullable=False),
    sa.Column("result_json", _text),  # NULL is no result, the text null is a result that is null
    sa.Column("status", _text, nullable=False),
    sa.Column("success", _integer, nullable=False),
    sa.Column("error", _text),
    sa.Column("started_at", _integer, nullable=False),
    sa.Column("completed_at", _integer),
    sa.CheckConstraint("success IN (-1, 0, 1)"),
    sqlite_strict=True,
    sqlite_with_rowid=False,
)


def _index(name: str, *columns: sa.Column[Any], where: Any = None) -> sa.Index:
    partial = {} if where is None else {"sqlite_where": where, "postgresql_where": where}
    return sa.Index(name, *columns, **partial)


_of = checkpoints.c
_index("checkpoints_of_execution", _of.execution_id, _of.timestamp, _of.step_number, _of.id)
_index("checkpoints_in_order", _of.timestamp, _of.step_number, _of.id)
_index("checkpoints_of_agent", _of.agent_id, _of.timestamp)
_index("checkpoints_of_parent", _of.parent_checkpoint_id, where=_of.parent_checkpoint_id.is_not(None))
_index("checkpoints_of_question", _of.about_question, where=_of.about_question.is_not(None))
_index("calls_of_tool", tool_calls.c.tool_id, tool_calls.c.checkpoint_id)
_index("failed_calls", tool_calls.c.checkpoint_id, where=tool_calls.c.success == 0)
_index("thoughts_by_id", thoughts.c.id, thoughts.c.checkpoint_id)
_index("thoughts_by_confidence", thoughts.c.confidence, thoughts.c.checkpoint_id)
_chain = thoughts.c
_index("thoughts_of_parent", _chain.parent_id, _chain.checkpoint_id, where=_chain.parent_id.is_not(None))


Row = dict[str, Any]
Tree = dict[str, Any]

_FIRST = ("version", "id", "timestamp", "execution_id", "agent_id")
_OWN_COLUMNS = (*_FIRST, "snapshot", "metadata")
_LONG_NUMBER = re.compile(r"[0-9]{19}")
"""orjson reads integers of up to 64 bits."""
_ENDED = {"execution_completed": "completed", "execution_failed": "failed"}
_STATUSES = {"paused": "paused", **_ENDED}
_COUNTED = ("step_number", "tokens_used", "duration_ms", "checkpoint_reason")
_CHANGING = (*_COUNTED, "name", "description", "sha256", "metadata_json", "extra_json")
"""The columns that other metadata change; the snapshot is always the same."""
_HEADER = [checkpoints.c[name] for name in Header.__slots__]
_KEY = (checkpoints.c.timestamp, checkpoints.c.step_number, checkpoints.c.id)


class Prepared:
    """A statement that is compiled once and run by the driver: what SQLAlchemy does around it takes longer than SQLite.

    `sets` are the columns that an update sets.
    """

    def __init__(self, statement: sa.Executable, sets: tuple[str, ...] | None = None) -> None:
        self._statement: Any = statement
        self._sets = sets
        self._compiled: tuple[str, tuple[str, ...], Mapping[str, Any]] | None = None

    def on(self, connection: sa.Connection, *rows: Row) -> tuple[Any, ...] | None:
        """Run it with the values of these rows, by name; return what it finds first. Raises what the driver does."""
        if self._compiled is None:
            made = self._statement.compile(dialect=connection.dialect, column_keys=self._sets)
            self._compiled = made.string, tuple(made.positiontup), made.params
        text, names, fixed = self._compiled
        given = [tuple(row[name] if name in row else fixed[name] for name in names) for row in rows]
        cursor = connection.connection.cursor()
        try:
            if len(given) > 1:
                cursor.executemany(text, given)
                return None
            cursor.execute(text, given[0])
            found: tuple[Any, ...] | None = cursor.fetchone()
            return found
        finally:
            cursor.close()


_INSERTED = {table: Prepared(sa.insert(table)) for table in (checkpoints, thoughts, tool_calls)}
_EXECUTION = Prepared(
    sa.select(executions.c.status, executions.c.started_at).where(executions.c.id == sa.bindparam("id"))
)
_MINE = sa.select(_of.id, _of.timestamp, _of.checkpoint_reason).where(_of.execution_id == sa.bindparam("of")).limit(1)
_NEWEST = Prepared(_MINE.order_by(*(column.desc() for column in _KEY)))
_OLDEST = Prepared(_MINE.order_by(*_KEY))
_FOLLOWED = Prepared(
    sa.update(executions).where(executions.c.id == sa.bindparam("of")), ("status", "started_at", "completed_at")
)
_KNOWN = Prepared(
    sa.select(*(checkpoints.c[name] for name in ("sha256", "source_sha256", "file_name"))).where(
        checkpoints.c.id == sa.bindparam("id")
    )
)


class Known(NamedTuple):
    """What is known about a checkpoint beside its content."""

    sha256: str
    source_sha256: str | None
    file_name: str | None


def known(connection: sa.Connection, checkpoint_id: str) -> Known | None:
    """Return what is known about a checkpoint, None if it is not there."""
    found = _KNOWN.on(connection, {"id": checkpoint_id})
    return None if found is None else Known(*found)


def row_of(tree: Tree, heading: AgentCheckpoint | Heading, sha256: str) -> Row:
    """Return the row of `checkpoints` for a canonical tree; all members beyond the first seven are one JSON text."""
    header = Header.of(heading, sha256)
    extra = {name: value for name, value in tree.items() if name not in _OWN_COLUMNS}
    return {
        **{name: getattr(header, name) for name in Header.__slots__},
        "is_branch": int(header.is_branch),
        "snapshot_json": dumped(tree["snapshot"]),
        "metadata_json": dumped(tree["metadata"]),
        "extra_json": dumped(extra) if extra else None,
    }


def tree_of(row: Mapping[Any, Any]) -> Tree:
    """Return the canonical tree that a row of `checkpoints` was made from. Raises ValueError for damaged JSON."""
    return {
        **{name: row[name] for name in _FIRST},
        "snapshot": loaded(row["snapshot_json"]),
        "metadata": loaded(row["metadata_json"]),
        **(loaded(row["extra_json"]) if row["extra_json"] is not None else {}),
    }


def thought_rows(checkpoint_id: str, snapshot: Snapshot) -> list[Row]:
    """Return the rows of `thoughts` for a snapshot; of parents, those that are in the chain."""
    chain = {thought.id for thought in snapshot.thought_chain}
    return [
        {
            "checkpoint_id": checkpoint_id,
            "id": thought.id,
            "seq": seq,
            "type": thought.type,
            "content": thought.content,
            "confidence": None if thought.confidence is None else real(thought.confidence),
            "parent_id": thought.parent_id if thought.parent_id in chain else None,
            "created_at": thought.created_at,
        }
        for seq, thought in enumerate(snapshot.thought_chain)
    ]


def call_rows(checkpoint_id: str, snapshot: Snapshot) -> list[Row]:
    """Return the rows of `tool_calls` for a snapshot."""
    results = snapshot.tool_state.results
    outcomes = {None: "pending", True: "completed", False: "failed"}
    return [
        filled(
            {
                "checkpoint_id": checkpoint_id,
                "id": call.id,
                "seq": seq,
                "tool_id": call.tool_id,
                "args_json": None if call.args is None else dumped(call.args),
                "result_json": dumped(results[call.id]) if call.id in results else None,
                "status": outcomes[call.success] if call.status is None else call.status,
                "success": None if call.success is None else int(call.success),
                "error": call.error,
                "started_at": call.started_at,
                "completed_at": call.completed_at,
            }
        )
        for seq, call in enumerate(snapshot.tool_state.calls)
    ]


PARTS: Final[Mapping[sa.Table, Callable[[str, Snapshot], list[Row]]]] = MappingProxyType(
    {thoughts: thought_rows, tool_calls: call_rows}
)
"""The tables of what belongs to a checkpoint, with what makes their rows of its snapshot."""


def filled(row: Row) -> Row:
    """Return a row with what stands for the unknown in columns that are not NULL."""
    return {name: UNKNOWN.get(name) if value is None else value for name, value in row.items()}


def dumped(value: Any) -> str:
    """Return JSON text that is read back as the same value: numbers, nulls and the order of members included."""
    try:
        return orjson.dumps(value).decode()
    except orjson.JSONEncodeError:  # integers above 64 bits
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def loaded(text: str) -> Any:
    """Return the value of JSON text that `dumped` wrote. Raises ValueError for what is no JSON."""
    return json.loads(text) if _LONG_NUMBER.search(text) else orjson.loads(text)


def add(
    connection: sa.Connection, checkpoint: AgentCheckpoint, *, file_name: str | None, source_sha256: str | None
) -> None:
    """Insert a checkpoint with its thoughts and calls; one of its id must not be there."""
    row = row_of(checkpoint.tree(), checkpoint, checkpoint.sha256)
    known = _EXECUTION.on(connection, {"id": checkpoint.execution_id})
    if known is None:
        open_execution(connection, checkpoint.execution_id, checkpoint.agent_id)
    _INSERTED[checkpoints].on(connection, {**row, "file_name": file_name, "source_sha256": source_sha256})
    add_parts(connection, checkpoint.id, checkpoint.snapshot)
    task = checkpoint.snapshot.context.variables.get("task")
    goes_on = known is not None and known[0] == "running" and known[1] <= checkpoint.timestamp
    if goes_on and not isinstance(task, str) and checkpoint.metadata.checkpoint_reason not in _STATUSES:
        return  # the row of its execution is as it should be
    follow(connection, checkpoint.execution_id, task if isinstance(task, str) else None, checkpoint.id)


def add_parts(connection: sa.Connection, checkpoint_id: str, snapshot: Snapshot) -> None:
    """Insert the thoughts and calls of a checkpoint."""
    for table, made in PARTS.items():
        if rows := made(checkpoint_id, snapshot):
            _INSERTED[table].on(connection, *rows)


def change(connection: sa.Connection, checkpoint: AgentCheckpoint) -> None:
    """Write what may be changed about a checkpoint that is there."""
    row = row_of(checkpoint.tree(), checkpoint, checkpoint.sha256)
    changed = {name: row[name] for name in _CHANGING}
    connection.execute(sa.update(checkpoints).where(checkpoints.c.id == checkpoint.id).values(changed))
    follow(connection, checkpoint.execution_id)


def remove(connection: sa.Connection, checkpoint_id: str) -> bool:
    """Delete a checkpoint with its thoughts and calls; return whether it was there."""
    execution = connection.scalar(sa.select(checkpoints.c.execution_id).where(checkpoints.c.id == checkpoint_id))
    if execution is None:
        return False
    connection.execute(sa.delete(checkpoints).where(checkpoints.c.id == checkpoint_id))
    follow(connection, execution)
    return True


def follow(connection: sa.Connection, execution_id: str, task: str | None = None, of_id: str | None = None) -> None:
    """Bring the row of an execution up to date: its state is that of its newest checkpoint; without any it goes.

    `task` is that of the checkpoint `of_id`; it counts if that one is the newest, or if none was known.
    """
    newest, oldest = _NEWEST.on(connection, {"of": execution_id}), _OLDEST.on(connection, {"of": execution_id})
    if newest is None or oldest is None:
        connection.execute(sa.delete(executions).where(executions.c.id == execution_id))
        return
    newest_id, moment, reason = newest
    state: Row = {
        "status": _STATUSES.get(reason, "running"),
        "started_at": oldest[1],
        "completed_at": moment if reason in _ENDED else None,
    }
    _FOLLOWED.on(connection, {**state, "of": execution_id})
    if task is not None:
        here = sa.update(executions).where(executions.c.id == execution_id)
        unknown = here.where(executions.c.task == UNKNOWN["task"])
        connection.execute((here if newest_id == of_id else unknown).values({"task": task}))


def open_execution(connection: sa.Connection, execution_id: str, agent_id: str) -> None:
    """Insert the row of an execution of which nothing else is known yet."""
    row = {"id": execution_id, "agent_id": agent_id, "status": "running", "task": None, "started_at": None}
    connection.execute(sa.insert(executions), [filled(row)])


def headers(wanted: Filter) -> sa.Select[Any]:
    """Return the query for the headers of all that fit, in order, after the cursor and up to the limit."""
    order = [column.desc() if wanted.order == "newest" else column for column in _KEY]
    return sa.select(*_HEADER).where(*_conditions(wanted)).order_by(*order).limit(wanted.limit)


def children(checkpoint_id: str) -> sa.Select[Any]:
    """Return the query for the headers of all that have a checkpoint as parent, the oldest first."""
    return sa.select(*_HEADER).where(checkpoints.c.parent_checkpoint_id == checkpoint_id).order_by(*_KEY)


def holding(thought_id: str) -> sa.Select[Any]:
    """Return the query for the headers of all that hold a thought, the oldest first."""
    held = sa.select(thoughts.c.checkpoint_id).where(thoughts.c.id == thought_id)
    return sa.select(*_HEADER).where(checkpoints.c.id.in_(held)).order_by(*_KEY)


def whole(checkpoint_id: str) -> sa.Select[Any]:
    """Return the query for all columns of a checkpoint."""
    return sa.select(checkpoints).where(checkpoints.c.id == checkpoint_id)


def _conditions(wanted: Filter) -> Iterator[sa.ColumnElement[bool]]:
    for name, compare, value in wanted.conditions:
        if name == "key":
            yield compare(sa.tuple_(*_KEY), sa.tuple_(*value))
        else:
            yield compare(checkpoints.c[name], value)
    calls, chain = tool_calls.c, thoughts.c
    # The checkpoints of one execution are few, and looked at one by one; otherwise those that fit are looked up.
    is_narrow = wanted.execution_id is not None
    if wanted.tool is not None:
        yield _has(calls.checkpoint_id, calls.tool_id == (wanted.tool or None), is_narrow=is_narrow)
    if wanted.failed is not None:
        # Spelt out, since the index of failed calls is not used for a value that is only bound later.
        has_failed = _has(calls.checkpoint_id, calls.success == sa.literal_column("0"), is_narrow=is_narrow)
        yield has_failed if wanted.failed else ~has_failed
    if wanted.confidence_below is not None:
        yield _has(chain.checkpoint_id, chain.confidence < real(wanted.confidence_below), is_narrow=is_narrow)


def _has(of: sa.Column[Any], fits: sa.ColumnElement[bool], *, is_narrow: bool) -> sa.ColumnElement[bool]:
    """Return the condition that a row that fits belongs to a checkpoint, by the row's column `of`."""
    if is_narrow:
        return sa.select(of).where(of == checkpoints.c.id, fits).correlate(checkpoints).exists()
    return checkpoints.c.id.in_(sa.select(of).where(fits))

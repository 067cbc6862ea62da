"""The tables of the database with their indexes, the queries on them, and the conversion of checkpoints to rows.

Types and constraints also fit PostgreSQL: integers of 64 bits, real numbers of double precision, texts that are ordered
by code point. Options of only one of the two databases are marked.
"""

from __future__ import annotations

import json
import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, cast, get_type_hints

import orjson
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from checkpoint_ld.agents.values import BEFORE_SNAPSHOT, COUNTERS, ENDS, FINAL, real
from checkpoint_ld.stores.protocol import Header, header_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from checkpoint_ld.agents.checkpoint import AgentCheckpoint
    from checkpoint_ld.agents.values import Snapshot, Tree
    from checkpoint_ld.stores.protocol import Filter


NUMBER: Final = 2
"""The number of this schema. Older databases are converted to it; newer ones are refused."""
STATUSES: Final = ("pending", "running", "paused", "completed", "failed", "cancelled")
"""The states of an execution."""
UNKNOWN: Final[Mapping[str, Any]] = MappingProxyType(
    {"task": "", "started_at": 0, "tool_id": "", "args_json": "{}", "success": -1}
)
"""The values that stand for unknown in columns that are not NULL, such as the success of a call in flight."""

_TYPES: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "text": sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql"),
        "integer": sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
        "real": sa.Double().with_variant(sa.REAL(), "sqlite"),
    }
)
_OF_PYTHON: Final = {str: "text", str | None: "text?", int: "integer", bool: "integer", float: "real"}
metadata = sa.MetaData()


def _table(name: str, columns: str, *constraints: sa.schema.SchemaItem, **options: Any) -> sa.Table:
    """Return a table with columns that are described as `name type`; a type with `?` may be NULL."""
    made = []
    for column in columns.split(", "):
        name_of, kind = column.split()
        made.append(sa.Column(name_of, _TYPES[kind.rstrip("?")], nullable=kind.endswith("?")))
    return sa.Table(name, metadata, *made, *constraints, sqlite_strict=True, **options)


def _json_checks(*names: str) -> list[sa.CheckConstraint]:
    sqlite = [sa.CheckConstraint(f"json_valid({name})").ddl_if(dialect="sqlite") for name in names]
    return [*sqlite, *(sa.CheckConstraint(f"{name} IS JSON").ddl_if(dialect="postgresql") for name in names)]


def _references(column: str, target: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], ondelete="CASCADE")


_in_header = {name: _OF_PYTHON[kind] for name, kind in get_type_hints(Header).items()} | {"sha256": "text"}
executions = _table(
    "executions",
    "id text, agent_id text, task text, started_at integer, completed_at integer?, status text",  # see UNKNOWN
    sa.PrimaryKeyConstraint("id"),
    sa.CheckConstraint(f"status IN ({', '.join(map(repr, STATUSES))})"),
)
checkpoints = _table(
    "checkpoints",
    ", ".join(f"{name} {kind}" for name, kind in _in_header.items())
    # Long texts come last, so that scans of the other columns skip them.
    + ", source_sha256 text?, file_name text?, snapshot_json text, metadata_json text, extra_json text?",
    sa.PrimaryKeyConstraint("id"),
    _references("execution_id", "executions"),  # parents have no foreign key: they may be pruned
    sa.CheckConstraint("is_branch IN (0, 1)"),
    sa.CheckConstraint("length(sha256) = 64"),
    *_json_checks("snapshot_json", "metadata_json"),
)
thoughts = _table(
    "thoughts",
    "checkpoint_id text, id text, seq integer, type text, content text, confidence real?, "
    "parent_id text?, created_at integer",  # parent_id is NULL as well where the parent is not in the chain
    sa.PrimaryKeyConstraint("checkpoint_id", "id"),
    _references("checkpoint_id", "checkpoints"),
    sa.ForeignKeyConstraint(
        ["checkpoint_id", "parent_id"], ["thoughts.checkpoint_id", "thoughts.id"], deferrable=True, initially="DEFERRED"
    ),
    sa.CheckConstraint("confidence BETWEEN 0 AND 1"),
    sqlite_with_rowid=False,
)
tool_calls = _table(
    "tool_calls",
    # result_json: NULL is no result, the text null is a result that is null
    "checkpoint_id text, id text, seq integer, tool_id text, args_json text, result_json text?, status text, "
    "success integer, error text?, started_at integer, completed_at integer?",
    sa.PrimaryKeyConstraint("checkpoint_id", "id"),
    _references("checkpoint_id", "checkpoints"),
    sa.CheckConstraint("success IN (-1, 0, 1)"),
    sqlite_with_rowid=False,
)
_of, _calls, _chain = checkpoints.c, tool_calls.c, thoughts.c
for _name, _columns, _where in (
    ("checkpoints_of_execution", (_of.execution_id, _of.timestamp, _of.step_number, _of.id), None),
    ("checkpoints_in_order", (_of.timestamp, _of.step_number, _of.id), None),
    ("checkpoints_of_agent", (_of.agent_id, _of.timestamp), None),
    ("checkpoints_of_parent", (_of.parent_checkpoint_id,), _of.parent_checkpoint_id.is_not(None)),
    ("checkpoints_of_question", (_of.about_question,), _of.about_question.is_not(None)),
    ("calls_of_tool", (_calls.tool_id, _calls.checkpoint_id), None),
    ("failed_calls", (_calls.checkpoint_id,), _calls.success == 0),
    ("thoughts_by_id", (_chain.id, _chain.checkpoint_id), None),
    ("thoughts_by_confidence", (_chain.confidence, _chain.checkpoint_id), None),
    ("thoughts_of_parent", (_chain.parent_id, _chain.checkpoint_id), _chain.parent_id.is_not(None)),
):
    sa.Index(_name, *_columns, sqlite_where=_where, postgresql_where=_where)


Row = dict[str, Any]

_LONG_NUMBER = re.compile(r"[0-9]{19}")
"""orjson reads integers of up to 64 bits."""
_CHANGING = (*COUNTERS, "checkpoint_reason", "name", "description", "sha256", "metadata_json", "extra_json")
"""The columns that a change of metadata writes; the snapshot is always the same."""
_HEADER = [_of[name] for name in _in_header]
_KEY = (_of.timestamp, _of.step_number, _of.id)


class PreparedStatement:
    """A statement that is compiled once and executed by the driver, which halves the time of a save.

    `sets` are the columns that an update sets.
    """

    def __init__(self, statement: sa.Executable, sets: tuple[str, ...] | None = None) -> None:
        self._statement: Any = statement
        self._sets = sets
        self._compiled: tuple[str, tuple[str, ...], Mapping[str, Any]] | None = None

    def on(self, connection: sa.Connection, *rows: Row) -> tuple[Any, ...] | None:
        """Execute it with the values of these rows, by name; return the first row. Raises errors of the driver."""
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


_INSERTED = {table: PreparedStatement(sa.insert(table)) for table in (checkpoints, thoughts, tool_calls)}
_EXECUTION = PreparedStatement(
    sa.select(executions.c.status, executions.c.started_at).where(executions.c.id == sa.bindparam("id"))
)
_MINE = sa.select(_of.id, _of.timestamp, _of.checkpoint_reason).where(_of.execution_id == sa.bindparam("of")).limit(1)
_NEWEST = PreparedStatement(_MINE.order_by(*(column.desc() for column in _KEY)))
_OLDEST = PreparedStatement(_MINE.order_by(*_KEY))
_FOLLOWED = PreparedStatement(
    sa.update(executions).where(executions.c.id == sa.bindparam("of")), ("status", "started_at", "completed_at")
)
_KNOWN = PreparedStatement(sa.select(_of.sha256, _of.source_sha256, _of.file_name).where(_of.id == sa.bindparam("id")))


def known(connection: sa.Connection, checkpoint_id: str) -> tuple[str, str | None, str | None] | None:
    """Return the hash of a checkpoint, that of its foreign file, and the name of its file; None without a row."""
    return cast("tuple[str, str | None, str | None] | None", _KNOWN.on(connection, {"id": checkpoint_id}))


def row_of(tree: Tree, header: Header) -> Row:
    """Return the row of `checkpoints` for a canonical tree; members without a column are one JSON text."""
    extra = {name: value for name, value in tree.items() if name not in (*BEFORE_SNAPSHOT, "snapshot", "metadata")}
    return {
        **{name: getattr(header, name) for name in _in_header},
        "is_branch": int(header.is_branch),
        "snapshot_json": dumped(tree["snapshot"]),
        "metadata_json": dumped(tree["metadata"]),
        "extra_json": dumped(extra) if extra else None,
    }


def tree_of(row: Mapping[Any, Any]) -> Tree:
    """Return the canonical tree of a row of `checkpoints`. Raises ValueError for damaged JSON."""
    parts = {name: loaded(row[f"{name}_json"] or "{}") for name in ("snapshot", "metadata", "extra")}
    extra = parts.pop("extra")
    return {**{name: row[name] for name in BEFORE_SNAPSHOT}, **parts, **extra}


def _thought_rows(checkpoint_id: str, snapshot: Snapshot) -> list[Row]:
    """Return the rows of `thoughts` for a snapshot; parents that are not in the chain are NULL."""
    chain = {thought.id for thought in snapshot.thought_chain}
    return [
        {
            "checkpoint_id": checkpoint_id,
            "seq": seq,
            **{name: getattr(thought, name) for name in ("id", "type", "content", "created_at")},
            "confidence": None if thought.confidence is None else real(thought.confidence),
            "parent_id": thought.parent_id if thought.parent_id in chain else None,
        }
        for seq, thought in enumerate(snapshot.thought_chain)
    ]


def _call_rows(checkpoint_id: str, snapshot: Snapshot) -> list[Row]:
    results = snapshot.tool_state.results
    outcomes = {None: "pending", True: "completed", False: "failed"}
    return [
        filled(
            {
                "checkpoint_id": checkpoint_id,
                "seq": seq,
                **{name: getattr(call, name) for name in ("id", "tool_id", "error", "started_at", "completed_at")},
                "args_json": None if call.args is None else dumped(call.args),
                "result_json": dumped(results[call.id]) if call.id in results else None,
                "status": outcomes[call.success] if call.status is None else call.status,
                "success": None if call.success is None else int(call.success),
            }
        )
        for seq, call in enumerate(snapshot.tool_state.calls)
    ]


PARTS: Final[Mapping[sa.Table, Callable[[str, Snapshot], list[Row]]]] = MappingProxyType(
    {thoughts: _thought_rows, tool_calls: _call_rows}
)
"""The tables of the parts of a checkpoint, with the functions that make their rows from its snapshot."""


def filled(row: Row) -> Row:
    """Return a row with UNKNOWN in place of None."""
    return {name: UNKNOWN.get(name) if value is None else value for name, value in row.items()}


def dumped(value: Any) -> str:
    """Return JSON text that is read as the same value, including numbers, nulls and the order of members."""
    try:
        return orjson.dumps(value).decode()
    except orjson.JSONEncodeError:  # integers above 64 bits
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def loaded(text: str) -> Any:
    """Return the value of JSON text that `dumped` wrote. Raises ValueError for a text that is no JSON."""
    return json.loads(text) if _LONG_NUMBER.search(text) else orjson.loads(text)


def add(
    connection: sa.Connection, checkpoint: AgentCheckpoint, *, file_name: str | None, source_sha256: str | None
) -> None:
    """Insert a checkpoint with its thoughts and calls; the id must be new."""
    execution_id = checkpoint.execution_id
    execution = _EXECUTION.on(connection, {"id": execution_id})
    if execution is None:
        row = {"id": execution_id, "agent_id": checkpoint.agent_id, "status": "running", "task": None}
        connection.execute(sa.insert(executions), [filled({**row, "started_at": None})])
    row = {**row_of(checkpoint.tree(), header_of(checkpoint)), "file_name": file_name, "source_sha256": source_sha256}
    _INSERTED[checkpoints].on(connection, row)
    add_parts(connection, checkpoint.id, checkpoint.snapshot)
    task = checkpoint.snapshot.context.variables.get("task")
    goes_on = execution is not None and execution[0] == "running" and execution[1] <= checkpoint.timestamp
    if goes_on and not isinstance(task, str) and checkpoint.metadata.checkpoint_reason not in ENDS:
        return  # the row of its execution needs no change
    follow(connection, execution_id, task if isinstance(task, str) else None, checkpoint.id)


def add_parts(connection: sa.Connection, checkpoint_id: str, snapshot: Snapshot) -> None:
    """Insert the thoughts and calls of a checkpoint."""
    for table, made in PARTS.items():
        if rows := made(checkpoint_id, snapshot):
            _INSERTED[table].on(connection, *rows)


def change(connection: sa.Connection, checkpoint: AgentCheckpoint) -> None:
    """Write the changed metadata of a checkpoint."""
    row = row_of(checkpoint.tree(), header_of(checkpoint))
    changed = {name: row[name] for name in _CHANGING}
    connection.execute(sa.update(checkpoints).where(_of.id == checkpoint.id).values(changed))
    follow(connection, checkpoint.execution_id)


def remove(connection: sa.Connection, checkpoint_id: str) -> bool:
    """Delete a checkpoint with its thoughts and calls; return whether it existed."""
    execution = connection.scalar(sa.delete(checkpoints).where(_of.id == checkpoint_id).returning(_of.execution_id))
    if execution is None:
        return False
    follow(connection, execution)
    return True


def follow(connection: sa.Connection, execution_id: str, task: str | None = None, of_id: str | None = None) -> None:
    """Update the row of an execution to the state of its newest checkpoint; without checkpoints it is removed.

    `task` is that of the checkpoint `of_id`; it is written if that is the newest, or if no task was known.
    """
    newest, oldest = _NEWEST.on(connection, {"of": execution_id}), _OLDEST.on(connection, {"of": execution_id})
    if newest is None or oldest is None:
        connection.execute(sa.delete(executions).where(executions.c.id == execution_id))
        return
    newest_id, moment, reason = newest
    ended = moment if reason in FINAL else None
    state = {"status": ENDS.get(reason, "running"), "started_at": oldest[1], "completed_at": ended}
    _FOLLOWED.on(connection, {**state, "of": execution_id})
    if task is not None:
        mine = sa.update(executions).where(executions.c.id == execution_id)
        unknown = mine.where(executions.c.task == UNKNOWN["task"])
        connection.execute((mine if newest_id == of_id else unknown).values({"task": task}))


def headers(wanted: Filter) -> sa.Select[Any]:
    """Return the query for the headers of all matching checkpoints, in order, after the cursor and up to the limit."""
    order = [column.desc() if wanted.order == "newest" else column for column in _KEY]
    return sa.select(*_HEADER).where(*_conditions(wanted)).order_by(*order).limit(wanted.limit)


def children(checkpoint_id: str) -> sa.Select[Any]:
    """Return the query for the headers of the children of a checkpoint, the oldest first."""
    return sa.select(*_HEADER).where(_of.parent_checkpoint_id == checkpoint_id).order_by(*_KEY)


def holding(thought_id: str) -> sa.Select[Any]:
    """Return the query for the headers of the checkpoints that hold a thought, the oldest first."""
    held = sa.select(_chain.checkpoint_id).where(_chain.id == thought_id)
    return sa.select(*_HEADER).where(_of.id.in_(held)).order_by(*_KEY)


def _conditions(wanted: Filter) -> Iterator[sa.ColumnElement[bool]]:
    for name, compare, value in wanted.conditions:
        yield compare(sa.tuple_(*_KEY), sa.tuple_(*value)) if name == "key" else compare(_of[name], value)

    def has(of: sa.Column[Any], fits: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
        # The few checkpoints of an execution are checked each; otherwise an index finds the matching ones.
        if wanted.execution_id is not None:
            return sa.select(of).where(of == _of.id, fits).correlate(checkpoints).exists()
        return _of.id.in_(sa.select(of).where(fits))

    if wanted.tool is not None:
        yield has(_calls.checkpoint_id, _calls.tool_id == (wanted.tool or None))
    if wanted.failed is not None:
        # A constant, because SQLite does not use the index of failed calls for a parameter.
        has_failed = has(_calls.checkpoint_id, _calls.success == sa.literal_column("0"))
        yield has_failed if wanted.failed else ~has_failed
    if wanted.confidence_below is not None:
        yield has(_chain.checkpoint_id, _chain.confidence < real(wanted.confidence_below))

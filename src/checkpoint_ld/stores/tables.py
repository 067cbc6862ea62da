"""The tables of the database with their indexes and views, the queries, and the conversion of checkpoints to rows.

A checkpoint is a row of `saved_checkpoints`, with its text form as numbers of `parts`, which has each thought, call and
result once. The views `checkpoints`, `thoughts` and `tool_calls` show them in columns.
"""

from __future__ import annotations

import json
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, cast, get_type_hints

import orjson
import sqlalchemy as sa

from checkpoint_ld.agents.values import BEFORE_SNAPSHOT, ENDS, FINAL, real
from checkpoint_ld.documents.packed import PackedParts, clear_parts
from checkpoint_ld.stores.protocol import Header, header_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from checkpoint_ld.agents.checkpoint import AgentCheckpoint
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
    {"text": sa.Text(), "integer": sa.Integer(), "real": sa.REAL(), "blob": sa.LargeBinary()}
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
    return [sa.CheckConstraint(f"json_valid({name})") for name in names]


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
    "saved_checkpoints",
    ", ".join(f"{name} {kind}" for name, kind in _in_header.items())
    # Long texts come last, so that scans of the other columns skip them.
    + ", source_sha256 text?, file_name text?, has_failed integer, lowest_confidence real?, metadata_json text, "
    "extra_json text?, thoughts_json text, calls_json text, layout_json text",
    sa.PrimaryKeyConstraint("id"),
    _references("execution_id", "executions"),  # parents have no foreign key: they may be pruned
    sa.CheckConstraint("is_branch IN (0, 1)"),
    sa.CheckConstraint("length(sha256) = 64"),
    *_json_checks("metadata_json", "thoughts_json", "calls_json", "layout_json"),
)
parts = _table("parts", "number integer, hash blob, body text", sa.PrimaryKeyConstraint("number"))
tools = _table(
    "tools",
    "tool_id text, checkpoint_id text",
    sa.PrimaryKeyConstraint("tool_id", "checkpoint_id"),
    _references("checkpoint_id", "saved_checkpoints"),
    sqlite_with_rowid=False,
)
_of = checkpoints.c
for _name, _columns, _where in (
    ("checkpoints_of_execution", (_of.execution_id, _of.timestamp, _of.step_number, _of.id), None),
    ("checkpoints_in_order", (_of.timestamp, _of.step_number, _of.id), None),
    ("checkpoints_of_agent", (_of.agent_id, _of.timestamp), None),
    ("checkpoints_of_parent", (_of.parent_checkpoint_id,), _of.parent_checkpoint_id.is_not(None)),
    ("checkpoints_of_question", (_of.about_question,), _of.about_question.is_not(None)),
    ("checkpoints_that_failed", (_of.timestamp, _of.step_number, _of.id), _of.has_failed == sa.literal_column("1")),
    ("tools_of_checkpoint", (tools.c.checkpoint_id,), None),
):
    sa.Index(_name, *_columns, sqlite_where=_where)
sa.Index("parts_by_hash", parts.c.hash, unique=True)

_TEXT: Final = """(SELECT group_concat(CASE piece.type WHEN 'text' THEN piece.value ELSE (
    SELECT group_concat(part.body, ',' || char(10)) FROM json_each(piece.value) AS number
    CROSS JOIN parts AS part ON part.number = number.value) END, '') FROM json_each(saved.layout_json) AS piece)"""
_VIEWS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "checkpoints": f"""SELECT {", ".join(_in_header)}, source_sha256, file_name,
  json_extract({_TEXT}, '$.snapshot') AS snapshot_json, metadata_json, extra_json
  FROM saved_checkpoints AS saved""",  # noqa: S608 - of this module
        "thoughts": """SELECT saved.id AS checkpoint_id, json_extract(body, '$.id') AS id, number.key AS seq,
  json_extract(body, '$.type') AS type, json_extract(body, '$.content') AS content,
  CAST(json_extract(body, '$.confidence') AS REAL) AS confidence,
  json_extract(body, '$.parent_id') AS parent_id, json_extract(body, '$.created_at') AS created_at
  FROM saved_checkpoints AS saved CROSS JOIN json_each(saved.thoughts_json) AS number
  CROSS JOIN parts ON parts.number = number.value""",
        # result_json: NULL is no result, the text null is a result that is null
        "tool_calls": """SELECT saved.id AS checkpoint_id, json_extract(call.body, '$.id') AS id, both.key AS seq,
  coalesce(json_extract(call.body, '$.tool_id'), '') AS tool_id,
  coalesce(json_extract(call.body, '$.args'), '{}') AS args_json,
  json(substr(result.body, length(json_quote(json_extract(call.body, '$.id'))) + 11)) AS result_json,
  coalesce(json_extract(call.body, '$.status'), CASE json_extract(call.body, '$.success')
    WHEN 1 THEN 'completed' WHEN 0 THEN 'failed' ELSE 'pending' END) AS status,
  coalesce(json_extract(call.body, '$.success'), -1) AS success, json_extract(call.body, '$.error') AS error,
  coalesce(json_extract(call.body, '$.started_at'), 0) AS started_at,
  json_extract(call.body, '$.completed_at') AS completed_at
  FROM saved_checkpoints AS saved CROSS JOIN json_each(saved.calls_json) AS both
  CROSS JOIN parts AS call ON call.number = json_extract(both.value, '$[0]')
  LEFT JOIN parts AS result ON result.number = json_extract(both.value, '$[1]')""",
    }
)


def create(connection: sa.Connection) -> None:
    """Make the tables and views."""
    metadata.create_all(connection)
    for name, query in _VIEWS.items():
        connection.exec_driver_sql(f"CREATE VIEW {name} AS {query}")
    connection.exec_driver_sql(f"PRAGMA user_version = {NUMBER:d}")


Row = dict[str, Any]

_LONG_NUMBER: Final = b"0" * 19
"""What a number looks like that orjson may not read as it is, which reads integers of up to 64 bits."""
_DIGITS: Final = bytes(48 if 48 <= byte <= 57 else 32 for byte in range(256))
"""Turns each digit into 0, all other bytes into spaces; much faster than a pattern."""
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


_INSERTED = {table: PreparedStatement(sa.insert(table)) for table in (checkpoints, tools)}
_EXECUTION = PreparedStatement(
    sa.select(executions.c.status, executions.c.started_at).where(executions.c.id == sa.bindparam("id"))
)
_MINE = sa.select(_of.id, _of.timestamp, _of.checkpoint_reason).where(_of.execution_id == sa.bindparam("of")).limit(1)
_NEWEST = PreparedStatement(_MINE.order_by(*(column.desc() for column in _KEY)))
_OLDEST = PreparedStatement(_MINE.order_by(*_KEY))
_FOLLOWED = PreparedStatement(
    sa.update(executions).where(executions.c.id == sa.bindparam("of")), ("status", "started_at", "completed_at")
)
_ROW = PreparedStatement(sa.select(checkpoints).where(_of.id == sa.bindparam("id")))
_KNOWN = PreparedStatement(sa.select(_of.sha256, _of.source_sha256, _of.file_name).where(_of.id == sa.bindparam("id")))


def known(connection: sa.Connection, checkpoint_id: str) -> tuple[str, str | None, str | None] | None:
    """Return the hash of a checkpoint, that of its foreign file, and the name of its file; None without a row."""
    return cast("tuple[str, str | None, str | None] | None", _KNOWN.on(connection, {"id": checkpoint_id}))


def row(connection: sa.Connection, checkpoint_id: str) -> Row | None:
    """Return the row of a checkpoint by the names of its columns, None if there is none."""
    found = _ROW.on(connection, {"id": checkpoint_id})
    return None if found is None else dict(zip(checkpoints.columns.keys(), found, strict=True))


def ids(connection: sa.Connection, execution_id: str, start: str = "") -> list[str]:
    """Return the ids of the checkpoints of an execution that start so, in no order."""
    driver: Any = connection.connection.driver_connection
    query = "SELECT id FROM saved_checkpoints WHERE execution_id = ?"
    more, given = (" AND id >= ? AND instr(id, ?) = 1", [start, start]) if start else ("", [])
    return [id for (id,) in driver.execute(query + more, [execution_id, *given]).fetchall()]


def stated_columns(checkpoint: AgentCheckpoint) -> Row:
    """Return the columns of a checkpoint with its header, metadata and members that have no column."""
    header, tree = header_of(checkpoint), checkpoint.model_copy(update={"snapshot": None}).tree()
    extra = {name: value for name, value in tree.items() if name not in (*BEFORE_SNAPSHOT, "snapshot", "metadata")}
    return {
        **{name: getattr(header, name) for name in _in_header},
        "is_branch": int(header.is_branch),
        "metadata_json": dumped(tree["metadata"]),
        "extra_json": dumped(extra) if extra else None,
    }


def row_of(connection: sa.Connection, checkpoint: AgentCheckpoint) -> Row:
    """Return the row of a checkpoint, whose new parts are added."""
    form, snapshot = checkpoint.form, checkpoint.snapshot
    stated = [one for one in map(attrgetter("confidence"), snapshot.thought_chain) if one is not None]
    made = connection.info.setdefault(PARTS, PackedParts(packed=False))
    driver: Any = connection.connection.driver_connection
    layout = made.layout(driver, form.pieces)
    numbers: dict[int, Any] = dict(zip(map(id, form.pieces), layout, strict=True))
    thoughts, calls, listed = (numbers.get(id(part), []) for part in (form.thoughts, form.calls, form.results))
    results = dict(zip(snapshot.tool_state.results, listed, strict=True))
    both = [*zip(calls, map(results.get, map(_ID, snapshot.tool_state.calls)), strict=True)]
    return {
        **stated_columns(checkpoint),
        "has_failed": int(False in map(attrgetter("success"), snapshot.tool_state.calls)),
        "lowest_confidence": real(min(stated)) if stated else None,
        "thoughts_json": dumped(thoughts),
        "calls_json": dumped(both),
        "layout_json": dumped(layout),
    }


_ID: Final = attrgetter("id")
PARTS: Final = "checkpoint_ld_parts"
"""The key of the numbers of parts that a connection knows."""
_BODIES: Final = """SELECT number, body FROM parts WHERE number IN (
    SELECT number.value FROM json_each(?) AS piece, json_each(piece.value) AS number WHERE piece.type = 'array')"""


def _all(driver: Any, query: str, value: str) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = driver.execute(query, [value]).fetchall()
    return found


def content_of(connection: sa.Connection, row: Mapping[Any, Any]) -> bytes:
    """Return the text form of the checkpoint in a row. Raises ValueError for damaged ones."""
    layout = orjson.loads(row["layout_json"])
    bodies = dict(_all(connection.connection.driver_connection, _BODIES, row["layout_json"]))
    try:
        texts = (
            piece if isinstance(piece, str) else ",\n".join([bodies[number] for number in piece]) for piece in layout
        )
        return "".join(texts).encode()
    except (KeyError, TypeError) as error:
        raise ValueError(f"part {error} of it is missing") from error


def is_consistent(connection: sa.Connection, row: Mapping[Any, Any], checkpoint: AgentCheckpoint) -> bool:
    """Return whether the columns about thoughts and calls, and the tools, are those of the checkpoint."""
    form, snapshot, driver = checkpoint.form, checkpoint.snapshot, connection.connection.driver_connection
    bodies = dict(_all(driver, _BODIES, row["layout_json"]))
    thoughts = [bodies.get(number) for number in orjson.loads(row["thoughts_json"])]
    calls = [[bodies.get(number) for number in both] for both in orjson.loads(row["calls_json"])]
    of_calls = dict(zip(snapshot.tool_state.results, form.results, strict=True))
    results = [of_calls.get(call.id) for call in snapshot.tool_state.calls]
    stated = [thought.confidence for thought in snapshot.thought_chain if thought.confidence is not None]
    used = {tool for (tool,) in _all(driver, "SELECT tool_id FROM tools WHERE checkpoint_id = ?", checkpoint.id)}
    return (
        thoughts == [text.decode() for text in form.thoughts]
        and calls
        == [[call.decode(), result and result.decode()] for call, result in zip(form.calls, results, strict=True)]
        and row["has_failed"] == any(call.success is False for call in snapshot.tool_state.calls)
        and row["lowest_confidence"] == (real(min(stated)) if stated else None)
        and used == {call.tool_id for call in snapshot.tool_state.calls if call.tool_id is not None}
    )


def clear(connection: sa.Connection) -> int:
    """Delete the parts that no checkpoint has any more, and return how many they were."""
    driver: Any = connection.connection.driver_connection
    layouts = driver.execute("SELECT layout_json FROM saved_checkpoints")
    return clear_parts(driver, (orjson.loads(layout) for (layout,) in layouts))


def filled(row: Row) -> Row:
    """Return a row with UNKNOWN in place of None."""
    return {name: UNKNOWN.get(name) if value is None else value for name, value in row.items()}


def dumped(value: Any) -> str:
    """Return JSON text that is read as the same value, including numbers, nulls and the order of members."""
    try:
        return orjson.dumps(value).decode()
    except orjson.JSONEncodeError:  # integers above 64 bits
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def loaded(text: bytes) -> Any:
    """Return the value of JSON text that `dumped` wrote. Raises ValueError for a text that is no JSON."""
    return json.loads(text) if _LONG_NUMBER in text.translate(_DIGITS) else orjson.loads(text)


def add(
    connection: sa.Connection, checkpoint: AgentCheckpoint, *, file_name: str | None, source_sha256: str | None
) -> None:
    """Insert a checkpoint with its thoughts and calls; the id must be new."""
    execution_id = checkpoint.execution_id
    execution = _EXECUTION.on(connection, {"id": execution_id})
    if execution is None:
        begun = {"id": execution_id, "agent_id": checkpoint.agent_id, "status": "running", "task": None}
        connection.execute(sa.insert(executions), [filled({**begun, "started_at": None})])
    made = {**row_of(connection, checkpoint), "file_name": file_name, "source_sha256": source_sha256}
    _INSERTED[checkpoints].on(connection, made)
    called = sorted({call.tool_id for call in checkpoint.snapshot.tool_state.calls if call.tool_id is not None})
    if called:
        rows: list[Row] = [{"tool_id": tool, "checkpoint_id": checkpoint.id} for tool in called]
        _INSERTED[tools].on(connection, *rows)
    task = checkpoint.snapshot.context.variables.get("task")
    goes_on = execution is not None and execution[0] == "running" and execution[1] <= checkpoint.timestamp
    if goes_on and not isinstance(task, str) and checkpoint.metadata.checkpoint_reason not in ENDS:
        return  # the row of its execution needs no change
    follow(connection, execution_id, task if isinstance(task, str) else None, checkpoint.id)


def change(connection: sa.Connection, checkpoint: AgentCheckpoint) -> None:
    """Write the changed metadata of a checkpoint."""
    row = row_of(connection, checkpoint)
    connection.execute(sa.update(checkpoints).where(_of.id == checkpoint.id).values(row))
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


def _conditions(wanted: Filter) -> Iterator[sa.ColumnElement[bool]]:
    for name, compare, value in wanted.conditions:
        yield compare(sa.tuple_(*_KEY), sa.tuple_(*value)) if name == "key" else compare(_of[name], value)

    if wanted.tool is not None:
        used = sa.select(tools.c.checkpoint_id).where(tools.c.tool_id == (wanted.tool or None))
        yield _of.id.in_(used)
    if wanted.failed is not None:
        # A constant, because SQLite does not use the index of a part of the rows for a parameter.
        yield _of.has_failed == sa.literal_column(str(int(wanted.failed)))
    if wanted.confidence_below is not None:
        yield _of.lowest_confidence < real(wanted.confidence_below)

"""The tables of the database: four, strict where the database can be, and the indexes that its queries search by.

Types and constraints are chosen so that PostgreSQL can hold the same tables: integers of 64 bits, real numbers of
double precision, texts that are ordered by code point. What only one of the two understands is marked so.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import (
    REAL,
    BigInteger,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
)
from sqlalchemy.dialects import postgresql

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.types import TypeEngine

NUMBER: Final = 2
"""The number of this schema. Older databases are brought to it; newer ones are refused."""

_text: TypeEngine[Any] = Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
_integer: TypeEngine[Any] = BigInteger().with_variant(Integer(), "sqlite")
_real: TypeEngine[Any] = Double().with_variant(REAL(), "sqlite")

STATUSES: Final = ("pending", "running", "paused", "completed", "failed", "cancelled")
"""The states of an execution."""

UNKNOWN: Final[Mapping[str, Any]] = MappingProxyType(
    {"task": "", "started_at": 0, "tool_id": "", "args_json": "{}", "success": -1}
)
"""What stands in columns that are not NULL where nothing is known; the success of a call in flight is not."""

metadata = MetaData()


def _json_checks(*names: str) -> list[CheckConstraint]:
    sqlite = [CheckConstraint(f"json_valid({name})").ddl_if(dialect="sqlite") for name in names]
    return [*sqlite, *(CheckConstraint(f"{name} IS JSON").ddl_if(dialect="postgresql") for name in names)]


def _checkpoint_id() -> Column[str]:
    return Column(
        "checkpoint_id", _text, ForeignKey("checkpoints.id", ondelete="CASCADE"), primary_key=True, nullable=False
    )


executions = Table(
    "executions",
    metadata,
    Column("id", _text, primary_key=True),
    Column("agent_id", _text, nullable=False),
    Column("task", _text, nullable=False),  # see UNKNOWN, as for all that may be unknown and not NULL
    Column("started_at", _integer, nullable=False),
    Column("completed_at", _integer),
    Column("status", _text, nullable=False),
    CheckConstraint(f"status IN ({', '.join(map(repr, STATUSES))})"),
    sqlite_strict=True,
)

checkpoints = Table(
    "checkpoints",
    metadata,
    Column("id", _text, primary_key=True),
    Column("version", _text, nullable=False),
    Column("timestamp", _integer, nullable=False),
    Column("execution_id", _text, ForeignKey("executions.id", ondelete="CASCADE"), nullable=False),
    Column("agent_id", _text, nullable=False),
    Column("step_number", _integer, nullable=False),
    Column("tokens_used", _integer, nullable=False),
    Column("duration_ms", _real, nullable=False),
    Column("checkpoint_reason", _text, nullable=False),
    Column("parent_checkpoint_id", _text),  # no foreign key: parents may be pruned
    Column("is_branch", _integer, nullable=False),
    Column("branch_reason", _text),
    Column("name", _text),
    Column("description", _text),
    Column("about_benchmark", _text),
    Column("about_question", _text),
    Column("sha256", _text, nullable=False),
    Column("source_sha256", _text),
    Column("file_name", _text),
    # Long texts come last, so that scans of the others pass them by.
    Column("snapshot_json", _text, nullable=False),
    Column("metadata_json", _text, nullable=False),
    Column("extra_json", _text),
    CheckConstraint("is_branch IN (0, 1)"),
    CheckConstraint("length(sha256) = 64"),
    *_json_checks("snapshot_json", "metadata_json"),
    sqlite_strict=True,
)

thoughts = Table(
    "thoughts",
    metadata,
    _checkpoint_id(),
    Column("id", _text, primary_key=True),
    Column("seq", _integer, nullable=False),
    Column("type", _text, nullable=False),
    Column("content", _text, nullable=False),
    Column("confidence", _real),
    Column("parent_id", _text),  # NULL as well where the parent is not in the chain
    Column("created_at", _integer, nullable=False),
    ForeignKeyConstraint(
        ["checkpoint_id", "parent_id"],
        ["thoughts.checkpoint_id", "thoughts.id"],
        deferrable=True,
        initially="DEFERRED",
    ),
    CheckConstraint("confidence BETWEEN 0 AND 1"),
    sqlite_strict=True,
    sqlite_with_rowid=False,
)

tool_calls = Table(
    "tool_calls",
    metadata,
    _checkpoint_id(),
    Column("id", _text, primary_key=True),
    Column("seq", _integer, nullable=False),
    Column("tool_id", _text, nullable=False),
    Column("args_json", _text, nullable=False),
    Column("result_json", _text),  # NULL is no result, the text null is a result that is null
    Column("status", _text, nullable=False),
    Column("success", _integer, nullable=False),
    Column("error", _text),
    Column("started_at", _integer, nullable=False),
    Column("completed_at", _integer),
    CheckConstraint("success IN (-1, 0, 1)"),
    sqlite_strict=True,
    sqlite_with_rowid=False,
)


def _index(name: str, *columns: Column[Any], where: Any = None) -> Index:
    partial = {} if where is None else {"sqlite_where": where, "postgresql_where": where}
    return Index(name, *columns, **partial)


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

"""Rows: a checkpoint as rows of tables, and back."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import orjson

from checkpoint_ld.stores.database.schema import UNKNOWN
from checkpoint_ld.stores.header import Header, header_of_heading, real

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from checkpoint_ld.agent.checkpoint import AgentCheckpoint
    from checkpoint_ld.agent.values import Snapshot, ToolCall
    from checkpoint_ld.stores.header import Heading

Row = dict[str, Any]
Tree = dict[str, Any]

_FIRST = ("version", "id", "timestamp", "execution_id", "agent_id")
_OWN_COLUMNS = (*_FIRST, "snapshot", "metadata")
_LONG_NUMBER = re.compile(r"[0-9]{19}")
"""orjson reads integers of up to 64 bits."""


def row_of(tree: Tree, heading: AgentCheckpoint | Heading, sha256: str) -> Row:
    """Return the row of `checkpoints` for a canonical tree; all members beyond the first seven are one JSON text."""
    header = header_of_heading(heading, sha256)
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


def header_of_row(row: Mapping[Any, Any]) -> Header:
    """Return the header that a row of `checkpoints` holds."""
    return Header(**{**{name: row[name] for name in Header.__slots__}, "is_branch": bool(row["is_branch"])})


def thought_rows(checkpoint_id: str, snapshot: Snapshot) -> Iterator[Row]:
    """Yield the rows of `thoughts` for a snapshot; of parents, those that are in the chain."""
    chain = {thought.id for thought in snapshot.thought_chain}
    for seq, thought in enumerate(snapshot.thought_chain):
        yield {
            "checkpoint_id": checkpoint_id,
            "id": thought.id,
            "seq": seq,
            "type": thought.type,
            "content": thought.content,
            "confidence": None if thought.confidence is None else real(thought.confidence),
            "parent_id": thought.parent_id if thought.parent_id in chain else None,
            "created_at": thought.created_at,
        }


def call_rows(checkpoint_id: str, snapshot: Snapshot) -> Iterator[Row]:
    """Yield the rows of `tool_calls` for a snapshot."""
    results = snapshot.tool_state.results
    for seq, call in enumerate(snapshot.tool_state.calls):
        row = {
            "checkpoint_id": checkpoint_id,
            "id": call.id,
            "seq": seq,
            "tool_id": call.tool_id,
            "args_json": None if call.args is None else dumped(call.args),
            "result_json": dumped(results[call.id]) if call.id in results else None,
            "status": _status(call),
            "success": None if call.success is None else int(call.success),
            "error": call.error,
            "started_at": call.started_at,
            "completed_at": call.completed_at,
        }
        yield filled(row)


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


def _status(call: ToolCall) -> str:
    if call.status is not None:
        return call.status
    return "pending" if call.is_in_flight else "completed" if call.success else "failed"

"""The text form of agent checkpoints: equal data gives equal bytes, for hashes and for version control.

It is UTF-8 with two spaces a level, no needless escapes, and one line end at the end. Known members stand in a fixed
order, then unknown ones by code point. Inside JSON parts and unknown members, the given order is kept.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from checkpoint_ld.agents import values
from checkpoint_ld.documents.text import Layout, dump_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from checkpoint_ld.agents.values import Shape

Tree = values.Tree
ROOT: Final = (*values.Heading.model_fields, "diff")
"""The known members of the root, in their order."""


class _Order(NamedTuple):
    """The order of an object's members, and of those of the objects, or arrays of objects, inside it."""

    names: tuple[str, ...]
    inside: Mapping[str, _Order] = {}


def _of(value: type[values.Value], **inside: _Order) -> _Order:
    return _Order(tuple(value.model_fields), inside)


_SHARED = {"metadata": _of(values.CheckpointMetadata), "parent": _of(values.ParentLink), "about": _of(values.About)}
_SNAPSHOT = _of(
    values.Snapshot,
    thought_chain=_of(values.Thought),
    context=_of(values.SnapshotContext),
    tool_state=_of(values.SnapshotToolState, calls=_of(values.ToolCall)),
    progress=_of(values.SnapshotProgress),
)
_STEP = _Order(
    (
        *("id", "type", "content", "reasoning", "confidence"),
        *("parent_id", "children", "timestamp", "alternatives", "metadata"),
    )
)
_CALL = _Order(("id", "tool_id", "arguments", "status", "result", "error", "duration_ms", "timestamp"))
_SECOND_SNAPSHOT = _Order(
    ("thought_chain", "context", "tool_state", "progress"),
    {
        "thought_chain": _Order(("current_step_id", "steps"), {"steps": _STEP}),
        "context": _Order(("messages", "variables", "memory")),
        "tool_state": _Order(
            ("last_tool_call_id", "pending", "running", "completed", "failed"), {"completed": _CALL, "failed": _CALL}
        ),
        "progress": _Order(
            ("step_number", "total_steps_estimate", "iterations_completed", "tokens_used", "duration_ms")
        ),
    },
)
_ORDERS: dict[Shape, _Order] = {
    "canonical": _Order(ROOT, {**_SHARED, "snapshot": _SNAPSHOT}),
    "second": _Order((*ROOT, "canonical_patch"), {**_SHARED, "snapshot": _SECOND_SNAPSHOT}),
}


def ordered(tree: Mapping[str, Any], shape: Shape = "canonical") -> Tree:
    """Return a checkpoint of that shape with all members in the order of the text form; JSON parts are not copied."""
    return _arranged(tree, _ORDERS[shape])  # type: ignore[no-any-return]


def _arranged(value: Any, order: _Order) -> Any:
    if isinstance(value, (list, tuple)):
        return [_arranged(item, order) for item in value]
    if not isinstance(value, dict):
        return value
    members = {name: value[name] for name in order.names if name in value}
    for name, inner in order.inside.items():
        if name in members:
            members[name] = _arranged(members[name], inner)
    if len(members) < len(value):
        members.update((name, value[name]) for name in sorted(value.keys() - members.keys()))
    return members


def bytes_of(tree: Mapping[str, Any], shape: Shape = "canonical") -> bytes:
    """Return the text form in UTF-8. Raises WriteError for what is no JSON, such as NaN."""
    return bytes_of_ordered(ordered(tree, shape))


def bytes_of_ordered(tree: Mapping[str, Any]) -> bytes:
    """Return the text form, in UTF-8, of a tree whose members stand in order already. Raises as `bytes_of`."""
    return dump_json(tree, Layout(end="\n"))


def text_of(tree: Mapping[str, Any], shape: Shape = "canonical") -> str:
    """Return the text form, which ends with a line end. Raises WriteError for what is no JSON, such as NaN."""
    return bytes_of(tree, shape).decode()


def sha256_of(tree: Mapping[str, Any]) -> str:
    """Return the hash of a canonical tree: SHA-256 of its text form in UTF-8, in hexadecimal digits."""
    return hashlib.sha256(bytes_of(tree)).hexdigest()

"""The differences between two checkpoints of an agent for people: what came (+), went (-) and changed (~)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from checkpoint_ld.constraints.secrets import secret
from checkpoint_ld.documents.values import ABSENT
from checkpoint_ld.phrases import harmless

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from checkpoint_ld.agent.difference.checkpoint_diff import Change, CheckpointDiff
    from checkpoint_ld.agent.values import Thought, ToolCall

_ROOM = 60
_SAME = "no differences"
_WITHHELD = "(withheld: it looks like a secret)"


def text_of(diff: CheckpointDiff) -> str:
    """Return the differences as lines; what terminals would obey is replaced, and what looks secret is withheld."""
    lines = list(_lines(diff))
    return "\n".join((_title(diff), *map(harmless, lines or [_SAME])))


def _title(diff: CheckpointDiff) -> str:
    seconds = diff.elapsed_ms / 1000
    told = f"{diff.before.id} → {diff.after.id}: {diff.steps:+d} steps, {diff.tokens:+d} tokens, {seconds:+.1f} s"
    if not diff.same_execution:
        told += f"; execution {diff.before.execution_id} → {diff.after.execution_id}"
    return harmless(told)


def _lines(diff: CheckpointDiff) -> Iterator[str]:
    yield from _section(
        "thoughts",
        (f"+ {_thought(one)}" for one in diff.thoughts_added),
        (f"- {_thought(one)}" for one in diff.thoughts_removed),
        (f"~ {line}" for line in _of_each(diff.thoughts_changed)),
        (f"> {one} stands in another place" for one in diff.thoughts_moved),
    )
    yield from _section(
        "tool calls",
        (f"+ {_call(one)}" for one in diff.tool_calls_added),
        (f"- {_call(one)}" for one in diff.tool_calls_removed),
        (f"~ {line}" for line in _of_each(diff.tool_calls_changed)),
        (f"> {one} stands in another place" for one in diff.tool_calls_moved),
    )
    yield from _section("results", _changes(diff.results_changed, "/snapshot/tool_state/results/"))
    yield from _section("context", _changes(diff.context_changes, "/snapshot/context/"))
    yield from _section("progress", _changes(diff.progress_changes, "/snapshot/progress/"))
    yield from _section("metadata", _changes(diff.metadata_changes, "/metadata/"))
    yield from _section("the rest", _changes(diff.header_changes, "/"))


def _section(title: str, *parts: Iterator[str]) -> Iterator[str]:
    lines = [f"  {line}" for part in parts for line in part]
    if lines:
        yield title
        yield from lines


def _thought(thought: Thought) -> str:
    sure = "" if thought.confidence is None else f" ({thought.confidence})"
    return f"{thought.id} {thought.type}{sure}: {_shown(thought.content, 'content')}"


def _call(call: ToolCall) -> str:
    outcome = call.status or ("in flight" if call.is_in_flight else "completed" if call.success else "failed")
    return f"{call.id} {call.tool_id or 'a tool'} {outcome}: {_shown(call.args or {}, 'args')}"


def _of_each(changed: Mapping[str, Mapping[str, Change]]) -> Iterator[str]:
    for name, found in changed.items():
        for where, change in found.items():
            yield f"{name} {where.removeprefix('/')}: {_values(where, change)}"


def _changes(found: Mapping[str, Change], above: str) -> Iterator[str]:
    for where, change in found.items():
        mark = "+" if change.before is ABSENT else "-" if change.after is ABSENT else "~"
        yield f"{mark} {where.removeprefix(above)}: {_values(where, change)}"


def _values(where: str, change: Change) -> str:
    key = where.rpartition("/")[2]
    return " → ".join(_shown(one, key) for one in (change.before, change.after) if one is not ABSENT)


def _shown(value: Any, key: str) -> str:
    if secret({key: value}):
        return _WITHHELD
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _ROOM else text[: _ROOM - 1] + "…"

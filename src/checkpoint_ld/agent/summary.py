"""A checkpoint for people: where the agent stands, what it thought and did last, and what it knows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from checkpoint_ld.agent.timeline import WITHHELD, instant, outcome_of, span
from checkpoint_ld.phrases import harmless, head
from checkpoint_ld.secrets import secret

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from checkpoint_ld.agent.checkpoint import AgentCheckpoint

_ROOM = 96


def lines_of(checkpoint: AgentCheckpoint, *, latest: int = 5) -> Iterator[str]:
    """Yield the lines; `latest` is how many thoughts and calls are shown. What looks like a secret is withheld."""
    return (head(harmless(line), _ROOM) for line in _lines(checkpoint, latest))


def _lines(checkpoint: AgentCheckpoint, latest: int) -> Iterator[str]:
    metadata, snapshot = checkpoint.metadata, checkpoint.snapshot
    yield f"{checkpoint.id}" + (f" “{checkpoint.name}”" if checkpoint.name else "")
    if checkpoint.description:
        yield checkpoint.description
    yield f"made       {instant(checkpoint.timestamp)}, {metadata.checkpoint_reason}"
    yield f"run        execution {checkpoint.execution_id} of {metadata.agent_name or checkpoint.agent_id}"
    yield f"so far     step {metadata.step_number}, {metadata.tokens_used} tokens, {span(metadata.duration_ms)}"
    if checkpoint.parent is not None:
        branch = ", a branch" if checkpoint.parent.is_branch else ""
        why = f": {checkpoint.parent.branch_reason}" if checkpoint.parent.branch_reason else ""
        yield f"goes on    from {checkpoint.parent.checkpoint_id}{branch}{why}"
    if checkpoint.about is not None:
        yield f"about      {checkpoint.about.question or checkpoint.about.benchmark}"
    thoughts, calls = snapshot.thought_chain, snapshot.tool_state.calls
    yield from _counted("thoughts", thoughts, latest)
    for thought in thoughts[max(len(thoughts) - latest, 0) :]:
        sure = "" if thought.confidence is None else f" {thought.confidence}"
        yield f"  {thought.id} {thought.type}{sure}: {_shown('content', thought.content)}"
    yield from _counted("tool calls", calls, latest)
    for call in calls[max(len(calls) - latest, 0) :]:
        text = call.error if call.error is not None else _shown("args", call.args or {})
        yield f"  {call.id} {call.tool_id or 'a tool'} {outcome_of(call)}: {text}"
    for title, members in (("variables", snapshot.context.variables), ("state", snapshot.context.state)):
        if members:
            yield title
            yield from (f"  {key}: {_shown(key, value)}" for key, value in members.items())
    if snapshot.context.history:
        yield f"history    {len(snapshot.context.history)} entries"
    if snapshot.context.memory:
        yield f"memory     {len(snapshot.context.memory)} entries"


def _counted(title: str, these: Sequence[Any], latest: int) -> Iterator[str]:
    yield f"{title} ({len(these)}{f', the last {latest}' if len(these) > latest else ''})"


def _shown(key: str, value: Any) -> str:
    if secret({key: value}):
        return WITHHELD
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

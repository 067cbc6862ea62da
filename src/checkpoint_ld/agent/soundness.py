"""Soundness: whether an agent checkpoint breaks a rule that the types of its values do not show, told at once.

This is the quick look at something that is nearly always sound. It may doubt too much, never too little: where it
doubts, the rules in `shapes/caf/` decide, and say what is wrong.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from checkpoint_ld.agent.values import LATEST_MS, LONGEST_ID

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from checkpoint_ld.agent.checkpoint import AgentCheckpoint
    from checkpoint_ld.agent.values import Thought, ToolCall

_STATUSES = {True: ("completed", None), False: ("failed", "cancelled", None), None: ("pending", "running", None)}
"""The statuses that agree with the success of a call; none agrees with all."""


def is_sound(checkpoint: AgentCheckpoint) -> bool:
    """Tell whether a checkpoint, whose values are of the right types, certainly breaks no rule."""
    snapshot = checkpoint.snapshot
    return (
        _is_linked(checkpoint)
        and _is_chain(snapshot.thought_chain)
        and _are_unique([call.id for call in snapshot.tool_state.calls])
        and all(map(_is_call, snapshot.tool_state.calls))
        and _are_all(snapshot.context.memory, is_memory)
        and (checkpoint.diff is None or _is_diff(checkpoint.diff))
    )


def _is_linked(checkpoint: AgentCheckpoint) -> bool:
    about = checkpoint.about
    return (
        (checkpoint.parent is None or checkpoint.parent.checkpoint_id != checkpoint.id)
        and checkpoint.metadata.agent_id in (None, checkpoint.agent_id)
        and (about is None or about.benchmark is not None or about.question is not None)
    )


def _is_chain(thoughts: Sequence[Thought]) -> bool:
    """Tell whether the ids are unique, no thought is its own ancestor, and all alternatives are ones."""
    parents = {thought.id: thought.parent_id for thought in thoughts}
    if len(parents) < len(thoughts):
        return False
    ended: set[str] = set()
    for start in parents:
        here: str | None = start
        line = set()
        while here is not None and here in parents and here not in ended:
            if here in line:
                return False
            line.add(here)
            here = parents[here]
        ended |= line
    return all(_are_all(thought.alternatives, is_alternative) for thought in thoughts if thought.alternatives)


def _is_call(call: ToolCall) -> bool:
    if call.status not in _STATUSES[call.success]:
        return False
    is_told = call.tool_id is not None and call.args is not None and call.started_at is not None
    if call.completed_at is not None and (call.started_at is None or call.completed_at < call.started_at):
        return False
    return is_told or call.is_in_flight


def _are_unique(identifiers: Sequence[str]) -> bool:
    return len(set(identifiers)) == len(identifiers)


def _are_all(values: Iterable[Any] | None, is_one: Any) -> bool:
    return all(map(is_one, values or ()))


def is_alternative(value: Any) -> bool:
    """Tell whether a value is one of the `alternatives` of a thought."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("option"), str)
        and isinstance(value.get("reason_rejected"), str)
        and ("confidence" not in value or (_is_amount(value["confidence"]) and value["confidence"] <= 1))
    )


def is_memory(value: Any) -> bool:
    """Tell whether a value is an entry of the `memory` of a context."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("key"), str)
        and "value" in value
        and _is_amount(value.get("importance"))
        and type(value.get("timestamp")) is int
        and 0 <= value["timestamp"] <= LATEST_MS
    )


def _is_diff(value: dict[str, Any]) -> bool:
    origin, changes = value.get("from_checkpoint_id"), value.get("changes")
    return (
        isinstance(origin, str)
        and 0 < len(origin) <= LONGEST_ID
        and isinstance(changes, dict)
        and all(isinstance(change, dict) for change in changes.values())
        and isinstance(value.get("summary"), str)
    )


def _is_amount(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value < math.inf

"""The structural rules of agent checkpoints, on the values that pydantic made: what may be saved and restored.

Together with the types of `values` they refuse what the shapes in `shapes/caf/` call a violation. A running agent saves
and restores by them alone; the graph and the shapes are for whoever validates, queries and converts. A test holds the
two against each other.
"""

from __future__ import annotations

from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel, ConfigDict, StrictStr, TypeAdapter, ValidationError

from checkpoint_ld.agents.values import STATUSES, Amount, Id, Milliseconds, Text, Unit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from checkpoint_ld.agents.values import Heading, Members, Thought, ToolCall

ENDED: Final[Mapping[bool | None, tuple[str, ...]]] = MappingProxyType(
    {True: ("completed",), False: ("failed", "cancelled"), None: ("pending", "running")}
)
"""The statuses of calls by their success, None as long as they are in flight."""
_ABSENT: Any = object()


class _PartOfJson(BaseModel):
    """An object inside a JSON part: its known members are typed, others are not looked at."""

    model_config = ConfigDict(extra="ignore")


class _Alternative(_PartOfJson):
    option: Text
    reason_rejected: Text
    confidence: Unit = _ABSENT


class _Memory(_PartOfJson):
    key: Text
    value: Any
    importance: Amount
    timestamp: Milliseconds


class _Difference(_PartOfJson):
    from_checkpoint_id: Id
    changes: dict[StrictStr, dict[str, Any]]
    summary: Text


ALTERNATIVES: Final = TypeAdapter(list[_Alternative])
MEMORY: Final = TypeAdapter(list[_Memory])
_DIFFERENCE = TypeAdapter(_Difference)


def is_broken(checkpoint: Heading, diff: Members | None) -> bool:
    """Return whether a checkpoint, whose values have the right types, breaks a rule whose severity is violation.

    `diff` is its member of that name.
    """
    snapshot, parent, about = checkpoint.snapshot, checkpoint.parent, checkpoint.about
    agent = checkpoint.metadata.agent_id
    return (
        (agent is not None and agent != checkpoint.agent_id)
        or (parent is not None and parent.checkpoint_id == checkpoint.id)
        or (about is not None and about.benchmark is None and about.question is None)
        or not _fits(_DIFFERENCE, diff)
        or not _fits(MEMORY, snapshot.context.memory)
        or _are_broken(snapshot.thought_chain)
        or _are_repeated(snapshot.tool_state.calls)
        or any(_is_broken_call(call) for call in snapshot.tool_state.calls)
    )


def _fits(adapter: TypeAdapter[Any], value: Any) -> bool:
    try:
        if value is not None:
            adapter.validate_python(value)
    except ValidationError:
        return False
    return True


_ID = attrgetter("id")


def _are_repeated(parts: Sequence[Thought | ToolCall]) -> bool:
    return len({*map(_ID, parts)}) < len(parts)


def _are_broken(thoughts: Sequence[Thought]) -> bool:
    parents = {thought.id: thought.parent_id for thought in thoughts if thought.parent_id is not None}
    return (
        _are_repeated(thoughts)
        or any(not _fits(ALTERNATIVES, one.alternatives) for one in thoughts if one.alternatives is not None)
        or _has_cycle(parents)
    )


def _has_cycle(parents: Mapping[str, str]) -> bool:
    """Return whether anything is its own ancestor."""
    seen: set[str] = set()
    for start in parents:
        walked: set[str] = set()
        at: str | None = start
        while at is not None and at not in seen:
            seen.add(at)
            walked.add(at)
            at = parents.get(at)
        if at in walked:
            return True
    return False


def _is_broken_call(call: ToolCall) -> bool:
    if call.success is not None and None in (call.tool_id, call.args, call.started_at):
        return True
    return call.status in STATUSES and call.status not in ENDED[call.success]

"""Differences between two checkpoints of an agent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.agents.json_patch import guarded, patch
from checkpoint_ld.agents.timeline import outcome_of
from checkpoint_ld.documents.text import pointer
from checkpoint_ld.documents.values import ABSENT, Absent, changes, moved
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.phrases import harmless
from checkpoint_ld.secrets import without_secrets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from checkpoint_ld.agents.json_patch import Operation
    from checkpoint_ld.agents.values import Thought, ToolCall
    from checkpoint_ld.documents.values import Path


@dataclass(frozen=True, slots=True)
class ValueChange:
    """The JSON values at one place before and after, ABSENT for no value; null is a value."""

    before: Any | Absent = ABSENT
    after: Any | Absent = ABSENT

    def to_dict(self) -> dict[str, Any]:
        """Return the change as a JSON object, without the keys of absent values."""
        values = {"before": self.before, "after": self.after}
        return {key: value for key, value in values.items() if value is not ABSENT}


Changes = dict[str, ValueChange]
_PLACES: dict[str, tuple[str, ...]] = {
    "results_changed": ("snapshot", "tool_state", "results"),
    "context_changes": ("snapshot", "context"),
    "progress_changes": ("snapshot", "progress"),
    "metadata_changes": ("metadata",),
    "header_changes": (),
}
"""The places of the parts that are compared by pointer; the last one holds everything else."""
_MATCHED = ("added", "removed", "changed", "moved")
_COMPARED = (*(f"{these}_{what}" for these in ("thoughts", "tool_calls") for what in _MATCHED), *_PLACES)


@dataclass(frozen=True)
class CheckpointDiff:
    """The differences between the checkpoint `before` and the checkpoint `after`.

    Thoughts and calls are matched by their ids. Added and removed ones are whole; the changes of the others are given
    by JSON Pointers (RFC 6901) inside them. `…_moved` are the ids whose order among the others changed. All other
    changes are given by pointers from the document's root. `header_changes` are those outside all other parts; the
    checkpoint's own id is no change. `steps` and `tokens` are counts, `elapsed_ms` is in milliseconds.
    """

    before: AgentCheckpoint = field(repr=False)
    after: AgentCheckpoint = field(repr=False)
    thoughts_added: tuple[Thought, ...]
    thoughts_removed: tuple[Thought, ...]
    thoughts_changed: dict[str, Changes]
    thoughts_moved: tuple[str, ...]
    tool_calls_added: tuple[ToolCall, ...]
    tool_calls_removed: tuple[ToolCall, ...]
    tool_calls_changed: dict[str, Changes]
    tool_calls_moved: tuple[str, ...]
    results_changed: Changes
    context_changes: Changes
    progress_changes: Changes
    metadata_changes: Changes
    header_changes: Changes

    @property
    def same_execution(self) -> bool:
        """Whether both checkpoints are of one execution."""
        return self.before.execution_id == self.after.execution_id

    @property
    def steps(self) -> int:
        """The number of steps between the two checkpoints."""
        return self.after.metadata.step_number - self.before.metadata.step_number

    @property
    def tokens(self) -> int:
        """The number of tokens that were used between the two checkpoints."""
        return self.after.metadata.tokens_used - self.before.metadata.tokens_used

    @property
    def elapsed_ms(self) -> int:
        """The milliseconds between the two checkpoints."""
        return self.after.timestamp - self.before.timestamp

    @property
    def is_empty(self) -> bool:
        """Whether nothing differs, apart from the ids of the checkpoints."""
        return not any(getattr(self, name) for name in _COMPARED)

    def __bool__(self) -> bool:
        return not self.is_empty

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self) -> str:
        """Return the differences for people, line by line; values that look like secrets are withheld."""
        seconds = self.elapsed_ms / 1000
        title = f"{self.before.id} → {self.after.id}: {self.steps:+d} steps, {self.tokens:+d} tokens, {seconds:+.1f} s"
        if not self.same_execution:
            title += f"; execution {self.before.execution_id} → {self.after.execution_id}"
        return "\n".join(map(harmless, (title, *(list(_lines(self)) or ["no differences"]))))

    def to_dict(self) -> dict[str, Any]:
        """Return the differences as a JSON object. A change without `before` or `after` had no value there."""
        return {
            "from": self.before.id,
            "to": self.after.id,
            "same_execution": self.same_execution,
            **{name: _json_of(getattr(self, name)) for name in _COMPARED},
            "steps": self.steps,
            "tokens": self.tokens,
            "elapsed_ms": self.elapsed_ms,
        }

    def to_json_patch(self, *, tests: bool = False) -> list[Operation]:
        """Return the RFC 6902 operations that turn the document of the first checkpoint into that of the second.

        With `tests`, each value that is removed or replaced is tested first, and so is the id of the first checkpoint.
        """
        before = self.before.tree()
        found = patch(before, self.after.tree())
        return [{"op": "test", "path": "/id", "value": self.before.id}, *guarded(before, found)] if tests else found


def _checkpoint(source: AgentCheckpoint | Mapping[str, Any]) -> AgentCheckpoint:
    return AgentCheckpoint.of_tree(source) if isinstance(source, Mapping) else source


def diff_checkpoints(
    before: AgentCheckpoint | Mapping[str, Any],
    after: AgentCheckpoint | Mapping[str, Any],
    *,
    allow_other_execution: bool = False,
) -> CheckpointDiff:
    """Return the differences between two checkpoints, each of which may be the JSON object of one.

    Raises SettingsError if they belong to two executions, unless one continues the other (`parent`) or
    `allow_other_execution` is given.
    """
    before, after = _checkpoint(before), _checkpoint(after)
    are_linked = any(
        one.parent is not None and one.parent.checkpoint_id == other.id
        for one, other in ((before, after), (after, before))
    )
    if not (allow_other_execution or before.execution_id == after.execution_id or are_linked):
        raise SettingsError(
            f"{before.id} belongs to the execution {before.execution_id}, {after.id} to {after.execution_id}, and "
            "neither continues from the other: give allow_other_execution (--other-execution) to compare them"
        )
    old, new = _rest(before), _rest(after)
    compared: dict[str, Any] = {name: _changes(old[name], new[name], path) for name, path in _PLACES.items()}
    return CheckpointDiff(
        before=before,
        after=after,
        **_matched("thoughts", before.snapshot.thought_chain, after.snapshot.thought_chain),
        **_matched("tool_calls", before.snapshot.tool_state.calls, after.snapshot.tool_state.calls),
        **compared,
    )


def _rest(checkpoint: AgentCheckpoint) -> dict[str, Any]:
    """Return the parts of a checkpoint that are compared by pointer."""
    snapshot = checkpoint.snapshot
    rest = checkpoint.but(snapshot=snapshot.but(thought_chain=(), tool_state=snapshot.tool_state.but(calls=()))).tree()
    del rest["id"]
    found = {}
    for name, path in _PLACES.items():
        holder = rest
        for key in path[:-1]:
            holder = holder[key]
        found[name] = holder.pop(path[-1]) if path else rest
    return found


def _changes(before: Any, after: Any, path: Path = ()) -> Changes:
    """Return the changes between two JSON values, by JSON Pointers that start with `path`."""
    return {
        pointer((*path, *change.path)): ValueChange(change.before, change.after) for change in changes(before, after)
    }


def _matched(name: str, old: Sequence[Any], new: Sequence[Any]) -> dict[str, Any]:
    """Return the changes of thoughts, or of calls, which are matched by their ids."""
    before, after = ({entry.id: entry for entry in these} for these in (old, new))
    # Snapshots of one run share unchanged values.
    both = [one for one, was in before.items() if one in after and was is not after[one]]
    changed = {one: _changes(before[one].tree(), after[one].tree()) for one in both}
    return {
        f"{name}_added": tuple(entry for entry in new if entry.id not in before),
        f"{name}_removed": tuple(entry for entry in old if entry.id not in after),
        f"{name}_changed": {one: different for one, different in changed.items() if different},
        f"{name}_moved": moved([*before], [*after]),
    }


def _json_of(found: Any) -> Any:
    """Return a member of a CheckpointDiff as JSON."""
    if isinstance(found, ValueChange):
        return found.to_dict()
    if isinstance(found, dict):
        return {where: _json_of(one) for where, one in found.items()}
    return [entry if isinstance(entry, str) else entry.tree() for entry in found]


_ROOM = 60


def _lines(diff: CheckpointDiff) -> Iterator[str]:
    for title, name, described in (("thoughts", "thoughts", _thought), ("tool calls", "tool_calls", _call)):
        added, removed, changed, moved = (getattr(diff, f"{name}_{what}") for what in _MATCHED)
        yield from _section(
            title,
            (f"+ {described(entry)}" for entry in added),
            (f"- {described(entry)}" for entry in removed),
            (
                f"~ {one} {where.removeprefix('/')}: {_values(where, change)}"
                for one, found in changed.items()
                for where, change in found.items()
            ),
            (f"> {name} stands in another place" for name in moved),
        )
    for name, path in _PLACES.items():
        lines = []
        for where, change in getattr(diff, name).items():
            mark = "+" if change.before is ABSENT else "-" if change.after is ABSENT else "~"
            lines.append(f"{mark} {where.removeprefix(f'{pointer(path)}/')}: {_values(where, change)}")
        yield from _section(name.partition("_")[0] if path else "the rest", lines)


def _section(title: str, *parts: Iterable[str]) -> Iterator[str]:
    lines = [f"  {line}" for part in parts for line in part]
    if lines:
        yield from (title, *lines)


def _thought(thought: Thought) -> str:
    confidence = "" if thought.confidence is None else f" ({thought.confidence})"
    return f"{thought.id} {thought.type}{confidence}: {_shown(thought.content, 'content')}"


def _call(call: ToolCall) -> str:
    return f"{call.id} {call.tool_id or 'a tool'} {call.status or outcome_of(call)}: {_shown(call.args or {}, 'args')}"


def _values(where: str, change: ValueChange) -> str:
    key = next((step for step in reversed(where.split("/")) if not step.isdecimal()), "")  # that of an array's element
    return " → ".join(_shown(value, key) for value in (change.before, change.after) if value is not ABSENT)


def _shown(value: Any, key: str) -> str:
    text = json.dumps(without_secrets(value, key), ensure_ascii=False)
    return text if len(text) <= _ROOM else text[: _ROOM - 1] + "…"

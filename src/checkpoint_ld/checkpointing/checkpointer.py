"""Checkpoints that save themselves while an agent runs: when, and without what must not be kept (redaction)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

from pydantic import ValidationError

from checkpoint_ld.agent.checkpoint import AgentCheckpoint
from checkpoint_ld.agent.values import NEWEST, About, CheckpointMetadata, ParentLink
from checkpoint_ld.arguments import CheckedMethods
from checkpoint_ld.documents.text import steps_of
from checkpoint_ld.documents.values import ABSENT
from checkpoint_ld.errors import (
    CheckpointLdError,
    CheckpointWarning,
    DatabaseSyncError,
    GraphSyncError,
    SettingsError,
    WriteError,
    warn,
)
from checkpoint_ld.mapping.traits import faults_of
from checkpoint_ld.phrases import encodable, told_error
from checkpoint_ld.runtime.changes import new_id
from checkpoint_ld.runtime.frozen_json import thawed
from checkpoint_ld.stores.protocol import amended

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checkpoint_ld.agent.values import Thought
    from checkpoint_ld.checkpointing.manager import CheckpointManager
    from checkpoint_ld.checkpointing.results import Saved
    from checkpoint_ld.runtime.changes import Event
    from checkpoint_ld.runtime.state import RuntimeState


REDACTED: Final = "[redacted]"
"""What stands where something was taken out."""

Redaction = Sequence[str] | Callable[[dict[str, Any]], dict[str, Any]]
"""JSON Pointers (RFC 6901) in which `*` stands for every member, or a function from JSON to JSON."""
Redactor = Callable[[AgentCheckpoint], AgentCheckpoint]

_IDENTITY: Final = ("id", "execution_id", "agent_id")


def redactor(redact: Redaction | None) -> Redactor:
    """Return what redacts a checkpoint; where nothing fits, it gives back the same.

    What it makes of a checkpoint may break rules: it raises InvalidCheckpoint then, and SettingsError where the
    checkpoint's identity does not stay. Raises SettingsError for what is no JSON Pointer.
    """
    if redact is None:
        return lambda checkpoint: checkpoint
    if callable(redact):
        return lambda checkpoint: _checked(checkpoint, redact(thawed(checkpoint.tree())))
    for pointer in redact:
        if not pointer.startswith("/"):
            raise SettingsError(f"{pointer!r} is no JSON Pointer to a part of a checkpoint: it begins with '/'")
    paths = [*map(steps_of, redact)]

    def by_pointers(checkpoint: AgentCheckpoint) -> AgentCheckpoint:
        tree = before = checkpoint.tree()
        for path in paths:
            tree = _masked(tree, path)
        return checkpoint if tree is before else _checked(checkpoint, tree)

    return by_pointers


def redacted_changes(checkpoint: AgentCheckpoint, changes: Mapping[str, Any], redacted: Redactor) -> dict[str, Any]:
    """Return the `changes` that `update_metadata` is to make, with nothing in them that must not be kept.

    Raises InvalidCheckpoint for values that a checkpoint may not have there.
    """
    after = redacted(amended(checkpoint, **changes)).tree()
    became = {name: after.get(name) for name, value in changes.items() if value is not ABSENT and value is not None}
    if "metadata" in became:
        given = changes["metadata"]
        became["metadata"] = {key: None if given[key] is None else after["metadata"].get(key) for key in given}
    return {**changes, **became}


def _checked(before: AgentCheckpoint, tree: object) -> AgentCheckpoint:
    if not isinstance(tree, dict):
        raise SettingsError(f"the function that redacts returned {type(tree).__name__}: it has to return the object")
    for name in _IDENTITY:
        if tree.get(name) != getattr(before, name):
            raise SettingsError(f"redaction changed {name}, which checkpoints are found by: leave it out")
    return AgentCheckpoint.of_tree(tree)


def _masked(value: Any, path: Sequence[str]) -> Any:
    """Return `value` with what the path leads to replaced; only what is on the way is copied."""
    if not path:
        return value if value == REDACTED else REDACTED
    step, rest = path[0], path[1:]
    inner = {key: value[key] for key in _fitting(value, step)}
    masked = {key: _masked(one, rest) for key, one in inner.items()}
    changed = {key: one for key, one in masked.items() if one is not inner[key]}
    if not changed:
        return value
    copy = dict(value) if isinstance(value, dict) else list(value)
    for key, one in changed.items():
        copy[key] = one
    return copy


def _fitting(value: Any, step: str) -> Iterable[Any]:
    if isinstance(value, dict):
        return value if step == "*" else [step] if step in value else []
    if isinstance(value, list):
        places = range(len(value))
        return places if step == "*" else [place for place in places if str(place) == step]
    return []


_COUNTED = ("step_number", "tokens_used", "duration_ms", "total_steps_estimate")
"""What checkpoints tell of the progress beside the snapshot."""


def taken(state: RuntimeState, reason: str, *, about: About | None = None, **told: str | None) -> AgentCheckpoint:
    """Return a checkpoint of the state as it is now, which the next one will name as its parent.

    `told` are a name and a description. Raises WriteError for what is no reason, name or description; the state is as
    it was then.
    """
    with state.change():
        snapshot = state.snapshot()
        members = {
            "timestamp": state.now(),
            "execution_id": state.execution_id,
            "agent_id": state.agent_id,
            "snapshot": snapshot,
            "parent": state.parent,
            "about": about or state.about,
        }
        counted = {name: getattr(snapshot.progress, name) for name in _COUNTED}
        metadata = {**counted, "checkpoint_reason": reason, "agent_name": state.agent_name}
        checkpoint = new_checkpoint(members | told, metadata)
        state.parent = ParentLink(checkpoint_id=checkpoint.id)
        return checkpoint


def given_back(state: RuntimeState, checkpoint: AgentCheckpoint) -> None:
    """Undo what `taken` did to the state, for a checkpoint that was kept nowhere, unless another one follows it."""
    with state.change():
        if state.parent is not None and state.parent.checkpoint_id == checkpoint.id:
            state.parent = checkpoint.parent


def new_checkpoint(members: dict[str, Any], metadata: dict[str, Any]) -> AgentCheckpoint:
    """Return a checkpoint with a new id and these members; None is left out. Raises WriteError for values refused."""
    given = {"version": NEWEST, "id": new_id("ckpt_"), **members}
    try:
        return AgentCheckpoint(
            **{name: value for name, value in given.items() if value is not None},
            metadata=CheckpointMetadata(**{name: value for name, value in metadata.items() if value is not None}),
        )
    except ValidationError as error:
        raise WriteError(f"the checkpoint is refused: {faults_of(error)}") from None


TRIGGERS: Final = ("tool_error", "low_confidence", "decision", "tool_completed", "thought_completed", "tool_started")
"""What a checkpoint is made for by itself; of several at once, the first here is its reason."""

_TOOLS: Final = {
    "tool.started": "tool_started",
    "tool.completed": "tool_completed",
    "tool.failed": "tool_error",
    "tool.cancelled": "tool_error",
}
_logger = logging.getLogger("checkpoint_ld.checkpointing")


@dataclass(frozen=True, slots=True)
class Policy(CheckedMethods):
    """When checkpoints are made.

    `triggers` are some of TRIGGERS. With `tool_started`, a checkpoint holds each call before its tool runs, so that one
    that was under way when the process died is known after a restore. Of `thought_completed`, each `every_thoughts`th
    counts. Between two checkpoints, at least `min_interval_ms` go by; what is left out then is in the next one. A
    thought with less than `confidence_threshold` is a trigger; without one, none is. Raises SettingsError for what
    makes no sense.
    """

    triggers: frozenset[str] = frozenset(TRIGGERS)
    every_thoughts: int = 1
    min_interval_ms: int = 0
    confidence_threshold: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "triggers", frozenset(self.triggers))
        unknown = sorted(self.triggers - set(TRIGGERS))
        if unknown:
            raise SettingsError(f"there is no trigger {unknown[0]!r}: use some of {', '.join(TRIGGERS)}")
        if self.every_thoughts < 1 or self.min_interval_ms < 0:
            raise SettingsError("every_thoughts is 1 or more, min_interval_ms 0 or more")

    def is_doubtful(self, thought: Thought) -> bool:
        """Tell whether a thought's confidence is below the threshold."""
        threshold, confidence = self.confidence_threshold, thought.confidence
        return threshold is not None and confidence is not None and confidence < threshold


class Checkpointer(CheckedMethods):
    """Watches a state and saves a checkpoint after each change that the policy asks for. A context manager.

    An automatic save that fails does not stop the agent. The first failure gives a CheckpointWarning, and so does the
    first one after a save that succeeded. Each failure is logged and sent as `agent.checkpoint_failed`, and the state's
    `on_error` gets the exception. A save that a call asks for raises it.
    """

    def __init__(
        self, state: RuntimeState, manager: CheckpointManager, policy: Policy = Policy(), *, about: About | None = None
    ) -> None:
        """Begin to watch. `about` is the question of a benchmark that the agent works on from now on."""
        self._state = state
        self._manager = manager
        self._policy = policy
        self._thoughts = 0
        self._revision = -1
        self._moment: int | None = None
        self._failing = False
        if about is not None:
            state.about = about
        self._off = state.on_settled(self._settled)

    def save(self, reason: str = "manual", *, name: str | None = None, description: str | None = None) -> Saved:
        """Save a checkpoint now. Raises what the manager's `save` raises."""
        revision = self._state.revision
        saved = self._manager.save(self._state, reason, name=name, description=description)
        self._revision, self._moment, self._failing = revision, self._state.clock.monotonic(), False
        return saved

    def pause(self) -> Saved:
        """Save a checkpoint before the agent waits, for a human perhaps. Raises what `save` raises."""
        return self.save("paused")

    def complete(self) -> Saved:
        """Save the last checkpoint of an execution that ended well, and watch no more. Raises what `save` raises."""
        saved = self.save("execution_completed")
        self.close()
        return saved

    def fail(self, error: BaseException | str) -> Saved:
        """Save the last checkpoint of an execution that ended badly, with the error as its description.

        It watches no more then. Raises what `save` raises.
        """
        told = encodable(error) if isinstance(error, str) else told_error(error)
        saved = self.save("execution_failed", description=told)
        self.close()
        return saved

    def close(self) -> None:
        """Watch no more."""
        self._off()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _settled(self, events: tuple[Event, ...]) -> None:
        found = {trigger for event in events for trigger in self._found(event)} & self._policy.triggers
        if not found or self._state.revision == self._revision:
            return
        now = self._state.clock.monotonic()
        if self._moment is None or now - self._moment >= self._policy.min_interval_ms:
            reason = min(found, key=TRIGGERS.index)
            try:
                self.save(reason)
            except Exception as error:
                self._report(error, reason)
                raise  # to `on_error`, by whoever delivers the events

    def _report(self, error: Exception, reason: str) -> None:
        what = f"the checkpoint of {self._state.agent_id} at step {self._state.progress.step_number} ({reason})"
        cause = f"{error}" if isinstance(error, CheckpointLdError) else told_error(error)
        if isinstance(error, (DatabaseSyncError, GraphSyncError)):
            message = f"{what} is not in every store: {cause}"
        else:
            message = f"{what} is not saved: {cause}. The agent goes on; if it ends, all since the last save is lost"
        _logger.error(message)
        if not self._failing:
            self._failing = True
            warn(CheckpointWarning(message))

    def _found(self, event: Event) -> Iterator[str]:
        if event.name in _TOOLS:
            yield _TOOLS[event.name]
        elif event.name == "thought.created":
            self._thoughts += 1
            if self._thoughts % self._policy.every_thoughts == 0:
                yield "thought_completed"
            if event["thought"].type == "decision":
                yield "decision"
            if self._policy.is_doubtful(event["thought"]):
                yield "low_confidence"
        elif event.name == "thought.updated":
            is_news = not self._policy.is_doubtful(event["before"])
            if is_news and self._policy.is_doubtful(event["after"]):
                yield "low_confidence"

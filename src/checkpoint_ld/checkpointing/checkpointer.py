"""Automatic checkpoints while an agent runs, and the policy for them."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from checkpoint_ld.errors import (
    CheckpointLdError,
    CheckpointWarning,
    DatabaseSyncError,
    GraphSyncError,
    SettingsError,
    warn,
)
from checkpoint_ld.phrases import encodable, error_message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.agents.changes import Event
    from checkpoint_ld.agents.state import RuntimeState
    from checkpoint_ld.agents.values import About, Thought
    from checkpoint_ld.checkpointing.exchange import Saved
    from checkpoint_ld.checkpointing.manager import CheckpointManager

TRIGGERS: Final = ("tool_error", "low_confidence", "decision", "tool_completed", "thought_completed", "tool_started")
"""The triggers of automatic checkpoints; of several at once, the first one is the reason."""
_TOOLS: Final = {
    "tool.started": "tool_started",
    "tool.completed": "tool_completed",
    "tool.failed": "tool_error",
    "tool.cancelled": "tool_error",
}
_logger = logging.getLogger("checkpoint_ld.checkpointing")


@dataclass(frozen=True, slots=True)
class Policy:
    """When checkpoints are made.

    `triggers` are some of TRIGGERS. With `tool_started`, a checkpoint holds each call before its tool runs, so that a
    call which the end of the process interrupted is known after a restore. `thought_completed` counts at every
    `every_thoughts`th thought. Checkpoints are at least `min_interval_ms` apart; a later one holds what was left out. A
    thought with a confidence below `confidence_threshold` is a trigger, if there is a threshold. Raises SettingsError
    for invalid values.
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
        if self.confidence_threshold is not None and not 0 <= self.confidence_threshold <= 1:
            raise SettingsError(f"confidence_threshold is {self.confidence_threshold}: give a number from 0 to 1")

    def is_doubtful(self, thought: Thought) -> bool:
        """Return whether a thought's confidence is below the threshold."""
        threshold, confidence = self.confidence_threshold, thought.confidence
        return threshold is not None and confidence is not None and confidence < threshold


class Checkpointer:
    """Watches a state and saves a checkpoint after each change that triggers one. A context manager.

    An automatic save that fails does not stop the agent. The first failure after a success, or of all, gives a
    CheckpointWarning. Each failure is logged and sent as `agent.checkpoint_failed`, and the state's `on_error` gets the
    exception. An explicit save raises it.
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
        """Save a checkpoint before the agent waits, perhaps for a human. Raises what `save` raises."""
        return self.save("paused")

    def complete(self) -> Saved:
        """Save the last checkpoint of a successful execution, and stop watching. Raises what `save` raises.

        Another call of this or of `fail` is harmless: it saves one more checkpoint, which is then the last one.
        """
        saved = self.save("execution_completed")
        self.close()
        return saved

    def fail(self, error: BaseException | str) -> Saved:
        """Save the last checkpoint of a failed execution, with the error as its description, and stop watching.

        Raises what `save` raises.
        """
        description = encodable(error) if isinstance(error, str) else error_message(error)
        saved = self.save("execution_failed", description=description)
        self.close()
        return saved

    def close(self) -> None:
        """Stop watching."""
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
                raise  # the delivery of events passes it to `on_error`

    def _report(self, error: Exception, reason: str) -> None:
        message = f"the checkpoint of {self._state.agent_id} at step {self._state.progress.step_number} ({reason}) is "
        cause = f"{error}" if isinstance(error, CheckpointLdError) else error_message(error)
        if isinstance(error, (DatabaseSyncError, GraphSyncError)):
            message += f"not in every store: {cause}"
        else:
            message += f"not saved: {cause}. The agent continues; if it ends, all since the last save is lost"
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

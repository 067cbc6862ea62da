"""The state of an agent while it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from checkpoint_ld.agent.values import (
    About,
    Id,
    ParentLink,
    Snapshot,
    SnapshotContext,
    SnapshotProgress,
    SnapshotToolState,
)
from checkpoint_ld.arguments import CheckedMethods
from checkpoint_ld.errors import WriteError
from checkpoint_ld.notebook import Card, Shown
from checkpoint_ld.runtime.changes import Changes, Clock, new_id
from checkpoint_ld.runtime.context import Context
from checkpoint_ld.runtime.events import Bus, ErrorHandler, Event, Settled, log_error
from checkpoint_ld.runtime.thought_chain import ThoughtChain
from checkpoint_ld.runtime.tool_state import ExecutionProgress, ToolState

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from checkpoint_ld.runtime.tool_use import ToolUse

EMPTY = Snapshot(
    thought_chain=(),
    context=SnapshotContext(variables={}, state={}, history=[]),
    tool_state=SnapshotToolState(calls=(), results={}),
    progress=SnapshotProgress(step_number=0, total_thoughts=0, total_tool_calls=0),
)
"""What an agent begins with."""


class RuntimeState(CheckedMethods, Shown):
    """Four separate parts that change: thoughts, context, tool calls, progress. Any thread may use any of them.

    `about` is the question of a benchmark that the agent works on, `agent_name` its name; both are written into every
    checkpoint. `parent` is what the next checkpoint will name as its parent.
    """

    def __init__(  # noqa: PLR0913 - all but the first two are named, and seldom given
        self,
        agent_id: str,
        execution_id: str | None = None,
        *,
        auto_step: bool = True,
        clock: Clock = Clock(),  # noqa: B008 - a frozen value
        snapshot: Snapshot = EMPTY,
        on_error: ErrorHandler = log_error,
    ) -> None:
        """Begin empty, or go on from a snapshot. `on_error` is told what subscribers raise.

        With `auto_step`, each thought is a step. Raises WriteError for what is no identifier.
        """
        self.agent_id = _identifier(agent_id, "agent_id")
        self.execution_id = _identifier(new_id("exec_") if execution_id is None else execution_id, "execution_id")
        self.agent_name: str | None = None
        self.about: About | None = None
        self.parent: ParentLink | None = None
        self.checked: tuple[About | None, ...] = (None,) if snapshot is EMPTY else ()
        """With which `about` checkpoints of the state are known to break no rule. No change of a part breaks one."""
        self.clock = clock
        self._changes = Changes(Bus(on_error), clock)
        self._base = snapshot
        self.progress = ExecutionProgress(self._changes, snapshot.progress)
        step = self.progress.advance if auto_step else _stay
        self.thought_chain = ThoughtChain(self._changes, step, snapshot.thought_chain, snapshot.current_step_id)
        self.context = Context(self._changes, snapshot.context)
        self.tool_state = ToolState(self._changes, snapshot.tool_state)

    def __repr__(self) -> str:
        taken = self.snapshot()
        counts = f"{len(taken.thought_chain)} thoughts, {len(taken.tool_state.calls)} calls"
        return f"<RuntimeState of {self.agent_id!r} in {self.execution_id!r}: {counts}>"

    def _card(self) -> Card:
        facts = {"execution": self.execution_id, "name": self.agent_name}
        return Card("RuntimeState", self.agent_id, "", facts, self.snapshot().tables())

    @property
    def revision(self) -> int:
        """How many changes there were: two equal numbers mean that nothing changed in between."""
        return self._changes.revision

    def snapshot(self) -> Snapshot:
        """Return the state at this instant; what did not change is shared with the snapshots before."""
        with self._changes.still:
            thoughts, tools = self.thought_chain.taken(), self.tool_state.taken()
            parts: dict[str, Any] = {"thought_chain": thoughts, "context": self.context.taken(), "tool_state": tools}
            parts["progress"] = self.progress.taken(len(thoughts), len(tools.calls))
            if self.thought_chain.current_step_id != self._base.current_step_id:
                parts["current_step_id"] = self.thought_chain.current_step_id
            self._base = self._base.model_copy(update=parts)
            return self._base

    def on(self, pattern: str, handler: Callable[[Event], None]) -> Callable[[], None]:
        """Call `handler` with events of that name or, as in `thought.*`, of that beginning; return what ends it.

        Raises SettingsError for a pattern that is none.
        """
        return self._changes.bus.on(pattern, handler)

    def on_settled(self, handler: Settled) -> Callable[[], None]:
        """Call `handler` after each change with all events that it brought; return what ends it."""
        return self._changes.bus.on_settled(handler)

    def change(self) -> AbstractContextManager[None]:
        """Make all changes in a `with` block one: no snapshot shows some of them only, and one checkpoint follows.

        Meanwhile, nobody else changes anything. What was changed before an exception stays changed.
        """
        return self._changes.change()

    def tool(self, tool_id: str, /, **args: Any) -> ToolUse:
        """Return a block that records one call of a tool: `with state.tool("weather", city="Oslo") as call:`.

        The call starts when the block does. Put what the tool gave into `call.result`: the call is completed when the
        block ends, failed if it raises, cancelled if it is given up. `async with` does the same, and saves checkpoints
        in a thread. Raises what `tool_state.start` and `complete` raise.
        """
        from checkpoint_ld.runtime.tool_use import ToolUse  # noqa: PLC0415 - asyncio, which others do without

        return ToolUse(self._changes, self.tool_state, tool_id, args)

    def now(self, *moments: int) -> int:
        """Return the moment in epoch milliseconds: never earlier than any in the state, nor than `moments`."""
        self._changes.seen(*moments)
        return self._changes.now()

    def tell(self, name: str, **payload: Any) -> None:
        """Tell subscribers of something that is no change of the state."""
        with self._changes.change():
            self._changes.tell(name, **payload)


_ID: TypeAdapter[str] = TypeAdapter(Id)


def _stay() -> None:
    """Leave the step as it is."""


def _identifier(given: str, what: str) -> str:
    try:
        return _ID.validate_python(given)
    except ValidationError as error:
        raise WriteError(f"{what} is refused: {error.errors()[0]['msg']}") from None

"""The state of an agent while it runs: its four parts, snapshots of them, and blocks that record a call of a tool."""

from __future__ import annotations

import asyncio
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeVar

from pydantic import TypeAdapter, ValidationError

from checkpoint_ld.agents.changes import Clock, ErrorHandler, Event, Settled, SharedState, log_error, new_id
from checkpoint_ld.agents.parts import Context, ExecutionProgress, ThoughtChain, ToolState
from checkpoint_ld.agents.values import SCHEMA_VERSION, About, Id, ParentLink, Snapshot, snapshot_of
from checkpoint_ld.documents.values import ABSENT
from checkpoint_ld.errors import WriteError, WrongTypeError
from checkpoint_ld.notebook import Card, Shown
from checkpoint_ld.phrases import error_message

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager
    from types import TracebackType

Done = TypeVar("Done")


class ToolUse:
    """A call that begins and ends with its `with` block, for `RuntimeState.tool`; it can be used once.

    Set `result` to what the tool returned, if anything. The call is completed when the block ends, failed if it raises,
    with the result if there is one, and cancelled by an exception that is no `Exception`, such as KeyboardInterrupt or
    the CancelledError of asyncio, and by the CancelledError of a future. Exceptions go on to the caller. A call that
    the block has ended itself, by `tool_state`, stays as it is.
    """

    def __init__(self, changes: SharedState, calls: ToolState, tool_id: str, args: Mapping[str, Any]) -> None:
        self.id = new_id("call_")
        """The id of the call."""
        self.tool_id = tool_id
        self.args = args
        self.result: Any = ABSENT
        """The result of the tool; ABSENT until it is set, which is different from null."""
        self._changes = changes
        self._calls = calls

    def __enter__(self) -> Self:
        self.args = self._calls.start(self.tool_id, self.args, id=self.id).args or {}
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if not self._calls.get(self.id).is_in_flight:
            return
        if error is None:
            self._calls.complete(self.id, self.result)
        elif isinstance(error, Exception) and not isinstance(error, CancelledError):
            self._calls.fail(self.id, error_message(error), self.result)
        else:
            self._calls.cancel(self.id)

    async def __aenter__(self) -> Self:
        try:
            return await self._in_thread(self.__enter__)
        except asyncio.CancelledError:  # no block will end the call
            await self._in_thread(lambda: self._calls.cancel(self.id))
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._in_thread(lambda: self.__exit__(kind, error, trace))

    async def _in_thread(self, step: Callable[[], Done]) -> Done:
        """Run a step in another thread, since it may write a checkpoint; it ends even if this coroutine is cancelled.

        It runs in this thread where there is no loop of asyncio, and within `change()`, whose lock is this thread's.
        """
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return step()
        if self._changes.is_mine:
            return step()
        work = asyncio.ensure_future(asyncio.to_thread(step))
        cancelled: asyncio.CancelledError | None = None
        while not work.done():
            try:
                await asyncio.wait((work,))
            except asyncio.CancelledError as error:
                cancelled = error
        done = work.result()
        if cancelled is not None:
            raise cancelled
        return done


EMPTY = snapshot_of()
"""The snapshot of a new agent."""
_ID: TypeAdapter[str] = TypeAdapter(Id)


def _identifier(given: str, what: str) -> str:
    try:
        return _ID.validate_python(given)
    except ValidationError as error:
        raise WriteError(f"{what} is refused: {error.errors()[0]['msg']}") from None


class RuntimeState(Shown):
    """Four parts of a running agent that change: thoughts, context, tool calls, progress. It is thread-safe.

    `about` is the question of a benchmark that the agent works on, `agent_name` its name; both are written into every
    checkpoint. `parent` is the checkpoint that the next one will name as its parent.
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
        schema_version: int | None = None,
    ) -> None:
        """Begin empty, or continue from a snapshot.

        `on_error` gets the exceptions of subscribers. With `auto_step`, each thought is a step. `schema_version` is the
        version of what the agent keeps in its variables; checkpoints state it. Raises WriteError for an invalid
        identifier.
        """
        self.agent_id = _identifier(agent_id, "agent_id")
        self.execution_id = _identifier(new_id("exec_") if execution_id is None else execution_id, "execution_id")
        self.agent_name: str | None = None
        self.about: About | None = None
        self.parent: ParentLink | None = None
        self.checked: tuple[About | None, ...] = (None,) if snapshot is EMPTY else ()
        """The `about` for which checkpoints are known to be valid; no change of a part makes them invalid."""
        self.clock = clock
        self._changes = SharedState(on_error, clock)
        self._base = snapshot
        if schema_version is not None:
            self._base = snapshot.model_copy(update={SCHEMA_VERSION: schema_version})
        self.progress = ExecutionProgress(self._changes, snapshot.progress)
        step: Callable[[], None] = self.progress.advance if auto_step else lambda: None
        self.thought_chain = ThoughtChain(self._changes, step, snapshot.thought_chain, snapshot.current_step_id)
        self.context = Context(self._changes, snapshot.context)
        self.tool_state = ToolState(self._changes, snapshot.tool_state)

    def __repr__(self) -> str:
        taken = self.snapshot()
        counts = f"{len(taken.thought_chain)} thoughts, {len(taken.tool_state.calls)} calls"
        return f"<RuntimeState of {self.agent_id!r} in {self.execution_id!r}: {counts}>"

    def __reduce__(self) -> NoReturn:
        raise WrongTypeError(
            "a RuntimeState has a lock and subscribers, and is neither copied nor pickled: pass its snapshot() on, and "
            "begin another state with it, RuntimeState(agent_id, snapshot=…), or save it and restore the checkpoint"
        )

    def _card(self) -> Card:
        facts = {"execution": self.execution_id, "name": self.agent_name}
        return Card("RuntimeState", self.agent_id, "", facts, self.snapshot().tables())

    @property
    def schema_version(self) -> int | None:
        """The version of what the agent keeps in its variables, None if it is not stated."""
        return (self._base.model_extra or {}).get(SCHEMA_VERSION)

    @property
    def revision(self) -> int:
        """The number of changes: two equal numbers mean that nothing changed in between."""
        return self._changes.revision

    def snapshot(self) -> Snapshot:
        """Return the current state; unchanged values are shared with earlier snapshots."""
        with self._changes.still:
            thoughts, tools = self.thought_chain.taken(), self.tool_state.taken()
            parts: dict[str, Any] = {"thought_chain": thoughts, "context": self.context.taken(), "tool_state": tools}
            parts["progress"] = self.progress.taken(len(thoughts), len(tools.calls))
            is_other = self.thought_chain.current_step_id != self._base.current_step_id
            if is_other:
                parts["current_step_id"] = self.thought_chain.current_step_id
            self._base = self._base.model_copy(update=parts)
            if is_other and parts["current_step_id"] is None:
                self._base.model_fields_set.discard("current_step_id")  # absent, not null
            return self._base

    def on(self, pattern: str, handler: Callable[[Event], None]) -> Callable[[], None]:
        """Call `handler` with events of a name, or of a pattern such as `thought.*`; return a function that ends it.

        Raises SettingsError for an invalid pattern.
        """
        return self._changes.on(pattern, handler)

    @property
    def has_listeners(self) -> bool:
        """Whether anybody is called with events."""
        return self._changes.has_listeners

    def on_settled(self, handler: Settled) -> Callable[[], None]:
        """Call `handler` after each change with all its events; return a function that ends it."""
        return self._changes.on_settled(handler)

    def change(self) -> AbstractContextManager[None]:
        """Combine all changes in a `with` block into one: a snapshot has all or none, and one checkpoint follows.

        Meanwhile, nobody else changes anything. SharedState before an exception stay.
        """
        return self._changes.change()

    def tool(self, tool_id: str, /, **args: Any) -> ToolUse:
        """Return a block that records one call of a tool: `with state.tool("weather", city="Oslo") as call:`.

        The call starts when the block does. Set `call.result` to what the tool returned. The call is completed when the
        block ends, failed if it raises, cancelled if it is given up. `async with` does the same, and saves checkpoints
        in a thread. Raises what `tool_state.start` and `complete` raise.
        """
        return ToolUse(self._changes, self.tool_state, tool_id, args)

    def now(self, *moments: int) -> int:
        """Return the moment in epoch milliseconds: never earlier than any in the state, nor than `moments`."""
        return self._changes.now(*moments)

    def tell(self, name: str, **payload: Any) -> None:
        """Send subscribers an event that is no change of the state."""
        with self._changes.change():
            self._changes.note(name, **payload)

"""The calls of tools that an agent made, and what came of them.

One use of a tool is a `with` block that records how it went, whatever happens in it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

from checkpoint_ld.agent.values import LARGEST_COUNT, SnapshotProgress, SnapshotToolState, ToolCall
from checkpoint_ld.arguments import CheckedMethods
from checkpoint_ld.documents.values import ABSENT, DEFAULT_LIMITS
from checkpoint_ld.errors import LookupFailedError, WriteError, WrongTypeError
from checkpoint_ld.phrases import shown, told_error
from checkpoint_ld.runtime.changes import changed, made, new_id
from checkpoint_ld.runtime.frozen_json import JsonObject, frozen

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from checkpoint_ld.runtime.changes import Changes

Done = TypeVar("Done")


class ToolUse:
    """A call that begins with its `with` block and ends with it, for `RuntimeState.tool`; of one use.

    Give `result` what the tool returned, if anything. The call is completed where the block ends, failed where it
    raises, and cancelled where it is given up: by what is no `Exception`, such as KeyboardInterrupt or the
    CancelledError of asyncio, and by the CancelledError of a future. Exceptions go on to the caller. A call that the
    block has ended itself, by `tool_state`, stays as it is.
    """

    def __init__(self, changes: Changes, calls: ToolState, tool_id: str, args: Mapping[str, Any]) -> None:
        self.id = new_id("call_")
        """The id of the call."""
        self.tool_id = tool_id
        self.args = args
        self.result: Any = ABSENT
        """What the tool returned; ABSENT as long as nobody says, which is not null."""
        self._changes = changes
        self._calls = calls

    def __enter__(self) -> Self:
        self.args = self._calls.start(self.tool_id, self.args, id=self.id).args or {}
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if not self._calls.get(self.id).is_in_flight:
            return
        if error is None:
            try:
                self._calls.complete(self.id, self.result)
            except WriteError as refused:  # the result is no JSON; no call is left behind for that
                self._calls.fail(self.id, told_error(refused))
                raise
        elif isinstance(error, Exception) and not isinstance(error, CancelledError):
            self._calls.fail(self.id, told_error(error))
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
        """Take a step while others run, since it may write a checkpoint; it comes to its end even if this is cancelled.

        It is taken here where there is no loop of asyncio, and within `change()`, whose lock is this thread's.
        """
        if self._changes.is_mine or not _has_loop():
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


def _has_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


_NEEDED = ("tool_id", "args", "started_at")
_OPEN = ("pending", "running", None)
_DECIDED = frozenset(("success", "status"))


class ToolState(CheckedMethods, Sequence[ToolCall]):
    """Calls in the order in which they were started, and results by their ids. Nothing here calls anything."""

    def __init__(self, changes: Changes, base: SnapshotToolState) -> None:
        self._changes = changes
        self._base = base
        self._calls = {call.id: call for call in base.calls}
        self._in_flight = {call.id: None for call in base.calls if call.is_in_flight}
        self._results: dict[str, Any] = dict(frozen(base.results, "results", DEFAULT_LIMITS.depth))
        self._last = base.last_tool_call_id
        self._taken: SnapshotToolState | None = None
        changes.seen(*(moment for call in base.calls for moment in (call.started_at, call.completed_at)))

    def __len__(self) -> int:
        return len(self._calls)

    @overload
    def __getitem__(self, index: int) -> ToolCall: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[ToolCall, ...]: ...
    def __getitem__(self, index: int | slice) -> ToolCall | tuple[ToolCall, ...]:
        return self.taken().calls[index]

    def __iter__(self) -> Iterator[ToolCall]:
        return iter(self.taken().calls)

    @property
    def results(self) -> Mapping[str, Any]:
        """Results by the ids of calls; a call without one has no key here, which is something else than null."""
        return MappingProxyType(self._results)

    @property
    def in_flight(self) -> tuple[ToolCall, ...]:
        """The calls that have not ended."""
        with self._changes.still:
            return tuple(self._calls[id] for id in self._in_flight)

    def get(self, id: str) -> ToolCall:
        """Return the call of that id. Raises LookupFailedError."""
        if id not in self._calls:
            raise LookupFailedError(f"there is no tool call {shown(id)}")
        return self._calls[id]

    def start(self, tool_id: str, args: Mapping[str, Any], *, id: str | None = None, **more: Any) -> ToolCall:
        """Note that a tool is called now, and return the call; `more` are other members, such as started_at.

        Raises WriteError for an id that is taken and for what is no call.
        """
        what = "args of the tool call"
        if not isinstance(args, Mapping):
            raise WrongTypeError(f"{what} is of type {type(args).__name__}: give an object, with texts as keys")
        given = frozen(args, what)
        with self._changes.change():
            members = {
                "id": new_id("call_") if id is None else id,
                "tool_id": tool_id,
                "args": given,
                "status": "running",
            }
            call = made(ToolCall, {**members, "started_at": self._changes.now(), **more}, "the tool call")
            if call.id in self._calls:
                raise WriteError(f"there is a tool call {shown(call.id)} already: give another id")
            if not call.is_in_flight or call.status not in _OPEN:
                raise WriteError(f"the tool call {shown(call.id)} starts pending or running: end it by another call")
            self._in_flight[call.id] = None
            self._last = call.id
            self._put(call)
            self._changes.changed("tool.started", call=call, result=ABSENT)
            return call

    def complete(self, id: str, result: Any = ABSENT, **more: Any) -> ToolCall:
        """Note that a call ended well, with a result if there is one; return what it became. Raises as `fail` does."""
        return self._end(id, "completed", result, {"success": True}, more)

    def fail(self, id: str, error: str, result: Any = ABSENT, **more: Any) -> ToolCall:
        """Note that a call ended badly; return what it became.

        Raises LookupFailedError for an id that is not there, WriteError for a call that has ended, and for one that
        was read without its tool, arguments or start, unless `more` gives them.
        """
        return self._end(id, "failed", result, {"success": False, "error": error}, more)

    def cancel(self, id: str, **more: Any) -> ToolCall:
        """Note that a call was given up; return what it became. Raises as `fail` does."""
        return self._end(id, "cancelled", ABSENT, {"success": False}, more)

    def taken(self) -> SnapshotToolState:
        """Return calls and results as they are now; the same value until something changes."""
        with self._changes.still:
            if self._taken is None:
                now = {"calls": tuple(self._calls.values()), "results": JsonObject(self._results)}
                last = {} if self._last == self._base.last_tool_call_id else {"last_tool_call_id": self._last}
                self._taken = self._base = self._base.model_copy(update={**now, **last})
            return self._taken

    def _end(self, id: str, status: str, result: Any, end: dict[str, Any], more: dict[str, Any]) -> ToolCall:
        value = ABSENT if result is ABSENT else frozen(result, f"the result of {shown(id)}")
        if not _DECIDED.isdisjoint(more):
            raise WriteError(f"success and status of {shown(id)} follow from how it ended: leave them out")
        with self._changes.change():
            before = self.get(id)
            if not before.is_in_flight:
                raise WriteError(f"the tool call {shown(id)} has ended already")
            missing = [one for one in _NEEDED if more.get(one, getattr(before, one)) is None]
            if missing:
                raise WriteError(f"the tool call {shown(id)} was read without {', '.join(missing)}: give them")
            members = {"completed_at": self._changes.now(), "status": status, **end, **more}
            call = changed(before, members, f"the tool call {shown(id)}")
            del self._in_flight[id]
            if value is not ABSENT:
                self._results[id] = value
            self._put(call)
            self._changes.changed(f"tool.{status}", call=call, result=value)
            return call

    def _put(self, call: ToolCall) -> None:
        self._changes.seen(call.started_at, call.completed_at)
        self._calls[call.id] = call
        self._taken = None


class ExecutionProgress(CheckedMethods):
    """Counters that never fall: `step_number`, `tokens_used`, and `duration_ms`, which follows the clock.

    `total_steps_estimate` and `iterations_completed` are set by who knows them; None where nobody does.
    """

    def __init__(self, changes: Changes, base: SnapshotProgress) -> None:
        self._changes = changes
        self._base = base
        self._counts = {"step_number": base.step_number, "tokens_used": base.tokens_used or 0}
        self._before = base.duration_ms or 0
        self._started = changes.clock.monotonic()

    @property
    def step_number(self) -> int:
        """The step of the execution: it rises with each thought, or by `advance` only where that was asked for."""
        return self._counts["step_number"]

    @property
    def tokens_used(self) -> int:
        """The tokens that were used since the execution began."""
        return self._counts["tokens_used"]

    @property
    def duration_ms(self) -> float:
        """The milliseconds that the agent ran, those before it was restored included, but not the time between."""
        return self._before + max(0, self._changes.clock.monotonic() - self._started)

    @property
    def total_steps_estimate(self) -> int | None:
        """How many steps it will take, as far as somebody can tell."""
        return self._base.total_steps_estimate

    @total_steps_estimate.setter
    def total_steps_estimate(self, steps: int | None) -> None:
        self._set("total_steps_estimate", steps)

    @property
    def iterations_completed(self) -> int | None:
        """How many rounds of its own the agent has finished."""
        return self._base.iterations_completed

    @iterations_completed.setter
    def iterations_completed(self, iterations: int | None) -> None:
        self._set("iterations_completed", iterations)

    def advance(self, steps: int = 1) -> None:
        """Go on by some steps. Raises WriteError for less than none."""
        self._add("step_number", steps)

    def add_tokens(self, n: int) -> None:
        """Count tokens that were used. Raises WriteError for less than none."""
        self._add("tokens_used", n)

    def taken(self, thoughts: int, calls: int) -> SnapshotProgress:
        """Return the progress as it is now, with these totals."""
        totals: dict[str, Any] = {"total_thoughts": thoughts, "total_tool_calls": calls}
        return self._base.model_copy(update={**self._counts, **totals, "duration_ms": self.duration_ms})

    def _add(self, field: str, n: int) -> None:
        n = _count(n, field)
        with self._changes.change():
            before = self._counts[field]
            self._counts[field] = _count(before + n, field)
            self._changes.changed("progress.changed", field=field, before=before, after=before + n)

    def _set(self, field: str, value: int | None) -> None:
        with self._changes.change():
            before = getattr(self._base, field)
            after = None if value is None else _count(value, field)
            self._base = self._base.but(**{field: after})
            self._changes.changed("progress.changed", field=field, before=before, after=after)


def _count(n: object, field: str) -> int:
    if not isinstance(n, int) or isinstance(n, bool):
        raise WrongTypeError(f"{field} is counted in whole numbers, not in {type(n).__name__}")
    if not 0 <= n <= LARGEST_COUNT:
        raise WriteError(f"{field} goes from 0 to {LARGEST_COUNT} and never falls: {n} is refused")
    return n

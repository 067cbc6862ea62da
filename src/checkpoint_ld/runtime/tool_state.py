"""The calls of tools that an agent made, and what came of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, overload

from checkpoint_ld.agent.values import SnapshotToolState, ToolCall
from checkpoint_ld.arguments import CheckedMethods
from checkpoint_ld.documents.values import ABSENT, DEFAULT_LIMITS
from checkpoint_ld.errors import LookupFailedError, WriteError
from checkpoint_ld.phrases import shown
from checkpoint_ld.runtime.frozen_json import JsonObject, frozen, frozen_object
from checkpoint_ld.runtime.ids import new_id
from checkpoint_ld.runtime.making import changed, made

if TYPE_CHECKING:
    from checkpoint_ld.runtime.changes import Changes

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
        given = frozen_object(args, "args of the tool call")
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

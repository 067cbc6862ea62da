"""The parts of a state: thoughts, context, calls of tools with their results, progress."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar, overload

from pydantic import ValidationError

from checkpoint_ld.agents.changes import (
    DEEPEST,
    JsonArray,
    JsonObject,
    changed,
    frozen,
    frozen_key,
    made,
    new_id,
    recorded,
)
from checkpoint_ld.agents.structure import ALTERNATIVES, MEMORY
from checkpoint_ld.agents.values import (
    LARGEST_COUNT,
    SnapshotContext,
    SnapshotProgress,
    SnapshotToolState,
    Thought,
    ToolCall,
)
from checkpoint_ld.documents.values import ABSENT, DEFAULT_LIMITS
from checkpoint_ld.errors import LookupFailedError, WriteError, WrongTypeError
from checkpoint_ld.phrases import shown

if TYPE_CHECKING:
    from checkpoint_ld.agents.changes import SharedState

Held = TypeVar("Held")


class _Series(Sequence[Held]):
    """The values that a part of a state holds, in their order."""

    def _held(self) -> Sequence[Held]:
        raise NotImplementedError

    def __len__(self) -> int:
        return len(self._held())

    @overload
    def __getitem__(self, index: int) -> Held: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Held, ...]: ...
    def __getitem__(self, index: int | slice) -> Held | tuple[Held, ...]:
        return tuple(self._held()[index]) if isinstance(index, slice) else self._held()[index]

    def __iter__(self) -> Iterator[Held]:
        return iter(tuple(self._held()))


def _checked(thought: Thought) -> Thought:
    try:
        ALTERNATIVES.validate_python(thought.alternatives or [])
    except ValidationError:
        members = "an option and a reason_rejected (texts), and perhaps a confidence (0 to 1)"
        raise WriteError(f"an alternative of the thought {shown(thought.id)} has {members}") from None
    return thought


class ThoughtChain(_Series[Thought]):
    """The thoughts of an agent. They are added at the end, replaced by changed ones, and removed.

    The thought that was added last is the current step, unless another one is chosen.
    """

    def __init__(
        self,
        changes: SharedState,
        step: Callable[[], None],
        thoughts: Iterable[Thought] = (),
        current: str | None = None,
    ) -> None:
        self._changes = changes
        self._step = step
        self._thoughts = list(thoughts)
        self._places: dict[str, int] = {thought.id: place for place, thought in enumerate(self._thoughts)}
        self._children: dict[str, dict[str, None]] = {}
        self._current = current
        self._taken: tuple[Thought, ...] | None = None
        for thought in self._thoughts:
            if thought.parent_id is not None:
                self._link(thought)
        changes.seen(*map(attrgetter("created_at"), self._thoughts))

    def _held(self) -> Sequence[Thought]:
        return self._thoughts

    def add(
        self,
        type: str,  # noqa: A002 - the member is called so
        content: str,
        *,
        confidence: float | None = None,
        parent_id: str | None = None,
        id: str | None = None,
        **more: Any,
    ) -> Thought:
        """Add a thought and return it; `more` are other members, such as reasoning or created_at.

        Raises WriteError for an id that is taken, for a thought that would be its own ancestor, and for invalid
        members.
        """
        with self._changes.change():
            members = {
                "id": new_id("thought_") if id is None else id,
                "type": type,
                "content": content,
                "confidence": confidence,
                "parent_id": parent_id,
                "created_at": self._changes.now(),
                **more,
            }
            thought = _checked(made(Thought, members, "the thought"))
            if thought.id in self._places:
                raise WriteError(f"there is a thought {shown(thought.id)} already: give another id, or update it")
            self._refuse_cycle(thought)
            self._changes.seen(thought.created_at)
            self._places[thought.id] = len(self._thoughts)
            self._thoughts.append(thought)
            self._current, self._taken = thought.id, None
            self._link(thought)
            self._changes.changed("thought.created", thought=thought, index=len(self._thoughts) - 1)
            self._update_parent(thought.parent_id, thought.id, is_child=True)
            self._step()
            return thought

    def update(self, id: str, /, **changes: Any) -> Thought:
        """Replace members of a thought and return the new thought; None removes a member.

        Raises LookupFailedError for an unknown id, WriteError for invalid members and for another id.
        """
        with self._changes.change():
            before = self.get(id)
            after = _checked(changed(before, changes, f"the thought {shown(id)}"))
            if after.id != id:
                raise WriteError(f"the thought {shown(id)} keeps its id: remove it, and add another")
            self._refuse_cycle(after)
            self._changes.seen(after.created_at)
            self._unlink(before)
            self._put(before, after)
            self._link(after)
            if before.parent_id != after.parent_id:
                self._update_parent(before.parent_id, id, is_child=False)
                self._update_parent(after.parent_id, id, is_child=True)
            return after

    def remove(self, id: str) -> Thought:
        """Remove a thought and return it; others may still name it as their parent. Raises LookupFailedError."""
        with self._changes.change():
            thought = self.get(id)
            place = self._places.pop(id)
            del self._thoughts[place]
            for later in self._thoughts[place:]:
                self._places[later.id] -= 1
            self._unlink(thought)
            self._taken = None
            if self._current == id:
                self._current = self._thoughts[-1].id if self._thoughts else None
            self._changes.changed("thought.removed", thought=thought)
            self._update_parent(thought.parent_id, id, is_child=False)
            return thought

    def get(self, id: str) -> Thought:
        """Return the thought with that id. Raises LookupFailedError."""
        with self._changes.still:
            if id not in self._places:
                raise LookupFailedError(f"there is no thought {shown(id)} in the chain")
            return self._thoughts[self._places[id]]

    def children(self, id: str) -> tuple[Thought, ...]:
        """Return the thoughts that have this one as their parent, in the order of the chain."""
        with self._changes.still:
            places = sorted(self._places[child] for child in self._children.get(id, ()))
            return tuple(self._thoughts[place] for place in places)

    def ancestors(self, id: str) -> tuple[Thought, ...]:
        """Return the parent of a thought, the parent's parent and so on, as far as the chain has them."""
        with self._changes.still:
            found: dict[str, Thought] = {}
            parent = self.get(id).parent_id
            while parent in self._places and parent not in found:
                found[parent] = self.get(parent)
                parent = found[parent].parent_id
            return tuple(found.values())

    @property
    def current_step_id(self) -> str | None:
        """The id of the thought that the agent is working on."""
        return self._current

    @current_step_id.setter
    def current_step_id(self, id: str | None) -> None:
        with self._changes.change():
            before, self._current = self._current, None if id is None else self.get(id).id
            self._changes.changed("progress.changed", field="current_step_id", before=before, after=self._current)

    def taken(self) -> tuple[Thought, ...]:
        """Return the current thoughts; the same tuple until something changes."""
        with self._changes.still:
            if self._taken is None:
                self._taken = tuple(self._thoughts)
            return self._taken

    def _put(self, before: Thought, after: Thought) -> None:
        self._thoughts[self._places[after.id]] = after
        self._taken = None
        self._changes.changed("thought.updated", before=before, after=after)

    def _link(self, thought: Thought) -> None:
        if thought.parent_id is not None:
            self._children.setdefault(thought.parent_id, {})[thought.id] = None

    def _unlink(self, thought: Thought) -> None:
        if thought.parent_id is not None:
            self._children[thought.parent_id].pop(thought.id)

    def _refuse_cycle(self, thought: Thought) -> None:
        parent = thought.parent_id
        # A thought without children closes no cycle; most thoughts have none.
        may_close = parent in self._places and self._children.get(thought.id)
        above = (self.get(parent), *self.ancestors(parent)) if parent is not None and may_close else ()
        if parent == thought.id or any(thought.id in (one.id, one.parent_id) for one in above):
            raise WriteError(f"the thought {shown(thought.id)} would be its own ancestor: give another parent_id")

    def _update_parent(self, parent: str | None, child: str, *, is_child: bool) -> None:
        # Only thoughts of the second shape list their children.
        if parent is None or parent not in self._places:
            return
        before = self.get(parent)
        if before.children is not None and (child in before.children) != is_child:
            others = tuple(other for other in before.children if other != child)
            self._put(before, changed(before, {"children": (*others, child) if is_child else others}, "it"))


class Variables(MutableMapping[str, Any]):
    """Named values. They are checked to be JSON and copied when they are set, and are immutable from then on."""

    def __init__(self, changes: SharedState, event: str, values: Mapping[str, Any]) -> None:
        self._changes = changes
        self._event = event
        self._values: dict[str, Any] = dict(frozen(values, event, DEFAULT_LIMITS.depth))
        self._taken: JsonObject | None = None

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[str]:
        return iter(self.taken())

    def __getitem__(self, key: str) -> Any:
        try:
            return self._values[key]
        except KeyError:
            raise LookupFailedError(f"{self._event} has no {shown(str(key))}") from None

    def __contains__(self, key: object) -> bool:
        return key in self._values

    def __setitem__(self, key: str, value: Any) -> None:
        name, after = frozen_key(key, self._event), frozen(value, f"{self._event}[{key!r}]", DEEPEST - 1)
        with self._changes.change():
            before = self._values.get(name, ABSENT)
            self._values[name], self._taken = after, None
            self._changes.changed(self._event, key=name, before=before, after=after)

    def __delitem__(self, key: str) -> None:
        with self._changes.change():
            before = self[key]
            del self._values[key]
            self._taken = None
            self._changes.changed(self._event, key=key, before=before, after=ABSENT)

    def taken(self) -> JsonObject:
        """Return the current values; the same object until something changes."""
        with self._changes.still:
            if self._taken is None:
                self._taken = JsonObject(self._values)
            return self._taken


class AppendOnly(_Series[Any]):
    """JSON values in the order in which they were added; none is changed or removed."""

    def __init__(self, changes: SharedState, event: str, values: Iterable[Any]) -> None:
        self._changes = changes
        self._event = event
        self._values: list[Any] = list(frozen(list(values), event, DEFAULT_LIMITS.depth))
        self._taken: JsonArray | None = None

    def _held(self) -> Sequence[Any]:
        return self._values

    def append(self, value: Any) -> None:
        """Add a value at the end. Raises WrongTypeError or WriteError for a value that is no JSON."""
        self.extend((value,))

    def extend(self, values: Iterable[Any]) -> None:
        """Add values at the end: all of them, or none if one is invalid. Raises as `append`."""
        elements = tuple(frozen(value, f"an element of {self._event}") for value in values)
        self._check(elements)
        with self._changes.change():
            self._values += elements
            self._taken = None
            self._changes.changed(self._event, elements=elements)

    def taken(self) -> JsonArray:
        """Return the current values; the same array until something changes."""
        with self._changes.still:
            if self._taken is None:
                self._taken = JsonArray(self._values)
            return self._taken

    def _check(self, elements: tuple[Any, ...]) -> None:
        """Raise WriteError for values that are not allowed."""


class Memory(AppendOnly):
    """The memory of an agent, in the order of addition: objects of key, value, importance and timestamp."""

    def _check(self, elements: tuple[Any, ...]) -> None:
        try:
            MEMORY.validate_python([*elements])
        except ValidationError:
            members = "a key (text), a value, an importance (0 or more) and a timestamp (milliseconds)"
            raise WriteError(f"an element of {self._event} has {members}: use remember") from None


class Context:
    """The context of an agent: `variables` and `state` map names to JSON, `history` and `memory` only grow."""

    def __init__(self, changes: SharedState, base: SnapshotContext) -> None:
        self._changes = changes
        self._base = base
        self.variables = Variables(changes, "context.variables", base.variables)
        self.state = Variables(changes, "context.state", base.state)
        self.history = AppendOnly(changes, "context.history", base.history)
        self.memory = Memory(changes, "context.memory", base.memory or ())

    def remember(self, key: str, value: Any, importance: float = 1) -> None:
        """Add a value to the memory under a key, with its importance (0 or more) and the time.

        Raises WriteError for invalid values.
        """
        with self._changes.change():
            entry = {"key": key, "value": value, "importance": importance, "timestamp": self._changes.now()}
            self.memory.append(entry)

    def taken(self) -> SnapshotContext:
        """Return the current context; the same value until something changes."""
        with self._changes.still:
            now = {part: getattr(self, part).taken() for part in ("variables", "state", "history", "memory")}
            if not (self.memory or "memory" in self._base.model_fields_set):
                del now["memory"]
            if any(getattr(self._base, part) is not value for part, value in now.items()):
                self._base = self._base.model_copy(update=now)
            return self._base


_NEEDED = ("tool_id", "args", "started_at")
_OPEN = ("pending", "running", None)


class ToolState(_Series[ToolCall]):
    """Calls in the order in which they were started, and results by the ids of calls. Nothing here calls a tool.

    A result that is no JSON is kept as pydantic writes it, a date as its text. `default`, if it is set, is called with
    a value that pydantic does not know, and returns a simpler one; otherwise its `repr` is kept, with a warning.
    """

    default: Callable[[Any], Any] | None = None

    def __init__(self, changes: SharedState, base: SnapshotToolState) -> None:
        self._changes = changes
        self._base = base
        self._calls = {call.id: call for call in base.calls}
        self._in_flight = {call.id: None for call in base.calls if call.is_in_flight}
        self._results: dict[str, Any] = dict(frozen(base.results, "results", DEFAULT_LIMITS.depth))
        self._last = base.last_tool_call_id
        self._taken: SnapshotToolState | None = None
        changes.seen(*(moment for call in base.calls for moment in (call.started_at, call.completed_at)))

    def _held(self) -> Sequence[ToolCall]:
        return self.taken().calls

    @property
    def results(self) -> Mapping[str, Any]:
        """Results by the ids of calls. A call without a result has no key, which differs from null."""
        return MappingProxyType(self._results)

    @property
    def in_flight(self) -> tuple[ToolCall, ...]:
        """The calls that have not ended."""
        with self._changes.still:
            return tuple(self._calls[id] for id in self._in_flight)

    def get(self, id: str) -> ToolCall:
        """Return the call with that id. Raises LookupFailedError."""
        if id not in self._calls:
            raise LookupFailedError(f"there is no tool call {shown(id)}")
        return self._calls[id]

    def start(self, tool_id: str, args: Mapping[str, Any], *, id: str | None = None, **more: Any) -> ToolCall:
        """Record that a tool is called now, and return the call; `more` are other members, such as started_at.

        Raises WriteError for an id that is taken and for invalid members.
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
                "started_at": self._changes.now(),
                **more,
            }
            call = made(ToolCall, members, "the tool call")
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
        """Record that a call succeeded, with its result if there is one; return the new call. Raises as `fail` does."""
        return self._end(id, "completed", result, {"success": True}, more)

    def fail(self, id: str, error: str, result: Any = ABSENT, **more: Any) -> ToolCall:
        """Record that a call failed; return the new call.

        Raises LookupFailedError for an unknown id, WriteError for a call that has ended, and for one that was read
        without its tool, arguments or start, unless `more` gives them.
        """
        return self._end(id, "failed", result, {"success": False, "error": error}, more)

    def cancel(self, id: str, **more: Any) -> ToolCall:
        """Record that a call was cancelled; return the new call. Raises as `fail` does."""
        return self._end(id, "cancelled", ABSENT, {"success": False}, more)

    def taken(self) -> SnapshotToolState:
        """Return the current calls and results; the same value until something changes."""
        with self._changes.still:
            if self._taken is None:
                now: dict[str, Any] = {"calls": (*self._calls.values(),), "results": JsonObject(self._results)}
                if self._last != self._base.last_tool_call_id:
                    now["last_tool_call_id"] = self._last
                self._taken = self._base = self._base.model_copy(update=now)
            return self._taken

    def _end(self, id: str, status: str, result: Any, end: dict[str, Any], more: dict[str, Any]) -> ToolCall:
        value = ABSENT if result is ABSENT else recorded(result, f"the result of {shown(id)}", self.default)
        if {"success", "status"} & more.keys():
            raise WriteError(f"success and status of {shown(id)} follow from how it ended: leave them out")
        with self._changes.change():
            before = self.get(id)
            if not before.is_in_flight:
                raise WriteError(f"the tool call {shown(id)} has ended already")
            missing = [name for name in _NEEDED if more.get(name, getattr(before, name)) is None]
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


class ExecutionProgress:
    """Counters that never decrease: `step_number`, `tokens_used`, and `duration_ms`, which follows the clock.

    The caller sets `total_steps_estimate` and `iterations_completed`; they are None if they are not known.
    """

    def __init__(self, changes: SharedState, base: SnapshotProgress) -> None:
        self._changes = changes
        self._base = base
        self._counts = {"step_number": base.step_number, "tokens_used": base.tokens_used or 0}
        self._before = base.duration_ms or 0
        self._started = changes.clock.monotonic()

    @property
    def step_number(self) -> int:
        """The step of the execution: it rises with each thought if the state has `auto_step`, and by `advance`."""
        return self._counts["step_number"]

    @property
    def tokens_used(self) -> int:
        """The tokens that were used since the execution began."""
        return self._counts["tokens_used"]

    @property
    def duration_ms(self) -> float:
        """The milliseconds that the agent has run, also before a restore, but without the time in between."""
        return self._before + max(0, self._changes.clock.monotonic() - self._started)

    @property
    def total_steps_estimate(self) -> int | None:
        """An estimate of the number of steps, None if there is none."""
        return self._base.total_steps_estimate

    @total_steps_estimate.setter
    def total_steps_estimate(self, steps: int | None) -> None:
        self._set("total_steps_estimate", steps)

    @property
    def iterations_completed(self) -> int | None:
        """The number of iterations that the agent has completed, None if it is not known."""
        return self._base.iterations_completed

    @iterations_completed.setter
    def iterations_completed(self, iterations: int | None) -> None:
        self._set("iterations_completed", iterations)

    def advance(self, steps: int = 1) -> None:
        """Advance by some steps. Raises WriteError for a negative number."""
        self._add("step_number", steps)

    def add_tokens(self, n: int) -> None:
        """Count tokens that were used. Raises WriteError for a negative number."""
        self._add("tokens_used", n)

    def taken(self, thoughts: int, calls: int) -> SnapshotProgress:
        """Return the current progress, with these totals."""
        totals = {"total_thoughts": thoughts, "total_tool_calls": calls}
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
            self._base = changed(self._base, {field: after}, "the progress")
            self._changes.changed("progress.changed", field=field, before=before, after=after)


def _count(n: int, field: str) -> int:
    if type(n) is not int:
        raise WrongTypeError(f"{field} rises by {n!r:.40}: give a whole number")
    if not 0 <= n <= LARGEST_COUNT:
        raise WriteError(f"{field} goes from 0 to {LARGEST_COUNT} and never falls: {n} is refused")
    return n

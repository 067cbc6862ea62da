"""The state of an agent while it runs, and what the agent knows: variables, what was said, what it remembers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from typing import TYPE_CHECKING, Any, overload

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
from checkpoint_ld.documents.values import ABSENT, DEFAULT_LIMITS
from checkpoint_ld.errors import LookupFailedError, WriteError
from checkpoint_ld.notebook import Card, Shown
from checkpoint_ld.phrases import shown
from checkpoint_ld.runtime.changes import (
    Changes,
    Clock,
    ErrorHandler,
    Event,
    Settled,
    is_memory,
    log_error,
    new_id,
)
from checkpoint_ld.runtime.frozen_json import DEEPEST, JsonArray, JsonObject, frozen, frozen_key
from checkpoint_ld.runtime.thought_chain import ThoughtChain
from checkpoint_ld.runtime.tool_state import ExecutionProgress, ToolState

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from checkpoint_ld.runtime.tool_state import ToolUse


class Variables(MutableMapping[str, Any]):
    """Named values. They are checked to be JSON and copied on the way in, and cannot be changed in place after that."""

    def __init__(self, changes: Changes, event: str, values: Mapping[str, Any]) -> None:
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
            self._values[name] = after
            self._tell(name, before, after)

    def __delitem__(self, key: str) -> None:
        with self._changes.change():
            before = self[key]
            del self._values[key]
            self._tell(key, before, ABSENT)

    def taken(self) -> JsonObject:
        """Return the values as they are now; the same object until something changes."""
        with self._changes.still:
            if self._taken is None:
                self._taken = JsonObject(self._values)
            return self._taken

    def _tell(self, key: str, before: Any, after: Any) -> None:
        self._taken = None
        self._changes.changed(self._event, key=key, before=before, after=after)


class Record(CheckedMethods, Sequence[Any]):
    """JSON values in the order in which they came; nothing is changed or taken away."""

    def __init__(self, changes: Changes, event: str, values: Iterable[Any]) -> None:
        self._changes = changes
        self._event = event
        self._values: list[Any] = list(frozen(list(values), event, DEFAULT_LIMITS.depth))
        self._taken: JsonArray | None = None

    def __len__(self) -> int:
        return len(self._values)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Any, ...]: ...
    def __getitem__(self, index: int | slice) -> Any:
        return tuple(self._values[index]) if isinstance(index, slice) else self._values[index]

    def append(self, value: Any) -> None:
        """Add a value at the end. Raises WrongTypeError or WriteError for what is no JSON."""
        self.extend((value,))

    def extend(self, values: Iterable[Any]) -> None:
        """Add values at the end: all, or none if one of them may not be there. Raises as `append`."""
        elements = tuple(frozen(value, f"an element of {self._event}") for value in values)
        self._check(elements)
        with self._changes.change():
            self._values += elements
            self._taken = None
            self._changes.changed(self._event, elements=elements)

    def taken(self) -> JsonArray:
        """Return the values as they are now; the same array until something changes."""
        with self._changes.still:
            if self._taken is None:
                self._taken = JsonArray(self._values)
            return self._taken

    def _check(self, elements: tuple[Any, ...]) -> None:
        """Raise WriteError for what may not be among the values."""


class Memory(Record):
    """What is worth keeping, in the order in which it came: objects of key, value, importance and timestamp."""

    def _check(self, elements: tuple[Any, ...]) -> None:
        if not all(map(is_memory, elements)):
            members = "a key (text), a value, an importance (0 or more) and a timestamp (milliseconds)"
            raise WriteError(f"an element of {self._event} has {members}: use remember")


class Context(CheckedMethods):
    """`variables` and `state` map names to JSON, `history` and `memory` are added to at the end."""

    def __init__(self, changes: Changes, base: SnapshotContext) -> None:
        self._changes = changes
        self._base = base
        self.variables = Variables(changes, "context.variables", base.variables)
        self.state = Variables(changes, "context.state", base.state)
        self.history = Record(changes, "context.history", base.history)
        self.memory = Memory(changes, "context.memory", base.memory or ())

    def remember(self, key: str, value: Any, importance: float = 1) -> None:
        """Add to the memory what is worth keeping, under a key, with how important it is (0 or more), and the time.

        Raises WriteError for values that make no sense.
        """
        with self._changes.change():
            entry = {"key": key, "value": value, "importance": importance, "timestamp": self._changes.now()}
            self.memory.append(entry)

    def taken(self) -> SnapshotContext:
        """Return the context as it is now; the same value until something changes."""
        with self._changes.still:
            now = {part: getattr(self, part).taken() for part in ("variables", "state", "history", "memory")}
            if not (self.memory or "memory" in self._base.model_fields_set):
                del now["memory"]
            if any(getattr(self._base, part) is not value for part, value in now.items()):
                self._base = self._base.model_copy(update=now)
            return self._base


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
        self._changes = Changes(on_error, clock)
        self._base = snapshot
        self.progress = ExecutionProgress(self._changes, snapshot.progress)
        step: Callable[[], None] = self.progress.advance if auto_step else lambda: None
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
        return self._changes.on(pattern, handler)

    def on_settled(self, handler: Settled) -> Callable[[], None]:
        """Call `handler` after each change with all events that it brought; return what ends it."""
        return self._changes.on_settled(handler)

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
        from checkpoint_ld.runtime.tool_state import ToolUse  # noqa: PLC0415 - asyncio, which others do without

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


def _identifier(given: str, what: str) -> str:
    try:
        return _ID.validate_python(given)
    except ValidationError as error:
        raise WriteError(f"{what} is refused: {error.errors()[0]['msg']}") from None

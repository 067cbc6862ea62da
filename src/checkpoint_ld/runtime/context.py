"""What an agent knows: named variables, its state, what was said, and what it remembers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from checkpoint_ld.agent.values import SnapshotContext  # noqa: TC001 - arguments are checked by annotations
from checkpoint_ld.arguments import CheckedMethods
from checkpoint_ld.documents.values import ABSENT, DEFAULT_LIMITS
from checkpoint_ld.errors import LookupFailedError, WriteError
from checkpoint_ld.phrases import shown
from checkpoint_ld.runtime.changes import is_memory
from checkpoint_ld.runtime.frozen_json import JsonArray, JsonObject, frozen, frozen_member

if TYPE_CHECKING:
    from checkpoint_ld.runtime.changes import Changes


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
        name, after = frozen_member(key, value, self._event)
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

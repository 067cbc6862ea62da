"""Changes of a state: immutable JSON, the clock, identifiers, the lock, and events."""

from __future__ import annotations

import logging
import math
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NoReturn, Self, TypeVar

from pydantic import ValidationError
from pydantic_core import to_jsonable_python

from checkpoint_ld.agents.values import Value, members_of
from checkpoint_ld.documents.values import DEFAULT_LIMITS, copied, lone_surrogate
from checkpoint_ld.errors import CheckpointWarning, SettingsError, WriteError, WrongTypeError, warn
from checkpoint_ld.mapping.traits import faults_of
from checkpoint_ld.phrases import encodable, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

DEEPEST: Final = DEFAULT_LIMITS.depth - 10
"""The deepest nesting of a value, so that the checkpoint around it can be read back."""


def _refused(self: object, *_: Any, **__: Any) -> NoReturn:
    raise WrongTypeError(f"a {type(self).__name__} of a state cannot be changed in place: give the state a new value")


class _Frozen:
    """Copying of a container that refuses changes."""

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return copied(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return frozen, (self.copy(),)  # type: ignore[attr-defined] # a plain container


class JsonObject(_Frozen, dict[str, Any]):
    """A JSON object that refuses changes; `copy.deepcopy` gives one that can be changed."""

    __setitem__ = __delitem__ = __ior__ = _refused
    clear = pop = popitem = setdefault = update = _refused


class JsonArray(_Frozen, list[Any]):
    """A JSON array that refuses changes; `copy.deepcopy` gives one that can be changed."""

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refused
    append = extend = insert = pop = remove = clear = sort = reverse = _refused


def frozen(value: Any, what: str = "a value", deepest: int = DEEPEST) -> Any:
    """Return `value` as immutable JSON, which shares what is immutable already; tuples become arrays.

    `what` is its name in messages. Raises WrongTypeError for a value that is no JSON, WriteError for numbers that JSON
    does not have, halves of surrogate pairs, and values that are nested deeper than `deepest` (also one that contains
    itself).
    """
    if value is None or isinstance(value, (bool, JsonObject, JsonArray)):
        return value
    if isinstance(value, Enum):  # as pydantic writes it; the text of a member is its name
        return frozen(value.value, what, deepest)
    if isinstance(value, str):
        return _text(value, what)
    if isinstance(value, int):
        return _integer(value, what)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise WriteError(f"{what} holds {value}, which JSON has no form for: give a finite number or null")
        return float(value)
    if not deepest:
        raise WriteError(
            f"{what} is nested too deeply (more than {DEEPEST} levels), or holds itself: give something flatter"
        )
    if isinstance(value, Mapping):
        return JsonObject({frozen_key(key, what): frozen(inner, what, deepest - 1) for key, inner in value.items()})
    if isinstance(value, (list, tuple)):
        return JsonArray([frozen(inner, what, deepest - 1) for inner in value])
    raise WrongTypeError(
        f"{what} holds a {type(value).__name__}, which is no JSON: give texts, numbers, lists, objects"
    )


def recorded(value: Any, what: str, default: Callable[[Any], Any] | None = None) -> Any:
    """Return anything as immutable JSON: what is no JSON as pydantic writes it, by `default`, or else as its `repr`.

    `default` gets values of other types, and returns something simpler. A `repr` gives a CheckpointWarning, since it
    cannot be read back; nothing is raised.
    """
    try:
        return frozen(value, what)
    except (WriteError, WrongTypeError):
        pass
    unknown: list[str] = []

    def simpler(one: Any) -> Any:
        if default is not None:
            return default(one)
        if type(one).__module__ == "numpy" and callable(getattr(one, "item", None)):
            return one.item() if getattr(one, "ndim", 0) == 0 else one.tolist()
        unknown.append(type(one).__name__)
        return repr(one)

    try:
        plain = frozen(to_jsonable_python(value, fallback=simpler, bytes_mode="base64"), what)
    except Exception:  # noqa: BLE001 - a tool has run: whatever its result raises must not lose the call
        unknown = [type(value).__name__]
        plain = encodable(_shown(value))
    if unknown:
        warn(CheckpointWarning(f"{what} holds a {unknown[0]}, of which only the repr is kept: set tool_state.default"))
    return plain


def _shown(value: object) -> str:
    try:
        return repr(value)
    except Exception:  # noqa: BLE001 - as above
        return object.__repr__(value)


def frozen_key(key: object, what: str) -> str:
    """Return the key of a member. Raises WrongTypeError if it is no text."""
    if not isinstance(key, str):
        raise WrongTypeError(f"{what} has the key {key!r}, which is no text: keys of JSON objects are texts")
    return _text(key, what)


def _integer(number: int, what: str) -> int:
    try:
        str(int(number))
    except ValueError:
        raise WriteError(f"{what} holds an integer of more digits than Python writes: give it as text") from None
    return int(number)


def _text(text: str, what: str) -> str:
    if half := lone_surrogate(text):
        raise WriteError(f"{what} holds {half}, half a surrogate pair, which has no form in UTF-8: leave it out")
    return str(text)


Made = TypeVar("Made", bound=Value)


def made(model: type[Made], members: Mapping[str, Any], what: str) -> Made:
    """Return the value with these members; a known member that is None is absent.

    `what` is its name in messages. Raises WriteError for members that it may not have, WrongTypeError for values that
    are no JSON.
    """
    known = model.model_fields
    given = {
        name: value if isinstance(value, str) and name in known else frozen(value, f"{name} of {what}")
        for name, value in members.items()
        if value is not None or name not in known
    }
    try:
        value = model.model_validate(given)
    except ValidationError as error:
        raise WriteError(f"{what} is refused: {faults_of(error)}") from None
    # pydantic copies objects and arrays; immutable ones can be shared instead.
    parts = {name: one for name, one in given.items() if isinstance(one, (dict, list)) and name != "children"}
    return value.model_copy(update=parts) if parts else value


def changed(value: Made, changes: Mapping[str, Any], what: str) -> Made:
    """Return `value` with other members; None removes a known one. Raises as `made` does."""
    return made(type(value), {**members_of(value), **changes}, what)


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock of a state: `wall` in epoch milliseconds (UTC), `monotonic` in milliseconds since any moment.

    Give functions of your own for runs that can be repeated exactly.
    """

    wall: Callable[[], int] = lambda: time.time_ns() // 1_000_000
    monotonic: Callable[[], int] = lambda: time.monotonic_ns() // 1_000_000


_COUNTS = 1 << 12
_SEED = 1 << 8
"""The counter starts low, so that a millisecond has room for thousands of identifiers."""


_SEQUENCE_LOCK = threading.Lock()
_last = 0


def new_id(prefix: str) -> str:
    """Return `prefix` and the 32 hexadecimal digits of a new UUID of version 7 (RFC 9562 §5.7, counter by §6.2).

    Later ones are greater within a process; between processes they follow the clock to the millisecond.
    """
    global _last  # noqa: PLW0603 - the sequence is that of the process
    now, drawn = Clock().wall(), secrets.randbits(70)  # at once, since each call of the system takes its time
    with _SEQUENCE_LOCK:
        fresh = now * _COUNTS + drawn % _SEED
        # Greater than those before, also if the clock was put back.
        _last = fresh if now > _last // _COUNTS else _last + 1
        moment, count = divmod(_last, _COUNTS)
    number = moment << 80 | 7 << 76 | count << 64 | 2 << 62 | drawn >> 8
    return f"{prefix}{number:032x}"


@dataclass(frozen=True, slots=True)
class Event:
    """One change: its name, such as `thought.created`, and its content, such as `event["thought"]`."""

    name: str
    payload: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def __getitem__(self, key: str) -> Any:
        return self.payload[key]


Handler = Callable[[Event], None]
ErrorHandler = Callable[[Exception, Event], None]
Settled = Callable[[tuple[Event, ...]], None]


def log_error(error: Exception, event: Event) -> None:
    """Log the exception of a subscriber: the default `on_error`."""
    logging.getLogger(__name__).error("a subscriber to %s failed", shown(event.name), exc_info=error)


class SharedState:
    """What the parts of a state share: the lock, the events, the time.

    While somebody holds `still`, nobody else changes anything. `revision` counts the changes. `now` is never earlier
    than any moment in the state: if the clock is put back, no thought becomes older than its parent. Subscribers get
    all events of one change together, in the thread that made the change, before its call returns. SharedState by a
    subscriber wait until the current ones are delivered. A thread waits while another one delivers.
    """

    def __init__(self, on_error: ErrorHandler, clock: Clock) -> None:
        self.clock = clock
        self.revision = 0
        self.still = threading.RLock()
        self._on_error = on_error
        self._handlers: tuple[tuple[str, Callable[[Any], None]], ...] = ()
        """With the patterns of their events; a handler without pattern is called with all events of a change."""
        self._members = threading.Lock()
        self._waiting: deque[tuple[Event, ...]] = deque()
        self._turn = threading.RLock()
        self._busy = False
        self._depth = 0
        self._owner = 0
        self._events: list[Event] = []
        self._latest = 0

    @contextmanager
    def change(self) -> Iterator[None]:
        """Combine the changes inside into one: nobody sees only some of them, and their events come together."""
        posted = False
        try:
            with self.still:
                self._depth += 1
                self._owner = threading.get_ident()
                try:
                    yield
                finally:
                    self._depth -= 1
                    if not self._depth and self._events:
                        self._waiting.append(tuple(self._events))
                        self._events.clear()
                        posted = True
        finally:
            if posted:
                self._deliver()

    @property
    def is_mine(self) -> bool:
        """Whether this thread makes changes now, so that another thread would wait for it."""
        return self._depth > 0 and self._owner == threading.get_ident()

    @property
    def has_listeners(self) -> bool:
        """Whether anybody is called with events."""
        return bool(self._handlers)

    def changed(self, name: str, **payload: Any) -> None:
        """Count a change, and note its event."""
        self.revision += 1
        self.note(name, **payload)

    def note(self, name: str, **payload: Any) -> None:
        """Note an event; only within `change`."""
        if self.has_listeners:
            self._events.append(Event(name, MappingProxyType(payload)))

    def now(self, *moments: int | None) -> int:
        """Return the moment in epoch milliseconds: at least the latest of `moments`, which are in the state now."""
        return self.seen(self.clock.wall(), *moments)

    def seen(self, *moments: int | None) -> int:
        """Note moments that are in the state, and return the latest of all."""
        with self.still:
            self._latest = max(self._latest, *(moment for moment in moments if moment is not None), 0)
            return self._latest

    def on(self, pattern: str, handler: Handler) -> Callable[[], None]:
        """Call `handler` with the events of a name, or of a pattern such as `thought.*`; return what ends it.

        Raises SettingsError for a `*` anywhere but at the end.
        """
        if "*" in pattern[:-1] or not pattern:
            raise SettingsError(f"the pattern {pattern!r} is none: give a name, a prefix such as 'thought.*', or '*'")
        return self._added(pattern, handler)

    def on_settled(self, handler: Settled) -> Callable[[], None]:
        """Call `handler` after each change with all its events, after all other handlers."""
        return self._added("", handler)

    def _added(self, pattern: str, handler: Callable[[Any], None]) -> Callable[[], None]:
        entry = (pattern, handler)
        with self._members:
            self._handlers = (*self._handlers, entry)

        def off() -> None:
            with self._members:
                self._handlers = tuple(handler for handler in self._handlers if handler is not entry)

        return off

    def _deliver(self) -> None:
        """Deliver all events that wait. A subscriber's own changes are delivered by the delivery that called it."""
        with self._turn:
            if self._busy:
                return
            self._busy = True
            try:
                while self._waiting:
                    events = self._waiting.popleft()
                    for event in events:
                        for pattern, handler in self._handlers:
                            is_prefix = pattern.endswith("*") and event.name.startswith(pattern[:-1])
                            if pattern and (event.name == pattern or is_prefix):
                                self._call(handler, event, event)
                    for pattern, handler in self._handlers:
                        if not pattern:
                            self._call(handler, events, events[-1])
            finally:
                self._busy = False

    def _call(self, handler: Callable[[Any], None], given: Any, event: Event) -> None:
        try:
            handler(given)
        except Exception as error:  # noqa: BLE001 - whatever a subscriber raises, the agent continues
            self._on_error(error, event)

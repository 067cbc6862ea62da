"""Changes of a state: their clock, their identifiers, their lock, and the events that tell of them."""

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
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from checkpoint_ld.agent.values import LATEST_MS, Value
from checkpoint_ld.arguments import CheckedMethods
from checkpoint_ld.errors import SettingsError, WriteError
from checkpoint_ld.mapping.traits import faults_of
from checkpoint_ld.phrases import shown
from checkpoint_ld.runtime.frozen_json import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator


def _wall() -> int:
    return time.time_ns() // 1_000_000


def _monotonic() -> int:
    return time.monotonic_ns() // 1_000_000


@dataclass(frozen=True, slots=True)
class Clock(CheckedMethods):
    """Where a state takes its time from: `wall` in epoch milliseconds (UTC), `monotonic` in milliseconds since ever.

    Give functions of your own for runs that can be repeated exactly.
    """

    wall: Callable[[], int] = _wall
    monotonic: Callable[[], int] = _monotonic


_COUNTS = 1 << 12
_SEED = 1 << 8
"""Counting starts low, so that thousands of identifiers fit into one millisecond."""


class _Sequence:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0

    def next(self, now: int) -> tuple[int, int]:
        """Return a millisecond and a count that are above those before, also when the clock was put back."""
        with self._lock:
            fresh = now * _COUNTS + secrets.randbelow(_SEED)
            self._last = fresh if now > self._last // _COUNTS else self._last + 1
            return divmod(self._last, _COUNTS)


_SEQUENCE = _Sequence()


def new_id(prefix: str) -> str:
    """Return `prefix` and the 32 hexadecimal digits of a new UUID of version 7 (RFC 9562 §5.7, counter by §6.2).

    Later ones are greater within a process; between processes they follow the clock to the millisecond.
    """
    moment, count = _SEQUENCE.next(Clock().wall())
    number = moment << 80 | 7 << 76 | count << 64 | 2 << 62 | secrets.randbits(62)
    return f"{prefix}{number:032x}"


@dataclass(frozen=True, slots=True)
class Event:
    """One change: its name, such as `thought.created`, and what it brings along, such as `event["thought"]`."""

    name: str
    payload: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def __getitem__(self, key: str) -> Any:
        return self.payload[key]


Handler = Callable[[Event], None]
ErrorHandler = Callable[[Exception, Event], None]
Settled = Callable[[tuple[Event, ...]], None]


def log_error(error: Exception, event: Event) -> None:
    """Log what a subscriber raised: the usual `on_error`."""
    logging.getLogger(__name__).error("a subscriber to %s failed", shown(event.name), exc_info=error)


class Changes:
    """What the parts of a state share: the lock, the events, the time.

    As long as somebody holds `still`, nobody else changes anything. `revision` counts the changes. `now` is never
    earlier than any moment that is in the state: a clock that is put back makes no thought older than its parent.

    What one change brought about is told to subscribers together, by the thread that made the change, before its call
    returns. Changes that a subscriber makes wait until the current ones are delivered. A thread waits for its turn
    while another one delivers.
    """

    def __init__(self, on_error: ErrorHandler, clock: Clock) -> None:
        self.clock = clock
        self._on_error = on_error
        self._handlers: tuple[tuple[str, Callable[[Any], None]], ...] = ()
        """With the patterns of their events; without one, they are called with all events of a change."""
        self._members = threading.Lock()
        self._waiting: deque[tuple[Event, ...]] = deque()
        self._turn = threading.RLock()
        self._busy = False
        self.revision = 0
        self.still = threading.RLock()
        self._depth = 0
        self._owner = 0
        self._events: list[Event] = []
        self._latest = 0

    @contextmanager
    def change(self) -> Iterator[None]:
        """Make changes inside that are one: nobody sees some of them only, and their events come together after it."""
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
        """Whether this thread makes changes now, so that another one would wait for it."""
        return self._depth > 0 and self._owner == threading.get_ident()

    def changed(self, name: str, **payload: Any) -> None:
        """Count a change that was made, and note its event."""
        self.revision += 1
        self.tell(name, **payload)

    def tell(self, name: str, **payload: Any) -> None:
        """Note an event; only within `change`."""
        if self._handlers:
            self._events.append(Event(name, MappingProxyType(payload)))

    def now(self) -> int:
        """Return the moment, in epoch milliseconds."""
        return self.seen(self.clock.wall())

    def seen(self, *moments: int | None) -> int:
        """Take note of moments that are in the state, and return the latest of all."""
        with self.still:
            self._latest = max(self._latest, *(one for one in moments if one is not None), 0)
            return self._latest

    def on(self, pattern: str, handler: Handler) -> Callable[[], None]:
        """Call `handler` with the events of that name, or of those that begin so for a pattern such as `thought.*`.

        Returns what ends it. Raises SettingsError for a `*` anywhere but at the end.
        """
        if "*" in pattern[:-1] or not pattern:
            raise SettingsError(f"the pattern {pattern!r} is none: give a name, a prefix such as 'thought.*', or '*'")
        return self._added(pattern, handler)

    def on_settled(self, handler: Settled) -> Callable[[], None]:
        """Call `handler` after each change, with all events that it brought, when all others have heard of them."""
        return self._added("", handler)

    def _added(self, pattern: str, handler: Callable[[Any], None]) -> Callable[[], None]:
        entry = (pattern, handler)
        with self._members:
            self._handlers = (*self._handlers, entry)

        def off() -> None:
            with self._members:
                self._handlers = tuple(one for one in self._handlers if one is not entry)

        return off

    def _deliver(self) -> None:
        """Deliver all that waits; a subscriber's own changes are left to the delivery that it was called by."""
        with self._turn:
            if self._busy:
                return
            self._busy = True
            try:
                while self._waiting:
                    self._tell_of(self._waiting.popleft())
            finally:
                self._busy = False

    def _tell_of(self, events: tuple[Event, ...]) -> None:
        for event in events:
            for pattern, handler in self._handlers:
                is_prefix = pattern.endswith("*") and event.name.startswith(pattern[:-1])
                if pattern and (event.name == pattern or is_prefix):
                    self._call(handler, event, event)
        for pattern, handler in self._handlers:
            if not pattern:
                self._call(handler, events, events[-1])

    def _call(self, handler: Callable[[Any], None], given: Any, event: Event) -> None:
        try:
            handler(given)
        except Exception as error:  # noqa: BLE001 - whatever a subscriber raises, the agent goes on
            self._on_error(error, event)


Made = TypeVar("Made", bound=Value)


def made(model: type[Made], members: Mapping[str, Any], what: str) -> Made:
    """Return the value with these members; a known member that is None is absent.

    `what` is what messages call it. Raises WriteError for members that it may not have, WrongTypeError for values that
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
    # pydantic copies objects and arrays; what is frozen is to be shared instead.
    parts = {name: one for name, one in given.items() if isinstance(one, (dict, list)) and name != "children"}
    return value.model_copy(update=parts) if parts else value


def changed(value: Made, changes: Mapping[str, Any], what: str) -> Made:
    """Return `value` with other members; None takes a known one away. Raises as `made` does."""
    given = {name: getattr(value, name) for name in value.model_fields_set}
    return made(type(value), {**given, **(value.model_extra or {}), **changes}, what)


def is_alternative(value: Any) -> bool:
    """Return whether a value is one of the `alternatives` of a thought."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("option"), str)
        and isinstance(value.get("reason_rejected"), str)
        and ("confidence" not in value or (_is_amount(value["confidence"]) and value["confidence"] <= 1))
    )


def is_memory(value: Any) -> bool:
    """Return whether a value is an entry of the `memory` of a context."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("key"), str)
        and "value" in value
        and _is_amount(value.get("importance"))
        and type(value.get("timestamp")) is int
        and 0 <= value["timestamp"] <= LATEST_MS
    )


def _is_amount(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value < math.inf

"""Events: what has changed in a state, told to those who asked for it, in order."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from checkpoint_ld.errors import SettingsError
from checkpoint_ld.phrases import shown


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


class Bus:
    """Delivers events to subscribers, one change after the other.

    What one change brought about is delivered together, by the thread that made the change, before its call returns.
    Changes that a subscriber makes wait until the current ones are delivered. A thread waits for its turn while
    another one delivers.
    """

    def __init__(self, on_error: ErrorHandler = log_error) -> None:
        self._on_error = on_error
        self._handlers: tuple[tuple[str, Handler], ...] = ()
        self._settled: tuple[Settled, ...] = ()
        self._waiting: deque[tuple[Event, ...]] = deque()
        self._turn = threading.RLock()
        self._busy = False
        self._members = threading.Lock()

    @property
    def is_heard(self) -> bool:
        """Whether anybody listens."""
        return bool(self._handlers or self._settled)

    def on(self, pattern: str, handler: Handler) -> Callable[[], None]:
        """Call `handler` with the events of that name, or of those that begin so for a pattern such as `thought.*`.

        Returns what ends it. Raises SettingsError for a `*` anywhere but at the end.
        """
        if "*" in pattern[:-1] or not pattern:
            raise SettingsError(f"the pattern {pattern!r} is none: give a name, a prefix such as 'thought.*', or '*'")
        entry = (pattern, handler)
        with self._members:
            self._handlers = (*self._handlers, entry)

        def off() -> None:
            with self._members:
                self._handlers = tuple(one for one in self._handlers if one is not entry)

        return off

    def on_settled(self, handler: Settled) -> Callable[[], None]:
        """Call `handler` after each change, with all events that it brought, when all others have heard of them."""
        with self._members:
            self._settled = (*self._settled, handler)

        def off() -> None:
            with self._members:
                self._settled = tuple(one for one in self._settled if one is not handler)

        return off

    def post(self, events: tuple[Event, ...]) -> None:
        """Queue the events of one change."""
        self._waiting.append(events)

    def deliver(self) -> None:
        """Deliver all that waits; a subscriber's own changes are left to the delivery that it was called by."""
        with self._turn:
            if self._busy:
                return
            self._busy = True
            try:
                while self._waiting:
                    self._deliver(self._waiting.popleft())
            finally:
                self._busy = False

    def _deliver(self, events: tuple[Event, ...]) -> None:
        for event in events:
            for pattern, handler in self._handlers:
                if event.name == pattern or (pattern[-1] == "*" and event.name.startswith(pattern[:-1])):
                    self._call(handler, event, event)
        for settled in self._settled:
            self._call(settled, events, events[-1])

    def _call(self, handler: Callable[[Any], None], given: Any, event: Event) -> None:
        try:
            handler(given)
        except Exception as error:  # noqa: BLE001 - whatever a subscriber raises, the agent goes on
            self._on_error(error, event)

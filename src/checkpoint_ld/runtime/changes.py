"""Changes of a state: one lock for all its parts, and the events of a change told when the lock is free again."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from checkpoint_ld.runtime.events import Bus, Event

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.runtime.clock import Clock


class Changes:
    """What the parts of a state share: the lock, the events, the time.

    As long as somebody holds `still`, nobody else changes anything. `revision` counts the changes. `now` is never
    earlier than any moment that is in the state: a clock that is put back makes no thought older than its parent.
    """

    def __init__(self, bus: Bus, clock: Clock) -> None:
        self.bus = bus
        self.clock = clock
        self.revision = 0
        self.still = threading.RLock()
        self._depth = 0
        self._events: list[Event] = []
        self._latest = 0

    @contextmanager
    def change(self) -> Iterator[None]:
        """Make changes inside that are one: nobody sees some of them only, and their events come together after it."""
        posted = False
        try:
            with self.still:
                self._depth += 1
                try:
                    yield
                finally:
                    self._depth -= 1
                    if not self._depth and self._events:
                        self.bus.post(tuple(self._events))
                        self._events.clear()
                        posted = True
        finally:
            if posted:
                self.bus.deliver()

    def changed(self, name: str, **payload: Any) -> None:
        """Count a change that was made, and note its event."""
        self.revision += 1
        self.tell(name, **payload)

    def tell(self, name: str, **payload: Any) -> None:
        """Note an event; only within `change`."""
        if self.bus.is_heard:
            self._events.append(Event(name, MappingProxyType(payload)))

    def now(self) -> int:
        """Return the moment, in epoch milliseconds."""
        return self.seen(self.clock.wall())

    def seen(self, *moments: int | None) -> int:
        """Take note of moments that are in the state, and return the latest of all."""
        with self.still:
            self._latest = max(self._latest, *(one for one in moments if one is not None), 0)
            return self._latest

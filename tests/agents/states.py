"""States for tests: clocks that are set by hand, and a record of events."""

import threading
from collections.abc import Callable

from checkpoint_ld import Clock, Event, RuntimeState

START = 1_738_790_400_000


class HandClock:
    """Both clocks, moved by hand."""

    def __init__(self) -> None:
        self.wall = START
        self.running = 0

    def tick(self, ms: int = 1000) -> None:
        self.wall += ms
        self.running += ms

    def clock(self) -> Clock:
        return Clock(wall=lambda: self.wall, monotonic=lambda: self.running)


def state(**settings: object) -> RuntimeState:
    return RuntimeState("agent", "exec", **settings)  # type: ignore[arg-type]


def heard(of: RuntimeState, pattern: str = "*") -> list[Event]:
    events: list[Event] = []
    of.on(pattern, events.append)
    return events


def together(*works: Callable[[], object]) -> None:
    """Do several things at once, each in a thread of its own, and wait for all of them."""
    threads = [threading.Thread(target=work, daemon=True) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)

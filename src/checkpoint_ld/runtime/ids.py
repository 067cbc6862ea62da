"""Identifiers that nobody else makes and that sort by the time at which they were made."""

from __future__ import annotations

import secrets
import threading

from checkpoint_ld.runtime.clock import Clock

_COUNTS = 1 << 12
_SEED = 1 << 8
"""Counting starts low, so that thousands of identifiers fit into one millisecond."""


class _Sequence:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._moment = 0
        self._count = 0

    def next(self, now: int) -> tuple[int, int]:
        """Return a millisecond and a count that are above those before, also when the clock was put back."""
        with self._lock:
            if now > self._moment:
                self._moment, self._count = now, secrets.randbelow(_SEED)
            else:
                self._count += 1
                if self._count == _COUNTS:
                    self._moment, self._count = self._moment + 1, 0
            return self._moment, self._count


_SEQUENCE = _Sequence()


def new_id(prefix: str) -> str:
    """Return `prefix` and the 32 hexadecimal digits of a new UUID of version 7 (RFC 9562 §5.7, counter by §6.2).

    Later ones are greater within a process; between processes they follow the clock to the millisecond.
    """
    moment, count = _SEQUENCE.next(Clock().wall())
    number = moment << 80 | 7 << 76 | count << 64 | 2 << 62 | secrets.randbits(62)
    return f"{prefix}{number:032x}"

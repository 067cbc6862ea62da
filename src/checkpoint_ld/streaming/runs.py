"""Runs: sorted texts, more than memory should hold, in files that come out as one.

A text is the lines about one node; a byte that UTF-8 does not have stands between two texts of a run. Each run is read
some texts at a time, and what was read is put in order as far as no run can say anything before it. To sort many texts
that are in order for the most part takes less time than asking the runs for one line after the other.
"""

from __future__ import annotations

import io
from bisect import bisect_right
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path
    from typing import BinaryIO

_MOST = 1 << 24
"""Bytes that are read of all runs together."""
_LEAST = 1 << 14
"""Bytes that are read of a run at once, however many there are."""
_BUFFER = 1 << 16
_BETWEEN = b"\xff"


def write_run(run: Path, blocks: Iterable[str]) -> None:
    """Write texts as a run."""
    run.write_bytes(_BETWEEN.join([block.encode() for block in sorted(blocks)]))


def in_order(runs: Sequence[Path]) -> BinaryIO:
    """Return the texts of runs in order, as one file that can be read once."""
    size = max(_MOST // max(len(runs), 1), _LEAST)
    return io.BufferedReader(_Parts(_merged([_Run(run, size) for run in runs])), _BUFFER)


class _Run:
    """A run, as far as it was read; its file is not open meanwhile, since there may be more runs than open files."""

    def __init__(self, path: Path, size: int) -> None:
        self._path = path
        self._size = size
        self._at = 0
        self._rest = b""
        self._few = 0
        self.blocks: list[bytes] = []
        self.is_over = False

    def read_on(self) -> None:
        """Read on if at most half of the texts are left that were there after reading before."""
        if len(self.blocks) > self._few:
            return
        with self._path.open("rb", buffering=0) as file:
            file.seek(self._at)
            while not self.is_over and len(self.blocks) <= self._few:
                # More at a time where a text is longer than what was read, so that the cost stays linear.
                more = file.read(max(self._size, len(self._rest)))
                self.is_over = not more
                *blocks, self._rest = (self._rest + more).split(_BETWEEN)
                self.blocks += blocks
            self._at = file.tell()
        if self.is_over and self._rest:
            self.blocks.append(self._rest)
            self._rest = b""
        self._few = len(self.blocks) // 2

    def taken(self, bound: bytes | None) -> list[bytes]:
        """Return the texts up to `bound`, or all of them, and hold them no more."""
        if bound is None:
            end = len(self.blocks)
        elif not self.blocks or self.blocks[0] > bound:
            return []
        else:
            end = bisect_right(self.blocks, bound)
        taken = self.blocks[:end]
        del self.blocks[:end]
        return taken


def _merged(runs: list[_Run]) -> Iterator[bytes]:
    """Yield the texts of runs in order, many at a time."""
    while runs:
        for run in runs:
            run.read_on()
        bound = min((run.blocks[-1] for run in runs if not run.is_over), default=None)
        blocks = [*chain.from_iterable(run.taken(bound) for run in runs)]
        blocks.sort()
        yield b"".join(blocks)
        runs = [run for run in runs if run.blocks or not run.is_over]


class _Parts(io.RawIOBase):
    """Parts of a text as a file that can be read once."""

    def __init__(self, parts: Iterator[bytes]) -> None:
        self._parts = parts
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # any writable buffer, says typeshed
        while not self._rest:
            part = next(self._parts, None)
            if part is None:
                return 0
            self._rest = memoryview(part)
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size

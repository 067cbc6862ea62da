"""Sorted lines, more than memory should hold: runs of them in files, and all of them in order."""

from __future__ import annotations

import heapq
import io
from contextlib import ExitStack
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import BinaryIO

_TOGETHER = 100
"""Files that are open at once; systems let a process have a few hundred."""
_BUFFER = 1 << 16
_LINES = 4096


def in_order(runs: Sequence[Path]) -> BinaryIO:
    """Return the lines of files, each of which is sorted, as one sorted file that is read; the files are used up."""
    runs = list(runs)
    while len(runs) > _TOGETHER:
        first, runs = runs[:_TOGETHER], runs[_TOGETHER:]
        joined = first[0].with_suffix(".joined" + first[0].suffix)
        with joined.open("wb") as file:
            file.writelines(_merged(first))
        for run in first:
            run.unlink()
        runs.append(joined)
    return io.BufferedReader(_Lines(_merged(runs)), _BUFFER)


def _merged(runs: Sequence[Path]) -> Iterator[bytes]:
    with ExitStack() as stack:
        yield from heapq.merge(*(stack.enter_context(run.open("rb", _BUFFER)) for run in runs))


class _Lines(io.RawIOBase):
    """Lines as a file that can be read once."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self._lines = lines
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # any writable buffer, says typeshed
        if not self._rest:
            self._rest = memoryview(b"".join(islice(self._lines, _LINES)))
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size

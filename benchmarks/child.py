"""A process that takes one way again and again, and tells what it took: `child.py WAY FILE SMALL SECONDS RUNS`.

Alone in a process, no way pays for what another one has imported, filled or left behind. A run on a SMALL file comes
first, so that imports, compiled shapes and contexts are not measured.
"""

from __future__ import annotations

import gc
import json
import resource
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ways import Command, ways

if TYPE_CHECKING:
    from ways import Way

_KIBIBYTE = 1024
_SHORT = 0.01
"""Runs that take no more seconds are short ones."""


def taken(way: Way, state: Any) -> tuple[float, float]:
    """Return the CPU time and the time by the clock of one run, in seconds."""
    cpu, wall = time.process_time(), time.perf_counter()
    way.work(state)
    return time.process_time() - cpu, time.perf_counter() - wall


def runs(way: Way, path: Path, seconds: float, most: int) -> list[tuple[float, float]]:
    """Take a way for about so many seconds, once at least and `most` times at most.

    The garbage of others is collected beforehand, but not before each short run: a collection touches all objects, so
    that the processor would have nothing at hand any more, and it takes longer than such a run.
    """
    found: list[tuple[float, float]] = []
    state = way.prepare(path)
    gc.collect()
    until = time.perf_counter() + seconds
    while True:
        found.append(taken(way, state))
        if len(found) >= most or time.perf_counter() > until:
            return found
        if way.is_fresh:
            state = None
            state = way.prepare(path)
        if found[-1][0] > _SHORT:
            gc.collect()


def memory(which: str) -> int:
    """Return the memory that this process has (`VmRSS`), or the most that it ever had (`VmHWM`), in bytes."""
    status = Path("/proc/self/status")
    if status.exists():
        # Not the figure of getrusage: Linux hands that of the parent down to a process.
        line = next(line for line in status.read_text(encoding="ascii").splitlines() if line.startswith(which))
        return int(line.split()[1]) * _KIBIBYTE
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main(number: str, path: str, small: str, seconds: str, most: str) -> None:
    """Write what the way took, as JSON."""
    way = ways()[int(number)]
    if isinstance(way, Command):
        raise SystemExit(f"{way.name} is a command, which is a process of its own")
    runs(way, Path(small), 0, 1)
    before = memory("VmRSS")
    found = runs(way, Path(path), float(seconds), int(most))
    cpu, wall = zip(*found, strict=True)
    sys.stdout.write(json.dumps({"cpu": cpu, "wall": wall, "peak": memory("VmHWM") - before}))


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Collections, stores and processes over many checkpoints: each way beside the one that it is held against.

`python benchmarks/stores.py 3000` makes the checkpoints, and prints seconds of the processor (of a command and all that
it starts) and of the clock, as medians, with the ratio to the first way of each job. It needs `oxigraph` on the path.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import checkpoints

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PATIENCE = 10.0


def taken(*commands: list[str]) -> tuple[float, float]:
    """Return the seconds of the processor and of the clock that commands take, one after the other."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    for command in commands:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603 - ours
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used, time.monotonic() - started


@contextmanager
def oxigraph(folder: Path) -> Iterator[str]:
    """Start a server over a new folder; give its URL."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{one.getsockname()[1]}"
    command = ["oxigraph", "serve", "--location", str(folder), "--bind", address]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603 - ours
    try:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            try:
                socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2])), timeout=1).close()
                break
            except OSError:
                time.sleep(0.05)
        yield f"http://{address}"
    finally:
        process.terminate()
        process.wait()


def jobs(files: Path, place: Path, url: str) -> dict[str, dict[str, Callable[[], tuple[float, float]]]]:
    """Return the ways of each job, by name; the first one is what the others are held against."""
    ours = ["checkpoint-ld"]
    kept, shards, loaded = place / "kept", place / "shards", place / "loaded"

    def converted() -> tuple[float, float]:
        for folder in (shards, loaded):
            shutil.rmtree(folder, ignore_errors=True)
        used, seconds = taken([*ours, "bulk", "convert", str(files), "--output", str(shards), "--quiet"])
        quads = sorted(map(str, shards.glob("part-*.nq")))
        more = taken(["oxigraph", "load", "--location", str(loaded), "--file", *quads])
        return used + more[0], seconds + more[1]

    def added() -> tuple[float, float]:
        shutil.rmtree(kept, ignore_errors=True)
        return taken([*ours, "store", "add", str(kept), str(files), "--quiet"])

    def validated(*options: str) -> Callable[[], tuple[float, float]]:
        return lambda: taken([*ours, "validate", str(files), "--no-cache", "--fail-on", "never", *options])

    return {
        "into a store": {"bulk convert, oxigraph load": converted, "store add": added},
        "unchanged files": {
            "store sync": lambda: taken([*ours, "store", "sync", str(kept), str(files), "--quiet"]),
            "push": lambda: taken([*ours, "push", str(files), "--to", url, "--profile", "oxigraph", "--quiet"]),
        },
        "validate": {"one job": validated(), "two jobs": validated("--jobs", "2")},
    }


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(prog="python benchmarks/stores.py", description=__doc__)
    parser.add_argument("number", nargs="?", type=int, default=300, help="how many checkpoints")
    parser.add_argument("--turns", type=int, default=3, help="how often every way has its turn")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        files = place / "files"
        checkpoints.write(given.number, files, questions=5)
        with oxigraph(place / "served") as url:
            ways = jobs(files, place, url)
            ways["into a store"]["store add"]()
            ways["unchanged files"]["push"]()
            sys.stdout.write(f"{given.number} checkpoints; medians of {given.turns}\n")
            for job, each in ways.items():
                found: dict[str, list[tuple[float, float]]] = {name: [] for name in each}
                for _ in range(given.turns):
                    for name, way in each.items():
                        found[name].append(way())
                first = [statistics.median(one) for one in zip(*next(iter(found.values())), strict=True)]
                for name, all_taken in found.items():
                    used, seconds = (statistics.median(one) for one in zip(*all_taken, strict=True))
                    ratios = f"{used / first[0]:5.2f} {seconds / first[1]:5.2f}"
                    sys.stdout.write(f"{job:16} {name:28} {used:8.2f} s CPU {seconds:8.2f} s   {ratios}\n")
                    sys.stdout.flush()


if __name__ == "__main__":
    main()

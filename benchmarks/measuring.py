"""Ways side by side: each in a process of its own, taking turns, on the same documents."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import rich_documents
from ways import Command

import documents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ways import Way

SMALL = 10
_CHILD = str(Path(__file__).with_name("child.py"))
_PROCESS = str(Path(__file__).with_name("process.py"))
_OFTEN = 200
_TELLING, _LONG = 1_000, 2.0
"""From so many questions or seconds on, what a way takes tells what it will take for more questions."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What the runs of one turn took: seconds of CPU, seconds by the clock, bytes of memory at most.

    The memory of a command is all that its process has; that of a way, what comes on top of an idle process.
    """

    job: str
    name: str
    size: int
    cpu: list[float]
    wall: list[float]
    peak: int


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A way that was not taken, or given up, at a size, and why."""

    job: str
    name: str
    size: int
    why: str


@dataclass(frozen=True, slots=True)
class Effort:
    """How much time a measurement may take, all in seconds."""

    turns: int
    turn: float
    """A way is taken again and again for so long, in each turn."""
    enough: float
    """A way that has taken so long gets no further turn."""
    limit: float
    """A way that takes longer at one size, or surely would, is left out."""


def written(folder: Path, size: int, *, is_rich: bool) -> Path:
    """Write a checkpoint of `size` questions, unless it is there."""
    path = folder / f"{size}{'-rich' * is_rich}.jsonld"
    if not path.exists():
        with path.open("wb") as file:
            file.writelines([rich_documents.document(size)] if is_rich else documents.pieces(size))
    return path


def measured(
    chosen: Iterable[tuple[int, Way | Command]],
    sizes: list[int],
    folder: Path,
    effort: Effort,
    report: Callable[[str], None],
) -> Iterator[Taken | LeftOut]:
    """Take all ways at all sizes; yield what each turn took. The ways are given with their numbers in `ways()`."""
    slowness: dict[int, float] = {}
    numbered = list(chosen)
    for size in sorted(sizes):
        left = dict(numbered)
        spent = dict.fromkeys(left, 0.0)
        for turn in range(effort.turns):
            for number, way in list(left.items()):
                report(f"{size:,} questions, turn {turn + 1}: {way.job}, {way.name}")
                expected = slowness.get(number, 0.0) * size
                found = (
                    LeftOut(way.job, way.name, size, f"would take more than {effort.limit:g} s")
                    if expected > effort.limit
                    else _turn(number, way, size, folder, effort)
                )
                yield found
                if isinstance(found, LeftOut):
                    slowness[number] = effort.limit
                    del left[number]
                    continue
                if size >= _TELLING or min(found.cpu) > _LONG:
                    slowness[number] = min(found.cpu) / size
                spent[number] += sum(found.wall)
                if spent[number] > effort.enough:
                    del left[number]


def _turn(number: int, way: Way | Command, size: int, folder: Path, effort: Effort) -> Taken | LeftOut:
    path = written(folder, size, is_rich=way.is_rich)
    if isinstance(way, Command):
        command = [sys.executable, "-S", _PROCESS, str(effort.turn), *way.arguments(path)]
    else:
        small = written(folder, SMALL, is_rich=way.is_rich)
        command = [sys.executable, _CHILD, str(number), str(path), str(small), str(effort.turn), str(_OFTEN)]
    try:
        # Preparing, the first run and other work of the machine take their time, too.
        done = subprocess.run(command, capture_output=True, timeout=120 + 3 * effort.limit, check=True)  # noqa: S603 - our own command
    except subprocess.TimeoutExpired:
        return LeftOut(way.job, way.name, size, f"takes more than {effort.limit:g} s")
    except subprocess.CalledProcessError as error:
        last = error.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        return LeftOut(way.job, way.name, size, f"fails: {last}")
    return Taken(way.job, way.name, size, **json.loads(done.stdout))

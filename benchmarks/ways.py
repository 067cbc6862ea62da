"""Ways to do a job, ours and those of others, as the benchmarks know them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

OURS = "checkpoint-ld"
RICH = ", rich"
"""What the name of a job ends with that is done with rich documents."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to do a job on the checkpoint in a file.

    `prepare` takes the path and gives what `work` starts from; only `work` is measured. Everything is prepared anew
    for each run, unless `is_fresh` is false. With `is_rich` the checkpoint is a rich one.
    """

    job: str
    name: str
    prepare: Callable[[Path], Any]
    work: Callable[[Any], object]
    is_fresh: bool = True
    is_rich: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """A job that is done by a whole process, from its start to its end."""

    job: str
    name: str
    arguments: Callable[[Path], list[str]]
    is_rich: bool = False


def same(path: Path) -> Path:
    """Prepare nothing."""
    return path


def ways() -> list[Way | Command]:
    """Return all ways, those of one job together, ours first."""
    import ours  # noqa: PLC0415 - the ways import all that they measure
    import peers  # noqa: PLC0415 - as above

    found: list[Way | Command] = [*ours.WAYS, *peers.WAYS]
    jobs = list(dict.fromkeys([peers.FLOOR, peers.FLOOR + RICH, *(one.job for one in ours.WAYS)]))
    return sorted(found, key=lambda one: jobs.index(one.job))

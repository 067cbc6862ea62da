"""What was measured, as tables: for a terminal, and as Markdown."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from measuring import LeftOut, Taken
from rich.table import Table
from ways import OURS, RICH

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

JSON, FLOOR = "json", "json + pydantic"
HEAD = ("job", "by", "CPU", "clock", f"to {JSON}", f"to {FLOOR}", f"to {OURS}", "spread", "memory")
_MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class Row:
    """A way at one size: medians of all runs in seconds, the spread of the medians of its turns, bytes at most."""

    job: str
    name: str
    size: int
    cpu: float
    wall: float
    spread: float | None
    peak: int


def rows_of(found: Iterable[Taken | LeftOut]) -> list[Row]:
    """Return a row for each way and size, those of one job together, in the order in which they came."""
    turns: dict[tuple[str, str, int], list[Taken]] = {}
    for one in found:
        if isinstance(one, Taken):
            turns.setdefault((one.job, one.name, one.size), []).append(one)
    rows = [_row(several) for several in turns.values()]
    jobs = list(dict.fromkeys(row.job for row in rows))
    return sorted(rows, key=lambda row: (row.size, jobs.index(row.job), not row.name.startswith(OURS)))


def _row(turns: list[Taken]) -> Row:
    first = turns[0]
    cpu = statistics.median([run for turn in turns for run in turn.cpu])
    wall = statistics.median([run for turn in turns for run in turn.wall])
    medians = [statistics.median(turn.cpu) for turn in turns]
    spread = (max(medians) - min(medians)) / cpu / 2 if len(turns) > 1 else None
    return Row(first.job, first.name, first.size, cpu, wall, spread, max(turn.peak for turn in turns))


def cells(rows: Sequence[Row], size: int) -> list[tuple[str, ...]]:
    """Return the table of one size as texts, without its head."""
    here = [row for row in rows if row.size == size]
    floor = next((row.cpu for row in here if row.name == FLOOR), None)
    parsing = {row.job.endswith(RICH): row.cpu for row in here if row.name == JSON}
    ours = {row.job: row.cpu for row in reversed(here) if row.name.startswith(OURS)}
    return [
        (
            "" if at and here[at - 1].job == row.job else row.job,
            row.name,
            duration(row.cpu),
            duration(row.wall),
            times(row.cpu, parsing.get(row.job.endswith(RICH))),
            times(row.cpu, floor if not row.job.endswith(RICH) else None),
            times(row.cpu, ours.get(row.job)) if not row.name.startswith(OURS) else "",
            "" if row.spread is None else f"± {row.spread:.0%}",
            f"{row.peak / _MEGABYTE:,.0f} MB",
        )
        for at, row in enumerate(here)
    ]


def duration(seconds: float) -> str:
    """Return a duration with its unit, in three digits."""
    if seconds >= 100:
        return f"{seconds:,.0f} s"
    if seconds >= 1:
        return f"{seconds:.3g} s"
    return f"{seconds * 1000:.3g} ms"


def times(cost: float, other: float | None) -> str:
    """Return how many times `other` something costs, in two digits or more."""
    if not other:
        return ""
    ratio = cost / other
    return f"{ratio:,.0f}x" if ratio >= 10 else f"{ratio:.2g}x"


def table(rows: Sequence[Row], size: int) -> Table:
    """Return the table of one size for a terminal."""
    made = Table(title=f"{size:,} questions: medians, and their ratios")
    for at, name in enumerate(HEAD):
        made.add_column(name, justify="left" if at < 2 else "right")
    job = ""
    for row in cells(rows, size):
        if row[0] and job:
            made.add_section()
        job = row[0] or job
        made.add_row(*row)
    return made


def markdown(rows: Sequence[Row], size: int, columns: Sequence[str] = HEAD) -> str:
    """Return some columns of the table of one size as Markdown."""
    chosen = [HEAD.index(name) for name in columns]
    lines = [HEAD, ("---", "---", *["---:"] * (len(HEAD) - 2)), *cells(rows, size)]
    return "".join(f"| {' | '.join(line[at] for at in chosen)} |\n" for line in lines)


def left_out(found: Iterable[Taken | LeftOut]) -> list[str]:
    """Say what was left out, each once."""
    return list(
        dict.fromkeys(
            f"{one.job}, {one.name}: {one.why}, {one.size:,} questions" for one in found if isinstance(one, LeftOut)
        )
    )

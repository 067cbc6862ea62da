"""`python benchmarks`: what checkpoint-ld and others take for the same jobs on the same documents, side by side.

Beside it, each a program of its own that says what it wants: `reading.py` and `validation.py` take single steps apart;
`shacl_engines.py` holds others' shapes against their data; `agents.py` is about the stores of agent checkpoints,
`stores.py` about collections, mirrors and processes, `bulk_engines.py` about bulk conversion by several engines,
`named_queries.py` about queries over a large collection, which `checkpoints.py` makes.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from dataclasses import asdict
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

import report
from measuring import Effort, LeftOut, Taken, measured
from rich.console import Console
from ways import Command, Way, ways

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

EDITED = 20_000
"""How many questions the benchmarks have that are edited."""
WIDTH = 140
"""The width of the tables, in characters, where they are not for a terminal."""


def arguments() -> argparse.Namespace:
    """Return what the command line says."""
    parser = argparse.ArgumentParser(
        prog="python benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sizes", nargs="*", type=int, default=[10, 1_000, 10_000], help="numbers of questions")
    parser.add_argument("--only", default="", help="a regular expression: the jobs and ways in whose name it occurs")
    parser.add_argument("--turns", type=int, default=3, help="how often every way has its turn")
    parser.add_argument("--turn", type=float, default=0.3, help="seconds that a turn lasts, if one run is shorter")
    parser.add_argument("--enough", type=float, default=8, help="seconds after which a way has no further turn")
    parser.add_argument("--limit", type=float, default=100, help="seconds; a way that takes longer is left out")
    parser.add_argument("--record", type=Path, help="a file to which every turn is added, as a line of JSON")
    return parser.parse_args()


def is_edit(way: Way | Command) -> bool:
    """Tell whether a way changes a benchmark, which is tried at one size."""
    return way.job.startswith("add ")


def main() -> None:
    """Measure, and print the tables."""
    given = arguments()
    chosen = [(at, way) for at, way in enumerate(ways()) if re.search(given.only, f"{way.job}, {way.name}")]
    effort = Effort(given.turns, given.turn, given.enough, given.limit)
    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    plans = [([one for one in chosen if not is_edit(one[1])], given.sizes)]
    plans += [([one for one in chosen if is_edit(one[1])], [EDITED])]
    with tempfile.TemporaryDirectory() as folder, console.status("") as status:
        for some, sizes in plans:
            taken = kept(measured(some, sizes, Path(folder), effort, status.update), given.record)
            # What is done is shown at once: a run of all sizes takes long, and may be broken off.
            for size, found in groupby(taken, attrgetter("size")):
                show(console, size, list(found))


def kept(found: Iterable[Taken | LeftOut], record: Path | None) -> Iterator[Taken | LeftOut]:
    """Yield what was measured, and add it to a file, if one is given."""
    for one in found:
        if record and isinstance(one, Taken):
            with record.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(one)) + "\n")
        yield one


def show(console: Console, size: int, found: Sequence[Taken | LeftOut]) -> None:
    """Print the table of one size, and what was left out."""
    console.print(report.table(report.rows_of(found), size))
    for line in report.left_out(found):
        console.print(f"left out: {line}")


if __name__ == "__main__":
    main()

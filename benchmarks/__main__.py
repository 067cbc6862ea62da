"""`python benchmarks`: what checkpoint-ld and others take for the same jobs on the same documents, side by side.

Beside it, each a program of its own that says what it wants: `reading.py` and `validation.py` take single steps apart;
`agents.py` is about the stores of agent checkpoints, `bulk_engines.py` about bulk conversion by several engines,
`named_queries.py` about queries over a large collection, which `checkpoints.py` makes.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from dataclasses import asdict
from pathlib import Path

import report
from measuring import Effort, LeftOut, Taken, measured
from rich.console import Console
from ways import Command, Way, ways

EDITED = 20_000
"""How many questions the benchmarks have that are edited."""


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
    console = Console()
    found: list[Taken | LeftOut] = []
    plans = [([one for one in chosen if not is_edit(one[1])], given.sizes)]
    plans += [([one for one in chosen if is_edit(one[1])], [EDITED])]
    with tempfile.TemporaryDirectory() as folder, console.status("") as status:
        for some, sizes in plans:
            for one in measured(some, sizes, Path(folder), effort, status.update):
                found.append(one)
                if given.record and isinstance(one, Taken):
                    with given.record.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(asdict(one)) + "\n")
    rows = report.rows_of(found)
    for size in dict.fromkeys(row.size for row in rows):
        console.print(report.table(rows, size))
    for line in report.left_out(found):
        console.print(f"left out: {line}")


if __name__ == "__main__":
    main()

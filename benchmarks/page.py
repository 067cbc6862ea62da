"""`python benchmarks/page.py RECORD…`: what was measured, brought into docs/performance.md and its chart."""

from __future__ import annotations

import json
import os
import platform
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import chart
import report
from measuring import Taken
from peers import FLOOR, JSON
from ways import OURS, RICH

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from report import Row

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE, CHART = DOCS / "performance.md", DOCS / "images" / "growth.svg"
BEGIN, END = "<!-- what follows is written by benchmarks/page.py -->\n", "<!-- up to here -->\n"
LIBRARIES = ("PyLD", "rdflib", "pyshacl", "pyoxigraph", "pyshifty", "pydantic", "orjson")
SMALLEST, LEFT_OUT = 1_000, "convert: "
COLUMNS = ("job", "by", "CPU", f"to {JSON}", f"to {OURS}", "memory")
"""What the page has of the tables; `make bench` prints all."""
EVERYTHING = "file → graph, verdict and entities"
RATIOS = {"file → graph": (4, 4), "graph → verdict": (3.5, 4), EVERYTHING: (10, 11), "file → Benchmark": (6, 6)}
"""How many times json.loads a job may take at most, for clean documents and for rich ones."""
CONVERSIONS = (
    *("convert: v2.0 → datafeed-ns-v3", "convert: v2.0 → dataset-1"),
    *("convert: dataset-1 → v2.0", "convert: datafeed-ns-v3 → v2.0"),
)


def machine() -> str:
    """Return a sentence about the machine and the libraries."""
    cpu = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    if information.exists():
        names = [line for line in information.read_text(encoding="utf-8").splitlines() if line.startswith("model name")]
        cpu = names[0].partition(":")[2].strip() if names else cpu
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return (
        f"Measured on {datetime.now(UTC):%d %B %Y}: {cpu}, {os.cpu_count()} cores, {memory:.0f} GiB, "
        f"{platform.system()}, Python {platform.python_version()}, {libraries}."
    )


def aims(rows: Sequence[Row]) -> Iterator[tuple[str, str, str]]:
    """Yield what was aimed at and what came out, as far as it was measured."""
    by = {(row.job, row.name, row.size): row for row in rows}

    def cpu(job: str, name: str = OURS, size: int = 1_000) -> float | None:
        row = by.get((job, name, size))
        return None if row is None else row.cpu

    def ratio(one: float | None, other: float | None) -> str:
        return "not measured" if one is None else report.times(one, other) or "not measured"

    def time(one: float | None) -> str:
        return "not measured" if one is None else report.duration(one)

    whole, naive = cpu(EVERYTHING), cpu(EVERYTHING, "PyLD + rdflib + pySHACL")
    floor = next((row.cpu for row in rows if row.name == report.FLOOR and row.size == 1_000), None)
    yield "file → graph, verdict and entities, 1,000 questions", "below 200 ms", time(whole)
    yield f"the same, to {report.FLOOR}", "6x at most", ratio(whole, floor)
    for job, (clean, rich) in RATIOS.items():
        for kind, aim in (("", clean), (RICH, rich)):
            parsing = cpu(FLOOR + kind, JSON)
            yield f"{job}{kind}, 1,000 questions, to json.loads", f"{aim:g}x at most", ratio(cpu(job + kind), parsing)
    for conversion in CONVERSIONS:
        for kind, limit in (("", "below 200 ms"), (RICH, "below 250 ms")):
            yield f"{conversion}{kind}, 1,000 questions", limit, time(cpu(conversion + kind))
    yield (
        "file → graph, verdict and entities by PyLD, rdflib and pySHACL, to checkpoint-ld",
        "100x at least",
        ratio(naive, whole),
    )
    yield "verdict on a graph of 1,000 questions, templates never seen", "below 50 ms", time(cpu("graph → verdict"))
    yield "the same after `read()`, which has seen them", "below 50 ms", time(cpu("graph → verdict, after read()"))
    yield "verdict on a graph of 10 questions", "below 1 ms", time(cpu("graph → verdict", size=10))
    triples = cpu("file → N-Triples")
    yield "file → N-Triples, to pyoxigraph", "below 1x", ratio(triples, cpu("file → N-Triples", "pyoxigraph"))
    large = cpu(EVERYTHING, size=100_000)
    yield "file → graph, verdict and entities, 100,000 questions to 1,000", "110x at most", ratio(large, whole)
    for command in ("command: convert to N-Triples", "command: validate"):
        row = by.get((command, OURS, 100_000))
        peak = "not measured" if row is None else f"{row.peak / 1e6:,.0f} MB"
        yield f"{command}, 100,000 questions, peak memory", "below 600 MB", peak
    yield "one more question for 20,000", "below 1 ms", time(cpu("add one question", size=20_000))


def written(rows: Sequence[Row]) -> str:
    """Return the part of the page that holds figures."""
    lines = "".join(f"| {' | '.join(aim)} |\n" for aim in aims(rows))
    shown = [row for row in rows if row.size >= SMALLEST and not row.job.startswith(LEFT_OUT)]
    tables = "".join(
        f"\n### {size:,} questions\n\n{report.markdown(shown, size, COLUMNS)}"
        for size in sorted({row.size for row in shown})
    )
    return f"{machine()}\n\n| what | aim | measured |\n|---|---:|---:|\n{lines}{tables}"


def main(records: list[str]) -> None:
    """Write the page and the chart."""
    lines = [line for record in records for line in Path(record).read_text(encoding="utf-8").splitlines()]
    rows = report.rows_of(Taken(**json.loads(line)) for line in lines)
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n{written(rows)}\n{END}{after}", encoding="utf-8")
    CHART.parent.mkdir(exist_ok=True)
    CHART.write_text(chart.svg(rows, report.FLOOR), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])

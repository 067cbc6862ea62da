"""How long validation takes, side by side in one run: `python benchmarks/validation.py 10 100`.

The documents of `documents.py`, which have no faults. Every figure is the median CPU time of three runs; the ratio is
to reading the document and building its graph. Templates that were seen are not read again: `unseen` is without.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pyshacl
from ours import forgotten
from rdflib import Graph
from reading import seconds
from rich.console import Console
from rich.table import Table

from checkpoint_ld.dialects import reading
from checkpoint_ld.graph.store import Index, triples_of
from checkpoint_ld.shacl.data import merged
from checkpoint_ld.validation import profiles, validator
from checkpoint_ld.validation.constraints.components import register
from checkpoint_ld.validation.inference import infer
from documents import document

if TYPE_CHECKING:
    from collections.abc import Callable

RUNS = 3
SLOW = "pySHACL as it comes"
"""What takes seconds for ten questions, and is measured once."""


def broken(data: bytes, count: int) -> bytes:
    """Return a benchmark with faults in the answers to `count` of its questions."""
    return data.replace(b'"text": "The ', b'"text": 5, "x": "The ', count)


def plain(source: reading.Reading, shapes: Index) -> None:
    """Run pySHACL as it comes, on graphs of rdflib's own."""
    graph, asked = Graph(), Graph()
    for triple in triples_of(merged(source.graph.index, infer(source.graph))):
        graph.add(triple)
    for triple in triples_of(shapes):
        asked.add(triple)
    pyshacl.validate(graph, shacl_graph=asked)


def steps(size: int) -> dict[str, Callable[[], object]]:
    """Return what is measured, by name."""
    chosen = profiles.profile()
    data = document(size)
    sources = {name: reading.examine_bytes(broken(data, count)) for name, count in faults(size)}
    for source in sources.values():
        assert source.graph  # noqa: S101 - built before anything is measured

    def validated(name: str) -> Callable[[], object]:
        return lambda: validator.check_reading(sources[name], chosen)

    def unseen() -> object:
        forgotten()
        return validated("no fault")()

    found: dict[str, Callable[[], object]] = {
        "read as a graph": lambda: reading.examine_bytes(data).graph,
        **{f"validate the graph, {name}": validated(name) for name in sources},
        "validate the graph, unseen": unseen,
    }
    if size <= 100:
        found["validate the graph, --engine pyshacl"] = lambda: validator.check_reading(
            sources["no fault"], chosen, engine=validator.PYSHACL
        )
    if size <= 10:
        found[SLOW] = lambda: plain(sources["no fault"], chosen.shapes())
    return found


def faults(size: int) -> tuple[tuple[str, int], ...]:
    """Return how many questions have a fault, by what is said of it."""
    return ("no fault", 0), ("one fault", 1), ("a fault in every tenth question", -(-size // 10))


def main(sizes: list[int]) -> None:
    """Print the table."""
    register()
    table = Table(
        "step", *(f"{size} questions" for size in sizes), title="median CPU milliseconds (ratio to reading as a graph)"
    )
    rows: dict[str, list[str]] = {}
    for at, size in enumerate(sizes):
        taken = {name: seconds(work, 1 if name == SLOW else RUNS) for name, work in steps(size).items()}
        for name, cost in taken.items():
            costs = rows.setdefault(name, ["-"] * at)
            costs.append(f"{cost * 1000:.1f} ({cost / taken['read as a graph']:.2f}x)")
    for name, costs in rows.items():
        table.add_row(name, *costs, *["-"] * (len(sizes) - len(costs)))
    Console().print(table)


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [10, 100, 1000])

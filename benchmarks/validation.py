"""How long validation takes, side by side in one run: `make bench`, or `python benchmarks/validation.py 10 100`.

The same documents as in `reading.py`. Every figure is the median CPU time of three runs; the ratio is to reading the
document and building its graph.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pyshacl
from rdflib import Graph
from reading import document, seconds
from rich.console import Console
from rich.table import Table

from checkpoint_ld import profiles, reading, validation
from checkpoint_ld.constraints.functions import register
from checkpoint_ld.graph.store import triples_of
from checkpoint_ld.validation.graph import validation_graph
from checkpoint_ld.validation.results import shapes_graph

if TYPE_CHECKING:
    from collections.abc import Callable

RUNS = 3


def broken(size: int) -> bytes:
    """Return a benchmark in which every question has a fault."""
    return document(size).replace(b'"text": "Capital ', b'"text": 5, "x": "')


def plain(source: reading.Reading, shapes: Graph) -> None:
    """Run pySHACL as it comes, on a graph of rdflib's own."""
    graph = Graph()
    for triple in triples_of(validation_graph(source.graph).index):
        graph.add(triple)
    pyshacl.validate(graph, shacl_graph=shapes)


def main(sizes: list[int]) -> None:
    """Print the table."""
    register()
    chosen = profiles.profile()
    shapes = shapes_graph(chosen)
    table = Table(
        "step", *(f"{size} questions" for size in sizes), title="median CPU milliseconds (ratio to reading as a graph)"
    )
    rows: dict[str, list[str]] = {}
    for size in sizes:
        data, faulty = document(size), broken(size)
        source = reading.examine_bytes(data, checked=False)
        steps: dict[str, Callable[[], object]] = {
            "read as a graph": lambda data=data: reading.examine_bytes(data, checked=False).graph,
            "validate": lambda data=data: validation.check(data, chosen),
            "validate, a fault in every question": lambda faulty=faulty: validation.check(faulty, chosen),
            "pySHACL as it comes": lambda source=source: plain(source, shapes),
        }
        taken = {name: seconds(work, RUNS) for name, work in steps.items()}
        for name, cost in taken.items():
            rows.setdefault(name, []).append(f"{cost * 1000:.0f} ({cost / taken['read as a graph']:.1f}x)")
    for name, costs in rows.items():
        table.add_row(name, *costs)
    Console().print(table)


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [10, 100])

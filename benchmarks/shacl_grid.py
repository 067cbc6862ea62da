"""Our SHACL engine and pySHACL on small shapes over plain graphs, side by side: `python benchmarks/shacl_grid.py`.

The rows are numbers of statements, the columns numbers and kinds of shapes and kinds of stores. A cell is our time
divided by pySHACL's, the median of three runs each. `--all` adds graphs of a million statements.
"""

from __future__ import annotations

import statistics
import sys
import time
from functools import partial
from typing import TYPE_CHECKING

import pyshacl
from rdflib import RDF, Dataset, Graph, Literal, Namespace
from rich.console import Console
from rich.table import Table

from checkpoint_ld import shacl

if TYPE_CHECKING:
    from collections.abc import Callable

EX = Namespace("http://example.org/")
PREFIXES = "@prefix ex: <http://example.org/> . @prefix sh: <http://www.w3.org/ns/shacl#> .\n"
SIZES = (1_000, 10_000, 80_000)
QUERY = 'sh:sparql [ sh:select "SELECT $this ?value { $this <http://example.org/age> ?value FILTER (?value > 200) }" ]'
RUNS = 3


def filled(graph: Graph, statements: int) -> Graph:
    """Add four statements about each of many nodes, of which a hundredth are persons."""
    for at in range(statements // 4):
        node = EX[f"n{at}"]
        graph.add((node, RDF.type, EX.Person if at % 100 == 0 else EX.Thing))
        graph.add((node, EX.name, Literal(f"N{at}")))
        graph.add((node, EX.age, Literal(at % 120)))
        graph.add((node, EX.next, EX[f"n{at + 1}"]))
    return graph


def shapes(number: int, *, conform: bool = True, query: bool = False) -> Graph:
    """Return a graph of shapes of persons, which hold or do not, with a query or without."""
    least = 0 if conform else 100
    body = (
        QUERY
        if query
        else f"sh:property [ sh:path ex:name ; sh:minCount 1 ] , [ sh:path ex:age ; sh:minInclusive {least} ]"
    )
    text = "".join(f"ex:S{at} sh:targetClass ex:Person ; {body} .\n" for at in range(number))
    return Graph().parse(data=PREFIXES + text)


def ratio(one: Callable[[], object], other: Callable[[], object]) -> float:
    """Return the median time of some runs of `one`, divided by that of `other`, which runs in turn with it."""
    found: tuple[list[float], list[float]] = [], []
    for _ in range(RUNS):
        for times, work in zip(found, (one, other), strict=True):
            start = time.perf_counter()
            work()
            times.append(time.perf_counter() - start)
    return statistics.median(found[0]) / statistics.median(found[1])


def main() -> None:
    """Print the table."""
    columns: dict[str, tuple[Callable[[], Graph], Graph]] = {
        "1 shape": (Graph, shapes(1)),
        "20 shapes": (Graph, shapes(20)),
        "200 shapes": (Graph, shapes(200)),
        "1 with faults": (Graph, shapes(1, conform=False)),
        "1 with a query": (Graph, shapes(1, query=True)),
        "1, dataset": (Dataset, shapes(1)),
        "1, Oxigraph": (partial(Graph, "Oxigraph"), shapes(1)),
        "query, Oxigraph": (partial(Graph, "Oxigraph"), shapes(1, query=True)),
    }
    table = Table("statements", *columns, title="our time / pySHACL's")
    for size in (*SIZES, *((1_000_000,) if "--all" in sys.argv else ())):
        cells = []
        for store, held in columns.values():
            data = filled(store(), size)
            shacl.validate(data, held)  # starts the process of queries
            theirs = partial(pyshacl.validate, data, shacl_graph=held)
            cells.append(f"{ratio(partial(shacl.validate, data, held), theirs):.2f}")
        table.add_row(f"{size:,}", *cells)
    Console().print(table)


if __name__ == "__main__":
    main()

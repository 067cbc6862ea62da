"""Our SHACL engine and pySHACL on published shapes, side by side: `python benchmarks/shacl_engines.py FOLDER`.

FOLDER is `.venv/published-shapes`, where `make .venv/.published-shapes` puts two packages of PyPI: `roc-validator` has
the shapes of RO-Crate 1.1 and 1.2, `brickschema` those of Brick 1.3. They are held against ten crates and ten buildings
that are made here, some with faults. Both engines have to find the same. A figure is the CPU time of all ten, under the
shapes of SHACL Core, over data to which the rules of RO-Crate were applied before: the median of five of our runs, and
one of pySHACL's.
"""

from __future__ import annotations

import gc
import statistics
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyshacl
from rdflib import RDF, RDFS, SH, Graph, Literal, Namespace, URIRef
from rich.console import Console
from rich.table import Table

from checkpoint_ld import shacl

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SCHEMA = Namespace("http://schema.org/")
CRATE = Namespace("https://example.org/crate/")
BRICK = Namespace("https://brickschema.org/schema/Brick#")
BUILDING = Namespace("https://example.org/building/")
UNIT = URIRef("http://qudt.org/vocab/unit/DEG_C")
BEYOND = (SH.target, SH.rule, SH.sparql)
SIZES = (2, 5, 10, 20, 30, 40, 60, 80, 100, 150)
SETS = ("ro-crate/1.1", "ro-crate/1.2", "brick/1.3")


class Comparison(NamedTuple):
    """What both engines took for the same data, in seconds of CPU, and what each of them found."""

    ours: float
    theirs: float
    found: list[Counter[tuple[str, ...]]]
    expected: list[Counter[tuple[str, ...]]]


def crate(number: int, files: int) -> Graph:
    """Return the graph of a crate with so many files; every third file, and a part of the crates, has faults."""
    graph = Graph()
    root, descriptor = CRATE[""], CRATE["ro-crate-metadata.json"]
    graph.add((descriptor, RDF.type, SCHEMA.CreativeWork))
    graph.add((descriptor, SCHEMA.about, root))
    if number % 4:
        graph.add((descriptor, URIRef("http://purl.org/dc/terms/conformsTo"), URIRef("https://w3id.org/ro/crate/1.1")))
    graph.add((root, RDF.type, SCHEMA.Dataset))
    graph.add((root, SCHEMA.name, Literal(f"Crate {number}")))
    if number % 3:
        graph.add((root, SCHEMA.description, Literal("A crate")))
        graph.add((root, SCHEMA.datePublished, Literal("2026-01-31")))
        graph.add((root, SCHEMA.license, URIRef("https://spdx.org/licenses/Apache-2.0")))
    for at in range(files):
        file, person = CRATE[f"data/{at}.csv"], CRATE[f"#person{at % 20}"]
        graph.add((root, SCHEMA.hasPart, file))
        graph.add((file, RDF.type, SCHEMA.MediaObject))
        graph.add((file, SCHEMA.author, person))
        graph.add((person, RDF.type, SCHEMA.Person))
        graph.add((person, SCHEMA.name, Literal(f"Person {at % 20}")))
        if at % 3:
            graph.add((file, SCHEMA.name, Literal(f"File {at}")))
            graph.add((file, SCHEMA.encodingFormat, Literal("text/csv")))
            graph.add((file, SCHEMA.contentSize, Literal(str(at))))
    return graph


def building(number: int, rooms: int, classes: Graph) -> Graph:
    """Return the graph of a building with so many rooms, among Brick's classes; some of its statements are faults."""
    graph = Graph()
    for statement in classes.triples((None, RDFS.subClassOf, None)):
        graph.add(statement)
    graph.add((BUILDING[""], RDF.type, BRICK.Building))
    graph.add((BUILDING[""], BRICK.area, BUILDING.area if number % 3 else Literal(100)))
    graph.add((BUILDING.area, BRICK.value, Literal(100.5)))
    for at in range(rooms):
        room, unit, sensor = (BUILDING[f"{kind}{at}"] for kind in ("room", "vav", "sensor"))
        graph.add((BUILDING[""], BRICK.hasPart, room))
        graph.add((room, RDF.type, BRICK.Room))
        graph.add((unit, RDF.type, BRICK.VAV))
        graph.add((unit, BRICK.feeds, room))
        graph.add((unit, BRICK.hasPoint, sensor if at % 4 else room))
        graph.add((sensor, RDF.type, BRICK.Zone_Air_Temperature_Sensor))
        graph.add((sensor, BRICK.hasUnit, UNIT if at % 3 else Literal("DEG_C")))
        if at % 5 == 0:
            graph.add((room, BRICK.hasLocation, sensor))
    return graph


def shapes_in(place: Path) -> Graph:
    """Return the shapes of a file, or of all files of a folder."""
    graph = Graph()
    for file in sorted(place.rglob("*.ttl")) if place.is_dir() else (place,):
        graph.parse(file)
    return graph


def core_of(shapes: Graph) -> Graph:
    """Return shapes without what is not SHACL Core: queries, rules, and targets by queries."""
    core = Graph()
    for triple in shapes:
        if triple[1] not in BEYOND:
            core.add(triple)
    return core


def results_of(validated: Any) -> Counter[tuple[str, ...]]:
    """Return what both engines have to agree on; blank nodes have no names that last."""
    _, report, _ = validated
    names = (SH.focusNode, SH.value, SH.sourceConstraintComponent, SH.resultSeverity)
    return Counter(tuple(str(report.value(one, name)) for name in names) for one in report.objects(None, SH.result))


def seconds(runs: list[Callable[[], Any]], times: int) -> tuple[float, list[Any]]:
    """Return the CPU time of some runs, the median of so many, and what they return."""
    taken = []
    for _ in range(times):
        gc.collect()
        start = time.process_time()
        found = [run() for run in runs]
        taken.append(time.process_time() - start)
    return statistics.median(taken), found


def material(folder: Path, name: str, sizes: Sequence[int] = SIZES) -> tuple[Graph, list[Any]]:
    """Return one of `SETS`, and data of some sizes that belong to it, without what its SPARQL rules add."""
    if name.startswith("brick"):
        whole = shapes_in(folder / "brickschema" / "ontologies" / name.rpartition("/")[2] / "Brick.ttl")
        return whole, [building(number, size, whole) for number, size in enumerate(sizes)]
    whole = shapes_in(folder / "rocrate_validator" / "profiles" / name)
    return whole, [crate(number, size) for number, size in enumerate(sizes)]


def compared(folder: Path, name: str) -> Comparison:
    """Hold the data that belongs to one of `SETS` against its shapes of SHACL Core, by both engines."""
    whole, data = material(folder, name)
    if not name.startswith("brick"):  # whose rules are thousands, about what no shape of its Core looks at
        data = [pyshacl.shacl_rules(one, shacl_graph=whole) for one in data]
    core = core_of(whole)
    shapes = shacl.compile_shapes(core)  # before pySHACL, which adds statements to it
    results_of(shacl.validate(data[0], shapes))  # imports what the first run needs
    results_of(pyshacl.validate(data[0], shacl_graph=core))
    ours, found = seconds([partial(shacl.validate, one, shapes) for one in data], 5)
    theirs, expected = seconds([partial(pyshacl.validate, one, shacl_graph=core) for one in data], 1)
    return Comparison(ours, theirs, list(map(results_of, found)), list(map(results_of, expected)))


def main() -> None:
    """Measure, and print the table."""
    table = Table("shapes", "results", "ours, ms", "pySHACL, ms", "ratio", "equal")
    for name in SETS:
        made = compared(Path(sys.argv[1]), name)
        count = sum(sum(one.values()) for one in made.found)
        cells = (f"{made.ours * 1000:.0f}", f"{made.theirs * 1000:.0f}", f"{made.theirs / made.ours:.1f}")
        table.add_row(name, str(count), *cells, "yes" if made.found == made.expected else "NO")
    Console(width=120).print(table)


if __name__ == "__main__":
    main()

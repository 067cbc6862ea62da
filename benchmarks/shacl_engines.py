"""Our SHACL engine and pySHACL on published shapes, side by side: `python benchmarks/shacl_engines.py FOLDER`.

FOLDER is where the wheel of PyPI's `roc-validator` was unpacked (`pip download --no-deps roc-validator`, then `unzip`):
it ships the shapes of RO-Crate 1.1 and 1.2. They are held against ten crates that are made here, some with faults. Both
engines have to find the same. Every figure is CPU time of one run of the shapes without SPARQL in them, over crates to
which the rules were applied before.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyshacl
from rdflib import RDF, SH, Graph, Literal, Namespace, URIRef
from rich.console import Console
from rich.table import Table

from checkpoint_ld import shacl

if TYPE_CHECKING:
    from collections.abc import Callable

SCHEMA = Namespace("http://schema.org/")
CRATE = Namespace("https://example.org/crate/")
PROFILES = ("ro-crate/1.1", "ro-crate/1.2")
TARGETS = (SH.targetClass, SH.targetNode, SH.targetSubjectsOf, SH.targetObjectsOf)
BEYOND = (SH.target, SH.rule, SH.sparql)
SIZES = (2, 4, 6, 8, 10, 12, 14, 16, 18, 60)


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


def shapes_in(folder: Path) -> Graph:
    """Return the shapes of a profile."""
    graph = Graph()
    for file in sorted(folder.rglob("*.ttl")):
        graph.parse(file)
    return graph


def told(validated: Any) -> Counter[tuple[str, ...]]:
    """Return what both engines have to agree on; blank nodes have no names that last."""
    _, report, _ = validated
    names = (SH.focusNode, SH.value, SH.sourceConstraintComponent, SH.resultSeverity)
    return Counter(tuple(str(report.value(one, name)) for name in names) for one in report.objects(None, SH.result))


def seconds(runs: list[Callable[[], Any]]) -> tuple[float, list[Any]]:
    """Return the CPU time of some runs, and what they return."""
    start = time.process_time()
    found = [run() for run in runs]
    return time.process_time() - start, found


def main() -> None:
    """Measure, and print the table."""
    crates = [crate(number, size) for number, size in enumerate(SIZES)]
    table = Table("shapes", "results", "ours, ms", "pySHACL, ms", "ratio", "equal")
    for profile in PROFILES:
        whole = shapes_in(Path(sys.argv[1]) / "rocrate_validator" / "profiles" / profile)
        left = shacl.compile_shapes(whole, advanced=True).others
        core = Graph()
        for triple in whole:
            if triple[1] not in BEYOND and (triple[0] not in left or triple[1] not in TARGETS):
                core.add(triple)
        applied: list[Any] = [pyshacl.shacl_rules(data, shacl_graph=whole) for data in crates]
        shapes = shacl.compile_shapes(core)
        ours, found = seconds([partial(shacl.validate, data, shapes) for data in applied])
        theirs, expected = seconds([partial(pyshacl.validate, data, shacl_graph=core) for data in applied])
        is_equal = list(map(told, found)) == list(map(told, expected))
        count = sum(sum(one.values()) for one in map(told, found))
        cells = (f"{ours * 1000:.0f}", f"{theirs * 1000:.0f}", f"{theirs / ours:.1f}", "yes" if is_equal else "NO")
        table.add_row(profile, str(count), *cells)
    Console(width=120).print(table)


if __name__ == "__main__":
    main()

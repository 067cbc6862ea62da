"""SHACL validation by pySHACL, and its results as values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rdflib import BNode, Graph, Literal, URIRef

from checkpoint_ld.findings import Severity
from checkpoint_ld.graph.store import terms_of, triples_of
from checkpoint_ld.rules import SEVERITIES
from checkpoint_ld.vocabulary import RDF, SHACL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rdflib.term import Node

    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.profiles import Profile
    from checkpoint_ld.validation.graph import ValidationGraph
    from checkpoint_ld.validation.screen import Screen

_ALTERNATIVES = URIRef(SHACL + "alternativePath")
_PATH = URIRef(SHACL + "path")
_FIRST, _REST = URIRef(RDF + "first"), URIRef(RDF + "rest")


@dataclass(frozen=True, slots=True)
class Result:
    """One `sh:ValidationResult` (SHACL 1.0 §3.6.2).

    `shape` is its source shape, or the one with a name around it; `paths` are the properties that its path may be.
    """

    focus: Node
    shape: Node
    component: Node
    severity: Severity
    paths: tuple[Node, ...]
    value: Node | None
    messages: tuple[str, ...]


def shapes_graph(profile: Profile) -> Graph:
    """Return the shapes of a profile, with its severities."""
    graph = Graph(bind_namespaces="core")
    for triple in triples_of(profile.statements()):
        graph.add(triple)
    severity = URIRef(SHACL + "severity")
    iris = {weight: URIRef(iri) for iri, weight in SEVERITIES.items()}
    for rule in profile.rules.values():
        if (URIRef(rule.shape), _PATH, None) in graph or (URIRef(rule.shape), severity, None) in graph:
            graph.set((URIRef(rule.shape), severity, iris[rule.severity]))
    return graph


def validate(graph: ValidationGraph, screen: Screen) -> Graph:
    """Hold `graph` against the shapes of `screen`; return the validation report.

    pySHACL is asked about the nodes that the screen has doubts about. What it raises for shapes that it cannot work
    with is of any kind.
    """
    shapes = screen.remaining(graph.index)
    if shapes is None:
        return _nothing_found()
    import pyshacl  # noqa: PLC0415 - it takes longer to import than most files to read

    from checkpoint_ld.constraints.functions import register  # noqa: PLC0415 - as above

    register()
    _, report, text = pyshacl.validate(graph, shacl_graph=shapes, inplace=True, advanced=False, js=False)
    if not isinstance(report, Graph):  # a failure comes as a result (SHACL 1.0 §3.4)
        raise ValueError(text)
    return report


def _nothing_found() -> Graph:
    """Return the report on a graph that conforms (SHACL 1.0 §3.6.1)."""
    report = Graph(bind_namespaces="core")
    node = BNode()
    report.add((node, URIRef(RDF + "type"), URIRef(SHACL + "ValidationReport")))
    report.add((node, URIRef(SHACL + "conforms"), Literal(True)))
    return report


def results(report: Graph, shapes: Graph) -> Iterator[Result]:
    """Yield the results of a validation report, in no particular order."""
    about: dict[Node, tuple[Node, ...]] = {}
    for node in report.objects(None, URIRef(SHACL + "result")):
        said = dict(report.predicate_objects(node))
        shape = said[URIRef(SHACL + "sourceShape")]
        path = said.get(URIRef(SHACL + "resultPath"))
        if isinstance(path, URIRef):
            paths: tuple[Node, ...] = (path,)
        else:
            if shape not in about:
                about[shape] = tuple(_alternatives(shapes, shape))
            paths = about[shape]
        yield Result(
            focus=said[URIRef(SHACL + "focusNode")],
            shape=_named(shapes, shape),
            component=said[URIRef(SHACL + "sourceConstraintComponent")],
            severity=SEVERITIES.get(str(said.get(URIRef(SHACL + "resultSeverity"))), Severity.VIOLATION),
            paths=paths,
            value=said.get(URIRef(SHACL + "value")),
            messages=tuple(
                sorted(
                    str(one)
                    for one in report.objects(node, URIRef(SHACL + "resultMessage"))
                    if isinstance(one, Literal)
                )
            ),
        )


def by_path(result: Result, index: Index) -> Iterator[Result]:
    """Yield a result once for each of its paths that holds the value: SHACL tells values, not where they stand."""
    held = index.get(result.focus, {})
    told = [path for path in result.paths if result.value in terms_of(held.get(path))]
    if len(told) < 2:
        yield result
    else:
        yield from (replace(result, paths=(path,)) for path in told)


def _named(shapes: Graph, shape: Node) -> Node:
    """Return a shape that has a name: `shape` itself, or the one around it."""
    while isinstance(shape, BNode):
        around = next(shapes.subjects(None, shape), None)
        if around is None:
            break
        shape = around
    return shape


def _alternatives(shapes: Graph, shape: Node) -> Iterator[Node]:
    path = shapes.value(shape, _PATH)
    at = shapes.value(path, _ALTERNATIVES) if isinstance(path, BNode) else None
    while at is not None:
        first = shapes.value(at, _FIRST)
        if isinstance(first, URIRef):
            yield first
        at = shapes.value(at, _REST)

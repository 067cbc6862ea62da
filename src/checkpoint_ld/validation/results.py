"""SHACL validation: by the screen as far as that is sure, by pySHACL else; and its results as values."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rdflib import BNode, Graph, Literal, URIRef

from checkpoint_ld.derivation import derived
from checkpoint_ld.findings import Severity
from checkpoint_ld.graph.store import SPARQL_LOCK, copied, graph_of, terms_of, triples_of
from checkpoint_ld.rules import SEVERITIES
from checkpoint_ld.validation.checks import listed, told
from checkpoint_ld.validation.doubt import Part, part_in_doubt
from checkpoint_ld.validation.graph import Layers, ValidationGraph, merged
from checkpoint_ld.validation.screen import is_flat
from checkpoint_ld.vocabulary import RDF, SHACL, SHAPES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rdflib.term import Node

    from checkpoint_ld.derivation import Described
    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.profiles import Profile
    from checkpoint_ld.validation.doubt import Read
    from checkpoint_ld.validation.screen import Screen

_PATH, _SEVERITY = URIRef(SHACL + "path"), URIRef(SHACL + "severity")
_TYPE, _REPORT, _CONFORMS = URIRef(RDF + "type"), URIRef(SHACL + "ValidationReport"), URIRef(SHACL + "conforms")
_TRUE = Literal(True)


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


def complete(source: Described, shapes: Index) -> tuple[Graph, Index]:
    """Hold a checkpoint against shapes by pySHACL alone; return what `screened` does."""
    index = merged(source.index, derived(source))
    return validate(index, shapes, source.root), index


def shapes_of(profile: Profile) -> Index:
    """Return the shapes of a profile as statements, with its severities."""
    index = profile.statements()
    iris = {weight: URIRef(iri) for iri, weight in SEVERITIES.items()}
    for rule in profile.rules.values():
        said = index.get(URIRef(rule.shape), {})
        if _PATH in said or _SEVERITY in said:
            said[_SEVERITY] = iris[rule.severity]
    return index


def screened(source: Read, screen: Screen, *, is_ours: bool = True) -> tuple[Graph, Index]:
    """Hold a checkpoint against the shapes of `screen`; return the report, and all statements that it speaks of.

    pySHACL is asked about the nodes that the screen has doubts about. Only with shapes that are all ours (`is_ours`)
    elements of the feed are passed by. What pySHACL raises for shapes that it cannot work with is of any kind.
    """
    part = part_in_doubt(source, screen) if is_ours else Part.whole(source.graph)
    if part is None:
        return _nothing_found(), {}
    found = derived(part)
    if not is_flat(part.index):
        index = merged(part.index, found)
        return validate(index, screen.shapes, part.root), index
    doubtful = screen.doubtful(Layers(part.index, found), (part.index, found), part.suspects, but=part.stand_in)
    if doubtful is None:
        return _nothing_found(), {}
    index = merged(part.index, found)
    return validate(index, screen.remaining(doubtful), part.root), index


def validate(index: Index, shapes: Index, root: Node) -> Graph:
    """Have pySHACL hold statements against shapes; return the validation report."""
    import pyshacl  # noqa: PLC0415 - it takes longer to import than most files to read

    from checkpoint_ld.constraints.functions import register  # noqa: PLC0415 - as above

    graph = ValidationGraph(index, str(root))
    asked = ValidationGraph(copied(shapes), SHAPES)  # pySHACL adds to it
    # One at a time: pySHACL changes rdflib while it runs, and rdflib keeps the state of an evaluation in the query.
    with SPARQL_LOCK:
        register()
        try:
            _, report, text = pyshacl.validate(graph, shacl_graph=asked, inplace=True, advanced=False, js=False)
        finally:
            _forget_shapes()
    if not isinstance(report, Graph):  # a failure comes as a result (SHACL 1.0 §3.4)
        raise ValueError(text)
    return report


def _nothing_found() -> Graph:
    """Return the report on a graph that conforms (SHACL 1.0 §3.6.1)."""
    report = graph_of({BNode(): {_TYPE: _REPORT, _CONFORMS: _TRUE}})
    report.bind("sh", SHACL)
    return report


def results(report: Graph, shapes: Index) -> Iterator[Result]:
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


def _named(shapes: Index, shape: Node) -> Node:
    """Return a shape that has a name: `shape` itself, or the one around it."""
    around: dict[Node, Node] = {}
    if isinstance(shape, BNode):
        around = {term: subject for subject, _, term in triples_of(shapes) if isinstance(term, BNode)}
    while isinstance(shape, BNode) and shape in around:
        shape = around.pop(shape)
    return shape


def _alternatives(shapes: Index, shape: Node) -> Iterator[Node]:
    for path in told(shapes, shape, "path"):
        for alternatives in told(shapes, path, "alternativePath") if isinstance(path, BNode) else ():
            yield from (one for one in listed(shapes, alternatives) if isinstance(one, URIRef))


def _forget_shapes() -> None:
    """Empty the cache in which pySHACL keeps the shapes of every run that it made, some megabytes each."""
    components = sys.modules.get("pyshacl.constraints.sparql.sparql_based_constraint_components")
    if components is not None:
        components.SPARQLConstraintComponentValidator.validator_cache.clear()

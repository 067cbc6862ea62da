"""Other ways to validate: pySHACL on plain graphs, and a second engine on the shapes of SHACL Core."""

from functools import cache, lru_cache
from typing import Any

import pyshacl
from rdflib import BNode, Graph, URIRef
from rdflib.plugins.sparql import prepareQuery

from checkpoint_ld.dialects.reading import examine_bytes
from checkpoint_ld.graph.store import triples_of
from checkpoint_ld.shacl.data import merged
from checkpoint_ld.validation.constraints.components import register
from checkpoint_ld.validation.inference import infer
from checkpoint_ld.validation.profiles import Profile, profile
from checkpoint_ld.vocabulary import CHECKPOINT_SHACL, SHACL

SPARQL = URIRef(SHACL + "sparql")

Verdict = tuple[str, str, str]
"""Focus node, shape and severity of one result."""


class Remembering(Graph):
    """rdflib's own graph, but for parsing a query once only: pySHACL asks the same ones hundreds of times."""

    def query(self, query_object: Any, *arguments: Any, **options: Any) -> Any:
        return super().query(prepared(query_object), *arguments, **options)


@lru_cache(maxsize=1000)
def prepared(text: str) -> Any:
    return prepareQuery(text)


@cache
def shapes_graph(chosen: Profile) -> Graph:
    """Return the shapes of a profile in rdflib's own store."""
    graph = Graph(bind_namespaces="core")
    for triple in triples_of(chosen.shapes()):
        graph.add(triple)
    return graph


def plain_graph(text: bytes) -> Graph:
    """Return the graph of a document and what follows from it, in rdflib's own store."""
    graph = Remembering()
    stated = examine_bytes(text).graph
    for triple in triples_of(merged(stated.index, infer(stated))):
        graph.add(triple)
    return graph


def plain_run(text: bytes, chosen: Profile) -> set[Verdict]:
    """Return the verdicts of pySHACL, called as anybody would call it."""
    register()
    _, report, _ = pyshacl.validate(plain_graph(text), shacl_graph=shapes_graph(chosen), inplace=True)
    assert isinstance(report, Graph)
    return verdicts(report)


def verdicts(report: Graph) -> set[Verdict]:
    """Return the verdicts of a validation report."""
    found = set()
    for result in report.objects(None, URIRef(SHACL + "result")):
        about = [report.value(result, URIRef(SHACL + name)) for name in ("focusNode", "sourceShape", "resultSeverity")]
        found.add((str(about[0]), str(about[1]), str(about[2])))
    return found


def core_shapes(name: str = "karenina") -> Graph:
    """Return the shapes of a profile without what needs our constraint components, or SPARQL."""
    shapes = shapes_graph(profile(name))
    ours = {one for one in shapes.subjects() if str(one).startswith(CHECKPOINT_SHACL.removesuffix("#"))}
    ours |= set(shapes.objects(None, SPARQL))
    while parts := {part for one in ours for part in shapes.objects(one) if isinstance(part, BNode)} - ours:
        ours |= parts
    graph = Graph()
    for triple in shapes:
        if triple[0] not in ours and triple[1] != SPARQL and not str(triple[1]).startswith(CHECKPOINT_SHACL):
            graph.add(triple)
    return graph

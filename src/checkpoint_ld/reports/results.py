"""The results in a SHACL validation report, with labels for their blank nodes that are the same every time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyoxigraph
from pyoxigraph import BlankNode, NamedNode, Triple
from rdflib import RDF, SH, BNode, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rdflib import Graph
    from rdflib.term import Node

    Statements = list[tuple[Node, Node]]


class Results:
    """The results in `graph`, each with all statements that hang on it; labels start with `prefix`.

    rdflib gives blank nodes a new label in every process. Here they are numbered in the order of what is said about
    them, so that the same report is the same text.
    """

    def __init__(self, graph: Graph, prefix: str) -> None:
        self._prefix = prefix
        self._said: dict[Node, Statements] = {}
        for subject, predicate, term in graph:
            self._said.setdefault(subject, []).append((predicate, term))
        for statements in self._said.values():
            statements.sort(key=lambda one: (one[0] != RDF.type, one[0], isinstance(one[1], BNode), _key(one[1])))
        reports = set(graph.subjects(RDF.type, SH.ValidationReport))
        results = {result for report in reports for result in graph.objects(report, SH.result)}
        for report in reports:
            self._said.pop(report, None)
        self.shapes = {str(shape) for shape in graph.objects(None, SH.sourceShape)}
        self._labels: dict[Node, str] = {}
        self._ordered: list[Node] = []
        self.nodes = [self._node(result) for result in self._numbered(results)]

    def triples(self) -> Iterator[Triple]:
        """Yield all statements but those about the report as a whole, those about one node together."""
        for subject in (*self._ordered, *self._numbered(set(self._said).difference(self._ordered))):
            for predicate, term in self._said.get(subject, ()):
                yield Triple(self._node(subject), NamedNode(str(predicate)), self._term(term))

    def _numbered(self, nodes: set[Node]) -> list[Node]:
        """Label `nodes` and all that hangs on them, in the order of what is said about them."""
        roots = sorted(nodes, key=lambda node: [(str(name), _key(term)) for name, term in self._said.get(node, ())])
        waiting = roots[::-1]
        reached = set(self._ordered)
        while waiting:
            node = waiting.pop()
            if node in reached or node not in self._said:
                continue
            reached.add(node)
            self._ordered.append(node)
            waiting += [term for _, term in reversed(self._said[node]) if isinstance(term, BNode)]
        return roots

    def _node(self, node: Node) -> BlankNode | NamedNode:
        if not isinstance(node, BNode):
            return NamedNode(str(node))
        return BlankNode(self._labels.setdefault(node, f"{self._prefix}result{len(self._labels) + 1}"))

    def _term(self, term: Node) -> BlankNode | NamedNode | pyoxigraph.Literal:
        if not isinstance(term, Literal):
            return self._node(term)
        if term.language:
            return pyoxigraph.Literal(str(term), language=term.language)
        if term.datatype is None:
            return pyoxigraph.Literal(str(term))
        return pyoxigraph.Literal(str(term), datatype=NamedNode(str(term.datatype)))


def _key(term: Node) -> str:
    return "" if isinstance(term, BNode) else term.n3()

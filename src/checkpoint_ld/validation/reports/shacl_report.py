"""A report as SHACL validation reports in Turtle (SHACL 1.0 §3.6), one for each source."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyoxigraph
from pyoxigraph import BlankNode, NamedNode, Triple
from rdflib import RDF, SH, BNode, Literal

from checkpoint_ld.graph.emission.syntaxes import literal_of
from checkpoint_ld.phrases import encodable
from checkpoint_ld.rules import SEVERITIES
from checkpoint_ld.validation.reports.text import name_of
from checkpoint_ld.vocabulary import CHECKPOINT_SHACL, KARENINA, SCHEMA, SHACL, SHAPES, XSD
from checkpoint_ld.vocabulary import RDF as RDF_NAMESPACE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rdflib import Graph
    from rdflib.term import Node

    from checkpoint_ld.findings import Finding
    from checkpoint_ld.rules import Rule
    from checkpoint_ld.validation.reports import ReportSettings
    from checkpoint_ld.validation.results import Checked, Report

PREFIXES = {
    "sh": SHACL,
    "schema": SCHEMA,
    "karenina": KARENINA,
    "shape": SHAPES,
    "ck": CHECKPOINT_SHACL,
    "rdf": RDF_NAMESPACE,
    "xsd": XSD,
}
COMPONENT = NamedNode(CHECKPOINT_SHACL + "RuleConstraintComponent")
"""The constraint component of findings without a shape, which come from reading, before there is a graph."""
_SEVERITIES = {severity: NamedNode(iri) for iri, severity in SEVERITIES.items()}
_TYPE = NamedNode(str(RDF.type))


def _sh(name: str) -> NamedNode:
    return NamedNode(SHACL + name)


def render(report: Report, _: ReportSettings) -> str:
    """Return one `sh:ValidationReport` for each source, about (`schema:about`) a node with the source's name.

    Results of pySHACL stay as they are. Findings without a shape are added as further results.
    """
    triples = [
        triple
        for number, checked in enumerate(report.checked, start=1)
        for triple in _statements(f"source{number}", checked, report.rules)
    ]
    return (pyoxigraph.serialize(triples, format=pyoxigraph.RdfFormat.TURTLE, prefixes=PREFIXES) or b"").decode()


def _statements(prefix: str, checked: Checked, rules: Mapping[str, Rule]) -> Iterator[Triple]:
    """Yield the validation report of one source; statements about one node follow each other."""
    report, source = BlankNode(f"{prefix}report"), BlankNode(prefix)
    reported = Results(checked.results, prefix) if checked.results is not None else None
    shapes = {found.code: rules[found.code].shape if found.code in rules else "" for found in checked.findings}
    # A SHACL processor reports only on shapes.
    others = [one for one in checked.findings if reported is None or shapes[one.code] not in reported.shapes]
    added = {BlankNode(f"{prefix}finding{number}"): found for number, found in enumerate(others, start=1)}
    results = [*(reported.nodes if reported is not None else ()), *added]
    yield Triple(report, _TYPE, _sh("ValidationReport"))
    yield Triple(report, _sh("conforms"), pyoxigraph.Literal(not results))
    yield Triple(report, NamedNode(SCHEMA + "about"), source)
    yield from (Triple(report, _sh("result"), result) for result in results)
    yield Triple(source, NamedNode(SCHEMA + "name"), _text(name_of(checked)))
    if reported is not None:
        yield from reported.triples()
    for result, found in added.items():
        yield from _result(result, found, source, _iri(shapes[found.code]))


def _result(result: BlankNode, found: Finding, source: BlankNode, shape: NamedNode | None) -> Iterator[Triple]:
    yield Triple(result, _TYPE, _sh("ValidationResult"))
    yield Triple(result, _sh("focusNode"), _iri(found.node) or source)
    yield Triple(result, _sh("resultSeverity"), _SEVERITIES[found.severity])
    yield Triple(result, _sh("resultMessage"), _text(found.message))
    yield Triple(result, _sh("sourceConstraintComponent"), COMPONENT)
    if shape is not None:
        yield Triple(result, _sh("sourceShape"), shape)
    if found.value is not None:
        yield Triple(result, _sh("value"), _text(found.value))


def _text(text: str) -> pyoxigraph.Literal:
    return pyoxigraph.Literal(encodable(text))


def _iri(text: str | None) -> NamedNode | None:
    """Return the node that a text names, None if it is no IRI."""
    try:
        return NamedNode(text or "")
    except ValueError:
        return None


class Results:
    """The results in the SHACL validation report `graph`, each with all statements that belong to it.

    rdflib gives blank nodes a new label in every process. Here they are numbered in the order of the statements about
    them, so that equal reports are equal texts. Labels start with `prefix`.
    """

    def __init__(self, graph: Graph, prefix: str) -> None:
        self._prefix = prefix
        self._about: dict[Node, list[tuple[Node, Node]]] = {}
        for subject, predicate, term in graph:
            self._about.setdefault(subject, []).append((predicate, term))
        for statements in self._about.values():
            statements.sort(key=lambda one: (one[0] != RDF.type, one[0], isinstance(one[1], BNode), _key(one[1])))
        reports = set(graph.subjects(RDF.type, SH.ValidationReport))
        results = {result for report in reports for result in graph.objects(report, SH.result)}
        for report in reports:
            self._about.pop(report, None)
        self.shapes = {str(shape) for shape in graph.objects(None, SH.sourceShape)}
        self._labels: dict[Node, str] = {}
        self._ordered: list[Node] = []
        self.nodes = [self._node(result) for result in self._numbered(results)]

    def triples(self) -> Iterator[Triple]:
        """Yield all statements except those about the report as a whole.

        Statements about one node follow each other.
        """
        for subject in (*self._ordered, *self._numbered(set(self._about).difference(self._ordered))):
            for predicate, term in self._about.get(subject, ()):
                yield Triple(self._node(subject), NamedNode(str(predicate)), self._term(term))

    def _numbered(self, nodes: set[Node]) -> list[Node]:
        """Label `nodes` and the blank nodes that belong to them, in the order of the statements about them."""
        roots = sorted(nodes, key=lambda node: [(str(name), _key(term)) for name, term in self._about.get(node, ())])
        waiting = roots[::-1]
        reached = set(self._ordered)
        while waiting:
            node = waiting.pop()
            if node not in reached and node in self._about:
                reached.add(node)
                self._ordered.append(node)
                waiting += [term for _, term in reversed(self._about[node]) if isinstance(term, BNode)]
        return roots

    def _node(self, node: Node) -> BlankNode | NamedNode:
        if not isinstance(node, BNode):
            return NamedNode(str(node))
        return BlankNode(self._labels.setdefault(node, f"{self._prefix}result{len(self._labels) + 1}"))

    def _term(self, term: Node) -> BlankNode | NamedNode | pyoxigraph.Literal:
        return literal_of(term) if isinstance(term, Literal) else self._node(term)


def _key(term: Node) -> str:
    return "" if isinstance(term, BNode) else term.n3()

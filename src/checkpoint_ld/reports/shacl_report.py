"""A report as SHACL validation reports in Turtle (SHACL 1.0 §3.6), one for each source."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyoxigraph
from pyoxigraph import BlankNode, NamedNode, Triple

from checkpoint_ld.characters import encodable
from checkpoint_ld.findings import Severity
from checkpoint_ld.reports.results import Results
from checkpoint_ld.reports.summary import name_of
from checkpoint_ld.vocabulary import CHECKPOINT_SHACL, KARENINA, RDF, SCHEMA, SHACL, SHAPES, XSD

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from checkpoint_ld.findings import Finding
    from checkpoint_ld.report import Checked, Report
    from checkpoint_ld.reports.format import Settings
    from checkpoint_ld.rules import Rule

PREFIXES = {
    "sh": SHACL,
    "schema": SCHEMA,
    "karenina": KARENINA,
    "shape": SHAPES,
    "ck": CHECKPOINT_SHACL,
    "rdf": RDF,
    "xsd": XSD,
}
COMPONENT = NamedNode(CHECKPOINT_SHACL + "RuleConstraintComponent")
"""The constraint component of what was found without a shape: when a document was read, before there was a graph."""
_SEVERITIES = {
    Severity.VIOLATION: NamedNode(SHACL + "Violation"),
    Severity.WARNING: NamedNode(SHACL + "Warning"),
    Severity.INFO: NamedNode(SHACL + "Info"),
}
_TYPE = NamedNode(RDF + "type")


def render(report: Report, _: Settings) -> str:
    """Return one `sh:ValidationReport` for each source, about (`schema:about`) a node with the source's name.

    What pySHACL reported stands as it is; what was found without a shape is added as further results.
    """
    triples = [
        triple
        for number, checked in enumerate(report.checked, start=1)
        for triple in _Writer(number, checked, report.rules).triples()
    ]
    return (pyoxigraph.serialize(triples, format=pyoxigraph.RdfFormat.TURTLE, prefixes=PREFIXES) or b"").decode()


class _Writer:
    """Writes the validation report of source number `number`."""

    def __init__(self, number: int, checked: Checked, rules: Mapping[str, Rule]) -> None:
        self.prefix = f"source{number}"
        self.report = BlankNode(f"{self.prefix}report")
        self.source = BlankNode(self.prefix)
        self.checked = checked
        self.rules = rules

    def triples(self) -> Iterator[Triple]:
        """Yield all statements, those about one node together."""
        graph = self.checked.results
        reported = Results(graph, self.prefix) if graph is not None else None
        unsaid = [found for found in self.checked.findings if reported is None or not self._is_in(found, reported)]
        added = {BlankNode(f"{self.prefix}finding{number}"): found for number, found in enumerate(unsaid, start=1)}
        results = [*(reported.nodes if reported is not None else ()), *added]
        yield Triple(self.report, _TYPE, NamedNode(SHACL + "ValidationReport"))
        yield Triple(self.report, NamedNode(SHACL + "conforms"), pyoxigraph.Literal(not results))
        yield Triple(self.report, NamedNode(SCHEMA + "about"), self.source)
        for result in results:
            yield Triple(self.report, NamedNode(SHACL + "result"), result)
        yield Triple(self.source, NamedNode(SCHEMA + "name"), _text(name_of(self.checked)))
        if reported is not None:
            yield from reported.triples()
        for result, found in added.items():
            yield from self._result(result, found)

    def _is_in(self, found: Finding, reported: Results) -> bool:
        """Tell whether a finding is one of the results: a SHACL processor reports on shapes, and on nothing else."""
        return self._shape(found) in reported.shapes

    def _shape(self, found: Finding) -> str:
        rule = self.rules.get(found.code)
        return rule.shape if rule is not None else ""

    def _result(self, result: BlankNode, found: Finding) -> Iterator[Triple]:
        shape = _iri(self._shape(found))
        yield Triple(result, _TYPE, NamedNode(SHACL + "ValidationResult"))
        yield Triple(result, NamedNode(SHACL + "focusNode"), _iri(found.node) or self.source)
        yield Triple(result, NamedNode(SHACL + "resultSeverity"), _SEVERITIES[found.severity])
        yield Triple(result, NamedNode(SHACL + "resultMessage"), _text(found.message))
        yield Triple(result, NamedNode(SHACL + "sourceConstraintComponent"), COMPONENT)
        if shape is not None:
            yield Triple(result, NamedNode(SHACL + "sourceShape"), shape)
        value = found.value
        if value is not None:
            yield Triple(result, NamedNode(SHACL + "value"), _text(value))


def _text(text: str) -> pyoxigraph.Literal:
    return pyoxigraph.Literal(encodable(text))


def _iri(text: str | None) -> NamedNode | None:
    """Return the node that a text names, None for what is no IRI."""
    try:
        return NamedNode(text or "")
    except ValueError:
        return None

"""The formats of answers: which one a client wants (RFC 9110 §12.5.1), and results as XML for older clients."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, tostring

from pyoxigraph import BlankNode, Literal, NamedNode

from checkpoint_ld.vocabulary import XSD

if TYPE_CHECKING:
    from checkpoint_ld.sparql import QueryResult
    from checkpoint_ld.sparql.guard import Form
    from checkpoint_ld.sparql.result import Term

RESULT_TYPES = {
    "application/sparql-results+json": "json",
    "application/json": "json",
    "application/sparql-results+xml": "xml",
    "application/xml": "xml",
    "text/csv": "csv",
    "text/tab-separated-values": "tsv",
}
"""Media types of the results of SELECT and ASK, what we prefer first."""
GRAPH_TYPES = {
    "text/turtle": "turtle",
    "application/n-triples": "ntriples",
    "application/rdf+xml": "rdfxml",
    "text/plain": "ntriples",
}
"""Media types of the results of CONSTRUCT and DESCRIBE."""
_NAMESPACE = "http://www.w3.org/2005/sparql-results#"
_NOT_XML = dict.fromkeys((*range(0x20), 0xFFFE, 0xFFFF), "\ufffd") | {9: "\t", 10: "\n", 13: "\r"}
"""Characters that XML 1.0 has no way to write."""


def chosen(accept: str, form: Form) -> tuple[str, str] | None:
    """Return the media type and the format that suit a header `Accept` best, None if none does."""
    offered = GRAPH_TYPES if form in ("construct", "describe") else RESULT_TYPES
    wanted = _ranges(accept) or [("*/*", 1.0)]
    weights = {media: _weight(media, wanted) for media in offered}
    best = max(offered, key=lambda media: weights[media])
    return (best, offered[best]) if weights[best] > 0 else None


def _ranges(accept: str) -> list[tuple[str, float]]:
    found = []
    for one in accept.split(","):
        media, *parameters = (part.strip().lower() for part in one.split(";"))
        weight = next((part[2:] for part in parameters if part.startswith("q=")), "1")
        try:
            found.append((media, float(weight)))
        except ValueError:
            continue
    return [pair for pair in found if pair[0]]


def _weight(media: str, wanted: list[tuple[str, float]]) -> float:
    """Return the weight of a media type: the most precise range that it is in decides."""
    for shape in (media, f"{media.partition('/')[0]}/*", "*/*"):
        for named, weight in wanted:
            if named == shape:
                return weight
    return 0.0


def results_xml(result: QueryResult) -> str:
    """Return the result of a SELECT or ASK as a document of XML."""
    root = Element("sparql", xmlns=_NAMESPACE)
    head = SubElement(root, "head")
    for name in result.columns:
        SubElement(head, "variable", name=name)
    if result.boolean is not None:
        SubElement(root, "boolean").text = str(result.boolean).lower()
    else:
        rows = SubElement(root, "results")
        for row in result.rows:
            _add_row(rows, result.columns, row)
    # A parser takes a bare carriage return for a line end (XML 1.0 §2.11).
    return tostring(root, encoding="unicode").replace("\r", "&#13;") + "\n"


def _add_row(rows: Element, columns: tuple[str, ...], row: tuple[Term | None, ...]) -> None:
    made = SubElement(rows, "result")
    for name, term in zip(columns, row, strict=True):
        if term is not None:
            _add_term(SubElement(made, "binding", name=name), term)


def _add_term(parent: Element, term: Term) -> None:
    if isinstance(term, NamedNode):
        SubElement(parent, "uri").text = term.value
    elif isinstance(term, BlankNode):
        SubElement(parent, "bnode").text = term.value
    elif isinstance(term, Literal):
        made = SubElement(parent, "literal")
        made.text = term.value.translate(_NOT_XML)
        if term.language:
            made.set("xml:lang", term.language)
        elif term.datatype.value != XSD + "string":
            made.set("datatype", term.datatype.value)
    else:
        triple = SubElement(parent, "triple")
        for name in ("subject", "predicate", "object"):
            _add_term(SubElement(triple, name), getattr(term, name))

"""Results as XML (SPARQL Query Results XML Format), which older clients ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, tostring

from pyoxigraph import BlankNode, Literal, NamedNode

from checkpoint_ld.vocabulary import XSD

if TYPE_CHECKING:
    from checkpoint_ld.sparql import QueryResult
    from checkpoint_ld.sparql.terms import Term

_NAMESPACE = "http://www.w3.org/2005/sparql-results#"
_NOT_XML = dict.fromkeys((*range(0x20), 0xFFFE, 0xFFFF), "\ufffd") | {9: "\t", 10: "\n", 13: "\r"}
"""Characters that XML 1.0 has no way to write."""


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

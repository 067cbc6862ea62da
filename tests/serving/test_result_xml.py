"""Results in XML: every term as it is, and always a document that a parser takes."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pyoxigraph
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from checkpoint_ld.sparql import QueryResult
from checkpoint_ld.sparql.formats import results_xml

TERMS = (
    NamedNode("urn:a?b&c"),
    BlankNode("b0"),
    Literal('plain <b> &\r\n\t"quoted"'),
    Literal("x", language="en-GB"),
    Literal("01", datatype=NamedNode("http://www.w3.org/2001/XMLSchema#integer")),
    None,
)


def parsed(text: str) -> list[dict[str, object]]:
    found = pyoxigraph.parse_query_results(text.encode(), format=pyoxigraph.QueryResultsFormat.XML)
    assert isinstance(found, pyoxigraph.QuerySolutions)
    return [{one.value: row[one.value] for one in found.variables} for row in found]


def test_terms_of_every_kind_come_back_and_statements_about_statements_have_their_parts() -> None:
    columns = tuple("abcdef")
    assert parsed(results_xml(QueryResult("select", columns, (TERMS,)))) == [dict(zip(columns, TERMS, strict=True))]
    triple = Triple(NamedNode("urn:s"), NamedNode("urn:p"), Literal("o"))
    root = ET.fromstring(results_xml(QueryResult("select", ("t",), ((triple,),))))
    names = [one.tag.rpartition("}")[2] for one in root.iter()]
    assert names[-7:] == ["triple", "subject", "uri", "predicate", "uri", "object", "literal"]


@given(st.text(max_size=50))
def test_whatever_a_literal_holds_the_document_is_well_formed(text: str) -> None:
    held = text.encode("utf-8", "replace").decode()
    root = ET.fromstring(results_xml(QueryResult("select", ("x",), ((Literal(held),),))))
    (literal,) = root.iter("{http://www.w3.org/2005/sparql-results#}literal")
    assert (literal.text or "") == "".join(map(writable, held))


def writable(one: str) -> str:
    is_control = one < " " and one not in "\t\n\r"
    return "\ufffd" if is_control or one in "\ufffe\uffff" else one

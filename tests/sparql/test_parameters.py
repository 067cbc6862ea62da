"""Values for variables: of every kind, in every form of query, and never syntax."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pyoxigraph
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pyoxigraph import NamedNode
from rdflib import Literal, URIRef

from checkpoint_ld.errors import QueryError
from checkpoint_ld.sparql import run
from checkpoint_ld.sparql.guard import bound, checked, limited
from checkpoint_ld.sparql.running import ENGINES

EMPTY = pyoxigraph.Store()
TEXTS = st.text(st.one_of(st.sampled_from("\\\"'u0U \n\r\t{}#<>?.^@"), st.characters(exclude_categories=["Cs"])))


@pytest.mark.slow
@example('" } SERVICE <http://127.0.0.1:1/> { ?s ?p ?o } #')
@example("\\u0022 } \\U00000022")
@example("'''\r\n\"\"\"")
@given(TEXTS)
def test_no_text_becomes_syntax(value: str) -> None:
    for engine in ENGINES:
        result = run(EMPTY, "SELECT ?x { BIND (?given AS ?x) }", parameters={"given": value}, engine=engine)
        assert result.as_dicts() == [{"x": value}]


@given(TEXTS)
def test_no_text_in_place_of_an_iri_becomes_syntax(value: str) -> None:
    try:
        result = run(EMPTY, "SELECT (STR(?x) AS ?s) { }", parameters={"x": URIRef(value)})
    except (QueryError, ValueError):
        return
    assert result.as_dicts() == [{"s": value}]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, True),
        (7, 7),
        (-2.5, -2.5),
        (1e300, 1e300),
        (Decimal("0.10"), 0.1),
        (date(2026, 3, 1), "2026-03-01"),
        (datetime(2026, 3, 1, 9, tzinfo=UTC), "2026-03-01T09:00:00+00:00"),
        (NamedNode("urn:x"), "urn:x"),
        (URIRef("urn:x"), "urn:x"),
        (Literal("hallo", lang="de"), "hallo"),
        (pyoxigraph.Literal("x", language="en"), "x"),
    ],
)
def test_values_of_every_kind(value: Any, expected: Any) -> None:
    for engine in ENGINES:
        result = run(EMPTY, "SELECT ?x {}", parameters={"x": value}, engine=engine).as_dicts()[0]["x"]
        assert str(result).replace("Z", "+00:00") == str(expected)


@pytest.mark.parametrize("engine", ENGINES)
def test_values_hold_in_patterns_and_filters(store: pyoxigraph.Store, engine: Any) -> None:
    for text in (
        "SELECT ?q { ?q schema:text ?text }",
        "SELECT ?q WHERE { ?q schema:text ?held FILTER (?held = ?text) }",
        "SELECT ?q { OPTIONAL { ?q schema:text ?held } FILTER (STRSTARTS(?held, ?text)) }",
        "SELECT (1 + (2) AS ?x) ?q FROM <urn:uuid:other> { ?q schema:text ?text }",
    ):
        rows = run(store, text, parameters={"text": "Which gas is lightest?"}, engine=engine).as_dicts()
        assert [row["q"] for row in rows] == ["urn:uuid:question-gas-1#/item"], text


def test_every_form_of_query_takes_values(store: pyoxigraph.Store) -> None:
    given_ = {"name": "Gases"}
    assert run(store, "ASK { ?s schema:name ?name }", parameters=given_).boolean
    exists = "SELECT (EXISTS { ?a ?b ?c } AS ?x) ?s { ?s schema:name ?name }"  # rdflib knows no EXISTS there
    assert run(store, exists, parameters=given_).as_dicts() == [{"x": True, "s": "urn:uuid:other"}]
    made = run(store, "CONSTRUCT { ?s a schema:Thing } WHERE { ?s schema:name ?name }", parameters=given_)
    assert [str(one.subject) for one in made.triples] == ["<urn:uuid:other>"]
    assert len(run(store, "DESCRIBE ?s { ?s schema:name ?name }", parameters=given_)) > 5


def test_what_cannot_be_given_is_refused() -> None:
    for text, values in (
        ("SELECT * { ?s ?p ?o }", {"other": 1}),
        ('SELECT * { ?s ?p "?other" } # ?other', {"other": 1}),
        ("SELECT * { ?s ?p ?o }", {"s": object()}),
        ("SELECT * { ?s ?p ?o }", {"s": float("nan")}),
        ("SELECT * { ?s ?p ?o }", {"s": pyoxigraph.BlankNode()}),
        ("SELECT * { ?s ?p ?o }", {"s": "\ud800"}),
        ("SELECT * { ?s ?p ?o }", {"s ?p": 1}),
        ("DESCRIBE <urn:x> ?s", {"s": 1}),
        ("CONSTRUCT WHERE { ?s ?p ?o }", {"s": 1}),
    ):
        with pytest.raises((QueryError, ValueError)):
            run(EMPTY, text, parameters=values)
    assert bound("anything", {}) == "anything"


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("SELECT * { ?s ?p ?o }", "SELECT * { ?s ?p ?o } LIMIT 3 "),
        ("SELECT * { ?s ?p ?o } LIMIT 2", "SELECT * { ?s ?p ?o } LIMIT 2"),
        ("SELECT * { ?s ?p ?o }limit\n200 OFFSET 1", "SELECT * { ?s ?p ?o }limit\n3 OFFSET 1"),
        ("SELECT * { { SELECT * { ?s ?p ?o } LIMIT 1 } }", "SELECT * { { SELECT * { ?s ?p ?o } LIMIT 1 } } LIMIT 3 "),
        ("SELECT * { ?s ?p ?limit } ORDER BY ?limit", "SELECT * { ?s ?p ?limit } ORDER BY ?limit LIMIT 3 "),
        ("SELECT * { ?s ?p ?o } VALUES ?s { 1 }", "SELECT * { ?s ?p ?o }  LIMIT 3 VALUES ?s { 1 }"),
    ],
)
def test_a_query_is_limited_in_its_own_words(text: str, after: str) -> None:
    assert limited(text, 3) == after
    assert checked(after).form == "select"

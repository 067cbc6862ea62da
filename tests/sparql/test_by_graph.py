"""Queries that are answered graph by graph give what they give at once, and their first rows without all others."""

from __future__ import annotations

from typing import Any

import pyoxigraph
import pytest
from pyoxigraph import Literal, NamedNode, Quad

from checkpoint_ld.sparql import queries, run, running
from checkpoint_ld.sparql.guard import PREFIXES, checked
from checkpoint_ld.sparql.queries import named
from tests.queries.benchmarks import dataset

LISTS = (
    "bad-ranges",
    "changed-since",
    "questions",
    "search",
    "template-fields",
    "trait-coverage",
    "traits",
    "unfinished",
    "without-template",
)
GIVEN = {"search": {"text": "metal"}, "changed-since": {"date": "2026-01-01"}}


@pytest.fixture
def one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_PART", 1)


@pytest.fixture(scope="module")
def numbered() -> pyoxigraph.Store:
    """Return a store of thirty graphs, each of which says one number of two subjects, and some of which an extra."""
    store = pyoxigraph.Store()
    for number in range(30):
        graph = NamedNode(f"urn:g:{number:02}")
        for subject in ("urn:a", "urn:b"):
            store.add(Quad(NamedNode(subject), NamedNode("urn:p"), Literal(number), graph))
        if number % 10 == 0:
            store.add(Quad(NamedNode("urn:a"), NamedNode("urn:extra"), Literal("yes"), graph))
    return store


def at_once(store: pyoxigraph.Store, text: str) -> list[Any]:
    found = store.query(text, prefixes=PREFIXES)
    assert isinstance(found, pyoxigraph.QuerySolutions)
    return [tuple(row) for row in found]


@pytest.mark.slow
@pytest.mark.usefixtures("one_at_a_time")
@pytest.mark.parametrize("name", LISTS)
def test_lists_of_what_graphs_hold_are_the_same_part_by_part(name: str) -> None:
    store = dataset().store
    text = queries.request(name, GIVEN.get(name, {}))
    found = run(store, text.text, parameters=text.parameters)
    assert running.plan_of(checked(text.text))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "_PART", 1_000)
        assert found.rows == run(store, text.text, parameters=text.parameters).rows
    assert found.rows
    first = run(store, text.text, parameters=text.parameters, max_rows=1)
    assert first.rows == found.rows[:1]
    assert first.is_cut == (len(found) > 1)


@pytest.mark.slow
def test_the_other_named_queries_are_answered_at_once() -> None:
    can = {name for name in queries.catalogue() if running.plan_of(checked(named(name).text))}
    assert {name for name in can if not name.startswith("agent-")} == set(LISTS)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ?g ?s ?o { GRAPH ?g { ?s <urn:p> ?o } } ORDER BY ?g ?s",
        "SELECT ?g ?s ?o { GRAPH ?g { ?s <urn:p> ?o } } ORDER BY ASC(?g) DESC(?s) LIMIT 7",
        "SELECT ?g ?x { GRAPH ?g { ?s <urn:p> ?o OPTIONAL { ?s <urn:extra> ?x } } } ORDER BY ?g ?x",
        "SELECT ?g ?s { GRAPH ?g { ?s <urn:p> ?o } MINUS { GRAPH ?g { ?s <urn:extra> ?x } } } ORDER BY ?g ?s",
        "SELECT ?g ?s { GRAPH ?g { ?s <urn:p> ?o FILTER NOT EXISTS { ?s <urn:extra> ?x } } } ORDER BY ?g ?s",
        (
            "SELECT ?g ?n { GRAPH ?g { <urn:a> <urn:p> ?o } "
            "{ SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?v } } GROUP BY ?g HAVING (COUNT(*) > 1) } } ORDER BY ?g"
        ),
        (
            "SELECT DISTINCT ?g ?w { { GRAPH ?g { ?s <urn:p> ?o } } UNION { GRAPH ?g { ?s <urn:extra> ?w } } } "
            "ORDER BY ?g ?w"
        ),
        "SELECT ?g (SUM(?o) AS ?n) { VALUES ?s { <urn:a> } GRAPH ?g { ?s <urn:p> ?o } } GROUP BY ?g ORDER BY ?g",
        "SELECT ?g ?o { VALUES ?g { <urn:g:07> <urn:g:03> <urn:none> } GRAPH ?g { ?s <urn:p> ?o } } ORDER BY ?g",
    ],
)
def test_a_pattern_of_graphs_is_answered_part_by_part(text: str, numbered: pyoxigraph.Store) -> None:
    found = running.solutions(numbered, checked(text), None)
    assert found is not None
    assert found[1] == at_once(numbered, text)
    assert found[1]
    assert running.solutions(numbered, checked(text), 2) == (found[0], found[1][:2])


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ?g ?s { GRAPH ?g { ?s ?p ?o } }",
        "SELECT ?g ?s { GRAPH ?g { ?s ?p ?o } } ORDER BY DESC(?g)",
        "SELECT ?g ?s { GRAPH ?g { ?s ?p ?o } } ORDER BY ?s ?g",
        "SELECT ?g ?s { GRAPH ?g { ?s ?p ?o } } ORDER BY STR(?g)",
        "SELECT ?g ?s { GRAPH ?g { ?s ?p ?o } } ORDER BY ?g LIMIT 3 OFFSET 2",
        "SELECT ?s { GRAPH ?g { ?s ?p ?o } } ORDER BY ?g",
        "SELECT ?g { GRAPH ?g { ?s ?p ?o } ?s ?q ?r } ORDER BY ?g",
        "SELECT ?g ?h { GRAPH ?g { ?s <urn:extra> ?o } GRAPH ?h { ?s <urn:extra> ?o } } ORDER BY ?g ?h",
        "SELECT ?g { GRAPH ?g { ?s ?p ?o } FILTER EXISTS { GRAPH ?h { ?s <urn:extra> ?x } } } ORDER BY ?g",
        "SELECT ?g ?n { GRAPH ?g { ?s ?p ?o } { SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } } } ORDER BY ?g ?n",
        "SELECT ?g ?n { VALUES ?g { <urn:x> } OPTIONAL { GRAPH ?g { ?s <urn:p> ?n } } } ORDER BY ?g",
        "SELECT ?g ?s { { SELECT ?g ?s { GRAPH ?g { ?s ?p ?o } } ORDER BY ?s LIMIT 4 } } ORDER BY ?g ?s",
        "SELECT ?g ?n { { GRAPH ?g { ?s <urn:p> ?n } } UNION { VALUES ?n { 1 } } } ORDER BY ?g ?n",
        "SELECT ?g FROM NAMED <urn:g:01> { GRAPH ?g { ?s ?p ?o } } ORDER BY ?g",
        "ASK { GRAPH ?g { ?s ?p ?o } }",
    ],
)
def test_what_looks_beyond_a_graph_is_answered_at_once(text: str, numbered: pyoxigraph.Store) -> None:
    assert running.solutions(numbered, checked(text), None) is None


def test_where_rows_are_rare_all_graphs_are_searched_at_once(
    numbered: pyoxigraph.Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "_PART", 5)
    monkeypatch.setattr(running, "_TRIAL", 10)
    text = "SELECT ?g ?x { GRAPH ?g { ?s <urn:extra> ?x } } ORDER BY ?g"
    assert running.solutions(numbered, checked(text), None) is None
    assert running.solutions(numbered, checked(text), 1) is not None
    assert run(numbered, text).rows == tuple(at_once(numbered, text))


def test_the_first_rows_do_not_wait_for_the_others(numbered: pyoxigraph.Store) -> None:
    wanted: list[str] = []

    class Watched:
        def named_graphs(self) -> Any:
            return numbered.named_graphs()

        def query(self, text: str, *, named_graphs: list[Any], **given: Any) -> Any:
            wanted.extend(one.value for one in named_graphs)
            return numbered.query(text, named_graphs=named_graphs, **given)

    text = "SELECT ?g ?s { GRAPH ?g { ?s <urn:p> ?o } } ORDER BY ?g ?s"
    store: Any = Watched()
    assert running.solutions(store, checked(text), 30)
    assert wanted == [f"urn:g:{number:02}" for number in range(20)]
    wanted.clear()
    assert running.solutions(store, checked(f"{text} LIMIT 3"), None)
    assert len(wanted) == 20
    found = run(numbered, text, max_rows=3)
    assert (len(found), found.is_cut) == (3, True)
    assert not run(numbered, f"{text} LIMIT 3", max_rows=3).is_cut

"""A graph knows what changed, whoever changed it, and a query after an edit sees what a fresh store would hold."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import Literal, URIRef

from checkpoint_ld import Benchmark
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.sparql import Dataset
from checkpoint_ld.vocabulary import SCHEMA
from tests.benchmark.edits import EDITS, applied, sample
from tests.trials import examples

EVERYTHING = "SELECT ?s ?p ?o { GRAPH ?g { ?s ?p ?o } }"


def statements(graph: CheckpointGraph) -> set[Any]:
    return set(graph)


def rows(benchmark: Benchmark, *, inferred: bool) -> set[tuple[str, ...]]:
    return {tuple(map(str, row)) for row in benchmark.query(EVERYTHING, inferred=inferred).rows}


@settings(max_examples=examples(30), deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(sorted(EDITS.keys() - {"identifier"})), st.integers(0, 50)), min_size=1, max_size=6
    )
)
def test_the_difference_leads_from_the_former_state_to_the_present_one(edits: list[tuple[str, int]]) -> None:
    benchmark = sample()
    graph = benchmark.graph
    states = [(graph.follow(), statements(graph))]
    for edit in edits:
        applied(benchmark, *edit)
        states.append((graph.follow(), statements(graph)))
    for since, before in states:
        found = graph.difference(since)
        assert found is not None
        removed, added = set(found.removed), set(found.added)
        assert (before - removed) | added == statements(graph)
        assert removed <= before
        assert not added & before
        assert {subject for subject, _, _ in removed | added} <= found.subjects


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.tuples(st.sampled_from(sorted(EDITS)), st.integers(0, 50)), min_size=1, max_size=6))
def test_a_query_after_edits_sees_what_a_fresh_store_holds(edits: list[tuple[str, int]]) -> None:
    benchmark = sample()
    for edit in (None, *edits):
        if edit is not None:
            applied(benchmark, *edit)
        for inferred in (False, True):
            fresh = Dataset.of_graphs([benchmark.inferred_graph() if inferred else benchmark.graph])
            expected = {tuple(map(str, row)) for row in fresh.query(EVERYTHING).rows}
            assert rows(benchmark, inferred=inferred) == expected


def test_a_value_that_the_store_of_queries_takes_for_another_stays() -> None:
    benchmark = sample()
    note = URIRef(SCHEMA + "note")
    first, second = (Literal(text, datatype="http://www.w3.org/2001/XMLSchema#double") for text in ("0.5", "5.0E-1"))
    for term in (first, second):
        benchmark.graph.add((benchmark.graph.root, note, term))
    benchmark.query(EVERYTHING)
    benchmark.graph.remove((benchmark.graph.root, note, first))
    assert benchmark.query(f"SELECT ?o {{ ?s <{note}> ?o }}").rows


@pytest.mark.parametrize("direct", [False, True])
def test_a_graph_that_changed_as_a_whole_has_no_difference(direct: bool) -> None:
    graph = sample().graph
    since = graph.follow()
    if direct:
        graph.index[URIRef("urn:x")] = {URIRef("urn:p"): Literal("1")}
        graph.touch()
    else:
        for number in range(2_000):
            graph.add((URIRef(f"urn:x:{number}"), URIRef("urn:p"), Literal(number)))
    assert graph.difference(since) is None
    again = graph.follow()
    graph.add((graph.root, URIRef("urn:p"), Literal("1")))
    found = graph.difference(again)
    assert found is not None
    assert found.added == [(graph.root, URIRef("urn:p"), Literal("1"))]
    assert graph.difference(since) is None

"""Derived statements can be distinguished from those of the document, and reading passes them over."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest
from hypothesis import given, settings
from rdflib import Graph, Literal, URIRef

import checkpoint_ld
from checkpoint_ld import Benchmark
from checkpoint_ld.dialects import reading
from checkpoint_ld.dialects.reading.statements import DERIVED, mark_of, without_derived
from checkpoint_ld.graph import emission
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.literals import literal_of, same
from checkpoint_ld.graph.store import Index, triples_of
from checkpoint_ld.validation.inference import with_inferred
from tests.corpus import DIALECTS, expectations, loaded
from tests.documents import canonical, item, rich, scenario
from tests.inference.documents import documents, telling
from tests.trials import examples

Json = Any


def expanded(graph: CheckpointGraph) -> bytes:
    return json.dumps(emission.expanded_of(graph)).encode()


SYNTAXES = {
    "nt": emission.ntriples_of,
    "turtle": emission.turtle_of,
    "nq": emission.nquads_of,
    "trig": emission.trig_of,
    "json": expanded,
}

each_document = pytest.mark.parametrize("make", [canonical, rich, scenario, telling])


def triples(index: Index) -> set[Any]:
    return set(triples_of(index))


@each_document
def test_what_was_derived_can_be_taken_out_again(make: Any) -> None:
    graph = CheckpointGraph.of_tree(make())
    before = triples(graph.index)
    derived = with_inferred(graph)

    assert before < triples(derived.index)
    assert triples(without_derived(derived.index)) == before
    assert triples(graph.index) == before, "deriving changes nothing"


@pytest.mark.slow
@settings(max_examples=examples(100))
@given(documents())
def test_whatever_a_document_states_derived_statements_are_distinguished_from_its_own(tree: Json) -> None:
    graph = CheckpointGraph.of_tree(tree)
    derived = with_inferred(graph)

    assert triples(graph.index) <= triples(derived.index)
    assert triples(without_derived(derived.index)) == triples(graph.index)
    assert triples(with_inferred(graph).index) == triples(derived.index), "two derivations are equal"
    assert triples(with_inferred(derived).index) == triples(derived.index), "nothing is derived twice"


@pytest.mark.slow
@settings(max_examples=examples(30))
@given(documents())
def test_a_document_comes_back_from_every_syntax_as_if_nothing_had_been_derived(tree: Json) -> None:
    graph = CheckpointGraph.of_tree(tree)
    for syntax, write in SYNTAXES.items():
        plain, derived = write(graph), write(with_inferred(graph))
        assert plain != derived
        read = [reading.examine(data, syntax=syntax).tree for data in (plain, derived)]
        assert same(*read), syntax


@each_document
def test_a_document_comes_back_byte_for_byte(make: Any) -> None:
    benchmark = Benchmark.load(json.dumps(make()).encode())
    for write, syntax in ((benchmark.to_ntriples, "nt"), (benchmark.to_turtle, "turtle"), (benchmark.to_trig, "trig")):
        back = Benchmark.load(write(inferred=True).encode(), syntax=syntax)
        assert back.to_ntriples() == benchmark.to_ntriples()
        assert json.dumps(back.to_jsonld("plain")) == json.dumps(benchmark.to_jsonld("plain"))


def test_edits_after_reading_are_edits_of_the_document() -> None:
    benchmark = Benchmark.load(json.dumps(telling()).encode())
    back = Benchmark.load(benchmark.to_nquads(inferred=True).encode(), syntax="nq")
    for one in (benchmark, back):
        one.name = "Alloys"
        one.description = "of metals"
    assert back.to_jsonld()["name"] == "Alloys"
    changed = ("dateModified",)
    documents_ = [
        {key: value for key, value in one.to_jsonld().items() if key not in changed} for one in (benchmark, back)
    ]
    assert same(*documents_)


def test_a_graph_of_rdflib_with_inferred_statements_is_read_without_them() -> None:
    benchmark = Benchmark.load(json.dumps(telling()).encode())
    assert same(Benchmark.load(benchmark.inferred_graph()).to_jsonld(), benchmark.to_jsonld())


def test_what_somebody_adds_to_a_graph_with_inferred_statements_stays() -> None:
    derived = with_inferred(CheckpointGraph.of_tree(canonical()))
    licence = (derived.root, URIRef("https://schema.org/license"), Literal("CC0"))
    derived.add(licence)

    assert licence in triples(without_derived(derived.index))


@pytest.mark.parametrize(
    "own",
    [
        Literal("yes"),
        literal_of({"predicates": ["https://schema.org/name"], "classes": [], "check": "0" * 12}, "@json"),
        literal_of({"predicates": "name", "classes": [], "check": ""}, "@json"),
        literal_of([1], "@json"),
        mark_of(URIRef("urn:x:another-root"), [URIRef("https://schema.org/name")], []),
    ],
)
def test_a_mark_that_is_not_ours_takes_nothing_out(own: Literal) -> None:
    graph = CheckpointGraph.of_tree(canonical())
    graph.add((graph.root, DERIVED, own))

    assert without_derived(graph.index) is graph.index
    assert triples(without_derived(with_inferred(graph).index)) == triples(graph.index)


def test_a_name_that_the_document_uses_is_not_derived_on_its_objects() -> None:
    tree = canonical(item(), item("Second?", "urn:uuid:second"))
    tree["dataFeedElement"][1]["item"]["karenina:finished"] = "nearly"
    derived = with_inferred(CheckpointGraph.of_tree(tree))

    stated = [str(term) for term in derived.objects(predicate=URIRef("urn:karenina:vocab:finished"))]
    assert stated == ["nearly"]


@pytest.mark.slow
@pytest.mark.parametrize("dialect", DIALECTS)
def test_real_documents_come_back_as_if_nothing_had_been_derived(corpus: Path, dialect: str) -> None:
    for case in expectations(corpus, dialect):
        graph = loaded(corpus / case["file"]).graph
        derived = with_inferred(graph)
        assert triples(without_derived(derived.index)) == triples(graph.index), case["file"]
        back = Benchmark.load(emission.ntriples_of(derived), syntax="nt")
        assert same(
            back.to_jsonld("plain"), Benchmark.load(emission.ntriples_of(graph), syntax="nt").to_jsonld("plain")
        )


def test_both_libraries_read_all_statements() -> None:
    benchmark = Benchmark.load(json.dumps(telling()).encode())
    turtle = benchmark.to_turtle(inferred=True)
    triples_in_all = len(benchmark.inferred_graph())
    assert len(Graph().parse(data=turtle, format="turtle")) == triples_in_all
    assert len(list(pyoxigraph.parse(turtle, format=pyoxigraph.RdfFormat.TURTLE))) == triples_in_all


def test_validation_finds_in_a_file_with_inferred_statements_what_it_finds_without() -> None:
    benchmark = Benchmark.load(json.dumps(telling()).encode())
    texts = (benchmark.to_ntriples(inferred=inferred) for inferred in (False, True))
    plain, derived = (checkpoint_ld.validate(text.encode(), syntax="nt", profile="strict") for text in texts)
    assert [one.code for one in plain.findings]
    assert derived.findings == plain.findings

"""What goes into a collection comes out of it to the letter, although its store rewrites numbers."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pyoxigraph
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Triple

from checkpoint_ld import Benchmark
from checkpoint_ld.dialects import reading
from checkpoint_ld.documents.text import dump_json
from checkpoint_ld.findings import Severity
from checkpoint_ld.graph import emission
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.literals import same
from checkpoint_ld.sparql import queries
from checkpoint_ld.stores.collection import Checks, Collection, Kind, OnConflict, Options
from checkpoint_ld.stores.holdings import kept_forms, restored, rewritten
from checkpoint_ld.validation import validator
from checkpoint_ld.vocabulary import XSD
from tests.collection.conftest import Write, checkpoint, iri
from tests.documents import Json, canonical, rich, scenario
from tests.test_graph import documents
from tests.trials import examples

CANONICAL = "datafeed-ns-v3"
BACK = """
import sys
from checkpoint_ld import Benchmark
from checkpoint_ld.documents.text import dump_json
sys.stdout.buffer.write(dump_json(Benchmark.load(sys.stdin.buffer, syntax="nq").to_jsonld("plain")))
"""


def with_odd_numbers() -> Json:
    tree = checkpoint()
    numbers = [0.75, 1.0, -0.0, 1e300, 5e-324, 1e16, 123456789.123, 2**70, -1, 0.1 + 0.2]
    tree["additionalProperty"] += [
        {"@type": "PropertyValue", "name": f"n{at}", "value": one} for at, one in enumerate(numbers)
    ]
    tree["dateModified"] = "2026-01-02T24:00:00.500+00:00"
    return tree


@pytest.mark.slow
@pytest.mark.parametrize("document", [with_odd_numbers(), canonical(), rich(), scenario()])
def test_the_json_of_a_checkpoint_comes_back(document: Json, write: Write, store: Path) -> None:
    file = write("one.jsonld", document)
    with Collection.open(store) as collection:
        collection.add(file, options=Options(checks=Checks(fail_on=None)))
    with Collection.open(store, read_only=True) as collection:
        [graph] = collection
        assert same(collection.benchmark(graph).to_jsonld("plain"), Benchmark.load(file).to_jsonld("plain"))
        held = collection.benchmark(graph).graph
        assert same(emission.jsonld_of(held, emission.ContextStyle.PLAIN), document)


def test_a_checkpoint_with_a_feed_in_it_is_one_checkpoint(write: Write, store: Path) -> None:
    nested = {"@type": "DataFeed", "@id": "urn:x:nested", "name": "Not this one", "isPartOf": {"@id": iri(1)}}
    file = write("1.jsonld", {**checkpoint(1), "isBasedOn": nested})
    with Collection.open(store) as collection:
        collection.add(file)
        out = io.BytesIO()
        collection.dump(out)
        again = Benchmark.load(out.getvalue(), syntax="nq")
        assert same(again.to_jsonld("plain"), Benchmark.load(file).to_jsonld("plain"))
        assert [one.code for one in collection.validate().findings if one.severity is Severity.VIOLATION] == []
        answer = collection.answer(queries.request("benchmarks"))
        assert [row["name"] for row in answer.as_dicts()] == ["Benchmark 1"]


def test_the_store_does_rewrite_numbers_and_the_export_does_not(write: Write, store: Path) -> None:
    file = write("one.jsonld", with_odd_numbers())
    with Collection.open(store) as collection:
        collection.add(file)
        out = io.BytesIO()
        collection.dump(out)
        found = collection.query("SELECT (STR(?v) AS ?n) { GRAPH ?g { ?p schema:name 'n0' ; schema:value ?v } }")
    assert [row["n"] for row in found.as_dicts()] == ["0.75"]
    assert b'"7.5E-1"^^' in out.getvalue()
    assert out.getvalue() == emission.nquads_of(validator.read(file).graph)


@pytest.mark.slow
def test_a_graph_of_an_export_goes_back_to_its_json_in_a_fresh_process(write: Write, store: Path) -> None:
    document = with_odd_numbers()
    out = io.BytesIO()
    with Collection.open(store) as collection:
        collection.add(write("one.jsonld", document))
        collection.dump(out)
    done = subprocess.run([sys.executable, "-c", BACK], input=out.getvalue(), capture_output=True, check=True)
    assert same(json.loads(done.stdout), document)


@settings(max_examples=examples(60), deadline=None)
@given(documents())
def test_any_graph_comes_back_from_what_the_store_makes_of_it(tree: Json) -> None:
    graph = CheckpointGraph.of_tree(tree)
    lines = emission.ntriples_of(graph)
    written = [quad.triple for quad in pyoxigraph.parse(lines, format=RdfFormat.N_TRIPLES)]
    held = rewritten(written)
    store = pyoxigraph.Store()
    store.extend([Quad(one.subject, one.predicate, one.object) for one in written])
    assert {quad.triple for quad in store} == held.keys(), "what the store makes of a statement is foreseen"
    back = restored((quad.triple for quad in store), kept_forms(held))
    assert "".join(sorted(f"{one} .\n" for one in back)) == lines.decode()


TYPES = ("double", "float", "decimal", "integer", "boolean", "dateTime", "date", "time", "gYear", "duration", "string")
TEXTS = st.sampled_from(
    ["1", "01", "1.0", "1.0E0", "1e0", "true", "INF", "+INF", "NaN", "-0", "x", "", "2026-01-01T00:00:00.10Z"]
)


@given(st.lists(st.tuples(TEXTS, st.sampled_from(TYPES)), max_size=8, unique=True))
def test_several_forms_of_one_value_in_one_place_all_come_back(values: list[tuple[str, str]]) -> None:
    place = NamedNode("urn:x")
    written = [Triple(place, place, Literal(text, datatype=NamedNode(XSD + name))) for text, name in values]
    store = pyoxigraph.Store()
    store.extend([Quad(one.subject, one.predicate, one.object) for one in written])
    held = rewritten(written)
    assert len(held) == len(store)
    back = restored((quad.triple for quad in store), kept_forms(held))
    assert sorted(back, key=str) == sorted(written, key=str)


def test_a_form_of_a_value_that_is_gone_counts_for_nothing() -> None:
    place = NamedNode("urn:x")
    old, new = (Triple(place, place, Literal(text, datatype=NamedNode(XSD + "double"))) for text in ("7.5E-1", "2"))
    assert restored([new], kept_forms(rewritten([old]))) == [new]


def test_languages_come_back_as_they_were_written() -> None:
    place = NamedNode("urn:x")
    written = Triple(place, place, Literal("Farbe", language="de-AT"))
    held = rewritten([written])
    assert restored(held, kept_forms(held)) == [written]


@pytest.mark.slow
def test_the_whole_corpus_comes_back(corpus: Path, store: Path) -> None:
    with Collection.open(store) as collection:
        loaded = collection.add(corpus, options=Options(OnConflict.KEEP_BOTH, Checks(fail_on=None)))
        held = {one.source: one.graph for one in loaded.outcomes if one.kind in {Kind.ADDED, Kind.KEPT_BOTH}}
        assert len(held) > 100
        assert not collection.verify()
    identical = 0
    with Collection.open(store, read_only=True) as collection:
        for file, graph in held.items():
            read = reading.examine(file)
            back = collection.get(graph)
            assert isinstance(back, CheckpointGraph)
            assert emission.ntriples_of(back) == emission.ntriples_of(read.graph), file
            assert same(back.tree(), read.graph.tree()), file
            if read.dialect == CANONICAL and read.document is not None:
                identical += dump_json(emission.jsonld_of(back, emission.ContextStyle.PLAIN)) == read.document.data
    assert identical > 15


def test_an_rdf_source_with_blank_nodes_is_named_and_comes_back(write: Write, store: Path) -> None:
    lines = f'<{iri()}> a schema:DataFeed ; schema:name "B" ; schema:creator [ a schema:Person ; schema:name "A" ] .'
    file = write("one.ttl", f"@prefix schema: <https://schema.org/> .\n{lines}\n")
    with Collection.open(store) as collection:
        collection.add(file)
        assert b"_:" not in emission.ntriples_of(collection.get(iri()))
        assert collection.benchmark(iri()).creator == Benchmark.load(file).creator

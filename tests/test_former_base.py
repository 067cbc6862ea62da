"""What version 0.1 wrote under its base for relative identifiers is read as what it was."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import rdflib
from pyoxigraph import RdfFormat, Store

from checkpoint_ld import Benchmark, Collection
from checkpoint_ld.findings import Severity
from checkpoint_ld.graph.literals import same
from checkpoint_ld.stores.collection import Kind
from checkpoint_ld.vocabulary import FORMER_ID_BASE, ID_BASE
from tests.documents import canonical, item

ROOT = "metals no. 1"


@pytest.fixture
def benchmark() -> Benchmark:
    document = {**canonical(item("What is it?", "rq001")), "@id": ROOT, "isBasedOn": {"@id": "older"}}
    return Benchmark.load(json.dumps(document).encode())


def as_before(text: str) -> str:
    assert ID_BASE in text
    return text.replace(ID_BASE, FORMER_ID_BASE)


@pytest.mark.parametrize("extension", ["nt", "ttl", "nq", "trig", "rdf", "jsonld"])
def test_a_file_of_before_is_the_same_checkpoint(benchmark: Benchmark, extension: str, tmp_path: Path) -> None:
    file = tmp_path / f"metals.{extension}"
    benchmark.save(file, context="improved")
    file.write_text(as_before(file.read_text(encoding="utf-8")), encoding="utf-8")
    back = Benchmark.load(file)
    assert set(back.graph) == set(benchmark.graph)
    assert same(back.to_jsonld("plain"), benchmark.to_jsonld("plain"))


def test_a_graph_of_before_is_the_same_checkpoint(benchmark: Benchmark) -> None:
    graph = rdflib.Graph().parse(data=as_before(benchmark.to_ntriples()), format="nt")
    assert set(Benchmark.load(graph).graph) == set(benchmark.graph)


def test_expanded_json_ld_of_before_has_the_identifiers_that_it_had(benchmark: Benchmark) -> None:
    document = benchmark.to_jsonld()
    expanded = json.dumps([{**document, "@context": {**document["@context"], "@base": FORMER_ID_BASE}}])
    assert Benchmark.load(expanded.encode()).get_question_ids() == ["rq001"]


def test_a_collection_of_before_is_read_and_loaded_again_from_its_files(benchmark: Benchmark, tmp_path: Path) -> None:
    folder, files = tmp_path / "collection", tmp_path / "files"
    files.mkdir()
    benchmark.save(files / "metals.jsonld")
    with Collection.open(folder) as collection:
        [added] = collection.add(files).outcomes
    rewritten(folder / "store")

    with Collection.open(folder) as collection:
        [graph] = collection
        assert graph == added.graph.replace(ID_BASE, FORMER_ID_BASE)
        assert same(collection.benchmark(graph).to_jsonld("plain"), benchmark.to_jsonld("plain"))
        assert collection.get(graph).root == benchmark.graph.root
        assert not collection.validate().at_least(Severity.VIOLATION)
        assert [one.kind for one in collection.sync(files).outcomes] == [Kind.ADDED]
        assert list(collection) == [added.graph]
        assert collection.verify() == ()


def rewritten(folder: Path) -> None:
    """Give the statements in a store the names that version 0.1 gave, and its entries that version."""
    store = Store(folder)
    lines = as_before((store.dump(format=RdfFormat.N_QUADS) or b"").decode())
    del store
    shutil.rmtree(folder)
    store = Store(folder)
    version = '<https://schema.org/softwareVersion> "'
    before, _, after = lines.partition(version)
    store.load(f'{before}{version}0.1.0"{after.partition(chr(34))[2]}'.encode(), format=RdfFormat.N_QUADS)
    store.flush()

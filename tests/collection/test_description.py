"""A collection described in VoID and DCAT 3."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pyoxigraph
import pyshacl
import pytest
from rdflib import DCTERMS, FOAF, RDF, VOID, Graph, Literal, Namespace, URIRef

from checkpoint_ld.errors import SettingsError
from checkpoint_ld.stores.collection import Collection
from tests.agents import runs
from tests.cli.conftest import Run, run
from tests.collection.conftest import Write, checkpoint, iri

__all__ = ["run"]

DCAT = Namespace("http://www.w3.org/ns/dcat#")
SHAPES = Path(__file__).with_name("description-shapes.ttl")
BASE = "https://example.org/library/"
CATALOG = URIRef(f"{BASE}void#catalog")
METADATA: dict[str, Any] = {
    "description": "What metals are",
    "license": "https://creativecommons.org/licenses/by/4.0/",
    "creator": [{"@type": "Person", "name": "Ada Smith"}, "Bo"],
    "keywords": ["metals", "chemistry"],
    "version": "2.1",
    "identifier": "10.5281/zenodo.1",
    "citation": "Smith (2026)",
    "dateCreated": "2026-03-01T09:00:00",
    "dateModified": "2026-03-02T09:00:00",
}


def fitting(description: Graph) -> str:
    """Return what is wrong with a description by the shapes, empty if nothing is."""
    conforms, _, text = pyshacl.validate(description, shacl_graph=Graph().parse(SHAPES))
    return "" if conforms else str(text)


@pytest.fixture
def described(write: Write, store: Path) -> tuple[Graph, Path]:
    """Return the description of two benchmarks, one of them with all metadata, the other packed and with none."""
    file = write("one, two.jsonld", {**checkpoint(1, "What?", "Why?"), **METADATA})
    plain = checkpoint(2)
    packed = file.with_name("two.json.gz")
    packed.write_bytes(gzip.compress(json.dumps({**plain, "license": "Our own"}).encode()))
    with Collection.open(store) as collection:
        assert not collection.add(file, packed).refused
        return collection.describe(base=BASE, publisher="The Institute").graph, file


def test_it_fits_the_shapes_and_without_a_publisher_only_that_is_missing(
    described: tuple[Graph, Path], store: Path
) -> None:
    assert fitting(described[0]) == ""

    with Collection.open(store) as collection:
        assert fitting(collection.describe().graph).count("Constraint Violation") == 1


def test_each_dataset_has_the_metadata_of_its_benchmark(described: tuple[Graph, Path]) -> None:
    graph, _ = described
    one = URIRef(iri(1))

    def stated(predicate: URIRef) -> set[str]:
        return {str(term) for term in graph.objects(one, predicate)}

    assert stated(DCTERMS.title) == {"Benchmark 1"}
    assert stated(DCTERMS.description) == {"What metals are"}
    assert stated(DCTERMS.license) == {METADATA["license"]}
    assert stated(DCAT.keyword) == {"metals", "chemistry"}
    assert stated(DCAT.version) == {"2.1"}
    assert stated(DCTERMS.identifier) == {"10.5281/zenodo.1"}
    assert stated(DCTERMS.bibliographicCitation) == {"Smith (2026)"}
    assert stated(DCTERMS.issued) == {"2026-03-01T09:00:00"}
    assert stated(DCTERMS.modified) == {"2026-03-02T09:00:00"}
    assert {str(graph.value(agent, FOAF.name)) for agent in graph.objects(one, DCTERMS.creator)} == {"Ada Smith", "Bo"}
    [own] = graph.objects(URIRef(iri(2)), DCTERMS.license)
    assert str(own).startswith(f"{BASE}void#license-")


def test_each_file_has_its_address_size_and_media_type(described: tuple[Graph, Path]) -> None:
    graph, file = described
    types = "https://www.iana.org/assignments/media-types/application/"
    [first] = graph.objects(URIRef(iri(1)), DCAT.distribution)
    [second] = graph.objects(URIRef(iri(2)), DCAT.distribution)

    assert str(graph.value(first, DCAT.downloadURL)) == "https://example.org/files/one%2C%20two.jsonld"
    assert int(str(graph.value(first, DCAT.byteSize))) == file.stat().st_size
    assert graph.value(first, DCAT.mediaType) == URIRef(f"{types}ld+json")
    assert graph.value(first, DCAT.compressFormat) is None
    assert graph.value(second, DCAT.mediaType) == URIRef(f"{types}json")
    assert graph.value(second, DCAT.compressFormat) == URIRef(f"{types}gzip")


def test_what_is_counted_is_there(described: tuple[Graph, Path], store: Path) -> None:
    graph, _ = described
    with Collection.open(store) as collection:
        graphs = {name: set(collection.get(name)) for name in collection}
    merged = set().union(*graphs.values())

    def count(node: Any, predicate: URIRef) -> int:
        return int(str(graph.value(node, predicate)))

    for name, statements in graphs.items():
        assert count(URIRef(name), VOID.triples) == len(statements)
        assert count(URIRef(name), VOID.distinctSubjects) == len({s for s, _, _ in statements})
    assert count(CATALOG, VOID.triples) == len(merged)
    assert count(CATALOG, VOID.distinctObjects) == len({o for _, _, o in merged})
    for part in graph.objects(CATALOG, VOID.classPartition):
        of_class = {s for s, p, o in merged if p == RDF.type and o == graph.value(part, VOID["class"])}
        assert count(part, VOID.entities) == len(of_class) > 0
    found = {graph.value(part, VOID.property): part for part in graph.objects(CATALOG, VOID.propertyPartition)}
    assert set(found) == {p for _, p, _ in merged}
    for predicate, part in found.items():
        assert count(part, VOID.triples) == sum(p == predicate for _, p, _ in merged)
    assert URIRef("https://schema.org/") in set(graph.objects(CATALOG, VOID.vocabulary))


def test_an_empty_collection_has_a_description_too(store: Path) -> None:
    with Collection.open(store) as collection:
        graph = collection.describe(base=BASE, publisher="The Institute").graph

    assert graph.value(CATALOG, VOID.triples) == Literal(0)
    assert fitting(graph) == ""


@pytest.mark.parametrize("extension", ["ttl", "nt", "jsonld", "rdf"])
def test_the_command_writes_what_the_extension_states(run: Run, write: Write, store: Path, extension: str) -> None:
    file = write("one.jsonld", {**checkpoint(1), **METADATA})
    with Collection.open(store) as collection:
        collection.add(file)
    target = store.parent / f"description.{extension}"

    result = run("store", "describe", store, "-o", target, "--base", BASE, "--title", "Ours", "--publisher", "We")

    assert result.code == 0
    triples = [quad.triple for quad in pyoxigraph.parse(path=target)]
    graph = Graph().parse(pyoxigraph.serialize(triples, format=pyoxigraph.RdfFormat.N_TRIPLES), format="nt")
    assert graph.value(CATALOG, DCTERMS.title) == Literal("Ours")
    assert fitting(graph) == ""


@pytest.mark.parametrize("base", ["here", "http://[", "https://exa mple.org/"])
def test_a_base_that_is_no_iri_is_refused(run: Run, store: Path, base: str) -> None:
    with Collection.open(store) as collection, pytest.raises(SettingsError, match="is no absolute IRI"):
        collection.describe(base=base)

    result = run("store", "describe", store, "--base", base)
    assert result.code == 2
    assert "is no absolute IRI" in result.err


def test_a_checkpoint_of_an_agent_is_a_dataset_too(write: Write, store: Path) -> None:
    file = write("agent.json", runs.tree())
    with Collection.open(store) as collection:
        assert not collection.add(file).refused
        graph = collection.describe(base=BASE, publisher="The Institute").graph
        [name] = collection

    assert fitting(graph) == ""
    assert str(graph.value(URIRef(name), DCTERMS.description)).startswith("The checkpoint of an agent: ")


def test_half_a_character_in_a_title_is_written_out(store: Path) -> None:
    with Collection.open(store) as collection:
        held = collection.describe(title="\ud800").triples
    assert '"\\\\ud800"' in {str(triple.object) for triple in held}

"""Collections answer queries over all that they hold."""

import gzip
import hashlib
import io
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyoxigraph
import pyshacl
import pytest
from pyoxigraph import NamedNode, RdfFormat
from rdflib import DCTERMS, FOAF, RDF, VOID, Graph, Literal, Namespace, URIRef

from checkpoint_ld import families, validate
from checkpoint_ld.errors import LookupFailedError, QueryError, ReadError, SettingsError, WriteError
from checkpoint_ld.graph import emission
from checkpoint_ld.sparql import queries
from checkpoint_ld.stores.collection import Collection, Kind, OnConflict, Options
from checkpoint_ld.validation import validator
from tests.agents import runs
from tests.cli.conftest import Run, run
from tests.collection.conftest import Write, checkpoint, iri
from tests.documents import rich

COUNT = "SELECT (COUNT(?q) AS ?n) { ?q a schema:Question }"
MANIFEST = (
    "PREFIX : <urn:checkpoint-ld:collection#> SELECT ?g ?w { GRAPH <urn:checkpoint-ld:manifest> { ?g :warnings ?w } }"
)


@pytest.fixture
def filled(request: pytest.FixtureRequest, write: Write, store: Path) -> Iterator[Collection]:
    with Collection.open(store) as collection:
        collection.add(write("1.jsonld", checkpoint(1, "One?", "Two?")), write("2.jsonld", rich()))
    with Collection.open(store, read_only=getattr(request, "param", False)) as collection:
        yield collection


@pytest.mark.slow
@pytest.mark.parametrize("filled", [True, False], ids=["reading", "writing"], indirect=True)
@pytest.mark.parametrize("timeout", [None, 60.0])
def test_all_graphs_together_are_the_default(timeout: float | None, filled: Collection) -> None:
    [row] = filled.query(COUNT, timeout=timeout).as_dicts()
    alone = filled.query(COUNT.replace("{", f"FROM <{iri()}> {{"))
    assert alone.as_dicts() == [{"n": 2}]
    assert row["n"] > 2


def test_what_several_graphs_state_is_reported_once(write: Write, collection: Collection) -> None:
    both, one = "SELECT (COUNT(*) AS ?n) { ?q a schema:Question ; schema:text ?t }", checkpoint(1, "Same?", "Mine?")
    other = {**one, "@id": iri(2), "name": "Other", "dataFeedElement": one["dataFeedElement"][:1]}
    paths = write("1.jsonld", one), write("2.jsonld", other)

    def counted(collection: Collection) -> list[int]:
        texts = both, both.replace("{ ?q", "{ GRAPH ?g { ?q") + "}"
        return [row["n"] for text in texts for row in collection.query(text)]

    collection.add(*paths)
    assert counted(collection) == [2, 3]
    write("1.jsonld", {**one, "dataFeedElement": one["dataFeedElement"][1:]})
    collection.add(*paths)
    assert counted(collection) == [2, 2]
    write("2.jsonld", {**other, "dataFeedElement": one["dataFeedElement"]})
    collection.add(*paths)
    assert counted(collection) == [2, 3]
    collection.remove(iri(2))
    assert counted(collection) == [1, 1]
    collection.remove(iri(1))
    assert counted(collection) == [0, 0]


@pytest.mark.slow
def test_the_manifest_is_no_part_of_the_default_graph(filled: Collection) -> None:
    about = "{ ?s schema:sha256|schema:encodingFormat ?o }"
    assert filled.query(f"SELECT * {about}").rows == ()
    assert filled.query(f"SELECT * {{ GRAPH <urn:checkpoint-ld:manifest> {about} }}").rows
    filled_default = filled.query("SELECT ?s { ?s ?p ?o FILTER NOT EXISTS { GRAPH ?g { ?s ?p ?o } } }")
    assert filled_default.rows == ()


@pytest.mark.slow
def test_the_manifest_can_be_queried(filled: Collection) -> None:
    rows = filled.query(MANIFEST).as_dicts()
    assert {row["g"]: row["w"] for row in rows} == {
        graph: entry.as_json()["findings"]["warning"] for graph, entry in filled.entries.items()
    }


@pytest.mark.slow
def test_named_queries_are_answered_as_in_memory(filled: Collection) -> None:
    for name, query in queries.catalogue().items():
        if not any(one.is_required for one in query.parameters.values()):
            filled.query(name)
    found = filled.query("search", text="one?").as_dicts()
    assert [row["text"] for row in found] == ["One?"]
    assert filled.query("versions").as_dicts()[0]["dialect"] == "datafeed-ns-v3"


def test_derived_statements_are_there_for_those_that_look_at_them(filled: Collection) -> None:
    assert {row["field"] for row in filled.query("template-fields").as_dicts()} >= {"metal"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "DROP ALL",
        "SELECT * { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }",
        "SELECT * FROM <file:///etc/passwd> { ?s ?p ?o }",
    ],
)
def test_nothing_is_changed_or_fetched(text: str, filled: Collection) -> None:
    before = len(filled)
    with pytest.raises(QueryError):
        filled.query(text)
    assert len(filled) == before
    assert filled.verify() == ()


def test_validation_of_a_collection_states_what_that_of_its_files_states(filled: Collection) -> None:
    report = filled.validate()
    files = validate(*(filled.source(graph) for graph in filled))
    held, expected = ({(one.code, one.node, one.message) for one in found.findings} for found in (report, files))
    assert held == expected
    assert len(held) > 2
    assert [one.source for one in report.checked] == list(filled)
    with pytest.raises(LookupFailedError):
        filled.validate("urn:none")


# --- Collections leave as N-Quads and TriG: sorted, the same bytes for the same content, in shards with their list.


MANIFEST_GRAPH = "urn:checkpoint-ld:manifest"


def dumped(collection: Collection, syntax: str = "nq") -> bytes:
    out = io.BytesIO()
    collection.dump(out, syntax)
    return out.getvalue()


@pytest.fixture
def files(write: Write) -> list[Path]:
    return [write(f"{number:02}.jsonld", checkpoint(number)) for number in range(12)]


@pytest.fixture
def filled_to_export(files: list[Path], store: Path) -> Path:
    with Collection.open(store) as collection:
        collection.add(*files)
    return store


def test_a_dump_is_the_graphs_one_after_the_other(filled_to_export: Path, files: list[Path]) -> None:
    with Collection.open(filled_to_export, read_only=True) as collection:
        graphs = sorted((validator.read(file).graph for file in files), key=lambda graph: str(graph.root))
        assert dumped(collection) == b"".join(map(emission.nquads_of, graphs))
        assert dumped(collection, "trig") == b"".join(map(emission.trig_of, graphs))
        with pytest.raises(SettingsError, match="use one of nq, trig"):
            collection.dump(io.BytesIO(), "turtle")


def test_equal_collections_have_equal_dumps_whatever_their_history(
    filled_to_export: Path, files: list[Path], tmp_path: Path
) -> None:
    mixed = random.Random(1).sample(files, len(files))
    with Collection.open(tmp_path / "other") as other:
        for file in mixed:
            other.add(file)
        other.remove(iri(3), iri(4))
        other.add(files[3].parent)
        with Collection.open(filled_to_export, read_only=True) as collection:
            assert dumped(other) == dumped(collection)
        other.remove(iri(5))
        with Collection.open(filled_to_export, read_only=True) as collection:
            assert dumped(other) != dumped(collection)


def test_graphs_that_are_kept_beside_each_other_keep_their_names(filled_to_export: Path, write: Write) -> None:
    beside = write("beside.jsonld", checkpoint(1, "Another?"))
    with Collection.open(filled_to_export) as collection:
        collection.add(beside, options=Options(OnConflict.KEEP_BOTH))
        for syntax in (RdfFormat.N_QUADS, RdfFormat.TRIG):
            quads = pyoxigraph.parse(dumped(collection, syntax.file_extension), format=syntax)
            assert {quad.graph_name.value for quad in quads} == set(collection)


@pytest.mark.parametrize("name", ["all.nq", "all.nq.gz", "all.trig"])
def test_a_dump_is_added_as_the_collection_that_it_was(name: str, store: Path, write: Write, tmp_path: Path) -> None:
    made = [write("1.jsonld", checkpoint(1)), write("2.jsonld", checkpoint(2)), write("3.json", runs.tree())]
    made.append(write("beside.jsonld", checkpoint(1, "What is it?", "Another?")))
    with Collection.open(store) as collection:
        collection.add(*made, options=Options(OnConflict.KEEP_BOTH))
        whole = dumped(collection)
        data = dumped(collection, Path(name.removesuffix(".gz")).suffix[1:])
    file = tmp_path / name
    file.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    with Collection.open(tmp_path / "other") as other:
        assert other.add(file).counts == {Kind.ADDED: 4}
        entries = dict(other.entries)
        assert other.add(file).counts == {Kind.UNCHANGED: 4}
        assert (dict(other.entries), dumped(other)) == (entries, whole)
        for graph in other:
            other.holdings.directory.store.clear_graph(NamedNode(graph))
        assert all(problem.repair for problem in other.verify(repair=True))
        assert dumped(other) == whole
        if name == "all.nq":
            lines = whole.replace(b"Benchmark 1", b"Renamed").splitlines(keepends=True)
            file.write_bytes(b"".join(line for line in lines if not line.startswith(f"<{iri(2)}>".encode())))
            assert other.add(file).counts == {Kind.REPLACED: 1, Kind.UNCHANGED: 1, Kind.REFUSED: 2}
            assert set(other) == set(entries), "what cannot be read stays"
    with pytest.raises(ReadError, match=r"2 checkpoints: .*store add"):
        families.read(b"\n".join(line for line in whole.splitlines() if b"checkpoint-1" in line), syntax="nq")


@pytest.mark.slow
@pytest.mark.parametrize(("shards", "compressed"), [(1, False), (3, True), (100, False)])
def test_shards_together_are_the_dump_and_their_list_is_right(
    shards: int, compressed: bool, filled_to_export: Path, tmp_path: Path
) -> None:
    with Collection.open(filled_to_export, read_only=True) as collection:
        found = collection.export(tmp_path / "out", shards=shards, compressed=compressed)
        whole = dumped(collection)
        again = collection.export(tmp_path / "again", shards=shards, compressed=compressed)
    assert found == again, "the same bytes each time"
    listed = json.loads((tmp_path / "out" / "shards.json").read_bytes())
    assert [one["file"] for one in listed] == [one.file for one in found]
    assert len(listed) == min(shards, 12) + 1
    parts = []
    for one in listed:
        data = (tmp_path / "out" / one["file"]).read_bytes()
        assert (len(data), hashlib.sha256(data).hexdigest()) == (one["bytes"], one["sha256"])
        text = gzip.decompress(data) if compressed else data
        quads = list(pyoxigraph.parse(text, format=RdfFormat.N_QUADS))
        assert len(quads) == one["quads"]
        assert len({quad.graph_name for quad in quads}) == one["graphs"]
        parts.append(text)
    assert b"".join(parts[:-1]) == whole
    counts = [one["quads"] for one in listed[:-1]]
    assert max(counts) <= 2 * min(counts)
    assert b"_:" not in b"".join(parts)
    about = {quad.graph_name.value for quad in pyoxigraph.parse(parts[-1], format=RdfFormat.N_QUADS)}
    assert about == {MANIFEST_GRAPH}


def test_an_export_writes_over_nothing(filled_to_export: Path, tmp_path: Path) -> None:
    with Collection.open(filled_to_export, read_only=True) as collection:
        with pytest.raises(WriteError, match="name a new one"):
            collection.export(tmp_path / "files")
        with pytest.raises(WriteError, match="name a new one"):
            collection.export(tmp_path / "files" / "01.jsonld")
        with pytest.raises(WriteError, match="cannot be made"):
            collection.export(tmp_path / "files" / "01.jsonld" / "below")
        with pytest.raises(SettingsError, match="0 shards cannot be"):
            collection.export(tmp_path / "out", shards=0)


def test_an_empty_collection_is_exported_too(collection: Collection, tmp_path: Path) -> None:
    assert dumped(collection) == b""
    assert [one.file for one in collection.export(tmp_path / "out", shards=4)] == ["manifest.nq"]


# --- A collection described in VoID and DCAT 3.


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
    described: tuple[Graph, Path], collection: Collection
) -> None:
    assert fitting(described[0]) == ""

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


def test_a_base_that_is_no_iri_is_refused(run: Run, store: Path) -> None:
    with Collection.open(store) as collection:
        for base in ("here", "http://[", "https://exa mple.org/"):
            with pytest.raises(SettingsError, match="is no absolute IRI"):
                collection.describe(base=base)

    result = run("store", "describe", store, "--base", "here")
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

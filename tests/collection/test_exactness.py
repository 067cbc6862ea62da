"""What goes into a collection comes out of it to the letter, although its store rewrites numbers."""

import io
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pyoxigraph
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import DefaultGraph, Literal, NamedNode, Quad, RdfFormat, Triple

from checkpoint_ld import Benchmark
from checkpoint_ld.dialects import reading
from checkpoint_ld.documents.text import dump_json
from checkpoint_ld.errors import CheckpointLdError, IntegrityError, SettingsError, StoreBusyError, StoreError
from checkpoint_ld.findings import Severity
from checkpoint_ld.graph import emission
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.literals import same
from checkpoint_ld.sparql import queries
from checkpoint_ld.stores import directory
from checkpoint_ld.stores.backend import parsed
from checkpoint_ld.stores.collection import Checks, Collection, Kind, OnConflict, Options
from checkpoint_ld.stores.literals import in_store_form, restored
from checkpoint_ld.validation import validator
from checkpoint_ld.vocabulary import SCHEMA, XSD
from tests.collection.conftest import Write, checkpoint, iri
from tests.documents import Json, canonical, rich, scenario
from tests.test_graph import documents
from tests.trials import examples, some

CANONICAL = "datafeed-ns-v3"


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


def test_a_checkpoint_with_a_feed_in_it_is_one_checkpoint(write: Write, collection: Collection) -> None:
    nested = {"@type": "DataFeed", "@id": "urn:x:nested", "name": "Not this one", "isPartOf": {"@id": iri(1)}}
    file = write("1.jsonld", {**checkpoint(1), "isBasedOn": nested})
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


@settings(max_examples=examples(60), deadline=None)
@given(documents())
def test_any_graph_comes_back_from_what_the_store_makes_of_it(tree: Json) -> None:
    graph = CheckpointGraph.of_tree(tree)
    lines = emission.ntriples_of(graph)
    written = [quad.triple for quad in pyoxigraph.parse(lines, format=RdfFormat.N_TRIPLES)]
    held, forms = in_store_form(lines)
    store = pyoxigraph.Store()
    store.extend([Quad(one.subject, one.predicate, one.object) for one in written])
    assert {f"{quad.triple} ." for quad in store} == set(held.decode().split("\n")) - {""}, "it is foreseen"
    back = restored((quad.triple for quad in store), forms)
    assert "".join(sorted(f"{one} .\n" for one in back)) == lines.decode()


def lines(*statements: Triple) -> bytes:
    return pyoxigraph.serialize(statements, format=RdfFormat.N_TRIPLES) or b""


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
    held, forms = in_store_form(lines(*written))
    assert held.count(b"\n") == len(store)
    back = restored((quad.triple for quad in store), forms)
    assert sorted(back, key=str) == sorted(written, key=str)


def test_a_form_of_a_value_that_is_gone_counts_for_nothing() -> None:
    place = NamedNode("urn:x")
    old, new = (Triple(place, place, Literal(text, datatype=NamedNode(XSD + "double"))) for text in ("7.5E-1", "2"))
    assert restored([new], in_store_form(lines(old))[1]) == [new]


def test_languages_come_back_as_they_were_written() -> None:
    place = NamedNode("urn:x")
    written = Triple(place, place, Literal("Farbe", language="de-AT"))
    held, forms = in_store_form(lines(written))
    assert restored([quad.triple for quad in parsed(held)], forms) == [written]


@pytest.mark.slow
def test_the_whole_corpus_comes_back(corpus: Path, store: Path) -> None:
    with Collection.open(store) as collection:
        files = some(sorted(path for path in corpus.rglob("*") if path.is_file()), 3)
        loaded = collection.add(*files, options=Options(OnConflict.KEEP_BOTH, Checks(fail_on=None)))
        held = {one.source: one.graph for one in loaded.outcomes if one.kind in {Kind.ADDED, Kind.KEPT_BOTH}}
        assert len(held) > len(files) / 3
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
    assert identical > 5


def test_an_rdf_source_with_blank_nodes_is_named_and_comes_back(write: Write, collection: Collection) -> None:
    lines = f'<{iri()}> a schema:DataFeed ; schema:name "B" ; schema:creator [ a schema:Person ; schema:name "A" ] .'
    file = write("one.ttl", f"@prefix schema: <https://schema.org/> .\n{lines}\n")
    collection.add(file)
    assert b"_:" not in emission.ntriples_of(collection.get(iri()))
    assert collection.benchmark(iri()).creator == Benchmark.load(file).creator


# --- The folder of a collection: opened by one writer or many readers, and distinguished from other folders.


HOLD = """
import sys
from checkpoint_ld.stores.collection import Collection
with Collection.open(sys.argv[1], read_only=sys.argv[2] == "read"):
    print("open", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def filled(write: Write, store: Path) -> Path:
    with Collection.open(store) as collection:
        collection.add(write("one.jsonld", checkpoint()))
    return store


class Holder:
    """Another process that has a collection open."""

    def __init__(self, store: Path, how: str) -> None:
        command = [sys.executable, "-c", HOLD, str(store), how]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "open\n"

    def __enter__(self) -> int:
        return self.process.pid

    def __exit__(self, *_: object) -> None:
        self.process.communicate("")


@pytest.mark.slow
def test_a_second_writer_learns_who_the_first_is_and_what_to_do(filled: Path) -> None:
    with Holder(filled, "write") as process:
        with pytest.raises(StoreBusyError, match=rf"another process \({process}\) is writing .*; wait until") as raised:
            Collection.open(filled)
        assert str(filled) in str(raised.value)
        with pytest.raises(StoreBusyError, match="is writing"):
            Collection.open(filled, read_only=True, wait=0)
    with Collection.open(filled) as collection:
        assert list(collection) == [iri()]


@pytest.mark.slow
def test_readers_share_and_keep_writers_out(filled: Path) -> None:
    with Holder(filled, "read"):
        with Collection.open(filled, read_only=True) as collection:
            assert list(collection) == [iri()]
        with pytest.raises(StoreBusyError, match="another process is reading"):
            Collection.open(filled)


def test_one_process_is_no_exception(filled: Path) -> None:
    with Collection.open(filled), pytest.raises(StoreBusyError):
        Collection.open(filled)


def test_a_reader_waits_for_a_writer(filled: Path) -> None:
    writer = Collection.open(filled)
    closing = threading.Timer(0.3, writer.close)
    closing.start()
    with Collection.open(filled, read_only=True) as collection:
        assert list(collection) == [iri()]
    closing.join()


@pytest.mark.slow
def test_a_killed_writer_locks_nobody_out(filled: Path) -> None:
    holder = Holder(filled, "write")
    holder.process.kill()
    holder.process.communicate()
    with Collection.open(filled) as collection:
        assert collection.verify() == ()


def test_one_may_wait_for_others(filled: Path) -> None:
    first = Collection.open(filled)
    closing = threading.Timer(0.3, first.close)
    closing.start()
    started = time.monotonic()
    with Collection.open(filled, wait=60) as collection:
        assert time.monotonic() - started < 30
        assert len(collection) == 1
    closing.join()


def test_a_program_that_knows_no_lock_of_ours_is_noticed(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directory, "_LEFT_S", 0.1)
    other = pyoxigraph.Store(filled / "store")
    with pytest.raises(StoreBusyError, match="another program"):
        Collection.open(filled)
    del other


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("x", encoding="utf-8")
    for read_only in (True, False):
        with pytest.raises(StoreError):
            Collection.open(tmp_path, read_only=read_only)
    assert [one.name for one in tmp_path.iterdir()] == ["thesis.txt"]


def test_reading_makes_no_collection(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no collection is here"):
        Collection.open(tmp_path / "none", read_only=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_collection_whose_making_was_interrupted_is_an_empty_one(tmp_path: Path) -> None:
    (tmp_path / "collection.json").write_text('{"format": 2}', encoding="utf-8")
    with Collection.open(tmp_path, read_only=True) as collection:
        assert list(collection) == []
        assert collection.query("SELECT * { GRAPH ?g { ?s ?p ?o } }").rows == ()
    with Collection.open(tmp_path) as collection:
        assert collection.verify() == ()


@pytest.mark.parametrize("text", ['{"format": 1}', "[]"])
def test_another_format_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "collection.json").write_text(text, encoding="utf-8")
    for read_only in (True, False):
        with pytest.raises(StoreError, match="format 2"):
            Collection.open(tmp_path, read_only=read_only)


@pytest.mark.parametrize("text", ["", "{"])
def test_a_mark_that_is_cut_off_is_damage(text: str, tmp_path: Path) -> None:
    (tmp_path / "collection.json").write_text(text, encoding="utf-8")
    for read_only in (True, False):
        with pytest.raises(IntegrityError, match=r"damaged \(collection\.json\); add your checkpoints to a new one"):
            Collection.open(tmp_path, read_only=read_only)


def test_a_damaged_store_is_reported_with_the_folder(filled: Path) -> None:
    (filled / "store" / "CURRENT").write_text("MANIFEST-999999\n", encoding="utf-8")
    for read_only in (True, False):
        with pytest.raises(StoreError, match=r"cannot be used.*add your checkpoints to a new one") as raised:
            Collection.open(filled, read_only=read_only)
        assert str(filled) in str(raised.value)


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("CURRENT", None, r"damaged \((CURRENT|\d+\.log)\); add your checkpoints to a new one"),
        ("*.sst", b"", r"damaged \(\d+\.sst\); add your checkpoints to a new one"),
        ("MANIFEST-*", None, r"cannot be used: no such file or directory \(MANIFEST-\d+\); if its files are damaged"),
    ],
)
@pytest.mark.parametrize("read_only", [True, False])
def test_a_damaged_file_of_the_store_is_named(
    file: str, content: bytes | None, message: str, read_only: bool, filled: Path
) -> None:
    for one in (filled / "store").glob(file):
        one.unlink() if content is None else one.write_bytes(content)
    with pytest.raises(StoreError, match=message) as raised:
        Collection.open(filled, read_only=read_only)
    assert not {"IO error", "Corruption"} & set(str(raised.value).split(": "))


def test_what_was_opened_to_be_read_is_not_changed(filled: Path, write: Write) -> None:
    with Collection.open(filled, read_only=True) as collection:
        for change in (
            lambda: collection.add(write("two.jsonld", checkpoint(2))),
            lambda: collection.remove(iri()),
            lambda: collection.sync(filled.parent / "files", prune=True),
        ):
            with pytest.raises(CheckpointLdError, match="read only"):
                change()
        assert list(collection) == [iri()]


def test_a_folder_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(StoreError, match="cannot be used"):
        Collection.open(tmp_path / "file" / "store")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have only names in Unicode")
def test_a_folder_whose_path_is_no_utf_8_is_refused_and_left_alone(filled: Path) -> None:
    folder = filled.rename(os.fsdecode(os.fsencode(filled.parent) + b"/caf\xe9"))
    for path, read_only in ((folder, True), (folder, False), (folder / "new", False)):
        with pytest.raises(StoreError, match="the path is no UTF-8"):
            Collection.open(path, read_only=read_only)
    assert not (folder / "new").exists()


def test_a_collection_is_made_where_a_killed_process_began_to_make_one(tmp_path: Path) -> None:
    folder = tmp_path / "collection"
    folder.mkdir()
    (folder / ".0123456789abcdef.tmp").write_bytes(b"{")
    Collection.open(folder).close()
    assert (folder / "collection.json").is_file()


@pytest.mark.parametrize("path", ["", "a\0b", "\ud800", "a" * 5000, "https://me:secret@example.org/"])
def test_a_text_that_is_no_path_is_refused(path: str, collection: Collection) -> None:
    with pytest.raises(SettingsError, match="is no path of a folder: give a"):
        Collection.open(path)
    for work in (collection.sync, collection.export):
        with pytest.raises(SettingsError, match="is no path of a folder: give a"):
            work(path)


# --- `verify` holds every statement against the manifest, and mends what it can.


NAME = NamedNode(SCHEMA + "name")
WRONG = Quad(NamedNode(iri()), NAME, Literal("Another name"), NamedNode(iri()))


def right(store: pyoxigraph.Store) -> Quad:
    [quad] = store.quads_for_pattern(NamedNode(iri()), NAME, None, NamedNode(iri()))
    return quad


@pytest.fixture
def filled_to_verify(write: Write, store: Path) -> Path:
    with Collection.open(store) as collection:
        collection.add(write("one.jsonld", checkpoint()), write("two.jsonld", checkpoint(2)))
    return store


def damage(folder: Path, kind: str) -> None:
    store = pyoxigraph.Store(folder / "store")
    if kind in {"missing", "changed"}:
        store.remove(right(store))
    if kind in {"changed", "added"}:
        store.add(WRONG)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "message"),
    [("missing", "statements, not"), ("added", "statements, not"), ("changed", "holds other statements")],
)
def test_damage_is_found_and_mended_from_the_file(kind: str, message: str, filled_to_verify: Path) -> None:
    damage(filled_to_verify, kind)
    with Collection.open(filled_to_verify) as collection:
        [problem] = collection.verify()
        assert problem.graph == iri()
        assert message in problem.message
        assert problem.repair == ""
        [problem] = collection.verify(repair=True)
        assert "one.jsonld" in problem.repair
        assert collection.verify() == ()
        assert collection.benchmark(iri()).name == "Benchmark 1"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["lacks", "holds"])
def test_the_default_graph_is_held_against_the_checkpoints_and_mended(kind: str, filled_to_verify: Path) -> None:
    store = pyoxigraph.Store(filled_to_verify / "store")
    change = store.remove if kind == "lacks" else store.add
    change(Quad(*(right(store) if kind == "lacks" else WRONG).triple))
    del change, store
    with Collection.open(filled_to_verify) as collection:
        [problem] = collection.verify()
        assert "default graph" in problem.message
        assert collection.verify(repair=True)[0].repair
        assert collection.verify() == ()
        assert collection.query("SELECT ?n { ?f a schema:DataFeed ; schema:name ?n } ORDER BY ?n").as_dicts() == [
            {"n": "Benchmark 1"},
            {"n": "Benchmark 2"},
        ]


def test_what_has_no_file_any_more_is_reported_and_stays(filled_to_verify: Path) -> None:
    damage(filled_to_verify, "changed")
    (filled_to_verify.parent / "files" / "one.jsonld").unlink()
    with Collection.open(filled_to_verify) as collection:
        [problem] = collection.verify(repair=True)
        assert problem.repair == ""
        assert "cannot be loaded again" in problem.message
        assert iri() in collection


def test_a_file_that_holds_another_checkpoint_mends_nothing(filled_to_verify: Path, write: Write) -> None:
    damage(filled_to_verify, "changed")
    write("one.jsonld", checkpoint(3))
    with Collection.open(filled_to_verify) as collection:
        [problem] = collection.verify(repair=True)
        assert f"holds {iri(3)} now, not {iri()}" in problem.message
        assert list(collection) == [iri(1), iri(2)]


def test_statements_that_belong_to_no_checkpoint_are_found_and_taken_out(filled_to_verify: Path) -> None:
    store = pyoxigraph.Store(filled_to_verify / "store")
    store.add(Quad(WRONG.subject, NAME, WRONG.object, NamedNode("urn:stray")))
    store.add(Quad(WRONG.subject, NAME, Literal("Yet another"), DefaultGraph()))
    del store
    with Collection.open(filled_to_verify) as collection:
        assert sorted(one.graph for one in collection.verify()) == ["", "urn:stray"]
        assert all(one.repair == "taken out" for one in collection.verify(repair=True))
        assert collection.verify() == ()
        assert len(collection) == 2


def test_a_damaged_graph_is_one_of_the_findings(filled_to_verify: Path) -> None:
    store = pyoxigraph.Store(filled_to_verify / "store")
    store.clear_graph(NamedNode(iri()))
    del store
    with Collection.open(filled_to_verify, read_only=True) as collection:
        report = collection.validate()
    assert [one.source for one in report.checked] == [iri(), iri(2)]
    assert [[found.code for found in one.findings if found.rule == "no-checkpoint"] for one in report.checked] == [
        ["KD011"],
        [],
    ]
    assert not report.conforms

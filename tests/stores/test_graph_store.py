"""Agent checkpoints as graphs in a collection."""

import gc
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pyoxigraph import NamedNode

from checkpoint_ld import Collection
from checkpoint_ld.agents.schema import iri
from checkpoint_ld.checkpointing import CheckpointManager
from checkpoint_ld.errors import (
    CheckpointNotFound,
    GraphSyncError,
    IntegrityError,
    SettingsError,
    StoreBusyError,
    StoreError,
)
from checkpoint_ld.stores import embedded
from checkpoint_ld.stores.directory import Directory
from checkpoint_ld.stores.graphs import GraphStore
from checkpoint_ld.stores.holdings import Holdings
from checkpoint_ld.stores.protocol import Filter, header_of
from tests.agents import documents
from tests.cli.conftest import Run, run
from tests.documents import canonical, item
from tests.stores.documents import HARD, MOMENT, checkpoint

__all__ = ["run"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "collection"


@pytest.fixture
def store(folder: Path) -> Iterator[GraphStore]:
    opened = GraphStore(folder)
    yield opened
    opened.close()


def test_a_collection_that_is_open_is_used_as_it_is(folder: Path) -> None:
    with Collection.open(folder) as collection:
        store = GraphStore(collection)
        store.put(checkpoint("one", name="first"), file_name="one.json")
        store.close()

        entry = collection.entries["urn:caf:checkpoint/one"]
        assert (entry.name, entry.source, entry.family, entry.is_done) == ("first", "one.json", "agent", True)
        assert store.get("one").name == "first"
        assert collection.verify() == ()


def test_a_collection_that_may_only_be_read_is_read(folder: Path, store: GraphStore) -> None:
    store.put(checkpoint())
    store.close()
    with Collection.open(folder, read_only=True) as collection:
        reading = GraphStore(collection)
        assert [one.id for one in reading.headers()] == ["ckpt_1"]
        with pytest.raises(StoreError, match="read only"):
            reading.put(checkpoint("other"))
        with pytest.raises(SettingsError, match="path"):
            reading.reset()


@pytest.mark.slow
def test_the_collection_answers_queries_about_provenance(store: GraphStore, folder: Path) -> None:
    store.put(checkpoint(calls=[documents.call("c1", tool_id="bash")]))
    store.close()
    with Collection.open(folder, read_only=True) as collection:
        given = "SELECT ?c ?call { GRAPH ?c { ?c cafd:hasToolCall ?call . ?call caf:tool ?tool } }"
        rows = collection.query(given, tool=NamedNode("urn:caf:tool/bash")).rows
    assert [list(map(str, row)) for row in rows] == [["<urn:caf:checkpoint/ckpt_1>", "<urn:caf:tool-call/c1>"]]


def test_benchmarks_in_the_collection_stay_where_they_are(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "benchmark.jsonld"
    file.write_text(json.dumps(canonical(item())), encoding="utf-8")
    with Collection.open(folder) as collection:
        [added] = collection.add(file).outcomes
    store = GraphStore(folder)
    store.put(checkpoint())
    assert [one.id for one in store.headers()] == ["ckpt_1"]
    assert list(store.verify()) == []
    store.reset()
    store.close()
    with Collection.open(folder) as collection:
        assert list(collection) == [added.graph]
        assert collection.verify() == ()


@pytest.mark.slow
def test_changing_what_is_reported_leaves_thoughts_and_the_source_alone(store: GraphStore, folder: Path) -> None:
    store.put(checkpoint(name="old"), file_name="ckpt_1.json")
    changed = store.update_metadata("ckpt_1", name="new", metadata={"tokens_used": 11, "rate": 0.1})
    store.close()

    with Collection.open(folder) as collection:
        entry = collection.entries["urn:caf:checkpoint/ckpt_1"]
        assert (entry.name, entry.source) == ("new", "ckpt_1.json")
        assert collection.verify() == ()
        names = collection.query("SELECT ?name { <urn:caf:checkpoint/ckpt_1> schema:name ?name }").rows
        assert [str(name) for (name,) in names] == ['"new"']
    assert store.get("ckpt_1").content() == changed.content()


def test_what_another_checkpoint_states_as_well_stays_when_one_changes(store: GraphStore, folder: Path) -> None:
    for name in ("one", "two"):
        store.put(checkpoint(name, thoughts=[documents.thought("t1", content="shared")]))
    store.update_metadata("one", name="new")
    store.delete("two")
    store.close()
    with Collection.open(folder) as collection:
        assert collection.verify() == ()
        given = "SELECT ?t { <urn:caf:thought/t1> <http://www.w3.org/ns/prov#value> ?t }"
        assert len(collection.query(given).rows) == 1


def test_a_change_that_is_cut_short_leaves_a_whole_checkpoint(
    store: GraphStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.put(checkpoint(name="old"))

    def fails(*_: object) -> None:
        raise OSError("no space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Holdings, "_replace_entries", fails)
        with pytest.raises(StoreError, match="no space left"):
            store.update_metadata("ckpt_1", name="new")
    assert store.get("ckpt_1").name in ("old", "new")
    list(store.verify(repair=True))
    assert list(store.verify()) == []


def test_filters_state_what_plain_python_states(store: GraphStore) -> None:
    thoughts = [documents.thought("t1", confidence=0.25)]
    held = [HARD, checkpoint("a"), checkpoint("é"), checkpoint("b", thoughts=thoughts), checkpoint("c", 2, calls=[])]
    for one in held:
        store.put(one)
    for wanted in (
        *(Filter(confidence_below=most) for most in (float("inf"), 1, 10**400, 0)),
        Filter(since=-(2**63) + 1, until=2**63 - 1),
        Filter(cursor=(2**63 - 1, 0, "")),
        Filter(cursor=(MOMENT + 1000, 1, "b")),
        Filter(cursor=(MOMENT + 1000, 1, "b"), order="oldest"),
        Filter(execution_id=""),
        Filter(tool='"> } #'),
        Filter(branch_of="../x"),
        Filter(question="q?", benchmark="urn:b", failed=True, tool="grep"),
    ):
        expected = wanted.arranged(header_of(one) for one in held if wanted.matches(one))
        assert list(store.headers(wanted)) == expected, wanted


def test_long_lists_come_in_pages(store: GraphStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checkpoint_ld.stores.graphs._PAGE", 2)
    held = [checkpoint(f"ckpt_{at}", at) for at in range(1, 6)]
    for one in held:
        store.put(one)
    assert list(store.headers()) == [header_of(one) for one in reversed(held)]
    assert [one.id for one in store.headers(Filter(limit=3, order="oldest"))] == ["ckpt_1", "ckpt_2", "ckpt_3"]
    pages = store.headers()
    next(pages)
    store.delete("ckpt_3")
    assert [one.id for one in pages] == ["ckpt_4", "ckpt_2", "ckpt_1"]


def interrupt(folder: Path, name: str) -> None:
    """Leave the collection as a process that is killed while it writes a graph."""
    opened = Directory.open(folder, read_only=False, wait=5)
    holdings = Holdings(opened)
    holdings.replace_entry(replace(holdings.entries[name], status="loading"))
    opened.close()


@pytest.mark.slow
def test_what_was_interrupted_is_as_good_as_absent_and_reported(store: GraphStore, folder: Path) -> None:
    store.put(checkpoint("whole"))
    store.put(checkpoint("half"))
    store.close()
    interrupt(folder, "urn:caf:checkpoint/half")

    assert [one.id for one in store.headers()] == ["whole"]
    with pytest.raises(CheckpointNotFound):
        store.get("half")
    [found] = store.verify()
    assert (found.rule, found.subject) == ("agent-graph-unfinished", '"half"')
    assert store.put(checkpoint("half", name="another")).created
    assert list(store.verify()) == []

    store.close()
    interrupt(folder, "urn:caf:checkpoint/half")
    assert [one.rule for one in store.verify(repair=True)] == ["agent-graph-unfinished"]
    assert list(store.verify()) == []


def test_an_interrupted_one_is_not_there_to_be_deleted(store: GraphStore, folder: Path) -> None:
    store.put(checkpoint())
    store.close()
    interrupt(folder, "urn:caf:checkpoint/ckpt_1")
    assert not store.delete("ckpt_1")
    assert list(store.verify()) == []


def harm(folder: Path, update: str) -> None:
    opened = Directory.open(folder, read_only=False, wait=5)
    opened.store.update(update)
    opened.close()


GRAPH = "<urn:caf:checkpoint/ckpt_1>"


HARMS = {
    "dropped": ("DROP GRAPH {0}", "no agent checkpoint"),
    "no hash": ("DELETE WHERE {{ GRAPH {0} {{ ?s <urn:caf:derived:sha256> ?o }} }}", "there is none"),
    "another name": ("INSERT DATA {{ GRAPH {0} {{ {0} <https://schema.org/name> 'x' }} }}", "does not fit"),
    "two": ("INSERT DATA {{ GRAPH {0} {{ <urn:x> a <urn:caf:vocab:Checkpoint> }} }}", "2 agent checkpoints"),
    "derived": ("DELETE WHERE {{ GRAPH {0} {{ ?s <urn:caf:derived:hasThought> ?o }} }}", "other statements"),
}


def test_each_harm_is_named_and_reindexing_puts_all_right(store: GraphStore, folder: Path, tmp_path: Path) -> None:
    with CheckpointManager(tmp_path / "files", graph=store) as manager:
        for name in HARMS:
            manager.import_(checkpoint(name).tree())
        manager.close()
        for name, (update, _) in HARMS.items():
            harm(folder, update.format(f"<{iri('checkpoint', name)}>"))

        found = {one.subject.strip('"'): one for one in store.verify()}
        assert found.keys() == HARMS.keys()
        for name, (_, message) in HARMS.items():
            assert message in found[name].message
            assert found[name].place.file == str(folder)
            assert found[name].rule == ("agent-graph-statements" if name == "derived" else "agent-graph-damaged")
        for name in HARMS.keys() - {"derived"}:
            with pytest.raises(IntegrityError):
                store.get(name)
        manager.reindex()
        assert manager.verify() == ()
        assert all(store.get(name).content() == checkpoint(name).content() for name in HARMS)


def test_derived_statements_are_made_again_by_a_repair(store: GraphStore, folder: Path) -> None:
    store.put(checkpoint())
    store.close()
    gone = "?s <http://www.w3.org/ns/prov#generatedAtTime> ?o"
    harm(folder, f"WITH {GRAPH} DELETE {{ {gone} }} WHERE {{ {gone} }}")

    [found] = store.verify(repair=True)
    assert found.rule == "agent-graph-statements"
    assert "made again" in found.message
    assert list(store.verify()) == []


def test_a_graph_with_a_name_that_is_not_ours_is_left_alone(store: GraphStore, folder: Path) -> None:
    store.put(checkpoint())
    store.close()
    harm(folder, "INSERT DATA { GRAPH <urn:x> { <urn:x> a <urn:caf:vocab:Checkpoint> } }")
    assert [one.id for one in store.headers()] == ["ckpt_1"]
    assert list(store.verify()) == []


@pytest.mark.parametrize("damaged", ["store/CURRENT", "collection.json"])
def test_a_collection_with_damaged_files_is_moved_aside_by_reindex(
    damaged: str, store: GraphStore, folder: Path, tmp_path: Path
) -> None:
    with CheckpointManager(tmp_path / "files", graph=store) as manager:
        manager.import_(checkpoint().tree())
        manager.close()
        (folder / damaged).write_text("nothing\n")

        with pytest.raises(IntegrityError, match="damaged"):
            store.get("ckpt_1")
        with pytest.raises(GraphSyncError):
            manager.import_(checkpoint("two").tree())
        assert manager.reindex().checkpoints == 2
        assert manager.verify() == ()
    assert len(list(tmp_path.glob("collection.corrupt-*"))) == 1


def test_a_folder_of_something_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    store = GraphStore(tmp_path)
    for use in (lambda: store.put(checkpoint()), lambda: list(store.headers()), store.reset):
        with pytest.raises(StoreError):
            use()
    assert [one.name for one in tmp_path.iterdir()] == ["mine.txt"]


def test_a_collection_that_others_have_is_waited_for(
    store: GraphStore, folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(embedded, "PATIENCE_S", 0.2)
    with Collection.open(folder), CheckpointManager(tmp_path / "files", graph=store) as manager:
        with pytest.raises(StoreBusyError):
            store.put(checkpoint("one"))
        with pytest.raises(GraphSyncError, match="reindex"):
            manager.import_(checkpoint("two").tree())
    assert store.put(checkpoint("one")).created


@pytest.mark.slow
def test_it_is_let_go_when_nobody_has_used_it_for_a_moment(store: GraphStore, folder: Path) -> None:
    store.put(checkpoint())
    with Collection.open(folder, wait=10 * embedded.IDLE_S) as collection:
        assert len(collection) == 1
    assert store.get("ckpt_1").id == "ckpt_1"


@pytest.mark.slow
def test_a_collection_that_was_queried_and_closed_can_be_used_at_once(store: GraphStore, folder: Path) -> None:
    gc.disable()  # whatever is left in circles stays there
    try:
        store.put(checkpoint())
        store.close()
        with Collection.open(folder) as collection:
            assert len(collection.query("SELECT ?c { ?c a caf:Checkpoint }").rows) == 1
        store.put(checkpoint("other"))
        assert store.get("ckpt_1").id == "ckpt_1"
    finally:
        gc.enable()


ANOTHER_CACHE = """
import sys
from pyparsing import ParserElement
ParserElement.enable_packrat()  # as matplotlib does
from checkpoint_ld import Collection
from checkpoint_ld.agents.schema import iri
for _ in range(2):
    with Collection.open(sys.argv[1]) as collection:
        print(len(collection.query("SELECT ?c { ?c a caf:Checkpoint }").rows))
"""


@pytest.mark.slow
def test_a_collection_that_was_queried_and_closed_can_be_used_beside_programs_that_have_parsers_remember(
    store: GraphStore, folder: Path
) -> None:
    store.put(checkpoint())
    store.close()
    done = subprocess.run(
        [sys.executable, "-c", ANOTHER_CACHE, folder], capture_output=True, text=True, check=False, timeout=100
    )
    assert (done.stdout, done.stderr) == ("1\n1\n", "")


def test_a_collection_can_be_used_while_results_of_one_that_was_closed_are_left(folder: Path) -> None:
    gc.disable()
    try:
        opened = Directory.open(folder, read_only=False, wait=5)
        left: list[object] = [opened.store.quads_for_pattern(None, None, None)]
        left.append(left)
        del left
        opened.close()
        Directory.open(folder, read_only=False, wait=5).close()
    finally:
        gc.enable()


def test_the_commands_take_a_collection(run: Run, store: GraphStore, folder: Path) -> None:
    for one in (checkpoint("k1"), checkpoint("k2", 2, name="half way")):
        store.put(one)
    store.close()
    listed = run("agent", "list", "--store", folder, "--json", "--name", "half way")
    assert [one["id"] for one in json.loads(listed.out)] == ["k2"]
    assert "k1" in run("agent", "show", "k1", "--store", folder).out.decode()
    assert run("agent", "verify", "--store", folder).code == 0
    near = run("agent", "show", "k", "--store", folder)
    assert near.code == 2
    assert "k1" in near.err

"""Files are put into a collection: once, replaced when they change, reported when they cannot be."""

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest

from checkpoint_ld import sparql
from checkpoint_ld.errors import LookupFailedError, SettingsError, SourceMissingError, StoreError
from checkpoint_ld.findings import Severity
from checkpoint_ld.stores import collection as collections
from checkpoint_ld.stores import holdings
from checkpoint_ld.stores.collection import Checks, Collection, Kind, LoadReport, OnConflict, Options
from checkpoint_ld.stores.directory import STORE
from checkpoint_ld.validation import profiles
from tests.collection.conftest import Write, checkpoint, iri
from tests.collection.crashing import CHECKPOINTS
from tests.documents import rich
from tests.trials import CI


def kinds(loaded: LoadReport) -> dict[str, str]:
    return {Path(one.source).name: str(one.kind) for one in loaded.outcomes}


def texts(collection: Collection) -> list[str]:
    rows = collection.query("SELECT ?t { GRAPH ?g { ?q a schema:Question ; schema:text ?t } } ORDER BY ?t")
    return [row["t"] for row in rows.as_dicts()]


def test_a_file_that_the_store_removes_meanwhile_counts_as_nothing(
    store: Path, collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_file = Path.is_file

    def vanishing(path: Path) -> bool:
        found = is_file(path)
        if path.name == "vanishing.sst":
            path.unlink()
        return found

    before = collection.statistics().bytes
    (store / "store" / "vanishing.sst").write_bytes(b"some")
    assert collection.statistics().bytes == before + len(b"some")
    monkeypatch.setattr(Path, "is_file", vanishing)
    assert collection.statistics().bytes == before


def test_files_folders_and_patterns_are_meant(write: Write, store: Path) -> None:
    for name in ("a/1.jsonld", "b/2.jsonld", "c3.jsonld"):
        write(name, checkpoint(int(name[-8])))
    write("a/notes.json", {"notes": []})
    files = store.parent / "files"
    with Collection.open(store) as collection:
        loaded = collection.add(files / "a", files / "b" / "2.jsonld", files / "c*.jsonld", files / "d*.jsonld")
    assert kinds(loaded) == {"1.jsonld": "added", "2.jsonld": "added", "c3.jsonld": "added"}
    assert loaded.unmatched == (str(files / "d*.jsonld"),)
    assert loaded.passed_over == 1


def test_a_closed_collection_gives_an_error_instead_of_an_empty_result(write: Write, store: Path) -> None:
    with Collection.open(store) as collection:
        collection.add(write("one.jsonld", checkpoint(1)))
        collection.close()
    two = write("two.jsonld", checkpoint(2))
    for use in (
        lambda: texts(collection),
        lambda: collection.add(two),
        lambda: collection.get(iri(1)),
        collection.verify,
    ):
        with pytest.raises(StoreError, match="the collection is closed; open it again"):
            use()
    with Collection.open(store) as opened:
        assert kinds(opened.add(two)) == {"two.jsonld": "added"}


def test_a_file_that_states_the_same_in_another_layout_is_no_change(write: Write, collection: Collection) -> None:
    file = write("one.jsonld", checkpoint())
    collection.add(file)
    graph = collection.entries[iri()].sha256
    file.write_text(file.read_text(encoding="utf-8") + "\n\n", encoding="utf-8")
    assert kinds(collection.add(file)) == {"one.jsonld": "unchanged"}
    assert collection.entries[iri()].sha256 == graph
    assert collection.entries[iri()].file.size == file.stat().st_size


def test_a_file_that_holds_another_checkpoint_now_no_longer_holds_the_old_one(
    write: Write, collection: Collection
) -> None:
    file = write("one.jsonld", checkpoint(1))
    collection.add(file)
    write("one.jsonld", checkpoint(2))
    collection.add(file)
    assert list(collection) == [iri(2)]


def test_two_files_that_trade_their_checkpoints_lose_none(write: Write, store: Path, collection: Collection) -> None:
    for number in (1, 2):
        write(f"{number}.jsonld", checkpoint(number))
    files = store.parent / "files"
    collection.add(files)
    write("1.jsonld", checkpoint(3))
    write("2.jsonld", checkpoint(1))
    collection.add(files)
    assert list(collection) == [iri(1), iri(3)]
    assert {graph: collection.source(graph).name for graph in collection} == {
        iri(1): "2.jsonld",
        iri(3): "1.jsonld",
    }


@pytest.mark.parametrize(
    ("choice", "kind"), [(OnConflict.ERROR, "added"), (OnConflict.SKIP, "added"), (OnConflict.REPLACE, "replaced")]
)
def test_a_conflict_with_what_a_later_file_no_longer_holds_is_none(
    choice: OnConflict, kind: str, write: Write, collection: Collection
) -> None:
    file = write("b.jsonld", checkpoint(1))
    collection.add(file)
    files = [write("a.jsonld", checkpoint(1, "Changed?")), write("b.jsonld", checkpoint(2))]
    loaded = collection.add(*files, options=Options(choice))
    assert kinds(loaded) == {"a.jsonld": kind, "b.jsonld": "added"}
    assert {graph: collection.source(graph).name for graph in collection} == {
        iri(1): "a.jsonld",
        iri(2): "b.jsonld",
    }
    assert not collection.verify()


def test_a_file_whose_checkpoint_another_replaces_is_not_unchanged(write: Write, collection: Collection) -> None:
    file = write("b.jsonld", checkpoint(1))
    collection.add(file)
    loaded = collection.add(write("a.jsonld", checkpoint(1, "A?")), file, options=Options(OnConflict.REPLACE))
    assert kinds(loaded) == {"a.jsonld": "replaced", "b.jsonld": "replaced"}
    assert collection.source(iri(1)).name == "b.jsonld"


def test_a_moved_checkpoint_is_not_replaced_as_that_of_a_vanished_file(write: Write, collection: Collection) -> None:
    file = write("a.jsonld", checkpoint(1))
    collection.add(file)
    file.rename(file.with_name("b.jsonld"))
    write("c.jsonld", checkpoint(1, "Another?"))
    loaded = collection.sync(file.parent, prune=True, options=Options(OnConflict.SKIP))
    assert kinds(loaded) == {"b.jsonld": "moved", "c.jsonld": "skipped"}
    assert texts(collection) == ["What is it?"]


def test_a_bad_file_is_reported_and_keeps_no_other_out(write: Write, store: Path, collection: Collection) -> None:
    write("1.jsonld", checkpoint(1))
    write("2.jsonld", '{"@type": "DataFeed", "dataFeedElement": [')
    write("3.jsonld", checkpoint(3))
    loaded = collection.add(store.parent / "files", store.parent / "files" / "missing.jsonld")
    assert kinds(loaded) == {
        "1.jsonld": "added",
        "2.jsonld": "refused",
        "3.jsonld": "added",
        "missing.jsonld": "refused",
    }
    assert [Path(one.source).name for one in loaded.refused] == ["2.jsonld", "missing.jsonld"]
    assert "2.jsonld:1:" in loaded.refused[0].message
    assert list(collection) == [iri(1), iri(3)]


def test_a_file_that_breaks_the_chosen_rules_stays_out(write: Write, collection: Collection) -> None:
    tree = checkpoint()
    tree["dateModified"] = "yesterday"
    file = write("one.jsonld", tree)
    strict = Options(checks=Checks(profiles.profile("strict"), Severity.WARNING))
    [outcome] = collection.add(file, options=strict).outcomes
    assert outcome.kind is Kind.REFUSED
    assert "yesterday" in outcome.message
    assert len(collection) == 0
    collection.add(file, options=Options(checks=Checks(profiles.profile("karenina"))))
    assert collection.entries[iri()].findings[Severity.WARNING] >= 1


def test_findings_of_reading_are_counted_in_the_manifest(write: Write, collection: Collection) -> None:
    tree = checkpoint()
    tree["dateModified"] = "yesterday"
    collection.add(write("one.jsonld", tree))
    assert collection.entries[iri()].findings[Severity.WARNING] == 1
    assert collection.statistics().findings == {"violation": 0, "warning": 1, "info": 0}


class TestTwoFilesOfOneIri:
    @pytest.fixture(autouse=True)
    def _files(self, write: Write) -> None:
        self.one = write("one.jsonld", checkpoint(1, "First?"))
        self.two = write("two.jsonld", checkpoint(1, "Second?"))

    def second(self, collection: Collection, choice: OnConflict) -> LoadReport:
        collection.add(self.one)
        return collection.add(self.two, options=Options(choice))

    def test_are_a_conflict_that_names_both(self, collection: Collection) -> None:
        [refused] = self.second(collection, OnConflict.ERROR).refused
        assert "one.jsonld" in refused.message
        assert "two.jsonld" in refused.message
        assert texts(collection) == ["First?"]

    def test_of_one_run_are_a_conflict_too(self, collection: Collection) -> None:
        assert kinds(collection.add(self.one, self.two)) == {"one.jsonld": "added", "two.jsonld": "refused"}
        assert texts(collection) == ["First?"]

    def test_with_the_same_content_are_one(self, collection: Collection, write: Write) -> None:
        write("two.jsonld", checkpoint(1, "First?"))
        [outcome] = self.second(collection, OnConflict.ERROR).outcomes
        assert outcome.kind is Kind.UNCHANGED
        assert "the same as" in outcome.message
        assert collection.source(iri()).name == "one.jsonld"

    def test_may_replace_each_other(self, collection: Collection) -> None:
        assert kinds(self.second(collection, OnConflict.REPLACE)) == {"two.jsonld": "replaced"}
        assert texts(collection) == ["Second?"]
        assert collection.source(iri()).name == "two.jsonld"

    def test_may_be_skipped(self, collection: Collection) -> None:
        assert kinds(self.second(collection, OnConflict.SKIP)) == {"two.jsonld": "skipped"}
        assert texts(collection) == ["First?"]

    def test_may_both_be_kept(self, store: Path) -> None:
        with Collection.open(store) as collection:
            assert kinds(self.second(collection, OnConflict.KEEP_BOTH)) == {"two.jsonld": "kept-both"}
            assert texts(collection) == ["First?", "Second?"]
            first, second = collection
            assert first == iri()
            assert second == f"{iri()}#{collection.entries[second].sha256[:16]}"
            assert collection.benchmark(second)[0].question == "Second?"
        with Collection.open(store) as collection:
            assert collection.benchmark(second)[0].question == "Second?"
            assert collection.entries[second].root == first
            assert kinds(collection.add(self.one, self.two)) == {"one.jsonld": "unchanged", "two.jsonld": "unchanged"}

    def test_of_which_one_was_renamed_are_one(self, collection: Collection) -> None:
        collection.add(self.one)
        self.one.replace(self.two)
        assert kinds(collection.add(self.two)) == {"two.jsonld": "moved"}
        assert collection.source(iri()).name == "two.jsonld"


def test_history_is_kept_by_keeping_both(write: Write, collection: Collection) -> None:
    file = write("one.jsonld", checkpoint(1, "First?"))
    collection.add(file)
    write("one.jsonld", checkpoint(1, "Second?"))
    collection.add(file, options=Options(OnConflict.KEEP_BOTH))
    assert texts(collection) == ["First?", "Second?"]
    assert kinds(collection.add(file, options=Options(OnConflict.KEEP_BOTH))) == {"one.jsonld": "unchanged"}


def test_no_checkpoint_may_have_the_name_of_the_manifest(write: Write, collection: Collection) -> None:
    tree = checkpoint()
    tree["@id"] = "urn:checkpoint-ld:manifest"
    [refused] = collection.add(write("one.jsonld", tree)).refused
    assert "another @id" in refused.message
    assert not collection.verify()


def test_a_name_of_a_checkpoint_is_no_syntax(write: Write, collection: Collection) -> None:
    tree = checkpoint()
    tree["@id"] = "urn:x> ?p ?o } } ; DROP ALL ; #"
    tree["name"] = 'a" } } ; DROP ALL ; # \\'
    collection.add(write("other.jsonld", checkpoint(2)))
    collection.add(write("one.jsonld", tree), write("two.jsonld", {**checkpoint(3), "name": tree["name"]}))
    assert iri(2) in collection
    assert collection.entries[iri(3)].name == tree["name"]
    assert not collection.verify()


def test_a_large_load_is_one_in_bulk(
    write: Write, store: Path, collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(holdings, "_BULK", 100)
    for number in (1, 2):
        write(f"{number}.jsonld", checkpoint(number))
    collection.add(store.parent / "files")
    write("1.jsonld", checkpoint(1, "New?"))
    collection.add(store.parent / "files")
    assert texts(collection) == ["New?", "What is it?"]
    assert not collection.verify()


def test_an_interrupted_first_load_leaves_nothing(
    write: Write, store: Path, collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [write(f"{number}.jsonld", checkpoint(number)) for number in (1, 2)]
    monkeypatch.setattr(holdings, "_BULK", 100)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(holdings.Holdings, "count", interrupted)
        with pytest.raises(KeyboardInterrupt):
            collection.add(*files)
        collection.close()
        with Collection.open(store, read_only=True) as reader:
            assert (len(reader), reader.query("SELECT * { GRAPH ?g { ?s ?p ?o } }").rows) == (0, ())
        again = Collection.open(store)
        with pytest.raises(KeyboardInterrupt):
            again.add(*files)
    assert set(kinds(again.add(*files)).values()) == {"added"}
    again.close()
    with Collection.open(store) as whole:
        assert texts(whole) == ["What is it?", "What is it?"]
        assert not whole.verify()


def test_what_was_not_counted_right_is_not_done(
    write: Write, collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write("one.jsonld", checkpoint())
    with monkeypatch.context() as patch:
        patch.setattr(holdings.Holdings, "count", lambda _, graphs: dict.fromkeys(graphs, 7))
        [refused] = collection.add(file).refused
    assert "another number" in refused.message
    assert texts(collection) == []
    assert [one.graph for one in collection.unfinished] == [iri()]
    assert kinds(collection.add(file)) == {"one.jsonld": "added"}
    assert not collection.verify()


class TestSync:
    @pytest.fixture(autouse=True)
    def _files(self, write: Write, store: Path) -> None:
        for number in (1, 2, 3):
            write(f"{number}.jsonld", checkpoint(number))
        self.folder = store.parent / "files"

    def test_loads_what_is_new_or_changed(self, write: Write, collection: Collection) -> None:
        collection.sync(self.folder)
        write("2.jsonld", checkpoint(2, "New?"))
        write("4.jsonld", checkpoint(4))
        assert kinds(collection.sync(self.folder)) == {
            "1.jsonld": "unchanged",
            "2.jsonld": "replaced",
            "3.jsonld": "unchanged",
            "4.jsonld": "added",
        }

    def test_opens_no_unchanged_file(self, collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
        collection.sync(self.folder)
        monkeypatch.setattr("checkpoint_ld.stores.loading.read_file", None)
        assert set(kinds(collection.sync(self.folder)).values()) == {"unchanged"}

    def test_shows_what_vanished_and_drops_it_only_on_request(self, write: Write, collection: Collection) -> None:
        collection.add(write("../elsewhere/9.jsonld", checkpoint(9)))
        collection.sync(self.folder)
        (self.folder / "2.jsonld").unlink()
        assert kinds(collection.sync(self.folder))["2.jsonld"] == "vanished"
        assert iri(2) in collection
        assert kinds(collection.sync(self.folder, prune=True))["2.jsonld"] == "dropped"
        assert list(collection) == [iri(1), iri(3), iri(9)]
        assert not collection.verify()

    @pytest.mark.parametrize("text", ["", "{", '{"a": 1}'])
    @pytest.mark.parametrize("prune", [False, True])
    def test_a_broken_file_has_not_vanished(self, text: str, prune: bool, write: Write, collection: Collection) -> None:
        file = write("2.json", checkpoint(2))
        (self.folder / "2.jsonld").unlink()
        collection.sync(self.folder)
        file.write_text(text, encoding="utf-8")
        assert kinds(collection.sync(self.folder, prune=prune))["2.json"] == "refused"
        assert iri(2) in collection
        write("2.json", checkpoint(2, "New?"))
        assert kinds(collection.sync(self.folder, prune=prune))["2.json"] == "replaced"

    @pytest.mark.parametrize("prune", [False, True])
    @pytest.mark.parametrize(("text", "outcome"), [("What is it?", "moved"), ("New?", "replaced")])
    def test_a_renamed_file_has_not_vanished(
        self, text: str, outcome: str, prune: bool, write: Write, collection: Collection
    ) -> None:
        collection.sync(self.folder)
        (self.folder / "2.jsonld").unlink()
        write("5.jsonld", checkpoint(2, text))
        options = Options(OnConflict.ERROR if prune else OnConflict.REPLACE)
        assert kinds(collection.sync(self.folder, prune=prune, options=options)) == {
            "1.jsonld": "unchanged",
            "3.jsonld": "unchanged",
            "5.jsonld": outcome,
        }
        assert set(kinds(collection.sync(self.folder, prune=prune)).values()) == {"unchanged"}
        assert len(collection) == 3

    def test_a_link_to_a_file_of_the_folder_has_not_vanished(self, collection: Collection) -> None:
        (self.folder / "links").mkdir()
        (self.folder / "links" / "1.jsonld").symlink_to(self.folder / "1.jsonld")
        collection.add(self.folder / "links")
        assert set(kinds(collection.sync(self.folder, prune=True)).values()) == {"added", "unchanged"}
        assert len(collection) == 3

    def test_needs_a_folder(self, collection: Collection) -> None:
        collection.sync(self.folder)
        with pytest.raises(SourceMissingError, match="no such folder"):
            collection.sync(self.folder / "missing", prune=True)
        assert len(collection) == 3


def test_checkpoints_are_removed_by_iri_or_by_file(write: Write, store: Path) -> None:
    files = [write(f"{number}.jsonld", checkpoint(number)) for number in (1, 2, 3)]
    with Collection.open(store) as collection:
        collection.add(*files)
        with pytest.raises(LookupFailedError, match=r"did you mean .*checkpoint-1\.5"):
            collection.remove(iri(2), iri(1) + "0")
        assert len(collection) == 3
        assert collection.remove(iri(1), str(files[1])) == (iri(1), iri(2))
        assert list(collection) == [iri(3)]
        assert not collection.verify()
    with Collection.open(store, read_only=True) as collection:
        assert list(collection) == [iri(3)]


def test_sources_are_kept_relative_to_the_collection(
    write: Write, store: Path, collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write("one.jsonld", checkpoint())
    monkeypatch.chdir(file.parent)
    collection.add("one.jsonld")
    assert collection.entries[iri()].source == "../files/one.jsonld"
    monkeypatch.chdir(store.parent)
    assert collection.source(iri()) == Path("files", "one.jsonld")
    assert kinds(collection.add("files/one.jsonld")) == {"one.jsonld": "unchanged"}


def test_standard_input_is_no_file(store: Path) -> None:
    with Collection.open(store) as collection, pytest.raises(SettingsError, match="standard input"):
        collection.add("-")


@pytest.mark.parametrize("path", ["\0", "\ud800"])
def test_what_is_no_path_and_no_time_is_refused(store: Path, path: str) -> None:
    with pytest.raises(SettingsError, match="wait is not a number of seconds"):
        Collection.open(store, wait=float("nan"))
    with Collection.open(store) as collection, pytest.raises(SettingsError, match="is no path of a file"):
        collection.add(path)


# --- A process that is killed at any moment leaves nothing half loaded that counts as whole; the next run completes it.


REPOSITORY = Path(__file__).parents[2]
ROUNDS = 4 if CI else 8

needs_fork = pytest.mark.skipif(sys.platform == "win32", reason="processes are forked and killed")


def dumped(folder: Path) -> bytes:
    out = io.BytesIO()
    with Collection.open(folder, read_only=True) as collection:
        collection.dump(out)
    return out.getvalue()


@pytest.mark.slow
@needs_fork
def test_kills_leave_nothing_half_there_and_the_next_run_completes(tmp_path: Path) -> None:
    store, files = tmp_path / "store", tmp_path / "files"
    command = [sys.executable, "-m", "tests.collection.crashing", str(store), str(files), str(ROUNDS)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    checks = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(checks) > ROUNDS / 2
    assert any(one["unfinished"] for one in checks), "some kills hit in the middle"
    assert all(one["half"] == [] and one["problems"] == [] for one in checks), checks
    assert checks[-1] == {"unfinished": 0, "half": [], "problems": [], "done": CHECKPOINTS}
    fresh = tmp_path / "fresh"
    with Collection.open(fresh) as collection:
        collection.add(files)
    assert dumped(store) == dumped(fresh)


class Interrupted(BaseException):
    """Raised where a process would be killed."""


@pytest.fixture
def interrupted(write: Write, store: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file of which the loading was interrupted, after its statements and before they were counted.

    Only what is too much for one transaction can be.
    """
    file = write("one.jsonld", checkpoint())
    with Collection.open(store) as collection:
        collection.add(write("two.jsonld", checkpoint(2)))
        with monkeypatch.context() as patch:
            patch.setattr("checkpoint_ld.stores.holdings._BULK", 10)
            patch.setattr("checkpoint_ld.stores.holdings.Holdings.count", stop)
            with pytest.raises(Interrupted):
                collection.add(file)
    return file


def stop(*_: object) -> None:
    raise Interrupted


@pytest.mark.usefixtures("interrupted")
def test_a_reader_is_reported_and_no_graph_of_it_is_given_away(store: Path) -> None:
    with Collection.open(store, read_only=True) as collection:
        assert [one.graph for one in collection.unfinished] == [iri()]
        assert str(collection.source(iri())).endswith("one.jsonld")
        with pytest.raises(LookupError, match=r"interrupted; add .*one\.jsonld again"):
            collection.get(iri())
        with pytest.raises(Exception, match="verify --repair"):
            collection.dump(io.BytesIO())


@pytest.mark.usefixtures("interrupted")
def test_the_next_writer_finds_nothing_half_there(collection: Collection) -> None:
    assert not collection.query("ASK { GRAPH ?g { <urn:uuid:question-1-0> ?p ?o } }").boolean
    assert collection.query("ASK { GRAPH ?g { <urn:uuid:question-2-0> ?p ?o } }").boolean
    assert len(collection.unfinished) == 1


@pytest.mark.usefixtures("interrupted")
def test_repair_loads_it_again(collection: Collection) -> None:
    [problem] = collection.verify()
    assert problem.message == "its loading was interrupted"
    assert problem.repair == ""
    [problem] = collection.verify(repair=True)
    assert problem.repair.startswith("loaded again from")
    assert collection.verify() == ()
    assert collection.benchmark(iri())[0].question == "What is it?"


def test_what_the_default_graph_lacks_is_a_problem(write: Write, store: Path) -> None:
    file = write("one.jsonld", checkpoint())
    with Collection.open(store) as collection:
        collection.add(file)
    held = pyoxigraph.Store(str(store / STORE))
    one = next(held.quads_for_pattern(None, None, None, pyoxigraph.DefaultGraph()))
    held.remove(one)
    held.flush()
    del held
    with Collection.open(store) as collection:
        assert [one.message for one in collection.verify()] == ["is not in the default graph as a whole"]
        [problem] = collection.verify(repair=True)
        assert problem.repair.startswith("loaded again from")
        assert collection.verify() == ()


def test_repair_takes_it_out_if_its_file_is_gone(interrupted: Path, collection: Collection) -> None:
    interrupted.unlink()
    [problem] = collection.verify(repair=True)
    assert problem.repair.startswith("taken out, for it cannot be loaded again")
    assert list(collection) == [iri(2)]
    assert collection.verify() == ()


# --- Derived statements can be kept beside a collection: they follow it, and queries about them find the same.


NAMES = ("authors", "provenance", "sources", "template-fields")


def found(collection: Collection) -> list[Any]:
    return [collection.query(name).as_dicts() for name in NAMES]


@pytest.fixture
def filled(write: Write, store: Path) -> Path:
    with Collection.open(store) as collection:
        collection.add(write("1.jsonld", checkpoint(1)), write("2.jsonld", rich()))
    return store


@pytest.mark.slow
def test_queries_find_what_they_find_in_memory_and_make_no_dataset(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Collection.open(filled) as collection:
        in_memory = found(collection)
        assert any(in_memory)
        steps: list[tuple[str, int]] = []
        assert collection.derive(lambda graph, total: steps.append((graph, total))) == 2
        assert [total for _, total in steps] == [2, 2]
        assert collection.derive() == 0
    monkeypatch.setattr(sparql.Dataset, "of_graphs", None)
    for read_only in (True, False):
        with Collection.open(filled, read_only=read_only) as collection:
            assert found(collection) == in_memory
            assert collection.query(NAMES[0], timeout=60).as_dicts() == in_memory[0]
            assert collection.verify() == ()


@pytest.mark.slow
def test_they_follow_what_is_added_changed_and_removed(filled: Path, write: Write) -> None:
    with Collection.open(filled) as collection:
        collection.derive()
        collection.add(write("1.jsonld", checkpoint(1, "Other?", "More?")), write("3.jsonld", checkpoint(3)))
        kept = collection.query("template-fields").as_dicts()
        assert {row["benchmark"] for row in kept} >= {iri(1), iri(3)}
        assert collection.derive() == 0
        assert sum(row["benchmark"] == iri(1) for row in kept) == 2
        collection.remove(iri(1))
        assert iri(1) not in {row["benchmark"] for row in collection.query("template-fields")}
        collection.sync(filled.parent / "files")
        assert collection.derive() == 0
        assert iri(1) in {row["benchmark"] for row in collection.query("template-fields")}


@pytest.mark.slow
def test_what_was_interrupted_is_not_taken_for_the_whole(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Collection.open(filled) as collection:
        expected = found(collection)
        with monkeypatch.context() as patch:
            patch.setattr(collections, "_BATCH", 1)

            def stop(graph: str, _: int) -> None:
                if graph == max(collection):
                    raise KeyboardInterrupt

            with pytest.raises(KeyboardInterrupt):
                collection.derive(stop)
        assert found(collection) == expected
        assert collection.derive() == 1
        assert found(collection) == expected


def test_another_version_derives_anew(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Collection.open(filled) as collection:
        collection.derive()
        monkeypatch.setattr(collections, "software", lambda: "another")
        assert collection.derive() == 2


def test_they_can_be_given_up_and_need_a_collection_that_can_be_written(filled: Path) -> None:
    with Collection.open(filled) as collection:
        collection.derive()
        collection.forget_derived()
        assert not (filled / "derived").exists()
        assert found(collection)
    with Collection.open(filled, read_only=True) as collection, pytest.raises(StoreError, match="read only"):
        collection.derive()

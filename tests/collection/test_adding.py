"""Files are put into a collection: once, replaced when they change, told when they cannot be."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from checkpoint_ld.errors import LookupFailedError, SettingsError, SourceMissingError
from checkpoint_ld.findings import Severity
from checkpoint_ld.stores import holdings
from checkpoint_ld.stores.collection import Checks, Collection, Kind, LoadReport, OnConflict, Options
from checkpoint_ld.validation import profiles
from tests.collection.conftest import Write, checkpoint, iri


def kinds(loaded: LoadReport) -> dict[str, str]:
    return {Path(one.source).name: str(one.kind) for one in loaded.outcomes}


def keys(**told: str) -> dict[str, str]:
    return {f"{name.strip('_')}.jsonld": kind for name, kind in told.items()}


@pytest.fixture
def collection(store: Path) -> Iterator[Collection]:
    with Collection.open(store) as opened:
        yield opened


@pytest.fixture
def files(write: Write, store: Path) -> Path:
    for number in (1, 2):
        write(f"{number}.jsonld", checkpoint(number))
    return store.parent / "files"


def texts(collection: Collection) -> list[str]:
    rows = collection.query("SELECT ?t { GRAPH ?g { ?q a schema:Question ; schema:text ?t } } ORDER BY ?t")
    return [row["t"] for row in rows.as_dicts()]


def test_a_second_run_changes_nothing(collection: Collection, files: Path) -> None:
    assert kinds(collection.add(files)) == keys(_1="added", _2="added")
    before = dict(collection.entries)
    assert kinds(collection.add(files)) == keys(_1="unchanged", _2="unchanged")
    assert dict(collection.entries) == before
    assert collection.statistics().checkpoints == 2


def test_files_folders_and_patterns_are_meant(collection: Collection, write: Write, files: Path) -> None:
    for name in ("a/1.jsonld", "b/2.jsonld", "c3.jsonld"):
        write(name, checkpoint(int(name[-8])))
    write("a/notes.json", {"notes": []})
    loaded = collection.add(files / "a", files / "b" / "2.jsonld", files / "c*.jsonld", files / "d*.jsonld")
    assert kinds(loaded) == keys(_1="added", _2="added", c3="added")
    assert (loaded.unmatched, loaded.passed_over) == ((str(files / "d*.jsonld"),), 1)
    with pytest.raises(SettingsError, match="standard input"):
        collection.add("-")


def test_a_file_replaces_what_it_held_where_it_says_something_else_now(collection: Collection, write: Write) -> None:
    file = write("one.jsonld", checkpoint(1, "Old?", "Older?"))
    collection.add(file)
    write("one.jsonld", checkpoint(1, "New?"))
    assert kinds(collection.add(file)) == keys(one="replaced")
    assert texts(collection) == ["New?"]
    graph = collection.entries[iri()].sha256
    file.write_text(file.read_text(encoding="utf-8") + "\n\n", encoding="utf-8")
    assert kinds(collection.add(file)) == keys(one="unchanged")
    assert (collection.entries[iri()].sha256, collection.entries[iri()].file.size) == (graph, file.stat().st_size)
    write("one.jsonld", checkpoint(1, "Newest?"))
    both = Options(OnConflict.KEEP_BOTH)
    assert [kinds(collection.add(file, options=both))["one.jsonld"] for _ in range(2)] == ["kept-both", "unchanged"]
    assert texts(collection) == ["New?", "Newest?"]
    assert not collection.verify()


def test_two_files_that_trade_their_checkpoints_lose_none(collection: Collection, write: Write, files: Path) -> None:
    collection.add(files)
    write("1.jsonld", checkpoint(3))
    write("2.jsonld", checkpoint(1))
    collection.add(files)
    assert {graph: collection.source(graph).name for graph in collection} == {iri(1): "2.jsonld", iri(3): "1.jsonld"}


def test_a_bad_file_is_told_and_keeps_no_other_out(collection: Collection, write: Write, files: Path) -> None:
    write("2.jsonld", '{"@type": "DataFeed", "dataFeedElement": [')
    write("3.jsonld", checkpoint(3))
    loaded = collection.add(files, files / "missing.jsonld")
    assert kinds(loaded) == keys(_1="added", _2="refused", _3="added", missing="refused")
    assert [Path(one.source).name for one in loaded.refused] == ["2.jsonld", "missing.jsonld"]
    assert "2.jsonld:1:" in loaded.refused[0].message
    assert list(collection) == [iri(1), iri(3)]


def test_what_breaks_the_chosen_rules_stays_out_and_findings_are_counted(collection: Collection, write: Write) -> None:
    file = write("one.jsonld", {**checkpoint(), "dateModified": "yesterday"})
    strict = Options(checks=Checks(profiles.profile("strict"), Severity.WARNING))
    [outcome] = collection.add(file, options=strict).outcomes
    assert (outcome.kind, "yesterday" in outcome.message, len(collection)) == (Kind.REFUSED, True, 0)
    collection.add(file, options=Options(checks=Checks(profiles.profile("karenina"))))
    assert collection.entries[iri()].findings[Severity.WARNING] >= 1
    collection.remove(iri())
    collection.add(file)
    assert collection.entries[iri()].findings[Severity.WARNING] == 1
    assert collection.statistics().findings == {"violation": 0, "warning": 1, "info": 0}


@pytest.fixture
def rivals(write: Write) -> tuple[Path, Path]:
    """Two files of one name with other content."""
    return write("one.jsonld", checkpoint(1, "First?")), write("two.jsonld", checkpoint(1, "Second?"))


@pytest.mark.parametrize(
    ("choice", "kind", "held", "source"),
    [
        (OnConflict.ERROR, "refused", ["First?"], "one.jsonld"),
        (OnConflict.REPLACE, "replaced", ["Second?"], "two.jsonld"),
        (OnConflict.SKIP, "skipped", ["First?"], "one.jsonld"),
        (OnConflict.KEEP_BOTH, "kept-both", ["First?", "Second?"], "one.jsonld"),
    ],
)
def test_of_two_files_of_one_name_what_is_chosen_is_kept(  # noqa: PLR0917 - two fixtures, four values
    collection: Collection, rivals: tuple[Path, Path], choice: OnConflict, kind: str, held: list[str], source: str
) -> None:
    collection.add(rivals[0])
    loaded = collection.add(rivals[1], options=Options(choice))
    assert kinds(loaded) == keys(two=kind)
    assert all(str(one.name) in loaded.refused[0].message for one in rivals if loaded.refused)
    assert (texts(collection), collection.source(iri()).name) == (held, source)
    if choice is OnConflict.KEEP_BOTH:
        first, second = collection
        assert (first, second) == (iri(), f"{iri()}#{collection.entries[second].sha256[:16]}")
        assert collection.benchmark(second)[0].question == "Second?"
        assert kinds(collection.add(*rivals)) == keys(one="unchanged", two="unchanged")


def test_two_files_of_one_name_in_one_run_are_a_conflict_and_with_the_same_content_one(
    collection: Collection, write: Write, rivals: tuple[Path, Path]
) -> None:
    assert kinds(collection.add(*rivals)) == keys(one="added", two="refused")
    assert texts(collection) == ["First?"]
    write("two.jsonld", checkpoint(1, "First?"))
    [outcome] = collection.add(rivals[1]).outcomes
    assert (outcome.kind, "the same as" in outcome.message) == (Kind.UNCHANGED, True)
    assert collection.source(iri()).name == "one.jsonld"
    rivals[0].replace(rivals[1])
    assert kinds(collection.add(rivals[1])) == keys(two="moved")
    assert collection.source(iri()).name == "two.jsonld"


def test_a_name_of_a_checkpoint_is_no_syntax_and_not_that_of_the_manifest(collection: Collection, write: Write) -> None:
    name = 'a" } } ; DROP ALL ; # \\'
    tree = {**checkpoint(), "@id": "urn:x> ?p ?o } } ; DROP ALL ; #", "name": name}
    collection.add(write("other.jsonld", checkpoint(2)))
    collection.add(write("one.jsonld", tree), write("two.jsonld", {**checkpoint(3), "name": name}))
    manifest = write("three.jsonld", {**checkpoint(), "@id": "urn:checkpoint-ld:manifest"})
    assert ["another @id" in one.message for one in collection.add(manifest).refused] == [True]
    assert iri(2) in collection
    assert collection.entries[iri(3)].name == name
    assert not collection.verify()


def test_a_large_load_is_in_bulk(
    collection: Collection, write: Write, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(holdings, "_BULK", 100)
    collection.add(files)
    write("1.jsonld", checkpoint(1, "New?"))
    collection.add(files)
    assert texts(collection) == ["New?", "What is it?"]
    assert not collection.verify()


def test_what_was_not_counted_is_not_done(
    collection: Collection, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write("one.jsonld", checkpoint())
    with monkeypatch.context() as patch:
        patch.setattr(holdings.Holdings, "count", lambda *_: 7)
        [refused] = collection.add(file).refused
    assert "another number" in refused.message
    assert texts(collection) == []
    assert [one.graph for one in collection.unfinished] == [iri()]
    assert kinds(collection.add(file)) == keys(one="added")
    assert not collection.verify()


def test_sync_loads_what_is_new_or_changed_and_opens_no_unchanged_file(
    collection: Collection, write: Write, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection.sync(files)
    write("2.jsonld", checkpoint(2, "New?"))
    write("3.jsonld", checkpoint(3))
    assert kinds(collection.sync(files)) == keys(_1="unchanged", _2="replaced", _3="added")
    monkeypatch.setattr("checkpoint_ld.stores.loading.read_file", None)
    assert set(kinds(collection.sync(files)).values()) == {"unchanged"}


def test_sync_tells_what_vanished_and_drops_it_only_when_asked(
    collection: Collection, write: Write, files: Path
) -> None:
    collection.add(write("../elsewhere/9.jsonld", checkpoint(9)))
    collection.sync(files)
    (files / "2.jsonld").unlink()
    assert kinds(collection.sync(files))["2.jsonld"] == "vanished"
    with pytest.raises(SourceMissingError, match="no such folder"):
        collection.sync(files / "missing", prune=True)
    assert list(collection) == [iri(1), iri(2), iri(9)]
    assert kinds(collection.sync(files, prune=True))["2.jsonld"] == "dropped"
    assert list(collection) == [iri(1), iri(9)]
    assert not collection.verify()


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


def test_sources_are_relative_to_the_collection(
    collection: Collection, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files)
    collection.add("1.jsonld")
    assert collection.entries[iri()].source == "../files/1.jsonld"
    monkeypatch.chdir(files.parent)
    assert collection.source(iri()) == Path("files", "1.jsonld")
    assert kinds(collection.add("files/1.jsonld")) == keys(_1="unchanged")

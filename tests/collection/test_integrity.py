"""`verify` holds every statement against the manifest, and mends what it can."""

from __future__ import annotations

from pathlib import Path

import pyoxigraph
import pytest
from pyoxigraph import DefaultGraph, Literal, NamedNode, Quad

from checkpoint_ld.stores.collection import Collection
from checkpoint_ld.vocabulary import SCHEMA
from tests.collection.conftest import Write, checkpoint, iri

NAME = NamedNode(SCHEMA + "name")
WRONG = Quad(NamedNode(iri()), NAME, Literal("Another name"), NamedNode(iri()))


def right(store: pyoxigraph.Store) -> Quad:
    [quad] = store.quads_for_pattern(NamedNode(iri()), NAME, None, NamedNode(iri()))
    return quad


@pytest.fixture
def filled(write: Write, store: Path) -> Path:
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
def test_damage_is_found_and_mended_from_the_file(kind: str, message: str, filled: Path) -> None:
    damage(filled, kind)
    with Collection.open(filled) as collection:
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
def test_the_default_graph_is_held_against_the_checkpoints_and_mended(kind: str, filled: Path) -> None:
    store = pyoxigraph.Store(filled / "store")
    change = store.remove if kind == "lacks" else store.add
    change(Quad(*(right(store) if kind == "lacks" else WRONG).triple))
    del change, store
    with Collection.open(filled) as collection:
        [problem] = collection.verify()
        assert "default graph" in problem.message
        assert collection.verify(repair=True)[0].repair
        assert collection.verify() == ()
        assert collection.query("SELECT ?n { ?f a schema:DataFeed ; schema:name ?n } ORDER BY ?n").as_dicts() == [
            {"n": "Benchmark 1"},
            {"n": "Benchmark 2"},
        ]


def test_what_has_no_file_any_more_is_reported_and_stays(filled: Path) -> None:
    damage(filled, "changed")
    (filled.parent / "files" / "one.jsonld").unlink()
    with Collection.open(filled) as collection:
        [problem] = collection.verify(repair=True)
        assert problem.repair == ""
        assert "cannot be loaded again" in problem.message
        assert iri() in collection


def test_a_file_that_holds_another_checkpoint_mends_nothing(filled: Path, write: Write) -> None:
    damage(filled, "changed")
    write("one.jsonld", checkpoint(3))
    with Collection.open(filled) as collection:
        [problem] = collection.verify(repair=True)
        assert f"holds {iri(3)} now, not {iri()}" in problem.message
        assert list(collection) == [iri(1), iri(2)]


def test_statements_that_belong_to_no_checkpoint_are_found_and_taken_out(filled: Path) -> None:
    store = pyoxigraph.Store(filled / "store")
    store.add(Quad(WRONG.subject, NAME, WRONG.object, NamedNode("urn:stray")))
    store.add(Quad(WRONG.subject, NAME, Literal("Yet another"), DefaultGraph()))
    del store
    with Collection.open(filled) as collection:
        assert sorted(one.graph for one in collection.verify()) == ["", "urn:stray"]
        assert all(one.repair == "taken out" for one in collection.verify(repair=True))
        assert collection.verify() == ()
        assert len(collection) == 2


def test_a_damaged_graph_is_one_of_the_findings(filled: Path) -> None:
    store = pyoxigraph.Store(filled / "store")
    store.clear_graph(NamedNode(iri()))
    del store
    with Collection.open(filled, read_only=True) as collection:
        report = collection.validate()
    assert [one.source for one in report.checked] == [iri(), iri(2)]
    assert [[found.code for found in one.findings if found.rule == "no-checkpoint"] for one in report.checked] == [
        ["KD011"],
        [],
    ]
    assert not report.conforms

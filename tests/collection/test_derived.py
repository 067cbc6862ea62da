"""Derived statements can be kept beside a collection: they follow it, and queries about them find the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld import sparql
from checkpoint_ld.errors import StoreError
from checkpoint_ld.stores import collection as collections
from checkpoint_ld.stores.collection import Collection
from tests.collection.conftest import Write, checkpoint, iri
from tests.documents import rich

NAMES = ("authors", "provenance", "sources", "template-fields")


def found(collection: Collection, **limits: Any) -> list[Any]:
    return [collection.query(name, **limits).as_dicts() for name in NAMES]


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
            assert found(collection, timeout=60) == in_memory
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

"""What every store does alike, beside the cases of the conformance suite."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.errors import CheckpointNotFound, InvalidCheckpoint
from checkpoint_ld.stores.database import DatabaseStore
from checkpoint_ld.stores.files import FileStore
from checkpoint_ld.stores.graphs import GraphStore
from checkpoint_ld.stores.protocol import CAPABILITIES, CheckpointStore, Filter, header_of
from tests.agents import documents
from tests.stores.documents import HARD, checkpoint
from tests.trials import examples


@pytest.mark.slow
@settings(max_examples=examples(25), deadline=None)
@given(st.lists(documents.checkpoints, max_size=4))
def test_whatever_is_valid_comes_back_as_it_was(tmp_path_factory: pytest.TempPathFactory, trees: list[object]) -> None:
    folder = tmp_path_factory.mktemp("stores")
    stores: list[CheckpointStore] = [
        FileStore(folder / "files"),
        DatabaseStore(folder / "index.db"),
        GraphStore(folder / "collection"),
    ]
    kept = {HARD.id: HARD}
    for tree in trees:
        with suppress(InvalidCheckpoint):
            one = AgentCheckpoint.of_tree(tree)  # type: ignore[arg-type]
            kept.setdefault(one.id, one)
    for store in stores:
        for one in kept.values():
            assert store.put(one).created
        assert all(store.get(one.id).content() == one.content() for one in kept.values())
        expected = Filter().arranged(map(header_of, kept.values()))
        assert [replace(one, sha256=None) for one in store.headers()] == [replace(one, sha256=None) for one in expected]
        assert list(store.verify()) == []
        store.close()


def test_an_id_that_is_not_there_is_answered_with_those_that_are_near(store: CheckpointStore) -> None:
    with pytest.raises(CheckpointNotFound, match="the store is empty"):
        store.get("ckpt_x")
    store.put(checkpoint("ckpt_abc1"))
    store.put(checkpoint("exec"))

    with pytest.raises(CheckpointNotFound, match='there is no checkpoint "ckpt_abd1"; did you mean ckpt_abc1'):
        store.get("ckpt_abd1")
    with pytest.raises(CheckpointNotFound):
        store.update_metadata("ckpt_abd1", name="x")


def test_a_store_without_checkpoints_answers_and_makes_nothing(store: CheckpointStore, tmp_path: Path) -> None:
    assert list(store.headers()) == []
    assert list(store.verify()) == []
    assert not store.delete("ckpt_1")
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_was_closed_can_be_used_again(store: CheckpointStore) -> None:
    store.put(checkpoint())
    store.close()

    assert store.get("ckpt_1") == checkpoint()
    assert store.capabilities >= CAPABILITIES

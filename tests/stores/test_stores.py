"""What every store does alike."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld.agent.checkpoint import AgentCheckpoint
from checkpoint_ld.errors import CheckpointExists, CheckpointNotFound, InvalidCheckpoint
from checkpoint_ld.stores.database import DatabaseStore
from checkpoint_ld.stores.files import FileStore
from checkpoint_ld.stores.filters import Filter
from checkpoint_ld.stores.protocol import CAPABILITIES, CheckpointStore
from tests.agent import documents
from tests.stores.documents import HARD, MOMENT, checkpoint


@pytest.mark.parametrize("one", [checkpoint(), HARD], ids=["plain", "hard"])
def test_a_checkpoint_comes_back_with_the_bytes_that_it_had(store: CheckpointStore, one: AgentCheckpoint) -> None:
    assert store.put(one).created

    found = store.get(one.id)
    assert found.dumps() == one.dumps()
    assert found.sha256 == one.sha256
    assert list(store.verify()) == []


@settings(max_examples=25)
@given(st.lists(documents.checkpoints, max_size=4))
def test_whatever_is_valid_comes_back_as_it_was(tmp_path_factory: pytest.TempPathFactory, trees: list[object]) -> None:
    folder = tmp_path_factory.mktemp("stores")
    files, database = FileStore(folder / "files"), DatabaseStore(folder / "index.db")
    kept: dict[str, AgentCheckpoint] = {}
    for tree in trees:
        try:
            one = AgentCheckpoint.of_tree(tree)  # type: ignore[arg-type]
        except InvalidCheckpoint:
            continue
        if one.id not in kept:
            kept[one.id] = one
            files.put(one)
            database.put(one)

    for one in kept.values():
        assert files.get(one.id).content() == database.get(one.id).content() == one.content()
    assert {header.id for header in files.headers()} == {header.id for header in database.headers()} == set(kept)
    assert [*files.verify(), *database.verify()] == []
    database.close()


def test_the_same_again_is_done_already_and_something_else_is_refused(store: CheckpointStore) -> None:
    first, other = checkpoint(), checkpoint(name="another")
    store.put(first)

    assert not store.put(first).created
    with pytest.raises(CheckpointExists, match=f"(?s){first.sha256}.*{other.sha256}"):
        store.put(other)
    assert store.get(first.id) == first


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


def test_a_header_says_what_the_checkpoint_says(store: CheckpointStore) -> None:
    store.put(HARD)

    [header] = store.headers()
    assert (header.id, header.key) == (HARD.id, (MOMENT + 1000, 1, HARD.id))
    assert (header.execution_id, header.agent_id, header.version) == ("exec_1", "agent_1", "0.0.1")
    assert (header.step_number, header.tokens_used, header.duration_ms) == (1, 10, 20)
    assert (header.parent_checkpoint_id, header.is_branch, header.branch_reason) == ("../x", True, "try")
    assert (header.name, header.description, header.checkpoint_reason) == (HARD.name, None, "thought_completed")
    assert (header.about_benchmark, header.about_question) == ("urn:b", "q?")
    assert header.sha256 in (None, HARD.sha256)


def test_only_what_is_told_about_a_checkpoint_can_be_changed(store: CheckpointStore) -> None:
    store.put(HARD)
    store.put(checkpoint("other"))

    changed = store.update_metadata(HARD.id, name="final", metadata={"checkpoint_reason": "paused", "why": [1.0]})

    found = store.get(HARD.id)
    assert found == changed
    assert (found.name, found.metadata.checkpoint_reason) == ("final", "paused")
    before, after = HARD.tree(), found.tree()
    assert json.dumps(before["snapshot"]) == json.dumps(after["snapshot"])
    assert {key for key in before if before[key] != after[key]} == {"name", "metadata"}
    assert [one.name for one in store.headers(Filter(reason="paused"))] == ["final"]
    assert store.get("other") == checkpoint("other")
    assert list(store.verify()) == []


def test_a_member_is_taken_away_by_none_and_left_by_default(store: CheckpointStore) -> None:
    store.put(checkpoint(name="a", description="b"))

    assert "name" not in store.update_metadata("ckpt_1", name=None).tree()
    assert store.get("ckpt_1").description == "b"


def test_metadata_that_a_checkpoint_may_not_have_are_refused(store: CheckpointStore) -> None:
    store.put(checkpoint())

    with pytest.raises(InvalidCheckpoint):
        store.update_metadata("ckpt_1", metadata={"step_number": -1})
    assert store.get("ckpt_1") == checkpoint()


def test_what_is_deleted_is_found_by_nothing_and_the_others_are_as_they_were(store: CheckpointStore) -> None:
    store.put(HARD)
    store.put(checkpoint("other"))

    assert store.delete(HARD.id)
    assert not store.delete(HARD.id)
    assert [one.id for one in store.headers()] == ["other"]
    for asked in (Filter(failed=True), Filter(question="q?"), Filter(branch_of="../x"), Filter(benchmark="urn:b")):
        assert list(store.headers(asked)) == []
    assert store.put(HARD).created


def test_a_store_that_was_closed_can_be_used_again(store: CheckpointStore) -> None:
    store.put(checkpoint())
    store.close()

    assert store.get("ckpt_1") == checkpoint()
    assert store.capabilities >= CAPABILITIES

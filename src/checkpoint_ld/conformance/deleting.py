"""Cases about deleting checkpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checkpoint_ld.agent.checkpoint import AgentCheckpoint
from checkpoint_ld.conformance.documents import DOCUMENTS, HOSTILE_IDS, checkpoint, line
from checkpoint_ld.conformance.listing import FILTERS
from checkpoint_ld.errors import CheckpointNotFound
from checkpoint_ld.stores.filters import Filter

if TYPE_CHECKING:
    from checkpoint_ld.conformance.subject import Subject


def what_is_deleted_is_gone(subject: Subject) -> None:
    """It is neither got nor listed any more, also when the store is opened again."""
    with subject.holding(checkpoint("gone"), checkpoint("there")).open() as store:
        assert store.delete("gone")
        with pytest.raises(CheckpointNotFound):
            store.get("gone")
    with subject.open() as store:
        assert [header.id for header in store.headers()] == ["there"]


def deleting_twice_does_nothing(subject: Subject) -> None:
    """The second time there is nothing to delete, which is no error."""
    with subject.holding(checkpoint()).open() as store:
        assert store.delete("ckpt_1")
        assert not store.delete("ckpt_1")
        assert not store.delete("never there")


def no_query_finds_what_is_deleted(subject: Subject) -> None:
    """No filter finds anything of it: no thought, call, name or question is left behind."""
    given = AgentCheckpoint.of_tree(DOCUMENTS["everything"])
    with subject.holding(given).open() as store:
        store.delete(given.id)
        for name, value in FILTERS.items():
            assert list(store.headers(Filter(**{name: value}))) == []
        assert list(store.verify()) == []


def others_are_not_touched(subject: Subject) -> None:
    """A parent may go, and a checkpoint with the same thoughts: the others keep all that they had."""
    made = line(4)
    with subject.holding(*made).open() as store:
        assert store.delete("ckpt_2")
        for one in (made[0], made[2], made[3]):
            assert store.get(one.id).content() == one.content()
        assert list(store.verify()) == []


def what_was_deleted_can_be_put_again(subject: Subject) -> None:
    """The id is free, also for other content."""
    with subject.holding(checkpoint()).open() as store:
        store.delete("ckpt_1")
        assert store.put(checkpoint(name="another")).created
        assert store.get("ckpt_1").name == "another"


def any_id_can_be_deleted(subject: Subject) -> None:
    """Nothing but the checkpoint of that id goes, whatever the id looks like."""
    left = set(HOSTILE_IDS)
    with subject.holding(*map(checkpoint, HOSTILE_IDS)).open() as store:
        for name in HOSTILE_IDS:
            assert store.delete(name)
            left.remove(name)
            assert {header.id for header in store.headers()} == left


CHECKS = (
    what_is_deleted_is_gone,
    deleting_twice_does_nothing,
    no_query_finds_what_is_deleted,
    others_are_not_touched,
    what_was_deleted_can_be_put_again,
    any_id_can_be_deleted,
)

"""Cases about verification: a sound store is sound, and harm is found and put right."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from checkpoint_ld.agent.checkpoint import AgentCheckpoint
from checkpoint_ld.checkpointing import CheckpointManager
from checkpoint_ld.conformance.documents import DOCUMENTS, HOSTILE_IDS, checkpoint, line
from checkpoint_ld.conformance.suite import after
from checkpoint_ld.errors import CheckpointLdError
from checkpoint_ld.stores.files import FileStore
from checkpoint_ld.stores.protocol import RESET

if TYPE_CHECKING:
    from checkpoint_ld.conformance.subject import Subject


def an_empty_store_is_sound(subject: Subject) -> None:
    """There is nothing wrong with a store that holds nothing."""
    with subject.open() as store:
        assert list(store.verify()) == []


def whatever_was_put_is_sound(subject: Subject) -> None:
    """Nothing is wrong with hard documents and hostile ids."""
    made = [AgentCheckpoint.of_tree(one) for one in DOCUMENTS.values()]
    with subject.holding(*made, *map(checkpoint, HOSTILE_IDS)).open() as store:
        assert list(store.verify()) == []


def changed_and_deleted_ones_leave_it_sound(subject: Subject) -> None:
    """Nothing is left behind by changes and deletions."""
    with subject.holding(*line(4)).open() as store:
        store.update_metadata("ckpt_2", name="new")
        store.delete("ckpt_3")
        assert list(store.verify()) == []


def looking_changes_nothing(subject: Subject) -> None:
    """Verification leaves a sound store as it is, also when it is asked to repair."""
    made = line(3)
    with subject.holding(*made).open() as store:
        assert list(store.verify(repair=True)) == []
        assert all(store.get(one.id).content() == one.content() for one in made)


@after("missing", "changed", "unreadable", needs=RESET)
def harm_is_found_and_put_right_from_the_files(subject: Subject, kind: str) -> None:
    """Behind files that are whole, what is wrong is found, and repaired so that both are equal again."""
    made = line(3)
    files = FileStore(subject.folder / "files")
    for one in made:
        files.put(one)
    subject.holding(*made).harm(kind, "ckpt_2")
    with subject.open() as store, CheckpointManager(subject.folder / "files", store) as manager:
        assert manager.verify() != ()
        manager.verify(repair=True)
        assert manager.verify() == ()
        assert all(store.get(one.id).content() == one.content() for one in made)
        assert len(list(store.headers())) == len(made)


@after("changed", "unreadable")
def harm_is_found_without_files(subject: Subject, kind: str) -> None:
    """A store that stands alone tells of harm, and never gives out something else than was put."""
    made = line(2)
    subject.holding(*made).harm(kind, "ckpt_1")
    with subject.open() as store:
        assert list(store.verify()) != []
        found = None
        with suppress(CheckpointLdError):
            found = store.get("ckpt_1").content()
        assert found in (None, made[0].content())


def what_no_file_has_is_told(subject: Subject) -> None:
    """A checkpoint that the files do not have is found, and taken away by a repair."""
    made = line(2)
    FileStore(subject.folder / "files").put(made[0])
    with subject.holding(*made).open() as store, CheckpointManager(subject.folder / "files", store) as manager:
        assert [one.rule for one in manager.verify()] == ["agent-row-orphan"]
        manager.verify(repair=True)
        assert manager.verify() == ()
        assert [header.id for header in store.headers()] == ["ckpt_1"]


CHECKS = (
    an_empty_store_is_sound,
    whatever_was_put_is_sound,
    changed_and_deleted_ones_leave_it_sound,
    looking_changes_nothing,
    harm_is_found_and_put_right_from_the_files,
    harm_is_found_without_files,
    what_no_file_has_is_told,
)

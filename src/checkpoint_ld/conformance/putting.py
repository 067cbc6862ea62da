"""Cases about putting checkpoints into a store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checkpoint_ld.agent.checkpoint import AgentCheckpoint
from checkpoint_ld.conformance.documents import DOCUMENTS, HOSTILE_IDS, checkpoint
from checkpoint_ld.conformance.suite import variants
from checkpoint_ld.errors import CheckpointExists

if TYPE_CHECKING:
    from checkpoint_ld.conformance.subject import Subject


@variants(**{name: (name,) for name in DOCUMENTS})
def what_is_put_comes_back(subject: Subject, name: str) -> None:
    """Every byte of the text form is the same, also when the store is opened again."""
    given = AgentCheckpoint.of_tree(DOCUMENTS[name])
    with subject.open() as store:
        assert store.put(given).created
        assert store.get(given.id).content() == given.content()
    with subject.open() as store:
        found = store.get(given.id)
    assert found.content() == given.content()
    assert found.sha256 == given.sha256


def equal_again_is_done_already(subject: Subject) -> None:
    """Putting equal content is a success that does nothing."""
    with subject.holding(checkpoint()).open() as store:
        assert not store.put(checkpoint()).created
        assert len(list(store.headers())) == 1


def other_content_is_refused(subject: Subject) -> None:
    """An id is never given to other content; both hashes are named, and nothing changes."""
    first, second = checkpoint(), checkpoint(name="another")
    with subject.holding(first).open() as store:
        with pytest.raises(CheckpointExists) as refused:
            store.put(second)
        assert first.sha256 in str(refused.value)
        assert second.sha256 in str(refused.value)
        assert store.get(first.id).content() == first.content()


@variants(**{f"{number}": (name,) for number, name in enumerate(HOSTILE_IDS)})
def any_id_is_kept_apart(subject: Subject, name: str) -> None:
    """An identifier may be any text."""
    given, other = checkpoint(name, name="given"), checkpoint("other", name="other")
    with subject.holding(other, given).open() as store:
        assert store.get(name).content() == given.content()
        assert store.get("other").content() == other.content()
        assert {header.id for header in store.headers()} == {name, "other"}


def ids_that_differ_in_case_are_two(subject: Subject) -> None:
    """What a file system may take for one name are two checkpoints."""
    with subject.holding(*(checkpoint(name) for name in HOSTILE_IDS)).open() as store:
        for name in HOSTILE_IDS:
            assert store.get(name).id == name
        assert len(list(store.headers())) == len(HOSTILE_IDS)


CHECKS = (
    what_is_put_comes_back,
    equal_again_is_done_already,
    other_content_is_refused,
    any_id_is_kept_apart,
    ids_that_differ_in_case_are_two,
)

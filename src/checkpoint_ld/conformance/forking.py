"""Cases about forks: another execution that begins with the state of a checkpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checkpoint_ld.agent.checkpoint import AgentCheckpoint
from checkpoint_ld.conformance.documents import DOCUMENTS, checkpoint, line
from checkpoint_ld.errors import CheckpointNotFound
from checkpoint_ld.stores.filters import Filter

if TYPE_CHECKING:
    from checkpoint_ld.conformance.subject import Subject


def the_origin_stays_as_it_is(subject: Subject) -> None:
    """Not a byte of the checkpoint that was forked changes."""
    made = line(3)
    with subject.holding(*made).manager() as manager:
        manager.fork("ckpt_2")
        assert all(manager.get(one.id).content() == one.content() for one in made)


def a_fork_has_the_same_snapshot(subject: Subject) -> None:
    """All of the state is there, to the byte."""
    given = AgentCheckpoint.of_tree(DOCUMENTS["everything"])
    with subject.holding(given).manager() as manager:
        forked = manager.get(manager.fork(given.id).id)
        assert forked.snapshot == given.snapshot
        assert forked.about == given.about


def a_fork_names_where_it_comes_from(subject: Subject) -> None:
    """Link, flag and reasons are right, and ids are new."""
    with subject.holding(*line(2)).manager() as manager:
        forked = manager.get(manager.fork("ckpt_1", "exec_9", "to try", "a name").id)
    assert forked.parent is not None
    assert forked.parent.tree() == {"checkpoint_id": "ckpt_1", "is_branch": True, "branch_reason": "to try"}
    assert forked.metadata.checkpoint_reason == "branch"
    assert (forked.execution_id, forked.name) == ("exec_9", "a name")
    assert forked.id not in ("ckpt_1", "ckpt_2")


def a_fork_begins_an_execution_of_its_own(subject: Subject) -> None:
    """Unless an id is given, one is made that nobody else has."""
    with subject.holding(checkpoint()).manager() as manager:
        forks = [manager.fork("ckpt_1").checkpoint for _ in range(3)]
        assert len({one.execution_id for one in forks} | {"exec_1"}) == 4
        assert all(manager.latest(one.execution_id) is not None for one in forks)


def forks_are_found_by_what_they_branch_off(subject: Subject) -> None:
    """The filter for branches finds forks, and not the checkpoints that follow in a line."""
    with subject.holding(*line(3)).manager() as manager:
        forks = {manager.fork("ckpt_1").id for _ in range(2)}
        found = {header.id for header in manager.store.headers(Filter(branch_of="ckpt_1"))}
        assert found == forks


def a_fork_can_be_forked(subject: Subject) -> None:
    """Forks go on as all others do, and can be forked again."""
    with subject.holding(checkpoint()).manager() as manager:
        first = manager.fork("ckpt_1")
        second = manager.get(manager.fork(first.id).id)
        assert second.parent is not None
        assert second.parent.checkpoint_id == first.id
        assert second.snapshot == manager.get("ckpt_1").snapshot
        assert manager.verify() == ()


def a_fork_goes_on_by_itself(subject: Subject) -> None:
    """What is done after a fork is not seen in the execution that it came from."""
    with subject.holding(*line(2)).manager() as manager:
        forked = manager.fork("ckpt_2")
        restored = manager.restore(forked.id, continue_execution=True)
        restored.state.thought_chain.add("decision", "another way")
        saved = manager.save(restored.state)
        assert saved.checkpoint.execution_id == forked.checkpoint.execution_id
        assert [header.id for header in manager.list(execution_id="exec_1")] == ["ckpt_2", "ckpt_1"]


def what_is_not_there_cannot_be_forked(subject: Subject) -> None:
    """Nothing is saved where there is nothing to go on from."""
    with subject.open() as store:
        assert list(store.headers()) == []
    with subject.manager() as manager:
        with pytest.raises(CheckpointNotFound):
            manager.fork("ckpt_1")
        assert manager.list() == []


CHECKS = (
    the_origin_stays_as_it_is,
    a_fork_has_the_same_snapshot,
    a_fork_names_where_it_comes_from,
    a_fork_begins_an_execution_of_its_own,
    forks_are_found_by_what_they_branch_off,
    a_fork_can_be_forked,
    a_fork_goes_on_by_itself,
    what_is_not_there_cannot_be_forked,
)

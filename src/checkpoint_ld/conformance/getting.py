"""Cases about getting checkpoints out of a store."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import pytest

from checkpoint_ld.conformance.documents import call, checkpoint, line, thought
from checkpoint_ld.conformance.suite import variants
from checkpoint_ld.errors import CheckpointNotFound

if TYPE_CHECKING:
    from checkpoint_ld.conformance.subject import Subject


def nothing_is_there_at_first(subject: Subject) -> None:
    """An empty store has no checkpoint of any id."""
    with subject.open() as store, pytest.raises(CheckpointNotFound):
        store.get("ckpt_1")


@variants(empty=("",), space=(" ",), path=("../ckpt_1",), case=("CKPT_1",), start=("ckpt",), long=("x" * 2000,))
def only_the_whole_id_finds_one(subject: Subject, name: str) -> None:
    """What is no id of a checkpoint finds none, whatever it looks like."""
    with subject.holding(checkpoint("ckpt_1")).open() as store, pytest.raises(CheckpointNotFound):
        store.get(name)


def a_missing_one_is_told_with_near_ones(subject: Subject) -> None:
    """The message names ids that are near."""
    subject.holding(checkpoint("before-the-storm"), checkpoint("after"))
    with subject.open() as store, pytest.raises(CheckpointNotFound, match="before-the-storm"):
        store.get("before-the-strom")


def executions_and_agents_are_kept_apart(subject: Subject) -> None:
    """Thoughts and calls of one id in two executions stay what they are in each."""
    one = checkpoint("one", thoughts=[thought(0, content="one")], calls=[call(0, tool_id="ls")], results={"call_0": 1})
    other = checkpoint(
        "other",
        thoughts=[thought(0, content="other")],
        calls=[call(0, tool_id="cat")],
        results={"call_0": 2},
        execution_id="exec_2",
        agent_id="agent_2",
    )
    with subject.holding(one, other).open() as store:
        assert store.get("one").content() == one.content()
        assert store.get("other").content() == other.content()


def a_thought_may_stand_in_many_checkpoints(subject: Subject) -> None:
    """Each checkpoint has the thought as it was then."""
    made = [checkpoint(f"ckpt_{step}", step=step, thoughts=[thought(0, confidence=step / 10)]) for step in range(1, 6)]
    with subject.holding(*made).open() as store:
        for one in made:
            assert store.get(one.id).content() == one.content()


def what_was_got_belongs_to_the_reader(subject: Subject) -> None:
    """Whatever is done to a value that was got, the store still has what was put."""
    given = checkpoint(variables={"list": [1]})
    with subject.holding(given).open() as store:
        found = store.get(given.id)
        copy.deepcopy(found.snapshot.context.variables)["list"].append(2)
        assert store.get(given.id).content() == given.content()


def a_line_comes_back_in_its_order(subject: Subject) -> None:
    """Thoughts stand in the order in which they were."""
    made = line(5)
    with subject.holding(*reversed(made)).open() as store:
        assert [one.id for one in store.get("ckpt_5").snapshot.thought_chain] == [f"thought_{n}" for n in range(5)]
        assert all(store.get(one.id).content() == one.content() for one in made)


CHECKS = (
    nothing_is_there_at_first,
    only_the_whole_id_finds_one,
    a_missing_one_is_told_with_near_ones,
    executions_and_agents_are_kept_apart,
    a_thought_may_stand_in_many_checkpoints,
    what_was_got_belongs_to_the_reader,
    a_line_comes_back_in_its_order,
)

"""Cases about restoring: the whole state, and going on from it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from checkpoint_ld.agent.checkpoint import AgentCheckpoint
from checkpoint_ld.conformance.documents import DOCUMENTS, START, call, checkpoint, line, tree
from checkpoint_ld.conformance.suite import variants
from checkpoint_ld.errors import CheckpointNotFound, InvalidCheckpoint, UnsupportedVersion
from checkpoint_ld.runtime.state import RuntimeState

if TYPE_CHECKING:
    from checkpoint_ld.agent.values import Shape
    from checkpoint_ld.conformance.subject import Subject


@variants(**{name: (name,) for name in DOCUMENTS if name != "long"})
def all_of_the_state_comes_back(subject: Subject, name: str) -> None:
    """Thoughts, context, calls, results and progress are what they were."""
    given = AgentCheckpoint.of_tree(DOCUMENTS[name])
    with subject.holding(given).manager() as manager:
        state = manager.restore(given.id).state
    snapshot, expected = state.snapshot(), given.snapshot
    assert snapshot.thought_chain == expected.thought_chain
    assert snapshot.context == expected.context
    assert snapshot.tool_state == expected.tool_state
    assert snapshot.progress.step_number == given.metadata.step_number


def what_was_saved_is_restored(subject: Subject) -> None:
    """A state that was saved by a manager comes back in another one."""
    state = RuntimeState("agent_1")
    state.thought_chain.add("reasoning", "first", confidence=0.5)
    done = state.tool_state.start("ls", {"path": "."})
    state.tool_state.complete(done.id, ["a", None])
    state.context.variables["known"] = {"a": [1, 1.0, None]}
    with subject.manager() as manager:
        saved = manager.save(state)
    with subject.manager() as manager:
        restored = manager.restore(saved.id)
    assert restored.state.snapshot().tree()["context"] == state.snapshot().tree()["context"]
    assert restored.state.snapshot().tool_state == state.snapshot().tool_state
    assert restored.interrupted == ()


def calls_in_flight_come_back_as_they_were(subject: Subject) -> None:
    """They are told apart, stay in the state, and are never run or ended by themselves."""
    running = call(1, success=None, completed_at=None, status="running")
    with subject.holding(checkpoint(calls=[call(0), running])).manager() as manager:
        restored = manager.restore("ckpt_1")
    assert [one.id for one in restored.interrupted] == ["call_1"]
    assert [one.id for one in restored.state.tool_state.in_flight] == ["call_1"]
    restored.state.tool_state.fail("call_1", "interrupted")
    assert restored.state.tool_state.in_flight == ()


def a_restored_run_is_another_execution(subject: Subject) -> None:
    """It has an id of its own unless it is to go on, and its first checkpoint names where it comes from."""
    with subject.holding(*line(2)).manager() as manager:
        restored = manager.restore("ckpt_2")
        assert restored.state.execution_id != "exec_1"
        saved = manager.save(restored.state).checkpoint
        assert saved.parent is not None
        assert saved.parent.checkpoint_id == "ckpt_2"
        assert manager.restore("ckpt_2", continue_execution=True).state.execution_id == "exec_1"


def going_on_from_an_older_one_is_a_branch(subject: Subject) -> None:
    """What goes on from a checkpoint that was not the newest of its execution says so."""
    with subject.holding(*line(3)).manager() as manager:
        newest = manager.save(manager.restore("ckpt_3").state).checkpoint
        older = manager.save(manager.restore("ckpt_1").state).checkpoint
    assert newest.parent is not None
    assert older.parent is not None
    assert not newest.parent.is_branch
    assert older.parent.is_branch


def counters_go_on(subject: Subject) -> None:
    """Steps and tokens never fall, and no moment is earlier than one in the state."""
    given = checkpoint(step=7, timestamp=START + 10_000_000_000_000)
    with subject.holding(given).manager() as manager:
        state = manager.restore("ckpt_1").state
        state.thought_chain.add("reasoning", "next")
        state.progress.add_tokens(5)
        saved = manager.save(state).checkpoint
    assert saved.metadata.step_number == 8
    assert saved.metadata.tokens_used == given.metadata.tokens_used + 5
    assert saved.timestamp >= given.timestamp


@variants(canonical=("canonical",), second=("second",))
def a_file_is_taken_in_and_restored(subject: Subject, shape: Shape) -> None:
    """What the store does not know is kept first, so that the link to it holds."""
    given = AgentCheckpoint.of_tree(DOCUMENTS["everything"])
    file = subject.folder / "given.json"
    file.write_bytes(given.content(shape))
    with subject.manager() as manager:
        restored = manager.restore(file)
        assert manager.get(given.id).content() == given.content()
    assert restored.state.snapshot().thought_chain == given.snapshot.thought_chain


@variants(newer=("9.0.0",), number=(1,), blank=("0.0.1 ",))
def a_version_that_cannot_be_read_stops(subject: Subject, version: object) -> None:
    """A version from elsewhere is refused, and nothing is kept of it."""
    file = subject.folder / "given.json"
    file.write_text(json.dumps({**tree(), "version": version}), encoding="utf-8")
    with subject.manager() as manager:
        with pytest.raises(UnsupportedVersion):
            manager.restore(file)
        assert manager.list() == []


def what_breaks_a_rule_is_not_restored(subject: Subject) -> None:
    """A file that breaks rules is refused with what is wrong about it."""
    file = subject.folder / "given.json"
    file.write_text(json.dumps(tree(metadata={"tokens_used": -1})), encoding="utf-8")
    with subject.manager() as manager:
        with pytest.raises(InvalidCheckpoint, match="tokens_used"):
            manager.restore(file)
        assert manager.list() == []


def what_is_not_there_is_not_restored(subject: Subject) -> None:
    """There is no fresh start in place of a checkpoint that is not there."""
    subject.holding(checkpoint("ckpt_1"))
    with subject.manager() as manager, pytest.raises(CheckpointNotFound, match="ckpt_1"):
        manager.restore("ckpt_2")


def a_run_that_broke_off_goes_on(subject: Subject) -> None:
    """After a crash the newest checkpoint has everything up to the last save."""
    with subject.manager() as manager:
        state = RuntimeState("agent_1", "exec_1")
        for number in range(3):
            state.thought_chain.add("reasoning", f"thought {number}")
            manager.save(state)
        state.thought_chain.add("reasoning", "lost")
    with subject.manager() as manager:
        newest = manager.latest("exec_1")
        assert newest is not None
        restored = manager.restore(newest.id, continue_execution=True)
        contents = [one.content for one in restored.state.thought_chain]
        assert contents == ["thought 0", "thought 1", "thought 2"]
        saved = manager.save(restored.state).checkpoint
        assert saved.parent is not None
        assert (saved.parent.checkpoint_id, saved.execution_id) == (newest.id, "exec_1")


CHECKS = (
    all_of_the_state_comes_back,
    what_was_saved_is_restored,
    calls_in_flight_come_back_as_they_were,
    a_restored_run_is_another_execution,
    going_on_from_an_older_one_is_a_branch,
    counters_go_on,
    a_file_is_taken_in_and_restored,
    a_version_that_cannot_be_read_stops,
    what_breaks_a_rule_is_not_restored,
    what_is_not_there_is_not_restored,
    a_run_that_broke_off_goes_on,
)

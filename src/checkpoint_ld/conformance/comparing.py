"""Cases about differences between checkpoints that a store holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from checkpoint_ld.agent.checkpoint import AgentCheckpoint
from checkpoint_ld.agent.json_patch import applied
from checkpoint_ld.conformance.documents import DOCUMENTS, call, checkpoint, line, thought
from checkpoint_ld.documents.values import same
from checkpoint_ld.errors import CheckpointNotFound, SettingsError

if TYPE_CHECKING:
    from checkpoint_ld.conformance.subject import Subject

_BEFORE: dict[str, Any] = {
    "thoughts": [thought(0, confidence=0.9), thought(1)],
    "calls": [call(0), call(1, success=None, completed_at=None)],
    "variables": {"task": "read", "gone": None, "a/b~c": [1]},
}
_AFTER: dict[str, Any] = {
    "thoughts": [thought(0, confidence=0.5), thought(2)],
    "calls": [call(0), call(1), call(2)],
    "variables": {"task": "write", "a/b~c": [1, 2], "new": None},
    "results": {"call_1": None},
}


def a_step_is_told(subject: Subject) -> None:
    """Thoughts and calls are matched by id, all else by its place; absent is not null."""
    before, after = checkpoint("one", **_BEFORE), checkpoint("two", step=2, **_AFTER)
    with subject.holding(before, after).manager() as manager:
        told = manager.diff("one", "two").to_dict()
    assert [one["id"] for one in told["thoughts_added"]] == ["thought_2"]
    assert [one["id"] for one in told["thoughts_removed"]] == ["thought_1"]
    assert told["thoughts_changed"] == {"thought_0": {"/confidence": {"before": 0.9, "after": 0.5}}}
    assert [one["id"] for one in told["tool_calls_added"]] == ["call_2"]
    assert set(told["tool_calls_changed"]) == {"call_1"}
    assert told["results_changed"] == {"/snapshot/tool_state/results/call_1": {"after": None}}
    assert told["context_changes"] == {
        "/snapshot/context/variables/task": {"before": "read", "after": "write"},
        "/snapshot/context/variables/gone": {"before": None},
        "/snapshot/context/variables/a~1b~0c/1": {"after": 2},
        "/snapshot/context/variables/new": {"after": None},
    }
    assert (told["steps"], told["tokens"], told["elapsed_ms"]) == (1, 10, 1000)


def patches_apply(subject: Subject) -> None:
    """The patch between any two turns the document of the one into that of the other."""
    made = [AgentCheckpoint.of_tree(tree) for name, tree in DOCUMENTS.items() if name != "long"]
    with subject.holding(*made).manager() as manager:
        for before in made:
            for after in made:
                patch = manager.diff(before.id, after.id).to_json_patch()
                assert same(applied(before.tree(), patch), after.tree()), (before.id, after.id)


def guarded_patches_apply_to_their_document_only(subject: Subject) -> None:
    """With tests, a patch is refused by what is another document."""
    before, after, other = checkpoint("one", **_BEFORE), checkpoint("two", **_AFTER), checkpoint("three", **_BEFORE)
    with subject.holding(before, after, other).manager() as manager:
        patch = manager.diff("one", "two").to_json_patch(tests=True)
        assert same(applied(before.tree(), patch), after.tree())
        with pytest.raises(ValueError, match="test"):
            applied(manager.get("three").tree(), patch)


def one_is_not_different_from_itself(subject: Subject) -> None:
    """There is no difference, and nothing to patch."""
    with subject.holding(*line(2)).manager() as manager:
        diff = manager.diff("ckpt_2", "ckpt_2")
        assert diff.is_empty
        assert diff.to_json_patch() == []


def both_ways_are_told(subject: Subject) -> None:
    """What was added one way was removed the other way."""
    with subject.holding(checkpoint("one", **_BEFORE), checkpoint("two", step=2, **_AFTER)).manager() as manager:
        there, back = manager.diff("one", "two"), manager.diff("two", "one")
        assert there.thoughts_added == back.thoughts_removed
        assert there.tool_calls_added == back.tool_calls_removed
        assert there.steps == -back.steps


def order_is_told(subject: Subject) -> None:
    """A thought that stands in another place has moved; others have not."""
    thoughts = [thought(number) for number in range(4)]
    before = checkpoint("one", thoughts=thoughts)
    after = checkpoint("two", thoughts=[thoughts[3], *thoughts[:3]])
    with subject.holding(before, after).manager() as manager:
        assert manager.diff("one", "two").thoughts_moved == ("thought_3",)


def two_executions_are_compared_on_request(subject: Subject) -> None:
    """Checkpoints of two executions are compared if that is asked for, or if one goes on from the other."""
    other = checkpoint("other", execution_id="exec_2")
    branch = checkpoint("branch", execution_id="exec_3", parent={"checkpoint_id": "ckpt_1", "is_branch": True})
    with subject.holding(*line(1), other, branch).manager() as manager:
        with pytest.raises(SettingsError):
            manager.diff("ckpt_1", "other")
        assert not manager.diff("ckpt_1", "other", allow_other_execution=True).same_execution
        assert not manager.diff("ckpt_1", "branch").same_execution


def what_is_not_there_cannot_be_compared(subject: Subject) -> None:
    """An unknown id is an error, not a difference."""
    with subject.holding(*line(1)).manager() as manager, pytest.raises(CheckpointNotFound):
        manager.diff("ckpt_1", "ckpt_9")


CHECKS = (
    a_step_is_told,
    patches_apply,
    guarded_patches_apply_to_their_document_only,
    one_is_not_different_from_itself,
    both_ways_are_told,
    order_is_told,
    two_executions_are_compared_on_request,
    what_is_not_there_cannot_be_compared,
)

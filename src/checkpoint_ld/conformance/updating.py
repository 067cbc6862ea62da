"""Cases about changing what is told about a checkpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from checkpoint_ld.agent.checkpoint import AgentCheckpoint
from checkpoint_ld.conformance.documents import DOCUMENTS, checkpoint
from checkpoint_ld.conformance.suite import variants
from checkpoint_ld.errors import CheckpointNotFound, InvalidCheckpoint
from checkpoint_ld.stores.filters import Filter

if TYPE_CHECKING:
    from checkpoint_ld.conformance.subject import Subject


@variants(
    name=({"name": "new"},),
    description=({"description": "new"},),
    metadata=({"metadata": {"tokens_used": 77, "zeta": None, "eta": [1]}},),
    together=({"name": "new", "description": None, "metadata": {"agent_name": "new"}},),
)
def only_what_is_told_changes(subject: Subject, changes: dict[str, Any]) -> None:
    """The snapshot and everything else stay as they were; the change is there after reopening, and found."""
    before = AgentCheckpoint.of_tree(DOCUMENTS["everything"])
    other = checkpoint("other", name="other")
    with subject.holding(before, other).open() as store:
        returned = store.update_metadata(before.id, **changes)
    with subject.open() as store:
        after = store.get(before.id)
        assert after.content() == returned.content()
        assert after.snapshot == before.snapshot
        assert _rest(after) == _rest(before)
        assert after.sha256 != before.sha256
        if changes.get("name"):
            assert [header.id for header in store.headers(Filter(name="new"))] == [before.id]
            assert list(store.headers(Filter(name="a name"))) == []
        assert store.get("other").content() == other.content()
        assert list(store.verify()) == []


def _rest(of: AgentCheckpoint) -> dict[str, Any]:
    return {key: value for key, value in of.tree().items() if key not in ("name", "description", "metadata")}


def a_member_can_be_taken_away(subject: Subject) -> None:
    """None takes a name away; what is not mentioned stays."""
    with subject.holding(checkpoint(name="named", description="told")).open() as store:
        store.update_metadata("ckpt_1", name=None)
        found = store.get("ckpt_1")
        assert "name" not in found.tree()
        assert found.description == "told"


def what_breaks_a_rule_is_refused(subject: Subject) -> None:
    """Nothing changes where the checkpoint would break a rule."""
    given = checkpoint()
    with subject.holding(given).open() as store:
        with pytest.raises(InvalidCheckpoint):
            store.update_metadata("ckpt_1", metadata={"tokens_used": -1})
        assert store.get("ckpt_1").content() == given.content()


def an_unknown_one_cannot_be_changed(subject: Subject) -> None:
    """There is nothing to change."""
    with subject.open() as store, pytest.raises(CheckpointNotFound):
        store.update_metadata("ckpt_1", name="new")


CHECKS = (
    only_what_is_told_changes,
    a_member_can_be_taken_away,
    what_breaks_a_rule_is_refused,
    an_unknown_one_cannot_be_changed,
)

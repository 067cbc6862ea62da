"""Amendments: the only changes that a checkpoint that is stored may undergo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld.documents.values import ABSENT, Absent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from checkpoint_ld.agent.checkpoint import AgentCheckpoint


def amended(
    checkpoint: AgentCheckpoint,
    *,
    name: str | Absent | None = ABSENT,
    description: str | Absent | None = ABSENT,
    metadata: Mapping[str, Any] | Absent = ABSENT,
) -> AgentCheckpoint:
    """Return the checkpoint with another name, description or other metadata; its snapshot is the same.

    What is ABSENT stays; None takes a member away. The members of `metadata` are put over those that are there.
    Raises InvalidCheckpoint for values that a checkpoint may not have there.
    """
    tree = dict(checkpoint.tree())
    _put(tree, {"name": name, "description": description})
    if not isinstance(metadata, Absent):
        tree["metadata"] = dict(tree["metadata"])
        _put(tree["metadata"], metadata)
    return type(checkpoint).of_tree(tree)


def _put(members: dict[str, Any], changes: Mapping[str, Any]) -> None:
    for name, value in changes.items():
        if value is None:
            members.pop(name, None)
        elif value is not ABSENT:
            members[name] = value

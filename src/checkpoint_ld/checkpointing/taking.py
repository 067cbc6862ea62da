"""Checkpoints taken of a state: its snapshot, with the place that it has in the line of checkpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from checkpoint_ld.agent.checkpoint import AgentCheckpoint
from checkpoint_ld.agent.values import About, CheckpointMetadata, ParentLink
from checkpoint_ld.agent.versions import NEWEST
from checkpoint_ld.errors import WriteError
from checkpoint_ld.mapping.properties import faults_of
from checkpoint_ld.runtime.ids import new_id

if TYPE_CHECKING:
    from checkpoint_ld.agent.values import Snapshot
    from checkpoint_ld.runtime.state import RuntimeState


def taken(state: RuntimeState, reason: str, *, about: About | None = None, **told: str | None) -> AgentCheckpoint:
    """Return a checkpoint of the state as it is now, which the next one will name as its parent.

    `told` are a name and a description. Raises WriteError for what is no reason, name or description; the state is as
    it was then.
    """
    with state.change():
        snapshot = state.snapshot()
        members = {
            "timestamp": state.now(),
            "execution_id": state.execution_id,
            "agent_id": state.agent_id,
            "snapshot": snapshot,
            "parent": state.parent,
            "about": about or state.about,
        }
        checkpoint = new_checkpoint(members | told, _metadata(snapshot, reason, state.agent_name))
        state.parent = ParentLink(checkpoint_id=checkpoint.id)
        return checkpoint


def given_back(state: RuntimeState, checkpoint: AgentCheckpoint) -> None:
    """Undo what `taken` did to the state, for a checkpoint that was kept nowhere, unless another one follows it."""
    with state.change():
        if state.parent is not None and state.parent.checkpoint_id == checkpoint.id:
            state.parent = checkpoint.parent


def forked(
    origin: AgentCheckpoint, now: int, *, execution_id: str | None, branch_reason: str | None, name: str | None
) -> AgentCheckpoint:
    """Return the first checkpoint of another execution, with the same state. Raises WriteError for values refused."""
    members = {
        "timestamp": max(now, origin.timestamp),
        "execution_id": new_id("exec_") if execution_id is None else execution_id,
        "agent_id": origin.agent_id,
        "snapshot": origin.snapshot,
        "parent": {"checkpoint_id": origin.id, "is_branch": True}
        | ({} if branch_reason is None else {"branch_reason": branch_reason}),
        "about": origin.about,
        "name": name,
    }
    return new_checkpoint(members, {**origin.metadata.tree(), "checkpoint_reason": "branch"})


def new_checkpoint(members: dict[str, Any], metadata: dict[str, Any]) -> AgentCheckpoint:
    """Return a checkpoint with a new id and these members; None is left out. Raises WriteError for values refused."""
    given = {"version": NEWEST, "id": new_id("ckpt_"), **members}
    try:
        return AgentCheckpoint(
            **{name: value for name, value in given.items() if value is not None},
            metadata=CheckpointMetadata(**{name: value for name, value in metadata.items() if value is not None}),
        )
    except ValidationError as error:
        raise WriteError(f"the checkpoint is refused: {faults_of(error)}") from None


def _metadata(snapshot: Snapshot, reason: str, agent_name: str | None) -> dict[str, Any]:
    progress = snapshot.progress
    return {
        "step_number": progress.step_number,
        "tokens_used": progress.tokens_used,
        "duration_ms": progress.duration_ms,
        "checkpoint_reason": reason,
        "total_steps_estimate": progress.total_steps_estimate,
        "agent_name": agent_name,
    }

"""Restoring: a checkpoint as a state that goes on from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checkpoint_ld.agent.values import ParentLink
from checkpoint_ld.runtime.state import RuntimeState

if TYPE_CHECKING:
    from checkpoint_ld.agent.checkpoint import AgentCheckpoint
    from checkpoint_ld.agent.values import Snapshot
    from checkpoint_ld.runtime.clock import Clock
    from checkpoint_ld.runtime.events import ErrorHandler


def state_of(  # noqa: PLR0913 - all but the first are named
    checkpoint: AgentCheckpoint,
    *,
    execution_id: str | None,
    is_branch: bool,
    auto_step: bool,
    clock: Clock,
    on_error: ErrorHandler,
) -> RuntimeState:
    """Return a state with all that the checkpoint holds, whose next checkpoint names this one as its parent.

    Counters go on from the larger of the two that a checkpoint has.
    """
    state = RuntimeState(
        checkpoint.agent_id,
        execution_id,
        auto_step=auto_step,
        clock=clock,
        snapshot=_counted(checkpoint),
        on_error=on_error,
    )
    state.now(checkpoint.timestamp)
    state.agent_name = checkpoint.metadata.agent_name
    state.about = checkpoint.about
    link = ParentLink(checkpoint_id=checkpoint.id)
    state.parent = link.but(is_branch=True) if is_branch else link
    return state


def _counted(checkpoint: AgentCheckpoint) -> Snapshot:
    snapshot, told = checkpoint.snapshot, checkpoint.metadata
    progress = snapshot.progress.but(
        step_number=max(snapshot.progress.step_number, told.step_number),
        tokens_used=max(snapshot.progress.tokens_used or 0, told.tokens_used),
        duration_ms=max(snapshot.progress.duration_ms or 0, told.duration_ms),
    )
    return snapshot.but(progress=progress)

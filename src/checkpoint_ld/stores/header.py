"""Headers: what an agent checkpoint says about itself, without the state that it holds."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

# pydantic takes the types of the members from here when the class is made.
from checkpoint_ld.agent.values import (
    About,
    CheckpointMetadata,
    Id,
    Milliseconds,
    ParentLink,
    Text,
    Value,
)

if TYPE_CHECKING:
    from checkpoint_ld.agent.checkpoint import AgentCheckpoint

Key = tuple[int, int, str]
"""What checkpoints are ordered by: timestamp, step number, id."""


class Heading(Value):
    """The members of an agent checkpoint that a header is made from: all that is known but the snapshot."""

    version: Text
    id: Id
    timestamp: Milliseconds
    execution_id: Id
    agent_id: Id
    metadata: CheckpointMetadata
    parent: ParentLink | None = None
    name: Text | None = None
    description: Text | None = None
    about: About | None = None


@dataclass(frozen=True, slots=True)
class Header:
    """What an agent checkpoint says about itself.

    `timestamp` is in milliseconds since 1970 in UTC, `duration_ms` in milliseconds. What is not said is None. `sha256`
    is the hash of the text form in hexadecimal digits; it is None from a store that would have to read all of a
    checkpoint to know it.
    """

    id: str
    version: str
    timestamp: int
    execution_id: str
    agent_id: str
    step_number: int
    tokens_used: int
    duration_ms: float
    checkpoint_reason: str
    parent_checkpoint_id: str | None = None
    is_branch: bool = False
    branch_reason: str | None = None
    name: str | None = None
    description: str | None = None
    about_benchmark: str | None = None
    about_question: str | None = None
    sha256: str | None = None

    @property
    def key(self) -> Key:
        """What checkpoints are ordered by; as a cursor, the place after this one."""
        return self.timestamp, self.step_number, self.id


def header_of(checkpoint: AgentCheckpoint) -> Header:
    """Return the header of a checkpoint, with its hash."""
    return header_of_heading(checkpoint, checkpoint.sha256)


def header_of_heading(heading: AgentCheckpoint | Heading, sha256: str | None = None) -> Header:
    """Return the header that a checkpoint's members make; a hash is not computed."""
    metadata, parent, about = heading.metadata, heading.parent, heading.about
    return Header(
        id=heading.id,
        version=heading.version,
        timestamp=heading.timestamp,
        execution_id=heading.execution_id,
        agent_id=heading.agent_id,
        step_number=metadata.step_number,
        tokens_used=metadata.tokens_used,
        duration_ms=real(metadata.duration_ms),
        checkpoint_reason=metadata.checkpoint_reason,
        parent_checkpoint_id=parent.checkpoint_id if parent else None,
        is_branch=bool(parent and parent.is_branch),
        branch_reason=parent.branch_reason if parent else None,
        name=heading.name,
        description=heading.description,
        about_benchmark=about.benchmark if about else None,
        about_question=about.question if about else None,
        sha256=sha256,
    )


def real(number: float) -> float:
    """Return a number as the nearest that a column of real numbers holds: integers in JSON have no largest one."""
    try:
        return float(number)
    except OverflowError:
        return sys.float_info.max

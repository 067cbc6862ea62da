"""What came of saving, restoring and importing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from checkpoint_ld.agent.checkpoint import AgentCheckpoint
    from checkpoint_ld.agent.values import ToolCall
    from checkpoint_ld.errors import CheckpointLdError
    from checkpoint_ld.findings import Finding
    from checkpoint_ld.runtime.state import RuntimeState
    from checkpoint_ld.stores.protocol import Header


@dataclass(frozen=True)
class Saved:
    """A checkpoint that is kept in all stores.

    `path` is that of its file, None where there are no files. `created` is false if an equal one was there already.
    """

    checkpoint: AgentCheckpoint
    path: Path | None
    created: bool

    @property
    def id(self) -> str:
        """The checkpoint's id."""
        return self.checkpoint.id

    @property
    def sha256(self) -> str:
        """The hash of the checkpoint's text, in hexadecimal digits."""
        return self.checkpoint.sha256

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What is odd about the checkpoint; it is looked for when somebody asks, which saving need not wait for."""
        return self.checkpoint.validate().findings


@dataclass(frozen=True, slots=True)
class Restored:
    """A state that goes on from a checkpoint.

    `interrupted` are the calls that had not ended then. They are in the state as they were: cancel, fail or repeat each
    of them. `findings` say where the checkpoint was taken from, if not from where it should have been, and what was odd
    about the form of a source from elsewhere.
    """

    state: RuntimeState
    checkpoint: AgentCheckpoint
    interrupted: tuple[ToolCall, ...]
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of one source: the header of the checkpoint that is kept now, or the error that says why it is not.

    `created` is false if an equal one was there already. `source` is the path of a file, None for anything else.
    `findings` say what was odd about the form in which it came.
    """

    source: Path | None
    checkpoint: Header | None
    created: bool = False
    findings: tuple[Finding, ...] = ()
    error: CheckpointLdError | None = None

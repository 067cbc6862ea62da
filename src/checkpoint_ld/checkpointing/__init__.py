"""Checkpoints of running agents: saved, found, restored, compared, pruned."""

from checkpoint_ld.agents.values import ExportShape
from checkpoint_ld.checkpointing.checkpointer import TRIGGERS, Checkpointer, Policy
from checkpoint_ld.checkpointing.combined import CombinedStore, Reindexed
from checkpoint_ld.checkpointing.exchange import (
    REDACTED,
    Imported,
    Redaction,
    Restored,
    Run,
    Saved,
    Upgraded,
    upgrade,
)
from checkpoint_ld.checkpointing.manager import CheckpointManager
from checkpoint_ld.checkpointing.retention import Decision, Pruned, Retention

__all__ = [
    "REDACTED",
    "TRIGGERS",
    "CheckpointManager",
    "Checkpointer",
    "CombinedStore",
    "Decision",
    "ExportShape",
    "Imported",
    "Policy",
    "Pruned",
    "Redaction",
    "Reindexed",
    "Restored",
    "Retention",
    "Run",
    "Saved",
    "Upgraded",
    "upgrade",
]

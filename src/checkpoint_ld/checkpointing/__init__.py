"""Checkpoints of running agents: saved, found, restored, compared, cleared away."""

from checkpoint_ld.agent.values import ExportShape
from checkpoint_ld.checkpointing.agreement import Reindexed
from checkpoint_ld.checkpointing.checkpointer import TRIGGERS, Checkpointer, Policy
from checkpoint_ld.checkpointing.combined import CombinedStore
from checkpoint_ld.checkpointing.manager import CheckpointManager
from checkpoint_ld.checkpointing.redaction import REDACTED, Redaction
from checkpoint_ld.checkpointing.results import Imported, Restored, Saved
from checkpoint_ld.checkpointing.retention import Decision, Pruned, Retention
from checkpoint_ld.checkpointing.upgrading import Upgraded, upgrade

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
    "Saved",
    "Upgraded",
    "upgrade",
]

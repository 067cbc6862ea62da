"""What is different between two agent checkpoints: as data, as a JSON Patch, as text for people."""

from checkpoint_ld.agent.difference.checkpoint_diff import CheckpointDiff, diff_checkpoints
from checkpoint_ld.agent.difference.json_changes import Change

__all__ = ["Change", "CheckpointDiff", "diff_checkpoints"]

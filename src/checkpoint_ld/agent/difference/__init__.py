"""What is different between two agent checkpoints: as data, as a JSON Patch, as text for people."""

from checkpoint_ld.agent.difference.checkpoint_diff import Change, CheckpointDiff, diff_checkpoints

__all__ = ["Change", "CheckpointDiff", "diff_checkpoints"]

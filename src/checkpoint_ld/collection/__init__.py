"""Collections: many checkpoints in a store on disk, with a manifest of where each comes from and how it got there."""

from checkpoint_ld.collection.collection import Collection, Statistics
from checkpoint_ld.collection.entry import Entry, FileState
from checkpoint_ld.collection.export import Shard
from checkpoint_ld.collection.integrity import Problem
from checkpoint_ld.collection.loading import Options
from checkpoint_ld.collection.outcome import Kind, LoadReport, OnConflict, Outcome
from checkpoint_ld.collection.preparation import Checks

__all__ = [
    "Checks",
    "Collection",
    "Entry",
    "FileState",
    "Kind",
    "LoadReport",
    "OnConflict",
    "Options",
    "Outcome",
    "Problem",
    "Shard",
    "Statistics",
]

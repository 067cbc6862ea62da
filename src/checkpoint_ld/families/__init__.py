"""Families: benchmarks and agent checkpoints, told apart by their content, and what is done with either alike.

What holds them against rules, or counts what they hold, has modules of its own: `checking` and `inspection`.
"""

from checkpoint_ld.families.family import AGENT, BENCHMARK, dialect_of, family_of, graph_of, inferred, name_of, restored
from checkpoint_ld.families.sources import (
    Source,
    examine,
    examine_bytes,
    of_statements,
    read,
    refusing,
)

__all__ = [
    "AGENT",
    "BENCHMARK",
    "Source",
    "dialect_of",
    "examine",
    "examine_bytes",
    "family_of",
    "graph_of",
    "inferred",
    "name_of",
    "of_statements",
    "read",
    "refusing",
    "restored",
]

"""Linked data for AI evaluation checkpoints.

`load` reads a checkpoint of any dialect or RDF syntax; `Benchmark` is what it gives. Everything here is public;
everything else may change.
"""

from checkpoint_ld.benchmark import Benchmark
from checkpoint_ld.emission import ContextStyle
from checkpoint_ld.errors import (
    CheckpointLdError,
    EvaluationError,
    FindingsError,
    FindingsWarning,
    LookupFailedError,
    ReadError,
    SettingsError,
    SourceMissingError,
    TargetExistsError,
    WriteError,
)
from checkpoint_ld.findings import Finding, Place, Severity
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.loading import load
from checkpoint_ld.report import Checked, Report
from checkpoint_ld.validation import validate

__all__ = [
    "Benchmark",
    "Checked",
    "CheckpointGraph",
    "CheckpointLdError",
    "ContextStyle",
    "EvaluationError",
    "Finding",
    "FindingsError",
    "FindingsWarning",
    "LookupFailedError",
    "Place",
    "ReadError",
    "Report",
    "SettingsError",
    "Severity",
    "SourceMissingError",
    "TargetExistsError",
    "WriteError",
    "load",
    "validate",
]

"""Linked data for AI evaluation checkpoints.

`load` reads a checkpoint of any dialect or RDF syntax; `Benchmark` is what it gives; `validate` tells what is wrong.
Everything here is public; everything else may change.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
        StoredCodeWarning,
        TargetExistsError,
        WriteError,
        WrongTypeError,
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
    "StoredCodeWarning",
    "TargetExistsError",
    "WriteError",
    "WrongTypeError",
    "load",
    "validate",
]

_HOMES = {
    "Benchmark": "benchmark",
    "Checked": "report",
    "CheckpointGraph": "graph.checkpoint_graph",
    "ContextStyle": "emission",
    "Finding": "findings",
    "Place": "findings",
    "Report": "report",
    "Severity": "findings",
    "load": "loading",
    "validate": "validation",
}
"""Where a name lives; all others are exceptions."""


def __getattr__(name: str) -> Any:
    # RDF, JSON-LD and pydantic take half a second to import: nobody waits for what they do not use (PEP 562).
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES.get(name, 'errors')}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

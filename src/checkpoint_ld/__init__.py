"""Linked data for AI evaluation checkpoints.

`load` reads a checkpoint of any dialect or RDF syntax; `Benchmark` is what it gives; `validate` tells what is wrong.
Everything here is public; everything else may change.
"""

from __future__ import annotations

import logging
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from checkpoint_ld.benchmark import Benchmark
    from checkpoint_ld.collection import Collection
    from checkpoint_ld.confinement import Trust
    from checkpoint_ld.difference.semantic_diff import SemanticDiff, semantic_diff
    from checkpoint_ld.emission import ContextStyle
    from checkpoint_ld.errors import (
        AuthFailedError,
        CheckpointLdError,
        CountMismatchError,
        EvaluationError,
        FindingsError,
        FindingsWarning,
        LookupFailedError,
        NotVerifiableError,
        QueryError,
        QueryFailedError,
        ReadError,
        ServerRefusedError,
        ServerUnreachableError,
        SettingsError,
        SourceMissingError,
        StoreBusyError,
        StoredCodeWarning,
        StoreError,
        TargetExistsError,
        TruncatedResultError,
        WriteError,
        WrongTypeError,
    )
    from checkpoint_ld.findings import Finding, Place, Severity
    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
    from checkpoint_ld.header import Header, read_header
    from checkpoint_ld.json_schemas.catalogue import json_schema
    from checkpoint_ld.loading import load
    from checkpoint_ld.overview.verdict import Verdict
    from checkpoint_ld.report import Checked, Report
    from checkpoint_ld.sparql import QueryResult
    from checkpoint_ld.table_import import extract_questions_from_file
    from checkpoint_ld.validation import validate
    from checkpoint_ld.verification.evaluation import verify
    from checkpoint_ld.verification.judge_schema import judge_schema
    from checkpoint_ld.verification.result import FieldResult, VerificationResult

__all__ = [
    "AuthFailedError",
    "Benchmark",
    "Checked",
    "CheckpointGraph",
    "CheckpointLdError",
    "Collection",
    "ContextStyle",
    "CountMismatchError",
    "EvaluationError",
    "FieldResult",
    "Finding",
    "FindingsError",
    "FindingsWarning",
    "Header",
    "LookupFailedError",
    "NotVerifiableError",
    "Place",
    "QueryError",
    "QueryFailedError",
    "QueryResult",
    "ReadError",
    "Report",
    "SemanticDiff",
    "ServerRefusedError",
    "ServerUnreachableError",
    "SettingsError",
    "Severity",
    "SourceMissingError",
    "StoreBusyError",
    "StoreError",
    "StoredCodeWarning",
    "TargetExistsError",
    "TruncatedResultError",
    "Trust",
    "Verdict",
    "VerificationResult",
    "WriteError",
    "WrongTypeError",
    "extract_questions_from_file",
    "json_schema",
    "judge_schema",
    "load",
    "read_header",
    "semantic_diff",
    "validate",
    "verify",
]

_HOMES = {
    "Benchmark": "benchmark",
    "Checked": "report",
    "CheckpointGraph": "graph.checkpoint_graph",
    "Collection": "collection",
    "ContextStyle": "emission",
    "Finding": "findings",
    "Place": "findings",
    "FieldResult": "verification",
    "Header": "header",
    "QueryResult": "sparql",
    "Report": "report",
    "SemanticDiff": "difference",
    "Severity": "findings",
    "Trust": "confinement",
    "Verdict": "overview.verdict",
    "VerificationResult": "verification",
    "extract_questions_from_file": "table_import",
    "json_schema": "json_schemas.catalogue",
    "judge_schema": "verification",
    "load": "loading",
    "read_header": "header",
    "semantic_diff": "difference",
    "validate": "validation",
    "verify": "verification",
}
"""Where a name lives; all others are exceptions."""


# What a library logs is for programs that ask for it (docs.python.org, "Configuring Logging for a Library").
logging.getLogger(__name__).addHandler(logging.NullHandler())


def __getattr__(name: str) -> Any:
    # RDF, JSON-LD and pydantic take half a second to import: nobody waits for what they do not use (PEP 562).
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES.get(name, 'errors')}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

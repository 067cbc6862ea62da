"""Linked data for AI evaluation checkpoints.

`load` reads a checkpoint of any dialect or RDF syntax; `Benchmark` is what it gives; `validate` tells what is wrong.
Everything here is public; everything else may change.
"""

from __future__ import annotations

import logging
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from checkpoint_ld.agent.checkpoint import AgentCheckpoint
    from checkpoint_ld.agent.difference import CheckpointDiff, diff_checkpoints
    from checkpoint_ld.agent.shapes import detect_shape
    from checkpoint_ld.agent.values import About, Snapshot, Thought, ToolCall
    from checkpoint_ld.benchmark import Benchmark
    from checkpoint_ld.benchmark.difference import SemanticDiff, semantic_diff
    from checkpoint_ld.benchmark.overview import Verdict
    from checkpoint_ld.benchmark.table_import import extract_questions_from_file
    from checkpoint_ld.checkpointing import (
        Checkpointer,
        CheckpointManager,
        Imported,
        Policy,
        Pruned,
        Restored,
        Retention,
        Run,
        Saved,
    )
    from checkpoint_ld.entities.json_schemas import json_schema
    from checkpoint_ld.errors import (
        AuthFailedError,
        CheckpointExists,
        CheckpointLdError,
        CheckpointNotFound,
        CountMismatchError,
        DatabaseSyncError,
        EvaluationError,
        FindingsError,
        FindingsWarning,
        GraphSyncError,
        IntegrityError,
        InvalidCheckpoint,
        LookupFailedError,
        NotVerifiableError,
        QueryError,
        QueryFailedError,
        ReadError,
        ServerRefusedError,
        ServerUnreachableError,
        SettingsError,
        ShapeError,
        ShapesError,
        SourceMissingError,
        StoreBusyError,
        StoredCodeWarning,
        StoreError,
        StoreFull,
        TargetExistsError,
        TruncatedResultError,
        UnsupportedVersion,
        WriteError,
        WrongTypeError,
    )
    from checkpoint_ld.families import load, validate
    from checkpoint_ld.families.identity import fingerprint, sign, verify_signature
    from checkpoint_ld.families.merging import Conflict, Merge, merge
    from checkpoint_ld.findings import Finding, Place, Severity
    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
    from checkpoint_ld.graph.emission import ContextStyle
    from checkpoint_ld.header import Header, read_header
    from checkpoint_ld.integrations.formats.exporting import export_benchmark
    from checkpoint_ld.integrations.formats.importing import ImportedBenchmark, import_benchmark
    from checkpoint_ld.runtime.changes import Clock, Event
    from checkpoint_ld.runtime.state import RuntimeState
    from checkpoint_ld.site import write_site
    from checkpoint_ld.sparql import QueryResult
    from checkpoint_ld.stores.collection import Collection
    from checkpoint_ld.stores.database import DatabaseStore
    from checkpoint_ld.stores.files import FileStore
    from checkpoint_ld.stores.graphs import GraphStore
    from checkpoint_ld.stores.protocol import CheckpointStore, Filter
    from checkpoint_ld.templates.verification import FieldResult, VerificationResult, judge_schema, verify
    from checkpoint_ld.validation.profiles import shapes_graph
    from checkpoint_ld.validation.results import Checked, Report
    from checkpoint_ld.workers.trusted import Trust

__all__ = [
    "About",
    "AgentCheckpoint",
    "AuthFailedError",
    "Benchmark",
    "Checked",
    "CheckpointDiff",
    "CheckpointExists",
    "CheckpointGraph",
    "CheckpointLdError",
    "CheckpointManager",
    "CheckpointNotFound",
    "CheckpointStore",
    "CheckpointWarning",
    "Checkpointer",
    "Clock",
    "Collection",
    "Conflict",
    "ContextStyle",
    "CountMismatchError",
    "DatabaseStore",
    "DatabaseSyncError",
    "EvaluationError",
    "Event",
    "FieldResult",
    "FileStore",
    "Filter",
    "Finding",
    "FindingsError",
    "FindingsWarning",
    "GraphStore",
    "GraphSyncError",
    "Header",
    "Imported",
    "ImportedBenchmark",
    "IntegrityError",
    "InvalidCheckpoint",
    "LookupFailedError",
    "Merge",
    "NotVerifiableError",
    "Place",
    "Policy",
    "Pruned",
    "QueryError",
    "QueryFailedError",
    "QueryResult",
    "ReadError",
    "Report",
    "Restored",
    "Retention",
    "Run",
    "RuntimeState",
    "Saved",
    "SemanticDiff",
    "ServerRefusedError",
    "ServerUnreachableError",
    "SettingsError",
    "Severity",
    "ShapeError",
    "ShapesError",
    "Snapshot",
    "SourceMissingError",
    "StoreBusyError",
    "StoreError",
    "StoreFull",
    "StoredCodeWarning",
    "TargetExistsError",
    "Thought",
    "ToolCall",
    "TruncatedResultError",
    "Trust",
    "UnsupportedVersion",
    "Verdict",
    "VerificationResult",
    "WriteError",
    "WrongTypeError",
    "detect_shape",
    "diff_checkpoints",
    "export_benchmark",
    "extract_questions_from_file",
    "fingerprint",
    "import_benchmark",
    "json_schema",
    "judge_schema",
    "load",
    "merge",
    "read_header",
    "semantic_diff",
    "shapes_graph",
    "sign",
    "validate",
    "verify",
    "verify_signature",
    "write_site",
]

_HOMES = {
    "About": "agent.values",
    "AgentCheckpoint": "agent.checkpoint",
    "Benchmark": "benchmark",
    "Checked": "validation.results",
    "CheckpointDiff": "agent.difference",
    "CheckpointGraph": "graph.checkpoint_graph",
    "CheckpointManager": "checkpointing",
    "CheckpointStore": "stores.protocol",
    "Checkpointer": "checkpointing",
    "Clock": "runtime.changes",
    "Collection": "stores.collection",
    "Conflict": "families.merging",
    "ContextStyle": "graph.emission",
    "DatabaseStore": "stores.database",
    "Event": "runtime.changes",
    "FieldResult": "templates.verification",
    "FileStore": "stores.files",
    "Filter": "stores.protocol",
    "Finding": "findings",
    "GraphStore": "stores.graphs",
    "Header": "header",
    "Imported": "checkpointing",
    "ImportedBenchmark": "integrations.formats.importing",
    "Merge": "families.merging",
    "Place": "findings",
    "Policy": "checkpointing",
    "Pruned": "checkpointing",
    "QueryResult": "sparql",
    "Report": "validation.results",
    "Restored": "checkpointing",
    "Retention": "checkpointing",
    "Run": "checkpointing",
    "RuntimeState": "runtime.state",
    "Saved": "checkpointing",
    "SemanticDiff": "benchmark.difference",
    "Severity": "findings",
    "Snapshot": "agent.values",
    "Thought": "agent.values",
    "ToolCall": "agent.values",
    "Trust": "workers.trusted",
    "Verdict": "benchmark.overview",
    "VerificationResult": "templates.verification",
    "detect_shape": "agent.shapes",
    "diff_checkpoints": "agent.difference",
    "export_benchmark": "integrations.formats.exporting",
    "extract_questions_from_file": "benchmark.table_import",
    "fingerprint": "families.identity",
    "import_benchmark": "integrations.formats.importing",
    "json_schema": "entities.json_schemas",
    "judge_schema": "templates.verification",
    "load": "families",
    "merge": "families.merging",
    "read_header": "header",
    "semantic_diff": "benchmark.difference",
    "shapes_graph": "validation.profiles",
    "sign": "families.identity",
    "validate": "families",
    "verify": "templates.verification",
    "verify_signature": "families.identity",
    "write_site": "site",
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

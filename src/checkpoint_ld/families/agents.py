"""The family of agents: what is done with a checkpoint that was read. Functions are those of `families.Family`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checkpoint_ld.agents import inference, rules, serialization
from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.agents.graph import AgentGraph
from checkpoint_ld.errors import ReadError
from checkpoint_ld.findings import Severity
from checkpoint_ld.validation import profiles, validator

if TYPE_CHECKING:
    from rdflib.term import Node

    from checkpoint_ld.agents.serialization import AgentReading
    from checkpoint_ld.benchmark import Validate
    from checkpoint_ld.documents.document import Document
    from checkpoint_ld.graph.store import Index

check = rules.check_reading


def examine_document(document: Document, *, checked: bool) -> AgentReading:  # noqa: ARG001 - benchmarks have rules at load
    """Read an agent checkpoint from a JSON document."""
    return serialization.examine_document(document)


def of_statements(index: Index, syntax: str, source: str | None, *, checked: bool) -> AgentReading:  # noqa: ARG001 - as above
    """Read an agent checkpoint from statements."""
    return serialization.of_statements(index, syntax, source)


def refusing(read: AgentReading, *, strict: bool, validate: Validate = "off") -> AgentReading:  # noqa: ARG001 - as above
    """Return a reading. Raises ReadError if it breaks a rule; if `strict`, for any finding."""
    refused = rules.report_on(read).at_least(Severity.WARNING if strict else Severity.VIOLATION)
    if refused:
        raise ReadError.of(refused)
    return read


def loaded(read: AgentReading, validate: Validate) -> AgentCheckpoint:
    """Return the checkpoint of a reading, validated as `Benchmark.load` does."""
    if validate != "off":
        report = rules.report_on(read, validator.profile_at_load(validate, profiles.AGENT))
        validator.raise_or_warn(report, validate, "the checkpoint", stacklevel=4)
    return AgentCheckpoint.of_reading(read)


def exported(read: AgentReading, *, prov: bool) -> AgentGraph:
    """Return the graph of a reading, with the provenance layer if `prov`."""
    return AgentGraph.of_tree(read.tree, prov=True) if prov else read.graph


def restored(index: Index, root: Node) -> AgentGraph:
    """Return the graph for the statements of an agent checkpoint with its root."""
    return AgentGraph(index, root)


def inferred(graph: AgentGraph) -> AgentGraph:
    """Return a copy of a graph with its inferred statements."""
    return inference.with_inferred(graph)

"""Families: benchmarks and agent checkpoints, recognised by their content, read and loaded alike.

`checking` holds them against rules, `inspection` counts what they hold.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from rdflib import Graph

from checkpoint_ld import arguments
from checkpoint_ld.agent.names import CAF, caf
from checkpoint_ld.dialects import reading
from checkpoint_ld.dialects.reading import AGENT_MEMBERS, Reading
from checkpoint_ld.documents.files import read_bytes
from checkpoint_ld.documents.values import DEFAULT_LIMITS, Limits
from checkpoint_ld.errors import FindingsWarning, ReadError, SettingsError
from checkpoint_ld.findings import Severity
from checkpoint_ld.graph.contexts import RDF_TYPE
from checkpoint_ld.graph.emission import parsing
from checkpoint_ld.graph.store import terms_of
from checkpoint_ld.validation import validator

if TYPE_CHECKING:
    import os
    from typing import BinaryIO

    from rdflib.term import Node

    from checkpoint_ld.agent.checkpoint import AgentCheckpoint
    from checkpoint_ld.agent.reading import AgentReading
    from checkpoint_ld.benchmark import Validate
    from checkpoint_ld.documents.document import Document
    from checkpoint_ld.graph.store import Index, StatementGraph

BENCHMARK: Final = "benchmark"
AGENT: Final = "agent"


def family_of(source: Source) -> str:
    """Return the family of a checkpoint: `benchmark` or `agent`."""
    return BENCHMARK if isinstance(source, Reading) else AGENT


def dialect_of(source: Source) -> str:
    """Return the dialect that a source is written in; for agents, `agent-canonical` or `agent-second`."""
    return source.dialect if isinstance(source, Reading) else f"{AGENT}-{source.shape}"


def name_of(source: Source) -> str:
    """Return what people call a checkpoint, empty where nobody said."""
    name = source.tree.get("name")
    return name if isinstance(name, str) else ""


def graph_of(source: Source, *, prov: bool = True) -> StatementGraph:
    """Return the graph of a checkpoint as it leaves us: that of an agent with the provenance layer, unless not `prov`.

    Raises ReadError for what no graph can be made of.
    """
    if isinstance(source, Reading) or not prov:
        return source.graph
    from checkpoint_ld.agent.graph import AgentGraph  # noqa: PLC0415 - benchmarks need none of it

    return AgentGraph.of_tree(source.tree, prov=True)


def restored(index: Index, root: Node, family: str) -> StatementGraph:
    """Return the graph of statements that are known to be those of a checkpoint of a family, called `root`."""
    if family != AGENT:
        from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph  # noqa: PLC0415 - validation seldom needs one

        return CheckpointGraph(index, root)
    from checkpoint_ld.agent.graph import AgentGraph  # noqa: PLC0415 - as above

    return AgentGraph(index, root)


def inferred(graph: StatementGraph) -> StatementGraph:
    """Return a graph together with what follows from it; `graph` stays as it is, and reading passes the rest over."""
    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph  # noqa: PLC0415 - as above

    if isinstance(graph, CheckpointGraph):
        from checkpoint_ld.validation import inference  # noqa: PLC0415 - it reads templates, which few ask for

        return inference.with_inferred(graph)
    from checkpoint_ld.agent.graph import AgentGraph  # noqa: PLC0415 - as above
    from checkpoint_ld.agent.inference import with_inferred  # noqa: PLC0415 - as above

    return with_inferred(graph) if isinstance(graph, AgentGraph) else graph


_TERM = CAF.encode()
_SNAPSHOT = caf("snapshot")

Source: TypeAlias = "Reading | AgentReading"
"""A checkpoint that was read: the tree of its family, where it comes from, and what was odd about it."""


def read(source: Any, *, syntax: str | None = None, strict: bool = False, limits: Limits = DEFAULT_LIMITS) -> Source:
    """Read a checkpoint from a path, an open binary file or bytes.

    `syntax` is `json` or a name of `rdf.SYNTAXES`; without it the file's extension tells, and else its first
    characters. Raises ReadError with all findings when the source cannot be used, or, if `strict`, when anything is odd
    about it; SourceMissingError when there is no such file.
    """
    return refusing(examine(source, syntax=syntax, limits=limits), strict=strict)


def examine(source: Any, *, syntax: str | None = None, limits: Limits = DEFAULT_LIMITS, checked: bool = True) -> Source:
    """Read a checkpoint whatever rules it breaks; of a benchmark, if `checked`, with what the rules at load find.

    Raises ReadError for what is neither JSON nor RDF, or no checkpoint at all.
    """
    return examine_bytes(*read_bytes(source, limits), syntax=syntax, limits=limits, checked=checked)


def examine_bytes(
    data: bytes,
    name: str | None = None,
    *,
    syntax: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    checked: bool = True,
) -> Source:
    """Read a checkpoint from bytes that came from a source called `name`; otherwise as `examine`."""
    return reading.parsed(
        data,
        name,
        syntax,
        limits,
        of_document=lambda document: _of_document(document, checked=checked),
        of_index=lambda index, syntax: of_statements(index, syntax, name, checked=checked),
    )


def of_statements(index: Index, syntax: str = "graph", name: str | None = None, *, checked: bool = True) -> Source:
    """Read a checkpoint from the statements of one or more graphs; otherwise as `examine`."""
    # A checkpoint of an agent is known by its class, or by what only such a node has.
    kind = caf("Checkpoint")
    if any(_SNAPSHOT in held or kind in terms_of(held.get(RDF_TYPE)) for held in index.values()):
        from checkpoint_ld.agent import reading as agents  # noqa: PLC0415 - benchmarks need none of it

        return agents.of_statements(index, syntax, name)
    return _held(reading.of_statements(index, syntax, name), checked=checked)


def refusing(source: Source, *, strict: bool = False) -> Source:
    """Return a reading; raise ReadError if something keeps it from being used, or, if `strict`, is odd."""
    if isinstance(source, Reading):
        return validator.refusing(source, strict=strict)
    from checkpoint_ld.agent.rules import report_on  # noqa: PLC0415 - what is only looked at needs no rules

    refused = report_on(source).at_least(Severity.WARNING if strict else Severity.VIOLATION)
    if refused:
        raise ReadError.of(refused)
    return source


def _of_document(document: Document, *, checked: bool) -> Source:
    if _is_agent(document):
        from checkpoint_ld.agent import reading as agents  # noqa: PLC0415 - as above

        return agents.examine_document(document)
    return _held(reading.examine_document(document), checked=checked)


def _held(read: Reading, *, checked: bool) -> Reading:
    return validator.checked_at_load(read) if checked else read


def _is_agent(document: Document) -> bool:
    """Tell whether a document is an agent checkpoint, without all that is needed to read one."""
    value = document.value
    if isinstance(value, dict) and value.keys() >= AGENT_MEMBERS:
        return True
    if _TERM not in document.data:
        return False
    from checkpoint_ld.agent.reading import is_json_ld  # noqa: PLC0415 - as above

    return is_json_ld(document)


@arguments.checked
def load(
    source: str | os.PathLike[str] | BinaryIO | bytes | Graph,
    *,
    syntax: str | None = None,
    strict: bool = False,
    validate: Validate = "off",
) -> Any:
    """Read a checkpoint and return the object of its family: a `Benchmark`, or an `AgentCheckpoint`.

    Its content tells which one; `Benchmark.load` and `AgentCheckpoint.load` take one family only. Parameters and
    errors are those of `Benchmark.load`. An agent checkpoint that breaks rules is refused in any case.
    """
    if isinstance(source, Graph):
        read = of_statements(parsing.held(source), checked=False)
    else:
        read = examine(source, syntax=syntax, checked=False)
    refusing(read, strict=strict)
    if isinstance(read, Reading):
        from checkpoint_ld.benchmark import Benchmark  # noqa: PLC0415 - commands that look at a file need none of it

        return Benchmark.of_reading(read, validate=validate)
    return _agent(read, validate=validate)


def _agent(read: AgentReading, *, validate: Validate) -> AgentCheckpoint:
    from checkpoint_ld.agent.checkpoint import AgentCheckpoint  # noqa: PLC0415 - benchmarks need none of it

    if validate not in ("off", "warn", "strict"):
        raise SettingsError(f'validate is {validate!r}: use "off", "warn" or "strict"')
    if validate != "off":
        from checkpoint_ld.families import checking  # noqa: PLC0415 - SHACL takes longer to import than to load a file

        profile = checking.Profiles("strict" if validate == "strict" else "agent")
        report = checking.report_of([checking.check_source(read, profile)], profile)
        if validate == "strict":
            report.raise_for_findings()
        elif report.findings:
            counts = ", ".join(f"{count} {severity.name.lower()}" for severity, count in report.counts.items() if count)
            message = f"{read.source or 'the checkpoint'} has findings: {counts}"
            warnings.warn(message, FindingsWarning, stacklevel=4)
    return AgentCheckpoint.of_reading(read)

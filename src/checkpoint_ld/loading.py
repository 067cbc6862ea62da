"""Loading: a checkpoint of any family."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from rdflib import Graph

from checkpoint_ld import families, rdf
from checkpoint_ld.arguments import checked
from checkpoint_ld.benchmark import Benchmark
from checkpoint_ld.errors import FindingsWarning, SettingsError
from checkpoint_ld.reading import Reading

if TYPE_CHECKING:
    import os
    from typing import BinaryIO

    from checkpoint_ld.agent.checkpoint import AgentCheckpoint
    from checkpoint_ld.agent.reading import AgentReading
    from checkpoint_ld.benchmark import Validate


@checked
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
        read = families.of_statements(rdf.held(source), checked=False)
    else:
        read = families.examine(source, syntax=syntax, checked=False)
    families.refusing(read, strict=strict)
    if isinstance(read, Reading):
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

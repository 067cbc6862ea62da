"""Inspection: what a checkpoint of any family holds, counted, without judging it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from checkpoint_ld import inspection
from checkpoint_ld.families.family import AGENT, dialect_of, graph_of
from checkpoint_ld.reading import Reading

if TYPE_CHECKING:
    from checkpoint_ld.agent.checkpoint import AgentCheckpoint
    from checkpoint_ld.agent.reading import AgentReading
    from checkpoint_ld.families.sources import Source
    from checkpoint_ld.findings import Finding


@dataclass(frozen=True, slots=True)
class AgentInspection:
    """What an agent checkpoint holds; thoughts are counted by type, calls by tool. `triples` counts provenance too."""

    source: str | None
    dialect: str
    syntax: str
    checkpoint: AgentCheckpoint
    root: str
    triples: int
    thoughts: dict[str, int]
    calls: dict[str, int]
    failed: int
    in_flight: int
    findings: tuple[Finding, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the inspection as a JSON object; of the checkpoint itself what is told about it, no snapshot."""
        told = self.checkpoint.tree()
        header = {key: value for key, value in told.items() if key not in ("snapshot", "diff")}
        plain = ("source", "dialect", "syntax", "root", "triples", "thoughts", "calls", "failed", "in_flight")
        return {
            "family": AGENT,
            **{name: getattr(self, name) for name in plain},
            "checkpoint": header,
            "findings": [inspection.finding_json(one) for one in self.findings],
        }


def inspect(source: Source) -> inspection.Inspection | AgentInspection:
    """Count what a checkpoint holds. Raises InvalidCheckpoint for an agent checkpoint that breaks rules."""
    return inspection.inspect(source) if isinstance(source, Reading) else _of_agent(source)


def _of_agent(reading: AgentReading) -> AgentInspection:
    from checkpoint_ld.agent.checkpoint import AgentCheckpoint  # noqa: PLC0415 - benchmarks need none of it
    from checkpoint_ld.agent.rules import check_reading  # noqa: PLC0415 - as above

    checkpoint = AgentCheckpoint.of_reading(reading)
    graph = graph_of(reading)
    thoughts, calls = checkpoint.snapshot.thought_chain, checkpoint.snapshot.tool_state.calls
    return AgentInspection(
        source=reading.source,
        dialect=dialect_of(reading),
        syntax=reading.syntax,
        checkpoint=checkpoint,
        root=str(graph.root),
        triples=len(graph),
        thoughts=dict(Counter(one.type for one in thoughts)),
        calls=dict(Counter(one.tool_id or "" for one in calls)),
        failed=sum(one.success is False for one in calls),
        in_flight=sum(one.is_in_flight for one in calls),
        findings=check_reading(reading).findings,
    )

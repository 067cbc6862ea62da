"""Inspection: the content of a checkpoint, counted, without validation."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, cast

from checkpoint_ld.benchmark.content import rubrics_of, traits_of
from checkpoint_ld.benchmark.editing import PUBLISHED
from checkpoint_ld.dialects.dialect import as_list
from checkpoint_ld.dialects.reading import Reading
from checkpoint_ld.families import graph_of
from checkpoint_ld.graph import literals
from checkpoint_ld.identifiers import question_id
from checkpoint_ld.mapping import questions
from checkpoint_ld.mapping.traits import family_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.agents.checkpoint import AgentCheckpoint
    from checkpoint_ld.agents.serialization import AgentReading
    from checkpoint_ld.families import Checkpoint
    from checkpoint_ld.findings import Finding


Json = dict[str, Any]

_COMPUTED_PREFIX = "urn:uuid:question-"


@dataclass(frozen=True, slots=True)
class SuspiciousId:
    """An unexpected identifier, and the reason."""

    identifier: str
    reason: str


@dataclass(frozen=True, slots=True)
class Inspection:
    """The content of a checkpoint. `traits` counts by scope and kind, such as `("global", "llm")`.

    `published` has licence, citation, funder, keywords and identifier of the benchmark.
    """

    source: str | None
    dialect: str
    syntax: str
    root: str
    name: str
    version: str | None
    creator: str | None
    created: str | None
    modified: str | None
    published: dict[str, Any]
    questions: int
    templates: int
    finished: int
    scenarios: int
    triples: int
    traits: dict[tuple[str, str], int]
    keywords: dict[str, int]
    suspicious_ids: tuple[SuspiciousId, ...]
    findings: tuple[Finding, ...]

    def as_json(self) -> Json:
        """Return the inspection as a JSON object."""
        members = {field.name: getattr(self, field.name) for field in fields(self)}
        return {
            **members,
            "traits": [{"scope": scope, "kind": kind, "count": count} for (scope, kind), count in self.traits.items()],
            "suspicious_ids": [
                {"id": suspicious.identifier, "reason": suspicious.reason} for suspicious in self.suspicious_ids
            ],
            "findings": [finding_json(finding) for finding in self.findings],
        }


def inspect_benchmark(reading: Reading) -> Inspection:
    """Count the content of a reading."""
    tree = reading.tree
    items = [item for item in as_list(tree.get("dataFeedElement")) if isinstance(item, dict)]
    keywords = Counter(keyword for item in items for keyword in questions.keywords_of(item))
    makers = as_list(tree.get("creator"))
    holders = [("global", tree), *(("question", item["item"]) for item in items if isinstance(item.get("item"), dict))]
    kinds = Counter(
        (scope, f"dynamic {family_of(trait)}" if is_dynamic else family_of(trait))
        for scope, holder in holders
        for trait, is_dynamic in traits_of(rubrics_of(holder))
    )
    return Inspection(
        source=reading.source,
        dialect=reading.dialect,
        syntax=reading.syntax,
        root=str(reading.graph.root),
        name=str(tree.get("name", "")),
        version=_text_of(tree.get("version")),
        creator=", ".join(str(maker.get("name") if isinstance(maker, dict) else maker) for maker in makers) or None,
        created=_text_of(tree.get("dateCreated")),
        modified=_text_of(tree.get("dateModified")),
        published={name: tree[name] for name in PUBLISHED if name in tree},
        questions=len(items),
        templates=sum(map(questions.has_template, items)),
        finished=sum(map(questions.is_finished, items)),
        scenarios=sum(map(questions.is_scenario, as_list(tree.get("hasPart")))),
        traits=dict(sorted(kinds.items())),
        keywords=dict(sorted(keywords.items(), key=lambda pair: (-pair[1], pair[0]))),
        triples=len(reading.graph),
        suspicious_ids=tuple(_suspicious_ids(items)),
        findings=reading.findings,
    )


def _suspicious_ids(items: list[Json]) -> Iterator[SuspiciousId]:
    for item in items:
        identifier, question = item.get("@id"), item.get("item")
        text = question.get("text") if isinstance(question, dict) else None
        if not isinstance(identifier, str):
            continue
        computed = question_id(text) if isinstance(text, str) else None
        if identifier.startswith(_COMPUTED_PREFIX) and computed is not None and not identifier.startswith(computed):
            yield SuspiciousId(identifier, f"does not agree with the text of its question, whose id is {computed}")
        elif not literals.is_iri(identifier) and not identifier.isalnum():
            yield SuspiciousId(identifier, f"is no IRI; in the graph it is {literals.iri_of(identifier)}")


def _text_of(value: Any) -> str | None:
    return None if value is None else str(value)


def finding_json(finding: Finding) -> Json:
    """Return a finding as a JSON object."""
    place = {"pointer": finding.place.pointer, "line": finding.place.line, "column": finding.place.column}
    stated = {
        "severity": finding.severity.label,
        "message": finding.message,
        "remedy": finding.remedy,
        "subject": finding.subject,
    }
    return {"code": finding.code, "rule": finding.rule, "condition": finding.condition or None, **stated, **place}


@dataclass(frozen=True, slots=True)
class AgentInspection:
    """The content of an agent checkpoint, with thoughts by type, calls by tool; `triples` includes provenance."""

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
        """Return the inspection as a JSON object, with the checkpoint apart from its snapshot and difference."""
        members = self.checkpoint.tree()
        header = {key: value for key, value in members.items() if key not in ("snapshot", "diff")}
        plain = ("source", "dialect", "syntax", "root", "triples", "thoughts", "calls", "failed", "in_flight")
        return {
            "family": "agent",
            **{name: getattr(self, name) for name in plain},
            "checkpoint": header,
            "findings": [finding_json(finding) for finding in self.findings],
        }


def inspect(source: Checkpoint) -> Inspection | AgentInspection:
    """Count the content of a checkpoint. Raises InvalidCheckpoint for an agent checkpoint that breaks rules."""
    return inspect_benchmark(source) if isinstance(source, Reading) else _of_agent(cast("AgentReading", source))


def _of_agent(reading: AgentReading) -> AgentInspection:
    from checkpoint_ld.agents.checkpoint import AgentCheckpoint  # noqa: PLC0415 - benchmarks need none of it
    from checkpoint_ld.agents.rules import check_reading  # noqa: PLC0415 - as above

    checkpoint = AgentCheckpoint.of_reading(reading)
    graph = graph_of(reading)
    thoughts, calls = checkpoint.snapshot.thought_chain, checkpoint.snapshot.tool_state.calls
    return AgentInspection(
        source=reading.source,
        dialect=reading.dialect,
        syntax=reading.syntax,
        checkpoint=checkpoint,
        root=str(graph.root),
        triples=len(graph),
        thoughts=dict(Counter(thought.type for thought in thoughts)),
        calls=dict(Counter(call.tool_id or "" for call in calls)),
        failed=sum(call.success is False for call in calls),
        in_flight=sum(call.is_in_flight for call in calls),
        findings=check_reading(reading).findings,
    )

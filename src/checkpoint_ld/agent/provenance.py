"""The provenance layer: what PROV-O says of an agent checkpoint, derived from its statements (W3C PROV-O §3).

It is never read back. Moments are `xsd:dateTime` in UTC with milliseconds, always with `Z`.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from rdflib import Literal, URIRef

from checkpoint_ld.agent import names
from checkpoint_ld.agent.names import caf, derived, prov
from checkpoint_ld.agent.schema import value_of
from checkpoint_ld.agent.values import LATEST_MS
from checkpoint_ld.graph.building import uncollected
from checkpoint_ld.graph.expansion import RDF_TYPE
from checkpoint_ld.graph.literals import DATETIME, literal_of, typed
from checkpoint_ld.graph.store import put, terms_of
from checkpoint_ld.vocabulary import SCHEMA

if TYPE_CHECKING:
    from rdflib.term import Node

    from checkpoint_ld.graph.store import Index

_ABOUT = URIRef(SCHEMA + "about")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DATETIME = URIRef(DATETIME)


def add_provenance(index: Index, root: Node, sha256: str | None) -> None:
    """Add the provenance layer to the statements of a checkpoint; `sha256` is that of its text, where it has one.

    What is there already is not added again.
    """
    with uncollected():
        _Layer(index, root).add(sha256)


def moment(milliseconds: int) -> Literal:
    """Return a moment, told in milliseconds since 1970, as `2025-02-05T21:20:00.000Z`."""
    told = (_EPOCH + timedelta(milliseconds=milliseconds)).isoformat(timespec="milliseconds")
    return typed(told.replace("+00:00", "Z"), _DATETIME)


class _Layer:
    """The statements about one checkpoint, while they are added."""

    def __init__(self, index: Index, root: Node) -> None:
        self.index = index
        self.root = root
        self.execution = self.named(root, prov("wasGeneratedBy"))
        self.agent = self.named(root, prov("wasAttributedTo"))

    def add(self, sha256: str | None) -> None:
        snapshot = self.named(self.root, caf("snapshot"))
        self.checkpoint(sha256)
        self.actors()
        for thought in self.objects(snapshot, caf("thought")):
            self.thought(thought)
        tool_state = self.named(snapshot, caf("toolState"))
        results = self.value(tool_state, caf("results"))
        for call in self.objects(tool_state, caf("toolCall")):
            self.call(call, results if isinstance(results, dict) else {})

    def checkpoint(self, sha256: str | None) -> None:
        self.say(self.root, RDF_TYPE, prov("Entity"))
        self.moment_of(self.root, caf("timestampMs"), prov("generatedAtTime"))
        parent = self.named(self.root, caf("parent"))
        self.say(self.root, prov("wasDerivedFrom"), self.named(parent, caf("parentCheckpoint")))
        self.say(self.root, derived("sha256"), None if sha256 is None else Literal(sha256))
        self.say(self.root, _ABOUT, self.asked(caf("question")))

    def actors(self) -> None:
        """Say what is known of the execution and of the agent."""
        if self.execution is not None:
            self.say(self.execution, RDF_TYPE, caf("Execution"))
            self.say(self.execution, RDF_TYPE, prov("Activity"))
            self.say(self.execution, prov("wasAssociatedWith"), self.agent)
            self.say(self.execution, prov("used"), self.asked(caf("question")))
            self.say(self.execution, prov("used"), self.asked(caf("benchmark")))
        if self.agent is not None:
            self.say(self.agent, RDF_TYPE, caf("Agent"))
            self.say(self.agent, RDF_TYPE, prov("SoftwareAgent"))

    def thought(self, thought: Node) -> None:
        self.say(self.root, derived("hasThought"), thought)
        self.say(thought, RDF_TYPE, prov("Entity"))
        self.moment_of(thought, caf("createdAtMs"), prov("generatedAtTime"))
        self.say(thought, prov("wasGeneratedBy"), self.execution)
        self.say(thought, prov("wasDerivedFrom"), self.named(thought, caf("parentThought")))

    def call(self, call: Node, results: dict[str, Any]) -> None:
        self.say(self.root, derived("hasToolCall"), call)
        self.say(call, RDF_TYPE, prov("Activity"))
        self.moment_of(call, caf("startedAtMs"), prov("startedAtTime"))
        self.moment_of(call, caf("completedAtMs"), prov("endedAtTime"))
        self.say(call, prov("wasAssociatedWith"), self.agent)
        told = names.identifier(str(call))
        if told is not None and told[1] in results:
            self.say(call, derived("result"), literal_of(results[told[1]], "@json"))

    def say(self, subject: Node, predicate: URIRef, term: Node | None) -> None:
        if term is not None:
            put(self.index, subject, predicate, term)

    def moment_of(self, subject: Node, source: URIRef, predicate: URIRef) -> None:
        told = self.value(subject, source)
        if isinstance(told, int) and not isinstance(told, bool) and 0 <= told <= LATEST_MS:
            self.say(subject, predicate, moment(told))

    def asked(self, what: URIRef) -> URIRef | None:
        """Return the IRI of the question, or of the benchmark, that the checkpoint says it is about."""
        told = self.value(self.named(self.root, caf("about")), what)
        return URIRef(names.question_iri(told)) if isinstance(told, str) and told else None

    def objects(self, subject: Node | None, predicate: URIRef) -> list[Node]:
        held = self.index.get(subject, {}).get(predicate) if subject is not None else None
        return [one for one in terms_of(held) if not isinstance(one, Literal)]

    def named(self, subject: Node | None, predicate: URIRef) -> Node | None:
        return next(iter(self.objects(subject, predicate)), None)

    def value(self, subject: Node | None, predicate: URIRef) -> Any:
        held = self.index.get(subject, {}).get(predicate) if subject is not None else None
        return next((value_of(one) for one in terms_of(held) if isinstance(one, Literal)), None)

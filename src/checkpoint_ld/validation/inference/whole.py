"""A checkpoint graph together with all that follows from it, for queries, and for shapes in other tools."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from rdflib import BNode, Literal, URIRef

from checkpoint_ld import shacl
from checkpoint_ld.dialects.dialect import values
from checkpoint_ld.dialects.reading.statements import DERIVED, DERIVED_NODE, mark_of, without_derived
from checkpoint_ld.graph import interpreter
from checkpoint_ld.graph.building import uncollected
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.compaction import Compaction
from checkpoint_ld.graph.contexts import RDF_TYPE, named
from checkpoint_ld.graph.literals import literal_of
from checkpoint_ld.graph.store import Index, put, terms_of, triples_of
from checkpoint_ld.mapping.questions import is_finished
from checkpoint_ld.secrets import secret
from checkpoint_ld.shacl import DataGraph
from checkpoint_ld.validation import profiles
from checkpoint_ld.validation.constraints import forms
from checkpoint_ld.validation.constraints.components import COMPONENTS
from checkpoint_ld.validation.constraints.forms import FORMS, value_of
from checkpoint_ld.validation.inference.benchmark import infer
from checkpoint_ld.validation.inference.nodes import (
    authors_of,
    creators_of,
    object_of,
    parts_of,
    source_of,
    sources_of,
    template_of,
    trait_of,
)
from checkpoint_ld.validation.inference.statements import predicate_of
from checkpoint_ld.vocabulary import CHECKPOINT_SHACL, KARENINA, SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rdflib.term import Node


class Additions:
    """What is to be said beyond the statements of a graph, which is only read.

    On nodes of the graph, a predicate or class is added only where the graph uses it nowhere. Values that look like
    secrets are left out, and so are those that no RDF literal can hold.
    """

    def __init__(self, graph: CheckpointGraph) -> None:
        self.graph = graph
        self.index = graph.held
        self.reader = Compaction(graph.held, graph.table)
        self._found: Index = {}
        self._literals: dict[tuple[type, Any, str | None], Literal | None] = {}
        self._predicates = {predicate for predicates in graph.held.values() for predicate in predicates}
        self._classes = {one for predicates in graph.held.values() for one in terms_of(predicates.get(RDF_TYPE))}

    def is_a(self, node: Node, *classes: str) -> None:
        """Say the classes of a node, by their names in the vocabulary, or by IRIs of others."""
        for name in classes:
            kind = named(name if ":" in name else KARENINA + name)
            if node not in self.index or kind not in self._classes:
                put(self._found, node, RDF_TYPE, kind)

    def say(self, node: Node, predicate: str, value: Any, datatype: str | None = None) -> None:
        """Say a JSON value of a node: a scalar as a native literal, an array or object as one `rdf:JSON` literal.

        `predicate` is an IRI; null says nothing.
        """
        iri = named(predicate)
        if value is not None and self._may(node, iri):
            term = self._literal(value, datatype)
            if term is not None:
                put(self._found, node, iri, term)

    def tell(self, node: Node, setting: str, value: Any, datatype: str | None = None) -> None:
        """Say a value under the predicate that stands for a setting: `karenina:maxTurns` for `max_turns`."""
        self.say(node, predicate_of(setting), value, datatype)

    def state(self, node: Node, predicate: Node, term: Node) -> None:
        """State a triple about a node of the graph."""
        if predicate == RDF_TYPE:
            self.is_a(node, str(term))
        elif self._may(node, named(str(predicate))) and secret(value_of(term)) is None:
            put(self._found, node, predicate, term)

    def link(self, node: Node, predicate: str, other: Node) -> bool:
        """Say that a node is linked to another one; return whether that may be said."""
        may = self._may(node, named(predicate))
        if may:
            put(self._found, node, named(predicate), other)
        return may

    def part(self, node: Node, predicate: str, name: str, *classes: str) -> URIRef | None:
        """Link a node to one that no document has, and say its classes, by IRI.

        Return it, or None if nothing may be said about it: because the name is that of a node of the graph, or because
        what would be added could not be told from the graph's own.
        """
        part = URIRef(name)
        is_known = part in self.index
        if (DERIVED_NODE in self._classes and not is_known) or not self.link(node, predicate, part) or is_known:
            return None
        for kind in (DERIVED_NODE, *map(named, classes)):
            put(self._found, part, RDF_TYPE, kind)
        return part

    def applied(self) -> CheckpointGraph:
        """Return a copy of the graph with the additions, and with the mark by which they are told."""
        graph = self.graph.copy()
        told = [one for one in triples_of(self._found) if one[0] in self.index]
        predicates = {predicate for _, predicate, _ in told if predicate != RDF_TYPE}
        classes = {kind for _, predicate, kind in told if predicate == RDF_TYPE}
        if DERIVED_NODE not in self._classes:
            classes.add(DERIVED_NODE)
        index = graph.index
        for subject, said in self._found.items():
            known = index.setdefault(subject, {})
            kinds = [*terms_of(known.get(RDF_TYPE)), *terms_of(said.get(RDF_TYPE))]
            known.update(said)
            if len(kinds) > 1:
                known[RDF_TYPE] = kinds
        put(index, graph.root, DERIVED, mark_of(graph.root, predicates, classes))
        graph.touch()
        return graph

    def _may(self, node: Node, predicate: URIRef) -> bool:
        return predicate not in self._predicates or node not in self.index

    def _literal(self, value: Any, datatype: str | None) -> Literal | None:
        """Return the literal of a value that may be told and can be."""
        if isinstance(value, (dict, list)):
            return _literal(value, "@json")
        key = (type(value), repr(value) if isinstance(value, float) else value, datatype)
        if key not in self._literals:
            self._literals[key] = _literal(value, datatype)
        return self._literals[key]


def _literal(value: Any, datatype: str | None) -> Literal | None:
    if secret(value) is not None:
        return None
    try:
        term = literal_of(value, datatype)
        str(term).encode()
    except ValueError:  # a number without an end or without a value, or half a surrogate pair
        return None
    return term


_SPELLING = named(CHECKPOINT_SHACL + "SpellingConstraintComponent")
_RATING = SCHEMA + "contentRating"
_NOTES = ("answer_notes", "workspace_path")


def with_inferred(graph: CheckpointGraph) -> CheckpointGraph:
    """Return the statements of a checkpoint together with those that follow from them."""
    own = without_derived(graph.held)
    additions = Additions(graph if own is graph.held else CheckpointGraph(own, graph.root))
    with uncollected(), interpreter.room():
        additions.is_a(graph.root, SCHEMA + "Dataset")  # of which DataFeed is a subclass
        creators_of(graph.root, additions)
        for rating in parts_of(graph.root, _RATING, additions.reader):
            trait_of(rating, additions, "GlobalTrait")
        for question in _questions(graph.root, additions.reader):
            _question(question, additions)
        found = infer(additions.graph)
        for subject, predicate, term in triples_of(found):
            additions.state(subject, predicate, term)
        for node, stated_as, fault in _faults(DataGraph(additions.index, found)):
            additions.say(node, stated_as, fault)
        return additions.applied()


def _question(question: Node, additions: Additions) -> None:
    asked = object_of(question, additions.reader)
    properties = values(asked.get("additionalProperty"))
    additions.tell(question, "finished", is_finished(asked))
    for name in _NOTES:
        additions.tell(question, name, properties.get(name))
    authors_of(question, properties.get("author"), additions)
    sources_of(question, properties.get("sources"), additions)
    for rating in parts_of(question, _RATING, additions.reader):
        trait_of(rating, additions, "QuestionTrait")
    template_of(question, source_of(asked.get("hasPart"), additions.reader), additions)


def _questions(root: Node, reader: Compaction) -> Iterator[Node]:
    for item in parts_of(root, SCHEMA + "dataFeedElement", reader):
        yield from parts_of(item, SCHEMA + "item", reader)
    for scenario in parts_of(root, SCHEMA + "hasPart", reader):
        for turn in parts_of(scenario, KARENINA + "nodes", reader):
            yield from parts_of(turn, KARENINA + "question", reader)


def _faults(data: DataGraph) -> Iterator[tuple[Node, str, str | None]]:
    """Yield the faults that only Python tells: the node, the predicate that states it, and what is wrong."""
    stated_as = profiles.python_only()
    for result in shacl.results(data, _python_shapes()):
        if str(result.component).startswith(CHECKPOINT_SHACL) and result.value is not None:
            yield result.focus, stated_as[result.shape], _fault(result, result.value, data)


def _fault(result: shacl.Result, value: Node, data: DataGraph) -> str | None:
    """Return what is wrong with a value: what its form says of it, which key was meant, or else the value alone."""
    form = _python_shapes().index[result.shape].get(profiles.WELL_FORMED)
    if form is not None:
        return FORMS[str(form)](value_of(value))
    if result.component != _SPELLING:
        return str(value)
    roles = (str(role).removeprefix(KARENINA) for role in data.values(result.focus, RDF_TYPE))
    meant = next(filter(None, (forms.misspelt(str(value), role) for role in roles)))
    return f"{value}: did you mean {meant}?"


@cache
def _python_shapes() -> shacl.Shapes:
    """Return the shapes of which only Python tells, compiled, with the constraint components that they use."""
    kept = profiles.python_only()
    index = {
        node: said
        for node, said in profiles.profile().statements().items()
        if node in kept or isinstance(node, BNode) or str(node).startswith(CHECKPOINT_SHACL)
    }
    return shacl.compile_shapes(index, components=COMPONENTS)

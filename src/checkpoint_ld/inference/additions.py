"""Additions: statements to be added to a graph so that they can be told from its own, and taken out again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rdflib import Literal, URIRef

from checkpoint_ld.constraints.forms import value_of
from checkpoint_ld.constraints.secrets import secret
from checkpoint_ld.graph.compaction import RESIDUE, Compaction, Ref
from checkpoint_ld.graph.expansion import RDF_TYPE, named
from checkpoint_ld.graph.literals import json_of, literal_of
from checkpoint_ld.graph.store import Index, put, terms_of, triples_of
from checkpoint_ld.inference.statements import predicate_of
from checkpoint_ld.reading.statements import DERIVED, DERIVED_NODE, mark_of
from checkpoint_ld.vocabulary import KARENINA, SCHEMA

if TYPE_CHECKING:
    from rdflib.term import Node

    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph


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


_NAME, _VALUE, _TEXT = (named(SCHEMA + name) for name in ("name", "value", "text"))

Json = dict[str, Any]


def object_of(node: Node, reader: Compaction) -> Json:
    """Return the members of a node, with its additional properties as objects; other objects are `Ref`s."""
    members = reader.shallow(node)
    told = members.get("additionalProperty")
    if told is None:
        return members
    entries = [_property(one, reader) for one in (told if isinstance(told, list) else [told])]
    return {**members, "additionalProperty": entries}


def source_of(template: Any, reader: Compaction) -> str | None:
    """Return the source in the object that `hasPart` of a question refers to, None if there is not just one."""
    told = template[0] if isinstance(template, list) and len(template) == 1 else template
    node = URIRef(told.name) if isinstance(told, Ref) else None
    text = reader.index.get(node, {}).get(_TEXT) if node is not None else None
    return str(text) if isinstance(text, Literal) and isinstance(json_of(text), str) else None


def parts_of(node: Node, predicate: str, reader: Compaction) -> list[Node]:
    """Return the nodes that a node of the graph has under a predicate."""
    held = terms_of(reader.index.get(node, {}).get(URIRef(predicate)))
    return [one for one in held if one in reader.index]


def _property(entry: Any, reader: Compaction) -> Any:
    node = URIRef(entry.name) if isinstance(entry, Ref) else None
    said = reader.index.get(node) if node is not None else None
    if node is None or said is None:
        return entry
    name, value = said.get(_NAME), said.get(_VALUE)
    if not isinstance(name, Literal) or not isinstance(value, Literal) or RESIDUE in said:
        return reader.object(node, reader.table.base.by_key["additionalProperty"])
    return {"name": json_of(name), "value": json_of(value, "@json")}

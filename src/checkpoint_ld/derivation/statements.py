"""What follows from the statements of a graph, as it is found: roles, and what about objects does not fit them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

from rdflib import Literal

from checkpoint_ld.derivation.layouts import layout_of
from checkpoint_ld.graph.compaction import Compaction
from checkpoint_ld.graph.expansion import RDF_TYPE, named
from checkpoint_ld.graph.literals import json_of, literal_of
from checkpoint_ld.graph.residue import RESIDUE
from checkpoint_ld.graph.store import Index, put, terms_of
from checkpoint_ld.graph.terms import expand_name
from checkpoint_ld.mapping.properties import as_list
from checkpoint_ld.roles import ANYTHING, ARRAYS, KEYS, TYPES
from checkpoint_ld.vocabulary import KARENINA

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rdflib.term import Node

    from checkpoint_ld.graph.terms import Term, TermTable


class Described(Protocol):
    """What statements follow from: a checkpoint graph, or the part of one that is looked at."""

    @property
    def index(self) -> Index:
        """The subject index that holds the statements."""

    @property
    def root(self) -> Node:
        """The node of the benchmark."""

    @property
    def table(self) -> TermTable:
        """The terms under which objects are read."""


_URN = re.compile(r"urn:[a-z0-9][a-z0-9-]{0,31}:.", re.IGNORECASE)
"""What a URN begins with (RFC 8141 §2)."""

_TYPED = TYPES.keys() - {"Benchmark", "Node"}
"""The roles whose objects may lack a type unnoticed: a root is told by its type, and nodes have a class for it."""


@lru_cache(maxsize=1024)
def _literal(value: str | int) -> Literal:
    return literal_of(value)


class Statements:
    """The statements that follow from those of a graph, as they are found."""

    def __init__(self, source: Described) -> None:
        self.index = source.index
        self.table = source.table
        self.reader = Compaction(source.index, source.table)
        self.found: Index = {}
        self._scenario_terms = source.table.at(None, "karenina:Scenario")

    def say(self, subject: Node, name: str, term: Node) -> None:
        """Say a property of `subject`, by its name in the vocabulary."""
        put(self.found, subject, named(KARENINA + name), term)

    def plays(self, subject: Node, role: str, via: Term | None = None) -> None:
        """Say the role of an object, and what about its keys, its types and the form of its values does not fit."""
        self.is_a(subject, role)
        identifier = self.reader.identifier(subject)
        if identifier is not None and not _URN.match(identifier):
            self.say(subject, "foreignId", literal_of(identifier))
        layout = layout_of(self.index.get(subject, {}), self.table, role, via)
        if layout is None:
            self._plays_oddly(subject, role, via)
            return
        if role in _TYPED and RDF_TYPE not in self.index.get(subject, {}):
            self.say(subject, "missingType", _literal(TYPES[role]))
        for key in layout.unknown:
            self.say(subject, "unknownKey", _literal(key))

    def _plays_oddly(self, subject: Node, role: str, via: Term | None) -> None:
        """Say the same as `plays` of an object that has to be read as a whole to know."""
        members = self.reader.shallow(subject, via)
        for key, value in members.items():
            if key[:1] == "@":
                continue
            if key not in KEYS[role]:
                self.say(subject, "unknownKey", literal_of(key))
            elif isinstance(value, list) and key not in ANYTHING:
                self._array(subject, key, value)
        kind = members.get("@type")
        if role in TYPES and "@type" in members and not isinstance(kind, str | list):
            self.say(subject, "unexpectedType", literal_of(str(kind)))
        elif role in _TYPED and not any(isinstance(one, str) and one for one in as_list(kind)):
            self.say(subject, "missingType", _literal(TYPES[role]))
        for kind in self.terms(subject, RDF_TYPE):
            if role in TYPES and role != "Template" and str(kind) != expand_name(TYPES[role]):
                self.say(subject, "unexpectedType", kind)

    def _array(self, subject: Node, key: str, entries: list[Any]) -> None:
        """Say what about an array the statements do not show."""
        if key not in ARRAYS:
            if len(entries) < 2 or len({repr(one) for one in entries}) == 1:
                self.say(subject, "arrayOf", literal_of(key))
        elif any(isinstance(one, list) for one in entries):
            self.say(subject, "nestedIn", literal_of(key))
        elif any(one is None for one in entries):
            self.say(subject, "nullIn", literal_of(key))

    def is_a(self, subject: Node, role: str) -> None:
        """Say a class of `subject`, by its name in the vocabulary."""
        put(self.found, subject, RDF_TYPE, named(KARENINA + role))

    def terms(self, subject: Node, iri: str) -> list[Node]:
        """Return what the graph has for a node and a predicate."""
        return terms_of(self.index.get(subject, {}).get(named(iri)))

    def members(self, subject: Node, *keys: str) -> dict[str, Any]:
        """Return the JSON values of some members of an object, of those that it has."""
        if RESIDUE in self.index.get(subject, {}):
            members = self.reader.shallow(subject)
            return {key: members[key] for key in keys if key in members}
        return self.reader.members(subject, None, keys.__contains__)

    def parts(self, subject: Node, iri: str, role: str) -> list[Node]:
        """Return the objects that stand in a member of `subject`, in order, after giving them their role and index."""
        nodes = [one for one in self.terms(subject, iri) if one in self.index]
        ordered = self.reader.in_order(nodes)
        for at, node in enumerate(ordered):
            if role in KEYS:
                self.plays(node, role, self._scenario_terms.by_iri.get(iri))
            else:
                self.is_a(node, role)
            self.say(node, "index", _literal(at))
        return ordered

    def plain(self, subject: Node, iri: str) -> Any:
        """Return the first JSON scalar that the graph has for a node and a predicate, None if there is none."""
        literals = [one for one in self.terms(subject, iri) if isinstance(one, Literal)]
        return json_of(literals[0], None) if literals else None

    def repeated(self, named: Iterable[tuple[Node, object]], said: str = "repeats") -> None:
        """Say of each node whose key stood before that it repeats the node that had it first."""
        first: dict[object, Node] = {}
        for node, key in named:
            if isinstance(key, str | tuple) and first.setdefault(key, node) is not node:
                self.say(node, said, first[key])

"""What follows from the statements of a graph, as it is found: roles, and what about objects does not fit them."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from rdflib import Literal, URIRef

from checkpoint_ld.dialects.dialect import as_list
from checkpoint_ld.graph.compaction import POSITION, RESIDUE, Compaction, Residue, residue_of, told_residue
from checkpoint_ld.graph.contexts import IDENTIFIER, RDF_TYPE, expand_name, is_property_value, named
from checkpoint_ld.graph.literals import XSD_INTEGER, json_of, literal_of
from checkpoint_ld.graph.store import Index, Several, put
from checkpoint_ld.vocabulary import ANYTHING, ARRAYS, KARENINA, KEYS, TYPES

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence

    from rdflib.term import Node

    from checkpoint_ld.graph.contexts import Term, TermTable


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


@cache
def predicate_of(setting: str) -> URIRef:
    """Return the predicate that a setting is derived under: `karenina:maxTurns` for `max_turns`."""
    return named(KARENINA + re.sub(r"_(\w)", lambda match: match[1].upper(), setting))


_DESCRIBING = ("foreignId", "missingType", "unknownKey", "unexpectedType")
"""What is said about the identifiers, the keys and the types of objects."""
_URN = re.compile(r"urn:[a-z0-9][a-z0-9-]{0,31}:.", re.IGNORECASE)
"""What a URN begins with (RFC 8141 §2)."""

Held: TypeAlias = "Mapping[Node, Node | list[Node]]"
_NOTHING: dict[Node, Node | list[Node]] = {}
_LISTS = frozenset((list, Several))
_RESIDUES = frozenset((RESIDUE,))
_VARYING = frozenset((RESIDUE, POSITION))
"""Predicates whose values tell whether more follows than from an object's layout."""
_ONE_KIND = frozenset((URIRef, type(None)))
_TYPED = TYPES.keys() - {"Benchmark", "Node"}
"""The roles whose objects may lack a type unnoticed: a root is told by its type, and nodes have a class for it."""


@lru_cache(maxsize=1024)
def _literal(value: str | int) -> Literal:
    return literal_of(value)


@lru_cache(maxsize=4096)
def _with(classes: tuple[Node, ...], roles: tuple[str, ...]) -> tuple[Node, ...]:
    """Return classes with those of some roles, each once."""
    return tuple(dict.fromkeys((*classes, *(named(KARENINA + role) for role in roles))))


class Statements:
    """The statements that follow from those of a graph, as they are found."""

    def __init__(self, source: Described, wanted: Container[Node] | None = None) -> None:
        self._wanted = wanted
        self._describes = self.wants(*_DESCRIBING)
        self.index = source.index
        self.table = source.table
        self.reader = Compaction(source.index, source.table)
        self.found: Index = {}
        self._classes: dict[Node, tuple[Node, ...]] = {}
        self._layouts: dict[tuple[str, Term | None], dict[tuple[Any, ...], Layout | None]] = {}
        self._residues: dict[tuple[int, str], tuple[str, ...] | None] = {}
        self.bounds: dict[tuple[int, ...], dict[str, Any]] = {}
        self.rubric_names: dict[Node, tuple[str, bool]] = {}
        self._scenario_terms = source.table.at(None, "karenina:Scenario")

    def index_of_all(self) -> Index:
        """Return all that was found. Nodes of which only the same classes follow share what is held of them."""
        shared: dict[tuple[Node, ...], dict[Node, Node | list[Node]]] = {}
        index = self.found
        for subject, classes in self._classes.items():
            only = shared.get(classes)
            if only is None:
                only = shared[classes] = {RDF_TYPE: list(classes) if len(classes) > 1 else classes[0]}
            also = index.get(subject)
            index[subject] = only if also is None else {**only, **also}
        return index

    def wants(self, *names: str) -> bool:
        """Return whether somebody looks at one of some terms of the vocabulary."""
        return any(self.looks_at(named(KARENINA + name)) for name in names)

    def looks_at(self, term: Node) -> bool:
        """Return whether somebody looks at a property or a class."""
        return self._wanted is None or term in self._wanted

    def say(self, subject: Node, name: str, term: Node) -> None:
        """Say a property of `subject`, by its name in the vocabulary."""
        put(self.found, subject, named(KARENINA + name), term)

    def plays(self, subject: Node, role: str, via: Term | None = None) -> None:
        """Say the role of an object, and what about its keys, its types and the form of its values does not fit."""
        self.play([subject], role, via)

    def play(self, subjects: Collection[Node], role: str, via: Term | None = None, *also: str) -> None:
        """Say the same as `plays` of several objects that are values of one member, and other classes of these."""
        self.are(subjects, role, *also)
        if not self._describes:
            self._play_arrays(subjects, role, via)
            return
        layouts = self._layouts.setdefault((role, via), {})
        get, groups = self.index.get, defaultdict(list)
        for subject in subjects:
            held = get(subject, _NOTHING)
            kind = held.get(RDF_TYPE)
            groups[(kind, *held) if kind.__class__ in _ONE_KIND else ()].append((subject, held))
        for key, group in groups.items():
            has_identifier = not key or IDENTIFIER in key
            self._note_foreign([one for one, _ in group if has_identifier or "#/" not in one])  # type: ignore[operator]  # a text
            if key not in layouts:
                predicates = tuple(one for one in key[1:] if one not in _RESIDUES)
                layouts[key] = known(self.table, role, via, key[0], predicates) if key else None  # type: ignore[arg-type]  # one IRI or none
            self._play_alike(group, layouts[key], key, role, via)

    def _play_alike(
        self,
        group: Sequence[tuple[Node, Held]],
        layout: Layout | None,
        key: tuple[Any, ...],
        role: str,
        via: Term | None,
    ) -> None:
        """Say what does not fit of objects with one type and the same predicates, which are `key`."""
        is_typed = role not in _TYPED or bool(key and key[0] is not None)
        values = chain.from_iterable(held.values() for _, held in group)
        has_lists = layout is not None and bool(layout.single) and not _LISTS.isdisjoint(map(type, values))
        if layout is not None and is_typed and not layout.unknown and not has_lists and _VARYING.isdisjoint(key):
            return
        for subject, held in group:
            more = None if layout is None else self._beyond(layout, held, role, has_lists=has_lists)
            if layout is None or more is None:
                self._plays_oddly(subject, role, via)
                continue
            if not is_typed:
                self.say(subject, "missingType", _literal(TYPES[role]))
            for unknown in (*layout.unknown, *more):
                self.say(subject, "unknownKey", _literal(unknown))

    def _note_foreign(self, subjects: Iterable[Node]) -> None:
        """Say of objects that their identifiers are no URNs."""
        for subject in subjects:
            identifier = self.reader.identifier(subject)
            if identifier is not None and not _URN.match(identifier):
                self.say(subject, "foreignId", literal_of(identifier))

    def _beyond(self, layout: Layout, held: Held, role: str, *, has_lists: bool) -> tuple[str, ...] | None:
        """Return the unknown keys that an object has beyond those of its layout, None where it has to be read whole."""
        if has_lists and any(isinstance(held[one], list) for one in layout.single):
            return None
        if POSITION in held and not is_placed(held[POSITION]):
            return None
        return self._unknown_in(held[RESIDUE], role) if RESIDUE in held else ()

    def _play_arrays(self, subjects: Collection[Node], role: str, via: Term | None) -> None:
        """Say of several objects only what about their arrays does not fit, which is found by their residues."""
        residues = [self.index.get(subject, _NOTHING).get(RESIDUE) for subject in subjects]
        for subject, residue in zip(subjects, residues, strict=True):
            if residue is not None and self._unknown_in(residue, role) is None:
                self._plays_oddly(subject, role, via)

    def are(self, subjects: Collection[Node], *roles: str) -> None:
        """Say classes of several nodes, by their names in the vocabulary."""
        roles = tuple(role for role in roles if self.wants(role))
        classes = self._classes
        if not roles:
            return
        if classes.keys().isdisjoint(subjects):
            classes.update(dict.fromkeys(subjects, _with((), roles)))
        else:
            for subject in subjects:
                classes[subject] = _with(classes.get(subject, ()), roles)

    def _unknown_in(self, held: Node | list[Node], role: str) -> tuple[str, ...] | None:
        """Return the unknown keys of which only a residue tells; None where more may follow from it.

        A member that the statements have too, under whatever value, is one of the layout.
        """
        if not isinstance(held, Literal):
            return None
        key = id(held), role
        if key not in self._residues:
            self._residues[key] = _unknown_in(told_residue(held), role)
        return self._residues[key]

    def _plays_oddly(self, subject: Node, role: str, via: Term | None) -> None:
        """Say the same as `plays` of an object that has to be read as a whole to know."""
        members = self.reader.shallow(subject, via)
        for key, value in members.items():
            if key[:1] == "@":
                continue
            if key not in KEYS[role]:
                self.say(subject, "unknownKey", literal_of(key))
            elif isinstance(value, list) and key not in ANYTHING:
                for name, term in _array(key, value):
                    self.say(subject, name, term)
        kind = members.get("@type")
        if role in TYPES and "@type" in members and not isinstance(kind, str | list):
            self.say(subject, "unexpectedType", literal_of(str(kind)))
        elif role in _TYPED and not any(isinstance(one, str) and one for one in as_list(kind)):
            self.say(subject, "missingType", _literal(TYPES[role]))
        for one in self.terms(subject, RDF_TYPE):
            if role in TYPES and role != "Template" and str(one) != expand_name(TYPES[role]):
                self.say(subject, "unexpectedType", one)

    def is_a(self, subject: Node, role: str) -> None:
        """Say a class of `subject`, by its name in the vocabulary."""
        self.are((subject,), role)

    def terms(self, subject: Node, iri: str) -> list[Node]:
        """Return what the graph has for a node and a predicate."""
        held = self.index.get(subject, _NOTHING).get(named(iri))
        return held if isinstance(held, list) else [] if held is None else [held]

    def members(self, subject: Node, *keys: str) -> dict[str, Any]:
        """Return the JSON values of some members of an object, of those that it has."""
        members = self.reader.members(subject, None, keys.__contains__)
        if RESIDUE in self.index.get(subject, {}):
            members = residue_of(self.index, subject).over(members)
        return {key: members[key] for key in keys if key in members}

    def parts(self, subject: Node, iri: str, *roles: str) -> list[Node]:
        """Return the objects that stand in a member of `subject`, in no particular order, after giving them roles.

        Only the first role may be one with keys.
        """
        return self.parts_of([subject], iri, *roles)[0]

    def parts_of(self, subjects: Iterable[Node], iri: str, *roles: str) -> list[list[Node]]:
        """Return `parts` of each of several objects."""
        predicate, index = named(iri), self.index
        found: list[list[Node]] = []
        for subject in subjects:
            held = index.get(subject, _NOTHING).get(predicate)
            terms = () if held is None else held if isinstance(held, list) else (held,)
            found.append([one for one in terms if one in index])
        nodes = list(chain.from_iterable(found))
        first, *others = roles
        if first in KEYS:
            self.play(nodes, first, self._scenario_terms.by_iri.get(iri), *others)
        else:
            self.are(nodes, *roles)
        return found

    def plain(self, subject: Node, iri: str) -> Any:
        """Return the first JSON scalar that the graph has for a node and a predicate, None if there is none."""
        for one in self.terms(subject, iri):
            if isinstance(one, Literal):
                return str(one) if one._datatype is None and one._language is None else json_of(one, None)  # noqa: SLF001 - asked of every name, and the properties take longer
        return None

    def repeated(
        self, named: Iterable[tuple[Node, object]], said: str = "repeats", *, is_ordered: bool = False
    ) -> None:
        """Say of each node whose key stood before that it repeats the node that had it first."""
        if not self.wants(said):
            return
        keyed = {node: key for node, key in named if isinstance(key, str | tuple)}
        if len(set(keyed.values())) == len(keyed):
            return
        first: dict[object, Node] = {}
        for node in keyed if is_ordered else self.reader.in_order(list(keyed)):
            if first.setdefault(keyed[node], node) is not node:
                self.say(node, said, first[keyed[node]])


def _unknown_in(residue: Residue, role: str) -> tuple[str, ...] | None:
    if residue.absent or residue.set_apart:
        return None
    unknown = []
    for key, value in residue.members.items():
        if key[:1] == "@":
            return None
        if key not in KEYS[role]:
            if key not in residue.read_as:
                unknown.append(key)
        elif isinstance(value, list) and key not in ANYTHING and any(_array(key, value)):
            return None
    return tuple(unknown)


def _array(key: str, entries: list[Any]) -> Iterator[tuple[str, Node]]:
    """Yield what about an array the statements do not show."""
    if key not in ARRAYS:
        if len(entries) < 2 or len({repr(one) for one in entries}) == 1:
            yield "arrayOf", literal_of(key)
    elif any(isinstance(one, list) for one in entries):
        yield "nestedIn", literal_of(key)
    elif any(one is None for one in entries):
        yield "nullIn", literal_of(key)


_NO_MEMBERS = frozenset({RDF_TYPE, IDENTIFIER, POSITION})
_LONGEST_POSITION = 16


@dataclass(frozen=True, slots=True)
class Layout:
    """What follows about all objects of one role with one type and these predicates.

    `unknown` are the keys that the role does not have. About an object that has several values for one of `single`,
    more follows.
    """

    unknown: tuple[str, ...]
    single: tuple[Node, ...]


def is_placed(position: Node | list[Node] | None) -> bool:
    """Tell whether what is said of an object's position is nothing but its place in an array."""
    if position is None:
        return True
    if not isinstance(position, Literal) or position.datatype != XSD_INTEGER:
        return False
    return position.isdecimal() and len(position) < _LONGEST_POSITION


@lru_cache(maxsize=1024)
def known(
    table: TermTable, role: str, via: Term | None, kind: URIRef | None, predicates: tuple[Node, ...]
) -> Layout | None:
    """Return the layout of objects of the type `kind` with these predicates; None where values have a say too."""
    if kind is not None and role in TYPES and role != "Template" and str(kind) != expand_name(TYPES[role]):
        return None
    name = None if kind is None else Compaction.type_name(str(kind))
    terms, is_property = table.at(via, name), is_property_value(name, via)
    single: list[Node] = []
    keys: list[str] = []
    for predicate in predicates:
        if predicate in _NO_MEMBERS:
            continue
        key = terms.key_of(str(predicate))
        keys.append(key)
        if key in ANYTHING or key not in KEYS[role]:
            continue
        term = terms.by_key.get(key)
        is_json = is_property and key == "value"
        if is_json or (term is not None and term.coercion == "@json"):
            return None
        if key not in ARRAYS:
            single.append(predicate)
            if term is not None and term.container is not None:
                return None
    if len(set(keys)) < len(keys):
        return None
    unknown = tuple(key for key in keys if key[:1] != "@" and key not in KEYS[role])
    return Layout(unknown, tuple(single))

"""Inferred roles of objects by their place, and the keys, types and values that do not fit these roles."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from rdflib import Literal, URIRef

from checkpoint_ld.dialects.dialect import as_list
from checkpoint_ld.graph.compaction import Compaction
from checkpoint_ld.graph.contexts import IDENTIFIER, RDF_TYPE, expand_name, is_property_value, named
from checkpoint_ld.graph.key_order import KEY_ORDER
from checkpoint_ld.graph.layouts import POSITION
from checkpoint_ld.graph.literals import json_of, json_text, literal_of
from checkpoint_ld.graph.members import is_position
from checkpoint_ld.graph.residue import RESIDUE, Residue, parsed_residue, residue_of
from checkpoint_ld.graph.store import Index, Several, put, terms_of
from checkpoint_ld.vocabulary import ANYTHING, ARRAYS, KARENINA, KEYS, TYPES

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence

    from rdflib.term import Node

    from checkpoint_ld.graph.contexts import Term, TermTable


class InferenceSource(Protocol):
    """The source of inference: a checkpoint graph, or a part of one."""

    @property
    def held(self) -> Index:
        """The subject index that holds the statements, read-only."""

    @property
    def root(self) -> Node:
        """The node of the benchmark."""

    @property
    def table(self) -> TermTable:
        """The terms under which objects are read."""


@cache
def predicate_of(setting: str) -> URIRef:
    """Return the predicate of a setting: `karenina:maxTurns` for `max_turns`."""
    return named(KARENINA + re.sub(r"_(\w)", lambda match: match[1].upper(), setting))


_DESCRIBING = ("foreignId", "missingType", "nullMember", "unknownKey", "unexpectedType")
"""The predicates about the identifiers, the keys, the nulls and the types of objects."""
_URN = re.compile(r"urn:[a-z0-9][a-z0-9-]{0,31}:.", re.IGNORECASE)
"""The beginning of a URN (RFC 8141 §2)."""

Held: TypeAlias = "Mapping[Node, Node | list[Node]]"
_NOTHING: dict[Node, Node | list[Node]] = {}
_LISTS = frozenset((list, Several))
_RESIDUES = frozenset((RESIDUE,))
_VARYING = frozenset((RESIDUE, POSITION))
"""Predicates whose values matter to inference, beyond the layout of the object."""
_ONE_KIND = frozenset((URIRef, type(None)))
_TYPED = TYPES.keys() - {"Benchmark", "Node"}
"""The roles whose objects may lack a type: a root is recognised by its type, and untyped nodes have a class."""
_OWN_TYPES = frozenset({"Template", "Creator"})
"""The roles with a rule of their own about another type."""


@lru_cache(maxsize=1024)
def _literal(value: str | int) -> Literal:
    return literal_of(value)


@lru_cache(maxsize=4096)
def _with(classes: tuple[Node, ...], roles: tuple[str, ...]) -> tuple[Node, ...]:
    """Return classes together with those of some roles, without duplicates."""
    return tuple(dict.fromkeys((*classes, *(named(KARENINA + role) for role in roles))))


class Inference:
    """The inference from one graph, with the statements that were inferred so far."""

    def __init__(self, source: InferenceSource, wanted: Container[Node] | None = None) -> None:
        self._wanted = wanted
        self._describes = self.wants(*_DESCRIBING)
        self.index = source.held
        self.table = source.table
        self.reader = Compaction(source.held, source.table)
        self.found: Index = {}
        self._classes: dict[Node, tuple[Node, ...]] = {}
        self._layouts: dict[tuple[str, Term | None], dict[tuple[Any, ...], RolePattern | None]] = {}
        self._residues: dict[tuple[int, str], tuple[str, ...] | None] = {}
        self.bounds: dict[tuple[int, ...], dict[str, Any]] = {}
        self.rubric_names: dict[Node, tuple[str, bool]] = {}
        self._scenario_terms = source.table.at(None, "karenina:Scenario")

    def index_of_all(self) -> Index:
        """Return all inferred statements. Nodes that only get the same classes share one dict."""
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
        """Return whether any of some terms of our vocabulary is wanted."""
        return any(self.is_wanted(named(KARENINA + name)) for name in names)

    def is_wanted(self, term: Node) -> bool:
        """Return whether statements with a property or a class are wanted."""
        return self._wanted is None or term in self._wanted

    def add(self, subject: Node, name: str, term: Node) -> None:
        """Add a value of a property, which is given by its name in our vocabulary."""
        put(self.found, subject, named(KARENINA + name), term)

    def assign(self, subjects: Collection[Node], role: str, via: Term | None = None, *also: str) -> None:
        """Add the role of objects that are values of one member, and the keys, types and arrays that do not fit it.

        `also` are further classes of these objects.
        """
        self.add_classes(subjects, role, *also)
        if not self._describes:
            self._check_arrays(subjects, role, via)
            return
        layouts = self._layouts.setdefault((role, via), {})
        get, groups = self.index.get, defaultdict(list)
        for subject in subjects:
            held = get(subject, _NOTHING)
            kind = held.get(RDF_TYPE)
            groups[(kind, *held) if kind.__class__ in _ONE_KIND else ()].append((subject, held))
        for key, group in groups.items():
            has_identifier = not key or IDENTIFIER in key
            self._add_foreign_identifiers([one for one, _ in group if has_identifier or "#/" not in one])  # type: ignore[operator]  # a text
            if key not in layouts:
                predicates = tuple(one for one in key[1:] if one not in _RESIDUES)
                layouts[key] = layout_of(self.table, role, via, key[0], predicates) if key else None  # type: ignore[arg-type]  # one IRI or none
            self._check_alike(group, layouts[key], key, role, via)

    def _check_alike(
        self,
        group: Sequence[tuple[Node, Held]],
        layout: RolePattern | None,
        key: tuple[Any, ...],
        role: str,
        via: Term | None,
    ) -> None:
        """Add the unfit keys and values of objects with one type and the same predicates, which are `key`."""
        is_typed = role not in _TYPED or bool(key and key[0] is not None)
        values = chain.from_iterable(held.values() for _, held in group)
        has_lists = layout is not None and bool(layout.single) and not _LISTS.isdisjoint(map(type, values))
        if layout is not None and is_typed and not layout.unknown and not has_lists and _VARYING.isdisjoint(key):
            return
        for subject, held in group:
            more = None if layout is None else self._beyond(layout, held, role, has_lists=has_lists)
            if layout is None or more is None:
                self._check_whole(subject, role, via)
                continue
            if not is_typed:
                self.add(subject, "missingType", _literal(TYPES[role]))
            for unknown in (*layout.unknown, *more):
                self.add(subject, "unknownKey", _literal(unknown))

    def _add_foreign_identifiers(self, subjects: Iterable[Node]) -> None:
        """Add the identifiers of objects that are no URNs."""
        for subject in subjects:
            identifier = self.reader.identifier(subject)
            if identifier is not None and not _URN.match(identifier):
                self.add(subject, "foreignId", literal_of(identifier))

    def _beyond(self, layout: RolePattern, held: Held, role: str, *, has_lists: bool) -> tuple[str, ...] | None:
        """Return the unknown keys of an object that its layout lacks, None if the object has to be read as a whole."""
        if has_lists and any(isinstance(held[one], list) for one in layout.single):
            return None
        if POSITION in held and not is_position(held[POSITION]):
            return None
        return self._unknown_in(held[RESIDUE], role) if RESIDUE in held else ()

    def _check_arrays(self, subjects: Collection[Node], role: str, via: Term | None) -> None:
        """Add the arrays that do not fit, which the residues of the objects show."""
        residues = [self.index.get(subject, _NOTHING).get(RESIDUE) for subject in subjects]
        for subject, residue in zip(subjects, residues, strict=True):
            if residue is not None and self._unknown_in(residue, role) is None:
                self._check_whole(subject, role, via)

    def add_classes(self, subjects: Collection[Node], *roles: str) -> None:
        """Add classes of several nodes, by their names in our vocabulary."""
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
        """Return the unknown keys that only a residue has, None if the object has to be read as a whole.

        A member that the statements have too, with any value, belongs to the layout.
        """
        if not isinstance(held, Literal):
            return None
        key = id(held), role
        if key not in self._residues:
            self._residues[key] = _unknown_in(parsed_residue(held), role)
        return self._residues[key]

    def _check_whole(self, subject: Node, role: str, via: Term | None) -> None:
        """Add the unfit keys and values of an object that has to be read as a whole."""
        members = self.reader.shallow(subject, via)
        for key, value in members.items():
            if value is None and _may_be_null(role, key):
                self.add(subject, "nullMember", literal_of(key))
            elif key[:1] == "@":
                continue
            elif key not in KEYS[role]:
                self.add(subject, "unknownKey", literal_of(key))
            elif isinstance(value, list) and key not in ANYTHING:
                for name, term in _array(key, value):
                    self.add(subject, name, term)
        if role in TYPES:
            self._check_types(subject, role, members)

    def _check_types(self, subject: Node, role: str, members: Mapping[str, Any]) -> None:
        """Add that an object has no type, or one that its role does not have."""
        kind = members.get("@type")
        if "@type" not in members:
            if role in _TYPED:
                self.add(subject, "missingType", _literal(TYPES[role]))
        elif not isinstance(kind, str | list) or not any(isinstance(one, str) and one for one in as_list(kind)):
            self.add(subject, "unexpectedType", literal_of(json_text(kind)))
        for one in self.terms(subject, RDF_TYPE):
            if role not in _OWN_TYPES and str(one) != expand_name(TYPES[role]):
                self.add(subject, "unexpectedType", one)

    def add_class(self, subject: Node, role: str) -> None:
        """Add a class of a node, by its name in our vocabulary."""
        self.add_classes((subject,), role)

    def terms(self, subject: Node, iri: str) -> list[Node]:
        """Return the objects of a node and a predicate in the graph."""
        held = self.index.get(subject, _NOTHING).get(named(iri))
        return held if isinstance(held, list) else [] if held is None else [held]

    def members(self, subject: Node, *keys: str) -> dict[str, Any]:
        """Return the JSON values of some members of an object, without those that are absent."""
        members = self.reader.members(subject, None, keys.__contains__)
        if RESIDUE in self.index.get(subject, {}):
            members = residue_of(self.index, subject).over(members)
        return {key: members[key] for key in keys if key in members}

    def parts(self, subject: Node, iri: str, *roles: str) -> list[Node]:
        """Return the objects in a member of `subject`, in no particular order, after assigning roles to them.

        Only the first role may be one with keys.
        """
        return self.parts_of([subject], iri, *roles)[0]

    def parts_of(self, subjects: Iterable[Node], iri: str, *roles: str) -> list[list[Node]]:
        """Return the same as `parts` for each of several objects; the lists must not be changed."""
        predicate, index = named(iri), self.index
        found = [terms_of(index.get(subject, _NOTHING).get(predicate)) for subject in subjects]
        nodes = list(chain.from_iterable(found))
        if not all(map(index.__contains__, nodes)):
            found = [[one for one in terms if one in index] for terms in found]
            nodes = list(chain.from_iterable(found))
        self.assign_parts(nodes, iri, *roles)
        return found

    def assign_parts(self, nodes: Collection[Node], iri: str, *roles: str) -> None:
        """Assign roles to objects that are values of a member; only the first role may be one with keys."""
        first, *others = roles
        if first in KEYS:
            self.assign(nodes, first, self._scenario_terms.by_iri.get(iri), *others)
        else:
            self.add_classes(nodes, *roles)

    def objects(self, subject: Node, iri: str) -> list[Node]:
        """Return the values of a member that have statements themselves, in no particular order."""
        return [one for one in self.terms(subject, iri) if one in self.index]

    def scalar_of(self, subject: Node, iri: str) -> Any:
        """Return the first JSON scalar of a node and a predicate, None if there is none."""
        return scalar_in(self.terms(subject, iri))

    def add_repeats(
        self, named: Iterable[tuple[Node, object]], predicate: str = "repeats", *, is_ordered: bool = False
    ) -> None:
        """Add to each node with a repeated key the first node that has it."""
        if not self.wants(predicate):
            return
        keyed = {node: key for node, key in named if isinstance(key, str | tuple)}
        if len(set(keyed.values())) == len(keyed):
            return
        first: dict[object, Node] = {}
        for node in keyed if is_ordered else self.reader.in_order(list(keyed)):
            if first.setdefault(keyed[node], node) is not node:
                self.add(node, predicate, first[keyed[node]])


def scalar_in(held: Node | list[Node] | None) -> Any:
    """Return the first JSON scalar among terms, None if there is none."""
    for one in terms_of(held):
        if isinstance(one, Literal):
            return str(one) if one._datatype is None and one._language is None else json_of(one, None)  # noqa: SLF001 - for every name; the property would take longer
    return None


def _may_be_null(role: str, key: str) -> bool:
    """Return whether a null in a member is reported as such, and not as what is missing or of another type."""
    is_own = key in ANYTHING or key in ("@type", "@context") or (role, key) == ("Question", "hasPart")
    return key in KEYS[role] and not is_own


def _unknown_in(residue: Residue, role: str) -> tuple[str, ...] | None:
    if residue.absent or residue.set_apart:
        return None
    unknown = []
    for key, value in residue.members.items():
        if key[:1] == "@" or (value is None and _may_be_null(role, key)):
            return None
        if key not in KEYS[role]:
            if key not in residue.read_as:
                unknown.append(key)
        elif isinstance(value, list) and key not in ANYTHING and any(_array(key, value)):
            return None
    return tuple(unknown)


def _array(key: str, entries: list[Any]) -> Iterator[tuple[str, Node]]:
    """Yield facts about an array that the statements do not show."""
    if key not in ARRAYS:
        if len(entries) < 2 or len({repr(one) for one in entries}) == 1:
            yield "arrayOf", literal_of(key)
    elif any(isinstance(one, list) for one in entries):
        yield "nestedIn", literal_of(key)
    elif any(one is None for one in entries):
        yield "nullIn", literal_of(key)


_NO_MEMBERS = frozenset({RDF_TYPE, IDENTIFIER, POSITION, KEY_ORDER})


@dataclass(frozen=True, slots=True)
class RolePattern:
    """What is inferred about all objects of one role with one type and the same predicates.

    `unknown` are the keys that the role does not have. An object with several values of one of `single` needs a closer
    look.
    """

    unknown: tuple[str, ...]
    single: tuple[Node, ...]


@lru_cache(maxsize=1024)
def layout_of(
    table: TermTable, role: str, via: Term | None, kind: URIRef | None, predicates: tuple[Node, ...]
) -> RolePattern | None:
    """Return the layout of objects of the type `kind` with these predicates, None if it depends on values too."""
    if kind is not None and role in TYPES and role not in _OWN_TYPES and str(kind) != expand_name(TYPES[role]):
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
    return RolePattern(unknown, tuple(single))

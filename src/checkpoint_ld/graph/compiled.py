"""Expansion by a compiled context: one walk from a JSON tree to its statements.

It covers documents as they usually are and gives exactly what annotation, PyLD's expansion and completion give, or
says that it does not cover one. Then those do the work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rdflib import Literal, URIRef

from checkpoint_ld.graph import naming
from checkpoint_ld.graph.annotation import LARGEST_FOR_PYLD
from checkpoint_ld.graph.compaction import POSITION, Compaction
from checkpoint_ld.graph.completion import tell_residue
from checkpoint_ld.graph.expansion import IDENTIFIER, RDF_TYPE
from checkpoint_ld.graph.literals import DATETIME, DOUBLE, literal_of
from checkpoint_ld.graph.plans import NotCoveredError, Reading, compiled
from checkpoint_ld.graph.residue import Residue, difference

if TYPE_CHECKING:
    from collections.abc import Container

    from rdflib.term import Node

    from checkpoint_ld.graph.plans import KeyPlan, Plan
    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.graph.terms import Term

Tree = dict[str, Any]

_DEEPEST = 60
"""Levels of objects; deeper ones are left to the whole algorithm, which sets them apart."""
_KEYWORDS = frozenset({"@id", "@type"})
_REFERENCE = frozenset({"@id"})
_NO_SCALARS = (list, dict, type(None))
_OF_OBJECTS = (Reading.PLAIN, Reading.NODE)
_NOT_IN_STEM = ("#", "%23")
"""What would make names by place of two bases look alike."""


def index_of(tree: Tree) -> tuple[Index, URIRef] | None:
    """Return the statements of a canonical tree and the name of its root, None for a tree that is not covered."""
    own_context = tree.get("@context")
    try:
        walk = _Walk(own_context, {}, ())
        root = {key: value for key, value in tree.items() if key != "@context"}
        if "@type" not in root:
            return None
        name = walk.node(root, _Place(naming.root_of(tree) if "@id" not in root else ""))
        walk.complete()
    except NotCoveredError:
        return None
    return walk.index, name


def index_of_part(
    part: Tree, via: Term, place: tuple[str, int], own_context: object, taken: Container[object]
) -> tuple[Index, URIRef] | None:
    """Return the statements of an object that is to be a value of `via`, and its name.

    `place` is the name of the object that it belongs to and its place there, `taken` holds the names that are in use.
    None for an object that is not covered.
    """
    owner, at = place
    try:
        walk = _Walk(own_context, {}, taken)
        name = walk.node(part, _Place(naming.below(_stem_of(owner), via.key, at), via, None, at))
        walk.complete()
    except NotCoveredError:
        return None
    return walk.index, name


def index_of_members(members: Tree, owner: str, own_context: object, taken: Container[object]) -> Index | None:
    """Return the statements of members that `owner` is to have; `members` has its type too. None as above."""
    try:
        walk = _Walk(own_context, {}, taken)
        subject, plan = URIRef(owner), walk.plans.at(members.get("@type"), None, None)
        predicates: dict[Node, Node | list[Node]] = {} if plan.type is None else {RDF_TYPE: plan.type}
        odd = walk.members(members, _Inside(plan, _stem_of(owner), 1), predicates)
        walk.index[subject] = predicates
        walk.odd += [(subject, members, None, odd)] if odd else []
        walk.complete()
    except NotCoveredError:
        return None
    return walk.index


def _stem_of(owner: str) -> str:
    base, _ = naming.parted(owner)
    if any(one in base for one in _NOT_IN_STEM):
        raise NotCoveredError
    return owner if "#" in owner else owner + "#"


class _Place(NamedTuple):
    """Where an object stands: its name by place, the member that it is a value of, its place there."""

    name: str
    via: Term | None = None
    plan: Plan | None = None
    position: int | None = None
    depth: int = 0
    in_map: bool = False


class _Inside(NamedTuple):
    """What holds for the members of an object: what keys mean, and how the names of objects below it begin."""

    plan: Plan
    stem: str
    depth: int


def _uri(name: str) -> URIRef:
    # What is named here is an IRI: looking again, as URIRef does, takes as long as the rest of the work on an object.
    return str.__new__(URIRef, name)


def _leaf(source: Tree) -> tuple[str, type, Any] | None:
    """Return what a named value says, if it says nothing else: most objects of a checkpoint do, many alike."""
    if len(source) != 3 or source.get("@type") != "PropertyValue":
        return None
    name, value = source.get("name"), source.get("value")
    kind = type(value)
    if type(name) is not str or kind not in (str, bool, int, float):
        return None
    return name, kind, repr(value) if kind is float else value


class _Walk:
    """One walk through a tree; `odd` notes what the statements say otherwise, until `complete`."""

    def __init__(self, own_context: object, index: Index, taken: Container[object]) -> None:
        self.plans = compiled(own_context)
        self.index = index
        self.taken = taken
        self.own: set[str] = set()
        self.names: dict[int, str] = {}
        self.odd: list[tuple[URIRef, Tree, Term | None, list[str]]] = []
        self.leaves: dict[tuple[int, tuple[str, type, Any]], dict[Node, Node | list[Node]]] = {}
        self.texts: dict[str, Literal] = {}
        self.values: dict[tuple[type, Any, str | None], Literal] = {}

    def own_name(self, source: Tree) -> str | None:
        """Return the name that an object's own id gives it, None where another object has it."""
        identifier = source["@id"]
        if type(identifier) is not str:
            raise NotCoveredError
        name = naming.iri_of(identifier)
        if any(one in name for one in _NOT_IN_STEM):
            raise NotCoveredError
        if name in self.own or URIRef(name) in self.taken:
            return None
        self.own.add(name)
        return name

    def node(self, source: Tree, place: _Place) -> URIRef:
        """Hold the statements of an object; return its node."""
        if id(source) in self.names or place.depth > _DEEPEST:
            raise NotCoveredError
        kind = source.get("@type")
        if type(kind) is not str and "@type" in source:
            raise NotCoveredError
        own = self.own_name(source) if "@id" in source else None
        name = own or place.name
        self.names[id(source)] = name
        plan = self.plans.at(kind, place.via, place.plan)
        predicates: dict[Node, Node | list[Node]] = {} if plan.type is None else {RDF_TYPE: plan.type}
        inside = _Inside(plan, name + "#" if own or "#" not in name else name, place.depth + 1)
        odd = self.members(source, inside, predicates)
        subject = _uri(name)
        if predicates:
            self.index[subject] = predicates
        if odd:
            self.odd.append((subject, source, place.via, odd))
        self.place(subject, source, place, own)
        return subject

    def members(self, source: Tree, inside: _Inside, predicates: dict[Node, Node | list[Node]]) -> list[str]:
        """Add the statements of an object's members; return the keys of those that say it otherwise than the object."""
        odd = []
        plan, keys = inside.plan, inside.plan.keys
        for key, value in source.items():
            if key in _KEYWORDS:
                continue
            known = keys.get(key) or plan.key(key)
            if type(value) is str and known.reading is Reading.PLAIN and known.container is None:
                term: Node | list[Node] | None = self.text(value)
            else:
                term, is_odd = self.member(value, known, inside)
                if is_odd:
                    odd.append(key)
            if term is not None:
                if known.predicate in predicates:
                    raise NotCoveredError
                predicates[known.predicate] = term
        return odd

    def place(self, subject: URIRef, source: Tree, place: _Place, own: str | None) -> None:
        """Say of an object what its name does not say: its identifier, and its position."""
        if "@id" in source and source["@id"] != str(subject):
            self.index.setdefault(subject, {})[IDENTIFIER] = self.text(source["@id"])
        if place.position is not None and (own is not None or place.in_map):
            self.index.setdefault(subject, {})[POSITION] = self.value(place.position, None)

    def member(self, value: Any, known: KeyPlan, inside: _Inside) -> tuple[Node | list[Node] | None, bool]:
        """Return the term or terms of a member's value, and whether they say it otherwise than the document does."""
        kind = type(value)
        if known.reading is Reading.JSON or (known.reading is Reading.PROPERTY and kind in _NO_SCALARS):
            return literal_of(value, "@json"), known.is_set
        if value is None:
            return None, True
        if known.container == "@index":
            return self.map(value, known, inside)
        if kind is list:
            return self.array(value, known, inside)
        if kind is dict:
            return self.object(value, known, inside, f"{inside.stem}/{known.token}", None), known.is_set
        term, is_odd = self.scalar(value, known.reading)
        return term, is_odd or known.is_set

    def array(self, values: list[Any], known: KeyPlan, inside: _Inside) -> tuple[Node | list[Node] | None, bool]:
        if not values:
            return None, True
        terms: list[Node]
        if all(type(one) is dict for one in values):
            stem = f"{inside.stem}/{known.token}/"
            terms = [self.object(one, known, inside, f"{stem}{at}", at) for at, one in enumerate(values)]
            is_odd = False
        elif known.reading is Reading.PLAIN and all(type(one) is str for one in values):
            distinct = list(dict.fromkeys(values))
            terms = [self.text(one) for one in distinct]
            is_odd = sorted(values) != values or len(distinct) != len(values)
        elif known.reading is Reading.PLAIN:
            terms = list(dict.fromkeys(self.scalar(one, known.reading)[0] for one in values))
            is_odd = True
        else:
            raise NotCoveredError
        if len(terms) == 1:
            return terms[0], is_odd or not known.is_set
        return terms, is_odd

    def map(self, value: Any, known: KeyPlan, inside: _Inside) -> tuple[Node | list[Node] | None, bool]:
        if type(value) is not dict or not all(type(one) is dict for one in value.values()):
            raise NotCoveredError
        places = {token: at for at, token in enumerate(value)}
        # In the order of PyLD, which sorts the keys of maps.
        stem = f"{inside.stem}/{known.token}"
        terms: list[Node] = [
            self.object(value[token], known, inside, naming.below(stem, token), places[token], in_map=True)
            for token in sorted(value)
        ]
        has_own = any("@id" in one for one in value.values())
        return (terms if len(terms) > 1 else terms[0] if terms else None), has_own or not terms

    def object(  # noqa: PLR0913 - where it stands, as the parts of a place
        self, source: Tree, known: KeyPlan, inside: _Inside, name: str, position: int | None, *, in_map: bool = False
    ) -> URIRef:
        if known.reading not in _OF_OBJECTS or "position" in source or source.keys() <= _REFERENCE:
            raise NotCoveredError
        leaf = None if in_map else _leaf(source)
        if leaf is None:
            return self.node(source, _Place(name, known.term, inside.plan, position, inside.depth, in_map))
        place = id(known.term), leaf
        said = self.leaves.get(place)
        if said is None or id(source) in self.names:
            subject = self.node(source, _Place(name, known.term, inside.plan, position, inside.depth))
            if not self.odd or self.odd[-1][0] is not subject:
                self.leaves[place] = self.index[subject]
            return subject
        self.names[id(source)] = name
        subject = _uri(name)
        self.index[subject] = said.copy()
        return subject

    def scalar(self, value: Any, reading: Reading) -> tuple[Literal | URIRef, bool]:
        """Return the term of a scalar, and whether it is read back as another JSON value."""
        kind = type(value)
        if kind not in (str, int, float, bool) or reading is Reading.NODE:
            raise NotCoveredError
        if reading is Reading.NAME:
            if kind is not str:
                raise NotCoveredError
            iri, is_same = self.plans.name(value)
            return iri, not is_same
        if reading is Reading.DATE:
            return self.value(value, DATETIME if kind is str else None), kind is not str
        if reading is Reading.DOUBLE:
            if kind is int and abs(value) > LARGEST_FOR_PYLD:
                raise NotCoveredError
            return self.value(value, DOUBLE if kind in (int, float) else None), kind is not float
        return self.text(value) if kind is str else self.value(value, None), False

    def text(self, value: str) -> Literal:
        known = self.texts.get(value)
        if known is None:
            known = self.texts[value] = Literal(value)
        return known

    def value(self, value: Any, datatype: str | None) -> Literal:
        place = type(value), value or repr(value), datatype
        known = self.values.get(place)
        if known is None:
            known = self.values[place] = literal_of(value, datatype)
        return known

    def complete(self) -> None:
        """Tell the residue of what the statements say otherwise than the document, children first."""
        reader = Compaction(self.index, self.plans.table)
        for subject, source, via, keys in reversed(self.odd):
            left = Residue()
            for key in keys:
                read = reader.members(subject, via, key.__eq__)
                told = {key: read[key]} if key in read else {}
                left = left.and_also(difference({key: source[key]}, told, self.names, ()))
            tell_residue(self.index, subject, left)

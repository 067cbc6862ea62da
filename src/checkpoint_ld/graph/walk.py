"""Expansion by a compiled context: one walk from a JSON tree to its statements.

It covers documents as they usually are and gives exactly what annotation, PyLD's expansion and completion give, or
raises NotCoveredError. Then those do the work, which takes twenty times as long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rdflib import URIRef

from checkpoint_ld.graph import naming
from checkpoint_ld.graph.annotation import LARGEST_FOR_PYLD
from checkpoint_ld.graph.compaction import POSITION, Compaction
from checkpoint_ld.graph.completion import tell_residue
from checkpoint_ld.graph.expansion import IDENTIFIER, RDF_TYPE
from checkpoint_ld.graph.literals import DATETIME, DOUBLE, Made, literal_of, text_literal
from checkpoint_ld.graph.named_values import SIZE, alike, is_plain
from checkpoint_ld.graph.plans import NotCoveredError, Reading, compiled
from checkpoint_ld.graph.residue import difference

if TYPE_CHECKING:
    from collections.abc import Container

    from rdflib import Literal
    from rdflib.term import Node

    from checkpoint_ld.graph.plans import KeyPlan, Plan
    from checkpoint_ld.graph.residue import Residue
    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.graph.terms import Term

Tree = dict[str, Any]
Inside = tuple["Plan", str, int]
"""What holds for the members of an object: what keys mean, how the names of objects below it begin, their depth."""

_PLAIN, _DATE, _DOUBLE, _NAME = Reading.PLAIN, Reading.DATE, Reading.DOUBLE, Reading.NAME
_NODE, _JSON, _PROPERTY = Reading.NODE, Reading.JSON, Reading.PROPERTY
_DEEPEST = 60
"""Levels of objects; deeper ones are left to the whole algorithm, which sets them apart."""
_REFERENCE = frozenset({"@id"})
_SCALARS = frozenset((str, int, float, bool))
_NO_SCALARS = (list, dict, type(None))
_ONLY_OBJECTS, _ONLY_TEXTS = {dict}, {str}
NOT_IN_STEM = ("#", "%23")
"""What would make names by place of two bases look alike."""


class Walk:
    """One walk through a tree; `odd` notes what the statements say otherwise, until `complete`.

    `taken` holds names that are in use elsewhere.
    """

    def __init__(self, own_context: object, taken: Container[object] = ()) -> None:
        self.plans = compiled(own_context)
        self.index: Index = {}
        self.taken = taken
        self.source: Tree = {}
        self.own: set[str] = set()
        self.names: dict[int, str] = {}
        self.odd: list[tuple[Node, Tree, list[KeyPlan]]] = []
        self.leaves: dict[tuple[object, ...], dict[Node, Node | list[Node]]] = {}
        self.texts = Made(self.text)
        self.dates = Made(self.date)
        self.values: dict[tuple[type, Any, str | None], Node] = {}

    def root(self, tree: Tree) -> str:
        """Hold the statements of a canonical tree; return the name of its root."""
        self.source = {key: value for key, value in tree.items() if key != "@context"}
        if "@type" not in tree:
            raise NotCoveredError
        self.node(self.source, naming.root_of(tree) if "@id" not in tree else "")
        return self.names[id(self.source)]

    def node(  # noqa: PLR0913 - where it stands, as the parts of a place
        self,
        source: Tree,
        name: str,
        via: Term | None = None,
        around: Plan | None = None,
        *,
        position: int | None = None,
        depth: int = 0,
        in_map: bool = False,
    ) -> Node:
        """Hold the statements of an object; return its node.

        `name` is its name by place, `via` the member of an object of `around` that it is a value of.
        """
        if id(source) in self.names or depth > _DEEPEST:
            raise NotCoveredError
        kind = source.get("@type")
        if type(kind) is not str and "@type" in source:
            raise NotCoveredError
        has_identifier = "@id" in source
        own = self.own_name(source) if has_identifier else None
        name = own or name
        self.names[id(source)] = name
        plan = self.plans.at(kind, via, around)
        predicates: dict[Node, Node | list[Node]] = {} if plan.type is None else {RDF_TYPE: self.iri(plan.type)}
        odd = self.members(source, (plan, name + "#" if own or "#" not in name else name, depth + 1), predicates)
        subject = self.named(name)
        if predicates:
            self.index[subject] = predicates
        if odd:
            self.odd.append((subject, source, odd))
        if has_identifier and source["@id"] != name:
            self.index.setdefault(subject, {})[IDENTIFIER] = self.texts[source["@id"]]
        if position is not None and (own is not None or in_map):
            self.index.setdefault(subject, {})[POSITION] = self.value(position, None)
        return subject

    def own_name(self, source: Tree) -> str | None:
        """Return the name that an object's own id gives it, None where another object has it."""
        identifier = source["@id"]
        if type(identifier) is not str:
            raise NotCoveredError
        name = naming.iri_of(identifier)
        if any(one in name for one in NOT_IN_STEM):
            raise NotCoveredError
        if name in self.own or URIRef(name) in self.taken:
            return None
        self.own.add(name)
        return name

    def members(self, source: Tree, inside: Inside, predicates: dict[Node, Node | list[Node]]) -> list[KeyPlan]:
        """Add the statements of an object's members; return those that say it otherwise than the object."""
        odd, texts = [], self.texts
        for known, value in zip(inside[0].members(tuple(source)), source.values(), strict=True):
            if known is None:
                continue
            if known.is_text and type(value) is str:
                predicates[known.predicate] = texts[value]
                continue
            term, is_odd = self.member(value, known, inside)
            if is_odd:
                odd.append(known)
            if term is not None:
                predicates[known.predicate] = term
        return odd

    def member(self, value: Any, known: KeyPlan, inside: Inside) -> tuple[Node | list[Node] | None, bool]:
        """Return the term or terms of a member's value, and whether they say it otherwise than the document does."""
        kind, reading = type(value), known.reading
        if reading is _JSON or (reading is _PROPERTY and kind in _NO_SCALARS):
            return self.json(value), known.is_set
        if value is None:
            return None, True
        if known.container == "@index":
            return self.map(value, known, inside)
        if kind is list:
            return self.array(value, known, inside)
        if kind is dict:
            return self.object(value, known, inside, f"{inside[1]}/{known.token}", None), known.is_set
        term, is_odd = self.scalar(value, reading)
        return term, is_odd or known.is_set

    def array(self, values: list[Any], known: KeyPlan, inside: Inside) -> tuple[Node | list[Node] | None, bool]:
        """Return what `member` does for an array."""
        if not values:
            return None, True
        terms: list[Node]
        kinds = set(map(type, values))
        if kinds == _ONLY_OBJECTS:
            terms, is_odd = self.objects(values, known, inside), False
        elif known.reading is _PLAIN and kinds == _ONLY_TEXTS:
            distinct = list(dict.fromkeys(values))
            terms = [self.texts[one] for one in distinct]
            is_odd = sorted(values) != values or len(distinct) != len(values)
        elif known.reading is _PLAIN:
            terms = list(dict.fromkeys(self.scalar(one, known.reading)[0] for one in values))
            is_odd = True
        else:
            raise NotCoveredError
        if len(terms) == 1:
            return terms[0], is_odd or not known.is_set
        return terms, is_odd

    def map(self, value: Any, known: KeyPlan, inside: Inside) -> tuple[Node | list[Node] | None, bool]:
        """Return what `member` does for objects by key."""
        if type(value) is not dict or not all(type(one) is dict for one in value.values()):
            raise NotCoveredError
        places = {token: at for at, token in enumerate(value)}
        # In the order of PyLD, which sorts the keys of maps.
        stem = f"{inside[1]}/{known.token}"
        terms: list[Node] = [
            self.object(value[token], known, inside, naming.below(stem, token), places[token], in_map=True)
            for token in sorted(value)
        ]
        has_own = any("@id" in one for one in value.values())
        return (terms if len(terms) > 1 else terms[0] if terms else None), has_own or not terms

    def objects(self, values: list[Tree], known: KeyPlan, inside: Inside) -> list[Node]:
        """Hold the statements of the objects of an array; return their nodes."""
        stem = f"{inside[1]}/{known.token}/"
        names, leaves, via = self.names, self.leaves, known.term
        nodes: list[Node] = []
        for at, one in enumerate(values):
            name = f"{stem}{at}"
            try:
                said = leaves.get(alike(one, via)) if len(one) == SIZE else None
            except TypeError:  # the value is an array or an object
                said = None
            if said is None or id(one) in names:
                nodes.append(self.object(one, known, inside, name, at))
                continue
            names[id(one)] = name
            subject = self.named(name)
            self.index[subject] = self.again(said)
            nodes.append(subject)
        return nodes

    def object(  # noqa: PLR0913 - where it stands, as the parts of a place
        self, source: Tree, known: KeyPlan, inside: Inside, name: str, position: int | None, *, in_map: bool = False
    ) -> Node:
        """Hold the statements of an object that is a value of `known`; return its node."""
        size = len(source)
        if not known.has_objects or "position" in source or (size < 2 and source.keys() <= _REFERENCE):
            raise NotCoveredError
        around, _, depth = inside
        subject = self.node(source, name, known.term, around, position=position, depth=depth, in_map=in_map)
        if size == SIZE and not in_map and is_plain(source) and not (self.odd and self.odd[-1][0] is subject):
            self.leaves[alike(source, known.term)] = self.index[subject]
        return subject

    def scalar(self, value: Any, reading: Reading) -> tuple[Node, bool]:
        """Return the term of a scalar, and whether it is read back as another JSON value."""
        kind = type(value)
        if reading is _DATE and kind is str:
            return self.dates[value], False
        if kind not in _SCALARS or reading is _NODE:
            raise NotCoveredError
        if reading is _NAME:
            if kind is not str:
                raise NotCoveredError
            iri, is_same = self.plans.name(value)
            return self.iri(iri), not is_same
        if reading is _DATE:
            return self.value(value, None), True
        if reading is _DOUBLE:
            if kind is int and abs(value) > LARGEST_FOR_PYLD:
                raise NotCoveredError
            return self.value(value, DOUBLE if kind in (int, float) else None), kind is not float
        return self.texts[value] if kind is str else self.value(value, None), False

    def again(self, said: dict[Node, Node | list[Node]]) -> dict[Node, Node | list[Node]]:
        """Return the statements about a node for another one of which the same is said."""
        return said.copy()

    def named(self, name: str) -> Node:
        """Return the node of an object whose name is an IRI."""
        # Looking whether it is one, as URIRef does, takes as long as the rest of the work on an object.
        return str.__new__(URIRef, name)

    def iri(self, iri: URIRef) -> Node:
        """Return the term of a type, or of another name in the vocabulary."""
        return iri

    def text(self, text: str) -> Node:
        """Make the literal of a text; `texts` remembers it."""
        return text_literal(text)

    def date(self, text: str) -> Node:
        """Make the literal of a text that should be a date and time; `dates` remembers it."""
        return literal_of(text, DATETIME)

    def value(self, value: Any, datatype: str | None) -> Node:
        """Return the literal of a scalar that is no text."""
        place = type(value), value or repr(value), datatype
        known = self.values.get(place)
        if known is None:
            known = self.values[place] = self.literal(literal_of(value, datatype))
        return known

    def json(self, value: Any) -> Node:
        """Return the literal of any JSON value."""
        return self.literal(literal_of(value, "@json"))

    def literal(self, literal: Literal) -> Node:
        """Return the term of a literal with a datatype."""
        return literal

    def complete(self) -> None:
        """Tell the residue of what the statements say otherwise than the document, children first."""
        reader = Compaction(self.index, self.plans.table)
        for subject, source, odd in reversed(self.odd):
            held = [known for known in odd if known.predicate in self.index.get(subject, ())]
            read = {known.key: reader.told(subject, known.predicate, known.term, coercion(known)) for known in held}
            tell_residue(self.index, subject, self.residue(source, odd, read))

    def residue(self, source: Tree, odd: list[KeyPlan], read: Tree) -> Residue:
        """Return the residue of some members of an object, given what the statements say of them."""
        return difference({known.key: source[known.key] for known in odd}, read, self.names, ())


def coercion(known: KeyPlan) -> str | None:
    """Return the coercion under which a member is read back, beside that of its term."""
    return "@json" if known.reading is _PROPERTY else None

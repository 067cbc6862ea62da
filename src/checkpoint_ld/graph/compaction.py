"""Compaction: nodes as JSON objects, with the residue that makes them equal to those of the document.

The residue is what RDF cannot express about an object. After a graph is built, each object is read back from it. The
members that differ are the residue: the order and repetition of plain values, an empty array, an explicit null, a key
that is no IRI. It is one `rdf:JSON` literal, and most nodes have none. It refers to nodes by name, so that it never
repeats a statement. A graph from elsewhere has none.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rdflib import BNode, Literal, URIRef

from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph import literals
from checkpoint_ld.graph.contexts import FIRST, IDENTIFIER, NIL, RDF_TYPE, REST, expand_name, is_property_value, named
from checkpoint_ld.graph.key_order import KEY, KEY_ORDER, in_order, orders_of
from checkpoint_ld.graph.literals import RDF_JSON, TEXT, XSD_INTEGER, TypedText, json_of, json_text, literal_of, same
from checkpoint_ld.graph.store import Index, terms_of
from checkpoint_ld.rules import finding
from checkpoint_ld.vocabulary import ID_BASE, KARENINA, SCHEMA, TEXTS, ordered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from rdflib.term import Node

    from checkpoint_ld.graph.contexts import Term, Terms, TermTable
    from checkpoint_ld.graph.store import Index


_DIGITS = 12
_NESTED_PER_NODE, _NESTED_AT_LEAST = 10, 10_000
"""How many objects a graph may become, by its nodes: one that many others refer to is repeated in each of them."""
_TANGLED = "so many nodes without a name refer to one another that the document would be many times as long"

RESIDUE = named(KARENINA + "residue")

NODE = "@node"
"""The key under which a residue names an object that is a node."""
TYPED = "@typed"
"""Key under which a residue holds a text with its language and its datatype."""
RAW = "@raw"
"""The key under which a residue holds an object that happens to have one of these keys."""


_MARKS = frozenset((NODE, TYPED, RAW))


@dataclass(frozen=True, slots=True)
class Ref:
    """A member's value that is a node of its own."""

    name: str


@dataclass(frozen=True, slots=True)
class Residue:
    """Corrections of the members that were read from statements.

    `members` are replaced or added, `absent` are removed, `set_apart` are added, since they are deliberately not in the
    graph. `read_as` holds a digest of the statements about each replaced or absent member: if somebody has changed
    these statements, they count, and the residue does not.
    """

    members: dict[str, Any] = field(default_factory=dict)
    absent: tuple[str, ...] = ()
    set_apart: dict[str, Any] = field(default_factory=dict)
    read_as: dict[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.members or self.absent or self.set_apart)

    def over(self, read: dict[str, Any]) -> dict[str, Any]:
        """Return the members of the document, given those that were read from statements."""
        kept = {key: value for key, value in read.items() if key not in self.absent or not self._counts(key, read)}
        stated = {key: decoded(value) for key, value in self.members.items() if self._counts(key, read)}
        apart = {key: value for key, value in self.set_apart.items() if self._counts(key, read)}
        return {**kept, **stated, **apart}

    def _counts(self, key: str, read: dict[str, Any]) -> bool:
        return self.read_as.get(key) == (_digest(read[key]) if key in read else None)

    def without(self, key: str) -> Residue:
        """Return the residue after the member `key` got a new value."""
        return Residue(
            {name: value for name, value in self.members.items() if name != key},
            tuple(name for name in self.absent if name != key),
            {name: value for name, value in self.set_apart.items() if name != key},
            {name: value for name, value in self.read_as.items() if name != key},
        )

    def and_also(self, other: Residue) -> Residue:
        """Return this residue together with `other`, which is about other members."""
        return Residue(
            {**self.members, **other.members},
            (*self.absent, *other.absent),
            {**self.set_apart, **other.set_apart},
            {**self.read_as, **other.read_as},
        )

    def joined(self, members: dict[str, Any], read: Mapping[str, Any]) -> Residue:
        """Return the residue with more members, given their values by the statements."""
        read_as = {key: _digest(read[key]) for key in members if key in read}
        return Residue({**self.members, **members}, self.absent, self.set_apart, {**self.read_as, **read_as})

    def as_json(self) -> dict[str, Any]:
        """Return the JSON value for the graph; it does not depend on the order of the document's members."""
        members, read_as, set_apart = (
            dict(sorted(part.items())) for part in (self.members, self.read_as, self.set_apart)
        )
        parts = {"members": members, "absent": sorted(self.absent), "readAs": read_as, "setApart": set_apart}
        return {name: part for name, part in parts.items() if part}

    @classmethod
    def of_json(cls, value: Any) -> Residue:
        """Read the JSON value of a graph; a value of another form gives an empty residue."""
        if not isinstance(value, dict):
            return cls()
        members, absent, set_apart, read_as = (value.get(name) for name in ("members", "absent", "setApart", "readAs"))
        return cls(
            members if isinstance(members, dict) else {},
            tuple(absent) if isinstance(absent, list) else (),
            set_apart if isinstance(set_apart, dict) else {},
            read_as if isinstance(read_as, dict) else {},
        )


def difference(
    source: Mapping[str, Any], read: Mapping[str, Any], names: Mapping[int, str], set_apart: tuple[str, ...]
) -> Residue:
    """Return the residue that turns `read` into `source`; `names` are those of its objects that are nodes."""
    members = {}
    for key, value in source.items():
        if key not in set_apart:
            encoded_value = encoded(value, names)
            if key not in read or not same(encoded_value, encoded(read[key], names)):
                members[key] = encoded_value
    absent = tuple(key for key in read if key not in source)
    read_as = {key: _digest(read[key]) for key in (*members, *absent, *set_apart) if key in read}
    return Residue(members, absent, {key: source[key] for key in set_apart}, read_as)


def _digest(read: Any) -> str:
    text = json_text(encoded(read, {}))
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def encoded(value: Any, names: Mapping[int, str]) -> Any:
    """Return a member's value with the objects that are nodes replaced by their names."""
    if isinstance(value, Ref):
        return {NODE: value.name}
    if isinstance(value, dict):
        name = names.get(id(value))
        if name is not None:
            return {NODE: name}
        if not _MARKS.isdisjoint(value):
            return {RAW: value}
        return {key: encoded(one, names) for key, one in value.items()}
    if isinstance(value, list):
        return [encoded(one, names) for one in value]
    return {TYPED: [str(value), value.language, value.datatype]} if isinstance(value, TypedText) else value


def decoded(value: Any) -> Any:
    """Return a member's value from its form in a residue."""
    if isinstance(value, dict):
        if value.keys() == {NODE} and isinstance(value[NODE], str):
            return Ref(value[NODE])
        if value.keys() == {TYPED}:
            return TypedText(*value[TYPED])
        if value.keys() == {RAW}:
            return value[RAW]
        return {key: decoded(one) for key, one in value.items()}
    if isinstance(value, list):
        return [decoded(one) for one in value]
    return value


def put_residue(index: Index, subject: Node, left: Residue) -> None:
    """Give a node its residue; a node without any statement leaves the index."""
    if left:
        index.setdefault(subject, {})[RESIDUE] = literal_of(left.as_json(), "@json")
    elif subject in index:
        index[subject].pop(RESIDUE, None)
        if not index[subject]:
            del index[subject]


POSITION = named(SCHEMA + "position")

_LARGEST = float("inf")
_INTEGERS = frozenset({XSD_INTEGER})  # looked up, since rdflib compares names slowly

Tree = dict[str, Any]


def residue_of(index: Index, subject: Node) -> Residue:
    """Return the residue of a node."""
    return parsed_residue(index.get(subject, {}).get(RESIDUE))


def parsed_residue(held: Node | list[Node] | None) -> Residue:
    """Return the residue that the literal of a node holds."""
    if not isinstance(held, Literal) or held.datatype != RDF_JSON:
        return Residue()
    return Residue.of_json(json_of(held, "@json"))


def coercion_of(key: str, term: Term | None, *, is_property: bool) -> str | None:
    """Return the type coercion under which the values of a member are read."""
    if is_property and key == "value":
        return "@json"
    coercion = term.coercion if term is not None else None
    return TEXT if coercion is None and key in TEXTS else coercion


def kind_of(held: Node | list[Node] | None) -> str | list[str] | None:
    """Return the type or types that a node has, as a document spells them."""
    types = [Compaction.type_name(str(one)) for one in terms_of(held)]
    return sorted(types) if len(types) > 1 else types[0] if types else None


class Compaction:
    """Reads objects from an index under the terms of a context.

    Plain values of one member are sorted, so that equal graphs give equal objects; with `as_found` they keep the order
    of the index. `has_typed_texts` is whether any text that was read has a language or a datatype.
    """

    has_typed_texts = False
    adds_contexts = False
    """Whether this is a writer, whose `local_context` may return one."""

    def __init__(self, index: Index, table: TermTable, *, as_found: bool = False) -> None:
        self.index = index
        self.table = table
        self.as_found = as_found
        self._left_to_nest = _NESTED_PER_NODE * len(index) + _NESTED_AT_LEAST

    def object(
        self,
        subject: Node,
        via: Term | None = None,
        visiting: frozenset[Node] = frozenset(),
        *,
        without: tuple[str, ...] = (),
    ) -> Tree:
        """Return the JSON object of `subject`, and of everything below it, in canonical order."""
        visiting = visiting | {subject}
        residue = residue_of(self.index, subject)
        terms = self.table.at(via, self.kind(subject))
        filled = {
            key: self._filled(value, terms.by_key.get(key), visiting)
            for key, value in residue.over(self.members(subject, via, lambda key: key not in without)).items()
            if key not in without
        }
        local = self.local_context(subject, filled, terms, via, residue)
        if self.adds_contexts and KEY_ORDER in self.index.get(subject, ()):
            filled = {**filled, KEY: orders_of(self.index[subject][KEY_ORDER])}
        return ordered({**filled, "@context": local} if local else filled, via.key if via else None)

    def local_context(self, subject: Node, members: Tree, terms: Terms, via: Term | None, residue: Residue) -> Tree:  # noqa: ARG002 - for a writer
        """Return the context that a writer adds to one object; a reader adds none."""
        return {}

    def _filled(self, value: Any, via: Term | None, visiting: frozenset[Node]) -> Any:
        if isinstance(value, Ref):
            node = BNode(value.name[2:]) if value.name.startswith("_:") else URIRef(value.name)
            if node in visiting:
                return self.reference(node, value.name)
            self._left_to_nest -= 1
            if self._left_to_nest < 0:
                remedy = "give the nodes that others refer to names, which are IRIs, so that they are stated once"
                raise ReadError.of([finding("rdf-syntax", _TANGLED, remedy=remedy)])
            return self.object(node, via, visiting) if node in self.index else {}
        if isinstance(value, list):
            return [self._filled(one, via, visiting) for one in value]
        if isinstance(value, dict):
            return {key: self._filled(one, via, visiting) for key, one in value.items()}
        return value

    def reference(self, node: Node, name: str) -> Tree:
        """Return the reference to a node where it would be nested in itself."""
        return {"@id": self.identifier(node) or name}

    def shallow(self, subject: Node, via: Term | None = None) -> Tree:
        """Return the members of `subject` as in the document, with references in place of nested objects."""
        return residue_of(self.index, subject).over(self.members(subject, via))

    def member(self, subject: Node, key: str, via: Term | None = None) -> Any:
        """Return one member as `shallow` gives it, None if it is absent; no other member is read."""
        return residue_of(self.index, subject).over(self.members(subject, via, key.__eq__)).get(key)

    def content(self, subject: Node, key: str, via: Term | None = None) -> Any:
        """Return one member as `object` gives it, None if it is absent; no other member is read."""
        terms = self.table.at(via, self.kind(subject))
        return self._filled(self.member(subject, key, via), terms.by_key.get(key), frozenset({subject}))

    def identifier(self, subject: Node) -> str | None:
        """Return the text of a node's `@id`, None if its name is minted."""
        held = self.index.get(subject, {}).get(IDENTIFIER)
        if held is not None:
            return str(terms_of(held)[0])
        if type(subject) is BNode or literals.is_minted(str(subject)):
            return None
        return literals.text_of(str(subject)) if str(subject).startswith(ID_BASE) else str(subject)

    def kind(self, subject: Node) -> str | list[str] | None:
        """Return the type or types of a node, as a document spells them."""
        return kind_of(self.index.get(subject, {}).get(RDF_TYPE))

    @staticmethod
    def type_name(iri: str) -> str:
        """Return the IRI of a type, or of any term of the vocabulary, as our context writes it."""
        if iri.startswith(SCHEMA):
            return iri[len(SCHEMA) :]
        return f"karenina:{iri[len(KARENINA) :]}" if iri.startswith(KARENINA) else literals.label_of(iri) or iri

    def members(self, subject: Node, via: Term | None = None, wanted: Callable[[str], bool] | None = None) -> Tree:
        """Return the members that the statements about `subject` give, with references in place of nested objects.

        `wanted`, if given, decides by key which members are read, beside the type and the identifier.
        """
        predicates = self.index.get(subject, {})
        members: Tree = {}
        kind = self.kind(subject)
        if kind is not None:
            members["@type"] = kind
        identifier = self.identifier(subject)
        if identifier is not None:
            members["@id"] = identifier
        terms = self.table.at(via, kind)
        is_property = is_property_value(kind, via)
        for predicate, held in predicates.items():
            if predicate in (RDF_TYPE, IDENTIFIER, RESIDUE, KEY_ORDER) or (predicate == POSITION and is_position(held)):
                continue
            key = terms.key_of(str(predicate))
            if wanted is not None and not wanted(key):
                continue
            term = terms.by_key.get(key)
            members[key] = self._member(terms_of(held), term, coercion_of(key, term, is_property=is_property))
        return in_order(members, orders_of(predicates[KEY_ORDER])) if KEY_ORDER in predicates else members

    def read_member(self, subject: Node, predicate: Node, term: Term | None, coercion: str | None) -> Any:
        """Return the same as `members` for one predicate of a node, whose key is that of `term`."""
        return self._member(terms_of(self.index[subject][predicate]), term, coercion)

    def _member(self, held: list[Node], term: Term | None, coercion: str | None) -> Any:
        if term is not None and coercion is None:
            coercion = term.coercion
        if term is not None and term.container == "@index":
            return {self.map_key(one): self._value(one, coercion) for one in sorted(held, key=self._rank)}
        if len(held) == 1 and (term is None or term.container != "@set"):
            return self._value(held[0], coercion)
        return [self._value(one, coercion) for one in self.in_order(held)]

    def terms(self, subject: Node, key: str) -> list[Node]:
        """Return the terms of a member, in the order of the document."""
        held = self.in_order(terms_of(self.index.get(subject, {}).get(self.predicate(subject, key))))
        if len(held) > 1 and key in residue_of(self.index, subject).members:
            places = {node: at for at, node in enumerate(refs(self.member(subject, key)))}
            held.sort(key=lambda node: places.get(node, len(places)))
        return held

    def predicate(self, subject: Node, key: str) -> Node:
        """Return the predicate that `key` means at a node."""
        if key == "@type":
            return RDF_TYPE
        term = self.table.at(None, self.kind(subject)).by_key.get(key)
        return URIRef(term.iri if term else expand_name(self.table.full(key)))

    def in_order(self, held: list[Node]) -> list[Node]:
        """Return the values of one member in their order."""
        if self.as_found or len(held) < 2:
            return held[:]
        # isinstance takes nine times as long where it is false, because rdflib's terms have an abstract base class.
        nodes = [one for one in held if type(one) is not Literal]
        literals = [one for one in held if type(one) is Literal]
        literals.sort(key=lambda one: (str(one.datatype or ""), one.language or "", str(one)))
        return [*sorted(nodes, key=self._rank), *literals]

    def _rank(self, node: Node) -> tuple[float, str]:
        return self._place(node), str(node)

    def _place(self, node: Node) -> float:
        """Return the index of a node in its array: its position, else the index in its name."""
        position = self.index.get(node, {}).get(POSITION)
        if position is not None and is_position(position):
            return int(str(position))
        token = literals.last_token(str(node)) if literals.is_minted(str(node)) else ""
        return int(token) if token.isdecimal() and token.isascii() and len(token) < 16 else _LARGEST

    def next_place(self, held: list[Node]) -> int:
        """Return the index after the last one of an array that is held in order."""
        last = self._place(held[-1]) if held else -1
        return len(held) if last == _LARGEST else int(last) + 1

    def map_key(self, node: Node) -> str:
        """Return the key of a node in the map that holds it, such as the nodes of a scenario."""
        if literals.is_minted(str(node)):
            return literals.last_token(str(node))
        own_key = self.index.get(node, {}).get(URIRef(KARENINA + "nodeId"))
        return str(terms_of(own_key)[0]) if own_key is not None else str(node)

    def _value(self, one: Node, coercion: str | None) -> Any:
        if type(one) is Literal:
            value = json_of(one, coercion)
            self.has_typed_texts |= isinstance(value, TypedText)
            return value
        if self.is_list(one):
            return {"@list": [self._value(entry, coercion) for entry in self.entries(one)]}
        label = literals.label_of(one) if type(one) is URIRef and one not in self.index else None
        if label is not None:
            return label if coercion == "@id" else {"@id": label}
        # A name by place without statements is that of an empty object.
        if (
            one in self.index
            or type(one) is BNode
            or any(URIRef(owner) in self.index for owner in literals.owners_of(str(one)))
        ):
            return Ref(f"_:{one}" if type(one) is BNode else str(one))
        if coercion == "@vocab":
            return self.type_name(str(one))
        text = self.identifier(one) or str(one)
        return text if coercion == "@id" else {"@id": text}

    def is_list(self, node: Node) -> bool:
        """Return whether a node is a list."""
        return FIRST in self.index.get(node, ()) or node == NIL

    def entries(self, node: Node) -> list[Node]:
        """Return the entries of a list; another node is its only entry."""
        entries: list[Node] = []
        cells: dict[Node, None] = {}
        while node not in cells and node != NIL and self.is_list(node):
            cells[node] = None
            entries += terms_of(self.index[node][FIRST])[:1]
            node = terms_of(self.index[node].get(REST, NIL))[0]
        self.note_cells(cells)
        return entries

    def note_cells(self, cells: Iterable[Node]) -> None:
        """Note that the cells of a list have been read."""


class WholeReading(Compaction):
    """Reads all nodes of an index: those below a root by `object`, then the others by `beside`."""

    def note_cells(self, cells: Iterable[Node]) -> None:
        """Note that the cells of a list have been read."""
        self.seen.update(cells)

    def __init__(self, index: Index, table: TermTable, *, as_found: bool = False) -> None:
        super().__init__(index, table, as_found=as_found)
        self.seen: set[Node] = set()
        """The nodes that have been read."""
        self._is_beside = False

    def members(self, subject: Node, via: Term | None = None, wanted: Callable[[str], bool] | None = None) -> Tree:
        """Return the members of a node, as `Compaction` does, and note that the node has been read."""
        self.seen.add(subject)
        return super().members(subject, via, wanted)

    def _filled(self, value: Any, via: Term | None, visiting: frozenset[Node]) -> Any:
        if self._is_beside and isinstance(value, Ref) and URIRef(value.name) in self.seen:
            return self.reference(URIRef(value.name), value.name)
        return super()._filled(value, via, visiting)

    def beside(self) -> list[Tree]:
        """Return the objects of the nodes that have not been read, with references to those that have."""
        self._is_beside = True
        left = [node for node in self.index if node not in self.seen]
        inner = {one for node in left for held in self.index[node].values() for one in terms_of(held) if one != node}
        left.sort(key=inner.__contains__)  # an object stands in the first one that refers to it
        return [self.object(node) for node in left if node not in self.seen]


def including(tree: Tree, objects: list[Tree]) -> Tree:
    """Return the tree of a root with `objects` in its `@included`."""
    held = tree.get("@included", [])
    return {**tree, "@included": [*(held if isinstance(held, list) else [held]), *objects]} if objects else tree


def refs(value: Any) -> Iterator[Node]:
    """Yield the references to nodes in a member's value."""
    if isinstance(value, Ref):
        yield BNode(value.name[2:]) if value.name.startswith("_:") else URIRef(value.name)
    elif isinstance(value, list | dict):
        for one in value if isinstance(value, list) else value.values():
            yield from refs(one)


def is_position(held: Node | list[Node]) -> bool:
    """Return whether the position that an object states can be an index of an array."""
    return isinstance(held, Literal) and held.datatype in _INTEGERS and held.isdecimal() and len(held) < 16

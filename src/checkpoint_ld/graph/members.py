"""Members of nodes in a subject index, by the terms of a context: identifiers, types, orders, and single values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rdflib import BNode, Literal, URIRef

from checkpoint_ld.graph import literals
from checkpoint_ld.graph.contexts import FIRST, IDENTIFIER, NIL, RDF_TYPE, REST, expand_name, named
from checkpoint_ld.graph.key_order import KEY_ORDER, in_order, orders_of
from checkpoint_ld.graph.layouts import MOST, POSITION, READS, Reads, Step, step_of
from checkpoint_ld.graph.literals import DATETIME, XSD_INTEGER, TypedText, json_of
from checkpoint_ld.graph.residue import Ref, refs, residue_of
from checkpoint_ld.graph.store import terms_of
from checkpoint_ld.vocabulary import ID_BASE, KARENINA, SCHEMA

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from rdflib.term import Node

    from checkpoint_ld.graph.contexts import Term, TermTable
    from checkpoint_ld.graph.store import Index

Tree = dict[str, Any]
Held = Mapping["Node", "Node | list[Node]"]
"""The statements about a node."""
NOTHING: dict[Any, Any] = {}

_LARGEST = float("inf")
_INTEGERS = frozenset({XSD_INTEGER})  # looked up, since rdflib compares names slowly
_LITERALS, _NODES = {Literal}, {URIRef}
_PLACES = [*map(str, range(64))]
"""The last tokens of minted names."""


def kind_of(held: Node | list[Node] | None) -> str | list[str] | None:
    """Return the type or types that a node has, as a document spells them."""
    types = [MemberReader.type_name(str(one)) for one in terms_of(held)]
    return sorted(types) if len(types) > 1 else types[0] if types else None


class MemberReader:
    """Reads members of nodes, with references in place of nested objects.

    Plain values of one member are sorted, so that equal graphs give equal objects; with `as_found` they keep the order
    of the index. `has_typed_texts` is whether any text that was read has a language or a datatype.
    """

    has_typed_texts = False
    has_plain_types = True
    """Whether types have the names that all readers give them."""

    def __init__(self, index: Index, table: TermTable, *, as_found: bool = False) -> None:
        self.index = index
        self.table = table
        self.as_found = as_found
        self.seen: dict[Node, bool] = {}
        """The nodes that have been read deeply, with the cells of their lists, and whether they are being read."""
        self._reads = READS.setdefault(table, {}) if self.has_plain_types else {}

    def shallow(self, subject: Node, via: Term | None = None) -> Tree:
        """Return the members of `subject` as in the document, with references in place of nested objects."""
        return residue_of(self.index, subject).over(self.members(subject, via))

    def member(self, subject: Node, key: str, via: Term | None = None) -> Any:
        """Return one member as `shallow` gives it, None if it is absent; no other member is read."""
        return residue_of(self.index, subject).over(self.members(subject, via, key.__eq__)).get(key)

    def members(self, subject: Node, via: Term | None = None, wanted: Callable[[str], bool] | None = None) -> Tree:
        """Return the members that the statements about `subject` give, with references in place of nested objects.

        `wanted`, if given, decides by key which members are read, beside the type and the identifier.
        """
        held = self.index.get(subject, NOTHING)
        reads = self._reads_at(held, via)
        steps = [step for step in map(reads.step, held) if step is not None and (wanted is None or wanted(step.key))]
        return self._shallow(subject, held, (*reads.heads, *steps), via)

    def _shallow(self, subject: Node, held: Held, steps: Iterable[Step], via: Term | None) -> Tree:
        members: Tree = {}
        for step in steps:
            value: Any
            if step.kind is not None:
                value = [*step.kind] if isinstance(step.kind, list) else step.kind
            elif step.predicate is None:
                value = self.name(subject, step)
            elif POSITION in held and step.predicate == POSITION and is_position(held[POSITION]):
                continue
            else:
                value = self.member_value(terms_of(held[step.predicate]), step, self._shallow_values(step))
            if value is not None or step.predicate is not None:
                members[step.key] = value
        if KEY_ORDER in held:
            members = in_order(members, orders_of(held[KEY_ORDER]))
        return self.renamed(subject, members, via)

    def read_member(self, subject: Node, predicate: Node, term: Term | None, *, is_property: bool) -> Any:
        """Return the same as `members` for one predicate of a node, whose key is that of `term`."""
        key = term.key if term is not None else "value" if is_property else ""
        step = step_of(key, predicate, term, is_property=is_property)
        return self.member_value(terms_of(self.index[subject][predicate]), step, self._shallow_values(step))

    def _shallow_values(self, step: Step) -> Callable[[Iterable[Node]], list[Any]]:
        return lambda terms: [self._value(one, step) for one in terms]

    def member_value(self, held: list[Node], step: Step, values: Callable[[Iterable[Node]], list[Any]]) -> Any:
        """Return the value of a member that has some terms, of which `values` are the JSON values."""
        if step.is_map:
            in_order = sorted(held, key=self._rank)
            return dict(zip(map(self.map_key, in_order), values(in_order), strict=True))
        return values(held)[0] if len(held) == 1 and not step.is_set else values(self.in_order(held))

    def _value(self, one: Node, step: Step) -> Any:
        """Return one value of a member, with references in place of nested objects."""
        coercion = step.coercion
        if type(one) is Literal:
            if one._datatype is None and one._language is None and coercion != DATETIME:  # noqa: SLF001 - twice as fast
                return str(one)
            value = json_of(one, coercion)
            if type(value) is TypedText:
                self.has_typed_texts = True
            return value
        if self.is_list(one):
            return {"@list": [self._value(entry, step) for entry in self.entries(one)]}
        label = literals.label_of(one) if type(one) is URIRef and one not in self.index else None
        if label is not None:
            return label if coercion == "@id" else {"@id": label}
        # A name by place without statements is that of an empty object.
        if (
            one in self.index
            or type(one) is BNode
            or any(URIRef(owner) in self.index for owner in literals.owners_of(str(one)))
        ):
            return Ref.to(one)
        if coercion == "@vocab":
            return self.type_name(str(one))
        text = self.identifier(one) or str(one)
        return text if coercion == "@id" else {"@id": text}

    def identifier(self, subject: Node) -> str | None:
        """Return the text of a node's `@id`, None if its name is minted."""
        held = self.index.get(subject, NOTHING).get(IDENTIFIER)
        if held is not None:
            return str(terms_of(held)[0])
        if type(subject) is BNode or literals.is_minted(str(subject)):
            return None
        return literals.text_of(str(subject)) if str(subject).startswith(ID_BASE) else str(subject)

    def kind(self, subject: Node) -> str | list[str] | None:
        """Return the type or types of a node, as a document spells them."""
        return self.kind_of(self.index.get(subject, NOTHING).get(RDF_TYPE))

    def kind_of(self, held: Node | list[Node] | None) -> str | list[str] | None:
        """Return the type or types with the names `held`, as a document spells them."""
        return kind_of(held)

    @staticmethod
    def type_name(iri: str) -> str:
        """Return the IRI of a type, or of any term of the vocabulary, as our context writes it."""
        if iri.startswith(SCHEMA):
            return iri[len(SCHEMA) :]
        return f"karenina:{iri[len(KARENINA) :]}" if iri.startswith(KARENINA) else literals.label_of(iri) or iri

    def terms(self, subject: Node, key: str) -> list[Node]:
        """Return the terms of a member, in the order of the document."""
        held = self.in_order(terms_of(self.index.get(subject, {}).get(self.predicate(subject, key))))
        if len(held) > 1 and key in residue_of(self.index, subject).members:
            places = {node: at for at, node in enumerate(refs(self.member(subject, key)))}
            held.sort(key=lambda node: places.get(node, len(places)))
        return held

    def predicate(self, subject: Node | None, key: str) -> Node:
        """Return the predicate that `key` means at a node, without one at any."""
        if key == "@type":
            return RDF_TYPE
        terms = self.table.base if subject is None else self.table.at(None, self.kind(subject))
        term = terms.by_key.get(key)
        return named(term.iri if term else expand_name(self.table.full(key)))

    def in_order(self, held: list[Node]) -> list[Node]:
        """Return the values of one member in their order."""
        if self.as_found or len(held) < 2:
            return held[:]
        if type(held[0]) is Literal and _are_texts(held):
            return sorted(held, key=str)
        if _are_in_order(held, self.index):
            return held
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
        self.seen.update(dict.fromkeys(cells, False))
        return entries

    def name(self, subject: Node, step: Step) -> str | None:  # noqa: ARG002 - for other families
        """Return the value of the member that has the identifier, None if there is none."""
        return self.identifier(subject)

    def reads_of(self, kinds: Any, via: Term | None) -> Reads:
        """Return the way to read nodes that have the type or types `kinds` and are values of `via`."""
        place = (id(via), kinds)  # what is kept keeps `via` alive, so that no other term gets its identity
        reads = self._reads.get(place)
        if reads is None:
            if len(self._reads) >= MOST:
                self._reads.clear()
            kind = self.kind_of([*kinds] if isinstance(kinds, tuple) else kinds)
            reads = self._reads[place] = Reads(via, kind, self.table)
        return reads

    def _reads_at(self, held: Held, via: Term | None) -> Reads:
        kinds = held.get(RDF_TYPE)
        return self.reads_of(tuple(kinds) if isinstance(kinds, list) else kinds, via)

    def renamed(self, subject: Node, row: Tree, via: Term | None) -> Tree:  # noqa: ARG002 - for readers of others
        """Return the members of a node, by the statements alone, under other keys."""
        return row


def is_position(held: Node | list[Node]) -> bool:
    """Return whether the position that an object states can be an index of an array."""
    return isinstance(held, Literal) and held.datatype in _INTEGERS and held.isdecimal() and len(held) < 16


def _are_texts(terms: Collection[Any]) -> bool:
    """Return whether terms are literals of plain text."""
    if {*map(type, terms)} != _LITERALS:
        return False
    return not any(one._datatype is not None or one._language is not None for one in terms)  # noqa: SLF001 - twice as fast


def _are_in_order(held: list[Any], index: Index) -> bool:
    """Return whether the names of nodes are minted by their indexes in an array, in ascending order."""
    stem, _, first = str(held[0]).rpartition("/") if held else ("", "", "")
    if first != "0" or "#" not in stem or {*map(type, held)} != _NODES:
        return False
    # One comparison of joined texts takes a fifth of the time of comparing the names one by one.
    while len(_PLACES) < len(held):
        _PLACES.append(str(len(_PLACES)))
    in_order = f"{stem}/" + f"\n{stem}/".join(_PLACES[: len(held)])
    return "\n".join(held) == in_order and True not in [POSITION in index.get(one, ()) for one in held]

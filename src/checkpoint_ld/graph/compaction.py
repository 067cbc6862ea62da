"""Compaction: nodes of a subject index as JSON objects in canonical order (JSON-LD 1.1 API §5.2 in our contexts).

A node is read deeply, with the objects of all nodes below it, or by single members, with references in place of nodes.
Nodes with the same predicates at the same place share one function (`layouts`), which only nodes with a residue, an
order of keys, or a position that is content go past.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Union

from rdflib import BNode, Literal, URIRef

from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph import literals
from checkpoint_ld.graph.contexts import FIRST, IDENTIFIER, NIL, RDF_TYPE, REST, expand_name, named
from checkpoint_ld.graph.key_order import KEY, KEY_ORDER, in_order, orders_of
from checkpoint_ld.graph.layouts import (
    KNOWN,
    MOST,
    POSITION,
    Known,
    Member,
    Place,
    Reads,
    Row,
    Step,
    row_function,
    step_of,
)
from checkpoint_ld.graph.literals import DATETIME, XSD_INTEGER, TypedText, json_of
from checkpoint_ld.graph.residue import RESIDUE, Ref, Residue, parsed_residue, refs, residue_of
from checkpoint_ld.graph.store import Several, terms_of
from checkpoint_ld.rules import finding
from checkpoint_ld.vocabulary import ID_BASE, KARENINA, SCHEMA, ordered

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from rdflib.term import Node

    from checkpoint_ld.graph.contexts import Term, TermTable
    from checkpoint_ld.graph.store import Index

Tree = dict[str, Any]
Held = Mapping["Node", "Node | list[Node]"]
Frame = Mapping[str, Union["Frame", frozenset[str], None]]
"""The requested members of an object, each with the frame of the nested objects, None for all. A set of texts selects
objects of an array by a member that has to be one of them; others may be left out."""

_NESTED_PER_NODE, _NESTED_AT_LEAST = 10, 10_000
"""How many objects a graph may become, by its nodes: one that many others refer to is repeated in each of them."""
_TANGLED = "so many nodes without a name refer to one another that the document would be many times as long"
_LARGEST = float("inf")
_INTEGERS = frozenset({XSD_INTEGER})  # looked up, since rdflib compares names slowly
_SCALARS = frozenset((str, int, float, bool, TypedText))
_LITERALS, _NODES, _LISTS = {Literal}, {URIRef}, frozenset((list, Several))
_NOTHING: dict[Any, Any] = {}
_CELL: dict[Node, Any] = {FIRST: NIL}
_PLACES = [*map(str, range(64))]
"""The last tokens of minted names."""


def kind_of(held: Node | list[Node] | None) -> str | list[str] | None:
    """Return the type or types that a node has, as a document spells them."""
    types = [Compaction.type_name(str(one)) for one in terms_of(held)]
    return sorted(types) if len(types) > 1 else types[0] if types else None


class _Whole(NamedTuple):
    """What else than the values of its statements a node needs to be read: how, and which members are requested."""

    reads: Reads
    members: Sequence[Member]
    only: Frame | None
    fills: dict[frozenset[str], Row]
    """Functions that fill in all members but some, for nodes with a residue about those."""
    has_name: bool


class Compaction:
    """Reads objects from an index under the terms of a context. The index must not change during one deep reading.

    Plain values of one member are sorted, so that equal graphs give equal objects; with `as_found` they keep the order
    of the index. `has_typed_texts` is whether any text that was read has a language or a datatype.
    """

    has_typed_texts = False
    remembers = True
    """Whether values of literals are remembered."""
    adds_contexts = False
    """Whether this is a writer, whose `with_context` may add one."""
    has_plain_types = True
    """Whether types have the names that all readers give them."""
    renames = False
    """Whether `renamed` has to see the members of every node, not only of those with a residue."""

    def __init__(self, index: Index, table: TermTable, *, as_found: bool = False) -> None:
        self.index = index
        self.statements = index.get
        self.table = table
        self.as_found = as_found
        self.seen: dict[Node, bool] = {}
        """The nodes that have been read deeply, with the cells of their lists, and whether they are being read."""
        self.values: defaultdict[str, dict[int, Any]] = defaultdict(dict)
        """The values of literals that were read, by `Step.memo` and by the identity of the literal."""
        self.names: defaultdict[str, dict[Node, str]] = defaultdict(dict)
        """The values of names that have no object, by `Step.memo`."""
        self.needs_context = False
        """Whether the object that is being read has a value because of which a writer may add a context."""
        self._is_beside = False
        self._known = KNOWN.setdefault(table, Known()) if self.has_plain_types else Known()
        self._left_to_nest = _NESTED_PER_NODE * len(index) + _NESTED_AT_LEAST

    # --- Deep reading.

    def objects(self, subjects: Iterable[Node], via: Term | None = None, only: Frame | None = None) -> list[Tree]:
        """Return the JSON objects of nodes that are values of `via`, with all nested objects.

        With `only`, members that it does not name may be left out.
        """
        self._start()
        return [self.object_below(one, via, only) for one in subjects]

    def object(self, subject: Node, via: Term | None = None, *, without: tuple[str, ...] = ()) -> Tree:
        """Return the JSON object of `subject`, and of everything below it, in canonical order."""
        self._start()
        if not without:
            return self.object_below(subject, via)
        self.seen[subject] = True
        held = self.index.get(subject, _NOTHING)
        return self._with_more(self._whole(self._reads_at(held, via), subject, held, None), subject, held, without)

    def _start(self) -> None:
        """Forget the nodes and the values that were read, because the index may have changed since."""
        self.seen.clear()
        self.values.clear()
        self.names.clear()

    def object_below(self, subject: Node, via: Term | None, only: Frame | None = None) -> Tree:
        """Return the object of a node as a part of the one that is being read."""
        held = self.index.get(subject, _NOTHING)
        rows = self.rows(via, only)
        self.seen[subject] = True
        members = (rows.get(tuple(held)) or self.row(rows, via, only, subject, held))(subject, held, self)
        self.seen[subject] = False
        return members

    def rows(self, via: Term | None, only: Frame | None) -> dict[tuple[Node, ...], Row]:
        """Return the functions by which values of `via` are read, by predicates."""
        places, key = self._known.places, (type(self), id(via), _frozen(only))
        place = places.get(key)
        if place is None:
            if len(places) >= MOST:
                places.clear()
            place = places[key] = Place({}, via)
        return place.rows

    def row(
        self, rows: dict[tuple[Node, ...], Row], via: Term | None, only: Frame | None, subject: Node, held: Held
    ) -> Row:
        """Return the function that reads nodes with the predicates of `subject`, which is added to `rows`.

        It is quick for nodes that have its type and are named as it is, and reads all others too.
        """
        alike: dict[tuple[Any, bool], Row] = {}

        def other(node: Node, statements: Held, reader: Compaction) -> Tree:
            kinds: Any = statements.get(RDF_TYPE)
            if type(kinds) in _LISTS:
                kinds = tuple(kinds)
            place = kinds, "#/" in node  # type: ignore[operator]  # a text
            row = alike.get(place)
            if row is None:
                if len(alike) >= MOST:
                    alike.clear()
                row = alike[place] = reader._filling(kinds, via, node, statements, only, None)
            return row(node, statements, reader)

        if len(rows) >= MOST:
            rows.clear()
        kind = held.get(RDF_TYPE)
        is_other = type(kind) in _LISTS or self._has_more(held)
        row = rows[tuple(held)] = other if is_other else self._filling(kind, via, subject, held, only, other)
        return row

    def _has_more(self, held: Held) -> bool:
        return self.renames or RESIDUE in held or KEY_ORDER in held

    def _filling(  # noqa: PLR0913, PLR0917 - a node, its place, and what is requested
        self, kinds: Any, via: Term | None, subject: Node, held: Held, only: Frame | None, other: Row | None
    ) -> Row:
        """Return the function that fills in the members of nodes like `subject`; it leaves others to `other`."""
        whole = self._whole(self.reads_of(kinds, via), subject, held, only)

        def more(node: Node, statements: Held, reader: Compaction) -> Tree:
            return reader._with_more(whole, node, statements)

        if self._has_more(held):
            return more
        writes = whole.reads if self.adds_contexts else None
        fill = row_function(whole.members, held, other, has_name=whole.has_name, writes=writes)
        if POSITION not in held:
            return fill
        return lambda node, held, reader: (fill if is_position(held[POSITION]) else other or more)(node, held, reader)

    def _whole(self, reads: Reads, subject: Node, held: Held, only: Frame | None) -> _Whole:
        """Return how the nodes are read that have the type and the predicates of one of them."""
        has_name = "#/" not in subject or IDENTIFIER in held  # type: ignore[operator]  # a text
        members = [
            self._member(step, at, held, None if only is None else only.get(step.key))
            for step, at in reads.layout(tuple(held))
            if (step.predicate is not None or has_name) and (only is None or step.key in only or step.key[:1] == "@")
        ]
        return _Whole(reads, members, only, {}, has_name)

    def _member(self, step: Step, at: int | None, held: Held, only: Frame | frozenset[str] | None) -> Member:
        """Return how the rows get one member."""
        if step.kind is not None:
            kinds = step.kind
            return Member(step, at, lambda _, __: kinds if isinstance(kinds, str) else [*kinds])
        if step.predicate is None:
            return Member(step, None, lambda node, reader: reader.name(node, step))
        read = self._value_reader(step, None if isinstance(only, frozenset) else only)
        has_memo = self.remembers and type(held[step.predicate]) is Literal and not (step.is_set or step.is_map)
        return Member(step, at, read, has_memo)

    def literal(self, term: Literal, step: Step) -> Any:
        """Return the value of a literal, which is remembered unless somebody may change it."""
        value = self._value(term, step)
        if type(value) in _SCALARS:
            self.values[step.memo][id(term)] = value
        return value

    def _value_reader(self, step: Step, only: Frame | None) -> Callable[[Any, Any], Any]:
        """Return the function from the value or values of a member, and a reader, to the JSON with all objects."""
        is_single, values = not (step.is_set or step.is_map), self._values_reader(step, only)

        def read(held: Any, reader: Compaction) -> Any:
            kind = type(held)
            if kind is Literal and is_single:
                return reader.literal(held, step)
            if kind is URIRef and is_single and FIRST not in reader.statements(held, _CELL):
                return values(reader, (held,))[0]
            if only is not None and kind in _LISTS:
                held = reader.selected(held, only)
            return reader.member_value(terms_of(held), step, partial(values, reader))

        return read

    def _values_reader(self, step: Step, only: Frame | None) -> Callable[[Any, Iterable[Any]], list[Any]]:
        via, rows = step.term, self.rows(step.term, only)
        has_objects = step.known is None or bool(step.known.holds)

        def values(reader: Compaction, terms: Iterable[Any]) -> list[Any]:
            statements, seen, names = reader.statements, reader.seen, reader.names[step.memo]
            found: list[Any] = []
            for term in terms:
                if type(term) is Literal:
                    found.append(reader.literal(term, step))
                    continue
                held = statements(term)
                if held is None or FIRST in held or not has_objects:
                    value = names.get(term)
                    if value is None:
                        value = reader.other_value(term, step)
                        if type(value) is str:
                            names[term] = value
                    found.append(value)
                elif term in seen:
                    found.append(reader.inside(term, via))
                else:
                    seen[term] = True
                    row = rows.get(tuple(held)) or reader.row(rows, via, only, term, held)
                    found.append(row(term, held, reader))
                    seen[term] = False
            return found

        return values

    def other_value(self, term: Node, step: Step) -> Any:
        """Return the value of a term that is no literal and has no object."""
        return self._filled(self._value(term, step), step.term)

    def selected(self, held: list[Node], only: Frame) -> list[Node]:
        """Return the nodes of an array without those that a frame certainly does not select."""
        for key, texts in only.items():
            if isinstance(texts, frozenset):
                predicate = self.predicate(None, key)
                held = [one for one in held if _may_be(self.index.get(one, _NOTHING).get(predicate), texts)]
        return held

    def _with_more(self, whole: _Whole, subject: Node, held: Held, without: tuple[str, ...] = ()) -> Tree:
        """Return the members of a node with its residue, the orders of its keys, its position and its context."""
        reads, residue = whole.reads, self.residue_in(held)
        keys = () if residue is None else (*residue.members, *residue.absent, *residue.set_apart)
        apart = frozenset((*without, *keys))
        fill = whole.fills.get(apart)
        if fill is None:
            members = [
                one._replace(read=None, has_memo=False) if one.step.key in apart else one for one in whole.members
            ]
            if len(whole.fills) >= MOST:
                whole.fills.clear()
            fill = whole.fills[apart] = row_function(members, held, None)
        outer, self.needs_context = self.needs_context, False
        row = self._with_position(whole, held, fill(subject, held, self))
        orders = orders_of(held[KEY_ORDER]) if KEY_ORDER in held else None
        row = in_order(row, orders) if orders else row
        if self.renames:
            row = {key: value for key, value in row.items() if key not in apart}
        row = self.renamed(subject, row, reads.via)
        filled = {} if residue is None else self._corrected(whole, subject, held, residue, without)
        for key in apart:
            if key not in filled:
                row.pop(key, None)
        if filled.keys() <= row.keys() and not self.renames:
            row.update(filled)
        else:
            row = ordered({**row, **filled}, reads.slot)
        if self.adds_contexts:
            if orders:
                row[KEY] = orders
            row = self.with_context(subject, held, reads, row, None if residue is None else (residue, filled))
        self.needs_context = outer
        self.seen[subject] = False
        return row

    def _with_position(self, whole: _Whole, held: Held, row: Tree) -> Tree:
        """Return the members of a node with a position that is content."""
        step = whole.reads.step(POSITION) if POSITION in held and not is_position(held[POSITION]) else None
        if step is None or (whole.only is not None and step.key not in whole.only):
            return row
        return ordered({**row, step.key: self._value_reader(step, None)(held[POSITION], self)}, whole.reads.slot)

    def _corrected(self, whole: _Whole, subject: Node, held: Held, residue: Residue, without: tuple[str, ...]) -> Tree:
        """Return the members about which a node has a residue, corrected by it."""
        reads, only = whole.reads, whole.only
        keys = {*residue.members, *residue.absent, *residue.set_apart}
        if only is not None and not any(key in only or key[:1] == "@" for key in keys):
            return {}
        steps = [member.step for member in whole.members if member.step.key in keys]
        if POSITION in held and (position := reads.step(POSITION)) is not None and position.key in keys:
            steps.append(position)
        read = self._shallow(subject, held, steps, reads.via)
        return {
            key: self._filled(value, reads.terms.by_key.get(key))
            for key, value in residue.over(read).items()
            if key not in without and (only is None or key in only or key[:1] == "@")
        }

    def name(self, subject: Node, step: Step) -> str | None:  # noqa: ARG002 - for other families
        """Return the value of the member that has the identifier, None if there is none."""
        return self.identifier(subject)

    def reads_of(self, kinds: Any, via: Term | None) -> Reads:
        """Return the way to read nodes that have the type or types `kinds` and are values of `via`."""
        place = (id(via), kinds)  # what is kept keeps `via` alive, so that no other term gets its identity
        known = self._known.reads
        reads = known.get(place)
        if reads is None:
            if len(known) >= MOST:
                known.clear()
            kind = self.kind_of([*kinds] if isinstance(kinds, tuple) else kinds)
            reads = known[place] = Reads(via, kind, self.table)
        return reads

    def _reads_at(self, held: Held, via: Term | None) -> Reads:
        kinds = held.get(RDF_TYPE)
        return self.reads_of(tuple(kinds) if isinstance(kinds, list) else kinds, via)

    def inside(self, node: Node, via: Term | None) -> Tree:
        """Return the object of a node in another one, or a reference where it would stand in itself."""
        is_above = self.seen.get(node)
        if is_above or (self._is_beside and is_above is not None):
            return {"@id": self.identifier(node) or Ref.to(node).name}
        if is_above is not None:
            self._left_to_nest -= 1
            if self._left_to_nest < 0:
                remedy = "give the nodes that others refer to names, which are IRIs, so that they are stated once"
                raise ReadError.of([finding("rdf-syntax", _TANGLED, remedy=remedy)])
        return self.object_below(node, via) if node in self.index else {}

    def _filled(self, value: Any, via: Term | None) -> Any:
        """Return a member's value with objects in place of the references to them."""
        if isinstance(value, Ref):
            return self.inside(value.node, via)
        if isinstance(value, list):
            return [self._filled(one, via) for one in value]
        if isinstance(value, dict):
            return {key: self._filled(one, via) for key, one in value.items()}
        return value

    def residue_in(self, held: Held) -> Residue | None:
        """Return the residue of a node, None if it has none."""
        return parsed_residue(held[RESIDUE]) if RESIDUE in held else None

    def with_context(
        self, subject: Node, held: Held, reads: Reads, row: Tree, corrected: tuple[Residue, Tree] | None = None
    ) -> Tree:
        """Return an object with the context that a writer adds, given its residue and what that corrects."""
        raise NotImplementedError

    def renamed(self, subject: Node, row: Tree, via: Term | None) -> Tree:  # noqa: ARG002 - for readers of others
        """Return the members of a node, by the statements alone, under other keys."""
        return row

    def beside(self) -> list[Tree]:
        """Return the objects of the nodes that have not been read, with references to those that have."""
        left = [node for node in self.index if node not in self.seen]
        if not left:
            return []
        self._is_beside = True
        inner = {one for node in left for held in self.index[node].values() for one in terms_of(held) if one != node}
        left.sort(key=inner.__contains__)  # an object stands in the first one that refers to it
        return [self.object_below(node, None) for node in left if node not in self.seen]

    # --- Members with references in place of nested objects.

    def shallow(self, subject: Node, via: Term | None = None) -> Tree:
        """Return the members of `subject` as in the document, with references in place of nested objects."""
        return residue_of(self.index, subject).over(self.members(subject, via))

    def member(self, subject: Node, key: str, via: Term | None = None) -> Any:
        """Return one member as `shallow` gives it, None if it is absent; no other member is read."""
        return residue_of(self.index, subject).over(self.members(subject, via, key.__eq__)).get(key)

    def content(self, subject: Node, key: str, via: Term | None = None) -> Any:
        """Return one member as `object` gives it, None if it is absent; no other member is read."""
        self._start()
        self.seen[subject] = True
        return self._filled(self.member(subject, key, via), self.table.at(via, self.kind(subject)).by_key.get(key))

    def members(self, subject: Node, via: Term | None = None, wanted: Callable[[str], bool] | None = None) -> Tree:
        """Return the members that the statements about `subject` give, with references in place of nested objects.

        `wanted`, if given, decides by key which members are read, beside the type and the identifier.
        """
        held = self.index.get(subject, _NOTHING)
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
            elif step.predicate == POSITION and is_position(held[POSITION]):
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

    # --- Identifiers, types and orders.

    def identifier(self, subject: Node) -> str | None:
        """Return the text of a node's `@id`, None if its name is minted."""
        held = self.index.get(subject, _NOTHING).get(IDENTIFIER)
        if held is not None:
            return str(terms_of(held)[0])
        if type(subject) is BNode or literals.is_minted(str(subject)):
            return None
        return literals.text_of(str(subject)) if str(subject).startswith(ID_BASE) else str(subject)

    def kind(self, subject: Node) -> str | list[str] | None:
        """Return the type or types of a node, as a document spells them."""
        return self.kind_of(self.index.get(subject, _NOTHING).get(RDF_TYPE))

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


def _frozen(only: Frame | frozenset[str] | None) -> Any:
    """Return a frame as a part of a key."""
    if only is None or isinstance(only, frozenset):
        return only
    return tuple([(key, _frozen(below)) for key, below in only.items()])


def including(tree: Tree, objects: list[Tree]) -> Tree:
    """Return the tree of a root with `objects` in its `@included`."""
    held = tree.get("@included", [])
    return {**tree, "@included": [*(held if isinstance(held, list) else [held]), *objects]} if objects else tree


def is_position(held: Node | list[Node]) -> bool:
    """Return whether the position that an object states can be an index of an array."""
    return isinstance(held, Literal) and held.datatype in _INTEGERS and held.isdecimal() and len(held) < 16


def _may_be(held: Any, texts: frozenset[str]) -> bool:
    return str(held) in texts if type(held) is Literal else held is not None


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

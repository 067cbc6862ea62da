"""Compaction: nodes of a subject index as JSON objects in canonical order (JSON-LD 1.1 API §5.2 in our contexts).

A node is read with the objects of all nodes below it; `members` reads single members. Nodes with the same predicates at
the same place share one function (`layouts`). Nodes with a residue or with an order of keys need more than that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Union

from rdflib import Literal, URIRef

from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph.contexts import FIRST, IDENTIFIER, NIL, RDF_TYPE
from checkpoint_ld.graph.key_order import KEY, KEY_ORDER, in_order, orders_of
from checkpoint_ld.graph.layouts import (
    MOST,
    POSITION,
    ROWS,
    MemberReading,
    Reads,
    Row,
    Rows,
    Step,
    row_function,
)
from checkpoint_ld.graph.literals import TypedText
from checkpoint_ld.graph.members import NOTHING, Held, MemberReader, Tree, is_position
from checkpoint_ld.graph.residue import RESIDUE, Ref, Residue, parsed_residue
from checkpoint_ld.graph.store import Several, terms_of
from checkpoint_ld.rules import finding
from checkpoint_ld.vocabulary import ordered

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rdflib.term import Node

    from checkpoint_ld.graph.contexts import Term, TermTable
    from checkpoint_ld.graph.store import Index

Frame = Mapping[str, Union["Frame", frozenset[str], None]]
"""The requested members of an object, each with the frame of the nested objects, None for all. A set of texts selects
objects of an array by a member that has to be one of them; others may be left out."""

_NESTED_PER_NODE, _NESTED_AT_LEAST = 10, 10_000
"""How many objects a graph may become, by its nodes: one that many others refer to is repeated in each of them."""
_TANGLED = "so many nodes without a name refer to one another that the document would be many times as long"
_SCALARS = frozenset((str, int, float, bool, TypedText))
_LISTS = frozenset((list, Several))
_CELL: dict[Node, Any] = {FIRST: NIL}


class _Whole(NamedTuple):
    """What else than the values of its statements a node needs to be read: how, and which members are requested."""

    reads: Reads
    members: Sequence[MemberReading]
    only: Frame | None
    fills: dict[frozenset[str], Row]
    """Functions that fill in all members but some, for nodes with a residue about those."""
    has_name: bool


class Compaction(MemberReader):
    """Reads objects from an index under the terms of a context. The index must not change during one deep reading."""

    adds_contexts = False
    """Whether this is a writer, whose `with_context` may add one."""
    renames = False
    """Whether `renamed` has to see the members of every node, not only of those with a residue."""

    def __init__(self, index: Index, table: TermTable, *, as_found: bool = False) -> None:
        super().__init__(index, table, as_found=as_found)
        self.values: defaultdict[str, dict[int, Any]] = defaultdict(dict)
        """The values of terms that were read and that have no object, by `Step.memo` and by identity."""
        self.needs_context = False
        """Whether the object that is being read has a value because of which a writer may add a context."""
        self._is_beside = False
        self._rows = ROWS.setdefault(table, {}) if self.has_plain_types else {}
        self._left_to_nest = _NESTED_PER_NODE * len(index) + _NESTED_AT_LEAST

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
        held = self.index.get(subject, NOTHING)
        return self.with_more(self._whole(self._reads_at(held, via), subject, held, None), subject, held, without)

    def _start(self) -> None:
        """Forget the nodes and the values that were read, because the index may have changed since."""
        self.seen.clear()
        self.values.clear()

    def object_below(self, subject: Node, via: Term | None, only: Frame | None = None) -> Tree:
        """Return the object of a node as a part of the one that is being read."""
        held = self.index.get(subject, NOTHING)
        rows = self.rows(via, only)
        self.seen[subject] = True
        members = (rows.get(tuple(held)) or self.row(rows, via, only, subject, held))(subject, held, self)
        self.seen[subject] = False
        return members

    def rows(self, via: Term | None, only: Frame | None) -> Rows:
        """Return the functions by which values of `via` are read, by predicates."""
        if len(self._rows) >= MOST:
            self._rows.clear()
        return self._rows.setdefault((type(self), id(via), _frozen(only)), {})

    def row(self, rows: Rows, via: Term | None, only: Frame | None, subject: Node, held: Held) -> Row:
        """Return the function that reads nodes with the predicates of `subject`, which is added to `rows`.

        It is quick for nodes that have its type and are named as it is, and reads all others too.
        """
        alike: dict[tuple[Any, ...], Row] = {}

        def other(node: Node, statements: Held, reader: Compaction) -> Tree:
            kinds: Any = statements.get(RDF_TYPE)
            if type(kinds) in _LISTS:
                kinds = tuple(kinds)
            is_placed = POSITION not in statements or is_position(statements[POSITION])
            place = kinds, "#/" in node, is_placed  # type: ignore[operator]  # a text
            row = alike.get(place)
            if row is None:
                if len(alike) >= MOST:
                    alike.clear()
                row = alike[place] = reader._filling(kinds, via, node, statements, only, None)
            return row(node, statements, reader)

        if len(rows) >= MOST:
            rows.clear()
        kind = held.get(RDF_TYPE)
        is_other = type(kind) in _LISTS or POSITION in held or self._has_more(held)
        row = rows[tuple(held)] = other if is_other else self._filling(kind, via, subject, held, only, other)
        return row

    def _has_more(self, held: Held) -> bool:
        return self.renames or RESIDUE in held or KEY_ORDER in held

    def _filling(  # noqa: PLR0913, PLR0917 - a node, its place, and what is requested
        self, kinds: Any, via: Term | None, subject: Node, held: Held, only: Frame | None, other: Row | None
    ) -> Row:
        """Return the function that fills in the members of nodes like `subject`; it leaves others to `other`."""
        whole = self._whole(self.reads_of(kinds, via), subject, held, only)
        if self._has_more(held):
            return lambda node, statements, reader: reader.with_more(whole, node, statements)
        writes = whole.reads if self.adds_contexts else None
        return row_function(whole.members, held, other, has_name=whole.has_name, writes=writes)

    def _whole(self, reads: Reads, subject: Node, held: Held, only: Frame | None) -> _Whole:
        """Return how the nodes are read that have the type and the predicates of one of them."""
        has_name = "#/" not in subject or IDENTIFIER in held  # type: ignore[operator]  # a text
        members = [
            self._member(step, at, held, None if only is None else only.get(step.key))
            for step, at in reads.layout(tuple(held))
            if (step.predicate is not None or has_name)
            and (step.predicate != POSITION or not is_position(held[POSITION]))
            and (only is None or step.key in only or step.key[:1] == "@")
        ]
        return _Whole(reads, members, only, {}, has_name)

    def _member(self, step: Step, at: int | None, held: Held, only: Frame | frozenset[str] | None) -> MemberReading:
        """Return how the rows get one member."""
        if step.kind is not None:
            kinds = step.kind
            return MemberReading(step, at, lambda _, __: kinds if isinstance(kinds, str) else [*kinds])
        if step.predicate is None:
            return MemberReading(step, None, lambda node, reader: reader.name(node, step))
        read = self._value_reader(step, None if isinstance(only, frozenset) else only)
        has_memo = type(held[step.predicate]) is Literal and not (step.is_set or step.is_map)
        return MemberReading(step, at, read, has_memo)

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
            if kind is URIRef and is_single and FIRST not in reader.index.get(held, _CELL):
                return values(reader, (held,))[0]
            if only is not None and kind in _LISTS:
                held = reader.selected(held, only)
            return reader.member_value(terms_of(held), step, partial(values, reader))

        return read

    def _values_reader(self, step: Step, only: Frame | None) -> Callable[[Any, Iterable[Any]], list[Any]]:
        via, rows = step.term, self.rows(step.term, only)
        has_objects = step.known is None or bool(step.known.holds)

        def values(reader: Compaction, terms: Iterable[Any]) -> list[Any]:
            statements, seen, names = reader.index.get, reader.seen, reader.values[step.memo]
            found: list[Any] = []
            for term in terms:
                if type(term) is Literal:
                    found.append(reader.literal(term, step))
                    continue
                held = statements(term)
                if held is None or FIRST in held or not has_objects:
                    value = names.get(id(term))
                    if value is None:
                        value = reader.other_value(term, step)
                        if type(value) is str:
                            names[id(term)] = value
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
                held = [one for one in held if _may_be(self.index.get(one, NOTHING).get(predicate), texts)]
        return held

    def with_more(self, whole: _Whole, subject: Node, held: Held, without: tuple[str, ...] = ()) -> Tree:
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
        row = fill(subject, held, self)
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
        return row

    def _corrected(self, whole: _Whole, subject: Node, held: Held, residue: Residue, without: tuple[str, ...]) -> Tree:
        """Return the members about which a node has a residue, corrected by it."""
        reads, only = whole.reads, whole.only
        keys = {*residue.members, *residue.absent, *residue.set_apart}
        if only is not None and not any(key in only or key[:1] == "@" for key in keys):
            return {}
        steps = [member.step for member in whole.members if member.step.key in keys]
        read = self._shallow(subject, held, steps, reads.via)
        return {
            key: self._filled(value, reads.terms.by_key.get(key))
            for key, value in residue.over(read).items()
            if key not in without and (only is None or key in only or key[:1] == "@")
        }

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

    def content(self, subject: Node, key: str, via: Term | None = None) -> Any:
        """Return one member as `object` gives it, None if it is absent; no other member is read."""
        self._start()
        self.seen[subject] = True
        return self._filled(self.member(subject, key, via), self.table.at(via, self.kind(subject)).by_key.get(key))

    def beside(self) -> list[Tree]:
        """Return the objects of the nodes that have not been read, with references to those that have."""
        left = [node for node in self.index if node not in self.seen]
        if not left:
            return []
        self._is_beside = True
        inner = {one for node in left for held in self.index[node].values() for one in terms_of(held) if one != node}
        # An object stands in the first one that refers to it. In a circle, that is one that has a name to refer to.
        left.sort(key=lambda node: (node in inner, node in inner and self.identifier(node) is None))
        return [self.object_below(node, None) for node in left if node not in self.seen]


def _frozen(only: Frame | frozenset[str] | None) -> Any:
    """Return a frame as a part of a key."""
    if only is None or isinstance(only, frozenset):
        return only
    return tuple([(key, _frozen(below)) for key, below in only.items()])


def including(tree: Tree, objects: list[Tree]) -> Tree:
    """Return the tree of a root with `objects` in its `@included`."""
    held = tree.get("@included", [])
    return {**tree, "@included": [*(held if isinstance(held, list) else [held]), *objects]} if objects else tree


def _may_be(held: Any, texts: frozenset[str]) -> bool:
    return str(held) in texts if type(held) is Literal else held is not None

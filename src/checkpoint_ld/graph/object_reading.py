"""Reading many nodes as JSON objects at once: from the subject index to objects in canonical order.

Nodes of one type at one place are read together, predicate by predicate: the key of a predicate, the way to read its
values and the order of members are found once for all of them. If a node occurs at several places, `Compaction` reads
the graph node by node; it gives the same objects.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, Union
from weakref import WeakKeyDictionary

from rdflib import Literal, URIRef

from checkpoint_ld.documents.values import copied
from checkpoint_ld.graph.columns import grouped
from checkpoint_ld.graph.compaction import (
    POSITION,
    RESIDUE,
    Compaction,
    Ref,
    Residue,
    coercion_of,
    is_position,
    kind_of,
    parsed_residue,
)
from checkpoint_ld.graph.contexts import FIRST, IDENTIFIER, RDF_TYPE, expand_name, is_property_value, named
from checkpoint_ld.graph.key_order import KEY, KEY_ORDER, in_order, orders_of
from checkpoint_ld.graph.literals import DATETIME, TypedText, json_of
from checkpoint_ld.graph.store import Several, terms_of
from checkpoint_ld.vocabulary import ordered, rank_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from rdflib.term import Node

    from checkpoint_ld.graph.contexts import Term, TermTable
    from checkpoint_ld.graph.plans import KeyPlan
    from checkpoint_ld.graph.store import Index

Tree = dict[str, Any]
Predicates = dict["Node", "Node | list[Node]"]
Frame = Mapping[str, Union["Frame", frozenset[str], None]]
"""The requested members of an object, each with the frame of the nested objects, None for all. A set of texts selects
objects of an array by a member that has to be one of them; others may be left out."""

_MOST = 4096
"""So many places and predicates are remembered for one context, so that documents without repetition fill no memory."""
_READINGS = 4
"""All nodes may be read so often: a residue can name some of them again, but a cycle of nodes must end."""
_NO_MEMBERS = frozenset({RDF_TYPE, IDENTIFIER, RESIDUE, KEY_ORDER})
_HEAD = frozenset(("@type", "@id"))
_LITERALS, _NODES, _LISTS = {Literal}, {URIRef}, {list, Several}
_CONTAINERS = frozenset((dict, list))
_NOWHERE: frozenset[Node] = frozenset()
_NO_RESIDUE = Residue()
_TEXTS = {str}
_PLACES = [*map(str, range(64))]
"""The last tokens of minted names."""


class _NoTreeError(Exception):
    """A node occurs at several places below the nodes that are read, perhaps below itself."""


class Step(NamedTuple):
    """One member: its key, its predicate, the way to read its values, and its rank among the members."""

    key: str
    predicate: Node
    rank: tuple[int, str]
    coercion: str | None = None
    term: Term | None = None
    is_map: bool = False
    is_set: bool = False
    known: KeyPlan | None = None
    """The meaning of the key, for a family whose keys are compiled."""


class Reads:
    """The way to read nodes of one type that are values of `via`; `steps` are found when a predicate first occurs."""

    def __init__(self, via: Term | None, kind: str | list[str] | None, table: TermTable) -> None:
        self.via = via
        self.kind = kind
        self.terms = table.at(via, kind)
        self.is_property = is_property_value(kind, via)
        self._steps: dict[Node, Step | None] = dict.fromkeys(_NO_MEMBERS)

    def step(self, predicate: Node) -> Step | None:
        """Return the way to read a member, None for a predicate that is no member."""
        try:
            return self._steps[predicate]
        except KeyError:
            if len(self._steps) >= _MOST:
                self._steps = dict.fromkeys(_NO_MEMBERS)
            step = self._steps[predicate] = self.learnt(predicate)
            return step

    def learnt(self, predicate: Node) -> Step | None:
        """Find the way to read a member."""
        key = self.terms.key_of(str(predicate))
        term = self.terms.by_key.get(key)
        coercion = coercion_of(key, term, is_property=self.is_property)
        container = term.container if term is not None else None
        return Step(key, predicate, self.rank(key), coercion, term, container == "@index", container == "@set")

    def rank(self, key: str) -> tuple[int, str]:
        """Return the sort key of a member."""
        return rank_of(key, self.kind, self.via.key if self.via is not None else None)


class _Nodes(NamedTuple):
    """Nodes that are read together, the statements about each, and their objects."""

    subjects: Sequence[Node]
    held_by: Sequence[Predicates]
    objects: list[Tree]


Found = tuple[tuple[int, str], str, "Sequence[int]", "Sequence[Any]"]
"""The sort key of a member, its key, the rows of the objects that have it, and its values."""

_READS: WeakKeyDictionary[TermTable, dict[tuple[object, ...], Reads]] = WeakKeyDictionary()


class ObjectReading(Compaction):
    """One reading of nodes in an index under the terms of a context. The index must not change meanwhile."""

    def __init__(self, index: Index, table: TermTable) -> None:
        super().__init__(index, table)
        self._reads = _READS.setdefault(table, {})
        self._left: float | None = None
        """The number of nodes that may still be read together; None outside of `objects`."""

    def objects(self, subjects: Iterable[Node], via: Term | None = None, only: Frame | None = None) -> list[Tree]:
        """Return the JSON objects of nodes that are values of `via`, with all nested objects.

        With `only`, members that it does not name may be left out.
        """
        nodes = list(subjects)
        if self._left is not None:
            return self._together(nodes, via, only)
        self._left = _READINGS * (len(self.index) + len(nodes))
        try:
            return self._together(nodes, via, only)
        except (_NoTreeError, RecursionError):  # nodes that hold one another
            pass
        finally:
            self._left = None
        return [super(ObjectReading, self).object(one, via) for one in nodes]

    def object(
        self,
        subject: Node,
        via: Term | None = None,
        visiting: frozenset[Node] = _NOWHERE,
        *,
        without: tuple[str, ...] = (),
    ) -> Tree:
        """Return the JSON object of `subject`, with all nested objects, in canonical order."""
        if visiting or without:
            return super().object(subject, via, visiting, without=without)
        return self.objects((subject,), via)[0]

    def needing(self, reads: Reads, step: Step, values: Sequence[Any]) -> Iterable[int]:  # noqa: ARG002 - for a writer
        """Return which objects, by the values of one member, a writer adds a context to."""
        return ()

    def _together(self, subjects: Sequence[Node], via: Term | None, only: Frame | None) -> list[Tree]:
        self._left = (self._left or 0) - len(subjects)
        if self._left < 0:
            raise _NoTreeError
        held_by = [self.index.get(one, {}) for one in subjects]
        kinds = [held.get(RDF_TYPE) for held in held_by]
        if not {list, Several}.isdisjoint(map(type, kinds)):
            kinds = [tuple(one) if isinstance(one, list) else one for one in kinds]  # type: ignore[misc]  # hashable
        keys: Iterable[Iterable[Node]] = held_by
        if only is not None:  # members that are not requested do not separate nodes
            wanted = (*self._predicates(only), *_NO_MEMBERS)
            keys = (filter(held.__contains__, wanted) for held in held_by)
        objects: list[Tree] = [{} for _ in subjects]
        parts: dict[Any, dict[Node, list[int]]] = {}
        for (kind, predicates), rows in grouped([*zip(kinds, map(tuple, keys), strict=True)]):
            columns = parts.setdefault(kind, {RDF_TYPE: []})
            for predicate in predicates if kind is not None else (RDF_TYPE, *predicates):
                columns.setdefault(predicate, []).extend(rows)
        for kind, columns in parts.items():
            self._alike(self.reads_of(kind, via), columns, _Nodes(subjects, held_by, objects), only)
        return objects

    def reads_of(self, kind: Any, via: Term | None) -> Reads:
        """Return the way to read nodes that have the type or types `kind` and are values of `via`."""
        place = (id(via), kind)  # what is kept keeps `via` alive, so that no other term gets its identity
        reads = self._reads.get(place)
        if reads is None:
            if len(self._reads) >= _MOST:
                self._reads.clear()
            name = kind_of([*kind] if isinstance(kind, tuple) else kind)
            reads = self._reads[place] = Reads(via, name, self.table)
        return reads

    def _alike(self, reads: Reads, columns: dict[Node, list[int]], nodes: _Nodes, only: Frame | None) -> None:
        """Fill in the objects of nodes of one type; `columns` has the rows of the nodes by predicate."""
        subjects, held_by, objects = nodes
        found = self.heads(reads, columns, subjects)
        with_residue = columns.get(RESIDUE, ())
        needing: set[int] = set()
        for predicate, every in columns.items():
            step = reads.step(predicate)
            if step is None:
                continue
            rows: Sequence[int] = every
            if predicate == POSITION:
                rows = [at for at in every if not is_position(held_by[at][POSITION])]
            if rows and (only is None or step.key in only):
                below = None if only is None else only[step.key]
                values = [held_by[at][predicate] for at in rows]
                read = self.column(values, step, None if isinstance(below, frozenset) else below)
                found.append((step.rank, step.key, rows, read))
                needing.update(map(rows.__getitem__, self.needing(reads, step, read)))
        for _, key, rows, read in sorted(found, key=itemgetter(0)):
            for at, value in zip(rows, read, strict=True):
                objects[at][key] = value
        self._put_in_order(columns.get(KEY_ORDER, ()), nodes)
        for at in needing.difference(with_residue):
            members = self._as_found(reads, held_by[at], objects[at])
            local = self.local_context(subjects[at], members, reads.terms, reads.via, _NO_RESIDUE)
            if local:
                objects[at] = {"@context": local, **objects[at]}
        for at in with_residue:
            row = objects[at]
            objects[at] = self.with_residue(reads, subjects[at], held_by[at], row, only, is_needing=at in needing)

    def _put_in_order(self, rows: Sequence[int], nodes: _Nodes) -> None:
        """Put the keys of the objects in `rows` in the orders that their nodes state."""
        for at in rows:
            orders = orders_of(nodes.held_by[at][KEY_ORDER])
            nodes.objects[at] = in_order(nodes.objects[at], orders)
            if self.adds_contexts:
                nodes.objects[at][KEY] = orders

    def heads(self, reads: Reads, columns: dict[Node, list[int]], subjects: Sequence[Node]) -> list[Found]:
        """Return the types and the identifiers of nodes of one type."""
        found: list[Found] = []
        kind, every = reads.kind, columns[RDF_TYPE]
        if kind is not None:
            kinds: list[Any] = [kind] * len(every) if isinstance(kind, str) else [[*kind] for _ in every]
            found.append((reads.rank("@type"), "@type", every, kinds))
        identified = {*columns.get(IDENTIFIER, ())}
        at_names = [at for at in every if at in identified or "#/" not in subjects[at]]  # type: ignore[operator]  # a text
        own = {at: name for at in at_names if (name := self.identifier(subjects[at])) is not None}
        if own:
            found.append((reads.rank("@id"), "@id", [*own], [*own.values()]))
        return found

    def _as_found(self, reads: Reads, held: Predicates, members: Tree) -> Tree:
        """Return the members of an object in the order of the index."""
        keys = ("@type", "@id", *(step.key for step in map(reads.step, held) if step is not None), KEY)
        return {key: members[key] for key in keys if key in members}

    def column(self, values: list[Any], step: Step, only: Frame | None) -> Sequence[Any]:
        """Return the values of one member of several objects, with all nested objects."""
        if step.is_map:
            return [
                self._filled(self._member(terms_of(one), step.term, step.coercion), step.term, _NOWHERE)
                for one in values
            ]
        values = values if only is None else self._framed(values, only)
        sizes: list[int] | None = None
        terms = values
        if not _LISTS.isdisjoint(map(type, values)):
            in_order = [self.values_in_order(one, step) if isinstance(one, list) else (one,) for one in values]
            sizes, terms = [*map(len, in_order)], [*chain(*in_order)]
        at_nodes = [] if {*map(type, terms)} == _LITERALS else self.at_nodes(terms, step)
        if len(at_nodes) == len(terms):
            found = self.objects(terms, step.term, only)
        else:
            found = self.scalars(terms, step)
            below = self.objects([terms[at] for at in at_nodes], step.term, only) if at_nodes else ()
            for at, one in zip(at_nodes, below, strict=True):
                found[at] = one
        if sizes is None and not step.is_set:
            return found
        every, sizes = iter(found), sizes or [1] * len(terms)
        return [next(every) if size == 1 and not step.is_set else [*islice(every, size)] for size in sizes]

    def values_in_order(self, held: list[Node], step: Step) -> list[Node]:  # noqa: ARG002 - for other families
        """Return the values of one member in their order."""
        return self.in_order(held)

    def at_nodes(self, terms: Sequence[Node], step: Step) -> list[int]:  # noqa: ARG002 - as above
        """Return which values of a member are objects."""
        index = self.index
        return [at for at, one in enumerate(terms) if one in index and FIRST not in index[one]]

    def _predicates(self, only: Frame) -> tuple[URIRef, ...]:
        """Return the predicates of the members that a frame names."""
        terms = self.table.base.by_key
        return tuple(named(terms[key].iri if key in terms else expand_name(key)) for key in only)

    def _framed(self, values: list[Any], only: Frame) -> list[Any]:
        """Return arrays of nodes without those that a frame certainly does not select."""
        index = self.index
        for predicate, texts in zip(self._predicates(only), only.values(), strict=True):
            if isinstance(texts, frozenset):
                values = [
                    [node for node in one if _may_be(index.get(node, {}).get(predicate), texts)]
                    if type(one) is list
                    else one
                    for one in values
                ]
        return values

    def scalars(self, values: list[Any], step: Step) -> list[Any]:
        """Return the JSON values of literals and of IRIs that are no nodes; each distinct term is read once."""
        coercion = step.coercion
        terms = dict(zip(map(id, values), values, strict=True))
        if coercion != DATETIME and _are_texts(terms.values()):
            read: dict[int, Any] = dict(zip(terms, map(str, terms.values()), strict=True))
            return [*map(read.__getitem__, map(id, values))]
        if {*map(type, terms.values())} == _LITERALS:
            read = {at: json_of(term, coercion) for at, term in terms.items()}
            self.has_typed_texts |= TypedText in map(type, read.values())
        else:
            named = {at: self._value(term, coercion) for at, term in terms.items()}
            read = {
                at: {} if isinstance(one, Ref) else self._filled_all(one, step.term) if type(one) is dict else one
                for at, one in named.items()
            }
        if len(read) < len(values) and not _CONTAINERS.isdisjoint(map(type, read.values())):
            found = map(read.__getitem__, map(id, values))
            return [copied(one) if type(one) in _CONTAINERS else one for one in found]
        return [*map(read.__getitem__, map(id, values))]

    def with_residue(  # noqa: PLR0913 - an object in the forms that it has on its way
        self, reads: Reads, subject: Node, held: Predicates, row: Tree, only: Frame | None, *, is_needing: bool
    ) -> Tree:
        """Return an object corrected by its residue; it gets a context if it is `is_needing` one."""
        residue = parsed_residue(held[RESIDUE])
        keys = {*residue.members, *residue.absent, *residue.set_apart}
        if only is not None and not any(key in only or key[:1] == "@" for key in keys):
            return row
        read: Tree = {key: row[key] for key in ("@type", "@id") if key in row}
        for predicate in held:
            step = reads.step(predicate)
            if step is not None and step.key in keys and step.key in row:
                value = row[step.key]
                are_texts = type(value) is list and {*map(type, value)} == _TEXTS
                read[step.key] = (
                    value if are_texts else self.read_member(subject, step.predicate, step.term, step.coercion)
                )
        stated = {key: one for key, one in residue.over(read).items() if only is None or key in only or key[:1] == "@"}
        filled = {key: self._filled_all(value, reads.terms.by_key.get(key)) for key, value in stated.items()}
        every = {**{key: one for key, one in row.items() if key not in read or key in filled}, **filled}
        if self.adds_contexts and (
            is_needing
            or not _HEAD.isdisjoint(keys)
            or self.local_context(subject, {**filled}, reads.terms, reads.via, residue)
        ):
            members = {**self._as_found(reads, held, every), **filled}
            local = self.local_context(subject, members, reads.terms, reads.via, residue)
            every = {**members, "@context": local} if local else members
        elif filled.keys() <= row.keys():
            return every
        return ordered(every, reads.via.key if reads.via is not None else None)

    def _filled_all(self, value: Any, via: Term | None) -> Any:
        """Return a member's value with objects in place of the references to them."""
        if isinstance(value, list) and value and all(isinstance(one, Ref) for one in value):
            nodes = [URIRef(one.name) for one in value]
            if all(one in self.index for one in nodes):
                return self.objects(nodes, via)
        return self._filled(value, via, _NOWHERE)

    def in_order(self, held: list[Node]) -> list[Node]:
        """Return the values of one member in their order."""
        if _are_texts(held):
            return sorted(held, key=str)
        return held if _are_in_order(held, self.index) else super().in_order(held)


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

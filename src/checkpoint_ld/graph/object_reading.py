"""Reading nodes as JSON objects, many at once: from the subject index to objects in canonical order.

Nodes of one type with the same predicates are read together, predicate by predicate: what key a predicate has, how its
values are read and in which order members stand is found out once for all of them. Nodes of several types, members of
a map, values that differ in kind, and graphs in which a node stands at several places are read by `Compaction`, node by
node, which gives the same objects.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple, Union
from weakref import WeakKeyDictionary

from rdflib import Literal, URIRef

from checkpoint_ld.documents.values import copied
from checkpoint_ld.graph.columns import grouped
from checkpoint_ld.graph.compaction import POSITION, RESIDUE, Compaction, Ref, coercion_of, is_position, told_residue
from checkpoint_ld.graph.contexts import IDENTIFIER, RDF_TYPE, expand_name, is_property_value, named
from checkpoint_ld.graph.literals import DATETIME
from checkpoint_ld.graph.store import Several, terms_of
from checkpoint_ld.vocabulary import ordered

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rdflib.term import Node

    from checkpoint_ld.graph.contexts import Term, Terms, TermTable
    from checkpoint_ld.graph.store import Index

Tree = dict[str, Any]
Predicates = dict["Node", "Node | list[Node]"]
Frame = Mapping[str, Union["Frame", frozenset[str], None]]
"""The members that are wanted of an object, each with those wanted of the objects that are its values, None for all.

A set of texts stands for a member that has to be one of them: other objects of an array may be left out.
"""

_MOST = 4096
"""Layouts that are remembered for one context; a graph of objects that are all different fills no memory with them."""
_READINGS = 4
"""So often all nodes may be read: a residue names some of them again; nodes that hold one another have no end."""
_NO_MEMBERS = frozenset({RDF_TYPE, IDENTIFIER, POSITION, RESIDUE})
_LITERALS, _NODES, _LISTS = {Literal}, {URIRef}, {list, Several}
_CONTAINERS = frozenset((dict, list))
_NOWHERE: frozenset[Node] = frozenset()
_TEXTS = {str}
_PLACES = [*map(str, range(64))]
"""The last tokens of names by place."""


class NoTreeError(Exception):
    """A node stands at several places below the nodes that are read, perhaps below itself."""


class Step(NamedTuple):
    """One member: its key, its predicate, and how its values are read."""

    key: str
    predicate: Node
    coercion: str | None
    term: Term | None
    container: str | None


@dataclass(frozen=True, slots=True)
class Layout:
    """How nodes of one type with the same predicates are read: `steps` in canonical order, `keys` in that of the index.

    `id_goes_second` tells whether an identifier stands right after the type.
    """

    via: Term | None
    kind: str | None
    terms: Terms
    steps: tuple[Step, ...]
    keys: tuple[str, ...]
    is_property: bool
    id_goes_second: bool

    def ordered(self, members: Tree) -> Tree:
        """Return members in canonical order."""
        return ordered(members, self.via.key if self.via is not None else None)


_LAYOUTS: WeakKeyDictionary[TermTable, dict[tuple[object, ...], Layout | None]] = WeakKeyDictionary()


class ObjectReading(Compaction):
    """One reading of nodes in an index under the terms of a context. Nobody may change the index meanwhile."""

    adds_contexts = False
    """Whether `local_context` may return one."""

    def __init__(self, index: Index, table: TermTable) -> None:
        super().__init__(index, table)
        self._layouts = _LAYOUTS.setdefault(table, {})
        self._left: int | None = None
        """How many more nodes may be read together; None outside of `objects`."""

    def objects(self, subjects: Iterable[Node], via: Term | None = None, only: Frame | None = None) -> list[Tree]:
        """Return the JSON objects of nodes that are values of `via`, with everything below them.

        With `only`, members that it does not name may be left out.
        """
        nodes = list(subjects)
        if self._left is not None:
            return self._together(nodes, via, only)
        self._left = _READINGS * (len(self.index) + len(nodes))
        try:
            return self._together(nodes, via, only)
        except (NoTreeError, RecursionError):  # nodes that hold one another
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
        """Return the JSON object of `subject`, and of everything below it, in canonical order."""
        if visiting or without:
            return super().object(subject, via, visiting, without=without)
        return self.objects((subject,), via)[0]

    def reference(self, node: Node, name: str) -> Tree:
        """Return what stands for a node that is being read; raise NoTreeError where nodes are read together."""
        if self._left is not None:
            raise NoTreeError
        return super().reference(node, name)

    def local_contexts(self, layout: Layout, subjects: Sequence[Node], rows: list[Tree]) -> list[Tree]:  # noqa: ARG002 - for a writer
        """Return objects without residue with the contexts that a writer adds to them; a reader adds none."""
        return rows

    def _together(self, subjects: Sequence[Node], via: Term | None, only: Frame | None) -> list[Tree]:
        self._left = (self._left or 0) - len(subjects)
        if self._left < 0:
            raise NoTreeError
        held_by = [self.index.get(one, {}) for one in subjects]
        kinds = [held.get(RDF_TYPE) for held in held_by]
        own = [
            self.identifier(one) if IDENTIFIER in held or "#/" not in one else None  # type: ignore[operator]  # a text
            for one, held in zip(subjects, held_by, strict=True)
        ]
        if list in map(type, kinds):
            return [super(ObjectReading, self).object(one, via) for one in subjects]
        keys: Iterable[Iterable[Node]] = held_by
        if only is not None:  # neither members that nobody wants nor their order make a difference between nodes
            wanted = self._predicates(only)
            keys = (filter(held.__contains__, wanted) for held in held_by)
        shapes = [(kind, name is None, *held) for kind, name, held in zip(kinds, own, keys, strict=True)]
        groups = grouped(shapes)
        objects: list[Tree] = [{}] * len(subjects)
        for (kind, _, *predicates), members in groups:
            layout = self._layout(kind, tuple(predicates), via)
            nodes, held, names = subjects, held_by, own
            if len(groups) > 1:
                nodes, held = [subjects[at] for at in members], [held_by[at] for at in members]
                names = [own[at] for at in members]
            if layout is None or not _is_usual(layout, held, names):
                rows = [super(ObjectReading, self).object(one, via) for one in nodes]
            else:
                rows = self._alike(layout, nodes, held, names, only)
            if len(groups) == 1:
                return rows
            for at, row in zip(members, rows, strict=True):
                objects[at] = row
        return objects

    def _layout(self, kind: Node | None, predicates: tuple[Node, ...], via: Term | None) -> Layout | None:
        """Return the layout of values of `via`; None for objects whose members stand in an order of another kind."""
        # The layout keeps `via` alive, so that no other term gets its identity.
        shape = (id(via), kind, *predicates)
        try:
            return self._layouts[shape]
        except KeyError:
            if len(self._layouts) >= _MOST:
                self._layouts.clear()
            layout = self._layouts[shape] = _layout_of(kind, predicates, via, self.table)
            return layout

    def _alike(
        self,
        layout: Layout,
        subjects: Sequence[Node],
        held_by: Sequence[Predicates],
        own: Sequence[str | None],
        only: Frame | None,
    ) -> list[Tree]:
        """Return the objects of nodes of one layout, all with identifiers of their own or all without."""
        columns: dict[str, Sequence[Any]] = {}
        if layout.kind is not None:
            columns["@type"] = [layout.kind] * len(subjects)
        if own[0] is not None:
            columns["@id"] = own
        for step in layout.steps:
            if only is None or step.key in only:
                values = [held[step.predicate] for held in held_by]
                below = None if only is None else only[step.key]
                columns[step.key] = self._column(values, step, None if isinstance(below, frozenset) else below)
        keys = tuple(columns)
        rows = [dict(zip(keys, row)) for row in zip(*columns.values())]  # noqa: B905 - strictness takes a third more
        rows = rows if columns else [{} for _ in subjects]
        if RESIDUE in held_by[0]:
            told = zip(subjects, held_by, rows, strict=True)
            return [self._with_residue(layout, one, held, row, only) for one, held, row in told]
        return self.local_contexts(layout, subjects, rows)

    def _column(self, values: list[Any], step: Step, only: Frame | None) -> Sequence[Any]:
        """Return the values of one member of several objects, with everything below them."""
        if step.container == "@index":
            return [self._one_by_one(one, step) for one in values]
        values = values if only is None else self._framed(values, only)
        sizes: list[int] | None = None
        terms = values
        if not _LISTS.isdisjoint(map(type, values)):
            in_order = [self.in_order(one) if isinstance(one, list) else (one,) for one in values]
            sizes, terms = [*map(len, in_order)], [*chain(*in_order)]
        kinds = {*map(type, terms)}
        if kinds == _LITERALS or (kinds == _NODES and self.index.keys().isdisjoint(terms)):
            found = self._scalars(terms, step.coercion)
        elif kinds == _NODES and all(map(self.index.__contains__, terms)):
            found = self.objects(terms, step.term, only)
        else:
            return [self._one_by_one(one, step) for one in values]
        if sizes is None:
            return [[one] for one in found] if step.container == "@set" else found
        every = iter(found)
        return [next(every) if size == 1 and step.container != "@set" else [*islice(every, size)] for size in sizes]

    def _predicates(self, only: Frame) -> tuple[Node, ...]:
        """Return the predicates of the members that a frame names, and those that are no members."""
        terms = self.table.base.by_key
        return *(named(terms[key].iri if key in terms else expand_name(key)) for key in only), *_NO_MEMBERS

    def _framed(self, values: list[Any], only: Frame) -> list[Any]:
        """Return arrays of nodes without those that are certainly none of the objects that a frame asks for."""
        index, terms = self.index, self.table.base.by_key
        for key, texts in only.items():
            if isinstance(texts, frozenset):
                predicate = named(terms[key].iri if key in terms else expand_name(key))
                values = [
                    [node for node in one if _may_be(index.get(node, {}).get(predicate), texts)]
                    if type(one) is list
                    else one
                    for one in values
                ]
        return values

    def _one_by_one(self, held: Node | list[Node], step: Step) -> Any:
        """Return the value of a member of one object."""
        return self._filled(self._member(terms_of(held), step.term, step.coercion), step.term, _NOWHERE)

    def _scalars(self, values: list[Any], coercion: str | None) -> list[Any]:
        """Return the JSON values of literals and of names of no node; each distinct term is read once."""
        terms = dict(zip(map(id, values), values, strict=True))
        if coercion != DATETIME and all(map(_is_text, terms.values())):
            read = {at: str(one) for at, one in terms.items()}
            return [read[id(one)] for one in values]
        read = {at: self._filled(self._value(one, coercion), None, _NOWHERE) for at, one in terms.items()}
        if len(read) < len(values) and not _CONTAINERS.isdisjoint(map(type, read.values())):
            return [copied(read[id(one)]) for one in values]
        return [read[id(one)] for one in values]

    def _with_residue(self, layout: Layout, subject: Node, held_by: Predicates, row: Tree, only: Frame | None) -> Tree:
        """Return an object of which a residue tells some members."""
        residue = told_residue(held_by[RESIDUE])
        keys = {*residue.members, *residue.absent, *residue.set_apart}
        if only is not None and not any(key in only or key[:1] == "@" for key in keys):
            return row
        read: Tree = {key: row[key] for key in ("@type", "@id") if key in row}
        for step in layout.steps:
            if step.key in keys and step.key in row:
                value = row[step.key]
                is_told = type(value) is list and {*map(type, value)} == _TEXTS
                read[step.key] = value if is_told else self.told(subject, step.predicate, step.term, step.coercion)
        told = {key: one for key, one in residue.over(read).items() if only is None or key in only or key[:1] == "@"}
        filled = {key: self._filled_all(value, layout.terms.by_key.get(key)) for key, value in told.items()}
        every = {**{key: one for key, one in row.items() if key not in read or key in filled}, **filled}
        if not self.adds_contexts and filled.keys() <= row.keys():
            return every
        members = {**{key: every[key] for key in layout.keys if key in every}, **filled}
        local = self.local_context(subject, members, layout.terms, layout.via, residue)
        return layout.ordered({**members, "@context": local} if local else members)

    def _filled_all(self, value: Any, via: Term | None) -> Any:
        """Return a member's value with the objects in the place of references to them."""
        if isinstance(value, list) and value and all(isinstance(one, Ref) for one in value):
            nodes = [URIRef(one.name) for one in value]
            if all(one in self.index for one in nodes):
                return self.objects(nodes, via)
        return self._filled(value, via, _NOWHERE)

    def in_order(self, held: list[Node]) -> list[Node]:
        """Return the values of one member in their order."""
        if {*map(type, held)} == _LITERALS and all(map(_is_text, held)):
            return sorted(held, key=str)
        return held if _are_in_order(held, self.index) else super().in_order(held)

    def identifier(self, subject: Node) -> str | None:
        """Return the text of a node's own `@id`, or None when its name is minted."""
        name: Any = subject  # a text, of which another copy would take as long as searching it
        if "#/" in name and IDENTIFIER not in self.index.get(subject, ()):
            return None
        return super().identifier(subject)


def _layout_of(
    kind_term: Node | None, predicates: tuple[Node, ...], via: Term | None, table: TermTable
) -> Layout | None:
    kind = Compaction.type_name(str(kind_term)) if kind_term is not None else None
    terms, is_property = table.at(via, kind), is_property_value(kind, via)
    steps = {}
    for predicate in predicates:
        if predicate not in _NO_MEMBERS:
            key = terms.key_of(str(predicate))
            term = terms.by_key.get(key)
            coercion = coercion_of(key, term, is_property=is_property)
            steps[key] = Step(key, predicate, coercion, term, term.container if term is not None else None)
    head = {} if kind is None else {"@type": kind}
    slot = via.key if via is not None else None
    order = list(ordered({**head, **steps}, slot))
    if order[: len(head)] != list(head):
        return None
    with_id = list(ordered({**head, "@id": "", **steps}, slot))
    in_order = tuple(steps[key] for key in order[len(head) :])
    return Layout(via, kind, terms, in_order, ("@type", "@id", *steps), is_property, with_id[len(head)] == "@id")


def _is_usual(layout: Layout, held_by: Sequence[Predicates], own: Sequence[str | None]) -> bool:
    """Tell whether the identifiers and the positions of nodes are where a layout has them."""
    is_named = own[0] is None or layout.id_goes_second
    return is_named and (POSITION not in held_by[0] or all(is_position(held[POSITION]) for held in held_by))


def _may_be(held: Any, texts: frozenset[str]) -> bool:
    return str(held) in texts if type(held) is Literal else held is not None


def _is_text(one: Any) -> bool:
    """Tell whether a term is a literal that is simply a text."""
    return type(one) is Literal and one._datatype is None and one._language is None  # noqa: SLF001 - twice as fast


def _are_in_order(held: list[Any], index: Index) -> bool:
    """Tell whether nodes are named by their places in an array, and stand in its order."""
    stem, _, first = str(held[0]).rpartition("/") if held else ("", "", "")
    if first != "0" or "#" not in stem or {*map(type, held)} != _NODES:
        return False
    # Texts that are joined are compared in a fifth of the time that it takes to compare names.
    while len(_PLACES) < len(held):
        _PLACES.append(str(len(_PLACES)))
    in_order = f"{stem}/" + f"\n{stem}/".join(_PLACES[: len(held)])
    return "\n".join(held) == in_order and not any(POSITION in index.get(one, ()) for one in held)

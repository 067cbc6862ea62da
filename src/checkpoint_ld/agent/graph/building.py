"""From the tree of an agent checkpoint to its statements, in one walk.

Every tree gives a graph: a value of another type than its key asks for stays a literal of the type that it has, and
what no statement can say (a null, an empty array, an order) is the residue of its object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

from rdflib import Literal, URIRef

from checkpoint_ld.agent import names
from checkpoint_ld.agent.graph import terms
from checkpoint_ld.agent.graph.terms import Reading
from checkpoint_ld.agent.text import bytes_of
from checkpoint_ld.errors import ReadError, WriteError
from checkpoint_ld.graph import interpreter, naming
from checkpoint_ld.graph.building import uncollected
from checkpoint_ld.graph.compaction import NODE, POSITION, RESIDUE, encoded
from checkpoint_ld.graph.expansion import RDF_TYPE
from checkpoint_ld.graph.literals import literal_of
from checkpoint_ld.graph.store import put

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rdflib.term import Node

    from checkpoint_ld.agent.graph.terms import Key, Plan
    from checkpoint_ld.graph.store import Index

Tree = dict[str, Any]


class Placed(NamedTuple):
    """The node of an object of the tree, what its keys mean, and the JSON Pointer of where it stands."""

    node: URIRef
    source: Tree
    plan: Plan
    place: str


class Built(NamedTuple):
    """The statements of a tree; its objects in the order of the tree, the root first.

    `again` has the places of objects whose id an earlier one has, by the node of that one.
    """

    statements: Index
    objects: list[Placed]
    again: dict[URIRef, list[str]]


def built(tree: Tree) -> Built:
    """Return the statements of a tree in the canonical shape.

    Raises ReadError for a tree that is nested too deeply, and WriteError for what is no JSON, such as NaN.
    """
    with interpreter.room(), uncollected():
        walk = _Walk()
        identifier = tree.get("id")
        name = names.iri("checkpoint", identifier) if isinstance(identifier, str) else naming.root_of(tree)
        try:
            walk.node(Placed(_uri(name), tree, terms.checkpoint(), ""), name + "#")
        except ReadError:
            raise
        except ValueError as error:
            bytes_of(tree)  # raises the WriteError that names the value
            raise WriteError(f"the checkpoint is no JSON: {error}") from error
        return Built(walk.index, walk.placed, walk.again)


class _Walk:
    """One walk through a tree; terms that recur are made once."""

    def __init__(self) -> None:
        self.index: Index = {}
        self.literals: dict[tuple[type, Any], Literal] = {}
        self.references: dict[tuple[str, str], URIRef] = {}
        self.placed: list[Placed] = []
        self.again: dict[URIRef, list[str]] = {}

    def node(self, one: Placed, stem: str, position: int | None = None) -> URIRef:
        """Hold the statements of an object; `stem` begins the names of objects below it. Return its node."""
        subject, source, plan, place = one
        self.placed.append(one)
        held_by: dict[Node, Node | list[Node]] = {RDF_TYPE: plan.type}
        self.index[subject] = held_by
        if position is not None:
            held_by[POSITION] = self.literal(position)
        left: Tree = {}
        for key, value in source.items():
            if key == "id" and plan.kind is not None:
                if naming.is_minted(subject):
                    left[key] = encoded(value, {})
                continue
            known = plan.keys.get(key) or plan.key(key)
            if known.reading is Reading.SCALAR and value is not None:
                held: Node | list[Node] | None = self.scalar(value)
            elif known.plan is not None:
                held = self.objects(value, known, (f"{stem}/{key}", f"{place}/{key}"), left)
            else:
                held = self.held(value, known)
                if not is_told(value, known):
                    left[key] = encoded(value, {})
            if held is not None:
                held_by[known.predicate] = held
        if left:
            held_by[RESIDUE] = literal_of(dict(sorted(left.items())), "@json")
        return subject

    def held(self, value: Any, key: Key) -> Node | list[Node] | None:
        """Return the term or terms of a value that has no objects with a node."""
        kind = type(value)
        if key.reading is Reading.JSON:
            return literal_of(value, "@json")
        if key.kind is not None and key.reading is Reading.REFERENCE and kind is str:
            return self.reference(key.kind, value)
        if key.kind is not None and key.reading is Reading.REFERENCES and is_texts(value):
            return _held([self.reference(key.kind, one) for one in dict.fromkeys(value)])
        return self.scalar(value)

    def objects(self, value: Any, key: Key, at: tuple[str, str], left: Tree) -> Node | list[Node] | None:
        """Return the node or nodes of the objects in a value; what else is in an array goes into `left`, too.

        `at` is the name that the value has by its place, and the place.
        """
        plan, (name, place) = cast("Plan", key.plan), at
        if key.reading is Reading.OBJECT:
            if isinstance(value, dict):
                return self.node(Placed(_uri(name), value, plan, place), name)
            if value is None:
                left[key.name] = None
            return self.scalar(value)
        if not isinstance(value, list):
            if value is None:
                left[key.name] = None
            return self.scalar(value)
        found: list[Node | None] = [
            self.element(one, plan, (f"{name}/{index}", f"{place}/{index}"), index)
            if isinstance(one, dict)
            else self.scalar(one)
            for index, one in enumerate(value)
        ]
        if not value or not all(isinstance(one, dict) for one in value):
            left[key.name] = [
                {NODE: str(node)} if isinstance(one, dict) else encoded(one, {})
                for one, node in zip(value, found, strict=True)
            ]
        return _held(dict.fromkeys(one for one in found if one is not None))

    def element(self, source: Tree, plan: Plan, at: tuple[str, str], position: int) -> URIRef:
        """Hold an object of an array under its own name, or by its place where it has none or another one has it.

        The one that has the name stands at both positions then: that tells of it.
        """
        name, place = at
        identifier = source.get("id")
        own = self.reference(plan.kind, identifier) if plan.kind is not None and isinstance(identifier, str) else None
        if own is not None and own in self.index:
            put(self.index, own, POSITION, self.literal(position))
            self.again.setdefault(own, []).append(place)
            own = None
        node = own or _uri(name)
        return self.node(Placed(node, source, plan, place), node, position)

    def reference(self, kind: names.Kind, identifier: str) -> URIRef:
        known = self.references.get((kind, identifier))
        if known is None:
            known = self.references[kind, identifier] = _uri(names.iri(kind, identifier))
        return known

    def scalar(self, value: Any) -> Literal | None:
        """Return the literal of any JSON value where a scalar is looked for, None for null."""
        if value is None:
            return None
        if isinstance(value, (dict, list)):
            return literal_of(value, "@json")
        return self.literal(value)

    def literal(self, value: Any) -> Literal:
        # -0.0 equals 0.0, but is another literal.
        place = type(value), repr(value) if type(value) is float else value
        known = self.literals.get(place)
        if known is None:
            known = self.literals[place] = literal_of(value)
        return known


def is_told(value: Any, key: Key) -> bool:
    """Tell whether the statements of a value without nodes say all of it."""
    if value is None:
        return key.reading is Reading.JSON
    if key.reading is Reading.REFERENCES and is_texts(value):
        return bool(value) and value == sorted(set(value))
    return True


def is_texts(value: Any) -> bool:
    """Tell whether a value is an array of texts only."""
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def terms_of_value(value: Any, key: Key) -> set[Node]:
    """Return the terms of a value without nodes."""
    held = _Walk().held(value, key)
    return set(held) if isinstance(held, list) else set() if held is None else {held}


def _uri(name: str) -> URIRef:
    # What is named here is an IRI: looking again, as URIRef does, takes longer than all else about a name.
    return str.__new__(URIRef, name)


def _held(found: Iterable[Node]) -> Node | list[Node] | None:
    every = list(found)
    return every if len(every) > 1 else every[0] if every else None

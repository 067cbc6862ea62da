"""Values: what the shapes are told of a property of a part, as JSON, and as terms of RDF."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rdflib import URIRef

from checkpoint_ld.agent import names
from checkpoint_ld.agent.graph.building import is_texts
from checkpoint_ld.agent.graph.terms import Reading
from checkpoint_ld.agent.names import CAF, CAF_DERIVED
from checkpoint_ld.agent.rules.parts import (
    CALL,
    CHECKPOINT,
    DIFF,
    INNER,
    INSIDE,
    PARENT,
    THOUGHT,
    TOOL_STATE,
    Part,
    Parts,
)
from checkpoint_ld.documents.places import pointer
from checkpoint_ld.graph.compaction import POSITION
from checkpoint_ld.graph.literals import literal_of

if TYPE_CHECKING:
    from rdflib.term import Node

    from checkpoint_ld.agent.graph.terms import Key, Plan


class Iri(str):
    """The name of a node."""

    __slots__ = ()


class Json(NamedTuple):
    """A JSON value that is one literal, such as an object where a number is asked for."""

    value: Any


Value = str | bool | int | float | Iri | Json
Located = tuple[Value, str]
"""A value, and the JSON Pointer of where it stands in the tree."""
Told = tuple[str, Value, str, str]
"""What is at odds: the local name of a property, its value, the place from the part on, and what is said about it."""

ID = CAF_DERIVED + "id"
_POSITION = str(POSITION)
_COUNTS = {
    (CAF + "Snapshot", CAF_DERIVED + "thoughtCount"): "thought_chain",
    (TOOL_STATE, CAF_DERIVED + "callCount"): "calls",
    (DIFF, CAF_DERIVED + "changeCount"): "changes",
}
_NULLS = {
    (CAF + "Snapshot", CAF_DERIVED + "nullThought"): "thought_chain",
    (TOOL_STATE, CAF_DERIVED + "nullCall"): "calls",
}
_OF_CHECKPOINT = CAF_DERIVED + "ofCheckpoint"
_ALWAYS = frozenset(
    (
        *(ID, _OF_CHECKPOINT, *(prop for _, prop in (*_COUNTS, *_NULLS))),
        *(prop for props in INSIDE.values() for prop in props),
        *INNER,
    )
)


def is_sparse(prop: str) -> bool:
    """Tell whether a property is derived only where something is at odds."""
    return prop.startswith(CAF_DERIVED) and prop not in _ALWAYS


def derived_properties(part: Part) -> tuple[str, ...]:
    """Return the properties that the graph does not have, but the shapes are told of for parts of this class."""
    told = [prop for kind, prop in (*_COUNTS, *_NULLS) if kind == part.kind]
    told += INSIDE.get(part.kind, ())
    told += part.inner
    if part.kind in (CHECKPOINT, THOUGHT, CALL):
        told.append(ID)
    if part.kind == PARENT:
        told.append(_OF_CHECKPOINT)
    return tuple(told)


def values(parts: Parts, part: Part, prop: str) -> list[Value]:
    """Return the values of a property."""
    key = None if part.plan is None else part.plan.by_predicate.get(prop)
    if key is not None and key.plan is None and key.reading is not Reading.REFERENCES:
        value = part.tree.get(key.name)  # the usual case, of which all thoughts are made
        if value is None:
            return [Json(None)] if key.reading is Reading.JSON and key.name in part.tree else []
        if key.reading is Reading.SCALAR:
            return [_literal(value)]
    if prop == _POSITION:
        return [*range(len(part.again) + 1)]
    return [value for value, _ in located(parts, part, prop)]


def located(parts: Parts, part: Part, prop: str) -> list[Located]:
    """Return the values of a property, each with its place."""
    key = None if part.plan is None else part.plan.by_predicate.get(prop)
    if key is not None:
        return _of_key(parts, part, key) if key.name in part.tree else []
    if prop == ID:
        return _scalars(part.tree.get("id"), part.pointer + "/id")
    if prop == _POSITION:
        return [(at, f"{place}/id") for at, place in enumerate((part.pointer, *part.again))]
    if prop == _OF_CHECKPOINT:
        return [(Iri(parts.root.name), "")]
    inside = INSIDE.get(part.kind, {}).get(prop)
    if inside is not None and inside in part.tree:
        return [(_literal(part.tree[inside]), f"{part.pointer}/{inside}")]
    counted = _COUNTS.get((part.kind, prop))
    if counted is not None:
        return _count(part, counted)
    nulls = _NULLS.get((part.kind, prop))
    if nulls is not None:
        return _null_elements(part, nulls)
    return [
        (Iri(one.name) if isinstance(one, Part) else _literal(one), place) for one, place in part.inner.get(prop, ())
    ]


def _of_key(parts: Parts, part: Part, key: Key) -> list[Located]:
    value, place = part.tree[key.name], f"{part.pointer}/{key.name}"
    match key.reading:
        case Reading.JSON:
            return [(Json(value), place)]
        case Reading.REFERENCE if isinstance(value, str) and key.kind is not None:
            return [(Iri(names.iri(key.kind, value)), place)]
        case Reading.REFERENCES if key.kind is not None and is_texts(value):
            return [(Iri(names.iri(key.kind, one)), place + pointer((at,))) for at, one in enumerate(value)]
        case Reading.OBJECT if isinstance(value, dict):
            return [(Iri(f"{part.stem}/{key.name}"), place)]
        case Reading.OBJECTS if isinstance(value, list) and key.plan is not None:
            return _elements(parts, key.plan, value, place)
    return _scalars(value, place)


def _elements(parts: Parts, plan: Plan, value: list[Any], place: str) -> list[Located]:
    by_place = {one.pointer: one for one in parts.of(str(plan.type))}
    found: list[Located] = []
    for at, one in enumerate(value):
        here = f"{place}/{at}"
        if here in by_place:
            found.append((Iri(by_place[here].name), here))
        else:
            found += _scalars(one, here)
    return found


def _scalars(value: Any, place: str) -> list[Located]:
    return [] if value is None else [(_literal(value), place)]


def _literal(value: Any) -> Value:
    return Json(value) if value is None or isinstance(value, (dict, list)) else value


def _count(part: Part, key: str) -> list[Located]:
    """Return how many there are; of an array with faults too, whose elements are for another shape to look at."""
    value = part.tree.get(key)
    if part.kind == DIFF:
        return [(len(value), f"{part.pointer}/{key}")] if isinstance(value, dict) else []
    return [] if value is None else [(len(value) if isinstance(value, list) else 1, f"{part.pointer}/{key}")]


def _null_elements(part: Part, key: str) -> list[Located]:
    value = part.tree.get(key)
    elements = enumerate(value) if isinstance(value, list) else ()
    return [(Json(None), f"{part.pointer}/{key}/{at}") for at, one in elements if one is None]


def term_of(value: Value) -> Node:
    """Return the term of RDF that stands for a value."""
    if isinstance(value, Iri):
        return URIRef(value)
    if isinstance(value, Json):
        return literal_of(value.value, "@json")
    return literal_of(value)

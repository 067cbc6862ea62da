"""From the statements of an agent checkpoint back to its tree; derived statements and foreign ones say nothing here."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from rdflib import BNode, Literal, URIRef

from checkpoint_ld.agent import names
from checkpoint_ld.agent.graph import terms
from checkpoint_ld.agent.graph.building import terms_of_value
from checkpoint_ld.agent.graph.terms import Reading
from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph import naming
from checkpoint_ld.graph.compaction import POSITION, RESIDUE, Ref, decoded
from checkpoint_ld.graph.expansion import RDF_TYPE
from checkpoint_ld.graph.literals import (
    RDF_JSON,
    XSD_BOOLEAN,
    XSD_DECIMAL,
    XSD_DOUBLE,
    XSD_FLOAT,
    XSD_INTEGER,
)
from checkpoint_ld.graph.store import terms_of

if TYPE_CHECKING:
    from rdflib.term import Node

    from checkpoint_ld.agent.graph.terms import Key, Plan
    from checkpoint_ld.graph.store import Index

Tree = dict[str, Any]

_SNAPSHOT = terms.checkpoint().keys["snapshot"].predicate
_MOMENTS = (names.caf("createdAtMs"), names.caf("startedAtMs"))


def roots(index: Index) -> list[Node]:
    """Return the nodes that are checkpoints: by their class, or, where no node has one, by their snapshot."""
    kind = terms.checkpoint().type
    typed = [subject for subject, held_by in index.items() if kind in terms_of(held_by.get(RDF_TYPE))]
    return typed or [subject for subject, held_by in index.items() if _SNAPSHOT in held_by]


def root_of(index: Index) -> Node:
    """Return the one node that is a checkpoint. Raises ReadError where there is none, or more than one."""
    found = roots(index)
    if len(found) != 1:
        told = ", ".join(sorted(map(str, found))[:3])
        what = f"{len(found)} agent checkpoints: {told}" if found else "no agent checkpoint"
        raise ReadError(f"the statements hold {what}; give those of exactly one caf:Checkpoint")
    return found[0]


def tree_of(index: Index, root: Node) -> Tree:
    """Return the tree of a checkpoint in the canonical shape, known keys in their fixed order, then all others."""
    return _read(index, root, terms.checkpoint())


def _read(index: Index, subject: Node, plan: Plan) -> Tree:
    """Return the object of a node, and of everything below it."""
    held_by = index.get(subject, {})
    members: Tree = {}
    if plan.kind is not None and (own := _id_of(subject, plan)) is not None:
        members["id"] = own
    for predicate, held in held_by.items():
        key = plan.key_of(str(predicate))
        if key is not None:
            members[key.name] = _value(index, held, key)
    if RESIDUE in held_by:
        _put_over(index, members, held_by, plan)
    known = {key: members.pop(key) for key in plan.order if key in members}
    return {**known, **dict(sorted(members.items()))}


def _id_of(subject: Node, plan: Plan) -> str | None:
    """Return the id that a node's name tells; a name of another kind is an id by itself."""
    name = str(subject)
    if isinstance(subject, BNode) or naming.is_minted(name):
        return None
    found = names.identifier(name)
    return found[1] if found is not None and found[0] == plan.kind else name


def _value(index: Index, held: Node | list[Node], key: Key) -> Any:
    """Return the value of a member."""
    every = terms_of(held)
    if key.reading is Reading.OBJECTS and not (len(every) == 1 and isinstance(every[0], Literal)):
        return [_one(index, one, key) for one in sorted(every, key=lambda one: _place(index, one))]
    if key.reading is Reading.REFERENCES and not (len(every) == 1 and isinstance(every[0], Literal)):
        return sorted((_one(index, one, key) for one in every), key=str)
    if len(every) == 1:
        return _one(index, every[0], key)
    return [_one(index, one, key) for one in sorted(every, key=str)]


def _one(index: Index, term: Node, key: Key) -> Any:
    if isinstance(term, Literal):
        return value_of(term)
    if key.plan is not None:
        return _read(index, term, key.plan)
    found = names.identifier(str(term))
    return found[1] if found is not None and found[0] == key.kind else str(term)


def value_of(literal: Literal) -> Any:
    """Return the JSON value of a literal, be it ours or written by somebody else."""
    text, datatype = str(literal), literal.datatype
    if datatype is None:
        return text
    try:
        if datatype == RDF_JSON:
            return json.loads(text)
        if datatype == XSD_BOOLEAN and text in ("true", "false", "1", "0"):
            return text in ("true", "1")
        if datatype == XSD_INTEGER:
            return int(text)
        if datatype in (XSD_DOUBLE, XSD_DECIMAL, XSD_FLOAT) and math.isfinite(float(text)):
            return float(text)
    except ValueError:
        pass  # It says that it is what it is not: then it is a text.
    return text


def _place(index: Index, term: Node) -> tuple[float, float, str]:
    """Return what elements of an array are sorted by: position, moment, name; literals come last."""
    if isinstance(term, Literal):
        return math.inf, math.inf, str(term)
    held_by = index.get(term, {})
    told = [value_of(one) for one in terms_of(held_by.get(POSITION)) if isinstance(one, Literal)]
    moments = [value_of(one) for by in _MOMENTS for one in terms_of(held_by.get(by)) if isinstance(one, Literal)]
    return _least(told), _least(moments), str(term)


def _least(told: list[Any]) -> float:
    return min((one for one in told if isinstance(one, (int, float))), default=math.inf)


def _put_over(index: Index, members: Tree, held_by: dict[Node, Node | list[Node]], plan: Plan) -> None:
    """Put what a residue tells over what the statements tell, unless somebody changed the statements since."""
    for term in terms_of(held_by[RESIDUE]):
        told = value_of(term) if isinstance(term, Literal) else None
        for name, value in told.items() if isinstance(told, dict) else ():
            if name == "id" and plan.kind is not None:
                members.setdefault(name, decoded(value))
                continue
            key = plan.key(name)
            meant, said = decoded(value), set(terms_of(held_by.get(key.predicate)))
            if _terms(meant, key) == said:
                members[name] = _filled(index, meant, key)


def _terms(meant: Any, key: Key) -> set[Node]:
    """Return the terms that a member has of which a residue tells `meant`."""
    if key.reading is Reading.OBJECTS and isinstance(meant, list):
        parts = [{URIRef(one.name)} if isinstance(one, Ref) else terms_of_value(one, key) for one in meant]
        return set().union(*parts)
    return terms_of_value(meant, key)


def _filled(index: Index, meant: Any, key: Key) -> Any:
    if isinstance(meant, Ref):
        return _one(index, URIRef(meant.name), key)
    if isinstance(meant, list) and key.reading is Reading.OBJECTS:
        return [_filled(index, one, key) for one in meant]
    return meant

"""What follows about an object from its type and its predicates alone: most objects have one of a few dozen layouts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from rdflib import Literal, URIRef

from checkpoint_ld.graph.compaction import POSITION, Compaction
from checkpoint_ld.graph.expansion import IDENTIFIER, RDF_TYPE
from checkpoint_ld.graph.literals import XSD_INTEGER
from checkpoint_ld.graph.terms import expand_name, is_property_value
from checkpoint_ld.members import ANYTHING, ARRAYS, KEYS, TYPES

if TYPE_CHECKING:
    from rdflib.term import Node

    from checkpoint_ld.graph.terms import Term, TermTable

_NO_MEMBERS = frozenset({RDF_TYPE, IDENTIFIER, POSITION})
_LONGEST_POSITION = 16


@dataclass(frozen=True, slots=True)
class Layout:
    """What follows about all objects of one role with one type and these predicates.

    `unknown` are the keys that the role does not have. About an object that has several values for one of `single`,
    more follows.
    """

    unknown: tuple[str, ...]
    single: tuple[Node, ...]


def is_placed(position: Node | list[Node] | None) -> bool:
    """Tell whether what is said of an object's position is nothing but its place in an array."""
    if position is None:
        return True
    if not isinstance(position, Literal) or position.datatype != XSD_INTEGER:
        return False
    return position.isdecimal() and len(position) < _LONGEST_POSITION


@lru_cache(maxsize=1024)
def known(
    table: TermTable, role: str, via: Term | None, kind: URIRef | None, predicates: tuple[Node, ...]
) -> Layout | None:
    """Return the layout of objects of the type `kind` with these predicates; None where values have a say too."""
    if kind is not None and role in TYPES and role != "Template" and str(kind) != expand_name(TYPES[role]):
        return None
    name = None if kind is None else Compaction.type_name(str(kind))
    terms, is_property = table.at(via, name), is_property_value(name, via)
    single: list[Node] = []
    keys: list[str] = []
    for predicate in predicates:
        if predicate in _NO_MEMBERS:
            continue
        key = terms.key_of(str(predicate))
        keys.append(key)
        if key in ANYTHING:
            continue
        term = terms.by_key.get(key)
        is_json = is_property and key == "value"
        if is_json or (term is not None and term.coercion == "@json"):
            return None
        if key not in ARRAYS:
            single.append(predicate)
            if term is not None and term.container is not None:
                return None
    if len(set(keys)) < len(keys):
        return None
    unknown = tuple(key for key in keys if key[:1] != "@" and key not in KEYS[role])
    return Layout(unknown, tuple(single))

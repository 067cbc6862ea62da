"""Constraints of SHACL Core (SHACL 1.0 §4) as functions that judge the values of a property."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rdflib import Literal

from checkpoint_ld.agent.rules.values import Iri, Json, Value
from checkpoint_ld.documents.values import is_number
from checkpoint_ld.graph.literals import RDF_JSON, XSD_BOOLEAN, XSD_DOUBLE, XSD_INTEGER, XSD_STRING, json_text
from checkpoint_ld.validation.checks import listed, sh, told

if TYPE_CHECKING:
    from collections.abc import Callable

    from rdflib.term import Node

    from checkpoint_ld.agent.rules.parts import Parts
    from checkpoint_ld.graph.store import Index

_TYPES: dict[Node, Callable[[Value], bool]] = {
    XSD_STRING: lambda value: isinstance(value, str) and not isinstance(value, Iri),
    XSD_BOOLEAN: lambda value: isinstance(value, bool),
    XSD_INTEGER: lambda value: isinstance(value, int) and not isinstance(value, bool),
    XSD_DOUBLE: lambda value: isinstance(value, float),
    RDF_JSON: lambda value: isinstance(value, Json),
}


def _datatype(_shapes: Index, term: Node) -> Callable[[Parts, Value], bool]:
    holds = _TYPES[term]
    return lambda _parts, value: holds(value)


def _least(_shapes: Index, term: Node) -> Callable[[Parts, Value], bool]:
    least = int(str(term))
    return lambda _parts, value: is_number(value) and value >= least


def _most(_shapes: Index, term: Node) -> Callable[[Parts, Value], bool]:
    most = int(str(term))
    return lambda _parts, value: is_number(value) and value <= most


def _shortest(_shapes: Index, term: Node) -> Callable[[Parts, Value], bool]:
    least = int(str(term))
    return lambda _parts, value: len(_text(value)) >= least


def _longest(_shapes: Index, term: Node) -> Callable[[Parts, Value], bool]:
    most = int(str(term))
    return lambda _parts, value: len(_text(value)) <= most


def _pattern(_shapes: Index, term: Node) -> Callable[[Parts, Value], bool]:
    pattern = re.compile(str(term))
    return lambda _parts, value: pattern.search(_text(value)) is not None


def _text(value: Value) -> str:
    """Return the text that a pattern is held against; of objects and arrays only what tells them apart."""
    if isinstance(value, Json):
        json = value.value
        return "{}" if isinstance(json, dict) else "[]" if isinstance(json, list) else json_text(json)
    return value if isinstance(value, str) else str(value)


def _node_kind(_shapes: Index, term: Node) -> Callable[[Parts, Value], bool]:
    if term != sh("IRI"):
        raise KeyError(term)
    return lambda _parts, value: isinstance(value, Iri)


def _class(_shapes: Index, term: Node) -> Callable[[Parts, Value], bool]:
    kind = str(term)

    def is_of_class(parts: Parts, value: Value) -> bool:
        part = parts.by_name.get(value) if isinstance(value, Iri) else None
        return part is not None and kind in part.classes

    return is_of_class


def _in(shapes: Index, term: Node) -> Callable[[Parts, Value], bool]:
    members = frozenset(str(one) for one in listed(shapes, term) if isinstance(one, Literal))
    return lambda _parts, value: isinstance(value, str) and not isinstance(value, Iri) and value in members


def _or(shapes: Index, term: Node) -> Callable[[Parts, Value], bool]:
    tests = [_datatype(shapes, *told(shapes, one, "datatype")) for one in listed(shapes, term)]
    return lambda parts, value: any(holds(parts, value) for holds in tests)


COMPILERS: dict[Node, Callable[[Index, Node], Callable[[Parts, Value], bool]]] = {
    sh("datatype"): _datatype,
    sh("minInclusive"): _least,
    sh("maxInclusive"): _most,
    sh("minLength"): _shortest,
    sh("maxLength"): _longest,
    sh("pattern"): _pattern,
    sh("nodeKind"): _node_kind,
    sh("class"): _class,
    sh("in"): _in,
    sh("or"): _or,
}
"""The constraints on single values that our shapes use, each as a function of the shapes and its parameter."""

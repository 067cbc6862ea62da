"""The functions that our constraint components call, registered with rdflib's SPARQL engine."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from rdflib import Literal, URIRef
from rdflib.plugins.sparql.operators import register_custom_function

from checkpoint_ld.constraints import names, relations
from checkpoint_ld.constraints.forms import FORMS
from checkpoint_ld.constraints.values import value_of
from checkpoint_ld.graph.store import SPARQL_LOCK
from checkpoint_ld.vocabulary import CHECKPOINT_SHACL, KARENINA

if TYPE_CHECKING:
    from collections.abc import Callable

    from rdflib.term import Node


def _is_well_formed(term: Node, form: Node) -> bool:
    return FORMS[str(form)](value_of(term)) is None


def _is_before(one: Node, other: Node) -> bool:
    return relations.is_before(value_of(one), value_of(other))


def _is_below(one: Node, other: Node) -> bool:
    return relations.is_below(value_of(one), value_of(other))


def _is_same_number(one: Node, other: Node) -> bool:
    return relations.is_same_number(value_of(one), value_of(other))


def _is_identifier_of(identifier: Node, text: Node) -> bool:
    return relations.is_identifier_of(value_of(identifier), value_of(text))


def _is_misspelt(key: Node, role: Node) -> bool:
    return names.misspelt(str(key), _role(role)) is not None


def _is_misplaced(key: Node, role: Node) -> bool:
    return names.misplaced(str(key), _role(role)) is not None


def _is_mistyped(kind: Node, role: Node) -> bool:
    return names.expected_type(kind, _role(role)) is not None


def _role(role: Node) -> str:
    return str(role).removeprefix(KARENINA)


_FUNCTIONS: dict[str, Callable[..., bool]] = {
    "isWellFormed": _is_well_formed,
    "isBefore": _is_before,
    "isBelow": _is_below,
    "isSameNumber": _is_same_number,
    "isIdentifierOf": _is_identifier_of,
    "isMisspelt": _is_misspelt,
    "isMisplaced": _is_misplaced,
    "isMistyped": _is_mistyped,
}


def register() -> None:
    """Make the functions known to rdflib, under their IRIs; doing it twice does no harm, nor do several threads."""
    with SPARQL_LOCK:
        _register_once()


@cache
def _register_once() -> None:
    for name, function in _FUNCTIONS.items():
        register_custom_function(URIRef(CHECKPOINT_SHACL + name), _as_literal(function))


def _as_literal(function: Callable[..., bool]) -> Callable[..., Literal]:
    def called(*terms: Node) -> Literal:
        return Literal(function(*terms))

    return called

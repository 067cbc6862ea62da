"""RDF terms of queries: Python values as terms, terms as Python values, and the terms of one library as the other's."""

from __future__ import annotations

import math
import re
from datetime import date, datetime
from decimal import Decimal
from typing import Any, TypeAlias

import pyoxigraph
from pyoxigraph import BlankNode, NamedNode, Triple
from rdflib import BNode, URIRef
from rdflib import Literal as RdflibLiteral

from checkpoint_ld.documents.values import lone_surrogate
from checkpoint_ld.errors import QueryError
from checkpoint_ld.graph.literals import literal
from checkpoint_ld.vocabulary import XSD

Term: TypeAlias = NamedNode | BlankNode | pyoxigraph.Literal | Triple
"""A term in a result, as pyoxigraph has it."""

_IRI = re.compile(r'[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>"{}|^`\\]*')
_WRITTEN = str.maketrans({"\t": "\\t", "\b": "\\b", "\n": "\\n", "\r": "\\r", "\f": "\\f", "\\": "\\\\", '"': '\\"'})
_LANGUAGE = re.compile(r"[A-Za-z]+(?:-[A-Za-z0-9]+)*")
_WHOLE = frozenset(
    XSD + name
    for name in (
        *("integer", "long", "int", "short", "byte", "nonNegativeInteger", "positiveInteger", "nonPositiveInteger"),
        *("negativeInteger", "unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte"),
    )
)
_FRACTIONS = frozenset(XSD + name for name in ("double", "float", "decimal"))


def is_iri(text: str) -> bool:
    """Tell whether a text is an absolute IRI that SPARQL can write."""
    return _IRI.fullmatch(text) is not None


def term_of(value: Any) -> Term:
    """Return the term for a Python value, a term of rdflib or one of pyoxigraph.

    Texts are plain strings: give a NamedNode or URIRef for an IRI. Raises QueryError for anything else.
    """
    if isinstance(value, NamedNode | pyoxigraph.Literal):
        return value
    if isinstance(value, URIRef | RdflibLiteral):
        return of_rdflib(value)
    if isinstance(value, bool):
        return _typed("true" if value else "false", "boolean")
    if isinstance(value, int):
        return _typed(str(value), "integer")
    if isinstance(value, float) and math.isfinite(value):
        return _typed(repr(value), "double")
    if isinstance(value, Decimal) and value.is_finite():
        return _typed(f"{value:f}", "decimal")
    if isinstance(value, datetime):
        return _typed(value.isoformat(), "dateTime")
    if isinstance(value, date):
        return _typed(value.isoformat(), "date")
    if isinstance(value, str) and lone_surrogate(value) is None:
        return pyoxigraph.Literal(value)
    raise QueryError(f"{value!r} is no value that a query can hold: give a text, number, truth value, date or term")


def quoted(text: str) -> str:
    """Return a string literal of SPARQL and of N-Triples whose value is `text`.

    Nothing in `text` can end the literal, and no escaped code point arises in it. Raises QueryError for half of a
    surrogate pair, which no syntax can write.
    """
    if lone_surrogate(text) is not None:
        raise QueryError("half of a surrogate pair is no character and cannot be written")
    return f'"{text.translate(_WRITTEN)}"'


def written(term: Term) -> str:
    """Return a term in the syntax of SPARQL, in which nothing of its value can become syntax.

    Raises QueryError for blank nodes, which would be variables in a query, and for what is no IRI.
    """
    if isinstance(term, NamedNode) and is_iri(term.value):
        return f"<{term.value}>"
    if isinstance(term, pyoxigraph.Literal):
        if term.language is not None and _LANGUAGE.fullmatch(term.language):
            return f"{quoted(term.value)}@{term.language}"
        if term.datatype.value == XSD + "string":  # in rdflib, a string with its type is another one
            return quoted(term.value)
        if term.language is None:
            return f"{quoted(term.value)}^^{written(term.datatype)}"
    raise QueryError(f"{term} cannot be written into a query: give an absolute IRI or a literal")


def value_of(term: Term | None) -> Any:
    """Return the Python value of a term: text, int, float or bool; the IRI of a node; None for none.

    Dates and literals of other types are their text, and so is a number that is none.
    """
    if term is None:
        return None
    if not isinstance(term, pyoxigraph.Literal):
        return str(term) if isinstance(term, Triple | BlankNode) else term.value
    kind = term.datatype.value
    try:
        if kind in _WHOLE:
            return int(term.value)
        if kind in _FRACTIONS:
            return float(term.value)
    except ValueError:
        return term.value
    if kind == XSD + "boolean" and term.value in ("true", "false", "1", "0"):
        return term.value in ("true", "1")
    return term.value


def of_rdflib(term: Any) -> Term:
    """Return the term of pyoxigraph for one of rdflib."""
    if isinstance(term, BNode):
        return BlankNode(re.sub(r"[^A-Za-z0-9]", "x", str(term)))
    if not isinstance(term, RdflibLiteral):
        return NamedNode(str(term))
    if term.language:
        return pyoxigraph.Literal(str(term), language=term.language)
    if term.datatype is None:
        return pyoxigraph.Literal(str(term))
    return pyoxigraph.Literal(str(term), datatype=NamedNode(str(term.datatype)))


def to_rdflib(term: Term) -> Any:
    """Return the term of rdflib for one of pyoxigraph; plain strings have no type there, as in checkpoint graphs."""
    if isinstance(term, NamedNode):
        return URIRef(term.value)
    if isinstance(term, BlankNode):
        return BNode(term.value)
    if isinstance(term, Triple):
        raise QueryError("a statement about a statement (RDF 1.2) is nothing that rdflib can hold")
    is_plain = term.language is not None or term.datatype.value == XSD + "string"
    return literal(term.value, None if is_plain else URIRef(term.datatype.value), term.language)


def _typed(text: str, kind: str) -> pyoxigraph.Literal:
    return pyoxigraph.Literal(text, datatype=NamedNode(XSD + kind))

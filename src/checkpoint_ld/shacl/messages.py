"""Terms and statements in messages to the process that evaluates queries of shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from rdflib import BNode, Literal, URIRef

from checkpoint_ld.graph.contexts import named
from checkpoint_ld.graph.store import Index, put

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rdflib.term import Node

Term: TypeAlias = "list[str | None]"


def term_json(term: Node) -> Term:
    """Return a term for a message."""
    if isinstance(term, Literal):
        return ["l", str(term), None if term.datatype is None else str(term.datatype), term.language]
    return ["u" if isinstance(term, URIRef) else "b", str(term)]


def term_of(term: Term) -> Node:
    """Return the term of a message."""
    kind, text, *rest = term
    if kind == "l":
        datatype, language = rest
        return Literal(text, datatype=None if datatype is None else URIRef(datatype), lang=language, normalize=False)
    return URIRef(str(text)) if kind == "u" else BNode(str(text))


def statements_json(triples: Iterable[tuple[Node, Node, Node]]) -> dict[str, Any]:
    """Return statements for a message: each term once, and three numbers for each statement."""
    places: dict[tuple[type, str, Any, Any], int] = {}
    terms: list[Term] = []
    numbers: list[int] = []
    for triple in triples:
        for term in triple:
            key = term.__class__, str(term), getattr(term, "datatype", None), getattr(term, "language", None)
            at = places.get(key)
            if at is None:
                at = places[key] = len(terms)
                terms.append(term_json(term))
            numbers.append(at)
    return {"terms": terms, "triples": numbers}


def index_in(statements: Mapping[str, Any]) -> Index:
    """Return the statements of a message."""
    terms = [term_of(one) for one in statements["terms"]]
    shared = [named(str(one)) if isinstance(one, URIRef) else one for one in terms]
    parts = iter([shared[at] for at in statements["triples"]])
    found: Index = {}
    for subject, predicate, term in zip(parts, parts, parts, strict=True):
        put(found, subject, predicate, term)
    return found

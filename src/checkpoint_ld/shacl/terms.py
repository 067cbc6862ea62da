"""What a shapes graph says, as a subject index, read term by term."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING

from rdflib import Literal, URIRef

from checkpoint_ld.errors import ShapesError
from checkpoint_ld.graph.expansion import named
from checkpoint_ld.graph.store import Index, terms_of
from checkpoint_ld.vocabulary import RDF, SHACL, XSD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rdflib.term import Node

FIRST, REST, NIL = (named(RDF + name) for name in ("first", "rest", "nil"))
_STRING = URIRef(XSD + "string")


def sh(name: str) -> URIRef:
    """Return a name of SHACL's vocabulary."""
    return named(SHACL + name)


def shared(term: Node) -> Node:
    """Return a term of the shapes as data graphs have it, so that both are compared by identity."""
    return named(str(term)) if isinstance(term, URIRef) else term


def told(shapes: Index, subject: Node, name: str) -> list[Node]:
    """Return what `shapes` say of a node under a name of SHACL's vocabulary."""
    return terms_of(shapes.get(subject, {}).get(sh(name)))


def listed(shapes: Index, at: Node) -> Iterator[Node]:
    """Yield the members of an RDF list. Raises ShapesError for what is no such list."""
    seen = set()
    while at != NIL:
        first, rest = (terms_of(shapes.get(at, {}).get(one)) for one in (FIRST, REST))
        if at in seen or len(first) != 1 or len(rest) != 1:
            raise ShapesError(f"{at.n3()} is no list: write its members in round brackets")
        seen.add(at)
        yield shared(first[0])
        at = rest[0]


def shown(term: Node | None) -> str:
    """Name a term in a message, as in Turtle."""
    if term is None or (isinstance(term, Literal) and isinstance(term.value, (int, Decimal))):
        return "" if term is None else str(term)
    return _shown_name(term) if isinstance(term, URIRef) else term.n3()


@lru_cache(maxsize=4096)
def _shown_name(term: URIRef) -> str:
    return f"sh:{term[len(SHACL) :]}" if term.startswith(SHACL) else term.n3()


def plain(term: Node) -> Node:
    """Return a literal of the datatype xsd:string without it: both are one RDF term (RDF 1.1 §3.3)."""
    return Literal(str(term)) if isinstance(term, Literal) and term.datatype == _STRING else term

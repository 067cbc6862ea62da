"""Expansion: JSON-LD to statements, by PyLD's expansion algorithm (JSON-LD 1.1 API §5.1).

The place for a faster walk over contexts that were compiled beforehand: whatever gives the same statements may stand
in for `expand`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyld import jsonld
from rdflib import BNode, Literal, URIRef

from checkpoint_ld import contexts
from checkpoint_ld.conditions import finding
from checkpoint_ld.errors import ReadError
from checkpoint_ld.literals import literal_of
from checkpoint_ld.naming import iri_of, is_iri
from checkpoint_ld.vocabulary import KARENINA, RDF

if TYPE_CHECKING:
    from rdflib.term import Node

    from checkpoint_ld.store import Index

RDF_TYPE = URIRef(RDF + "type")
IDENTIFIER = URIRef(KARENINA + "identifier")
"""The text of an `@id` that is not the IRI of its node: no IRI, or taken by an earlier object."""

Expanded = list[dict[str, Any]]


def expand(document: Any, context: dict[str, Any] | None = None) -> Expanded:
    """Expand a JSON-LD document, under `context` where one is given and else under its own.

    Raises ReadError when the document is no JSON-LD or names a context that is not shipped.
    """
    try:
        expanded: Expanded = jsonld.expand(document, {**contexts.options(), "expandContext": context})
    except jsonld.JsonLdError as error:
        raise ReadError.of([_refusal(error)]) from error
    except (TypeError, ValueError, KeyError, AttributeError, RecursionError) as error:
        # PyLD meets some malformed documents with a bare exception of Python's.
        raise ReadError.of([finding("E-JSONLD", f"the document is no JSON-LD: {error}", pointer="")]) from error
    return expanded


def _refusal(error: jsonld.JsonLdError) -> Any:
    cause: Any = error
    while isinstance(getattr(cause, "cause", None), jsonld.JsonLdError):
        cause = cause.cause
    details = getattr(cause, "details", None) or {}
    address = details.get("url")
    if address:
        message = f"the document names the remote context {address!r}, which is not shipped and is never fetched"
        return finding("E-JSONLD", message, pointer="", remedy="put the context itself into the document")
    return finding("E-JSONLD", f"the document is no JSON-LD: {cause.args[0] if cause.args else cause}", pointer="")


def statements(expanded: Expanded, *, distinct: bool = True) -> Index:
    """Return the statements of expanded nodes as a subject index.

    With `distinct` false, a value that a document repeats is held as often as it is there: no graph, but a faithful
    reading. Blank nodes stay blank, an identifier that is no IRI is escaped, a key that is no IRI is passed over.
    """
    index: Index = {}
    walk = _Walk(index, distinct)
    for node in expanded:
        walk.node(node)
    return index


class _Walk:
    def __init__(self, index: Index, distinct: bool) -> None:
        self.index = index
        self.distinct = distinct
        self.iris: dict[str, URIRef | None] = {}

    def iri(self, text: str) -> URIRef | None:
        try:
            return self.iris[text]
        except KeyError:
            self.iris[text] = iri = URIRef(text) if is_iri(text) else None
            return iri

    def subject(self, identifier: str | None) -> Node:
        if identifier is None:
            return BNode()
        if identifier.startswith("_:"):
            return BNode(identifier[2:])
        subject = self.iri(identifier)
        if subject is not None:
            return subject
        escaped = URIRef(iri_of(identifier))
        self.index.setdefault(escaped, {})[IDENTIFIER] = Literal(identifier)
        return escaped

    def node(self, node: dict[str, Any]) -> Node:
        subject = self.subject(node.get("@id"))
        predicates: dict[Node, list[Node]] = {}
        for key, values in node.items():
            if key == "@type":
                types = [iri for iri in map(self.iri, values) if iri is not None]
                predicates.setdefault(RDF_TYPE, []).extend(types)
            elif key == "@included":
                for one in values:
                    self.node(one)
            elif key == "@reverse":
                self.reverse(subject, values)
            elif not key.startswith("@"):
                predicate = self.iri(key)
                if predicate is not None:
                    predicates.setdefault(predicate, []).extend(self.terms(values))
        self.hold(subject, predicates)
        return subject

    def terms(self, values: list[Any]) -> list[Node]:
        return [self.term(value) for value in values]

    def term(self, value: dict[str, Any]) -> Node:
        if "@value" in value:
            return literal_of(value["@value"], value.get("@type"), value.get("@language"))
        if "@list" in value:
            return self.list_of(self.terms(value["@list"]))
        if value.keys() == {"@id"}:
            return self.subject(value["@id"])
        return self.node(value)

    def list_of(self, terms: list[Node]) -> Node:
        rest: Node = URIRef(RDF + "nil")
        for term in reversed(terms):
            cell = BNode()
            self.index[cell] = {URIRef(RDF + "first"): term, URIRef(RDF + "rest"): rest}
            rest = cell
        return rest

    def reverse(self, subject: Node, reversed_: dict[str, list[Any]]) -> None:
        for key, values in reversed_.items():
            predicate = self.iri(key)
            if predicate is not None:
                for other in self.terms(values):
                    self.hold(other, {predicate: [subject]})

    def hold(self, subject: Node, predicates: dict[Node, list[Node]]) -> None:
        held = self.index.setdefault(subject, {}) if predicates else {}
        for predicate, terms in predicates.items():
            known = held.get(predicate)
            joined = [*(known if isinstance(known, list) else [] if known is None else [known]), *terms]
            kept = list(dict.fromkeys(joined)) if self.distinct else joined
            if kept:
                held[predicate] = kept if len(kept) > 1 else kept[0]
        if predicates and not held:
            del self.index[subject]

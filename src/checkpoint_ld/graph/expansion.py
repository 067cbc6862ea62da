"""Expansion: JSON-LD to statements, by PyLD's expansion algorithm (JSON-LD 1.1 API §5.1).

The place for a faster walk over contexts that were compiled beforehand: whatever gives the same statements may stand
in for `expand`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rdflib import BNode, Literal, URIRef

from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph import contexts
from checkpoint_ld.graph.literals import literal_of
from checkpoint_ld.graph.naming import escaped, iri_of, is_iri, renewed
from checkpoint_ld.rules import finding
from checkpoint_ld.vocabulary import ID_BASE, KARENINA, RDF

if TYPE_CHECKING:
    from rdflib.term import Node

    from checkpoint_ld.findings import Finding
    from checkpoint_ld.graph.store import Index


@lru_cache(maxsize=4096)
def named(iri: str) -> URIRef:
    """Return a name of the vocabulary as a term, the same one each time: it is compared without a call of rdflib's."""
    return URIRef(iri)


RDF_TYPE = named(RDF + "type")
IDENTIFIER = named(KARENINA + "identifier")
"""The text of an `@id` that is not the IRI of its node: no IRI, or taken by an earlier object."""

ESCAPED = "urn:karenina:escaped:"
"""Prefix of the names that a faithful reading gives to keys and types that are no IRI; the rest is percent-encoded."""

VERBATIM = named(ESCAPED + "json")
"""The datatype of a value that a faithful reading gives back as the JSON that it is."""

Expanded = list[dict[str, Any]]


def expand(document: Any, context: dict[str, Any]) -> Expanded:
    """Expand a JSON-LD document, under `context` where it has none of its own.

    Raises ReadError when the document is no JSON-LD or names a context that is not shipped.
    """
    from pyld import jsonld  # noqa: PLC0415 - usual documents are read without it

    try:
        with contexts.quiet():
            expanded: Expanded = jsonld.expand(document, {**contexts.options(), "expandContext": context})
    except RecursionError:
        raise
    except contexts.failures() as error:
        raise ReadError.of([_refusal(error)]) from error
    return expanded


def _refusal(error: BaseException) -> Finding:
    from pyld import jsonld  # noqa: PLC0415 - as above

    cause: Any = error
    while isinstance(getattr(cause, "cause", None), jsonld.JsonLdError):
        cause = cause.cause
    details = getattr(cause, "details", None) or {}
    address = details.get("url")
    if address:
        message = f"the document names the remote context {address!r}, which is not shipped and is never fetched"
        return finding("json-ld", message, pointer="", remedy="put the context itself into the document")
    return finding("json-ld", f"the document is no JSON-LD: {cause.args[0] if cause.args else cause}", pointer="")


def statements(expanded: Expanded, *, distinct: bool = True) -> Index:
    """Return the statements of expanded nodes as a subject index.

    Blank nodes stay blank, an identifier that is no IRI is escaped, a key or type that is no IRI is passed over. With
    `distinct` false, a value that a document repeats is held as often as it is there, two objects that share an
    identifier stay two, and keys and types that are no IRI are held under `ESCAPED`: no graph, but a faithful reading.
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
        self.nested: set[Node] = set()
        """Nodes that are described where another object holds them."""
        self.made = 0

    def blank(self) -> BNode:
        """Make a blank node; names of chance would give a document other keys whenever it is read."""
        self.made += 1
        return BNode(f"made-{self.made}")

    def iri(self, text: str) -> URIRef | None:
        try:
            return self.iris[text]
        except KeyError:
            self.iris[text] = iri = URIRef(renewed(text)) if is_iri(text) else None
            return iri

    def name(self, text: str) -> URIRef | None:
        """Return the IRI of a key or a type."""
        iri = self.iri(text)
        return iri if iri is not None or self.distinct else URIRef(ESCAPED + escaped(text))

    def subject(self, identifier: str | None) -> Node:
        if identifier is None:
            return self.blank()
        if identifier.startswith("_:"):
            return BNode(f"own-{identifier[2:]}")
        subject = self.iri(identifier)
        if subject is not None:
            return subject
        relative = renewed(identifier).removeprefix(ID_BASE)
        subject = URIRef(iri_of(relative))
        self.index.setdefault(subject, {})[IDENTIFIER] = Literal(relative)
        return subject

    def node(self, node: dict[str, Any], *, is_nested: bool = False) -> Node:
        subject = self.subject(node.get("@id"))
        predicates: dict[Node, list[Node]] = {}
        for key, values in node.items():
            if key == "@type":
                types = [iri for iri in map(self.name, values) if iri is not None]
                predicates.setdefault(RDF_TYPE, []).extend(types)
            elif key in ("@included", "@graph"):
                for one in values:
                    if isinstance(one, dict):  # PyLD lets other values pass
                        self.node(one)
            elif not key.startswith("@"):
                predicate = self.name(key)
                if predicate is not None:
                    predicates.setdefault(predicate, []).extend(self.terms(values))
        if not self.distinct:
            subject = self.apart(subject, predicates, is_nested=is_nested)
        self.hold(subject, predicates)
        self.reverse(subject, node.get("@reverse", {}))
        return subject

    def apart(self, subject: Node, predicates: dict[Node, list[Node]], *, is_nested: bool) -> Node:
        """Return the subject for one more object with an identifier.

        It is another one if both objects say the same sort of thing, or both are held by others.
        """
        said = self.index.get(subject, {}).keys() - {RDF_TYPE, IDENTIFIER}
        is_second = is_nested and not predicates.keys() <= {RDF_TYPE}
        if isinstance(subject, BNode) or (said.isdisjoint(predicates) and not (is_second and subject in self.nested)):
            self.nested |= {subject} if is_second else set()
            return subject
        twin = self.blank()
        self.index[twin] = {
            IDENTIFIER: self.index[subject].get(IDENTIFIER, Literal(str(subject).removeprefix(ID_BASE)))
        }
        return twin

    def terms(self, values: list[Any]) -> list[Node]:
        return [self.term(value) for value in values]

    def term(self, value: dict[str, Any]) -> Node:
        if "@value" in value:
            return literal_of(value["@value"], value.get("@type"), value.get("@language"))
        if "@list" in value:
            return self.list_of(self.terms(value["@list"]))
        if value.keys() == {"@id"}:
            return self.subject(value["@id"])
        return self.node(value, is_nested=True)

    def list_of(self, terms: list[Node]) -> Node:
        rest: Node = URIRef(RDF + "nil")
        for term in reversed(terms):
            cell = self.blank()
            self.index[cell] = {URIRef(RDF + "first"): term, URIRef(RDF + "rest"): rest}
            rest = cell
        return rest

    def reverse(self, subject: Node, reversed_: dict[str, list[Any]]) -> None:
        for key, values in reversed_.items():
            predicate = self.name(key)
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

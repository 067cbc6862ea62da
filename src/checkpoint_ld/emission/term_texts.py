"""Terms as texts: names and literals as N-Triples has them (RDF 1.1 N-Triples §2), each escaped once.

pyoxigraph checks and escapes. A term is known again by its identity: to hash a literal of rdflib takes as long as to
escape it, and graphs share their terms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
import pyoxigraph
from rdflib import BNode, Literal, URIRef

from checkpoint_ld.errors import WriteError
from checkpoint_ld.graph.literals import XSD_STRING
from checkpoint_ld.phrases import shown

if TYPE_CHECKING:
    from rdflib.term import Node


def is_blank(node: Node) -> bool:
    """Tell whether a node is a blank one."""
    # Asking for the very class first: rdflib's classes are abstract ones, which take ten times as long to say no.
    return type(node) is not URIRef and isinstance(node, BNode)


def name(node: Node) -> str:
    """Return `<IRI>` or `_:label`. Raises WriteError for what is no IRI (RFC 3987), or no label."""
    if not is_blank(node):
        return iri(str(node))
    try:
        return str(pyoxigraph.BlankNode(str(node)))
    except ValueError as error:
        raise _unnamed(str(node), "label of a blank node") from error


def iri(text: str) -> str:
    """Return `<IRI>`. Raises WriteError for what is none."""
    try:
        return str(pyoxigraph.NamedNode(text))
    except ValueError as error:
        raise _unnamed(text, "IRI") from error


def _unnamed(text: str, kind: str) -> WriteError:
    return WriteError(f"the name {shown(text)} cannot be written, it is no {kind}: give the node another one")


def quoted(text: str, language: str | None = None) -> str:
    """Return a text in quotes, with its language. Raises WriteError for half a surrogate pair and wrong languages."""
    if not language:
        escaped = _as_in_json(text)
        if escaped is not None:
            return escaped
    try:
        return str(pyoxigraph.Literal(text, language=language) if language else pyoxigraph.Literal(text))
    except ValueError as error:
        raise WriteError(f"a literal cannot be written: {error}") from error


def _as_in_json(text: str) -> str | None:
    """Return a text in quotes as JSON has it, in a quarter of the time; None where N-Triples has it otherwise."""
    try:
        escaped = orjson.dumps(text).decode()
    except TypeError:  # half a surrogate pair
        return None
    # Control characters without a letter are \\u00… in JSON, and the other three are no escapes.
    is_other = r"\u00" in escaped or "\x7f" in escaped or "\ufffe" in escaped or "\uffff" in escaped
    return None if is_other else escaped


class TermTexts:
    """The texts of the terms of one graph that is not changed meanwhile, each with `end` after it.

    `known` has them by the identity of the term; `added` makes one that is not there yet.
    """

    def __init__(self, end: str = "") -> None:
        self.end = end
        self.known: dict[int, str] = {}

    def added(self, term: Node) -> str:
        """Return the text of a term, and know it from now on."""
        text = self.known[id(term)] = self.text(term) + self.end
        return text

    def text(self, term: Node) -> str:
        """Return the text of a term."""
        if type(term) is URIRef or not isinstance(term, Literal):  # the class first, as above
            return name(term) if is_blank(term) else self.iri(str(term))
        datatype = term.datatype
        if term.language or datatype is None or datatype == XSD_STRING:
            return quoted(str(term), term.language)
        return self.typed(str(term), datatype)

    def iri(self, text: str) -> str:
        """Return the text of an IRI."""
        return iri(text)

    def typed(self, text: str, datatype: URIRef) -> str:
        """Return the text of a literal with a datatype."""
        return f"{quoted(text)}^^{iri(str(datatype))}"

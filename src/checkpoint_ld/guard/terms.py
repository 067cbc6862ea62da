"""Terms of RDF, and how SPARQL writes them."""

from __future__ import annotations

import re
from typing import TypeAlias

import pyoxigraph
from pyoxigraph import BlankNode, NamedNode, Triple

from checkpoint_ld.documents.values import lone_surrogate
from checkpoint_ld.errors import QueryError
from checkpoint_ld.vocabulary import XSD

Term: TypeAlias = NamedNode | BlankNode | pyoxigraph.Literal | Triple
"""A term in a query or in a result, of pyoxigraph."""

_IRI = re.compile(r'[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>"{}|^`\\]*')
_WRITTEN = str.maketrans({"\t": "\\t", "\b": "\\b", "\n": "\\n", "\r": "\\r", "\f": "\\f", "\\": "\\\\", '"': '\\"'})
_LANGUAGE = re.compile(r"[A-Za-z]+(?:-[A-Za-z0-9]+)*")


def is_iri(text: str) -> bool:
    """Return whether a text is an absolute IRI that SPARQL can write."""
    return _IRI.fullmatch(text) is not None


def quoted(text: str) -> str:
    """Return a string literal of SPARQL and of N-Triples whose value is `text`.

    No character of `text` can end the literal or make an escape. Raises QueryError for a lone surrogate, which no
    syntax can write.
    """
    if lone_surrogate(text) is not None:
        raise QueryError("half of a surrogate pair is no character and cannot be written")
    return f'"{text.translate(_WRITTEN)}"'


def written(term: Term) -> str:
    """Return a term in the syntax of SPARQL, escaped.

    Raises QueryError for blank nodes, which would be variables in a query, and for an invalid IRI.
    """
    if isinstance(term, NamedNode) and is_iri(term.value):
        return f"<{term.value}>"
    if isinstance(term, pyoxigraph.Literal):
        if term.language is not None and _LANGUAGE.fullmatch(term.language):
            return f"{quoted(term.value)}@{term.language}"
        if term.datatype.value == XSD + "string":  # in rdflib, a string with its datatype is another literal
            return quoted(term.value)
        if term.language is None:
            return f"{quoted(term.value)}^^{written(term.datatype)}"
    raise QueryError(f"{term} cannot be written into a query: give an absolute IRI or a literal")

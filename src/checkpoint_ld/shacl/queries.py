"""Queries in shapes: each is parsed, and may only read the data graph.

The guard is that of queries of users (`checkpoint_ld.guard.checking`). It gets the text that is evaluated, with the
prefixes that the shapes declare. So no spelling of SERVICE, FROM or an update gets past it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from pyparsing.exceptions import ParseBaseException as SyntaxFault
from rdflib import Literal

from checkpoint_ld.errors import QueryError, ShapesError
from checkpoint_ld.graph.store import terms_of
from checkpoint_ld.guard.checking import GuardedQuery, checked, tokens_of
from checkpoint_ld.shacl.shape import QUERIES, described, sh_values

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rdflib.term import Node

    from checkpoint_ld.graph.store import Index

_PREFIX = re.compile(r"(?:[A-Za-z\u00c0-\uffff](?:[\w.-]*[\w-])?)?")
_NAMESPACE = re.compile(r'[^\x00-\x20<>"{}|^`\\]*')
_DECLARED = re.compile(r"prefix\s+([^\s:<]*)\s*:", re.IGNORECASE)
_USED = re.compile(r"(?<![\w.-])([A-Za-z\u00c0-\uffff][\w.-]*)?:")


def prologue(shapes: Index, node: Node, text: str) -> str:
    """Return the declarations of prefixes that the query of a node may use (SHACL 1.0 §5.2.1).

    Raises ShapesError for a declaration that is none, because it becomes part of the query.
    """
    found: dict[str, str] = {}
    for ontology in sh_values(shapes, node, "prefixes"):
        for one in sh_values(shapes, ontology, "declare"):
            prefixes, namespaces = (sh_values(shapes, one, name) for name in ("prefix", "namespace"))
            texts = [str(term) for term in (*prefixes, *namespaces)]
            if len(prefixes) != 1 or len(namespaces) != 1 or not _are_declared(*texts):
                raise ShapesError(
                    f"sh:declare of {described(shapes, ontology)} has the prefixes {', '.join(map(str, prefixes))} for "
                    f"{', '.join(map(str, namespaces))}: write one prefix, and one namespace that is an IRI"
                )
            if found.setdefault(texts[0], texts[1]) != texts[1]:
                raise ShapesError(f"the prefix {texts[0]}: is declared for {found[texts[0]]} and {texts[1]}: write one")
    return declared({name: iri for name, iri in found.items() if f"{name}:" in text})


def _are_declared(prefix: str, namespace: str) -> bool:
    return bool(_PREFIX.fullmatch(prefix) and _NAMESPACE.fullmatch(namespace))


def declared(prefixes: Mapping[str, str]) -> str:
    """Return the declarations of some prefixes, without those that no query can have."""
    return "".join(f"PREFIX {name}: <{iri}>\n" for name, iri in prefixes.items() if _are_declared(name, iri))


def guard(shapes: Index) -> None:
    """Refuse shapes with a query, used or not, that could reach beyond the data graph.

    Raises ShapesError for SERVICE, FROM and updates. What is no query is refused when it is to be evaluated.
    """
    for node, text in _queries(shapes):
        try:
            plain = with_path(prologue(shapes, node, text) + text, "<urn:x>")
            found = checked(_dummies(plain) + plain)
        except QueryError as error:
            if isinstance(error.__cause__, SyntaxFault) and "update" not in str(error):
                continue
            raise ShapesError(f"a query of {described(shapes, node)} is refused: {error}") from error
        if found.chooses:
            raise ShapesError(f"a query of {described(shapes, node)} is refused: {_FROM}")


_FROM = "it reads other graphs by FROM: take it out, because a query of shapes is about the data graph"


def tokens(text: str) -> list[str]:
    """Return the tokens of a query. Raises QueryError as `tokens_of`."""
    return [token.text for token in tokens_of(text)]


def with_path(text: str, path: str) -> str:
    """Return a query with a property path in place of $PATH (SHACL 1.0 §5.2.2). Raises QueryError as `tokens_of`."""
    texts = tokens(text)
    for at in range(1, len(texts)):
        if texts[at] == "PATH" and texts[at - 1] in ("$", "?"):
            texts[at - 1], texts[at] = "", path
    return "".join(texts)


def _queries(shapes: Index) -> Iterator[tuple[Node, str]]:
    for node, held in shapes.items():
        for form in QUERIES:
            yield from ((node, str(term)) for term in terms_of(held.get(form)) if isinstance(term, Literal))


def _dummies(text: str) -> str:
    """Return declarations of the prefixes that a text uses without declaring them: the data graph may bind them."""
    plain = "".join(token.text for token in tokens_of(text) if token.kind not in ("iri", "string"))
    missing = {name for name in _USED.findall(plain) if _PREFIX.fullmatch(name)} - {*_DECLARED.findall(plain)}
    return declared(dict.fromkeys(sorted(missing), "urn:x:"))


@lru_cache(maxsize=2048)
def read_only(text: str) -> GuardedQuery:
    """Return a query that may be evaluated over the data graph. Raises ShapesError with the reason for any other."""
    try:
        found = checked(text)
    except QueryError as error:
        raise ShapesError(f"a query of the shapes is refused: {error}") from error
    if found.chooses:
        raise ShapesError(f"a query of the shapes is refused: {_FROM}")
    return found

"""Descriptions of what a store holds, in VoID and DCAT 3, made by the queries of the folder `descriptions`.

Each query is a CONSTRUCT whose counts the engine makes, so that large stores are described without a look at single
statements. VoID is https://www.w3.org/TR/void/, DCAT 3 https://www.w3.org/TR/vocab-dcat-3/; which properties there are
at least is what DCAT-AP 3 asks for (https://semiceu.github.io/DCAT-AP/releases/3.0.0/).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from pyoxigraph import Literal, NamedNode, Triple

from checkpoint_ld.errors import SettingsError
from checkpoint_ld.sparql.guard import PREFIXES, bound, checked
from checkpoint_ld.sparql.result import QueryResult, is_iri, written
from checkpoint_ld.sparql.running import evaluated
from checkpoint_ld.vocabulary import XSD

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyoxigraph import Store

    from checkpoint_ld.sparql.result import Term

TITLE = "Checkpoints of AI evaluation"
_BYTE_SIZE = NamedNode(PREFIXES["dcat"] + "byteSize")
_NOT_NEGATIVE = NamedNode(XSD + "nonNegativeInteger")
_NONE = "urn:checkpoint-ld:nothing"


@dataclass(frozen=True, slots=True)
class Description:
    """What a description says beside what the store knows.

    `document` is the IRI of the description itself: what it names stands behind a `#`. `files` is the IRI against which
    the paths of files are resolved, `site` that of the endpoint, each with a slash at its end; empty, there are none.
    `publisher` is the name of who makes all of this available, which DCAT-AP asks for.
    """

    document: str
    files: str = ""
    site: str = ""
    title: str = TITLE
    publisher: str = ""


def described(store: Store, wanted: Description) -> QueryResult:
    """Return the statements of a description, sorted. Raises SettingsError for what is no absolute IRI."""
    iris = {name: _iri(getattr(wanted, name) or _NONE) for name in ("files", "site", "document")}
    values: dict[str, Term] = {
        "document": iris["document"],
        "site": iris["site"],
        "heading": Literal(wanted.title),
        "publisher": Literal(wanted.publisher),
    }
    found: set[Triple] = set()
    for name, text in _queries().items():
        if (name == "files" and not wanted.files) or (name == "service" and not wanted.site):
            continue
        told = {key: value for key, value in values.items() if f"?{key} " in text or f"?{key})" in text}
        base = f"BASE {written(iris['files'])}\n" if name == "files" else ""
        query = checked(bound(base + text, told))
        found.update(map(_sized, evaluated(store, query, engine="oxigraph", max_rows=None).triples))
    return QueryResult("construct", triples=tuple(sorted(found, key=str)))


def _sized(triple: Triple) -> Triple:
    """Return a statement with the datatype that DCAT asks for (§6.8.13), which the engine makes an integer."""
    if triple.predicate != _BYTE_SIZE or not isinstance(triple.object, Literal):
        return triple
    return Triple(triple.subject, triple.predicate, Literal(triple.object.value, datatype=_NOT_NEGATIVE))


def _iri(text: str) -> NamedNode:
    try:
        if is_iri(text):
            return NamedNode(text)
    except ValueError:
        pass
    raise SettingsError(f"{text!r} is no absolute IRI: give one such as https://example.org/checkpoints/")


@cache
def _queries() -> Mapping[str, str]:
    folder = resources.files("checkpoint_ld.sparql") / "descriptions"
    return {
        one.name.removesuffix(".rq"): one.read_text(encoding="utf-8")
        for one in sorted(folder.iterdir(), key=lambda one: one.name)
        if one.name.endswith(".rq")
    }

"""Descriptions of a store in VoID and DCAT 3, and the page of a resource.

Each query of the folder `descriptions` is a CONSTRUCT in which the engine counts, so that large stores are described
without reading single statements. VoID is https://www.w3.org/TR/void/, DCAT 3 https://www.w3.org/TR/vocab-dcat-3/. The
properties include those that DCAT-AP 3 requires (https://semiceu.github.io/DCAT-AP/releases/3.0.0/).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from html import escape
from string import Template
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from pyoxigraph import Literal, NamedNode, Triple

from checkpoint_ld.data import PACKAGE
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.guard.checking import PREFIXES, bound, checked
from checkpoint_ld.guard.terms import is_iri, written
from checkpoint_ld.phrases import encodable, harmless_lines
from checkpoint_ld.sparql.formats import short
from checkpoint_ld.sparql.result import QueryResult, results_json
from checkpoint_ld.sparql.running import MANIFEST, evaluated
from checkpoint_ld.vocabularies import NAMES
from checkpoint_ld.vocabularies import statements as statements_of
from checkpoint_ld.vocabulary import XSD

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyoxigraph import Store

    from checkpoint_ld.guard.terms import Term

    Binding = dict[str, dict[str, Any]]

TITLE = "Checkpoints of AI evaluation"
_BYTE_SIZE = NamedNode(PREFIXES["dcat"] + "byteSize")
_NOT_NEGATIVE = NamedNode(XSD + "nonNegativeInteger")
NOTHING = "urn:checkpoint-ld:nothing"
"""An IRI that no store has."""


@dataclass(frozen=True, slots=True)
class CollectionDescription:
    """The parts of a description that the store does not hold.

    `document` is the IRI of the description, and the start of the IRIs of its nodes. `files` is the base IRI of the
    paths of files, `site` the URL of the endpoint, each with a slash at its end, or empty. `publisher` is the name of
    the publisher, which DCAT-AP requires.
    """

    document: str
    files: str = ""
    site: str = ""
    title: str = TITLE
    publisher: str = ""


def described(store: Store, wanted: CollectionDescription) -> QueryResult:
    """Return the sorted statements of a description. Raises SettingsError for an IRI that is not absolute."""
    iris = {name: _iri(getattr(wanted, name) or NOTHING) for name in ("files", "site", "document")}
    values: dict[str, Term] = {
        "document": iris["document"],
        "site": iris["site"],
        "heading": Literal(encodable(wanted.title)),
        "publisher": Literal(encodable(wanted.publisher)),
    }
    found: set[Triple] = set()
    for name, text in _queries().items():
        if (name == "files" and not wanted.files) or (name == "service" and not wanted.site):
            continue
        used = {key: value for key, value in values.items() if f"?{key} " in text or f"?{key})" in text}
        base = f"BASE {written(iris['files'])}\n" if name == "files" else ""
        query = checked(bound(base + text, used))
        found.update(map(_sized, evaluated(store, query, engine="oxigraph", max_rows=None).triples))
    return QueryResult("construct", triples=tuple(sorted(found, key=str)))


def _sized(triple: Triple) -> Triple:
    """Return a statement with the datatype that DCAT requires (§6.8.13) instead of the engine's integer."""
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
    files = sorted((PACKAGE / "sparql" / "descriptions").glob("*.rq"))
    return {file.stem: file.read_text(encoding="utf-8") for file in files}


MOST: Final = 500
"""The most statements that are shown in each direction."""
_MOST_GRAPHS: Final = 50
_LONGEST: Final = 2000
"""The most characters that are shown of a literal."""

ALL: Final = "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }"
_PARTS: Final = f"""
  {{ SELECT ("out" AS ?way) ?property ?term WHERE {{ IRI ?property ?term }} LIMIT {MOST + 1} }}
  UNION {{ SELECT ("in" AS ?way) ?property ?term WHERE {{ ?term ?property IRI }} LIMIT {MOST + 1} }}"""


def rows(iri: str) -> str:
    """Return the query for the statements about an IRI, in both directions, and the graphs that have it as subject."""
    graphs = f"{{ GRAPH ?g {{ IRI ?p ?o }} FILTER (?g != <{MANIFEST}>) }} LIMIT {_MOST_GRAPHS}"
    text = f"""SELECT ?way ?property ?term WHERE {{{_PARTS}
  UNION {{ SELECT ("use" AS ?way) (IRI AS ?property) ?term WHERE {{ ?term IRI ?value }} LIMIT {MOST + 1} }}
  UNION {{ SELECT DISTINCT ("graph" AS ?way) (?g AS ?term) WHERE {graphs} }}
}}"""
    return text.replace("IRI", f"<{iri}>")


def of_vocabulary(iri: str) -> tuple[Triple, ...]:
    """Return what the shipped vocabularies state about an IRI, nothing for one that is no term of theirs."""
    term = NamedNode(iri)
    return tuple(triple for name in NAMES for triple in statements_of(name) if triple.subject == term)


def vocabulary_rows(iri: str) -> list[Binding]:
    """Return the same as bindings of the query of `rows`."""
    columns = ("way", "property", "term")
    rows = tuple((Literal("out"), triple.predicate, triple.object) for triple in of_vocabulary(iri))
    found: list[Binding] = results_json(QueryResult("select", columns, rows))["results"]["bindings"]
    return found


def mention(iri: str) -> str:
    """Return the query whether any statement mentions an IRI."""
    return f"ASK {{ {{ <{iri}> ?p ?o }} UNION {{ ?s <{iri}> ?o }} UNION {{ ?s ?p <{iri}> }} }}"


def statements(iri: str) -> str:
    """Return the query for the same statements as RDF."""
    given = f"""CONSTRUCT {{ IRI ?predicate ?object . ?subject ?about IRI }} WHERE {{
  {{ SELECT ?predicate ?object WHERE {{ IRI ?predicate ?object }} LIMIT {MOST} }}
  UNION {{ SELECT ?subject ?about WHERE {{ ?subject ?about IRI }} LIMIT {MOST} }}
}}"""
    return given.replace("IRI", f"<{iri}>")


_USES: Final = """<section class="result" aria-labelledby="uses"><h2 id="uses">Used by</h2>
{}
</section>"""


def page(template: str, iri: str, found: Sequence[Binding]) -> str:
    """Return the page about an IRI; `found` are the bindings of its query in SPARQL 1.1 Query Results JSON."""
    by_way: dict[str, list[Binding]] = {"out": [], "in": [], "use": [], "graph": []}
    for row in found:
        by_way[row["way"]["value"]].append(row)
    names = [
        row["term"]["value"]
        for row in by_way["out"]
        if _short(row["property"]) in {"schema:name", "schema:text", "rdfs:label"}
    ]
    is_web = iri.startswith(("http://", "https://"))
    return Template(template).substitute(
        title=_text(names[0] if names else short(iri)),
        iri=f'<a href="{_text(iri)}" rel="noreferrer">{_text(iri)}</a>' if is_web else _text(iri),
        address=_text(_link(iri)),
        graphs=", ".join(_term(row["term"]) for row in by_way["graph"]) or "none",
        outgoing=_table(by_way["out"], "Value"),
        incoming=_table(by_way["in"], "Subject"),
        uses=_USES.format(_table(by_way["use"], "Subject")) if by_way["use"] else "",
    )


def _table(found: Sequence[Binding], heading: str) -> str:
    if not found:
        return '<p class="about">nothing</p>'
    shown = sorted(found[:MOST], key=lambda row: (row["property"]["value"], row["term"]["value"]))
    kinds = ["" if row["term"]["type"] == "literal" else ' class="term"' for row in shown]
    lines = "\n".join(
        f'<tr><td class="term">{_term(row["property"])}</td><td{kind}>{_term(row["term"])}</td></tr>'
        for row, kind in zip(shown, kinds, strict=True)
    )
    more = f'\n<p class="about">The first {MOST}: there are more.</p>' if len(found) > MOST else ""
    head = f'<thead><tr><th scope="col">Property</th><th scope="col">{heading}</th></tr></thead>'
    return f'<div class="scroll" tabindex="0">\n<table>{head}\n<tbody>\n{lines}\n</tbody></table>\n</div>{more}'


def _term(term: dict[str, Any]) -> str:
    if term["type"] == "uri":
        return f'<a href="{_text(_link(term["value"]))}">{_breakable(_short(term))}</a>'
    value = term["value"] if isinstance(term["value"], str) else str(term["value"])
    text = _text(value[:_LONGEST] + ("…" if len(value) > _LONGEST else ""))
    kind = term.get("xml:lang") or term.get("datatype", XSD + "string")
    return text if kind == XSD + "string" else f'{text} <span class="kind">{_text(short(kind))}</span>'


def _short(term: dict[str, Any]) -> str:
    return short(str(term["value"]))


def _link(iri: str) -> str:
    return f"resource?iri={quote(iri, safe='')}"


def _breakable(text: str) -> str:
    """Return a text for HTML that may be broken after the signs of an IRI, and not inside of words."""
    return "<wbr>".join(_text(part) for part in re.split(r"(?<=[/:#?&=-])", text))


def _text(text: str) -> str:
    return escape(harmless_lines(text))

"""Results of queries as text: tables for terminals, and the formats of W3C.

CSV and TSV follow SPARQL 1.1 Query Results CSV and TSV Formats, JSON the SPARQL 1.1 Query Results JSON Format, XML the
SPARQL Query Results XML Format. In other formats than JSON and XML, the answer of an ASK is a table with one cell.
Statements are a table with three columns.
"""

from __future__ import annotations

import re
from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element, SubElement, tostring

import orjson
import pyoxigraph
from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat

from checkpoint_ld import tables
from checkpoint_ld.documents.files import MEDIA_TYPES
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.graph.emission import rdf_xml
from checkpoint_ld.guard.checking import PREFIXES
from checkpoint_ld.phrases import cells, harmless, head, tail, unknown
from checkpoint_ld.sparql.result import ntriples, results_json, term_of, typed_column, value_of
from checkpoint_ld.vocabulary import XSD

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from checkpoint_ld.guard.checking import Form
    from checkpoint_ld.guard.terms import Term
    from checkpoint_ld.sparql.result import QueryResult


_LOCAL = re.compile(r"[A-Za-z_](?:[\w.-]*[\w-])?", re.ASCII)


def short(iri: str) -> str:
    """Return an IRI as a prefixed name if possible, otherwise unchanged."""
    for prefix, namespace in PREFIXES.items():
        if iri.startswith(namespace) and _LOCAL.fullmatch(iri, len(namespace)):
            return f"{prefix}:{iri[len(namespace) :]}"
    return iri


GAP = "  "
NARROWEST = 4
"""The least width of a column in cells."""


class Style(Enum):
    """The alignment of the values of a column."""

    TEXT = "T"
    """To the left, cut at the end."""
    NUMBER = "#"
    """To the right."""
    NAME = "N"
    """To the left, cut at the start, because the ends of IRIs differ."""


def lines(
    columns: Sequence[str], rows: Sequence[Sequence[str]], styles: Sequence[Style], width: int | None
) -> Iterator[str]:
    """Yield the lines of a table: names, a rule, rows. Values are cut with `…` to fit into `width` cells.

    Without `width`, no value is cut. Control characters are shown as pictures.
    """
    shown = [[harmless(cell) for cell in row] for row in (columns, *rows)]
    widths = [max(map(cells, column)) for column in zip(*shown, strict=True)]
    if width is not None:
        widths = fitting(widths, width - len(GAP) * (len(widths) - 1))
    for at, row in enumerate(shown):
        kinds = styles if at else [Style.NUMBER if style is Style.NUMBER else Style.TEXT for style in styles]
        parts = [_padded(cell, wide, kind) for cell, wide, kind in zip(row, widths, kinds, strict=True)]
        yield GAP.join(parts).rstrip()
        if at == 0:
            yield GAP.join("─" * wide for wide in widths)


def fitting(widths: Sequence[int], room: int) -> list[int]:
    """Return widths with a sum of at most `room` if possible; the widest columns shrink to equal widths."""
    most = max(NARROWEST, room)
    left = [min(width, most) for width in widths]
    while sum(left) > room and most > NARROWEST:
        most -= 1
        left = [min(width, most) for width in widths]
    for at, natural in enumerate(widths):  # the remainder goes to the first columns that can use it
        if left[at] < natural and sum(left) < room:
            left[at] += 1
    return left


def _padded(text: str, width: int, style: Style) -> str:
    cut = tail(text, width) if style is Style.NAME else head(text, width)
    space = " " * (width - cells(cut))
    return space + cut if style is Style.NUMBER else cut + space


TABLES = ("table", "csv", "tsv", "json", "markdown")
GRAPHS = ("turtle", "ntriples", "jsonld", "xml")
FORMATS = (*TABLES, *GRAPHS)
EXTENSIONS = {
    ".txt": None,
    ".csv": "csv",
    ".tsv": "tsv",
    ".json": "json",
    ".md": "markdown",
    ".ttl": "turtle",
    ".nt": "ntriples",
    ".jsonld": "jsonld",
    ".rdf": "xml",
    ".parquet": "parquet",
    ".arrow": "arrow",
}
"""The formats by the extensions of files; None is the default format of the result."""
COLUMNS = {"parquet": tables.parquet, "arrow": tables.arrow}
"""The binary formats, of typed columns, with the functions that write them."""


def default_format(result: QueryResult) -> str:
    """Return the default format of a result on a terminal."""
    return "turtle" if result.form in ("construct", "describe") else "table"


def render(result: QueryResult, kind: str | None = None, *, width: int | None = None, wide: bool = False) -> str:
    """Return a result as text that ends with a line break; `kind` is one of `FORMATS`, or None for the default.

    A table fits into `width` cells and shortens IRIs, unless `wide`. Raises SettingsError for another format, and for
    RDF if the result has no statements.
    """
    kind = kind or default_format(result)
    if kind in GRAPHS:
        return _graph(result, kind)
    shown = _tabular(result)
    if kind == "table":
        return _table(shown, None if wide else width, wide=wide)
    if kind == "csv":
        return tables.table([shown.columns, *([_plain(term) for term in row] for row in shown.rows)])
    if kind == "tsv":
        rows = ["\t".join("" if term is None else str(term) for term in row) for row in shown.rows]
        return "".join(f"{row}\n" for row in ("\t".join(f"?{name}" for name in shown.columns), *rows))
    if kind == "json":
        document = results_json(result if result.form == "ask" else shown)
        return orjson.dumps(document, option=orjson.OPT_INDENT_2).decode() + "\n"
    if kind == "markdown":
        return _markdown(shown)
    raise SettingsError(unknown("result format", kind, FORMATS))


def columns(result: QueryResult, kind: str) -> bytes:
    """Return a result as a table in a format of `COLUMNS`, Apache Parquet or Apache Arrow, written by polars.

    A column of dates, times with an offset (in UTC) or without one, decimals, numbers or truth values has that type. It
    holds texts if its values have several types, or a number has more than 64 bits. Raises SettingsError if polars is
    not installed.
    """
    shown = _tabular(result)
    return COLUMNS[kind]({name: _column([row[at] for row in shown.rows]) for at, name in enumerate(shown.columns)})


def _column(terms: list[Term | None]) -> list[Any]:
    typed = typed_column(terms)
    return [None if term is None else _plain(term) for term in terms] if typed is None else typed


def _tabular(result: QueryResult) -> QueryResult:
    if result.boolean is not None:
        return replace(result, columns=("answer",), rows=((term_of(result.boolean),),), form="select", boolean=None)
    return result.tabular()


def _graph(result: QueryResult, kind: str) -> str:
    if result.form not in ("construct", "describe"):
        raise SettingsError(f"{kind} is for CONSTRUCT and DESCRIBE; for this query use {', '.join(TABLES)}")
    if kind == "ntriples":
        return ntriples(result)
    if kind == "jsonld":
        return (pyoxigraph.serialize(result.triples, format=RdfFormat.JSON_LD) or b"").decode() + "\n"
    if kind == "xml":
        return rdf_xml(result.triples, PREFIXES).decode()
    named = {
        term.value
        for triple in result.triples
        for term in (triple.subject, triple.predicate, triple.object)
        if isinstance(term, NamedNode)
    }
    used = {short(iri).partition(":")[0] for iri in named if short(iri) != iri}
    prefixes = {prefix: namespace for prefix, namespace in PREFIXES.items() if prefix in used}
    text = pyoxigraph.serialize(result.triples, format=RdfFormat.TURTLE, prefixes=prefixes)
    return (text or b"").decode()


def _table(result: QueryResult, width: int | None, *, wide: bool) -> str:
    if not result.columns:
        return ""
    rows = [[_read(term, wide=wide) for term in row] for row in result.rows]
    styles = [_style([row[at] for row in result.rows]) for at in range(len(result.columns))]
    return "".join(f"{line}\n" for line in lines(result.columns, rows, styles, width))


def _style(values: list[Term | None]) -> Style:
    stated = [value for value in values if value is not None]
    if stated and all(isinstance(term, NamedNode) for term in stated):
        return Style.NAME
    is_numeric = stated and all(isinstance(term, Literal) and type(value_of(term)) in (int, float) for term in stated)
    return Style.NUMBER if is_numeric else Style.TEXT


def _markdown(result: QueryResult) -> str:
    rows = [[tables.line(_read(term, wide=False)) for term in row] for row in result.rows]
    lines = ([tables.line(name) for name in result.columns], ["---"] * len(result.columns), *rows)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _read(term: Term | None, *, wide: bool) -> str:
    if isinstance(term, NamedNode):
        return term.value if wide else short(term.value)
    return _plain(term)


def _plain(term: Term | None) -> str:
    if term is None:
        return ""
    return term.value if isinstance(term, NamedNode | Literal) else str(term)


RESULT_TYPES = {
    MEDIA_TYPES[".srj"]: "json",
    MEDIA_TYPES[".json"]: "json",
    MEDIA_TYPES[".srx"]: "xml",
    "application/xml": "xml",
    MEDIA_TYPES[".csv"]: "csv",
    MEDIA_TYPES[".tsv"]: "tsv",
}
"""Media types of the results of SELECT and ASK, the preferred first."""
GRAPH_TYPES = {
    MEDIA_TYPES[".ttl"]: "turtle",
    MEDIA_TYPES[".nt"]: "ntriples",
    MEDIA_TYPES[".jsonld"]: "jsonld",
    MEDIA_TYPES[".rdf"]: "rdfxml",
    MEDIA_TYPES[".txt"]: "ntriples",
}
"""Media types of the results of CONSTRUCT and DESCRIBE."""
_NAMESPACE = "http://www.w3.org/2005/sparql-results#"
_NOT_XML = dict.fromkeys((*range(0x20), 0xFFFE, 0xFFFF), "\ufffd") | {9: "\t", 10: "\n", 13: "\r"}
"""Characters that XML 1.0 cannot write."""


def offered_for(form: Form) -> dict[str, str]:
    """Return the media types of the results of a form of query, the preferred first, with their formats."""
    return GRAPH_TYPES if form in ("construct", "describe") else RESULT_TYPES


def chosen(accept: str, form: Form) -> tuple[str, str] | None:
    """Return the best media type for a header `Accept`, and its format; None if none is acceptable."""
    offered = offered_for(form)
    wanted = _ranges(accept) or [("*/*", 1.0)]
    weights = {media: _weight(media, wanted) for media in offered}
    best = max(offered, key=lambda media: weights[media])
    return (best, offered[best]) if weights[best] > 0 else None


def prefers_page(accept: str) -> bool:
    """Return whether a header `Accept` does not prefer RDF to HTML, as that of a browser."""
    wanted = _ranges(accept) or [("*/*", 1.0)]
    page = _weight(MEDIA_TYPES[".html"], wanted)
    return page > 0 and page >= max(_weight(media, wanted) for media in GRAPH_TYPES)


def _ranges(accept: str) -> list[tuple[str, float]]:
    found = []
    for entry in accept.split(","):
        media, *parameters = (part.strip().lower() for part in entry.split(";"))
        weight = next((part[2:] for part in parameters if part.startswith("q=")), "1")
        try:
            found.append((media, float(weight)))
        except ValueError:
            continue
    return [pair for pair in found if pair[0]]


def _weight(media: str, wanted: list[tuple[str, float]]) -> float:
    """Return the weight of a media type, which is that of its most precise range."""
    for shape in (media, f"{media.partition('/')[0]}/*", "*/*"):
        for named, weight in wanted:
            if named == shape:
                return weight
    return 0.0


def results_xml(result: QueryResult) -> str:
    """Return the result of a SELECT or ASK as a document of XML."""
    root = Element("sparql", xmlns=_NAMESPACE)
    head = SubElement(root, "head")
    for name in result.columns:
        SubElement(head, "variable", name=name)
    if result.boolean is not None:
        SubElement(root, "boolean").text = str(result.boolean).lower()
    else:
        rows = SubElement(root, "results")
        for row in result.rows:
            made = SubElement(rows, "result")
            for name, term in zip(result.columns, row, strict=True):
                if term is not None:
                    _add_term(SubElement(made, "binding", name=name), term)
    # A parser reads a bare carriage return as a line end (XML 1.0 §2.11).
    return tostring(root, encoding="unicode").replace("\r", "&#13;") + "\n"


def _add_term(parent: Element, term: Term) -> None:
    if isinstance(term, NamedNode):
        SubElement(parent, "uri").text = term.value
    elif isinstance(term, BlankNode):
        SubElement(parent, "bnode").text = term.value
    elif isinstance(term, Literal):
        made = SubElement(parent, "literal")
        made.text = term.value.translate(_NOT_XML)
        if term.language:
            made.set("xml:lang", term.language)
        elif term.datatype.value != XSD + "string":
            made.set("datatype", term.datatype.value)
    else:
        triple = SubElement(parent, "triple")
        for name in ("subject", "predicate", "object"):
            _add_term(SubElement(triple, name), getattr(term, name))

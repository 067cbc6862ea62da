"""Results of queries as text.

CSV and TSV follow SPARQL 1.1 Query Results CSV and TSV Formats, JSON the SPARQL 1.1 Query Results JSON Format. The
answer of an ASK is a table of one cell there, apart from JSON; statements are a table of three columns.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import orjson
import pyoxigraph
from pyoxigraph import Literal, NamedNode, RdfFormat

from checkpoint_ld.emission import rdf_xml
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.exports.comma_separated import table as comma_separated
from checkpoint_ld.sparql import table
from checkpoint_ld.sparql.guard import PREFIXES
from checkpoint_ld.sparql.names import prefixes_in, short
from checkpoint_ld.sparql.result import ntriples, results_json
from checkpoint_ld.sparql.terms import Term, term_of, value_of

if TYPE_CHECKING:
    from checkpoint_ld.sparql.result import QueryResult

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
}
"""The formats by the extensions of files; None is what suits the result."""


def default_format(result: QueryResult) -> str:
    """Return the format that suits a result on a terminal."""
    return "turtle" if result.form in ("construct", "describe") else "table"


def render(result: QueryResult, kind: str | None = None, *, width: int | None = None, wide: bool = False) -> str:
    """Return a result as text that ends with a line end; `kind` is one of `FORMATS`, the one that suits by default.

    A table fits into `width` cells, and shortens IRIs, unless it is to be `wide`. Raises SettingsError for another
    format, and for RDF where there are no statements.
    """
    kind = kind or default_format(result)
    if kind in GRAPHS:
        return _graph(result, kind)
    shown = _tabular(result)
    if kind == "table":
        return _table(shown, None if wide else width, wide=wide)
    if kind == "csv":
        return comma_separated([shown.columns, *([_plain(term) for term in row] for row in shown.rows)])
    if kind == "tsv":
        rows = ["\t".join(_turtle(term) for term in row) for row in shown.rows]
        return "".join(f"{row}\n" for row in ("\t".join(f"?{name}" for name in shown.columns), *rows))
    if kind == "json":
        told = results_json(result if result.form == "ask" else shown)
        return orjson.dumps(told, option=orjson.OPT_INDENT_2).decode() + "\n"
    if kind == "markdown":
        return _markdown(shown)
    raise SettingsError(f"there is no format {kind!r} for results: use {', '.join(FORMATS)}")


def _tabular(result: QueryResult) -> QueryResult:
    if result.boolean is not None:
        return replace(result, columns=("answer",), rows=((term_of(result.boolean),),), form="select", boolean=None)
    if result.form == "select":
        return result
    rows = tuple((one.subject, one.predicate, one.object) for one in result.triples)
    return replace(result, form="select", columns=("subject", "predicate", "object"), rows=rows, triples=())


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
        one.value
        for triple in result.triples
        for one in (triple.subject, triple.predicate, triple.object)
        if isinstance(one, NamedNode)
    }
    text = pyoxigraph.serialize(result.triples, format=RdfFormat.TURTLE, prefixes=dict(prefixes_in(named)))
    return (text or b"").decode()


def _table(result: QueryResult, width: int | None, *, wide: bool) -> str:
    if not result.columns:
        return ""
    rows = [[_read(term, wide=wide) for term in row] for row in result.rows]
    styles = [_style([row[at] for row in result.rows]) for at in range(len(result.columns))]
    return "".join(f"{line}\n" for line in table.lines(result.columns, rows, styles, width))


def _style(values: list[Term | None]) -> table.Style:
    told = [one for one in values if one is not None]
    if told and all(isinstance(one, NamedNode) for one in told):
        return table.Style.NAME
    is_numeric = told and all(isinstance(one, Literal) and type(value_of(one)) in (int, float) for one in told)
    return table.Style.NUMBER if is_numeric else table.Style.TEXT


def _markdown(result: QueryResult) -> str:
    from checkpoint_ld.exports.markdown import line as marked_line  # noqa: PLC0415 - it needs entities, which take long

    rows = [[marked_line(_read(term, wide=False)) for term in row] for row in result.rows]
    lines = ([marked_line(name) for name in result.columns], ["---"] * len(result.columns), *rows)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _read(term: Term | None, *, wide: bool) -> str:
    """Return a term for people."""
    if isinstance(term, NamedNode):
        return term.value if wide else short(term.value)
    return _plain(term)


def _plain(term: Term | None) -> str:
    """Return the bare value of a term, as CSV has it."""
    if term is None:
        return ""
    return term.value if isinstance(term, NamedNode | Literal) else str(term)


def _turtle(term: Term | None) -> str:
    return "" if term is None else str(term)

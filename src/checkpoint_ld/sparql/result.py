"""Results of queries (`QueryResult`), and the conversion of terms between pyoxigraph, rdflib, Python and JSON."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import pyoxigraph
from pyoxigraph import BlankNode, Literal, NamedNode, Triple
from rdflib import BNode, URIRef
from rdflib import Literal as RdflibLiteral

from checkpoint_ld.documents.values import lone_surrogate
from checkpoint_ld.errors import QueryError, QueryFailedError
from checkpoint_ld.frames import FrameLibrary, data_frame
from checkpoint_ld.graph.emission.syntaxes import literal_of
from checkpoint_ld.graph.literals import literal
from checkpoint_ld.notebook import Card, Rows, Shown
from checkpoint_ld.vocabulary import XSD

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rdflib import Graph

    from checkpoint_ld.guard.checking import Form
    from checkpoint_ld.guard.terms import Term


_WHOLE = frozenset(
    XSD + name
    for name in (
        *("integer", "long", "int", "short", "byte", "nonNegativeInteger", "positiveInteger", "nonPositiveInteger"),
        *("negativeInteger", "unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte"),
    )
)
_FRACTIONS = frozenset(XSD + name for name in ("double", "float", "decimal"))


def term_of(value: Any) -> Term:
    """Return the term for a Python value, a term of rdflib or one of pyoxigraph.

    Texts are plain strings: give a NamedNode or URIRef for an IRI. Raises QueryError for anything else.
    """
    if isinstance(value, NamedNode | pyoxigraph.Literal):
        return value
    if isinstance(value, URIRef | RdflibLiteral):
        return of_rdflib(value)
    if isinstance(value, bool):
        return _typed("true" if value else "false", "boolean")
    if isinstance(value, int):
        return _typed(str(value), "integer")
    if isinstance(value, float) and math.isfinite(value):
        return _typed(repr(value), "double")
    if isinstance(value, Decimal) and value.is_finite():
        return _typed(f"{value:f}", "decimal")
    if isinstance(value, datetime):
        return _typed(value.isoformat(), "dateTime")
    if isinstance(value, date):
        return _typed(value.isoformat(), "date")
    if isinstance(value, str) and lone_surrogate(value) is None:
        return pyoxigraph.Literal(value)
    raise QueryError(f"{value!r} is no value that a query can hold: give a text, number, truth value, date or term")


def value_of(term: Term | None) -> Any:
    """Return the Python value of a term: text, int, float or bool; the IRI of a node; None for None.

    Dates, literals of other datatypes and invalid numbers give their text.
    """
    if term is None:
        return None
    if not isinstance(term, pyoxigraph.Literal):
        return str(term) if isinstance(term, Triple | BlankNode) else term.value
    kind = term.datatype.value
    try:
        if kind in _WHOLE:
            return int(term.value)
        if kind in _FRACTIONS:
            return float(term.value)
    except ValueError:
        return term.value
    if kind == XSD + "boolean" and term.value in ("true", "false", "1", "0"):
        return term.value in ("true", "1")
    return term.value


def typed_column(terms: Sequence[Term | None]) -> list[Any] | None:
    """Return the Python values of a column, all of one type: also dates, times and decimals; None for None.

    Times with an offset are in UTC. The result is None if the values have several types, times with and without an
    offset among them, or if a number has more digits than Arrow's types.
    """
    values = [_typed_value(term) for term in terms]
    kinds = {(type(value), getattr(value, "tzinfo", None) is None) for value in values if value is not None}
    is_large = any(type(value) is int and abs(value) >> 63 for value in values)
    return None if len(kinds) > 1 or is_large or _digits(values) > _MOST_DIGITS else values


_MOST_DIGITS = 38
"""The most digits of a decimal number in Arrow's Decimal128."""


def _digits(values: Iterable[Any]) -> int:
    """Return the number of digits before and after the point that a column of these decimals needs."""
    parts = [(value.adjusted() + 1, -int(value.as_tuple().exponent)) for value in values if isinstance(value, Decimal)]
    return max((before for before, _ in parts), default=0) + max((after for _, after in parts), default=0)


def _typed_value(term: Term | None) -> Any:
    value = value_of(term)
    if not isinstance(term, Literal) or not isinstance(value, str | float):
        return value
    kind = term.datatype.value.removeprefix(XSD)
    try:
        if kind == "decimal":
            return Decimal(term.value)
        if kind == "date":
            return date.fromisoformat(term.value)
        if kind in ("dateTime", "dateTimeStamp"):
            moment = datetime.fromisoformat(term.value)
            return moment.astimezone(UTC) if moment.tzinfo else moment
    except (ValueError, ArithmeticError):  # a year or an offset that Python lacks
        pass
    return value


def of_rdflib(term: Any) -> Term:
    """Return the term of pyoxigraph for a term of rdflib."""
    if isinstance(term, BNode):
        return _blank(str(term))
    return literal_of(term) if isinstance(term, RdflibLiteral) else NamedNode(str(term))


def _blank(label: str) -> BlankNode:
    """Return the blank node of a label, another label for one that no syntax writes, as Virtuoso's `nodeID://b1`."""
    try:
        return BlankNode(label)
    except ValueError:
        return BlankNode(f"x{label.encode().hex()}" if label else label)


def to_rdflib(term: Term) -> Any:
    """Return the term of rdflib for a term of pyoxigraph; plain strings have no datatype, as in checkpoint graphs."""
    if isinstance(term, NamedNode):
        return URIRef(term.value)
    if isinstance(term, BlankNode):
        return BNode(term.value)
    if isinstance(term, Triple):
        raise QueryError("a statement about a statement (RDF 1.2) is nothing that rdflib can hold")
    is_plain = term.language is not None or term.datatype.value == XSD + "string"
    return literal(term.value, None if is_plain else URIRef(term.datatype.value), term.language)


def _typed(text: str, kind: str) -> pyoxigraph.Literal:
    return pyoxigraph.Literal(text, datatype=NamedNode(XSD + kind))


Row: TypeAlias = "tuple[Term | None, ...]"


@dataclass(frozen=True, slots=True, repr=False)
class QueryResult(Shown):
    """The result of a query.

    SELECT gives `columns` and `rows` of terms of pyoxigraph, None for an unbound variable. ASK gives `boolean`.
    CONSTRUCT and DESCRIBE give sorted `triples`. `is_cut` is whether a limit cut the result.
    """

    form: Form
    columns: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    boolean: bool | None = None
    triples: tuple[Triple, ...] = ()
    is_cut: bool = False

    def __repr__(self) -> str:
        return f"<QueryResult {self.form}: {self._line()}>"

    def _line(self) -> str:
        if self.boolean is not None:
            return "yes" if self.boolean else "no"
        noun = "statements" if self.form in ("construct", "describe") else "rows"
        return f"{len(self)} {noun}{', of more' if self.is_cut else ''}"

    def _card(self) -> Card:
        table = self.tabular()
        values = ([value_of(term) for term in row] for row in table.rows)
        return Card("QueryResult", self.form.upper(), self._line(), {}, [Rows("", table.columns, values, len(self))])

    def __len__(self) -> int:
        return len(self.triples) if self.form in ("construct", "describe") else len(self.rows)

    def __bool__(self) -> bool:
        return bool(len(self)) if self.boolean is None else self.boolean

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.as_dicts())

    def tabular(self) -> Self:
        """Return the statements of CONSTRUCT or DESCRIBE as rows with the columns subject, predicate and object."""
        if self.form not in ("construct", "describe"):
            return self
        rows = tuple((triple.subject, triple.predicate, triple.object) for triple in self.triples)
        return replace(self, form="select", columns=("subject", "predicate", "object"), rows=rows, triples=())

    def as_dicts(self) -> list[dict[str, Any]]:
        """Return the rows with Python values: texts, numbers, booleans, IRIs as texts, None for unbound variables.

        Statements are rows with the keys subject, predicate and object.
        """
        table = self.tabular()
        return [dict(zip(table.columns, map(value_of, row), strict=True)) for row in table.rows]

    def to_dataframe(self, *, library: FrameLibrary = "pandas") -> Any:
        """Return the rows as a data frame of pandas or polars; unbound variables are missing values.

        Columns of one type have it: numbers, decimals, truth values, dates, times (in UTC if they have an offset).
        Raises SettingsError for another library, and if the library is not installed.
        """
        table = self.tabular()
        columns = {name: [row[at] for row in table.rows] for at, name in enumerate(table.columns)}
        values: dict[str, list[Any]] = {}
        for name, terms in columns.items():
            typed = typed_column(terms)
            values[name] = list(map(value_of, terms)) if typed is None else typed
        return data_frame(values, library)

    @property
    def graph(self) -> Graph:
        """The result of CONSTRUCT or DESCRIBE as a new graph of rdflib, empty for other queries."""
        from rdflib import Graph  # noqa: PLC0415 - most results are tables

        made = Graph()
        for triple in self.triples:
            made.add((to_rdflib(triple.subject), to_rdflib(triple.predicate), to_rdflib(triple.object)))
        return made


Json = dict[str, Any]


def results_json(result: QueryResult) -> Json:
    """Return the result of a SELECT or ASK in the W3C's JSON format; the member `cut` marks a cut result."""
    head: Json = {"vars": list(result.columns)} if result.form == "select" else {}
    cut = {"cut": True} if result.is_cut else {}
    if result.boolean is not None:
        return {"head": head, "boolean": result.boolean}
    rows = [
        {name: _term_json(term) for name, term in zip(result.columns, row, strict=True) if term is not None}
        for row in result.rows
    ]
    return {"head": head, **cut, "results": {"bindings": rows}}


def of_results_json(document: Any) -> QueryResult:
    """Return the result in a document of the W3C's JSON format, including the old form that some servers write.

    Raises QueryFailedError for any other document.
    """
    try:
        if "results" not in document:
            if not isinstance(document["boolean"], bool):  # the text "false" is true in Python
                raise TypeError(f"{document['boolean']!r} is no truth value")
            return QueryResult("ask", boolean=document["boolean"])
        head, found = document["head"], document["results"]["bindings"]
        columns = tuple(head["vars"] if found else head.get("vars", ()))  # Comunica names none where there is no row
        rows = tuple(tuple(_term_of(row[name]) if name in row else None for name in columns) for row in found)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        reason = f"the member {error} is missing" if isinstance(error, KeyError) else str(error)
        raise QueryFailedError(f"this is no result of a SPARQL query in JSON: {reason}") from error
    return QueryResult("select", columns, rows, is_cut=document.get("cut") is True)


def texts_of(result: QueryResult) -> Json:
    """Return a result of any form as JSON."""
    if result.form in ("select", "ask"):
        return results_json(result)
    return {"form": result.form, "cut": result.is_cut, "triples": ntriples(result)}


def result_of(document: Json) -> QueryResult:
    """Return the result for the JSON of `texts_of`."""
    if "triples" not in document:
        return of_results_json(document)
    quads = pyoxigraph.parse(document["triples"], format=pyoxigraph.RdfFormat.N_TRIPLES)
    return QueryResult(document["form"], triples=tuple(quad.triple for quad in quads), is_cut=document["cut"])


def ntriples(result: QueryResult) -> str:
    """Return the statements of a result, one to a line."""
    return "".join(f"{triple} .\n" for triple in result.triples)


def _term_json(term: Term) -> Json:
    if isinstance(term, NamedNode):
        return {"type": "uri", "value": term.value}
    if isinstance(term, BlankNode):
        return {"type": "bnode", "value": term.value}
    if not isinstance(term, Literal):
        parts = {name: _term_json(getattr(term, name)) for name in ("subject", "predicate", "object")}
        return {"type": "triple", "value": parts}
    if term.language is not None:
        return {"type": "literal", "value": term.value, "xml:lang": term.language}
    typed = {} if term.datatype.value == XSD + "string" else {"datatype": term.datatype.value}
    return {"type": "literal", "value": term.value, **typed}


def _term_of(term: Json) -> Term:
    kind, value = term["type"], term["value"]
    if kind == "uri":
        return NamedNode(value)
    if kind == "bnode":
        return _blank(value)
    if kind == "triple":
        return Triple(*(_term_of(value[name]) for name in ("subject", "predicate", "object")))  # type: ignore[arg-type]  # pyoxigraph checks the kinds
    if kind not in ("literal", "typed-literal"):
        raise ValueError(f"a term of the type {kind!r}")
    if "xml:lang" in term:
        return Literal(value, language=term["xml:lang"])
    return Literal(value, datatype=NamedNode(term["datatype"])) if "datatype" in term else Literal(value)

"""Results of queries, as data."""

from __future__ import annotations

import typing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import pyoxigraph
from pyoxigraph import BlankNode, Literal, NamedNode

from checkpoint_ld.errors import QueryFailedError, SettingsError
from checkpoint_ld.extras import library as optional
from checkpoint_ld.sparql.terms import to_rdflib, value_of
from checkpoint_ld.vocabulary import XSD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyoxigraph import Triple
    from rdflib import Graph

    from checkpoint_ld.sparql.guard import Form
    from checkpoint_ld.sparql.terms import Term


Row: TypeAlias = "tuple[Term | None, ...]"
FrameLibrary: TypeAlias = typing.Literal["pandas", "polars"]


@dataclass(frozen=True, slots=True)
class QueryResult:
    """What came out of a query.

    SELECT gives `columns` and `rows` of terms of pyoxigraph, None where a variable is unbound; ASK gives `boolean`;
    CONSTRUCT and DESCRIBE give `triples`, sorted. `is_cut` says that there was more than a limit let through.
    """

    form: Form
    columns: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    boolean: bool | None = None
    triples: tuple[Triple, ...] = ()
    is_cut: bool = False

    def __len__(self) -> int:
        return len(self.triples) if self.form in ("construct", "describe") else len(self.rows)

    def __bool__(self) -> bool:
        return bool(len(self)) if self.boolean is None else self.boolean

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.as_dicts())

    def as_dicts(self) -> list[dict[str, Any]]:
        """Return the rows with Python values: texts, numbers, truth values, IRIs as texts, None for what is unbound."""
        return [dict(zip(self.columns, map(value_of, row), strict=True)) for row in self.rows]

    def to_dataframe(self, *, library: FrameLibrary = "pandas") -> Any:
        """Return the rows as a data frame of pandas or polars; what is unbound is missing.

        Raises SettingsError for another library, and where the library is not installed.
        """
        if library not in ("pandas", "polars"):
            raise SettingsError(f'the library is {library!r}: use "pandas" or "polars"')
        frames = optional(library)
        values = {name: [value_of(row[at]) for row in self.rows] for at, name in enumerate(self.columns)}
        if library == "pandas":
            # Without its own inference: a column of whole numbers and gaps would turn into floats.
            return frames.DataFrame(values, columns=list(self.columns), dtype=object).convert_dtypes()
        return frames.DataFrame(values, strict=False)

    @property
    def graph(self) -> Graph:
        """What CONSTRUCT or DESCRIBE gave, as a new graph of rdflib; an empty one for other queries."""
        from rdflib import Graph  # noqa: PLC0415 - most results are tables

        made = Graph()
        for triple in self.triples:
            made.add((to_rdflib(triple.subject), to_rdflib(triple.predicate), to_rdflib(triple.object)))
        return made


Json = dict[str, Any]


def results_json(result: QueryResult) -> Json:
    """Return the result of a SELECT or ASK in the W3C's JSON format; `cut` says that rows are missing."""
    head: Json = {"vars": list(result.columns)} if result.form == "select" else {}
    cut = {"cut": True} if result.is_cut else {}
    if result.boolean is not None:
        return {"head": head, "boolean": result.boolean}
    rows = [
        {name: _term_json(term) for name, term in zip(result.columns, row, strict=True) if term is not None}
        for row in result.rows
    ]
    return {"head": head, **cut, "results": {"bindings": rows}}


def of_results_json(told: Any) -> QueryResult:
    """Return the result that the W3C's JSON format tells, also in the old form that some servers write.

    Raises QueryFailedError for what is none.
    """
    try:
        if "results" not in told:
            return QueryResult("ask", boolean=bool(told["boolean"]))
        columns = tuple(told["head"]["vars"])
        rows = tuple(
            tuple(_term_of(row[name]) if name in row else None for name in columns)
            for row in told["results"]["bindings"]
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise QueryFailedError(f"this is no result of a SPARQL query in JSON: {error!r}") from error
    return QueryResult("select", columns, rows, is_cut=told.get("cut") is True)


def texts_of(result: QueryResult) -> Json:
    """Return a result of any form as JSON."""
    if result.form in ("select", "ask"):
        return results_json(result)
    return {"form": result.form, "cut": result.is_cut, "triples": ntriples(result)}


def result_of(told: Json) -> QueryResult:
    """Return the result that `texts_of` made JSON of."""
    if "triples" not in told:
        return of_results_json(told)
    quads = pyoxigraph.parse(told["triples"], format=pyoxigraph.RdfFormat.N_TRIPLES)
    return QueryResult(told["form"], triples=tuple(one.triple for one in quads), is_cut=told["cut"])


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


def _term_of(told: Json) -> Term:
    kind, value = told["type"], told["value"]
    if kind == "uri":
        return NamedNode(value)
    if kind == "bnode":
        return BlankNode(value)
    if kind not in ("literal", "typed-literal"):
        raise ValueError(f"a term of the type {kind!r}")
    if "xml:lang" in told:
        return Literal(value, language=told["xml:lang"])
    return Literal(value, datatype=NamedNode(told["datatype"])) if "datatype" in told else Literal(value)

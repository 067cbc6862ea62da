"""Named queries that are shipped, for checkpoints and for stores of them.

They are the `.rq` files of the folder `named_queries`, each with a header of comments: `# title:`, `# description:`,
`# needs: derived statements` if it uses them, `# parameter NAME: KIND[, required][, as ?VARIABLE] - WORDS`,
`# column NAME: WORDS`, and `# example:` with the text after `--name NAME` on the command line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from pyoxigraph import NamedNode, Store

from checkpoint_ld.data import PACKAGE
from checkpoint_ld.documents.values import instant_of
from checkpoint_ld.errors import QueryError
from checkpoint_ld.guard.terms import is_iri
from checkpoint_ld.phrases import unknown
from checkpoint_ld.sparql import running
from checkpoint_ld.sparql.result import term_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from checkpoint_ld.guard.terms import Term
    from checkpoint_ld.sparql import QueryResult

Kind: TypeAlias = Literal["text", "iri", "date", "number"]

_NAME = re.compile(r"[A-Za-z][\w-]*")
_HEADER = re.compile(r"# (\w+)(?: (\w+))?:(.*)")
_PARAMETER = re.compile(
    r"(?P<kind>text|iri|date|number)(?P<required>, required)?(?:, as \?(?P<variable>\w+))? - (?P<words>.+)"
)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a named query: a `kind` of value for a `variable`."""

    name: str
    kind: Kind
    variable: str
    is_required: bool
    words: str


@dataclass(frozen=True, slots=True)
class NamedQuery:
    """A query that is shipped.

    `columns` are those of its result, in their order, with descriptions. `needs_derived` is whether it uses derived
    statements (`checkpoint_ld.validation.inference`); without them its result is empty or incomplete. `example` is the
    text after `--name NAME` on the command line.
    """

    name: str
    title: str
    description: str
    parameters: Mapping[str, Parameter]
    columns: Mapping[str, str]
    example: str
    needs_derived: bool
    text: str


@cache
def catalogue() -> Mapping[str, NamedQuery]:
    """Return all named queries, by name, in the order of their names."""
    files = sorted((PACKAGE / "sparql" / "named_queries").glob("*.rq"))
    return MappingProxyType({file.stem: _query(file) for file in files})


def named(name: str) -> NamedQuery:
    """Return the query of that name. Raises QueryError, with similar names."""
    if name not in catalogue():
        raise QueryError(unknown("query", name, catalogue(), "checkpoint-ld query --list shows them all"))
    return catalogue()[name]


def _query(file: Path) -> NamedQuery:
    text = file.read_text(encoding="utf-8")
    stated: dict[str, str] = {}
    parameters: dict[str, Parameter] = {}
    columns: dict[str, str] = {}
    for key, name, words in (line.groups() for line in map(_HEADER.fullmatch, text.splitlines()) if line):
        if key == "parameter":
            found = cast("re.Match[str]", _PARAMETER.fullmatch(words.strip()))
            kind = cast("Kind", found["kind"])
            parameters[name] = Parameter(name, kind, found["variable"] or name, bool(found["required"]), found["words"])
        elif key == "column":
            columns[name] = words.strip()
        else:
            stated[key] = words.strip()
    return NamedQuery(
        name=file.stem,
        title=stated["title"],
        description=stated["description"],
        parameters=MappingProxyType(parameters),
        columns=MappingProxyType(columns),
        example=stated["example"],
        needs_derived="derived" in stated.get("needs", ""),
        text=text,
    )


def terms(query: NamedQuery, given: Mapping[str, Any]) -> dict[str, Term]:
    """Return the terms for the variables of a query, for values by the names of its parameters.

    Texts, such as from the command line, are read as values of the parameter's kind. Raises QueryError for an unknown
    parameter, for a missing one, and for a value of another kind.
    """
    for name in given:
        if name not in query.parameters:
            otherwise = "" if query.parameters else f"the query {query.name} has none"
            raise QueryError(unknown("parameter", name, query.parameters, otherwise))
    for name, parameter in query.parameters.items():
        if parameter.is_required and name not in given:
            raise QueryError(f"the query {query.name} needs a parameter {name}: {parameter.words}")
    return {query.parameters[name].variable: _term(query.parameters[name], value) for name, value in given.items()}


def _term(parameter: Parameter, value: Any) -> Term:
    if parameter.kind == "iri" and isinstance(value, str):
        iri = value[1:-1] if value.startswith("<") and value.endswith(">") else value
        if not is_iri(iri):
            raise QueryError(f"the parameter {parameter.name} is {value!r}, which is no absolute IRI")
        return NamedNode(iri)
    if parameter.kind == "date" and isinstance(value, str | date):
        moment = instant_of(value if isinstance(value, str) else value.isoformat())
        if moment is None:
            raise QueryError(f"the parameter {parameter.name} is {value!r}, which is no date such as 2026-03-01")
        return term_of(moment)
    if parameter.kind == "number":
        try:
            return term_of(float(value))
        except (TypeError, ValueError, QueryError):
            raise QueryError(f"the parameter {parameter.name} is {value!r}, which is no number such as 0.5") from None
    return term_of(value)


@dataclass(frozen=True, slots=True)
class QueryRequest:
    """A query for `checkpoint_ld.sparql.run`; `query` is the named query, if it is one."""

    text: str
    parameters: Mapping[str, Any]
    query: NamedQuery | None = None

    @property
    def needs_derived(self) -> bool:
        """Whether it is a named query that uses derived statements."""
        return self.query is not None and self.query.needs_derived


def request(text_or_name: str, parameters: Mapping[str, Any] | None = None) -> QueryRequest:
    """Return the request for a text in SPARQL or for the name of a query; a single word is a name.

    Raises QueryError for an unknown name, and as `terms` for parameters.
    """
    if not _NAME.fullmatch(text_or_name):
        return QueryRequest(text_or_name, parameters or {})
    query = named(text_or_name)
    return QueryRequest(query.text, terms(query, parameters or {}), query)


def run(store: Store, text_or_name: str, parameters: Mapping[str, Any] | None = None, **limits: Any) -> QueryResult:
    """Return the result of a query, given as text or by its name; `limits` are those of `checkpoint_ld.sparql.run`.

    Raises as `request` and `checkpoint_ld.sparql.run`.
    """
    wanted = request(text_or_name, parameters)
    return running.run(store, wanted.text, parameters=wanted.parameters, **limits)

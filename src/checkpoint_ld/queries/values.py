"""Values of the parameters of a named query, as terms."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from pyoxigraph import NamedNode

from checkpoint_ld.errors import QueryError
from checkpoint_ld.sparql.terms import is_iri, term_of
from checkpoint_ld.suggestion import unknown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from checkpoint_ld.queries.catalogue import NamedQuery, Parameter
    from checkpoint_ld.sparql.terms import Term


def terms(query: NamedQuery, given: Mapping[str, Any]) -> dict[str, Term]:
    """Return what the variables of a query stand for, by the names of its parameters.

    Texts, as the command line has them, are read as what the parameter asks for. Raises QueryError for a parameter that
    the query does not have, for one that is missing, and for a value of another kind.
    """
    for name in given:
        if name not in query.parameters:
            raise QueryError(
                unknown("parameter", name, query.parameters, f"the query {query.name} has none of that name")
            )
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
        return term_of(_moment(parameter, value))
    return term_of(value)


def _moment(parameter: Parameter, value: str | date) -> datetime:
    """Return a moment with an offset; where none is said, it is UTC."""
    try:
        told = datetime.fromisoformat(value if isinstance(value, str) else value.isoformat())
    except ValueError as error:
        message = f"the parameter {parameter.name} is {value!r}, which is no date such as 2026-03-01"
        raise QueryError(message) from error
    return told if told.tzinfo else told.replace(tzinfo=UTC)

"""What somebody asks: a query in SPARQL, or the name of one, with values for its parameters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from checkpoint_ld import sparql
from checkpoint_ld.queries.catalogue import NamedQuery, named
from checkpoint_ld.queries.values import terms

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyoxigraph import Store

    from checkpoint_ld.sparql import QueryResult

_NAME = re.compile(r"[A-Za-z][\w-]*")


@dataclass(frozen=True, slots=True)
class Request:
    """A query as `checkpoint_ld.sparql.run` wants it; `query` is the named one that it is, if any."""

    text: str
    parameters: Mapping[str, Any]
    query: NamedQuery | None = None

    @property
    def needs_derived(self) -> bool:
        """Whether derived statements are looked at, as far as we know."""
        return self.query is not None and self.query.needs_derived


def request(asked: str, parameters: Mapping[str, Any] | None = None) -> Request:
    """Return what is asked by a text in SPARQL or by the name of a query: no text is a single word.

    Raises QueryError for a name that there is not, and for parameters that do not fit.
    """
    if not _NAME.fullmatch(asked):
        return Request(asked, parameters or {})
    query = named(asked)
    return Request(query.text, terms(query, parameters or {}), query)


def run(store: Store, asked: str, parameters: Mapping[str, Any] | None = None, **limits: Any) -> QueryResult:
    """Return the result of a query, given as text or by its name; `limits` are those of `checkpoint_ld.sparql.run`.

    Raises what `request` and `checkpoint_ld.sparql.run` raise.
    """
    told = request(asked, parameters)
    return sparql.run(store, told.text, parameters=told.parameters, **limits)

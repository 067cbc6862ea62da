"""The other engine: rdflib's evaluation of a query over the same statements, to hold the first one against."""

from __future__ import annotations

import warnings
from itertools import islice
from typing import TYPE_CHECKING, Any

from pyoxigraph import Literal, NamedNode, Triple

from checkpoint_ld.errors import QueryFailedError
from checkpoint_ld.sparql.terms import of_rdflib, to_rdflib

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyoxigraph import Quad
    from rdflib import Dataset

    from checkpoint_ld.sparql.guard import Checked
    from checkpoint_ld.sparql.terms import Term


def dataset_of(quads: Iterable[Quad], query: Checked, *, is_union: bool) -> Dataset:
    """Return the graphs that a query is about; with `is_union`, its default graph is all of them together."""
    from rdflib import Dataset, URIRef  # noqa: PLC0415 - only cross-checks need it
    from rdflib.graph import DATASET_DEFAULT_GRAPH_ID  # noqa: PLC0415 - as above

    data = Dataset(default_union=is_union)
    for quad in quads:
        name = getattr(quad.graph_name, "value", "")
        triple = (to_rdflib(quad.subject), to_rdflib(quad.predicate), to_rdflib(quad.object))
        if not query.chooses:
            data.graph(URIRef(name) if name else DATASET_DEFAULT_GRAPH_ID).add(triple)
            continue
        if name in query.default_graphs:
            data.graph(DATASET_DEFAULT_GRAPH_ID).add(triple)
        if name in query.named_graphs:
            data.graph(URIRef(name)).add(triple)
    return data


def solutions(data: Dataset, query: Checked, most: int | None) -> tuple[tuple[str, ...], list[tuple[Term | None, ...]]]:
    """Return the columns and at most so many rows of a SELECT."""
    found = _answer(data, query)
    rows = (tuple(_bound(row.get(one)) for one in found.vars) for row in found.bindings)
    told = list(islice(rows, most))
    if query.is_grouped and len(told) == 1 and not any(told[0]):  # rdflib's own, where there is no group
        told = []
    return tuple(str(one) for one in found.vars), told


def statements(data: Dataset, query: Checked) -> Iterator[Triple]:
    """Yield the statements of a CONSTRUCT or DESCRIBE."""
    for parts in _answer(data, query).graph:
        subject, predicate, term = map(of_rdflib, parts)
        if not isinstance(subject, Literal) and isinstance(predicate, NamedNode):
            yield Triple(subject, predicate, term)


def truth(data: Dataset, query: Checked) -> bool:
    """Return the answer of an ASK."""
    return bool(_answer(data, query).askAnswer)


def _bound(term: Any) -> Term | None:
    return None if term is None else of_rdflib(term)


def _answer(data: Dataset, query: Checked) -> Any:
    try:
        with warnings.catch_warnings():
            # rdflib's evaluation uses what rdflib itself deprecates.
            warnings.simplefilter("ignore", DeprecationWarning)
            found = data.query(query.algebra())
            found.bindings  # noqa: B018 - only this evaluates a SELECT
            return found
    except RecursionError as error:
        raise QueryFailedError("rdflib cannot evaluate the query: it is nested too deeply") from error
    except Exception as error:  # rdflib raises whatever it likes, and a fault of its own is no fault of ours
        raise QueryFailedError(f"rdflib cannot evaluate the query: {error}") from error

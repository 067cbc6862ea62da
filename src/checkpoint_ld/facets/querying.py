"""A benchmark asked in SPARQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld.arguments import renamed
from checkpoint_ld.facets.facet import Facet
from checkpoint_ld.inference import with_inferred

if TYPE_CHECKING:
    from checkpoint_ld.sparql import QueryResult
    from checkpoint_ld.sparql.running import Engine


class Querying(Facet):
    """Queries in SPARQL over the benchmark as it is now, which each of them reads anew."""

    @renamed(derived="inferred")
    def query(
        self,
        query: str,
        *,
        inferred: bool = False,
        engine: Engine = "oxigraph",
        timeout: float | None = None,
        max_rows: int | None = None,
        **parameters: Any,
    ) -> QueryResult:
        """Return the result of a query in SPARQL 1.1, or of the named query `query`, such as `keywords`.

        `parameters` give values to variables of the query, or are those of the named one. With `inferred`, the query
        also sees what follows from the benchmark's statements; named queries that look at that see it anyway. To ask
        several benchmarks together, or one many times, see `checkpoint_ld.sparql.Dataset`.

        Raises QueryError for a query that is refused or is none: only reading is allowed, and nothing is fetched.
        Raises QueryFailedError where it takes longer than `timeout` seconds. With `max_rows`, the result says by
        `is_cut` that there are more rows.
        """
        from checkpoint_ld.sparql import Dataset  # noqa: PLC0415 - as above
        from checkpoint_ld.sparql.queries import request  # noqa: PLC0415 - few who load a benchmark ask it in SPARQL

        told = request(query, parameters)
        data = Dataset()
        dialect = self._source.dialect if self._source is not None and told.query is not None else None
        data.add(with_inferred(self._graph) if inferred or told.needs_derived else self._graph, dialect=dialect)
        return data.query(told.text, parameters=told.parameters, engine=engine, timeout=timeout, max_rows=max_rows)

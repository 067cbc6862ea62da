"""Results of queries, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from checkpoint_ld.errors import SettingsError
from checkpoint_ld.extras import library as optional
from checkpoint_ld.sparql.terms import to_rdflib, value_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyoxigraph import Triple
    from rdflib import Graph

    from checkpoint_ld.sparql.guard import Form
    from checkpoint_ld.sparql.terms import Term

Row: TypeAlias = "tuple[Term | None, ...]"
FrameLibrary: TypeAlias = Literal["pandas", "polars"]


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

"""The backend of graph stores: named graphs in one place, be it a collection on disk or a server."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from checkpoint_ld.sparql.terms import Term
    from checkpoint_ld.stores.outgoing import Body

Row = tuple["Term | None", ...]
"""One solution of a query: a term or None for each of its columns."""
NO_PARAMETERS: Mapping[str, Term] = MappingProxyType({})


class Backend(Protocol):
    """Named graphs that can be listed, read, written and queried; every method raises StoreError where that fails.

    A graph is given by its IRI and its N-Triples. `embedded` and `server` have the implementations.
    """

    @property
    def where(self) -> str:
        """What the place is called in messages."""

    def working(self, *, writing: bool) -> AbstractContextManager[object]:
        """Keep the place as it is for others during several steps, as far as it can be; StoreBusyError if others do."""

    def checkpoints(self) -> list[str]:
        """Return the names of the graphs that hold a checkpoint of that name, sorted; there may be other graphs too."""

    def unfinished(self) -> frozenset[str]:
        """Return the names of graphs whose writing was interrupted, which are as good as absent."""

    def select(self, text: str, parameters: Mapping[str, Term] = NO_PARAMETERS) -> Sequence[Row]:
        """Return the solutions of a query of ours; `parameters` are bound as `sparql.parameters` does."""

    def count(self, graphs: Iterable[str]) -> dict[str, int]:
        """Return how many statements each of the graphs holds, 0 for one that is not there."""

    def read(self, graph: str) -> bytes | None:
        """Return the N-Triples of a graph, None where there is no such graph; of one that lost all, there are none."""

    def holds(self, graph: str, triples: Body) -> bool:
        """Return whether a graph is there and says exactly this, by value."""

    def add(self, graph: str, triples: Body, *, source: str = "") -> bool:
        """Make a graph unless there is one of its name; return whether it was made. `source` is its file's path."""

    def change(self, graph: str, triples: Body, before: bytes) -> bool:
        """Put a graph in the place of one that reads `before`; false if that has become another one meanwhile."""

    def replace(self, graph: str, triples: Body, *, source: str = "") -> None:
        """Make a graph hold this and nothing else, whatever it holds."""

    def drop(self, graph: str) -> bool:
        """Take a graph away; return whether it was there as a whole."""

    def renew(self) -> None:
        """Make a place that is damaged usable again; what can be kept of it is moved aside."""

    def close(self) -> None:
        """Let go of what is open; the next use opens it again."""

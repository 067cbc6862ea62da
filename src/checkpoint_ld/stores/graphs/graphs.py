"""What the graph store asks of the place where graphs are, be it a collection or a server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager

    from checkpoint_ld.remote.outgoing import Outgoing
    from checkpoint_ld.sparql.terms import Term

Row = tuple["Term | None", ...]
"""One solution of a query: a term or None for each of its columns."""


class Graphs(Protocol):
    """Named graphs that can be read, changed and asked about; every method raises StoreError where that fails."""

    where: str
    """What the place is called in messages."""

    def working(self, *, writing: bool) -> AbstractContextManager[None]:
        """Keep the place as it is for others during several steps, as far as it can be; StoreBusyError if others do."""

    def select(self, text: str, parameters: Mapping[str, Term] = {}) -> Sequence[Row]:
        """Return the solutions of a query of ours; `parameters` are bound as `sparql.parameters` does."""

    def read(self, graph: str) -> bytes | None:
        """Return the N-Triples of a graph, None where there is no such graph; of one that lost all, there are none."""

    def add(self, graph: Outgoing, title: str) -> bool:
        """Make a graph unless there is one of its name; tell whether it was made. `title` is what lists call it."""

    def change(self, graph: Outgoing, title: str, before: bytes) -> bool:
        """Put a graph in the place of one that reads `before`; false if that has become another one meanwhile."""

    def replace(self, graph: Outgoing, title: str) -> None:
        """Make a graph hold this and nothing else, whatever it holds."""

    def drop(self, graph: str) -> bool:
        """Take a graph away; tell whether it was there as a whole."""

    def holds(self, graph: Outgoing) -> bool:
        """Tell whether a graph is there and says exactly this, by value."""

    def unfinished(self) -> frozenset[str]:
        """Return the names of graphs whose writing was interrupted, which are as good as absent."""

    def listed(self) -> frozenset[str]:
        """Return the names of graphs that a manifest says are there as a whole, where there is a manifest."""

    def renew(self) -> None:
        """Make a place that is damaged usable again; what can be kept of it is moved aside."""

    def close(self) -> None:
        """Let go of what is open."""

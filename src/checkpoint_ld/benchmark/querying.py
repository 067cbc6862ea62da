"""The statements of a benchmark in a store of queries, which follows the edits."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from checkpoint_ld.sparql import Dataset
from checkpoint_ld.validation.inference import with_inferred

if TYPE_CHECKING:
    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
    from checkpoint_ld.graph.store import Difference


class Queried:
    """The statements of a graph in a store of queries, with the inferred ones if they are wanted.

    After an edit, the store gets what changed. Inferred statements are inferred anew.
    """

    def __init__(self, graph: CheckpointGraph, inferred: bool, dialect: str | None) -> None:
        self.kind = inferred, dialect
        self._graph = graph
        self._changes = -1
        self._epoch = 0
        self._data = Dataset()
        self._lock = threading.Lock()

    def data(self) -> Dataset:
        """Return the store with the statements that the graph has now."""
        inferred, dialect = self.kind
        with self._graph.lock, self._lock:
            changes = self._graph.changes
            if self._changes == changes:
                return self._data
            before, self._epoch = self._epoch, self._graph.follow()
            difference = None if inferred or self._changes < 0 else self._graph.difference(before)
            self._changes = -1  # until the store is complete
            if difference is None or not self._follows(difference):
                self._data = Dataset()
                self._data.add(with_inferred(self._graph) if inferred else self._graph, dialect=dialect)
            self._changes = changes
            return self._data

    def _follows(self, difference: Difference) -> bool:
        try:
            self._data.follow(self._graph, difference)
        except ValueError:  # no syntax writes the term, and reading it back decides what it is
            return False
        return True

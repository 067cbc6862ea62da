"""The statements of a benchmark in a store of queries, which follows the edits."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from rdflib import Literal

from checkpoint_ld.graph.store import terms_of
from checkpoint_ld.sparql import Dataset
from checkpoint_ld.validation.inference import with_inferred
from checkpoint_ld.validation.inference.following import Unfollowed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rdflib.term import Node

    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
    from checkpoint_ld.graph.store import Difference
    from checkpoint_ld.validation.inference.followed_graph import FollowedGraph


class Queried:
    """The statements of a graph in a store of queries, with the inferred ones if they are wanted.

    After an edit, the store gets what changed.
    """

    def __init__(self, graph: CheckpointGraph, inferred: bool, dialect: str | None) -> None:
        self._kind = inferred, dialect
        self._graph = graph
        self._changes = -1
        self._epoch = 0
        self._data = Dataset()
        self._followed: FollowedGraph | None = None
        self._lock = threading.Lock()

    def data(self) -> Dataset:
        """Return the store with the statements that the graph has now."""
        with self._graph.lock, self._lock:
            changes = self._graph.changes
            if self._changes == changes:
                return self._data
            before, self._epoch = self._epoch, self._graph.follow()
            difference = None if self._changes < 0 else self._graph.difference(before)
            self._changes = -1  # until the store is complete
            if difference is None or not self._follows(difference):
                self._load()
            self._changes = changes
            return self._data

    def _load(self) -> None:
        inferred, dialect = self._kind
        self._followed, self._data = None, Dataset()
        self._data.add(self._with_inferred() if inferred else self._graph, dialect=dialect)

    def _with_inferred(self) -> CheckpointGraph:
        from checkpoint_ld.validation.inference.followed_graph import FollowedGraph  # noqa: PLC0415 - it reads templates

        try:
            self._followed = FollowedGraph(self._graph)
            return self._followed.applied()
        except Unfollowed:
            return with_inferred(self._graph)

    def _follows(self, difference: Difference) -> bool:
        """Change the store by a difference; return whether that is possible."""
        inferred, _ = self._kind
        try:
            if inferred:
                if self._followed is None:
                    return False
                difference = self._followed.change(difference)
            added = [*difference.added, *self._beside(difference.removed)]
            self._data.follow(difference.removed, added)
        except (Unfollowed, ValueError):  # no syntax writes a term, and reading it back decides what it is
            return False
        return True

    def _beside(self, removed: Iterable[tuple[Node, Node, Node]]) -> Iterable[tuple[Node, Node, Node]]:
        """Yield the literals that stay beside removed ones, because the store takes 0.5 and 5.0E-1 for one."""
        for subject, predicate in {triple[:2]: None for triple in removed if isinstance(triple[2], Literal)}:
            held = terms_of(self._graph.held.get(subject, {}).get(predicate))
            terms = held if self._followed is None else self._followed.values(subject, predicate)
            yield from ((subject, predicate, term) for term in terms if isinstance(term, Literal))

"""What all facets of a benchmark share: the graph, and the ways into it."""

from __future__ import annotations

from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

from rdflib import URIRef

from checkpoint_ld.arguments import CheckedMethods
from checkpoint_ld.entities.entity import now
from checkpoint_ld.errors import LookupFailedError
from checkpoint_ld.facets.elements import Elements, asked_in, elements_of
from checkpoint_ld.graph.store import terms_of
from checkpoint_ld.vocabulary import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rdflib.term import Node

    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
    from checkpoint_ld.graph.object_reading import Frame
    from checkpoint_ld.reading import Reading

Json = dict[str, Any]

BULK = ("dataFeedElement", "hasPart")
"""The members of the root that hold questions and scenarios."""
_ELEMENT = URIRef(SCHEMA + "dataFeedElement")


class Facet(CheckedMethods):
    """One side of a benchmark.

    The graph holds everything; what methods return are views that are made anew at each call, so that changing one
    changes nothing here.
    """

    def __init__(self, graph: CheckpointGraph, source: Reading | None = None) -> None:
        self._graph = graph
        self._source = source
        self._known: Elements | None = None
        self._known_at = -1

    @property
    def graph(self) -> CheckpointGraph:
        """The graph that holds the benchmark: an `rdflib.Graph`, named by the benchmark's IRI."""
        return self._graph

    def _touch(self, *items: Node) -> None:
        """Note that the benchmark was changed now, and of it the feed items whose nodes are given."""
        moment = now()
        for node in (*items, self._graph.root):
            self._graph.replace(node, "dateModified", moment)

    @contextmanager
    def _editing(self, node: Node, without: tuple[str, ...] = ()) -> Iterator[Json]:
        """Give the object of a node, less the members `without`, to change; nothing is changed where that fails."""
        held = self._graph.read(node, without=without)
        yield held
        self._graph.write(node, held, without=without)

    def _editing_head(self) -> AbstractContextManager[Json]:
        """Give what the benchmark says of itself, to change."""
        return self._editing(self._graph.root, BULK)

    def _elements(self) -> Elements:
        # The graph is open to all, and what they change may change identifiers.
        count = len(terms_of(self._graph.held.get(self._graph.root, {}).get(_ELEMENT)))
        if self._known is None or self._known_at != self._graph.revision or len(self._known) != count:
            self._known, self._known_at = elements_of(self._graph), self._graph.revision
        return self._known

    def _node(self, question_id: str) -> Node:
        node = self._elements().get(question_id)
        if node is None:
            raise LookupFailedError(f"there is no question {question_id!r}: see get_question_ids()")
        return node

    def _asked(self, question_id: str) -> Node:
        """Return the node of the question in a feed item. Raises LookupFailedError."""
        return asked_in(self._graph, self._node(question_id))

    def _items(self, only: Frame | None = None) -> dict[str, Json]:
        """Return the feed items by the identifiers of their questions; with `only`, what this frame names of them."""
        elements = self._elements()
        return dict(zip(elements, self._graph.read_all([*elements.values()], only=only), strict=True))

    def _item(self, question_id: str) -> Json:
        """Return the feed item of a question. Raises LookupFailedError."""
        return self._graph.read(self._node(question_id))

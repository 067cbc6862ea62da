"""A data graph in a store of others: the statements about a node are read when a shape first looks at it.

So a small shape over a large graph costs what it looks at.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from checkpoint_ld.graph.contexts import RDF_TYPE
from checkpoint_ld.graph.store import Index, put
from checkpoint_ld.shacl.data import SUBCLASS, DataGraph, index_of, matching

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rdflib import Graph
    from rdflib.term import Node

    Held = dict[Node, Node | list[Node]]


class _Read(dict["Node", "Held"]):
    """The statements of the nodes that were looked at."""

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self._graph = graph

    def get(self, node: Node, default: Any = None) -> Any:
        """Return the statements about a node."""
        if node not in self:
            held: Index = {node: {}}
            for _, predicate, value in matching(self._graph, node, None, None):
                put(held, node, predicate, value)
            self[node] = held[node]
        return self[node] or default


class ForeignGraph(DataGraph):
    """The statements of an rdflib graph that is not ours, for validation; the graph must not change meanwhile."""

    def __init__(self, graph: Graph) -> None:
        self._read = _Read(graph)
        super().__init__(self._read)
        self._graph = graph

    @cached_property
    def index(self) -> Index:
        """The statements in one index."""
        return index_of(self._graph)

    def mentions(self, predicate: Node) -> bool:
        """Return whether any node has a property."""
        return any(True for _ in matching(self._graph, None, predicate, None))

    def indexes_with(self, predicate: Node) -> tuple[Index, ...]:  # noqa: ARG002 - as declared
        """Return the only index."""
        return (self._read,)

    def subjects(self, predicate: Node, value: Node) -> list[Node]:
        """Return the nodes that have a value for a property, each once."""
        return list(dict.fromkeys(one for one, _, _ in matching(self._graph, None, predicate, value)))

    def subjects_of(self, predicate: Node) -> dict[Node, None]:
        """Return the nodes that have a property."""
        if predicate not in self._having:
            self._having[predicate] = dict.fromkeys(one for one, _, _ in matching(self._graph, None, predicate, None))
        return self._having[predicate]

    def objects_of(self, predicate: Node) -> dict[Node, None]:
        """Return the values of a property of any node."""
        return dict.fromkeys(one for _, _, one in matching(self._graph, None, predicate, None))

    def triples(self, predicates: frozenset[Node] | None) -> Iterator[tuple[Node, Node, Node]]:
        """Yield the statements with some predicates, all of them for None."""
        for predicate in (None,) if predicates is None else predicates:
            yield from matching(self._graph, None, predicate, None)

    def describes(self, node: Node) -> bool:
        """Return whether there are statements about a node."""
        return bool(self._read.get(node))

    def instances(self, kind: Node) -> Mapping[Node, None]:
        """Return the SHACL instances of a class: those of the class and of its subclasses (SHACL 1.0 §2.1.3.2)."""
        found = self._instances.get(kind)
        if found is None:
            kinds = {kind: None}
            left = [kind]
            while left:
                more = [one for one in self.subjects(SUBCLASS, left.pop()) if one not in kinds]
                kinds.update(dict.fromkeys(more))
                left += more
            nodes = (node for one in kinds for node, _, _ in matching(self._graph, None, RDF_TYPE, one))
            found = self._instances[kind] = dict.fromkeys(nodes)
        return found

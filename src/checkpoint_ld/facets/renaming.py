"""A benchmark's graph under another identifier: it is named by it, and so is what has no identifier of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.store import terms_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rdflib.term import Node

    from checkpoint_ld.graph.store import Index


def renamed(graph: CheckpointGraph, identifier: str) -> CheckpointGraph:
    """Return a new graph of the same benchmark with `identifier` as its `@id`.

    Statements beside the benchmark, which somebody added to the graph, are kept; where they are about the benchmark
    itself, they name it anew.
    """
    new = CheckpointGraph.of_tree({**graph.tree(), "@id": identifier})
    for prefix, namespace in graph.namespaces():
        new.bind(prefix, namespace)
    for subject, predicate, term in _beside(graph.held, graph.root):
        new.add((subject, predicate, new.root if term == graph.root else term))
    return new


def _beside(index: Index, root: Node) -> Iterator[tuple[Node, Node, Node]]:
    """Yield the statements about what does not hang on the root."""
    reached: set[Node] = set()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node in index and node not in reached:
            reached.add(node)
            waiting += [term for held in index[node].values() for term in terms_of(held)]
    for subject, predicates in index.items():
        if subject not in reached:
            yield from ((subject, predicate, term) for predicate, held in predicates.items() for term in terms_of(held))

"""The elements of a feed by the identifiers of their questions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from checkpoint_ld.identifiers import unique_question_id

if TYPE_CHECKING:
    from rdflib.term import Node

    from checkpoint_ld.graph import CheckpointGraph


class Elements(Mapping[str, "Node"]):
    """The feed items of a benchmark by identifier, in their order.

    An item without an identifier has the one that Karenina computes from the text of its question. Of two items with
    one identifier both are there: the later one gets the first suffix that is free.
    """

    def __init__(self, graph: CheckpointGraph) -> None:
        self._nodes: dict[str, Node] = {}
        nodes = graph.member(graph.root, "dataFeedElement")
        own = [graph.plain(node, "@id") for node in nodes]
        taken = set(own)
        for node, identifier in zip(nodes, own, strict=True):
            name = str(identifier) if identifier else unique_question_id(_text_of(graph, node), taken)
            if name in self._nodes:
                name = _suffixed(name, taken)
            taken.add(name)
            self._nodes[name] = node

    def add(self, identifier: str, node: Node) -> None:
        """Add an item at the end."""
        self._nodes[identifier] = node

    def __getitem__(self, identifier: str) -> Node:
        return self._nodes[identifier]

    def __iter__(self) -> Iterator[str]:
        return iter(self._nodes)

    def __len__(self) -> int:
        return len(self._nodes)


def _suffixed(identifier: str, taken: set[object]) -> str:
    suffix = 1
    while f"{identifier}-{suffix}" in taken:
        suffix += 1
    return f"{identifier}-{suffix}"


def _text_of(graph: CheckpointGraph, node: Node) -> str:
    asked = graph.member(node, "item")
    text = graph.plain(asked[0], "text") if asked else None
    return text if isinstance(text, str) else ""

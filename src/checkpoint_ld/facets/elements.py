"""The elements of a feed by the identifiers of their questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checkpoint_ld.identifiers import unique_question_id

if TYPE_CHECKING:
    from rdflib.term import Node

    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph

Elements = dict[str, "Node"]
"""The feed items of a benchmark by identifier, in their order."""


def elements_of(graph: CheckpointGraph) -> Elements:
    """Return the feed items of a benchmark.

    An item without an identifier has the one that Karenina computes from the text of its question. Of two items with
    one identifier both are there: the later one gets the first suffix that is free.
    """
    elements: Elements = {}
    nodes = graph.member(graph.root, "dataFeedElement")
    own = [graph.plain(node, "@id") for node in nodes]
    taken = set(own)
    for node, identifier in zip(nodes, own, strict=True):
        name = str(identifier) if identifier else unique_question_id(_text_of(graph, node), taken)
        if name in elements:
            name = _suffixed(name, taken)
        taken.add(name)
        elements[name] = node
    return elements


def _suffixed(identifier: str, taken: set[object]) -> str:
    suffix = 1
    while f"{identifier}-{suffix}" in taken:
        suffix += 1
    return f"{identifier}-{suffix}"


def _text_of(graph: CheckpointGraph, node: Node) -> str:
    asked = graph.member(node, "item")
    text = graph.plain(asked[0], "text") if asked else None
    return text if isinstance(text, str) else ""

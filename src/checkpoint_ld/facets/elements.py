"""The elements of a feed by the identifiers of their questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checkpoint_ld.identifiers import unique_question_id

if TYPE_CHECKING:
    from rdflib.term import Node

    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph


class Elements(dict[str, "Node"]):
    """The feed items of a benchmark by identifier, in their order.

    `computed` holds the identifiers that no item has as its own: they follow from the other items, and from the texts.
    """

    def __init__(self) -> None:
        super().__init__()
        self.computed: set[str] = set()


def elements_of(graph: CheckpointGraph) -> Elements:
    """Return the feed items of a benchmark.

    An item without an identifier has the one that Karenina computes from the text of its question. Of two items with
    one identifier both are there: the later one gets the first suffix that is free.
    """
    elements = Elements()
    nodes = graph.member(graph.root, "dataFeedElement")
    described = [node for node in nodes if node in graph.held]
    told = dict(zip(described, graph.read_all(described, only={}), strict=True))
    own = [told[node].get("@id") if node in told else graph.plain(node, "@id") for node in nodes]
    taken = {one for one in own if isinstance(one, str)}
    for node, identifier in zip(nodes, own, strict=True):
        name = str(identifier) if identifier else unique_question_id(_text_of(graph, node), taken)
        if name in elements:
            name = _suffixed(name, taken)
        if name != identifier:
            elements.computed.add(name)
        taken.add(name)
        elements[name] = node
    return elements


def keep_identifiers(graph: CheckpointGraph, elements: Elements, freed: str) -> None:
    """Give those feed items their identifiers as their own that would be named anew, now that `freed` is free.

    They are alike but for the suffix; the others need not be looked at.
    """
    stems = {freed, _stem(freed)} - {None}
    if any(_stem(one) in stems for one in elements.computed):
        renamed = {node: name for name, node in elements_of(graph).items()}
        for name in [one for one in elements.computed if renamed[elements[one]] != one]:
            keep_identifier(graph, elements, name)


def keep_identifier(graph: CheckpointGraph, elements: Elements, name: str) -> None:
    """Give a feed item its identifier as its own, if it is a computed one."""
    if name in elements.computed:
        graph.replace(elements[name], "@id", name)
        elements.computed.remove(name)


def asked_in(graph: CheckpointGraph, item: Node) -> Node:
    """Return the node of the question in a feed item; a bare question is its own item."""
    asked = graph.member(item, "item")
    return asked[0] if asked else item


def _suffixed(identifier: str, taken: set[str]) -> str:
    suffix = 1
    while f"{identifier}-{suffix}" in taken:
        suffix += 1
    return f"{identifier}-{suffix}"


def _stem(identifier: str) -> str | None:
    """Return what is before the suffix of an identifier, None where there is none."""
    stem, _, suffix = identifier.rpartition("-")
    return stem if suffix.isdecimal() else None


def _text_of(graph: CheckpointGraph, node: Node) -> str:
    text = graph.plain(asked_in(graph, node), "text")
    return text if isinstance(text, str) else ""

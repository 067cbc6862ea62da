"""The additional properties of a node, to look up and to change: named values, each a node of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld.mapping.properties import ABSENT, property_value

if TYPE_CHECKING:
    from collections.abc import Callable

    from rdflib.term import Node

    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph

_MEMBER = "additionalProperty"


def value_of(graph: CheckpointGraph, holder: Node, name: str, default: Any = None) -> Any:
    """Return the value of the property `name`, `default` where there is none; of several the last counts."""
    found = _entries(graph, holder, name.__eq__)
    return graph.content(found[-1], "value") if found else default


def set_value(graph: CheckpointGraph, holder: Node, name: str, value: Any) -> None:
    """Give the property `name` a JSON value; None is written as Karenina writes it, as no value at all.

    What else is said about a property that is there already stays. A new one comes to stand at the end.
    """
    found = _entries(graph, holder, name.__eq__)
    if found:
        graph.replace(found[-1], "value", value)
    else:
        graph.append(holder, _MEMBER, property_value(name, ABSENT if value is None else value))


def take_away(graph: CheckpointGraph, holder: Node, is_meant: Callable[[str], bool]) -> bool:
    """Take away the properties whose names are meant; tell whether there were any."""
    found = _entries(graph, holder, is_meant)
    for entry in found:
        graph.discard(holder, _MEMBER, entry)
    if found and not graph.content(holder, _MEMBER):
        graph.replace(holder, _MEMBER, None)
    return bool(found)


def _entries(graph: CheckpointGraph, holder: Node, is_meant: Callable[[str], bool]) -> list[Node]:
    named = ((entry, graph.plain(entry, "name")) for entry in graph.member(holder, _MEMBER))
    return [entry for entry, name in named if isinstance(name, str) and is_meant(name)]

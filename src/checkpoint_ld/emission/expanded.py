"""A checkpoint graph as expanded JSON-LD."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rdflib import Literal

from checkpoint_ld.emission.term_texts import is_blank
from checkpoint_ld.graph.building import uncollected
from checkpoint_ld.graph.contexts import karenina
from checkpoint_ld.graph.expansion import RDF_TYPE
from checkpoint_ld.graph.literals import RDF_JSON, XSD_BOOLEAN, XSD_INTEGER, json_of
from checkpoint_ld.graph.object_reading import ObjectReading
from checkpoint_ld.graph.store import terms_of

if TYPE_CHECKING:
    from rdflib.term import Node

    from checkpoint_ld.graph.store import StatementGraph

Tree = dict[str, Any]

_TYPE = str(RDF_TYPE)


def expanded_of(graph: StatementGraph) -> list[Tree]:
    """Return the statements as one expanded JSON-LD node object (JSON-LD 1.1 §5.3), each node with its name."""
    with uncollected():
        return [_Expansion(graph).node(graph.root)]


class _Expansion:
    """Node objects, each told in full where it is first met."""

    def __init__(self, graph: StatementGraph) -> None:
        self._index = graph.held
        self._reader = ObjectReading(graph.held, karenina())
        self._seen: set[Node] = set()
        # Predicates in order, by those that a node has: nodes of one kind have the same.
        self._orders: dict[tuple[Node, ...], list[tuple[str, Node]]] = {}

    def node(self, subject: Node) -> Tree:
        node: Tree = {"@id": _identifier(subject)}
        held_by = self._index.get(subject)
        if held_by is None or subject in self._seen:
            return node
        self._seen.add(subject)
        shape = tuple(held_by)
        order = self._orders.get(shape)
        if order is None:
            order = self._orders[shape] = sorted((str(predicate), predicate) for predicate in shape)
        for key, predicate in order:
            held = held_by[predicate]
            if key == _TYPE:
                node["@type"] = sorted(map(_identifier, terms_of(held)))
            elif isinstance(held, list):
                node[key] = [self._value(one) for one in self._reader.in_order(held)]
            else:
                node[key] = [self._value(held)]
        return node

    def _value(self, one: Node) -> Tree:
        return _literal(one) if isinstance(one, Literal) else self.node(one)


def _identifier(node: Node) -> str:
    return f"_:{node}" if is_blank(node) else str(node)


def _literal(one: Literal) -> Tree:
    text, datatype = str(one), one.datatype
    if one.language:
        return {"@value": text, "@language": one.language}
    if datatype is None:
        return {"@value": text}
    if datatype == RDF_JSON:
        return {"@value": json_of(one, "@json"), "@type": "@json"}
    if datatype in (XSD_BOOLEAN, XSD_INTEGER):
        value = json_of(one)
        return value if isinstance(value, dict) else {"@value": value}
    return {"@value": text, "@type": str(datatype)}

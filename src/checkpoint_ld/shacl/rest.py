"""The part of validation that pySHACL does: shapes with SHACL Advanced Features, or all of them on request."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from checkpoint_ld.graph.contexts import RDF_TYPE
from checkpoint_ld.graph.store import Index, copied, terms_of
from checkpoint_ld.shacl import process
from checkpoint_ld.shacl.data import DataGraph
from checkpoint_ld.shacl.messages import index_in, statements_json, triples_in
from checkpoint_ld.shacl.shape import results_in, sh
from checkpoint_ld.shacl.shapes import CLASSES, TARGETS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from rdflib.term import Node

    from checkpoint_ld.shacl.shape import Result
    from checkpoint_ld.shacl.shapes import Shapes

_NONE: Mapping[str, str] = MappingProxyType({})


def results_of_pyshacl(
    shapes: Shapes,
    data: DataGraph,
    focus_nodes: Collection[Node] | None = None,
    prefixes: Mapping[str, str] = _NONE,
) -> list[Result]:
    """Return pySHACL's results for the shapes that the engine cannot apply.

    `prefixes` are those that queries may use in addition to the ones that they declare. Raises ShapesError for shapes
    that pySHACL cannot apply.
    """
    reply = process.ask(
        {
            "do": "pyshacl",
            **_message(data, _without_targets(shapes), prefixes),
            "advanced": shapes.is_advanced,
            "functions": shapes.functions,
            "focus_nodes": None if focus_nodes is None else [str(one) for one in focus_nodes],
        }
    )
    return results_in(index_in(reply))


def expanded(data: DataGraph, shapes: Shapes, prefixes: Mapping[str, str]) -> DataGraph:
    """Return a data graph with the statements that the rules of a shapes graph infer (SHACL Advanced Features §8).

    Raises ShapesError for rules that pySHACL cannot apply.
    """
    return DataGraph(index_in(process.ask({"do": "rules", **_message(data, shapes.index, prefixes)})))


def _message(data: DataGraph, shapes: Index, prefixes: Mapping[str, str]) -> dict[str, Any]:
    statements = (statements_json(triples_in(one)) for one in (data.index, shapes))
    return {**dict(zip(("data", "shapes"), statements, strict=True)), "prefixes": dict(prefixes)}


def _without_targets(shapes: Shapes) -> Index:
    """Return the statements of a shapes graph in which only the shapes for pySHACL have targets."""
    targets = frozenset(map(sh, (*TARGETS, "target")))
    graph = DataGraph(shapes.index)
    left = copied(shapes.index)
    for node, held in left.items():
        held.pop(sh("rule"), None)  # its statements are part of the graph already
        if node not in shapes.others:
            for predicate in targets & held.keys():
                del held[predicate]
            kinds = terms_of(held.get(RDF_TYPE))
            if kinds:
                held[RDF_TYPE] = [one for one in kinds if graph.above(one).keys().isdisjoint(CLASSES)]
    return left

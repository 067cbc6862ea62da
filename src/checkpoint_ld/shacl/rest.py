"""Validation by pySHACL, the second engine."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from checkpoint_ld.graph.store import triples_of
from checkpoint_ld.shacl import process
from checkpoint_ld.shacl.messages import index_in, statements_json
from checkpoint_ld.shacl.shape import results_in

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from rdflib.term import Node

    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.shacl.data import DataGraph
    from checkpoint_ld.shacl.shape import Result
    from checkpoint_ld.shacl.shapes import Shapes

_NONE: Mapping[str, str] = MappingProxyType({})


def results_of_pyshacl(
    shapes: Shapes,
    data: DataGraph,
    focus_nodes: Collection[Node] | None = None,
    prefixes: Mapping[str, str] = _NONE,
) -> list[Result]:
    """Return pySHACL's results for shapes.

    `prefixes` are those that queries may use in addition to the ones that they declare. Raises ShapesError for shapes
    that pySHACL cannot apply.
    """
    reply = process.ask(
        {
            "do": "pyshacl",
            **_message(data, shapes.index, prefixes),
            "advanced": shapes.is_advanced,
            "functions": shapes.functions,
            "focus_nodes": None if focus_nodes is None else [str(one) for one in focus_nodes],
        }
    )
    return results_in(index_in(reply))


def _message(data: DataGraph, shapes: Index, prefixes: Mapping[str, str]) -> dict[str, Any]:
    statements = (statements_json(triples_of(one)) for one in (data.index, shapes))
    return {**dict(zip(("data", "shapes"), statements, strict=True)), "prefixes": dict(prefixes)}

"""All shapes of a compiled shapes graph, applied to a data graph: by the engine, or by pySHACL on request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rdflib import URIRef

from checkpoint_ld.errors import ShapesError
from checkpoint_ld.graph.store import triples_of
from checkpoint_ld.shacl.shape import results_in
from checkpoint_ld.shacl.shapes import Shapes, Validation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from checkpoint_ld.shacl.data import DataGraph
    from checkpoint_ld.shacl.shape import Result

TOO_DEEP = "the shapes refer to one another too deeply for this data graph: nest them less"


def results(
    data: DataGraph,
    shapes: Shapes,
    *,
    focus_nodes: Iterable[str] | None = None,
    prefixes: Mapping[str, str] | None = None,
    iterate_rules: bool = False,
) -> list[Result]:
    """Return the results of compiled shapes for a data graph, as values.

    Queries of the shapes may use `prefixes` in addition to those that they declare. With `iterate_rules`, rules are
    repeated until nothing new follows. Raises ShapesError as `validate`.
    """
    chosen = None if focus_nodes is None else set(map(URIRef, focus_nodes))
    if shapes.is_for_pyshacl:
        return _results_of_pyshacl(data, shapes, chosen, prefixes or {})
    if shapes.rules:
        from checkpoint_ld.shacl.expansion import expanded  # noqa: PLC0415 - few shapes have rules

        data = expanded(data, shapes, prefixes or {}, iterate_rules=iterate_rules)
    try:
        return Validation(shapes, data, chosen or None, prefixes or {}).results()
    except RecursionError as error:
        raise ShapesError(TOO_DEEP) from error


def _results_of_pyshacl(
    data: DataGraph, shapes: Shapes, focus_nodes: Iterable[str] | None, prefixes: Mapping[str, str]
) -> list[Result]:
    """Return the results of pySHACL, the second engine. Raises ShapesError for shapes that it cannot apply."""
    from checkpoint_ld.shacl import process  # noqa: PLC0415 - pySHACL is rarely needed
    from checkpoint_ld.shacl.messages import index_in, statements_json  # noqa: PLC0415 - as above

    reply = process.ask(
        {
            "do": "pyshacl",
            "data": statements_json(triples_of(data.index)),
            "shapes": statements_json(triples_of(shapes.index)),
            "prefixes": dict(prefixes),
            "advanced": shapes.is_advanced,
            "functions": shapes.functions,
            "focus_nodes": [*map(str, focus_nodes)] if focus_nodes else None,
        }
    )
    return results_in(index_in(reply))

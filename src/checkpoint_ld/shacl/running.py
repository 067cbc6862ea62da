"""All shapes of a compiled shapes graph, applied to a data graph: by the engine, or by pySHACL where it has to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rdflib import URIRef

from checkpoint_ld.errors import ShapesError
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
) -> list[Result]:
    """Return the results of compiled shapes for a data graph, as values.

    Queries of the shapes may use `prefixes` in addition to those that they declare. Raises ShapesError as `validate`.
    """
    chosen = None if focus_nodes is None else set(map(URIRef, focus_nodes))
    if shapes.has_rules:
        from checkpoint_ld.shacl.rest import expanded  # noqa: PLC0415 - pySHACL is rarely needed

        data = expanded(data, shapes, prefixes or {})
    try:
        found = Validation(shapes, data, chosen or None, prefixes or {}).results()
    except RecursionError as error:
        raise ShapesError(TOO_DEEP) from error
    if shapes.others:
        from checkpoint_ld.shacl.rest import results_of_pyshacl  # noqa: PLC0415 - pySHACL is rarely needed

        found += results_of_pyshacl(shapes, data, chosen or None, prefixes or {})
    return found

"""SHACL: a compiler for SHACL Core over any rdflib graph, which returns what pySHACL does, in less time.

    from rdflib import Graph
    from checkpoint_ld import shacl

    conforms, report, text = shacl.validate(Graph().parse("data.ttl"), Graph().parse("shapes.ttl"))

Constraint components for which a Python function is given run as that function. Shapes with anything else beyond SHACL
Core, such as sh:sparql, go to pySHACL, and only these; the report has the results of both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rdflib import URIRef

from checkpoint_ld.arguments import checked
from checkpoint_ld.errors import ShapesError
from checkpoint_ld.shacl.data import Column, DataGraph, index_of
from checkpoint_ld.shacl.shape import Component, Result, conforms, report_graph, report_text
from checkpoint_ld.shacl.shapes import Run, Shapes, compile_shapes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rdflib import Graph

__all__ = ["Column", "Component", "DataGraph", "Result", "Shapes", "compile_shapes", "results", "validate"]

_TOO_DEEP = "the shapes refer to one another too deeply for this data graph: nest them less"


@checked
def validate(  # noqa: PLR0913 - the options of pySHACL that people know, by name only
    data_graph: Graph,
    shapes_graph: Graph | Shapes | None = None,
    *,
    ont_graph: Graph | None = None,
    advanced: bool = False,
    allow_infos: bool = False,
    allow_warnings: bool = False,
    focus_nodes: Iterable[str] | None = None,
    components: Mapping[str, Component] | None = None,
) -> tuple[bool, Graph, str]:
    """Validate a data graph against a shapes graph (SHACL 1.0 §3.4); return the verdict, the report as RDF and as text.

    All graphs of a dataset count together. Without a shapes graph, the data graph holds the shapes. Shapes for many
    data graphs are best compiled once, by `compile_shapes`. The statements of `ont_graph` are added to the data graph.
    No graph is changed. With `advanced`, SHACL Advanced Features count. With `allow_infos` or `allow_warnings`, results
    of severity sh:Info, or of sh:Info and sh:Warning, do not make the verdict false; they are reported all the same. If
    `focus_nodes` (IRIs) are given, only these are validated. `components` maps the IRIs of constraint components, or of
    shapes with sh:sparql, to Python functions that replace their queries.

    Raises ShapesError for an ill-formed shapes graph, or one that pySHACL cannot apply.
    """
    if not isinstance(shapes_graph, Shapes):
        graph = data_graph if shapes_graph is None else shapes_graph
        shapes_graph = compile_shapes(graph, components=components, advanced=advanced)
    data = DataGraph(index_of(data_graph), *(() if ont_graph is None else [index_of(ont_graph)]))
    prefixes = {prefix: str(namespace) for prefix, namespace in data_graph.namespaces()}
    found = results(data, shapes_graph, focus_nodes=focus_nodes, prefixes=prefixes)
    is_conforming = conforms(found, allow_infos=allow_infos, allow_warnings=allow_warnings)
    try:
        graph = report_graph(found, is_conforming=is_conforming, sources=(shapes_graph.index, data.index))
        return is_conforming, graph, report_text(found, is_conforming=is_conforming, shapes=shapes_graph.index)
    except RecursionError as error:
        raise ShapesError(_TOO_DEEP) from error


@checked
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
        found = Run(shapes, data, chosen or None).results()
    except RecursionError as error:
        raise ShapesError(_TOO_DEEP) from error
    if shapes.others:
        from checkpoint_ld.shacl.rest import results_of_pyshacl  # noqa: PLC0415 - pySHACL is rarely needed

        found += results_of_pyshacl(shapes, data, chosen or None, prefixes or {})
    return found

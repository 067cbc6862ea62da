"""SHACL: a compiler for SHACL Core over any rdflib graph, which returns what pySHACL does, in less time.

    from rdflib import Graph
    from checkpoint_ld import shacl

    conforms, report, text = shacl.validate(Graph().parse("data.ttl"), Graph().parse("shapes.ttl"))

Queries of shapes run in Oxigraph, in a process of their own. Constraint components for which a Python function is given
run as that function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from checkpoint_ld.errors import ShapesError
from checkpoint_ld.graph.store import SubjectIndexStore
from checkpoint_ld.shacl.data import DataGraph, ValueNodes, about_blank_nodes, index_of, is_ours
from checkpoint_ld.shacl.following import Validator
from checkpoint_ld.shacl.foreign import ForeignGraph
from checkpoint_ld.shacl.running import TOO_DEEP, results
from checkpoint_ld.shacl.shape import Component, Result, conforms, report_graph, report_text, terms_in
from checkpoint_ld.shacl.shapes import Shapes, compile_shapes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rdflib import Graph

__all__ = [
    "Component",
    "DataGraph",
    "Result",
    "Shapes",
    "SubjectIndexStore",
    "Validator",
    "ValueNodes",
    "compile_shapes",
    "index_of",
    "results",
    "validate",
]


def validate(  # noqa: PLR0913 - the options of pySHACL that people know, by name only
    data_graph: Graph,
    shapes_graph: Graph | Shapes | None = None,
    *,
    ont_graph: Graph | None = None,
    advanced: bool = False,
    iterate_rules: bool = False,
    allow_infos: bool = False,
    allow_warnings: bool = False,
    focus_nodes: Iterable[str] | None = None,
    components: Mapping[str, Component] | None = None,
) -> tuple[bool, Graph, str]:
    """Validate a data graph against a shapes graph (SHACL 1.0 §3.4); return the verdict, the report as RDF and as text.

    All graphs of a dataset count together. Without a shapes graph, the data graph holds the shapes. Shapes for many
    data graphs are best compiled once, by `compile_shapes`. The statements of `ont_graph` are added to the data graph.
    No graph is changed. With `advanced`, SHACL Advanced Features count: rules, targets by queries, node expressions and
    functions; with `iterate_rules`, rules are repeated until nothing new follows. With `allow_infos` or
    `allow_warnings`, results of severity sh:Info, or of sh:Info and sh:Warning, do not make the verdict false; they are
    reported all the same. If `focus_nodes` (IRIs) are given, only these are validated. `components` maps the IRIs of
    constraint components, or of shapes with sh:sparql, to Python functions that replace their queries.

    Raises ShapesError for an ill-formed shapes graph, or one that cannot be applied.
    """
    if not isinstance(shapes_graph, Shapes):
        graph = data_graph if shapes_graph is None else shapes_graph
        shapes_graph = compile_shapes(graph, components=components, advanced=advanced)
    is_foreign = ont_graph is None and not shapes_graph.needs_whole and not is_ours(data_graph)
    data = (
        ForeignGraph(data_graph)
        if is_foreign
        else DataGraph(index_of(data_graph), *(() if ont_graph is None else [index_of(ont_graph)]))
    )
    prefixes = {prefix: str(namespace) for prefix, namespace in data_graph.namespaces()}
    found = results(data, shapes_graph, focus_nodes=focus_nodes, prefixes=prefixes, iterate_rules=iterate_rules)
    is_conforming = conforms(found, allow_infos=allow_infos, allow_warnings=allow_warnings)
    described = about_blank_nodes(terms_in(found), data_graph) if is_foreign else data.index
    try:
        graph = report_graph(found, is_conforming=is_conforming, sources=(shapes_graph.index, described))
        return is_conforming, graph, report_text(found, is_conforming=is_conforming, shapes=shapes_graph.index)
    except RecursionError as error:
        raise ShapesError(TOO_DEEP) from error

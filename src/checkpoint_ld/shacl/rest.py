"""The part of validation that pySHACL does: shapes with more than SHACL Core, for which no function is registered."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from rdflib import Graph, URIRef
from rdflib.namespace import NamespaceManager

from checkpoint_ld.errors import CheckpointLdError, ShapesError
from checkpoint_ld.graph.contexts import RDF_TYPE, named
from checkpoint_ld.graph.store import SPARQL_LOCK, Index, SubjectIndexStore, copied, put, terms_of
from checkpoint_ld.shacl import process
from checkpoint_ld.shacl.data import DataGraph
from checkpoint_ld.shacl.queries import declared, read_only
from checkpoint_ld.shacl.shape import results_in, sh
from checkpoint_ld.shacl.shapes import CLASSES, TARGETS
from checkpoint_ld.vocabulary import SHACL, SHAPES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from rdflib.plugins.sparql.sparql import Query
    from rdflib.query import Result as Answer
    from rdflib.term import Node

    from checkpoint_ld.shacl.shape import Result
    from checkpoint_ld.shacl.shapes import Shapes

_NONE: Mapping[str, str] = MappingProxyType({})
_NAME = "urn:checkpoint-ld:data"


class ValidationGraph(Graph):
    """A graph for pySHACL that remembers parsed queries, because pySHACL runs the same ones for each node."""

    def __init__(self, index: Index, identifier: str, prefixes: Mapping[str, str] = _NONE) -> None:
        store = SubjectIndexStore()
        super().__init__(store, identifier=identifier, bind_namespaces="none")
        store.add_graph(self)
        store.replace(index)
        self.namespace_manager = _Names(self, bind_namespaces="none")
        self.index = index
        self._prefixes = tuple(sorted(prefixes.items()))

    def query(self, query_object: Any, *arguments: Any, **options: Any) -> Answer:
        """Run a SPARQL query, which is parsed once.

        This is the text that pySHACL made. It is refused if it could reach beyond this graph.
        """
        if not isinstance(query_object, str):
            raise ShapesError("pySHACL evaluates what is no text: a query of the shapes cannot be read")
        query_object = _prepared(query_object, self._prefixes)
        return super().query(query_object, *arguments, **options)


class _Names(NamespaceManager):
    """The names in pySHACL's descriptions of results: in full, except those of SHACL.

    rdflib's own class does the same if no other prefix is bound. But it puts each name in a tree, which took a seventh
    of the time of pySHACL.
    """

    def normalizeUri(self, rdfTerm: str) -> str:  # noqa: N802, N803 - as rdflib calls them
        """Return a name in Turtle."""
        name = rdfTerm.removeprefix(SHACL)
        return f"sh:{name}" if len(name) < len(rdfTerm) and name.isidentifier() else f"<{rdfTerm}>"


@lru_cache(maxsize=2048)
def _prepared(text: str, prefixes: tuple[tuple[str, str], ...]) -> Query:
    return read_only(declared(dict(prefixes)) + text).algebra()


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
    return results_in(_index_in(reply))


def expanded(data: DataGraph, shapes: Shapes, prefixes: Mapping[str, str]) -> DataGraph:
    """Return a data graph with the statements that the rules of a shapes graph infer (SHACL Advanced Features §8).

    Raises ShapesError for rules that pySHACL cannot apply.
    """
    return DataGraph(_index_in(process.ask({"do": "rules", **_message(data, shapes.index, prefixes)})))


def _message(data: DataGraph, shapes: Index, prefixes: Mapping[str, str]) -> dict[str, Any]:
    statements = (process.statements_json(process.triples_in(one)) for one in (data.index, shapes))
    return {**dict(zip(("data", "shapes"), statements, strict=True)), "prefixes": dict(prefixes)}


def _index_in(statements: Mapping[str, Any]) -> Index:
    terms = [process.term_of(one) for one in statements["terms"]]
    found: Index = {}
    parts = iter(
        named(str(one)) if isinstance(one, URIRef) else one for one in (terms[at] for at in statements["triples"])
    )
    for subject, predicate, term in zip(parts, parts, parts, strict=True):
        put(found, subject, predicate, term)
    return found


def report_in_process(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return pySHACL's report on the statements of a request."""
    if request["functions"]:
        module, _, name = request["functions"].partition(":")
        getattr(import_module(module), name)()
    graph, shapes = _graphs(request)
    report = report_of_pyshacl(graph, shapes, advanced=request["advanced"], focus_nodes=request["focus_nodes"])
    return process.statements_json(report)


def inferred_in_process(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the statements of a request with those that rules infer."""
    from pyshacl import shacl_rules  # noqa: PLC0415 - it takes longer to import than most files to read

    graph, shapes = _graphs(request)
    with _running():
        found = shacl_rules(graph, shacl_graph=shapes, inplace=True)
    failed = None if isinstance(found, str) else found.value(None, RDF_TYPE, sh("ValidationFailure"))
    if failed is not None or isinstance(found, str):  # pySHACL returns a failure as a result
        raise ShapesError(found if isinstance(found, str) else str(found.value(failed, sh("message"))))
    return process.statements_json(graph)


def _graphs(request: Mapping[str, Any]) -> tuple[ValidationGraph, ValidationGraph]:
    prefixes = request["prefixes"]
    return (
        ValidationGraph(_index_in(request["data"]), _NAME, prefixes),
        ValidationGraph(_index_in(request["shapes"]), SHAPES),
    )


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


def report_of_pyshacl(
    graph: ValidationGraph,
    shapes: ValidationGraph,
    *,
    advanced: bool = False,
    focus_nodes: Collection[str] | None = None,
) -> Graph:
    """Return pySHACL's report on a graph; it may change both graphs. Raises ShapesError as above."""
    import pyshacl  # noqa: PLC0415 - it takes longer to import than most files to read

    with _running():
        _, report, text = pyshacl.validate(
            graph,
            shacl_graph=shapes,
            inplace=True,
            advanced=advanced,
            js=False,
            focus_nodes=None if focus_nodes is None else list(focus_nodes),
        )
    if not isinstance(report, Graph):  # pySHACL returns a failure as a result (SHACL 1.0 §3.4)
        raise ShapesError(str(text))
    return report


@contextmanager
def _running() -> Iterator[None]:
    """Let pySHACL run, in one thread at a time; raise ShapesError for any exception that is not ours.

    It changes rdflib while it runs, and rdflib keeps the state of an evaluation in the query.
    """
    with SPARQL_LOCK:
        try:
            yield
        except CheckpointLdError:
            raise
        except Exception as error:  # shapes, their queries and rules may make rdflib and pySHACL raise any exception
            raise ShapesError(str(error)) from error
        finally:
            # pySHACL's cache keeps the shapes of every run, some megabytes each.
            components = sys.modules.get("pyshacl.constraints.sparql.sparql_based_constraint_components")
            if components is not None:
                components.SPARQLConstraintComponentValidator.validator_cache.clear()

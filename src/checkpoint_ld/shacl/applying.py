"""pySHACL, in a process of its own: its queries are checked, and rdflib parses each of them once."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from rdflib import Graph
from rdflib.namespace import NamespaceManager

from checkpoint_ld.errors import CheckpointLdError, ShapesError
from checkpoint_ld.graph.store import SPARQL_LOCK, Index, SubjectIndexStore
from checkpoint_ld.shacl.messages import index_in, statements_json
from checkpoint_ld.shacl.queries import declared, read_only
from checkpoint_ld.vocabulary import SHACL, SHAPES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from rdflib.plugins.sparql.sparql import Query
    from rdflib.query import Result as Answer

_NONE: Mapping[str, str] = MappingProxyType({})
_NAME = "urn:checkpoint-ld:data"


class ValidationGraph(Graph):
    """A graph for pySHACL that remembers parsed queries, because pySHACL runs the same ones for each node."""

    def __init__(self, index: Index, identifier: str, prefixes: Mapping[str, str] = _NONE) -> None:
        store = SubjectIndexStore()
        super().__init__(store, identifier=identifier, bind_namespaces="none")
        store.add_graph(self)
        store.replace(index)
        self.namespace_manager = _ShownNames(self, bind_namespaces="none")
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


class _ShownNames(NamespaceManager):
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


def report_in_process(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return pySHACL's report on the statements of a request."""
    if request["functions"]:
        module, _, name = request["functions"].partition(":")
        getattr(import_module(module), name)()
    graph, shapes = _graphs(request)
    report = report_of_pyshacl(graph, shapes, advanced=request["advanced"], focus_nodes=request["focus_nodes"])
    return statements_json(report)


def _graphs(request: Mapping[str, Any]) -> tuple[ValidationGraph, ValidationGraph]:
    prefixes = request["prefixes"]
    return (
        ValidationGraph(index_in(request["data"]), _NAME, prefixes),
        ValidationGraph(index_in(request["shapes"]), SHAPES),
    )


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

"""The graph that shapes are held against: a checkpoint's statements, and those that follow from them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rdflib import Graph
from rdflib.namespace import NamespaceManager

from checkpoint_ld.errors import SettingsError
from checkpoint_ld.graph.store import Index, SubjectIndexStore, copied, put, sparql_parser, terms_of
from checkpoint_ld.vocabulary import SHACL

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rdflib.plugins.sparql.sparql import Query
    from rdflib.query import Result
    from rdflib.term import Node


_NOTHING: dict[Node, Node | list[Node]] = {}


class ValidationGraph(Graph):
    """A graph for pySHACL to work on, which remembers queries: pySHACL asks the same ones of node after node."""

    def __init__(self, index: Index, identifier: str) -> None:
        store = SubjectIndexStore()
        super().__init__(store, identifier=identifier, bind_namespaces="none")
        store.add_graph(self)
        store.replace(index)
        self.namespace_manager = _Names(self, bind_namespaces="none")
        self.index = index

    def query(self, query_object: Any, *arguments: Any, **options: Any) -> Result:
        """Ask a SPARQL query, parsed once; one that names other graphs is refused, as rdflib would fetch them."""
        if isinstance(query_object, str):
            query_object = _prepared(query_object)
        return super().query(query_object, *arguments, **options)


class _Names(NamespaceManager):
    """How pySHACL writes names in the description of each result: in full, but for those of SHACL.

    This is what rdflib's own class comes to where no other prefix is bound. It notes each name in a tree, which took a
    seventh of the time of pySHACL.
    """

    def normalizeUri(self, rdfTerm: str) -> str:  # noqa: N802, N803 - as rdflib calls them
        """Return a name as it is written in Turtle."""
        name = rdfTerm.removeprefix(SHACL)
        return f"sh:{name}" if len(name) < len(rdfTerm) and name.isidentifier() else f"<{rdfTerm}>"


@lru_cache(maxsize=2048)
def _prepared(text: str) -> Query:
    from rdflib.plugins.sparql import prepareQuery  # noqa: PLC0415 - its grammar takes long to build

    sparql_parser()
    query = prepareQuery(text)
    if getattr(query.algebra, "datasetClause", None):
        raise SettingsError("a query of your shapes reads other graphs with FROM, which is not allowed: take it out")
    return query


class Layers:
    """What a checkpoint says, and what follows from it, in two parts, so that neither is copied."""

    def __init__(self, own: Index, derived: Mapping[Node, Mapping[Node, Node | list[Node]]]) -> None:
        self._own = own
        self._derived = derived

    def terms(self, subject: Node, predicate: Node) -> list[Node]:
        """Return all values of a property, each once."""
        held = self._own.get(subject, _NOTHING).get(predicate)
        own = held if isinstance(held, list) else [] if held is None else [held]
        told = self._derived.get(subject)
        more = None if told is None else told.get(predicate)
        return own if more is None else [*own, *(term for term in terms_of(more) if term not in own)]


def merged(own: Index, found: Index) -> Index:
    """Return the statements of two indexes in one; both stay as they are."""
    index = copied(own)
    for subject, predicates in found.items():
        for predicate, held in predicates.items():
            for term in terms_of(held):
                put(index, subject, predicate, term)
    return index

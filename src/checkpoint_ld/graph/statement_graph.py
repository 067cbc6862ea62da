"""The statements of one document, of whatever family, as an rdflib graph over a subject index."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from rdflib import Graph, Literal, URIRef

from checkpoint_ld.graph.literals import literal
from checkpoint_ld.graph.store import Index, SubjectIndexStore, put, triples_of
from checkpoint_ld.vocabulary import KARENINA, SCHEMA, XSD

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rdflib.term import Node


class StatementGraph(Graph):
    """A graph that is named by its root, the node of the document itself.

    It may be read and changed as any rdflib graph; what works on the whole of it goes through `index`.
    """

    PREFIXES: ClassVar[Mapping[str, str]] = MappingProxyType({"schema": SCHEMA, "karenina": KARENINA, "xsd": XSD})
    """The namespaces that documents of this family use."""

    def __init__(self, index: Index, root: Node) -> None:
        store = SubjectIndexStore()
        super().__init__(store, identifier=str(root), bind_namespaces="none")
        store.add_graph(self)
        store.replace(index)
        self.root = root
        for prefix, namespace in self.PREFIXES.items():
            store.bind(prefix, URIRef(namespace))  # the graph's own way ties it and its namespaces to one another

    @property
    def index(self) -> Index:
        """The subject index that holds the statements; after changing it, call `touch`.

        Ask for it anew once the graph was copied: the one from before is then shared with the copy.
        """
        return self._store.index

    @property
    def held(self) -> Index:
        """The subject index, to look at only: a copy of this graph may hold the same one."""
        return self._store.held

    @property
    def changes(self) -> int:
        """How often the graph was changed so far."""
        return self._store.changes

    @property
    def revision(self) -> int:
        """How often the graph was changed by other means than the edits of its own class."""
        return self._store.revision

    def touch(self) -> None:
        """Tell the graph that its index was changed directly."""
        self._store.touch()

    @property
    def _store(self) -> SubjectIndexStore:
        store = self.store
        assert isinstance(store, SubjectIndexStore)  # noqa: S101 - the constructor sets it
        return store

    def update(self, *arguments: Any, **options: Any) -> None:
        """Carry out a SPARQL 1.1 update; parameters are those of `rdflib.Graph.update`."""
        # rdflib takes a pattern in an update for one over a dataset unless the graph is of its own class.
        Graph(self.store, identifier=self.identifier, bind_namespaces="none").update(*arguments, **options)
        self.touch()

    def copy(self) -> Self:
        """Return a graph of the same statements that can be changed without changing this one.

        It costs next to nothing: the statements are copied when one of the two graphs is first to be changed.
        """
        graph = _bound(type(self)({}, self.root), dict(self.store.namespaces()))
        self._store.share(graph._store)  # noqa: SLF001 - a graph of the same class
        return graph

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        # Literals are told in parts: rdflib rewrites the text of one that it is given back whole.
        told = [
            (subject, predicate, (str(term), term.datatype, term.language) if isinstance(term, Literal) else term)
            for subject, predicate, term in triples_of(self.held)
        ]
        return _restored, (type(self), told, self.root, dict(self.store.namespaces()))


_Graph = TypeVar("_Graph", bound=StatementGraph)


def _restored(
    kind: type[_Graph], told: list[tuple[Node, Node, Any]], root: Node, prefixes: dict[str, URIRef]
) -> _Graph:
    index: Index = {}
    for subject, predicate, term in told:
        put(index, subject, predicate, literal(*term) if isinstance(term, tuple) else term)
    return _bound(kind(index, root), prefixes)


def _bound(graph: _Graph, prefixes: dict[str, URIRef]) -> _Graph:
    for prefix, namespace in prefixes.items():
        graph.store.bind(prefix, namespace)
    return graph

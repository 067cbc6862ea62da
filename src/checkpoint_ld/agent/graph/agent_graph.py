"""The graph of an agent checkpoint, named by its root.

A real `rdflib.Graph`. Every exit (RDF syntaxes, SPARQL, shapes, the tree) works from it alone.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Self

from rdflib import Graph, Literal, URIRef

from checkpoint_ld.agent.graph.building import built
from checkpoint_ld.agent.graph.provenance import add_provenance
from checkpoint_ld.agent.graph.reading import root_of, tree_of
from checkpoint_ld.agent.names import CAF, CAF_DERIVED, PROV
from checkpoint_ld.agent.text import sha256_of
from checkpoint_ld.errors import WriteError
from checkpoint_ld.graph.literals import literal
from checkpoint_ld.graph.store import Index, SubjectIndexStore, copied, put, triples_of
from checkpoint_ld.vocabulary import KARENINA, SCHEMA, XSD

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rdflib.term import Node

Tree = dict[str, Any]

PREFIXES: Final[Mapping[str, str]] = MappingProxyType(
    {"caf": CAF, "cafd": CAF_DERIVED, "prov": PROV, "schema": SCHEMA, "karenina": KARENINA, "xsd": XSD}
)
"""The namespaces that these graphs use."""


class AgentGraph(Graph):
    """The statements of one agent checkpoint, which may be read and changed as any rdflib graph."""

    def __init__(self, index: Index, root: Node) -> None:
        store = SubjectIndexStore()
        super().__init__(store, identifier=str(root), bind_namespaces="none")
        store.add_graph(self)
        store.replace(index)
        self.root = root
        for prefix, namespace in PREFIXES.items():
            self.bind(prefix, namespace)

    @classmethod
    def of_tree(cls, tree: Tree, *, prov: bool = False, sha256: str | None = None) -> Self:
        """Build the graph of a tree in the canonical shape; with `prov`, what is derived from it, too.

        `sha256` is the hash of the text, where it is known already. A tree that breaks rules has a graph as well.
        Raises ReadError for a tree that is nested too deeply.
        """
        index, root = built(tree)
        if prov:
            add_provenance(index, root, sha256 or _hash(tree))
        return cls(index, root)

    @classmethod
    def of_index(cls, index: Index) -> Self:
        """Return the graph of statements. Raises ReadError unless one checkpoint is in them, and only one."""
        return cls(index, root_of(index))

    @classmethod
    def of_graph(cls, graph: Graph) -> Self:
        """Return a graph of the statements of any rdflib graph. Raises ReadError as `of_index` does."""
        if isinstance(graph, cls):
            return graph.copy()
        index: Index = {}
        for triple in graph:
            put(index, *triple)
        return cls.of_index(index)

    @property
    def index(self) -> Index:
        """The subject index that holds the statements; after changing it, call `touch`."""
        return self._store.index

    def touch(self) -> None:
        """Tell the graph that its index was changed directly."""
        self._store.touch()

    @property
    def _store(self) -> SubjectIndexStore:
        store = self.store
        assert isinstance(store, SubjectIndexStore)  # noqa: S101 - the constructor sets it
        return store

    def tree(self) -> Tree:
        """Return the tree in the canonical shape; derived statements and unknown ones are not in it."""
        return tree_of(self.index, self.root)

    def copy(self) -> Self:
        """Return a graph of the same statements that can be changed without changing this one."""
        return type(self)(copied(self.index), self.root)

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        # Literals are told in parts: rdflib rewrites the text of one that it is given back whole.
        told = [
            (subject, predicate, (str(term), term.datatype, term.language) if isinstance(term, Literal) else term)
            for subject, predicate, term in triples_of(self.index)
        ]
        return _restored, (told, self.root)


def _restored(told: list[tuple[Node, URIRef, Any]], root: Node) -> AgentGraph:
    index: Index = {}
    for subject, predicate, term in told:
        put(index, subject, predicate, literal(*term) if isinstance(term, tuple) else term)
    return AgentGraph(index, root)


def _hash(tree: Tree) -> str | None:
    """Return the hash of the text of a tree, None for one that has no text."""
    try:
        return sha256_of(tree)
    except WriteError:
        return None

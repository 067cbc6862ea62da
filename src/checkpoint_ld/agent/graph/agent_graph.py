"""The graph of an agent checkpoint, named by its root.

A real `rdflib.Graph`. Every exit (RDF syntaxes, SPARQL, shapes, the tree) works from it alone.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self

from checkpoint_ld.agent.graph.building import built
from checkpoint_ld.agent.graph.provenance import add_provenance
from checkpoint_ld.agent.graph.reading import root_of, tree_of
from checkpoint_ld.agent.names import CAF, CAF_DERIVED, PROV
from checkpoint_ld.agent.text import sha256_of
from checkpoint_ld.errors import WriteError
from checkpoint_ld.graph.interpreter import uncollected
from checkpoint_ld.graph.store import StatementGraph, put
from checkpoint_ld.vocabulary import KARENINA, SCHEMA, XSD

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rdflib import Graph

    from checkpoint_ld.graph.store import Index

Tree = dict[str, Any]


class AgentGraph(StatementGraph):
    """The statements of one agent checkpoint, which may be read and changed as any rdflib graph."""

    PREFIXES: ClassVar[Mapping[str, str]] = MappingProxyType(
        {"caf": CAF, "cafd": CAF_DERIVED, "prov": PROV, "schema": SCHEMA, "karenina": KARENINA, "xsd": XSD}
    )

    @classmethod
    def of_tree(cls, tree: Tree, *, prov: bool = False, sha256: str | None = None) -> Self:
        """Build the graph of a tree in the canonical shape; with `prov`, what is derived from it, too.

        `sha256` is the hash of the text, where it is known already. A tree that breaks rules has a graph as well.
        Raises ReadError for a tree that is nested too deeply, and WriteError for what is no JSON, such as NaN.
        """
        with uncollected():
            index, objects, _ = built(tree)
            root = objects[0].node
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

    def tree(self) -> Tree:
        """Return the tree in the canonical shape; derived statements and unknown ones are not in it."""
        return tree_of(self.index, self.root)


def _hash(tree: Tree) -> str | None:
    """Return the hash of the text of a tree, None for one that has no text."""
    try:
        return sha256_of(tree)
    except WriteError:
        return None

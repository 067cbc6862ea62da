"""The tree that a graph was built from, remembered for as long as the graph says nothing else.

Who makes entities of a file that was just read would get the same objects from the statements: for 1,000 questions that
takes 60 to 80 ms of CPU more. It is a memory of what the graph says, not another truth: with the first change of the
graph it is gone, and a graph that was built from statements has none. The tree lives as long as the graph is unchanged;
whoever keeps the reading keeps it anyway, for all others it takes about twice the size of the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld import shortcuts
from checkpoint_ld.graph import naming
from checkpoint_ld.graph.compaction import Compaction
from checkpoint_ld.graph.store import terms_of

if TYPE_CHECKING:
    from rdflib.term import Node

    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph

Tree = dict[str, Any]

ELEMENTS = "dataFeedElement"


class RememberedTree:
    """The elements of a feed as the source of a graph has them.

    Their members stand in the order of the source, not in the canonical one. Nobody may change them.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._elements: dict[Node, Tree] | None = None

    def elements(self, graph: CheckpointGraph) -> dict[Node, Tree]:
        """Return the elements by their nodes in the unchanged graph, in their order; none where that is in doubt."""
        if self._elements is None:
            self._elements = _elements(self._tree, graph) if shortcuts.is_taken("remembered-tree") else {}
        return self._elements


def _elements(tree: Tree, graph: CheckpointGraph) -> dict[Node, Tree]:
    compaction = Compaction(graph.held, graph.table)
    nodes = terms_of(graph.held.get(graph.root, {}).get(compaction.predicate(graph.root, ELEMENTS)))
    held = tree.get(ELEMENTS)
    if not isinstance(held, list) or len(held) != len(nodes):
        return {}
    if all(_is_of(node, element, at, compaction) for at, (node, element) in enumerate(zip(nodes, held, strict=True))):
        return dict(zip(nodes, held, strict=True))
    return {}


def _is_of(node: Node, element: Any, at: int, compaction: Compaction) -> bool:
    """Tell whether `node` certainly says what `element` does, the one at the place `at`."""
    if not isinstance(element, dict) or len(element) < 2 or node not in compaction.index:
        return False  # a mere reference, or nothing
    name, own = str(node), element.get("@id")
    if name == own:
        return True  # no minted name is an identifier
    if naming.is_minted(name) and not name.endswith(f"/{ELEMENTS}/{at}"):
        return False
    return compaction.identifier(node) == own

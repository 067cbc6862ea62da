"""From a canonical tree to its statements: by a compiled context where that covers the tree, else by JSON-LD's own way.

Both give the same statements; tests hold them against each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rdflib import URIRef

from checkpoint_ld.graph import compiled, contexts, recursion, terms
from checkpoint_ld.graph.collecting import uncollected
from checkpoint_ld.graph.compaction import Compaction, residue_of
from checkpoint_ld.graph.completion import complete, tell_residue
from checkpoint_ld.graph.expansion import expand, statements
from checkpoint_ld.graph.residue import encoded

if TYPE_CHECKING:
    from checkpoint_ld.graph.store import Index

__all__ = ["built", "by_algorithm", "uncollected"]

Tree = dict[str, Any]


def built(tree: Tree) -> tuple[Index, URIRef]:
    """Return the statements of a tree and the name of its root.

    Raises ReadError for a tree that no JSON-LD can be made of, or that is nested too deeply.
    """
    with recursion.room(), uncollected():
        found = compiled.index_of(tree)
        index, root = by_algorithm(tree) if found is None else found
        remembered = contexts.remembered(tree.get("@context"))
        if remembered is not None:
            left = residue_of(index, root).joined({"@context": encoded(remembered, {})}, {})
            tell_residue(index, root, left)
    return index, root


def by_algorithm(tree: Tree) -> tuple[Index, URIRef]:
    """Return what `built` does, but for the memory of the context, by annotation, expansion and completion."""
    from checkpoint_ld.graph.annotation import annotate  # noqa: PLC0415 - few documents take this way

    own_context = tree.get("@context")
    annotated = annotate(tree, terms.table(own_context))
    index = statements(expand(annotated.tree, contexts.merged(own_context)))
    complete(annotated, annotated.objects, Compaction(index, terms.table(contexts.remembered(own_context))))
    return index, URIRef(annotated.objects[0].name)

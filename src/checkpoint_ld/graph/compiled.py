"""Objects as statements by a compiled context: a whole tree, a part of one, or some members of an object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rdflib import URIRef

from checkpoint_ld.graph import naming
from checkpoint_ld.graph.alike import Alike
from checkpoint_ld.graph.columns import Objects, Place
from checkpoint_ld.graph.plans import NotCoveredError
from checkpoint_ld.graph.walk import NOT_IN_STEM, Walk

if TYPE_CHECKING:
    from collections.abc import Container

    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.graph.terms import Term

Tree = dict[str, Any]


def index_of(tree: Tree) -> tuple[Index, URIRef] | None:
    """Return the statements of a canonical tree and the name of its root, None for a tree that is not covered."""
    try:
        walk = _walk(tree.get("@context"))
        root = walk.root(tree)
        walk.complete()
    except NotCoveredError:
        return None
    return walk.index, URIRef(root)


def index_of_part(
    part: Tree, via: Term, place: tuple[str, int], own_context: object, taken: Container[object]
) -> tuple[Index, URIRef] | None:
    """Return the statements of an object that is to be a value of `via`, and its name.

    `place` is the name of the object that it belongs to and its place there, `taken` holds the names that are in use.
    None for an object that is not covered.
    """
    owner, at = place
    try:
        walk = _walk(own_context, taken)
        name = walk.node(part, naming.below(_stem_of(owner), via.key, at), via, at)
        walk.complete()
    except NotCoveredError:
        return None
    return walk.index, URIRef(str(name))


def index_of_members(members: Tree, owner: str, own_context: object, taken: Container[object]) -> Index | None:
    """Return the statements of members that `owner` is to have; `members` has its type too. None as above."""
    try:
        walk = _walk(own_context, taken)
        kind = Alike(members.get("@type"), tuple(members), (0,))
        walk.tell([URIRef(owner)], Objects([members], [_stem_of(owner)]), [kind], Place())
        walk.complete()
    except NotCoveredError:
        return None
    return walk.index


def _walk(own_context: object, taken: Container[object] = ()) -> Walk:
    return Walk(own_context, taken)


def _stem_of(owner: str) -> str:
    base, _ = naming.parted(owner)
    if any(one in base for one in NOT_IN_STEM):
        raise NotCoveredError
    return owner if "#" in owner else owner + "#"

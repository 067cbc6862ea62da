"""JSON-LD of agent checkpoints: the plain file with our context as its first member.

The context stands in the file: processors ignore its scoped bases where it is fetched by an address.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from checkpoint_ld.agent.graph import terms
from checkpoint_ld.agent.text import ordered
from checkpoint_ld.errors import WriteError

if TYPE_CHECKING:
    from collections.abc import Mapping

Tree = dict[str, Any]

CONTEXT = "@context"


def jsonld_of(tree: Mapping[str, Any]) -> Tree:
    """Return the JSON-LD document of a tree in the canonical shape.

    Raises WriteError for one that has a member `@context` of its own.
    """
    bare = without_context(tree)
    if CONTEXT in bare:
        message = "the checkpoint has a member @context of its own, where JSON-LD has ours"
        raise WriteError(f"{message}: write the plain file or an RDF syntax")
    return {CONTEXT: copy.deepcopy(terms.context()), **ordered(bare)}


def without_context(tree: Mapping[str, Any]) -> Tree:
    """Return a document without our context; one that is not ours is a member like any other."""
    is_ours = tree.get(CONTEXT) == terms.context()
    return {key: value for key, value in tree.items() if key != CONTEXT or not is_ours}

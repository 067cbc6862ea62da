"""JSON-LD of agent checkpoints: the plain file with our context as its first member.

The context stands in the file: processors ignore its scoped bases where it is fetched by an address.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from checkpoint_ld.agent.graph import terms
from checkpoint_ld.agent.names import CAF
from checkpoint_ld.agent.text import ordered
from checkpoint_ld.graph.expansion import expand, statements

if TYPE_CHECKING:
    from collections.abc import Mapping

    from checkpoint_ld.graph.store import Index

Tree = dict[str, Any]

CONTEXT = "@context"


def jsonld_of(tree: Mapping[str, Any]) -> Tree:
    """Return the JSON-LD document of a tree in the canonical shape; a context of its own gives way."""
    return {CONTEXT: copy.deepcopy(terms.context()), **ordered(without_context(tree, of_any_kind=True))}


def without_context(tree: Mapping[str, Any], *, of_any_kind: bool = False) -> Tree:
    """Return a document without our context; one that is not ours is a member like any other, unless `of_any_kind`."""
    is_to_go = of_any_kind or tree.get(CONTEXT) == terms.context()
    return {key: value for key, value in tree.items() if key != CONTEXT or not is_to_go}


def may_be_json_ld(data: bytes) -> bool:
    """Tell whether a JSON text that is no plain file may be JSON-LD of an agent checkpoint all the same."""
    return CAF.encode() in data


def index_of(value: Any) -> Index:
    """Return the statements of JSON-LD in any form: expanded, flattened, under another context that it holds.

    Raises ReadError for what is no JSON-LD, and for a context that would have to be fetched.
    """
    return statements(expand(value, {}))

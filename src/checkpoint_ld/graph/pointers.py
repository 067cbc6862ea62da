"""Where in a document the nodes of its graph stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld.documents.places import pointer
from checkpoint_ld.graph import terms
from checkpoint_ld.graph.annotation import annotate

if TYPE_CHECKING:
    from collections.abc import Iterator

Tree = dict[str, Any]


def pointers(tree: Tree) -> dict[str, str]:
    """Return the JSON Pointers (RFC 6901) of the objects of a canonical tree by the IRIs of their nodes."""
    annotated = annotate(tree, terms.table(tree.get("@context")))
    names = annotated.names
    found: dict[str, str] = {}
    for path, value in _objects(annotated.objects[0].source):
        name = names.get(id(value))
        if name is not None:
            found[name] = pointer(path)
    return found


def _objects(root: Tree) -> Iterator[tuple[tuple[str | int, ...], Tree]]:
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), root)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict):
            yield path, value
            waiting.extend(((*path, key), one) for key, one in value.items() if isinstance(one, (dict, list)))
        else:
            waiting.extend(((*path, at), one) for at, one in enumerate(value) if isinstance(one, (dict, list)))

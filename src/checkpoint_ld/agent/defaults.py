"""Members that an agent checkpoint should have, and that are read as empty where it has not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.agent.text import Tree

_Path = tuple[str, ...]


def filled(tree: Tree) -> tuple[Tree, tuple[_Path, ...]]:
    """Return a canonical tree with these members, and the paths of those that were absent or null.

    `tree` is not changed. Where there is not even an object that they could stand in, nothing is done.
    """
    added = []
    for path, value in _defaults(tree):
        holder = _at(tree, path[:-1])
        if isinstance(holder, dict) and holder.get(path[-1]) is None and value is not None:
            tree = _with(tree, path, value)
            added.append(path)
    return tree, tuple(added)


def _defaults(tree: Tree) -> Iterator[tuple[_Path, Any]]:
    yield ("snapshot", "context", "variables"), {}
    yield ("snapshot", "context", "state"), {}
    yield ("snapshot", "context", "history"), []
    yield ("snapshot", "tool_state", "results"), {}
    yield ("snapshot", "progress", "total_thoughts"), _length(tree, "thought_chain")
    yield ("snapshot", "progress", "total_tool_calls"), _length(tree, "tool_state", "calls")


def _length(tree: Tree, *path: str) -> int | None:
    value = _at(tree, ("snapshot", *path))
    return len(value) if isinstance(value, list) else None


def _at(value: Any, path: _Path) -> Any:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _with(members: dict[str, Any], path: _Path, value: Any) -> dict[str, Any]:
    name, *rest = path
    return {**members, name: _with(members[name], tuple(rest), value) if rest else value}

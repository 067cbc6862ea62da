"""What is at odds about thoughts: times, parents, children."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld.agent.rules.moments import is_before, late
from checkpoint_ld.agent.rules.parts import THOUGHT
from checkpoint_ld.checks.readings import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.agent.rules.parts import Part, Parts
    from checkpoint_ld.agent.rules.values import Told


def odd(parts: Parts) -> Iterator[tuple[Part, Told]]:
    """Yield what is at odds about the thoughts of a checkpoint."""
    thoughts = parts.of(THOUGHT)
    by_id: dict[str, Part] = {}
    for part in thoughts:
        identifier = part.tree.get("id")
        if isinstance(identifier, str):
            by_id.setdefault(identifier, part)
    for part in thoughts:
        created: Any = part.tree.get("created_at")
        if late(parts, part, "created_at"):
            yield part, ("afterCheckpoint", created, "/created_at", shown(parts.tree["timestamp"]))
        parent = _parent(part, by_id)
        if parent is not None and is_before(created, parent.tree.get("created_at")):
            yield part, ("olderThanParent", created, "/created_at", shown(parent.tree["created_at"]))
    for part in _in_cycles(thoughts, by_id):
        yield part, ("ownAncestor", part.tree["parent_id"], "/parent_id", "")
    yield from _children(thoughts)


def _parent(part: Part, by_id: dict[str, Part]) -> Part | None:
    parent = part.tree.get("parent_id")
    return by_id.get(parent) if isinstance(parent, str) else None


def _in_cycles(thoughts: list[Part], by_id: dict[str, Part]) -> Iterator[Part]:
    """Yield the first thought of each cycle of parents."""
    position = {part: at for at, part in enumerate(thoughts)}
    seen: set[Part] = set()
    for part in thoughts:
        walked: dict[Part, None] = {}
        at: Part | None = part
        while at is not None and at not in seen and at not in walked:
            walked[at] = None
            at = _parent(at, by_id)
        seen.update(walked)
        if at is not None and at in walked:
            steps = list(walked)
            yield min(steps[steps.index(at) :], key=position.__getitem__)


def _children(thoughts: list[Part]) -> Iterator[tuple[Part, Told]]:
    """Yield the thoughts whose children are not those that have them as parent."""
    telling = [part for part in thoughts if isinstance(part.tree.get("children"), list)]
    if not telling:
        return
    children: dict[str, set[str]] = {}
    for part in thoughts:
        parent, identifier = part.tree.get("parent_id"), part.tree.get("id")
        if isinstance(parent, str) and isinstance(identifier, str):
            children.setdefault(parent, set()).add(identifier)
    for part in telling:
        told, identifier = part.tree["children"], part.tree.get("id")
        if not isinstance(identifier, str) or not all(isinstance(one, str) for one in told):
            continue
        expected = children.get(identifier, set())
        unknown, missing = sorted(set(told) - expected), sorted(expected - set(told))
        if unknown or missing:
            detail = f"{shown((unknown or missing)[0])} is {'none of them' if unknown else 'missing'}"
            yield part, ("otherChildren", detail, "/children", detail)

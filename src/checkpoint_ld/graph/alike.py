"""Alike objects: those of one type that have the same keys in the same order, as most objects of a document do.

What holds for the keys of one of them holds for all, so that they are looked at together, all values of one key at
once. To go from object to object takes more than twice the time.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

TOGETHER = 512
"""So many objects at most are looked at together, so that what is touched again is still at hand for the processor."""
_KINDS = frozenset((str, type(None)))


class Alike(NamedTuple):
    """The type and the keys that some objects have, and which ones of all they are."""

    kind: str | None
    keys: tuple[str, ...]
    members: Sequence[int]


def alike(objects: Sequence[dict[str, Any]]) -> list[Alike] | None:
    """Return which of one or more objects are alike; None if one has several types, or one that is no text."""
    kinds = [one.get("@type") for one in objects]
    if not _KINDS.issuperset(map(type, kinds)):
        return None
    layouts = [*map(tuple, objects)]
    is_one_kind = kinds.count(kinds[0]) == len(kinds)
    shapes = layouts if is_one_kind else [*zip(kinds, layouts, strict=True)]
    return [Alike(kinds[members[0]], layouts[members[0]], members) for _, members in grouped(shapes)]


def grouped(keys: Sequence[Any]) -> Collection[tuple[Any, Sequence[int]]]:
    """Return the distinct keys, each with the rows that have it."""
    if keys and keys.count(keys[0]) == len(keys):
        return ((keys[0], range(len(keys))),)
    groups: defaultdict[Any, list[int]] = defaultdict(list)
    for row, key in enumerate(keys):
        groups[key].append(row)
    return groups.items()

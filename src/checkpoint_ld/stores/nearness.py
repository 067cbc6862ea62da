"""Nearness: which ids somebody may have meant by one that is not there."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from checkpoint_ld.errors import CheckpointNotFound
from checkpoint_ld.suggestion import unknown

if TYPE_CHECKING:
    from collections.abc import Iterable

NEIGHBOURS = 50
"""How many ids on either side of one are looked at: likeness is slow to tell, and ids that are alike begin alike."""


def not_found(checkpoint_id: str, ids: Iterable[str], where: str) -> CheckpointNotFound:
    """Return the error for an id that is not in the store `where`, naming those of its `ids` that are like it."""
    known = sorted(ids)
    at = bisect_left(known, checkpoint_id)
    near = known[max(0, at - NEIGHBOURS) : at + NEIGHBOURS]
    otherwise = "list shows those that are there" if near else "the store is empty"
    return CheckpointNotFound(f"{where}: {unknown('checkpoint', checkpoint_id, near, otherwise)}")

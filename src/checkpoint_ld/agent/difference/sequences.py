"""Sequences of things with identifiers: what came, what went, and what stands in another order."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def in_place(before: Sequence[str], after: Sequence[str]) -> set[str]:
    """Return a largest set of identifiers that stand in both sequences, and in the same order in both.

    Neither sequence holds one twice. The cost is that of sorting.
    """
    places = {one: place for place, one in enumerate(before)}
    common = [(places[one], one) for one in after if one in places]
    ends: list[int] = []
    last: list[int] = []
    previous: list[int] = []
    # The longest increasing subsequence: `ends[n]` is the smallest place that a run of n + 1 can end with.
    for number, (place, _) in enumerate(common):
        length = bisect_left(ends, place)
        ends[length : length + 1] = [place]
        last[length : length + 1] = [number]
        previous.append(last[length - 1] if length else -1)
    found: set[str] = set()
    at = last[-1] if last else -1
    while at >= 0:
        found.add(common[at][1])
        at = previous[at]
    return found


def moved(before: Sequence[str], after: Sequence[str]) -> tuple[str, ...]:
    """Return the identifiers, in the order of `after`, whose place among those of both sequences is another one."""
    known, kept = set(before), in_place(before, after)
    return tuple(one for one in after if one in known and one not in kept)

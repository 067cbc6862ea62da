"""Changes: what is different between two JSON values, by the paths of what changed."""

from __future__ import annotations

from bisect import bisect_left, insort
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Identify: TypeAlias = "Callable[[list[Any]], dict[str, Any] | None]"
Path = tuple[str | int, ...]
"""Keys and indexes that lead from the root to a value."""


class Absent(Enum):
    """What stands where there is no value, as null is one."""

    ABSENT = "absent"

    def __repr__(self) -> str:
        return self.name

    def __bool__(self) -> bool:
        return False


ABSENT: Final = Absent.ABSENT


class Changed(NamedTuple):
    """The JSON values at one path before and after, ABSENT where there is none.

    A value that moved within its array has the path where it was in `source`, and no values.
    """

    path: Path
    before: Any = ABSENT
    after: Any = ABSENT
    source: Path | None = None


def changes(
    before: Any, after: Any, *, identify: Identify | None = None, exact: bool = False, by_index: bool = True
) -> Iterator[Changed]:
    """Yield what is different between two JSON values, as deep down as it can be located.

    Objects are compared by key. Arrays are compared by index; unless `by_index`, arrays of different lengths are one
    change. `identify` returns the members of an array by their identifiers, None for an array to compare by index;
    with it the changes of an array come in an order in which they can be carried out (RFC 6902 §3). `exact` is that
    of `same`.
    """
    return _Comparison(identify, exact, by_index).of(before, after, ())


class _Comparison(NamedTuple):
    """How values are compared."""

    identify: Identify | None
    exact: bool
    by_index: bool

    def of(self, before: Any, after: Any, path: Path) -> Iterator[Changed]:
        if before is after:
            return
        if isinstance(before, dict) and isinstance(after, dict):
            yield from self.of_members(before, after, path)
        elif isinstance(before, list) and isinstance(after, list) and (self.by_index or len(before) == len(after)):
            old, new = (self.identify(before), self.identify(after)) if self.identify else (None, None)
            if old is None or new is None:
                yield from self.by_place(before, after, path)
            else:
                yield from self.by_identifier(old, new, path)
        elif not same(before, after, exact=self.exact):
            yield Changed(path, before, after)

    def of_members(self, before: dict[str, Any], after: dict[str, Any], path: Path) -> Iterator[Changed]:
        for key, value in before.items():
            if key in after:
                yield from self.of(value, after[key], (*path, key))
            else:
                yield Changed((*path, key), before=value)
        for key, value in after.items():
            if key not in before:
                yield Changed((*path, key), after=value)

    def by_place(self, before: list[Any], after: list[Any], path: Path) -> Iterator[Changed]:
        common = min(len(before), len(after))
        for index in range(common):
            yield from self.of(before[index], after[index], (*path, index))
        gone = range(common, len(before))
        for index in reversed(gone) if self.identify else gone:
            yield Changed((*path, index), before=before[index])
        for index in range(common, len(after)):
            yield Changed((*path, index), after=after[index])

    def by_identifier(self, before: dict[str, Any], after: dict[str, Any], path: Path) -> Iterator[Changed]:
        for index, (one, value) in reversed([*enumerate(before.items())]):
            if one not in after:
                yield Changed((*path, index), before=value)
        ranks = {one: rank for rank, one in enumerate(one for one in before if one in after)}
        placed: list[int] = []
        for index, (one, value) in enumerate(after.items()):
            if one not in ranks:
                yield Changed((*path, index), after=value)
                continue
            # Up to `index` all is in place; behind it the rest stands as it did, less what was taken out of it.
            ahead = ranks[one] - bisect_left(placed, ranks[one])
            insort(placed, ranks[one])
            if ahead:
                yield Changed((*path, index), source=(*path, index + ahead))
            yield from self.of(before[one], value, (*path, index))


def same(one: Any, other: Any, *, exact: bool = False) -> bool:
    """Return whether two JSON values are equal; the order of members does not count, and true is not 1.

    1 equals 1.0 (RFC 6902 §4.6), and 0.0 equals -0.0, unless `exact`.
    """
    if one is other:
        return True
    if isinstance(one, dict):
        is_alike = isinstance(other, dict) and one.keys() == other.keys()
        return is_alike and all(same(value, other[key], exact=exact) for key, value in one.items())
    if isinstance(one, list):
        is_alike = isinstance(other, list) and len(one) == len(other)
        return is_alike and all(same(*pair, exact=exact) for pair in zip(one, other, strict=True))
    if isinstance(one, bool) or isinstance(other, bool) or one != other:
        return False
    return not exact or repr(one) == repr(other)


def moved(before: Sequence[str], after: Sequence[str]) -> tuple[str, ...]:
    """Return the fewest identifiers, in the order of `after`, that have to move to bring `before` into that order.

    Identifiers that only one of the sequences has do not count. Neither sequence holds one twice.
    """
    places = {one: place for place, one in enumerate(before)}
    common = [(places[one], one) for one in after if one in places]
    ends: list[int] = []
    last: list[int] = []
    previous: list[int] = []
    # The longest increasing subsequence stays: `ends[n]` is the smallest place that a run of n + 1 can end with.
    for number, (place, _) in enumerate(common):
        length = bisect_left(ends, place)
        ends[length : length + 1] = [place]
        last[length : length + 1] = [number]
        previous.append(last[length - 1] if length else -1)
    kept: set[str] = set()
    at = last[-1] if last else -1
    while at >= 0:
        kept.add(common[at][1])
        at = previous[at]
    return tuple(one for _, one in common if one not in kept)

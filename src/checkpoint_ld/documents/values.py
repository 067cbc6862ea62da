"""JSON values in memory: what they may cost, going through them, and comparing them."""

from __future__ import annotations

import base64
import binascii
import re
from bisect import bisect_left, insort
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, TypeGuard

from checkpoint_ld.errors import ReadError
from checkpoint_ld.findings import Place
from checkpoint_ld.rules import finding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


_SURROGATE = re.compile("[\ud800-\udfff]")

# What `datetime.fromisoformat` takes beyond the standard, such as any separator, is kept out.
_DATE = re.compile(r"\d[\dW-]*(T\d[\d:.,]*(Z|[+-]\d[\d:]*)?)?", re.ASCII)


def is_number(value: object) -> TypeGuard[int | float]:
    """Return whether a JSON value is a number; a boolean is none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_iso_8601(date: object) -> bool:
    """Return whether `date` is the text of a date, with or without a time, in ISO 8601."""
    if not isinstance(date, str) or not _DATE.fullmatch(date):
        return False
    try:
        datetime.fromisoformat(date)
    except ValueError:
        return False
    return True


def walk(value: Any) -> Iterator[tuple[list[str | int], Any]]:
    """Yield `value` and everything inside it, in document order, each with its path of keys and indexes.

    The path is one list that changes with every step: copy what is to be kept. Nothing recurses, so any depth can be
    walked; a value that contains itself never ends.
    """
    path: list[str | int] = []
    yield path, value
    levels = [_members(value)]
    path.append("")
    while levels:
        for step, inner in levels[-1]:
            path[-1] = step
            yield path, inner
            if isinstance(inner, (dict, list, tuple)):
                levels.append(_members(inner))
                path.append("")
                break
        else:
            levels.pop()
            path.pop()


def _members(value: Any) -> Iterator[tuple[str | int, Any]]:
    members: Iterable[tuple[str | int, Any]] = ()
    if isinstance(value, dict):
        members = value.items()
    elif isinstance(value, (list, tuple)):
        members = enumerate(value)
    return iter(members)


def copied(value: Any) -> Any:
    """Return a JSON value that shares no object and no array with `value`."""
    # Loops, since comprehensions would need twice the stack for a value that is nested deeply.
    if isinstance(value, dict):
        members = value.copy()
        for key, one in value.items():
            if isinstance(one, (dict, list)):
                members[key] = copied(one)
        return members
    if isinstance(value, list):
        parts = value.copy()
        for at, one in enumerate(value):
            if isinstance(one, (dict, list)):
                parts[at] = copied(one)
        return parts
    return value


def lone_surrogate(text: str) -> str | None:
    """Return the first half of a surrogate pair in `text`, as the escape that JSON would write for it."""
    found = None if text.isascii() else _SURROGATE.search(text)
    return f"\\u{ord(found[0]):04x}" if found else None


def base64_bytes(text: str) -> bytes | None:
    """Return the bytes that `text` stands for in base64 (RFC 4648 §4), white space left aside, or None."""
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        return None


def as_base64(text: str) -> str:
    """Return `text` if it is base64, and the base64 of its UTF-8 bytes otherwise."""
    return text if base64_bytes(text) is not None else base64.b64encode(text.encode()).decode("ascii")


@dataclass(frozen=True, slots=True)
class Limits:
    """What a document may cost: `size` in bytes, `depth` in objects and arrays inside one another (`[[]]` is 2)."""

    size: int = 1 << 30
    depth: int = 200


DEFAULT_LIMITS = Limits()


def inside(levels: int) -> Limits:
    """Return the limits for what stands inside of so many objects and arrays."""
    return replace(DEFAULT_LIMITS, depth=DEFAULT_LIMITS.depth - levels)


def too_large(size: int | None, source: str | None, limits: Limits) -> ReadError:
    """Return the error for a document above `limits.size`; `size` is its length in bytes, None if not known."""
    amount = "" if size is None else f"has {size:,} bytes, which "
    fault = finding("size", f"the document {amount}is more than the limit of {limits.size:,} bytes")
    return ReadError.of([replace(fault, place=Place(source, ""))])


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
    return one is other or (one == other and _is_alike(one, other, exact=exact))


def _is_alike(one: Any, other: Any, *, exact: bool) -> bool:
    """Whether values that Python takes for equal are so to JSON: their booleans and, if `exact`, their numbers."""
    if one is other:
        return True
    if isinstance(one, dict):
        return all(type(value) is str or _is_alike(value, other[key], exact=exact) for key, value in one.items())
    if isinstance(one, list):
        return all(type(value) is str or _is_alike(value, other[at], exact=exact) for at, value in enumerate(one))
    return isinstance(one, bool) == isinstance(other, bool) and not (exact and repr(one) != repr(other))


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


TRUTH_WORDS = ("true", "false", "yes", "no", "1", "0")
"""The texts that mean a truth value, in small letters."""


def means_number(value: Any) -> bool:
    """Whether a ground truth is a number, or the text of one."""
    if isinstance(value, str):
        try:
            float(value)
        except ValueError:
            return False
        return True
    return isinstance(value, int | float) and not isinstance(value, bool)


def means_truth_value(value: Any) -> bool:
    """Whether a ground truth is true or false, in whatever spelling."""
    if isinstance(value, str):
        return value.lower() in TRUTH_WORDS
    return isinstance(value, int | float) and value in {0, 1}

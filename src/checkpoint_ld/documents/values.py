"""JSON values in memory: `Limits` on their size, `walk`, `copied`, comparison (`same`, `changes`), and value tests."""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from bisect import bisect_left, insort
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, TypeGuard

from checkpoint_ld.errors import ReadError
from checkpoint_ld.findings import Place
from checkpoint_ld.rules import finding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


_SURROGATE = re.compile("[\ud800-\udfff]")

# `datetime.fromisoformat` accepts more than the standard, such as any separator.
_DATE = re.compile(r"\d[\dW-]*(T\d[\d:.,]*(Z|[+-]\d[\d:]*)?)?", re.ASCII)


def _unrepeated(members: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(members)
    if len(found) < len(members):
        raise ValueError("a key stands twice in one object")
    return found


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is no number that JSON can hold")
    return number


STRICT: Final = json.JSONDecoder(object_pairs_hook=_unrepeated, parse_float=_finite, parse_constant=_finite)
"""Decodes JSON (RFC 8259) that is the same when it is written again; raises ValueError for any other text."""


def is_number(value: object) -> TypeGuard[int | float]:
    """Return whether a JSON value is a number; a boolean is none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def now() -> str:
    """Return the present moment as ISO 8601 text with microseconds and the offset from UTC."""
    return datetime.now().astimezone().isoformat(timespec="microseconds")


def is_iso_8601(date: object) -> bool:
    """Return whether `date` is the text of a date, with or without a time, in ISO 8601."""
    if not isinstance(date, str) or not _DATE.fullmatch(date):
        return False
    try:
        datetime.fromisoformat(date)
    except ValueError:
        return False
    return True


def instant_of(text: object) -> datetime | None:
    """Return the instant of a date with or without a time, in UTC where it states no zone; None for another value."""
    try:
        found = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return found if found is None or found.tzinfo else found.replace(tzinfo=UTC)


def walk(value: Any) -> Iterator[tuple[list[str | int], Any]]:
    """Yield `value` and everything inside it, in document order, each with its path of keys and indexes.

    The path is a list that is changed at every step, so copy it to keep it. There is no recursion, so any depth can be
    walked. A value that contains itself never ends.
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
    # Loops, because comprehensions would need twice the stack for a deeply nested value.
    if isinstance(value, dict):
        members = value.copy()
        for key, member in value.items():
            if isinstance(member, (dict, list)):
                members[key] = copied(member)
        return members
    if isinstance(value, list):
        parts = value.copy()
        for at, member in enumerate(value):
            if isinstance(member, (dict, list)):
                parts[at] = copied(member)
        return parts
    return value


def plain(value: Any, *, is_cell: bool = False) -> Any:
    """Return a value with the scalars and arrays of NumPy and pandas in it as Python's; missing values are None.

    Of a cell of a data frame, NaN is a missing value, too.
    """
    if isinstance(value, dict):
        return {name: plain(part, is_cell=is_cell) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(plain(part, is_cell=is_cell) for part in value) if type(value) in (list, tuple) else value
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    if hasattr(value, "dtype") and hasattr(value, "tolist"):
        kind = getattr(value.dtype, "kind", "")
        made = value.astype("datetime64[us]").tolist() if kind == "M" else value.tolist()
        return plain(made, is_cell=is_cell) if isinstance(made, list) else made
    return None if is_cell and isinstance(value, float) and math.isnan(value) else value


def is_small(value: Any, most: int) -> bool:
    """Return whether a value has at most `most` parts, counted as often as they are repeated, and is no part of itself.

    Aliases of YAML repeat parts without a copy: some lines of text may stand for billions.
    """
    sizes: dict[int, float] = {}
    left = [(value, False)]
    while left:
        one, is_counted = left.pop()
        if not isinstance(one, dict | list):
            continue
        parts = [*one.values()] if isinstance(one, dict) else one
        if is_counted:
            sizes[id(one)] = 1 + sum(sizes.get(id(part), 1) for part in parts)
            if sizes[id(one)] > most:
                return False
        elif id(one) not in sizes:
            sizes[id(one)] = math.inf  # until its parts are counted, so that a part of itself is too large
            left.append((one, True))
            left += [(part, False) for part in parts]
    return True


def lone_surrogate(text: str) -> str | None:
    """Return the first lone surrogate in `text`, as a JSON escape, or None."""
    found = None if text.isascii() else _SURROGATE.search(text)
    return f"\\u{ord(found[0]):04x}" if found else None


def base64_bytes(text: str) -> bytes | None:
    """Return the bytes that `text` encodes in base64 (RFC 4648 §4), ignoring white space, or None."""
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        return None


def as_base64(text: str) -> str:
    """Return `text` if it is base64, and the base64 of its UTF-8 bytes otherwise."""
    return text if base64_bytes(text) is not None else base64.b64encode(text.encode()).decode("ascii")


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on a document: `size` in bytes, `depth` in nested objects and arrays (`[[]]` has 2)."""

    size: int = 1 << 30
    depth: int = 200


DEFAULT_LIMITS = Limits()


def inside(levels: int) -> Limits:
    """Return the limits for a value inside so many objects and arrays."""
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
    """Stands for no value, because null is a value."""

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
    """Yield the differences between two JSON values, at the deepest paths.

    Objects are compared by key, arrays by index. Without `by_index`, arrays of different lengths are a single change.
    `identify` returns the members of an array by their identifiers, None for an array to compare by index. With
    `identify`, the changes of an array can be applied in the order in which they are yielded (RFC 6902 §3). `exact` is
    that of `same`.
    """
    return _Comparison(identify, exact, by_index).of(before, after, ())


class _Comparison(NamedTuple):
    """The options of a comparison, and the comparison."""

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
        for index, (name, value) in reversed([*enumerate(before.items())]):
            if name not in after:
                yield Changed((*path, index), before=value)
        ranks = {name: rank for rank, name in enumerate(name for name in before if name in after)}
        placed: list[int] = []
        for index, (name, value) in enumerate(after.items()):
            if name not in ranks:
                yield Changed((*path, index), after=value)
                continue
            # Entries up to `index` are in place; those after it are in the old order, less those that were moved.
            ahead = ranks[name] - bisect_left(placed, ranks[name])
            insort(placed, ranks[name])
            if ahead:
                yield Changed((*path, index), source=(*path, index + ahead))
            yield from self.of(before[name], value, (*path, index))


def same(value: Any, other: Any, *, exact: bool = False) -> bool:
    """Return whether two JSON values are equal; the order of members does not count, and true is not 1.

    1 equals 1.0 (RFC 6902 §4.6), 0.0 equals -0.0, and languages and datatypes of texts do not count, unless `exact`.
    """
    return value is other or (value == other and _is_alike(value, other, exact=exact))


def _is_alike(value: Any, other: Any, *, exact: bool) -> bool:
    """Return whether values that are equal in Python are equal in JSON: their booleans and, if `exact`, their types."""
    if value is other:
        return True
    if isinstance(value, dict):
        return all(
            type(member) is str is type(other[key]) or _is_alike(member, other[key], exact=exact)
            for key, member in value.items()
        )
    if isinstance(value, list):
        return all(
            type(entry) is str is type(other[at]) or _is_alike(entry, other[at], exact=exact)
            for at, entry in enumerate(value)
        )
    if isinstance(value, bool) != isinstance(other, bool):
        return False
    # What a text with a language or a datatype has as `definition`, a plain text does not have.
    forms = ((repr(one), getattr(one, "definition", None)) for one in (value, other))
    return not exact or next(forms) == next(forms)


def moved(before: Sequence[str], after: Sequence[str]) -> tuple[str, ...]:
    """Return the fewest identifiers, in the order of `after`, that have to move to bring `before` into that order.

    Identifiers of only one sequence are ignored. Neither sequence may repeat an identifier.
    """
    places = {identifier: place for place, identifier in enumerate(before)}
    common = [(places[identifier], identifier) for identifier in after if identifier in places]
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
    return tuple(identifier for _, identifier in common if identifier not in kept)


TRUTH_WORDS = ("true", "false", "yes", "no", "1", "0")
"""The texts of truth values, in lower case."""


def means_number(value: Any) -> bool:
    """Return whether a ground truth is a number, or the text of a number."""
    if isinstance(value, str):
        try:
            float(value)
        except ValueError:
            return False
        return True
    return isinstance(value, int | float) and not isinstance(value, bool)


def means_truth_value(value: Any) -> bool:
    """Return whether a ground truth is true or false, as a boolean, a text or a number."""
    if isinstance(value, str):
        return value.lower() in TRUTH_WORDS
    return isinstance(value, int | float) and value in {0, 1}

"""Changes: what is different about one member of something, and about lists of things with names."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from checkpoint_ld.constraints.secrets import secret

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pydantic import JsonValue

    Members: TypeAlias = Mapping[str, JsonValue]

Kind: TypeAlias = Literal["added", "removed", "changed"]

WITHHELD = "(withheld: it looks like a secret)"
"""What stands for a value that must not go further than its file."""


@dataclass(frozen=True, slots=True)
class Change:
    """A member that was added, removed or changed; `before` and `after` are JSON values, None where there is none."""

    member: str
    kind: Kind
    before: JsonValue = None
    after: JsonValue = None


@dataclass(frozen=True, slots=True)
class PartDiff:
    """What is different about one thing, called `name`."""

    name: str
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class PartsDiff:
    """What is different about things with names: traits, fields of a template, scenarios."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[PartDiff, ...] = ()
    reordered: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing is different."""
        return not (self.added or self.removed or self.changed or self.reordered)


def changes(before: Members, after: Members) -> tuple[Change, ...]:
    """Return what is different between two objects, member by member, in the order of their members."""
    names = dict.fromkeys((*before, *after))
    return tuple(found for name in names for found in _change(name, before, after))


def _change(name: str, before: Members, after: Members) -> Iterator[Change]:
    if name not in before:
        yield Change(name, "added", after=_safe(name, after[name]))
    elif name not in after:
        yield Change(name, "removed", before=_safe(name, before[name]))
    elif not same(before[name], after[name]):
        yield Change(name, "changed", _safe(name, before[name]), _safe(name, after[name]))


def parts(
    before: Iterable[tuple[str, Members]], after: Iterable[tuple[str, Members]], *, order: bool = False
) -> PartsDiff:
    """Return what is different between two lists of things with names; `order` says whether their order counts.

    Of several things with one name the first is held against the first, and so on. Changes are told as deep down as
    can be, such as `parameters.tolerance`.
    """
    old, new = _counted(before), _counted(after)
    both = [key for key in old if key in new]
    found = ((key[0], tuple(nested(old[key], new[key]))) for key in both)
    return PartsDiff(
        added=tuple(key[0] for key in new if key not in old),
        removed=tuple(key[0] for key in old if key not in new),
        changed=tuple(PartDiff(name, told) for name, told in found if told),
        reordered=order and both != [key for key in new if key in old],
    )


def _counted(things: Iterable[tuple[str, Members]]) -> dict[tuple[str, int], Members]:
    seen: Counter[str] = Counter()
    counted = {}
    for name, members in things:
        counted[name, seen[name]] = members
        seen[name] += 1
    return counted


def nested(before: Any, after: Any, path: tuple[str | int, ...] = ()) -> Iterator[Change]:
    """Yield what is different between two JSON values, as deep down as can be said; names on the way have dots."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name in dict.fromkeys((*before, *after)):
            if name in before and name in after:
                yield from nested(before[name], after[name], (*path, name))
            else:
                yield from (replace(one, member=_dotted((*path, name))) for one in _change(name, before, after))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for at, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from nested(old, new, (*path, at))
    elif not same(before, after):
        name = next((step for step in reversed(path) if isinstance(step, str)), "")
        yield Change(_dotted(path), "changed", _safe(name, before), _safe(name, after))


def _dotted(path: Iterable[str | int]) -> str:
    return ".".join(map(str, path))


def same(one: Any, other: Any) -> bool:
    """Tell whether two JSON values mean the same: 1 is 1.0, but not true."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def _safe(name: str, value: JsonValue) -> JsonValue:
    return WITHHELD if secret({name: value}) else value

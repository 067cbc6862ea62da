"""Changes: what is different about one member of something, and about lists of things with names."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from checkpoint_ld.constraints.secrets import secret
from checkpoint_ld.documents import values as json_changes
from checkpoint_ld.documents.values import ABSENT, same

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
    pairs = ((name, before.get(name, ABSENT), after.get(name, ABSENT)) for name in dict.fromkeys((*before, *after)))
    return tuple(_change(name, name, old, new) for name, old, new in pairs if not same(old, new))


def _change(member: str, key: str, before: Any, after: Any) -> Change:
    """Return the change of a member, whose values are under `key`; values that look like secrets are withheld."""
    old, new = (None if one is ABSENT else WITHHELD if secret({key: one}) else one for one in (before, after))
    return Change(member, "added" if before is ABSENT else "removed" if after is ABSENT else "changed", old, new)


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


def nested(before: Any, after: Any) -> Iterator[Change]:
    """Yield what is different between two JSON values, as deep down as can be said; names on the way have dots."""
    for one in json_changes.changes(before, after, by_index=False):
        key = next((step for step in reversed(one.path) if isinstance(step, str)), "")
        yield _change(".".join(map(str, one.path)), key, one.before, one.after)

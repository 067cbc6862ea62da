"""What is different between two JSON values: objects by key, arrays by index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from checkpoint_ld.agent.json_patch import same
from checkpoint_ld.agent.values import ABSENT, Absent
from checkpoint_ld.documents.places import pointer

if TYPE_CHECKING:
    from collections.abc import Iterator

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """The JSON values at one place before and after, ABSENT where there was none; null is a value."""

    before: Any | Absent = ABSENT
    after: Any | Absent = ABSENT

    def to_dict(self) -> dict[str, Any]:
        """Return the change as a JSON object: a missing key means that there was no value."""
        told = {"before": self.before, "after": self.after}
        return {key: value for key, value in told.items() if value is not ABSENT}


def changes(before: Any, after: Any, path: Path = ()) -> Iterator[tuple[str, Change]]:
    """Yield what is different between two JSON values, by JSON Pointers that start with `path`."""
    if before is after:
        return
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _changes_of_members(before, after, path)
    elif isinstance(before, list) and isinstance(after, list):
        common = min(len(before), len(after))
        for index in range(common):
            yield from changes(before[index], after[index], (*path, index))
        for index, value in enumerate(before[common:], common):
            yield pointer((*path, index)), Change(before=value)
        for index, value in enumerate(after[common:], common):
            yield pointer((*path, index)), Change(after=value)
    elif not same(before, after):
        yield pointer(path), Change(before, after)


def _changes_of_members(before: dict[str, Any], after: dict[str, Any], path: Path) -> Iterator[tuple[str, Change]]:
    for key, value in before.items():
        if key in after:
            yield from changes(value, after[key], (*path, key))
        else:
            yield pointer((*path, key)), Change(before=value)
    for key, value in after.items():
        if key not in before:
            yield pointer((*path, key)), Change(after=value)

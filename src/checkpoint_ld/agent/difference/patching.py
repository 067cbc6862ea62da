"""Differences as a JSON Patch (RFC 6902); arrays of things with identifiers are matched by these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from checkpoint_ld.agent.difference.json_changes import Path, same
from checkpoint_ld.agent.difference.sequences import in_place
from checkpoint_ld.agent.values import ABSENT
from checkpoint_ld.documents.places import pointer

if TYPE_CHECKING:
    from collections.abc import Iterator

Operation = dict[str, Any]


def patch(before: dict[str, Any], after: dict[str, Any], *, tests: bool = False) -> list[Operation]:
    """Return the operations that turn one document into the other, which are equal then as `same` has it.

    With `tests`, each value that is replaced or removed is tested to be what it was, and the whole patch starts with a
    test of the document's `id`, which speaks for what is added.
    """
    found: list[Operation] = [{"op": "test", "path": "/id", "value": before["id"]}] if tests else []
    for step in _steps(before, after, ()):
        where = pointer(step.path)
        if tests and step.before is not ABSENT:
            found.append({"op": "test", "path": where, "value": step.before})
        found.append({"op": step.kind, "path": where, **({} if step.after is ABSENT else {"value": step.after})})
    return found


class _Step(NamedTuple):
    """One change of one place of a document that all steps before it have changed already."""

    path: Path
    before: Any
    after: Any

    @property
    def kind(self) -> str:
        if self.before is ABSENT:
            return "add"
        return "remove" if self.after is ABSENT else "replace"


def _steps(before: Any, after: Any, path: Path) -> Iterator[_Step]:
    if same(before, after):
        return
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _on_members(before, after, path)
    elif isinstance(before, list) and isinstance(after, list):
        old, new = _identified(before), _identified(after)
        yield from _on_array(before, after, path) if old is None or new is None else _on_identified(old, new, path)
    else:
        yield _Step(path, before, after)


def _on_members(before: dict[str, Any], after: dict[str, Any], path: Path) -> Iterator[_Step]:
    for key, value in before.items():
        if key in after:
            yield from _steps(value, after[key], (*path, key))
        else:
            yield _Step((*path, key), value, ABSENT)
    for key, value in after.items():
        if key not in before:
            yield _Step((*path, key), ABSENT, value)


def _on_array(before: list[Any], after: list[Any], path: Path) -> Iterator[_Step]:
    start = 0
    while start < min(len(before), len(after)) and same(before[start], after[start]):
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and same(before[-1 - end], after[-1 - end]):
        end += 1
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    common = min(len(old), len(new))
    for index in range(common):
        yield from _steps(old[index], new[index], (*path, start + index))
    for index in reversed(range(common, len(old))):
        yield _Step((*path, start + index), old[index], ABSENT)
    for index in range(common, len(new)):
        yield _Step((*path, start + index), ABSENT, new[index])


def _on_identified(before: dict[str, Any], after: dict[str, Any], path: Path) -> Iterator[_Step]:
    kept = in_place([*before], [*after])
    for index, one in reversed([*enumerate(before)]):
        if one not in kept:
            yield _Step((*path, index), before[one], ABSENT)
    for index, (one, value) in enumerate(after.items()):
        if one in kept:
            yield from _steps(before[one], value, (*path, index))
        else:
            yield _Step((*path, index), ABSENT, value)


def _identified(values: list[Any]) -> dict[str, Any] | None:
    """Return the objects of an array by their identifiers; None if one has none, or two have the same."""
    found = {value["id"]: value for value in values if isinstance(value, dict) and isinstance(value.get("id"), str)}
    return found if found and len(found) == len(values) else None

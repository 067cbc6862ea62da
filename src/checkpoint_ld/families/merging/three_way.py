"""The merge of three JSON values: what each side changed, and where the two contradict."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from checkpoint_ld.documents.values import ABSENT, is_number, same
from checkpoint_ld.phrases import encodable, head
from checkpoint_ld.secrets import secret

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from checkpoint_ld.documents.values import Path
    from checkpoint_ld.findings import Place

WITHHELD = "(withheld: it looks like a secret)"
_ROOM = 60


@dataclass(frozen=True, slots=True)
class Conflict:
    """What both sides changed, each in another way.

    `subject` says of what in the authors' terms, such as `question urn:…` and `template`. The values are JSON as the
    canonical form has them, ABSENT where a side has none; the places tell where they stand, None where they do not.
    `taken` says what the result has: `ours`, `theirs`, or `edited` for a value of somebody's own.
    """

    subject: tuple[str, ...]
    base: Any
    ours: Any
    theirs: Any
    base_place: Place | None = None
    ours_place: Place | None = None
    theirs_place: Place | None = None
    taken: str = "ours"
    is_resolved: bool = False

    def __str__(self) -> str:
        lines = [": ".join(self.subject) or "the checkpoint"]
        arrays = [value for _, value, _ in self._sides if value is not ABSENT]
        alike = min(common(arrays[0], one) for one in arrays) if all(isinstance(one, list) for one in arrays) else 0
        for name, value, place in self._sides:
            at = f"  ({place})" if place is not None and str(place) else ""
            lines.append(f"  {name + ':':8}{self._shown(value, alike)}{at}")
        return "\n".join((*lines, f"  taken:  {self.taken}"))

    def as_json(self) -> dict[str, Any]:
        """Return the conflict as a JSON object; a side without a value has no member. Secrets are withheld."""
        sides = {name: value for name, value, _ in self._sides if value is not ABSENT}
        places = {
            name: {"file": one.file, "pointer": one.pointer, "line": one.line, "column": one.column}
            for name, _, one in self._sides
            if one is not None
        }
        hidden = {name: WITHHELD if self._is_secret(value) else value for name, value in sides.items()}
        return {"subject": list(self.subject), **hidden, "places": places, "taken": self.taken}

    @property
    def _sides(self) -> tuple[tuple[str, Any, Place | None], ...]:
        return (
            ("base", self.base, self.base_place),
            ("ours", self.ours, self.ours_place),
            ("theirs", self.theirs, self.theirs_place),
        )

    def _is_secret(self, value: Any) -> bool:
        return secret({self.subject[-1] if self.subject else "": value}) is not None

    def _shown(self, value: Any, alike: int = 0) -> str:
        if value is ABSENT:
            return "(none)"
        if self._is_secret(value):
            return WITHHELD
        if alike:
            number = f"{len(value)} items, " if len(value) > 1 else "1 item, "
            rest = _text(value[alike:]) if value[alike:] else "no more"
            return head(f"{number}from number {alike + 1} on: {rest}", _ROOM)
        return head(value if isinstance(value, str) else _text(value), _ROOM)


Decide: TypeAlias = "Callable[[Conflict], Any]"


class Four(NamedTuple):
    """The values that are merged at one place; `old` is the base as ours would have it, `was` as theirs would."""

    old: Any
    ours: Any
    was: Any
    theirs: Any


Paths = tuple["Path | None", "Path | None", "Path | None"]
"""Where base, ours and theirs have the value, None where they do not."""


class Merger:
    """Merges two edits of a JSON value; families say by its methods what has which name, and what is no conflict.

    `found` is told each conflict and returns the value that stands for it.
    """

    def __init__(self, found: Callable[[tuple[Any, ...], Four, Paths], Any]) -> None:
        self._found = found

    # What families say

    def keys(self, steps: tuple[Any, ...], four: Four) -> tuple[Sequence[Hashable], ...] | None:
        """Return the names of the members of four arrays; None for arrays that are changed as a whole."""
        raise NotImplementedError

    def is_set(self, steps: tuple[Any, ...]) -> bool:
        """Whether an array of texts is a set."""
        raise NotImplementedError

    def is_growing(self, steps: tuple[Any, ...], four: Four) -> bool:  # noqa: ARG002 - those of families look at them
        """Whether items without names are appended to an array, so that those of both sides belong into it."""
        return False

    def settled(self, steps: tuple[Any, ...], four: Four) -> Any:
        """Return what wins where both sides changed a value and nobody has to choose, None where somebody has."""
        raise NotImplementedError

    def present(self, value: Any) -> Any:
        """Return a value, ABSENT for one that states nothing."""
        return value

    def same(self, one: Any, other: Any) -> bool:
        """Whether two values state the same."""
        return same(self.present(one), self.present(other))

    # The merge

    def merge(self, four: Four, steps: tuple[Any, ...] = (), paths: Paths = ((), (), ())) -> Any:
        """Return the merged value at one place, ABSENT where none is left."""
        if self.same(four.was, four.theirs) or self.same(four.ours, four.theirs):
            return four.ours
        four = _alike(four)
        kept = [one for one in (four.ours, four.theirs) if one is not ABSENT]
        if len(kept) == 2 and all(isinstance(one, dict) for one in kept):
            return self._objects(Four(*({} if not isinstance(one, dict) else one for one in four)), steps, paths)
        if len(kept) == 2 and all(isinstance(one, list) for one in kept):
            lists = Four(*([] if not isinstance(one, list) else one for one in four))
            merged = self._arrays(lists, steps, paths)
            if merged is not None:
                return merged
        if self.same(four.old, four.ours):
            return four.theirs
        won = self.settled(steps, four)
        return self._found(steps, four, paths) if won is None else won

    def _objects(self, four: Four, steps: tuple[Any, ...], paths: Paths) -> dict[str, Any]:
        merged = {}
        for key in dict.fromkeys((*four.ours, *four.theirs)):
            inner = Four(*(one.get(key, ABSENT) for one in four))
            value = self.merge(inner, (*steps, key), _below(paths, inner, (key, key, key)))
            if value is not ABSENT:
                merged[key] = value
        return merged

    def _arrays(self, four: Four, steps: tuple[Any, ...], paths: Paths) -> list[Any] | None:
        if self.is_set(steps) and all(map(_are_texts, four)):
            dropped = set(four.was) - set(four.theirs)
            own = [one for one in four.ours if one not in dropped]
            return own + [one for one in four.theirs if one not in four.ours and one not in four.was]
        names = self.keys(steps, four)
        if names is None:
            return self._grown(four) if self.is_growing(steps, four) else None
        if any(len(set(one)) < len(one) for one in names):
            return None
        held = [dict(zip(one, value, strict=True)) for one, value in zip(names, four, strict=True)]
        at = [{name: index for index, name in enumerate(one)} for one in (names[0], names[1], names[3])]
        merged: list[Any] = []
        for name in ordered(*names):
            inner = Four(*(one.get(name, ABSENT) for one in held))
            below = _below(paths, inner, tuple(one.get(name) for one in at))
            value = self.merge(inner, (*steps, (name,)), below)
            if value is not ABSENT:
                merged.append(value)
        return merged

    def _grown(self, four: Four) -> list[Any] | None:
        """Return what both sides have appended to an array, None where one did anything else to it."""
        if common(four.old, four.ours) < len(four.old) or common(four.was, four.theirs) < len(four.was):
            return None
        mine, other = four.ours[len(four.old) :], four.theirs[len(four.was) :]
        return [*four.ours, *other[common(mine, other) :]]


def common(one: Sequence[Any], other: Sequence[Any]) -> int:
    """Return how many items two arrays share at their beginnings."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (first, second) in pairs if not same(first, second)), min(len(one), len(other)))


def ordered(
    old: Sequence[Hashable], ours: Sequence[Hashable], was: Sequence[Hashable], theirs: Sequence[Hashable]
) -> list[Hashable]:
    """Return the names of both sides: in the order of ours, or of theirs where only they have changed it."""

    def is_moved(before: Sequence[Hashable], after: Sequence[Hashable]) -> bool:
        both = set(before) & set(after)
        return [one for one in before if one in both] != [one for one in after if one in both]

    first, second = (theirs, ours) if is_moved(was, theirs) and not is_moved(old, ours) else (ours, theirs)
    known = set(first)
    behind: dict[Hashable | None, list[Hashable]] = {}
    before: Hashable | None = None
    for one in second:
        if one not in known:
            behind.setdefault(before, []).append(one)
        else:
            before = one
    # What both have added at one place stands there one side after the other.
    merged: list[Hashable] = []
    waiting, shared = behind.get(None, []), set(second)
    for one in first:
        if one in shared:
            merged += waiting
            waiting = behind.get(one, [])
        merged.append(one)
    return merged + waiting


def newest(one: Any, other: Any, moment: Callable[[Any], Any]) -> Any:
    """Return the later of two values; `moment` tells when a value is, None if it cannot."""
    first, second = moment(one), moment(other)
    if first is None or second is None:
        return one if second is None else other
    return other if second > first else one


def greatest(one: Any, other: Any) -> Any:
    """Return the greater of two numbers, None for what is none."""
    return max(one, other) if is_number(one) and is_number(other) else None


def _alike(four: Four) -> Four:
    """Return four values with a list of one in place of one, where another has a list."""
    if not any(isinstance(one, list) for one in four) or all(isinstance(one, list) or one is ABSENT for one in four):
        return four
    return Four(*(one if one is ABSENT or isinstance(one, list) else [] if one is None else [one] for one in four))


def _text(value: Any) -> str:
    return encodable(json.dumps(value, ensure_ascii=False))


def _below(paths: Paths, four: Four, keys: tuple[Any, ...]) -> Paths:
    held = (four.old, four.ours, four.theirs)
    below = [
        None if path is None or value is ABSENT else (*path, key)
        for path, value, key in zip(paths, held, keys, strict=True)
    ]
    return below[0], below[1], below[2]


def _are_texts(values: Iterable[Any]) -> bool:
    held = list(values)
    return all(isinstance(one, str) for one in held) and len(set(held)) == len(held)

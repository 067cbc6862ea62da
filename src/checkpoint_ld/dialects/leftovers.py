"""Leftovers: what a document says beyond its translation into a dialect with fewer words.

They are a part of a canonical object: the members that differ, and of its properties those that the translation lacks
or gives another value. Laid over the object that is read from the translation they give the original again.
"""

from __future__ import annotations

from typing import Any

from checkpoint_ld.dialects.properties import name_of

PARKED = "x_v2"
"""Member of a canonical object with what has a meaning in the GUI's state, or a shape, that leaves no place for it."""

_INNER = {"item", "acceptedAnswer", "hasPart"}
"""Members that hold one object and are compared within."""
_SILENT = {"finished", "author", "sources", "few_shot_examples"}
"""Properties whose null says no more than their absence."""


def park(target: dict[str, Any], members: dict[str, Any]) -> None:
    """Put members under `PARKED` of a canonical object, as a JSON literal where JSON-LD would read them otherwise."""
    if members:
        held = {**parked_in(target), **members}
        target[PARKED] = {"@type": "@json", "@value": held} if has_keywords(held) else held


def parked_in(target: dict[str, Any]) -> dict[str, Any]:
    """Return the members that `park` put there."""
    held = target.get(PARKED)
    if isinstance(held, dict) and held.keys() == {"@type", "@value"}:
        held = held["@value"]
    return held if isinstance(held, dict) else {}


def has_keywords(value: Any) -> bool:
    """Tell whether a member at whatever depth is named like a keyword of JSON-LD (§1.7), but for mere ids and types."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            if any(name.startswith("@") and not _names(name, content) for name, content in one.items()):
                return True
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
    return False


def _names(keyword: str, content: Any) -> bool:
    return keyword in ("@id", "@type") and isinstance(content, str) and not content.startswith("@")


def beyond(have: dict[str, Any], want: dict[str, Any]) -> dict[str, Any]:
    """Return what `want` says and `have` does not; what only `have` says does not count."""
    rest: dict[str, Any] = {}
    for member, value in want.items():
        held = have.get(member)
        if member in have and _same(held, value):
            continue
        if member == "additionalProperty" and isinstance(value, list) and isinstance(held, list | None):
            missing: Any = _missing(held or [], value)
        elif member in _INNER and isinstance(value, dict) and isinstance(held, dict):
            missing = beyond(held, value)
        else:
            rest[member] = value
            continue
        if missing:
            rest[member] = missing
    return rest


def restored(have: dict[str, Any], rest: dict[str, Any]) -> dict[str, Any]:
    """Return `have` with leftovers laid over it: the reverse of `beyond`. Ratings are added, never replaced."""
    whole = dict(have)
    for member, value in rest.items():
        held = have.get(member)
        if member == "additionalProperty" and isinstance(value, list) and isinstance(held, list):
            names = {name for entry in value if (name := name_of(entry)) is not None}
            whole[member] = [entry for entry in held if name_of(entry) not in names] + value
        elif member == "rating" and isinstance(value, list) and isinstance(held, list):
            whole[member] = held + value
        elif member in _INNER and isinstance(value, dict) and isinstance(held, dict):
            whole[member] = restored(held, value)
        else:
            whole[member] = value
    return whole


def _missing(have: list[Any], want: list[Any]) -> list[Any]:
    """Return the properties in `want` that `have` lacks or gives otherwise; with one of a name, all of that name."""
    held, wanted = _by_name(have), _by_name(want)
    named = ((name, entries) for name, entries in wanted.items() if name is not None)
    told = {name for name, entries in named if _same(entries, held.get(name, _nothing(name)))}
    return [entry for entry in want if name_of(entry) not in told]


def _same(one: Any, other: Any) -> bool:
    """Tell whether two JSON values are equal; unlike in Python, true is not 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _nothing(name: str) -> list[dict[str, Any]]:
    return [{"value": None}] if name in _SILENT else []


def _by_name(entries: list[Any]) -> dict[str | None, list[Any]]:
    """Group properties by name, each without what all properties share and with its null written out."""
    groups: dict[str | None, list[Any]] = {}
    for entry in entries:
        name = name_of(entry)
        bare = (
            entry if name is None else {k: v for k, v in {"value": None, **entry}.items() if k not in ("@type", "name")}
        )
        groups.setdefault(name, []).append(bare)
    return groups

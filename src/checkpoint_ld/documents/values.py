"""JSON values in memory: what they are, going through all of them, and showing one in a message."""

from __future__ import annotations

import base64
import binascii
import json
import re
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SURROGATE = re.compile("[\ud800-\udfff]")
_SHOWN = 60

# What `datetime.fromisoformat` takes beyond the standard, such as any separator, is kept out.
_DATE = re.compile(r"\d[\dW-]*(T\d[\d:.,]*(Z|[+-]\d[\d:]*)?)?", re.ASCII)


def is_number(value: object) -> TypeGuard[int | float]:
    """Tell whether a JSON value is a number; a boolean is none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_iso_8601(date: object) -> bool:
    """Tell whether `date` is the text of a date, with or without a time, in ISO 8601."""
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


def shown(text: str) -> str:
    """Return `text` for a message: in quotes, shortened, and with nothing in it that cannot be printed."""
    short = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
    return _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", json.dumps(short, ensure_ascii=False))

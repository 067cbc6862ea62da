"""JSON inside text: some values of checkpoints are objects and arrays written out as one string."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn


def container(text: object) -> dict[str, Any] | list[Any] | None:
    """Return the object or array that `text` spells, or None if it is no such text.

    A text that would not come back whole (a key twice, a number that JSON does not have) counts as no JSON.
    """
    if not isinstance(text, str) or text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


def encoded(value: object) -> Any:
    """Return `value` as Karenina writes it: an object or array as text, every other value as it is.

    Text that spells an object or array is brought to the same layout.
    """
    found = value if isinstance(value, dict | list) else container(value)
    return value if found is None else json.dumps(found)


def gui_encoded(value: object) -> Any:
    """Return `value` as the Karenina GUI writes it: without spaces and with every character as itself."""
    found = value if isinstance(value, dict | list) else container(value)
    return value if found is None else json.dumps(found, ensure_ascii=False, separators=(",", ":"))


def as_text(value: object) -> Any:
    """Return a text or null as it is, every other value as JSON text."""
    return value if isinstance(value, str | None) else json.dumps(value)


def decoded(value: object) -> Any:
    """Return the object or array that `value` spells, or `value` itself."""
    found = container(value)
    return value if found is None else found


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a key stands twice")
    return members


def _refused(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        _refused(text)
    return number


_DECODER = json.JSONDecoder(object_pairs_hook=_unrepeated, parse_constant=_refused, parse_float=_finite)

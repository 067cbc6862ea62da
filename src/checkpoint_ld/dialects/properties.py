"""Additional properties: named values without a term of schema.org, some of them JSON written out as text."""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final, NoReturn

ABSENT: Final = object()
"""Stands for no value at all, which is how Karenina writes null."""


def property_value(name: str, value: Any = ABSENT) -> dict[str, Any]:
    """Return the PropertyValue `name`; without a value it has no `value` member."""
    entry: dict[str, Any] = {"@type": "PropertyValue", "name": name}
    return entry if value is ABSENT else {**entry, "value": value}


def name_of(entry: object) -> str | None:
    """Return the name of a PropertyValue, None for anything that is not one."""
    name = entry.get("name") if isinstance(entry, dict) else None
    return name if isinstance(name, str) else None


def stated(members: dict[str, Any]) -> dict[str, Any]:
    """Return what an object says: members that are null, and an identifier that is no text, say nothing."""
    return {name: one for name, one in members.items() if one is not None and (name != "@id" or isinstance(one, str))}


def typed(entry: Any) -> Any:
    """Return a PropertyValue with its type, anything else as it is."""
    if not isinstance(entry, dict) or entry.get("@type") == "PropertyValue":
        return entry
    return {**entry, "@type": "PropertyValue"}


def is_plain(entry: dict[str, Any]) -> bool:
    """Tell whether a PropertyValue has nothing beyond its name and its value."""
    return entry.keys() <= _MEMBERS and entry.get("@type", "PropertyValue") == "PropertyValue"


def values(entries: object) -> dict[str, Any]:
    """Return the values of a list of properties by name.

    Of several with one name the last counts, as it does in Karenina; one without a value has the value None.
    """
    listed = entries if isinstance(entries, list) else ()
    try:
        found = {entry["name"]: entry.get("value") for entry in listed}
    except (AttributeError, KeyError, TypeError):
        found = {None: None}
    if _TEXTS.issuperset(map(type, found)):
        return found
    return {name: entry.get("value") for entry in listed if (name := name_of(entry)) is not None}


def plain_values(entries: object) -> dict[str, Any] | None:
    """Return the values of properties by name; None unless each has a name of its own and nothing beside its value."""
    found = values(entries)
    if not isinstance(entries, list) or len(found) < len(entries) or not all(map(is_plain, entries)):
        return None
    return found


def container(text: object) -> dict[str, Any] | list[Any] | None:
    """Return the object or array that `text` spells, or None if it is no such text.

    A text that would not come back whole (a key twice, a number that JSON does not have) counts as no JSON.
    """
    if not isinstance(text, str) or not _CONTAINER.match(text):
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


def text_of(value: Any) -> str:
    """Return a value as text: null as none, what is no text as its JSON."""
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def as_list(value: Any) -> list[Any]:
    """Return a member's value as a list, whether the file has an array, one value or none."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


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


_TEXTS = frozenset((str,))
_MEMBERS = frozenset(("@type", "name", "value"))
_CONTAINER = re.compile(r"\s*[{\[]")
_DECODER = json.JSONDecoder(object_pairs_hook=_unrepeated, parse_constant=_refused, parse_float=_finite)

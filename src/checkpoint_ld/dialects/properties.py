"""Additional properties: named values that schema.org has no term for."""

from __future__ import annotations

from typing import Any, Final

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
    return {**entry, "@type": "PropertyValue"} if isinstance(entry, dict) else entry


def is_plain(entry: dict[str, Any]) -> bool:
    """Tell whether a PropertyValue has nothing beyond its name and its value."""
    return entry.keys() <= {"@type", "name", "value"} and entry.get("@type", "PropertyValue") == "PropertyValue"


def values(entries: object) -> dict[str, Any]:
    """Return the values of a list of properties by name.

    Of several with one name the last counts, as it does in Karenina; one without a value has the value None.
    """
    listed = entries if isinstance(entries, list) else ()
    return {
        entry["name"]: entry.get("value")
        for entry in listed
        if isinstance(entry, dict) and isinstance(entry.get("name"), str)
    }

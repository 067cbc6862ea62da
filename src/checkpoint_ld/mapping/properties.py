"""Additional properties of a node: named values, some of them JSON that is written as text."""

from __future__ import annotations

import json
from typing import Any

from checkpoint_ld.dialects.properties import ABSENT, name_of, property_value, values
from checkpoint_ld.documents.values import copied

CUSTOM = "custom_"

__all__ = ["ABSENT", "CUSTOM", "as_list", "custom_of", "from_text", "name_of", "property_value", "text_of", "values"]


def from_text(value: Any) -> Any:
    """Return the JSON value that a text stands for; a text that is no object or array in JSON stands for itself.

    A value that is no text is copied.
    """
    if not isinstance(value, str):
        return copied(value)
    if value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def text_of(value: Any) -> str:
    """Return a value as text: null as none, what is no text as its JSON."""
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def as_list(value: Any) -> list[Any]:
    """Return a member's value as a list, whether the file has an array, one value or none."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def custom_of(properties: dict[str, Any]) -> dict[str, Any]:
    """Return the custom metadata among a question's properties; only the first prefix belongs to the encoding.

    It shares nothing with `properties`.
    """
    return {name[len(CUSTOM) :]: copied(value) for name, value in properties.items() if name.startswith(CUSTOM)}

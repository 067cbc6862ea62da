"""JSON values as messages name them, and the numbers and booleans that texts stand for."""

from __future__ import annotations

import math

from checkpoint_ld.documents.values import shown as quoted
from checkpoint_ld.vocabulary import KARENINA, SCHEMA, SCHEMA_HTTP

BOOLEAN_WORDS = frozenset({"0", "off", "f", "false", "n", "no", "1", "on", "t", "true", "y", "yes"})
"""Texts that stand for a boolean, in any case."""

_TYPE_PREFIXES = ("karenina:", KARENINA, SCHEMA, SCHEMA_HTTP, "schema:")


def shortened(text: str, limit: int = 60) -> str:
    """Return `text` on one line, cut to `limit` characters."""
    line = " ".join(text[: 2 * limit].split())
    return line if len(line) <= limit and len(text) <= 2 * limit else line[: limit - 1] + "…"


def shown(value: object) -> str:
    """Name a JSON value in a message: scalars as they are written, containers by their size."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return quoted(value)
        case int() if value.bit_length() > 128:
            return "a very large number"
        case int() | float():
            return str(value)
        case list():
            return f"an array of {len(value)}"
        case dict():
            return f"an object with {len(value)} member{'' if len(value) == 1 else 's'}"
        case _:
            return f"a {type(value).__name__}"


def given(value: object) -> str:
    """Say what stands where something is asked for: "missing", or the value."""
    return "missing" if value is None else shown(value)


def called(noun: str, name: object) -> str:
    """Name what findings are about: the noun and its name, or that it has none."""
    return f'{noun} "{shortened(name)}"' if isinstance(name, str) and name else f"a {noun} without a name"


def local_name(name: object) -> object:
    """Return a type name without the prefix or namespace of the vocabularies in use; anything else unchanged."""
    if isinstance(name, str):
        for prefix in _TYPE_PREFIXES:
            if name.startswith(prefix):
                return name[len(prefix) :]
    return name


def number(value: object) -> int | float | None:
    """Return `value` if it is a JSON number (true and false are none)."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def numeric_text(value: object) -> float | None:
    """Return the finite number that a text such as "5" stands for, or None."""
    if not isinstance(value, str):
        return None
    try:
        parsed = float(value)
    except ValueError:
        return None
    return parsed if math.isfinite(parsed) else None


def is_boolean_like(value: object) -> bool:
    """Tell whether `value` is no boolean but is understood as one: 0, 1, or a word such as "yes"."""
    if isinstance(value, str):
        return value.casefold() in BOOLEAN_WORDS
    return number(value) in {0, 1}

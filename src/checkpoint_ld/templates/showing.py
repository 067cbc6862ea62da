"""How a value of a template is shown in a message: on one line, and short."""

from __future__ import annotations

import reprlib

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 60

LONGEST_EXCERPT = 200
"""Bytes of source that are shown of an expression."""


def shown(value: object) -> str:
    """Return `value` as Python writes it, shortened."""
    return _SHORT.repr(value)


def listed(values: object) -> str:
    """Return names, separated by commas and shortened."""
    text = ", ".join(values) if isinstance(values, (list, tuple)) else str(values)
    return text if len(text) <= LONGEST_EXCERPT else text[:LONGEST_EXCERPT] + "…"

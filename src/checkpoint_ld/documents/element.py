"""One element of an array in a file, and where it stands."""

from __future__ import annotations

from typing import Any, NamedTuple


class Spot(NamedTuple):
    """A place in a file: offset in bytes, and line and column from 1, in characters."""

    offset: int
    line: int
    column: int


class Element(NamedTuple):
    """One element of an array: its value as far as numbers do not matter, its text, where it starts and ends."""

    value: Any
    text: bytes
    start: Spot
    end: int

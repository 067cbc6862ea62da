"""Spans: from where to where the keys and values of a JSON text reach."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

Path = tuple[str | int, ...]
"""The keys and indexes that lead from the root of a document to one of its values."""

_SPACE = re.compile(r"[ \t\n\r]*")
_SPACE_AND_PUNCTUATION = re.compile(r"[ \t\n\r:,]*")
# Values are only stepped over here: what a number amounts to does not matter.
_STEPPER = json.JSONDecoder(parse_int=len, parse_float=len, parse_constant=len)


class Span(NamedTuple):
    """The characters from `start` up to `end`, offsets into the text."""

    start: int
    end: int


class _Member(NamedTuple):
    key: Span
    value: Span


class Spans:
    """The spans of the keys and values of one well-formed JSON `text`, which may start with a byte order mark."""

    def __init__(self, text: str) -> None:
        self.text = text
        start = _after(_SPACE, text, int(text.startswith("\ufeff")))
        self._root = _Member(Span(start, start), Span(start, _STEPPER.raw_decode(text, start)[1]))
        self._indexes: dict[int, dict[str | int, _Member]] = {}

    def value(self, path: Path) -> Span:
        """Return the span of the value at `path`. Raises KeyError if there is none."""
        return self._member(path).value

    def key(self, path: Path) -> Span:
        """Return the span of the key, with its quotes, of the member at `path`. Raises KeyError if there is none."""
        return self._member(path).key

    def of(self, path: Path) -> str:
        """Return the text of the value at `path`. Raises KeyError if there is none."""
        start, end = self.value(path)
        return self.text[start:end]

    def _member(self, path: Path) -> _Member:
        here = self._root
        for step in path:
            start = here.value.start
            if start not in self._indexes:
                self._indexes[start] = dict(self._members(start))
            here = self._indexes[start][step]
        return here

    def _members(self, start: int) -> Iterator[tuple[str | int, _Member]]:
        if self.text[start] not in "{[":
            return
        keyed, count = self.text[start] == "{", 0
        at = _after(_SPACE, self.text, start + 1)
        while self.text[at] not in "}]":
            name, key = count, Span(at, at)
            if keyed:
                name, end = _STEPPER.raw_decode(self.text, at)
                key = Span(at, end)
                at = _after(_SPACE_AND_PUNCTUATION, self.text, end)
            _, end = _STEPPER.raw_decode(self.text, at)
            yield name, _Member(key, Span(at, end))
            count, at = count + 1, _after(_SPACE_AND_PUNCTUATION, self.text, end)


def _after(pattern: re.Pattern[str], text: str, offset: int) -> int:
    match = pattern.match(text, offset)
    return match.end() if match else offset

"""Where the values of a JSON text stand: JSON Pointer (RFC 6901) to line and column."""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect_left
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from checkpoint_ld.findings import Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SPACE = re.compile(r"[ \t\n\r]*")
_SPACE_AND_PUNCTUATION = re.compile(r"[ \t\n\r:,]*")
# Values are only stepped over here: how long a number is matters, what it amounts to does not.
_STEPPER = json.JSONDecoder(parse_int=len, parse_float=len, parse_constant=len)


def pointer(path: Iterable[str | int]) -> str:
    """Return the JSON Pointer of the value that is reached by the keys and indexes of `path`."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


class Member(NamedTuple):
    """Offsets of a member of an object or array: of its key (in an array, of its value) and of its value."""

    name: str
    key: int
    value: int


class Places:
    """The places of all values of one well-formed JSON `text`, found when they are asked for.

    An object or array that was looked into once stays indexed, so that the next of its members is found at once.
    `source` is the file name that the places carry.
    """

    def __init__(self, text: str, source: str | None = None) -> None:
        self._text = text
        self._source = source
        self._indexes: dict[int, dict[str, Member]] = {}

    def of_value(self, pointer: str) -> Place:
        """Return the place of the value at `pointer`, or of the nearest value above it if there is none."""
        return self.at(self._nearest(pointer).value, pointer)

    def of_key(self, pointer: str) -> Place:
        """Return the place of the key of the member at `pointer`; array elements and the root have only a value."""
        return self.at(self._nearest(pointer).key, pointer)

    def of_keys(self, pointer: str) -> dict[str, list[Place]]:
        """Return the places of all keys of the object at `pointer`, of a key that occurs twice both."""
        places: dict[str, list[Place]] = {}
        for member in self._members(self._nearest(pointer).value):
            places.setdefault(member.name, []).append(self.at(member.key, pointer))
        return places

    def at(self, offset: int, pointer: str = "") -> Place:
        """Return the place of the character at `offset`, with `pointer` as its pointer."""
        before = bisect_left(self._line_ends, offset)
        start = self._line_ends[before - 1] + 1 if before else 0
        return Place(self._source, pointer, before + 1, offset - start + 1)

    @cached_property
    def _line_ends(self) -> array[int]:
        return array("Q", (match.start() for match in re.finditer("\n", self._text)))

    def _nearest(self, pointer: str) -> Member:
        start = self._after(_SPACE, 0)
        here = Member("", start, start)
        for token in pointer.split("/")[1:]:
            inner = self._index(here.value).get(token.replace("~1", "/").replace("~0", "~"))
            if inner is None:
                return Member(here.name, here.value, here.value)
            here = inner
        return here

    def _index(self, offset: int) -> dict[str, Member]:
        if offset not in self._indexes:
            self._indexes[offset] = {member.name: member for member in self._members(offset)}
        return self._indexes[offset]

    def _members(self, offset: int) -> Iterator[Member]:
        if self._text[offset] not in "{[":
            return
        keyed = self._text[offset] == "{"
        count, at = 0, self._after(_SPACE, offset + 1)
        while self._text[at] not in "}]":
            name, value = str(count), at
            if keyed:
                name, end = _STEPPER.raw_decode(self._text, at)
                value = self._after(_SPACE_AND_PUNCTUATION, end)
            yield Member(name, at, value)
            _, end = _STEPPER.raw_decode(self._text, value)
            count, at = count + 1, self._after(_SPACE_AND_PUNCTUATION, end)

    def _after(self, pattern: re.Pattern[str], offset: int) -> int:
        match = pattern.match(self._text, offset)
        return match.end() if match else offset

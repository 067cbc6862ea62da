"""Where the keys and values of a JSON text stand: their spans, and JSON Pointer (RFC 6901) to line and column."""

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


def pointer(path: Iterable[str | int]) -> str:
    """Return the JSON Pointer of the value that is reached by the keys and indexes of `path`."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


class Places:
    """The places of all values of one well-formed JSON `text`, found when they are asked for.

    `source` is the file name that the places carry. Where a key stands twice, the last one counts; `is_unrepeated` says
    that none does, so that nothing behind a value has to be looked at.
    """

    def __init__(self, text: str, source: str | None = None, *, is_unrepeated: bool = False) -> None:
        self._spans = Spans(text)
        self._source = source
        self._is_unrepeated = is_unrepeated

    def of_value(self, pointer: str) -> Place:
        """Return the place of the value at `pointer`, or of the nearest value above it if there is none."""
        return self.at(self._nearest(pointer)[1], pointer)

    def of_key(self, pointer: str) -> Place:
        """Return the place of the key of the member at `pointer`; array elements and the root have only a value."""
        return self.at(self._nearest(pointer)[0], pointer)

    def of_keys(self, pointer: str) -> dict[str, list[Place]]:
        """Return the places of all keys of the object at `pointer`, of a key that occurs twice both."""
        places: dict[str, list[Place]] = {}
        for member in self._spans.members(self._nearest(pointer)[1]):
            places.setdefault(member.name, []).append(self.at(member.key.start, pointer))
        return places

    def at(self, offset: int, pointer: str = "") -> Place:
        """Return the place of the character at `offset`, with `pointer` as its pointer."""
        before = bisect_left(self._line_ends, offset)
        start = self._line_ends[before - 1] + 1 if before else 0
        return Place(self._source, pointer, before + 1, offset - start + 1)

    @cached_property
    def _line_ends(self) -> array[int]:
        return array("Q", (match.start() for match in re.finditer("\n", self._spans.text)))

    def _nearest(self, pointer: str) -> tuple[int, int]:
        """Return where key and value start of what is at `pointer`, or of the nearest value above it."""
        key = value = self._spans.start
        for token in pointer.split("/")[1:]:
            name = token.replace("~1", "/").replace("~0", "~")
            found = self._spans.begin(value, name) if self._is_unrepeated else self._spans.index(value).get(name)
            if found is None:
                return value, value
            key, value = found.key.start, found.start
        return key, value


Path = tuple[str | int, ...]
"""The keys and indexes that lead from the root of a document to one of its values."""

_SPACE = re.compile(r"[ \t\n\r]*")
_SPACE_AND_PUNCTUATION = re.compile(r"[ \t\n\r:,]*")
_USUAL_KEY = re.compile(r'"([^"\\]*)"[ \t\n\r]*:[ \t\n\r]*')
_USUAL_SCALAR = re.compile(r'(?:"[^"\\]*"|[-0-9a-zA-Z][^,\]}\s]*)[ \t\n\r]*,?[ \t\n\r]*')
"""A key and a scalar without escapes, with what stands behind them: most are passed by one match each."""
# Values are only stepped over here: how long a number is matters, what it amounts to does not.
_STEPPER = json.JSONDecoder(parse_int=len, parse_float=len, parse_constant=len)


class Span(NamedTuple):
    """The characters from `start` up to `end`, offsets into the text."""

    start: int
    end: int


class Member(NamedTuple):
    """A member of an object or array: its key, in an array its index and a key of no length, and its value."""

    name: str
    key: Span
    value: Span

    @property
    def start(self) -> int:
        """Where the value starts."""
        return self.value.start


class Begin(NamedTuple):
    """A member of an object or array: its key, in an array its index and a key of no length, and its value's start."""

    name: str
    key: Span
    start: int


class Spans:
    """The spans of the keys and values of one well-formed JSON `text`, which may start with a byte order mark.

    They are found when they are asked for. An object or array that was looked into once stays indexed, so that the next
    of its members is found at once; what stands behind a member that is looked for is not stepped over.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._indexes: dict[int, dict[str, Member]] = {}
        self._begun: dict[int, tuple[dict[str, Begin], Iterator[Begin]]] = {}
        self._stepped = -1, -1

    @property
    def start(self) -> int:
        """Where the root starts."""
        return self._after(_SPACE, int(self.text.startswith("\ufeff")))

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

    def index(self, start: int) -> dict[str, Member]:
        """Return the members of the object or array that starts at `start`, by key or index."""
        if start not in self._indexes:
            self._indexes[start] = {member.name: member for member in self.members(start)}
        return self._indexes[start]

    def begin(self, start: int, name: str) -> Begin | None:
        """Return where the first member of a name begins in the object or array at `start`, None if there is none."""
        if start not in self._begun:
            self._begun[start] = {}, self._begins(start)
        found, rest = self._begun[start]
        while name not in found:
            begin = next(rest, None)
            if begin is None:
                return None
            found[begin.name] = begin
        return found[name]

    def members(self, start: int) -> Iterator[Member]:
        """Yield the members of the object or array that starts at `start`, of a key that occurs twice both."""
        for name, key, at in self._begins(start):
            yield Member(name, key, Span(at, self._end(at)))

    def _begins(self, start: int) -> Iterator[Begin]:
        """Yield where the members begin, each before its value is stepped over."""
        if self.text[start] not in "{[":
            return
        keyed, count = self.text[start] == "{", 0
        at = self._after(_SPACE, start + 1)
        while self.text[at] not in "}]":
            name, key = str(count), Span(at, at)
            if keyed and (usual := _USUAL_KEY.match(self.text, at)):
                name = usual[1]
                key, at = Span(at, at + len(name) + 2), usual.end()
            elif keyed:
                name, end = _STEPPER.raw_decode(self.text, at)
                key = Span(at, end)
                at = self._after(_SPACE_AND_PUNCTUATION, end)
            yield Begin(name, key, at)
            scalar = _USUAL_SCALAR.match(self.text, at)
            count, at = count + 1, scalar.end() if scalar else self._after(_SPACE_AND_PUNCTUATION, self._end(at))

    def _end(self, start: int) -> int:
        """Return where the value at `start` ends."""
        if self._stepped[0] != start:
            self._stepped = start, _STEPPER.raw_decode(self.text, start)[1]
        return self._stepped[1]

    @cached_property
    def _root(self) -> Member:
        end = _STEPPER.raw_decode(self.text, self.start)[1]
        return Member("", Span(self.start, self.start), Span(self.start, end))

    def _member(self, path: Path) -> Member:
        here = self._root
        for step in path:
            here = self.index(here.value.start)[str(step)]
        return here

    def _after(self, pattern: re.Pattern[str], offset: int) -> int:
        match = pattern.match(self.text, offset)
        return match.end() if match else offset

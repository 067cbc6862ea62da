"""Elements: a JSON file with one long array in its root, gone through once, so that it never stands in memory whole."""

from __future__ import annotations

import codecs
import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO


_SPACE = re.compile(r"[ \t\n\r]*")
# How long a number is tells as little as need be; that it is one, and no text, is what counts here.
_DECODER = json.JSONDecoder(parse_int=len, parse_float=len, parse_constant=len)
_CHUNK = 1 << 22
_LARGEST = 1 << 25
"""Characters; a single value that is longer is not taken."""


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


class UnusualFileError(Exception):
    """A file that cannot be gone through in this way; the text says what about it is unusual."""


class Elements:
    """The elements of the array that is the member `name` of the root object of a JSON file in UTF-8.

    `opened` is where the array begins, after its bracket; `closed`, after all elements were seen, where its other
    bracket stands. What is found wrong on the way raises `UnusualFileError` without saying where: this is a first look
    at a file, which is read again in parts. What stands after the array is not looked at.
    """

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file = file
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._text, self._at = "", 0
        self._is_over = False
        self._here = Spot(0, 1, 1)
        self._open(name)
        self.opened = self.closed = self._here

    def __iter__(self) -> Iterator[Element]:
        if self._next() == "]":
            self.closed = self._here
            return
        while True:
            start = self._here
            value, text = self._value()
            yield Element(value, text.encode(), start, self._here.offset)
            if self._next() != ",":
                break
            self._skip()
            self._next()
        self._expect("]", skipped=False)
        self.closed = self._here

    def _open(self, name: str) -> None:
        """Go to the first element."""
        if self._next() == "\ufeff":
            self._skip()
            self._here = Spot(self._here.offset, 1, 1)
        self._expect("{")
        while True:
            self._next()
            key, _ = self._value()
            self._expect(":")
            if key == name and self._next() == "[":
                self._skip()
                return
            self._next()
            self._value()
            if self._next() != ",":
                raise UnusualFileError(f"its root has no array {name}")
            self._skip()

    def _value(self) -> tuple[Any, str]:
        """Step over the value that starts here; return it and its text."""
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except RecursionError:
                raise UnusualFileError("it is nested very deeply") from None
            except ValueError:
                end = -1
            # What reaches to the end of what was read may go on after it.
            if (end < 0 or end == len(self._text)) and not self._is_over:
                self._read()
            elif end < 0:
                raise UnusualFileError("it is no JSON, or was cut off")
            else:
                text = self._text[self._at : end]
                self._advance(text)
                return value, text

    def _next(self) -> str:
        """Step over white space; return the character after it, nothing at the end of the file."""
        while True:
            match = _SPACE.match(self._text, self._at)
            if match is not None and match.end() > self._at:
                self._advance(match[0])
            if self._at < len(self._text) or self._is_over:
                return self._text[self._at : self._at + 1]
            self._read()

    def _expect(self, character: str, *, skipped: bool = True) -> None:
        if self._next() != character:
            raise UnusualFileError("it is no JSON object, or was cut off")
        if skipped:
            self._skip()

    def _skip(self) -> None:
        self._advance(self._text[self._at])

    def _advance(self, passed: str) -> None:
        offset, line, column = self._here
        lines = passed.count("\n")
        self._here = Spot(
            offset + (len(passed) if passed.isascii() else len(passed.encode())),
            line + lines,
            len(passed) - passed.rfind("\n") if lines else column + len(passed),
        )
        self._at += len(passed)

    def _read(self) -> None:
        """Read on; more at a time where a value is longer than what was read, so that the cost stays linear."""
        rest = self._text[self._at :]
        if len(rest) > _LARGEST:
            raise UnusualFileError(f"a value in it is longer than {_LARGEST:,} characters, or it is no JSON")
        data = self._file.read(max(_CHUNK, len(rest)))
        self._is_over = not data
        try:
            self._text = rest + self._decoder.decode(data, final=self._is_over)
        except UnicodeDecodeError:
            raise UnusualFileError("it is not in UTF-8") from None
        self._at = 0

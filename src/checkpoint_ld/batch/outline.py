"""The outline of a large file: the places of its windows of questions, and the questions that depend on each other.

`outline` scans the file once: `ArrayElements` yields the questions with their places, `_Survey` divides them into
windows.
"""

from __future__ import annotations

import codecs
import json
import re
from array import array
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from checkpoint_ld.documents.document import read_json
from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph import contexts, literals

if TYPE_CHECKING:
    from collections.abc import Iterator, Set
    from typing import BinaryIO

    from checkpoint_ld.documents.values import Limits


WINDOW = 512
"""The number of questions in a window; more save no time, and fewer hardly any memory."""
QUESTIONS = "dataFeedElement"
"""The member of the root whose elements are processed in windows."""


@dataclass(frozen=True)
class Frame:
    """The text around the questions: `head` before the first question, `tail` from the closing bracket on.

    `gap` is the white space before the first question, also part of the head, and `foot` that after the last question,
    so that a window has the layout of the file. `closed` is the place of the closing bracket, `root` the root's name.
    """

    head: bytes
    gap: bytes
    foot: bytes
    tail: bytes
    closed: Spot
    root: str


@dataclass(frozen=True)
class Window:
    """Consecutive questions: the number of the first question, their count, the start and the end of their text.

    `guests` are earlier questions, by number, start and end, that share a text or an identifier with a question of the
    window. `names` are those names of earlier questions that a question of this window has as well.
    """

    first: int
    count: int
    start: Spot
    end: int
    guests: tuple[tuple[int, int, int], ...] = ()
    names: frozenset[str] = frozenset()


_SPACE = re.compile(r"[ \t\n\r]*")
# Only the type of a number is needed, so it is not converted.
_DECODER = json.JSONDecoder(parse_int=len, parse_float=len, parse_constant=len)
_CHUNK = 1 << 22
_LARGEST = 1 << 25
"""The most characters in a single value."""


class Spot(NamedTuple):
    """A place in a file: offset in bytes, and line and column from 1, in characters."""

    offset: int
    line: int
    column: int


class Element(NamedTuple):
    """An element of an array: its value (numbers are lengths), its text, and its start and end."""

    value: Any
    text: bytes
    start: Spot
    end: int


class UnusualFileError(Exception):
    """A file that cannot be processed in windows; the text is the reason."""


class ArrayElements:
    """The elements of the array that is the member `name` of the root object of a JSON file in UTF-8.

    `opened` is the place after the opening bracket of the array, `closed` that of the closing bracket, after all
    elements were read. Any fault raises `UnusualFileError` without a place, because the file is then read whole. Text
    after the array is not read.
    """

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file = file
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._text, self._at = "", 0
        self._is_over = False
        self._spot = Spot(0, 1, 1)
        self._open(name)
        self.opened = self.closed = self._spot

    def __iter__(self) -> Iterator[Element]:
        is_empty = self._next() == "]"
        while not is_empty:
            start = self._spot
            value, text = self._value()
            yield Element(value, text.encode(), start, self._spot.offset)
            if self._next() != ",":
                break
            self._expect(",")
            self._next()
        self.closed = self._spot
        self._expect("]")

    def _open(self, name: str) -> None:
        """Skip to the first element."""
        if self._next() == "\ufeff":
            self._expect("\ufeff")
            self._spot = Spot(self._spot.offset, 1, 1)
        self._expect("{")
        while True:
            self._next()
            key, _ = self._value()
            self._expect(":")
            if key == name and self._next() == "[":
                self._expect("[")
                return
            self._next()
            self._value()
            if self._next() != ",":
                raise UnusualFileError(f"its root has no array {name}")
            self._expect(",")

    def _value(self) -> tuple[Any, str]:
        """Skip the value at the current place; return it and its text."""
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except RecursionError:
                raise UnusualFileError("it is nested very deeply") from None
            except ValueError:
                end = -1
            # A value at the end of the buffer may be incomplete.
            if (end < 0 or end == len(self._text)) and not self._is_over:
                self._read()
            elif end < 0:
                raise UnusualFileError("it is no JSON, or was cut off")
            else:
                text = self._text[self._at : end]
                self._advance(text)
                return value, text

    def _next(self) -> str:
        """Skip white space; return the character after it, empty at the end of the file."""
        while True:
            match = _SPACE.match(self._text, self._at)
            if match is not None and match.end() > self._at:
                self._advance(match[0])
            if self._at < len(self._text) or self._is_over:
                return self._text[self._at : self._at + 1]
            self._read()

    def _expect(self, character: str) -> None:
        """Skip a character, which has to come next."""
        if self._next() != character:
            raise UnusualFileError("it is no JSON object, or was cut off")
        self._advance(character)

    def _advance(self, passed: str) -> None:
        offset, line, column = self._spot
        lines = passed.count("\n")
        self._spot = Spot(
            offset + (len(passed) if passed.isascii() else len(passed.encode())),
            line + lines,
            len(passed) - passed.rfind("\n") if lines else column + len(passed),
        )
        self._at += len(passed)

    def _read(self) -> None:
        """Read more; at least as much as the incomplete value, so that the cost stays linear."""
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


_NOT_IN_NAMES = ("#", "%23")
"""Texts in identifiers that conflict with the minted names of objects without identifiers."""
_ESCAPES = (b"\\u0040", b"\\u0069", b"\\u0064")
"""The escapes of the characters of `@id`."""
_SHARED = "an object inside a question, or beside the questions, has the identifier of another one"


class _Survey:
    """The questions read so far: their places, and the first question of each identifier and text."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.windows: list[Window] = []
        self._spans = array("Q"), array("Q")
        self._names: dict[str, int] = {}
        self._below: set[str] = set()
        # The hash of a text suffices; a collision only makes a needless guest.
        self._texts: dict[int, int] = {}
        self._repeated: set[str] = set()
        self._guests: set[int] = set()
        self._start = Spot(0, 1, 1)

    def add(self, element: Element) -> None:
        """Add the next question."""
        starts, ends = self._spans
        at = len(starts)
        if at % self.size == 0:
            self._start = element.start
        starts.append(element.start.offset)
        ends.append(element.end)
        if not isinstance(element.value, dict):
            raise UnusualFileError(f"entry {at} of {QUESTIONS} is no object")
        seen = []
        identifier = element.value.get("@id")
        if isinstance(identifier, str):
            name = name_of(identifier)
            seen.append(self._names.setdefault(name, at))
            if seen[0] != at:
                self._repeated.add(name)
        for name in _names_below(element):
            if name in self._below:
                raise UnusualFileError(_SHARED)
            self._below.add(name)
        if text := _text(element.value):
            seen.append(self._texts.setdefault(hash(text), at))
        self._guests.update(first for first in seen if first // self.size != at // self.size)
        if len(starts) % self.size == 0:
            self.close()

    def close(self) -> None:
        """Make a window of the questions since the last window, if there are any."""
        starts, ends = self._spans
        first = len(self.windows) * self.size
        if first < len(starts):
            guests = tuple((at, starts[at], ends[at]) for at in sorted(self._guests))
            names = frozenset(name for name in self._repeated if self._names[name] < first)
            self.windows.append(Window(first, len(starts) - first, self._start, ends[-1], guests, names))
            self._repeated, self._guests = set(), set()

    def all_names(self, root: dict[str, Any]) -> frozenset[str]:
        """Return the names of all objects. Raises UnusualFileError if windows may depend on each other otherwise."""
        name, *others = map(name_of, _identifiers(root))
        if not self._names.keys().isdisjoint((*self._below, *others)) or not self._below.isdisjoint((name, *others)):
            raise UnusualFileError(_SHARED)
        return frozenset((*self._names, *self._below, name, *others))


def _text(element: dict[str, Any]) -> str | None:
    """Return the text of a question, which identifies duplicates."""
    question = element.get("item")
    text = question.get("text") if isinstance(question, dict) else None
    if isinstance(question, list) or isinstance(text, (list, dict)):
        raise UnusualFileError("an element of it holds several questions, or one with several texts")
    return text if isinstance(text, str) else None


def _names_below(element: Element) -> Iterator[str]:
    """Yield the names of objects inside a question; a search of its text excludes most questions."""
    own = int("@id" in element.value)
    if element.text.count(b'"@id"') != own or (b"\\u00" in element.text and any(map(element.text.count, _ESCAPES))):
        found = _identifiers(element.value)
        yield from map(name_of, islice(found, int(isinstance(element.value.get("@id"), str)), None))


def _identifiers(value: Any) -> Iterator[str]:
    """Yield the identifiers of an object and of all objects below it, its own first."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += value
        elif isinstance(value, dict):
            if isinstance(value.get("@id"), str):
                yield value["@id"]
            is_property = value.get("@type") == "PropertyValue"
            waiting += (held for key, held in value.items() if not (is_property and key == "value"))


def name_of(identifier: str) -> str:
    """Return the name of the object with an identifier. Raises UnusualFileError for one with a fragment."""
    name = literals.iri_of(identifier)
    if any(character in name for character in _NOT_IN_NAMES):
        raise UnusualFileError("its identifiers have fragments")
    return name


_FRAME = 1 << 20
"""The most bytes of the text around the questions, which each window repeats."""


@dataclass(frozen=True)
class WindowSource:
    """A file that is processed in windows: the text around them, and the limits for reading."""

    path: str
    frame: Frame
    limits: Limits


@dataclass(frozen=True)
class Outline:
    """The windows of a file, and the names of all objects in it that have identifiers.

    `stamp` detects changes of the file.
    """

    source: WindowSource
    windows: tuple[Window, ...]
    names: Set[str]
    stamp: tuple[int, ...]

    def check_unchanged(self) -> None:
        """Raise ReadError if the file was changed since it was scanned."""
        if _stamp(self.source.path) != self.stamp:
            raise ReadError(f"{self.source.path}: the file was changed while it was read; try again")


def outline(path: str, limits: Limits, window: int = WINDOW) -> Outline:
    """Scan a file for its windows of `window` questions each; faults inside a window are found later.

    Raises UnusualFileError for a file that cannot be processed in windows.
    """
    try:
        stamp = _stamp(path)
        with Path(path).open("rb") as file:
            if file.seek(0, 2) > limits.size:
                raise UnusualFileError("it is larger than the limit")
            file.seek(0)
            elements = ArrayElements(file, QUESTIONS)
            survey = _Survey(window)
            for element in elements:
                survey.add(element)
            survey.close()
            if not survey.windows:
                raise UnusualFileError("it has no questions")
            frame, names = _frame(file, elements, survey)
    except (OSError, ValueError):  # ValueError: U+0000 in the path; reading it whole reports the error
        raise UnusualFileError("it cannot be opened") from None
    return Outline(WindowSource(path, frame, limits), tuple(survey.windows), names, stamp)


def _stamp(path: str) -> tuple[int, ...]:
    state = Path(path).stat()
    return state.st_ino, state.st_dev, state.st_size, state.st_mtime_ns


def _frame(file: BinaryIO, elements: ArrayElements, survey: _Survey) -> tuple[Frame, Set[str]]:
    """Return the text around the questions, and the names of all objects."""
    opened, closed = elements.opened.offset, elements.closed
    start, end = survey.windows[0].start.offset, survey.windows[-1].end
    if start + file.seek(0, 2) - end > _FRAME:
        raise UnusualFileError(f"more than {_FRAME:,} bytes of it stand around the questions")
    file.seek(0)
    head = file.read(start)
    file.seek(end)
    foot = file.read(closed.offset - end)
    tail = file.read()
    try:
        root = read_json(head + foot + tail).value
    except ReadError:
        raise UnusualFileError("it is no sound JSON") from None
    identifier, context = root.get("@id"), root.get("@context")
    if not isinstance(identifier, str):
        raise UnusualFileError("its root has no @id, and is named by all of its content")
    if not (context is None or isinstance(context, dict)) or contexts.foreign_terms(context):
        raise UnusualFileError("it has a context of its own")
    return Frame(head, head[opened:], foot, tail, closed, name_of(identifier)), survey.all_names(root)

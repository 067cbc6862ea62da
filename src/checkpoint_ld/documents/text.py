"""JSON text: JSON Pointers, the places of values (`Places`, `Spans`), its `Layout`, and its writer `dump_json`."""

from __future__ import annotations

import json
import math
import re
from array import array
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from checkpoint_ld.documents.values import DEFAULT_LIMITS, Limits, lone_surrogate, walk
from checkpoint_ld.errors import WriteError
from checkpoint_ld.findings import Place
from checkpoint_ld.phrases import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def pointer(path: Iterable[str | int]) -> str:
    """Return the JSON Pointer of a path of keys and indexes."""
    return "".join(["/" + str(step).replace("~", "~0").replace("/", "~1") for step in path])


def steps_of(pointer: str) -> list[str]:
    """Return the keys and indexes of a JSON Pointer, as texts."""
    steps = pointer.split("/")[1:]
    return [step.replace("~1", "/").replace("~0", "~") for step in steps] if "~" in pointer else steps


def line_starts(text: str) -> array[int]:
    """Return the offsets at which the lines of `text` start, and the offset of a line after its end."""
    # Adding lengths takes a quarter of the time of searching for line feeds.
    return array("Q", accumulate(map((1).__add__, map(len, text.split("\n"))), initial=0))


class Places:
    """The places of all values of one well-formed JSON `text`, found when they are needed.

    `source` is the file name of the places. The last one of repeated keys counts. With `is_unrepeated` there are none,
    and the text after a value need not be read.
    """

    def __init__(self, text: str, source: str | None = None, *, is_unrepeated: bool = False) -> None:
        self._spans = Spans(text)
        self._source = source
        self._is_unrepeated = is_unrepeated
        self._members: dict[str, tuple[int, int] | None] = {"": (self._spans.start, self._spans.start)}

    def of_value(self, pointer: str) -> Place:
        """Return the place of the value at `pointer`, or of the nearest value above it if there is none."""
        return self.at(self._nearest(pointer)[1], pointer)

    def of_key(self, pointer: str) -> Place:
        """Return the place of the key of the member at `pointer`; array elements and the root have only a value."""
        return self.at(self._nearest(pointer)[0], pointer)

    def of_keys(self, pointer: str) -> dict[str, list[Place]]:
        """Return the places of all keys of the object at `pointer`, including repeated keys."""
        places: dict[str, list[Place]] = {}
        for member in self._spans.members(self._nearest(pointer)[1]):
            places.setdefault(member.name, []).append(self.at(member.key.start, pointer))
        return places

    def at(self, offset: int, pointer: str = "") -> Place:
        """Return the place of the character at `offset`, with `pointer` as its pointer."""
        line = bisect_right(self._line_starts, offset)
        return Place(self._source, pointer, line, offset - self._line_starts[line - 1] + 1)

    @cached_property
    def _line_starts(self) -> array[int]:
        return line_starts(self._spans.text)

    def _nearest(self, pointer: str) -> tuple[int, int]:
        """Return the offsets of key and value of the member at `pointer`, or of the nearest value above it."""
        member = self._member(pointer)
        while member is None:
            pointer = pointer.rpartition("/")[0]
            above = self._member(pointer)
            member = None if above is None else (above[1], above[1])
        return member

    def _member(self, pointer: str) -> tuple[int, int] | None:
        """Return the offsets of key and value of the member at `pointer`, None if there is none."""
        if pointer not in self._members:
            above, _, step = pointer.rpartition("/")
            holder = self._member(above)
            self._members[pointer] = None if holder is None else self._below(holder[1], *steps_of("/" + step))
        return self._members[pointer]

    def _below(self, start: int, name: str) -> tuple[int, int] | None:
        if self._is_unrepeated:
            return self._spans.begin(start, name)
        member = self._spans.index(start).get(name)
        return None if member is None else (member.key.start, member.value.start)


Path = tuple[str | int, ...]
"""The keys and indexes that lead from the root of a document to one of its values."""

_SPACE = re.compile(r"[ \t\n\r]*")
_SPACE_AND_PUNCTUATION = re.compile(r"[ \t\n\r:,]*")
_USUAL_KEY = re.compile(r'"([^"\\]*)"[ \t\n\r]*:[ \t\n\r]*')
_USUAL_SCALAR = re.compile(r'(?:"[^"\\]*"|[-0-9a-zA-Z][^,\]}\s]*)[ \t\n\r]*,?[ \t\n\r]*')
"""A key and a scalar without escapes, and the punctuation after them: a single match skips most of them."""
# It only skips values, so numbers need not be converted.
_STEPPER = json.JSONDecoder(parse_int=len, parse_float=len, parse_constant=len)


class Extent(NamedTuple):
    """The characters from `start` up to `end`, offsets into the text."""

    start: int
    end: int


_Begin = tuple[str, int, int, int]
"""A member: its key or index, the start and end of its key (an empty span in an array), and the start of its value."""


class Member(NamedTuple):
    """A member of an object or array: its key or index, the span of its key (empty in an array), and of its value."""

    name: str
    key: Extent
    value: Extent

    @property
    def start(self) -> int:
        """The offset of the value."""
        return self.value.start


_NAME = re.compile(r"@?[A-Za-z_][A-Za-z_0-9]*")

_COLON = re.compile(r"[ \t\n\r]*:[ \t\n\r]*")
_UP_TO_BRACKET = re.compile(r'[^"{}\[\]]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"{}\[\]]*+)*+([{}\[\]])')


_SOME = 500


class _Containers:
    """The extents of the objects and arrays of a well-formed JSON text, which is read once, as far as it is needed."""

    def __init__(self, text: str) -> None:
        self._brackets = _UP_TO_BRACKET.finditer(text)
        self._starts, self._ends, self._holders = array("Q"), array("Q"), array("q")
        self._open = [-1]

    def end(self, start: int) -> int:
        """Return the offset after the object or array that starts at `start`."""
        while not self._starts or self._starts[-1] < start:
            self._read()
        index = bisect_left(self._starts, start)
        while not self._ends[index]:
            self._read()
        return self._ends[index]

    def holds(self, start: int, offset: int) -> bool:
        """Return whether what stands at `offset`, before the end, is a member of the container at `start` itself."""
        index = bisect_left(self._starts, offset) - 1
        while self._ends[index] <= offset:
            index = self._holders[index]
        return self._starts[index] == start

    def _read(self) -> None:
        """Read on for some brackets."""
        starts, ends, unclosed = self._starts, self._ends, self._open
        for bracket in islice(self._brackets, _SOME):
            at = bracket.end()
            if bracket[1] in "{[":
                self._holders.append(unclosed[-1])
                unclosed.append(len(starts))
                starts.append(at - 1)
                ends.append(0)
            else:
                ends[unclosed.pop()] = at


class Spans:
    """The spans of the keys and values of one well-formed JSON `text`, which may start with a byte order mark.

    They are found when they are needed. An object or array is indexed as far as it was read, so that its members are
    found at once the next time. `begin` does not read the text after the member.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._indexes: dict[int, dict[str, Member]] = {}
        self._begun: dict[int, tuple[dict[str, tuple[int, int]], Iterator[_Begin]]] = {}
        self._containers = _Containers(text)
        self._stepped = -1, -1

    def __reduce__(self) -> tuple[type[Spans], tuple[str]]:
        return type(self), (self.text,)  # what is known of the text is found again

    @cached_property
    def start(self) -> int:
        """The offset of the root."""
        return self._after(_SPACE, int(self.text.startswith("\ufeff")))

    def value(self, path: Path) -> Extent:
        """Return the span of the value at `path`. Raises KeyError if there is none."""
        return self._member(path).value

    def key(self, path: Path) -> Extent:
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

    def begin(self, start: int, name: str) -> tuple[int, int] | None:
        """Return the offsets of key and value of a member in the object or array at `start`, None if there is none."""
        if self.text[start] == "{" and start != self.start and _NAME.fullmatch(name):
            member = self._named(start, name)
            if member is not None:
                return member
        if start not in self._begun:
            self._begun[start] = {}, self._begins(start)
        found, rest = self._begun[start]
        if name not in found:
            for other, key, _, at in rest:
                found[other] = key, at
                if other == name:
                    break
        return found.get(name)

    def _named(self, start: int, name: str) -> tuple[int, int] | None:
        """Return the offsets of the key `name`, written without escapes, and its value in the object at `start`.

        Nothing else looks like a key: a quote in a text is escaped, and a name has no punctuation that would stand
        between two texts.
        """
        text, end, quoted = self.text, self._containers.end(start), f'"{name}"'
        at = text.find(quoted, start, end)
        while at >= 0:
            colon = _COLON.match(text, at + len(quoted)) if text[at - 1] != "\\" else None
            if colon and self._containers.holds(start, at):
                return at, colon.end()
            at = text.find(quoted, at + 1, end)
        return None

    def members(self, start: int) -> Iterator[Member]:
        """Yield the members of the object or array that starts at `start`, including repeated keys."""
        for name, key, key_end, at in self._begins(start):
            yield Member(name, Extent(key, key_end), Extent(at, self._end(at)))

    def _begins(self, start: int) -> Iterator[_Begin]:
        """Yield the starts of the members; the text of a value is only read after its member was yielded."""
        text = self.text
        if text[start] not in "{[":
            return
        keyed, count = text[start] == "{", 0
        at = self._after(_SPACE, start + 1)
        while text[at] not in "}]":
            name, key, key_end = str(count), at, at
            if keyed and (usual := _USUAL_KEY.match(text, at)):
                name, key_end, at = usual[1], usual.end(1) + 1, usual.end()
            elif keyed:
                name, key_end = _STEPPER.raw_decode(text, at)
                at = self._after(_SPACE_AND_PUNCTUATION, key_end)
            yield name, key, key_end, at
            scalar = None if text[at] in "{[" else _USUAL_SCALAR.match(text, at)
            count, at = count + 1, scalar.end() if scalar else self._after(_SPACE_AND_PUNCTUATION, self._end(at))

    def _end(self, start: int) -> int:
        """Return the offset of the end of the value at `start`."""
        if self.text[start] in "{[":
            return self._containers.end(start)
        if self._stepped[0] != start:
            self._stepped = start, _STEPPER.raw_decode(self.text, start)[1]
        return self._stepped[1]

    @cached_property
    def _root(self) -> Member:
        return Member("", Extent(self.start, self.start), Extent(self.start, self._end(self.start)))

    def _member(self, path: Path) -> Member:
        member = self._root
        for step in path:
            member = self.index(member.value.start)[str(step)]
        return member

    def _after(self, pattern: re.Pattern[str], offset: int) -> int:
        match = pattern.match(self.text, offset)
        return match.end() if match else offset


_BOM = "\ufeff"
_MARGIN = " \t\r\n"
_OPENING = re.compile(r"[\[{](\r?\n)?([ \t]*)(?=[^\s\]}])")
_STRING_OR_SEPARATOR = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[ \t]*[:,][ \t]*+(\r?\n)?')
# The characters that only `ensure_ascii` escapes: U+007F and above.
_NON_ASCII_ESCAPE = re.compile(r"\\u(?:007[fF]|00[89a-fA-F]|0[1-9a-fA-F]|[1-9a-fA-F])")


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of a JSON text; `indent` and `separators` are those of `json.dumps`.

    `indent` is the number of spaces of a level, the text of a level, or None for everything on one line.
    `separators` are the texts between members and after a key, None for the defaults. With `ascii`, other characters
    are written as escapes. `newline` ends a line, `end` is the white space after the value. With `bom`, the file starts
    with a byte order mark.
    """

    indent: int | str | None = 2
    separators: tuple[str, str] | None = None
    ascii: bool = False
    newline: str = "\n"
    end: str = ""
    bom: bool = False

    @classmethod
    def of(cls, text: str) -> Layout:
        """Return the layout of the JSON `text`, with the canonical layout as default.

        It is exact for the output of `json.dumps`. Other texts get the layout of their first line, first comma and
        first colon.
        """
        marked = text.removeprefix(_BOM)
        body = marked.rstrip(_MARGIN)
        opening = _OPENING.match(body.lstrip(_MARGIN))
        newline, indent = ("\n", 2) if opening is None else _lines(opening)
        return cls(
            indent=indent,
            separators=_separators(body, indented=indent is not None),
            ascii=_escapes_non_ascii(body),
            newline=newline,
            end=marked[len(body) :],
            bom=marked != text,
        )


CANONICAL = Layout()
"""The layout that Karenina writes: two spaces, characters as they are, no newline at the end."""


def _lines(opening: re.Match[str]) -> tuple[str, int | str | None]:
    newline, margin = opening.groups()
    if newline is None:
        return "\n", None
    return newline, margin if "\t" in margin else len(margin)


def _separators(body: str, *, indented: bool) -> tuple[str, str] | None:
    comma = colon = None
    for token in _STRING_OR_SEPARATOR.finditer(body):
        sign = token[0].strip()
        # In an indented text, a comma inside a line belongs to an array that was put on one line by hand.
        if sign == "," and comma is None and (token[1] or not indented):
            comma = token[0].rstrip("\r\n")
        elif sign == ":" and colon is None:
            colon = token[0].rstrip("\r\n")
        if comma and colon:
            break
    usual = ("," if indented else ", ", ": ")
    tight = not indented and (comma == "," if colon is None else colon == ":")
    found = (comma or ("," if tight else usual[0]), colon or (":" if tight else usual[1]))
    return None if found == usual else found


def _escapes_non_ascii(body: str) -> bool:
    if not body.isascii():
        return False
    return any(not _is_escaped(body, escape.start()) for escape in _NON_ASCII_ESCAPE.finditer(body))


def _is_escaped(body: str, offset: int) -> bool:
    start = offset
    while start and body[start - 1] == "\\":
        start -= 1
    return (offset - start) % 2 == 1


# Outside this range Python writes exponents, which orjson writes differently, depending on its version.
_PLAIN = (1e-4, 1e16)
_SCALARS = frozenset((str, int, float, bool, type(None)))
# By indentation, separators (None for the defaults) and whether other characters are escapes.
_OPTIONS: dict[tuple[object, object, bool], int] = {
    (2, None, False): orjson.OPT_INDENT_2,
    (None, (",", ":"), False): 0,
}
_MARK = b"\xef\xbb\xbf"


def dump_json(value: Any, layout: Layout = CANONICAL, limits: Limits = DEFAULT_LIMITS) -> bytes:
    """Return `value` as UTF-8 JSON text, exactly as `json.dumps` writes it in `layout`.

    Tuples are written as arrays. Raises WriteError with the JSON Pointer (RFC 6901) of the first value that could not
    be read again: NaN and infinities, lone surrogates, keys that are not text, objects of other classes, nesting above
    `limits.depth`.
    """
    body = _quick(value, layout, limits)
    if body is None:
        _check(value, limits)
        body = _exact(value, layout)
    if layout.newline != "\n":
        body = body.replace(b"\n", layout.newline.encode())
    return _MARK * layout.bom + body + layout.end.encode()


def _quick(value: Any, layout: Layout, limits: Limits) -> bytes | None:
    """Return the output of orjson, None where that of the json module differs or the value must be refused.

    orjson comes first, because it refuses values that contain themselves, lone surrogates, keys that are not text and
    integers above 64 bits. `_is_written_alike` finds the other faults.
    """
    option = _OPTIONS.get((layout.indent, layout.separators, layout.ascii))
    if option is None:
        return None
    try:
        body = orjson.dumps(value, option=option)
    except orjson.JSONEncodeError:
        return None
    return body if _is_written_alike(value, limits) else None


def _is_written_alike(value: Any, limits: Limits) -> bool:
    """Return whether the json module writes `value` as orjson does, and it must not be refused.

    All values of a level are checked together; checking each value takes ten times as long as orjson.
    """
    level = [value]
    for _ in range(limits.depth + 1):
        kinds = {*map(type, level)}
        if float in kinds and not all(map(_is_plain, [entry for entry in level if type(entry) is float])):
            return False
        if kinds <= _SCALARS:
            return True
        if not all(issubclass(kind, (dict, list)) or kind is tuple for kind in kinds - _SCALARS):
            return False
        containers = [entry for entry in level if type(entry) not in _SCALARS]
        level = []
        for entry in containers:
            level += entry.values() if isinstance(entry, dict) else entry
    return False


def _is_plain(number: float) -> bool:
    return number == 0 or _PLAIN[0] <= abs(number) < _PLAIN[1]


def _check(value: Any, limits: Limits) -> None:
    """Raise WriteError if `value` must not be written."""
    for path, inner in walk(value):
        fault = _fault(inner, len(path), limits)
        if fault:
            raise WriteError(f"the value at {shown(pointer(path))} cannot be written: {fault}")


def _fault(value: Any, depth: int, limits: Limits) -> str | None:
    if isinstance(value, str):
        return _text_fault([value])
    if isinstance(value, (dict, list, tuple)):
        if depth >= limits.depth:
            return f"it is nested deeper than {limits.depth} levels, or contains itself; flatten it"
        return _text_fault(value) if isinstance(value, dict) else None
    if isinstance(value, float):
        return None if math.isfinite(value) else f"{value} is not a JSON number; give a finite number or None"
    if isinstance(value, int):
        return _integer_fault(value)
    # The message does not contain the value, which may be a secret.
    return (
        None if value is None else f"{type(value).__name__} is not a JSON type; give text, a number, a list or a dict"
    )


def _text_fault(texts: Iterable[Any]) -> str | None:
    for text in texts:
        if not isinstance(text, str):
            return f"its key {text!r} is not text; give a text as key"
        half = lone_surrogate(text)
        if half:
            return f"{shown(text)} holds {half}, half a surrogate pair, which UTF-8 cannot hold; give a whole character"
    return None


def _integer_fault(value: int) -> str | None:
    if value.bit_length() <= 64:
        return None
    try:
        int.__repr__(value)
    except ValueError:
        return "its integer has more digits than Python writes; give it as text"
    return None


def _exact(value: Any, layout: Layout) -> bytes:
    try:
        text = json.dumps(
            value,
            indent=layout.indent,
            separators=layout.separators,
            ensure_ascii=layout.ascii,
            allow_nan=False,
        )
    except RecursionError:
        raise WriteError("the value cannot be written: it is nested deeper than Python can go; flatten it") from None
    return text.encode("utf-8")

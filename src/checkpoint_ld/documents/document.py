"""Documents: `read_json` parses bytes as JSON within limits and reports all faults; a `Document` knows the places.

`text` finds the places and writes JSON, `values` compares values, `files` reads and replaces files.
"""

from __future__ import annotations

import codecs
import json
import math
import re
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from decimal import Context, Decimal
from functools import cached_property
from itertools import accumulate, chain
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any

import orjson

from checkpoint_ld.documents.text import Layout, Places, pointer
from checkpoint_ld.documents.values import DEFAULT_LIMITS, Limits, lone_surrogate, too_large, walk
from checkpoint_ld.errors import JsonSyntaxError, ReadError
from checkpoint_ld.findings import Finding, Place
from checkpoint_ld.phrases import shown
from checkpoint_ld.rules import finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.findings import Finding


@contextmanager
def limited_depth() -> Iterator[None]:
    """Refuse a document that is nested deeper than the program's limit of recursion allows: ReadError (E-DEPTH).

    A document may have 200 levels, which take at most 650 calls; the limit is Python's 1,000 by default.
    """
    try:
        yield
    except RecursionError as error:
        fault = finding("nesting", "the document is nested deeper than it can be worked on", pointer="")
        raise ReadError.of([fault]) from error


@dataclass(frozen=True)
class Document:
    """A JSON document: its bytes, its value, and the findings of reading it.

    `source` is the file name shown in messages, or None. `value` is plain data (dict, list, str, int, float, bool,
    None) that must not be changed; copy it.
    """

    source: str | None
    data: bytes = field(repr=False)
    value: Any = field(repr=False)
    findings: tuple[Finding, ...] = ()

    @cached_property
    def layout(self) -> Layout:
        """The layout of the text, for writing it in the same way."""
        return Layout.of(self.data.decode("utf-8"))

    def place(self, pointer: str) -> Place:
        """Return the start of the value at the JSON Pointer `pointer` (RFC 6901).

        If there is no such value, the line and column are those of the nearest value above it.
        """
        return self._places.of_value(pointer)

    def key_place(self, pointer: str) -> Place:
        """Return the start of the key of the member at `pointer`; without a key, the start of the value."""
        return self._places.of_key(pointer)

    @cached_property
    def _places(self) -> Places:
        text, _ = decode(self.data, self.source)
        return Places(text, self.source, is_unrepeated=True)


def read_json(data: bytes, source: str | None = None, limits: Limits = DEFAULT_LIMITS) -> Document:
    """Read `data` as a JSON document in UTF-8.

    `source` is the file name for messages. Raises ReadError, whose findings have the place and the reason, for data
    that is too large or too deep, in another encoding, not JSON, or JSON that cannot be kept without loss (E-SIZE,
    E-DEPTH, E-ENCODING, E-JSON, E-DUPKEY, E-NUMBER, E-SURROGATE). A byte order mark is the finding W-BOM.
    """
    if len(data) > limits.size:
        raise too_large(len(data), source, limits)
    usual = value_of(data, limits.depth)
    if usual is not None:
        return Document(source, data, usual)
    text, findings = decode(data, source)
    edge = too_deep(data, limits.depth)
    if edge is not None:
        end = len(data[:edge].decode("utf-8").removeprefix("\ufeff"))
        fault = _deep(text, end, source, limits)
        raise (JsonSyntaxError if fault.rule == "json" else ReadError).of([fault])
    try:
        value = parse(text, source)
    except JSONDecodeError as error:
        raise JsonSyntaxError.of([syntax_fault(error, source)]) from None
    except RecursionError:
        fault = finding("nesting", "the document is nested deeper than Python can parse")
        raise ReadError.of([replace(fault, place=Place(source, ""))]) from None
    return Document(source, data, value, (*findings, *_rounded(text, source)))


_LONG_NUMBER = re.compile(r"[0-9][0-9.]{16}|[0-9][eE]-[0-9]{3}")
_SHORTEST_ROUNDED = 16


def _rounded(text: str, source: str | None) -> Iterator[Finding]:
    """Yield a finding if numbers of a JSON text have digits that Python's numbers, doubles, do not keep."""
    if not _LONG_NUMBER.search(text):
        return
    value = json.JSONDecoder(parse_float=lambda one: _BadNumber(one) if is_rounded(one) else 0.0).decode(text)
    found = [(pointer(path), inner.text) for path, inner in walk(value) if isinstance(inner, _BadNumber)]
    if found:
        where, number = found[0]
        more = f", and {len(found) - 1} more like it" if len(found) > 1 else ""
        message = f"the number {shown(number)} is read as {float(number)!r}, a double with fewer digits{more}"
        remedy = "write numbers with 15 digits, or as text"
        yield replace(finding("loss", message, remedy=remedy), place=Places(text, source).of_value(where))


def is_rounded(text: str) -> bool:
    """Return whether a JSON number with a fraction or an exponent differs from its double in as many digits."""
    number = float(text)
    if len(text) < _SHORTEST_ROUNDED and number:
        return False
    stated = Decimal(text)
    digits = len(stated.normalize(Context(prec=len(text))).as_tuple().digits)
    return Decimal(f"{number:.{digits}g}") != stated


def _deep(text: str, end: int, source: str | None, limits: Limits) -> Finding:
    # The bracket at `end` exceeds the limit, unless the text before it is not JSON.
    before = text[:end].rstrip(" \t\r\n")
    try:
        parse(before, source)
    except JSONDecodeError as error:
        if error.pos < len(before):
            return syntax_fault(error, source)
    fault = finding("nesting", f"objects and arrays are nested deeper than {limits.depth} levels")
    return replace(fault, place=Places(text, source).at(end))


_BOM = "\ufeff"
_PACKED = "unpack it and pass the JSON file that is inside"
_NOT_JSON = "pass the JSON file of the checkpoint"

_SIGNATURES = (
    # UTF-32 before UTF-16, because its little-endian mark begins with that of UTF-16.
    (codecs.BOM_UTF32_LE, "UTF-32 (little-endian)", None),
    (codecs.BOM_UTF32_BE, "UTF-32 (big-endian)", None),
    (codecs.BOM_UTF16_LE, "UTF-16 (little-endian)", None),
    (codecs.BOM_UTF16_BE, "UTF-16 (big-endian)", None),
    (b"\x1f\x8b", "gzip-compressed data", _PACKED),
    (b"PK\x03\x04", "a ZIP archive", _PACKED),
    (b"SQLite format 3\x00", "an SQLite database", _NOT_JSON),
)

# JSON starts with an ASCII character, so zero bytes around the first character show a wide encoding.
_WIDE = (
    (re.compile(rb"\x00\x00\x00[\t\n\r -~]"), "UTF-32 (big-endian)"),
    (re.compile(rb"[\t\n\r -~]\x00\x00\x00"), "UTF-32 (little-endian)"),
    (re.compile(rb"\x00[\t\n\r -~]"), "UTF-16 (big-endian)"),
    (re.compile(rb"[\t\n\r -~]\x00"), "UTF-16 (little-endian)"),
)

_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_WINDOWS = re.compile(rb"[\x80-\x9f]")
_ENCODED_SURROGATE = re.compile(rb"\xed[\xa0-\xbf]")


def decode(data: bytes, source: str | None = None) -> tuple[str, tuple[Finding, ...]]:
    """Return the text of `data` without a byte order mark, and W-BOM if there was one.

    `source` is the file name for messages. Raises ReadError with E-ENCODING, the offset of the first byte that is
    not UTF-8, and the probable encoding. A text that ends inside a character is truncated, not wrongly encoded: it gets
    U+FFFD as its last character, which the JSON parser refuses at that place.
    """
    if other := other_form(data):
        raise _not_utf8(data, *other, source)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.reason != "unexpected end of data":
            raise _not_utf8(data, error.start, *_narrow(data, error.start), source) from None
        text = data.decode("utf-8", errors="replace")
    if not text.startswith(_BOM):
        return text, ()
    mark = finding("byte-order-mark", "the file starts with a byte order mark")
    return text[1:], (replace(mark, place=Place(source, "", 1, 1)),)


def other_form(data: bytes) -> tuple[int, str, str | None] | None:
    """Return the offset that shows that `data` begins as no text in UTF-8, the name of its form, and a remedy."""
    for signature, name, remedy in _SIGNATURES:
        if data.startswith(signature):
            return 0, name, remedy
    for pattern, name in _WIDE:
        if pattern.match(data):
            return data.index(0), name, None
    return None


def _narrow(data: bytes, start: int) -> tuple[str, str | None]:
    if _CONTROL.search(data):
        return "binary data", _NOT_JSON
    if _ENCODED_SURROGATE.match(data, start):
        return "UTF-8 with surrogates written as characters (CESU-8)", None
    if not data[:start].isascii():
        return "UTF-8 that was damaged here", "restore the file, or replace the byte by the character that was meant"
    if not _WINDOWS.search(data):
        return "Latin-1 (ISO 8859-1)", None
    try:
        data.decode("cp1252")
    except UnicodeDecodeError:
        return "text in an unknown encoding", None
    return "Windows-1252", None


def _not_utf8(data: bytes, start: int, guess: str, remedy: str | None, source: str | None) -> ReadError:
    line = data.count(b"\n", 0, start) + 1
    before = data[data.rfind(b"\n", 0, start) + 1 : start].decode("utf-8-sig")
    message = f"not UTF-8 from byte {start} (0x{data[start]:02X}) on; the file looks like {guess}"
    found = finding("encoding", message, remedy=remedy)
    return ReadError.of([replace(found, place=Place(source, "", line, len(before) + 1))])


_ALL_BUT_BRACKETS_AND_QUOTES = bytes(set(range(256)) - set(b'[]{}"'))
# It keeps the characters that can follow a backslash (RFC 8259 §7), so that the rest shows which were escaped.
_ALL_BUT_ESCAPES = bytes(set(_ALL_BUT_BRACKETS_AND_QUOTES) - set(b"\\/bfnrtu"))
_QUOTED = re.compile(rb'"[^"]*"')
# A string without an end extends to the end of the text: a new attempt at every quote in it would be quadratic.
_STRING_OR_BRACKET = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[][{}]', re.DOTALL)
_STEP = [0] * 256
_STEP[ord("[")] = _STEP[ord("{")] = 1
_STEP[ord("]")] = _STEP[ord("}")] = -1


def too_deep(data: bytes, limit: int) -> int | None:
    """Return the offset of the first bracket of the UTF-8 JSON text `data` that opens level `limit` + 1, or None.

    The result is exact as far as the text is JSON; text after a syntax error does not count.
    """
    if _depth(data) <= limit:
        return None
    depth = 0
    for token in _STRING_OR_BRACKET.finditer(data):
        depth += _STEP[data[token.start()]]
        if depth > limit:
            return token.start()
    return None


def _depth(data: bytes) -> int:
    # A few passes at C speed. Removing two adjacent quotes changes for no other character whether it is inside a
    # string, and leaves little for the regular expression. Searching for escapes after the first pass takes a quarter
    # of the time of searching the whole text.
    escapes = data.translate(None, _ALL_BUT_ESCAPES)
    unescaped = escapes.replace(rb"\\", b"").replace(rb"\"", b"")
    brackets = _QUOTED.sub(b"", unescaped.translate(None, _ALL_BUT_BRACKETS_AND_QUOTES).replace(b'""', b""))
    return max(accumulate(map(_STEP.__getitem__, brackets)), default=0)


_TRAILING = b" \t\r\n"
_CONTAINERS = frozenset((dict, list))
_INDENT = 2


def value_of(data: bytes, depth: int) -> dict[str, Any] | None:
    """Return the object of a JSON text in a usual layout, None for any other text and for one above `depth`.

    A usual layout has no white space, or one member per line and an indentation of two spaces, as Karenina and its GUI
    write it. orjson writes the same text again, which proves that it has read all of it.
    """
    is_indented = data.startswith(b"{\n")
    # Members of the level `depth` have this indentation; a string contains no line break.
    if b"\n" + b" " * (_INDENT * depth) in data if is_indented else not data.startswith(b'{"'):
        return None
    try:
        value = orjson.loads(data)
        again = orjson.dumps(value, option=orjson.OPT_INDENT_2 if is_indented else None)
    except (json.JSONDecodeError, TypeError, RecursionError):  # TypeError: an integer of more than 64 bits
        return None
    if not data.startswith(again) or data[len(again) :].strip(_TRAILING):
        return None
    return value if is_indented or _has_levels(value, depth) else None


def _has_levels(value: dict[str, Any], most: int) -> bool:
    """Return whether arrays and objects are nested in at most so many levels; `_depth` takes twice as long."""
    level: list[Any] = [value]
    for _ in range(most):
        inner = chain.from_iterable([one.values() if type(one) is dict else one for one in level])
        level = [one for one in inner if type(one) in _CONTAINERS]
        if not level:
            return True
    return False


_JSON_SPACE = " \t\n\r"
_SHOWN_TEXT = 20
_CONFLICT = re.compile(r"(?:<{7}|\|{7}|={7}|>{7})(?: .*)?$", re.MULTILINE)
"""The lines that git puts around the two sides of a merge (git-merge, "How conflicts are presented")."""

# By the beginning of the json module's message.
_EXPECTED = {
    "Expecting value": "a value is expected",
    "Expecting property name": "a key in double quotes is expected",
    "Expecting ':'": "a colon is expected after the key",
    "Expecting ','": "a comma or the closing bracket is expected",
    "Extra data": "the document is complete, but more text follows",
    "Invalid control character": "a control character inside a string must be written as an escape",
    "Invalid \\escape": "JSON has no such escape",
    "Invalid \\uXXXX escape": "\\u must be followed by four hexadecimal digits",
}


def syntax_fault(error: JSONDecodeError, source: str | None = None) -> Finding:
    """Return the E-JSON finding for `error`, with the line and column where the text stops being JSON."""
    text, offset = error.doc, error.pos
    if not text.strip(_JSON_SPACE):
        message, remedy = "the document is empty", "pass the file that holds the checkpoint"
        offset = 0
    elif error.msg.startswith("Unterminated string"):
        message = f"the text ends inside the string that starts here: {shown(text[offset : offset + _SHOWN_TEXT])}"
        remedy = "add the missing quote, or restore the file if it was cut off"
    elif offset >= len(text.rstrip(_JSON_SPACE)):
        message, remedy = "the text ends before the document is complete", "restore the file: it was cut off"
    elif conflict := _CONFLICT.match(text, text.rfind("\n", 0, offset) + 1):
        message = f"a conflict marker of git stands here: {shown(conflict[0][:_SHOWN_TEXT])}"
        remedy, offset = "resolve the merge: keep one side, or both, and take the markers out", conflict.start()
    else:
        return _misplaced(text, offset, error.msg, source)
    return replace(finding("json", message, remedy=remedy), place=Places(text, source).at(offset))


def _misplaced(text: str, offset: int, reason: str, source: str | None) -> Finding:
    before = text[:offset].rstrip(_JSON_SPACE)
    if reason.startswith("Illegal trailing comma") or (text[offset] in "}]" and before.endswith(",")):
        # Newer versions of Python report the comma, older versions the bracket after it.
        offset = offset if text[offset] == "," else len(before) - 1
        found = finding("json", "a comma stands before the closing bracket", remedy="delete the comma")
    else:
        if text[offset - 1 : offset + 1] == r"\u":
            offset -= 1
        expected = next((words for start, words in _EXPECTED.items() if reason.startswith(start)), reason)
        found = finding("json", f"{expected}; found {shown(text[offset : offset + _SHOWN_TEXT])}")
    return replace(found, place=Places(text, source).at(offset))


_SHOWN_SPOTS = 5
_SPACE = re.compile(r"[ \t\n\r]*")
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")


def parse(text: str, source: str | None = None) -> Any:
    """Return the value of the JSON `text`: integers of any size as int, other numbers as float.

    Raises ReadError with all faults of keys (E-DUPKEY), numbers (E-NUMBER) and escapes (E-SURROGATE), JSONDecodeError
    for a text that is not JSON, and RecursionError for a very deep text. `source` is the file name for messages.
    """
    parser = _Parser()
    value = parser.decode(text)
    # Most texts have no mark and no escaped surrogate, and need a single pass.
    if parser.marked or _SURROGATE_ESCAPE.search(text):
        found = sorted(_faults(value, Places(text, source)), key=lambda fault: (fault.place.line, fault.place.column))
        if found:
            raise ReadError.of(found)
    return value


def members_before(name: str, text: str, at: int = 0) -> tuple[dict[str, Any], int]:
    """Return the members of an object before the member `name`, and the offset of the value of `name`.

    The object begins at `at` or after white space. `text` may end anywhere after the start of that value. Raises
    ValueError if the text is no such object, ends too early, or contains a fault that `parse` would refuse, and
    RecursionError for a very deep object.
    """
    parser = _Parser()
    members: dict[str, Any] = {}
    at = _token(text, at, "{")
    while True:
        key, at = parser.raw_decode(text, _after_space(text, at))
        at = _after_space(text, _token(text, at, ":"))
        if not isinstance(key, str) or key in members:
            raise ValueError(f"{shown(str(key))} is no key, or stands twice")
        if key == name:
            break
        members[key], at = parser.raw_decode(text, at)
        at = _token(text, at, ",")
    if parser.marked or _SURROGATE_ESCAPE.search(text, 0, at):
        raise ValueError("something before it is no JSON that can be kept without loss")
    return members, at


def _token(text: str, at: int, token: str) -> int:
    """Return the offset after `token`, which must come next in the text. Raises ValueError otherwise."""
    at = _after_space(text, at)
    if not text.startswith(token, at):
        raise ValueError(f"no {token} at {at}")
    return at + 1


def _after_space(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


@dataclass(frozen=True, slots=True)
class _BadNumber:
    """Stands for a number that Python cannot represent without loss."""

    text: str


class _Doubled(dict[str, Any]):
    """An object with a repeated key."""


class _Parser(json.JSONDecoder):
    """A decoder that marks faults in its result, which `_faults` finds."""

    def __init__(self) -> None:
        self.marked = False
        super().__init__(
            object_pairs_hook=self._object,
            parse_float=self._float,
            parse_int=self._int,
            parse_constant=self._bad,
        )

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) == len(pairs):
            return members
        self.marked = True
        return _Doubled(pairs)

    def _float(self, text: str) -> float | _BadNumber:
        number = float(text)
        return number if math.isfinite(number) else self._bad(text)

    def _int(self, text: str) -> int | _BadNumber:
        try:
            return int(text)
        except ValueError:  # more digits than sys.get_int_max_str_digits()
            return self._bad(text)

    def _bad(self, text: str) -> _BadNumber:
        self.marked = True
        return _BadNumber(text)


def _faults(value: Any, places: Places) -> Iterator[Finding]:
    for path, inner in walk(value):
        if isinstance(inner, _BadNumber):
            faults = _number_faults(inner, pointer(path), places)
        elif isinstance(inner, dict):
            faults = _key_faults(inner, pointer(path), places)
        elif isinstance(inner, str) and (half := lone_surrogate(inner)):
            faults = iter([_surrogate(f"the text {shown(inner)} holds {half}", places.of_value(pointer(path)))])
        else:
            continue
        # A key with a lone surrogate is reported itself; there is no valid pointer to its value.
        if not any(isinstance(step, str) and lone_surrogate(step) for step in path):
            yield from faults


def _number_faults(number: _BadNumber, where: str, places: Places) -> Iterator[Finding]:
    message, remedy = f"{shown(number.text)} is not a JSON number", None
    if number.text.lstrip("-").isdigit():
        message = f"an integer of {len(number.text.lstrip('-'))} digits is longer than Python takes"
        remedy = "write it as text"
    elif number.text[-1].isdigit():
        message = f"the number {shown(number.text)} is too large: it would become infinite"
    yield replace(finding("number-not-finite", message, remedy=remedy), place=places.of_value(where))


def _key_faults(members: dict[str, Any], where: str, places: Places) -> Iterator[Finding]:
    if not isinstance(members, _Doubled) and not any(map(lone_surrogate, members)):
        return
    for name, spots in places.of_keys(where).items():
        half = lone_surrogate(name)
        if half:
            yield _surrogate(f"the key {shown(name)} holds {half}", spots[0])
        if len(spots) > 1:
            lines = " and ".join(f"line {spot.line} column {spot.column}" for spot in spots[:_SHOWN_SPOTS])
            message = f"the key {shown(name)} occurs {len(spots)} times in one object: {lines}"
            second = spots[1] if half else replace(spots[1], pointer=where + pointer([name]))
            yield replace(finding("duplicate-key", message), place=second)


def _surrogate(message: str, place: Place) -> Finding:
    return replace(finding("surrogate", f"{message}, half a surrogate pair"), place=place)

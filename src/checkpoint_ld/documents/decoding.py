"""Bytes to text: a JSON document is UTF-8 (RFC 8259 §8.1), and what is not is told apart as well as can be."""

from __future__ import annotations

import codecs
import re
from dataclasses import replace

from checkpoint_ld.errors import ReadError
from checkpoint_ld.findings import Finding, Place
from checkpoint_ld.rules import finding

_BOM = "\ufeff"
_PACKED = "unpack it and pass the JSON file that is inside"
_NOT_JSON = "pass the JSON file of the checkpoint"

_SIGNATURES = (
    # UTF-32 before UTF-16: the little-endian mark of the one begins with that of the other.
    (codecs.BOM_UTF32_LE, "UTF-32 (little-endian)", None),
    (codecs.BOM_UTF32_BE, "UTF-32 (big-endian)", None),
    (codecs.BOM_UTF16_LE, "UTF-16 (little-endian)", None),
    (codecs.BOM_UTF16_BE, "UTF-16 (big-endian)", None),
    (b"\x1f\x8b", "gzip-compressed data", _PACKED),
    (b"PK\x03\x04", "a ZIP archive", _PACKED),
    (b"SQLite format 3\x00", "an SQLite database", _NOT_JSON),
)

# JSON starts with an ASCII character, so the zero bytes around the first one give a wide encoding away.
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
    not UTF-8 and a guess at what the file is instead. A text that ends inside a character is cut off rather than
    wrongly encoded: it gets U+FFFD as its last character, which the JSON parser then refuses at that place.
    """
    _refuse_other_formats(data, source)
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


def _refuse_other_formats(data: bytes, source: str | None) -> None:
    for signature, name, remedy in _SIGNATURES:
        if data.startswith(signature):
            raise _not_utf8(data, 0, name, remedy, source)
    for pattern, name in _WIDE:
        if pattern.match(data):
            raise _not_utf8(data, data.index(0), name, None, source)


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
        return "text in an encoding that cannot be told", None
    return "Windows-1252", None


def _not_utf8(data: bytes, start: int, guess: str, remedy: str | None, source: str | None) -> ReadError:
    line = data.count(b"\n", 0, start) + 1
    before = data[data.rfind(b"\n", 0, start) + 1 : start].decode("utf-8-sig")
    message = f"not UTF-8 from byte {start} (0x{data[start]:02X}) on; the file looks like {guess}"
    found = finding("encoding", message, remedy=remedy)
    return ReadError.of([replace(found, place=Place(source, "", line, len(before) + 1))])

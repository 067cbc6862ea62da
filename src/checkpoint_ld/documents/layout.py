"""How a JSON text is laid out: indentation, separators, escapes, line ends."""

from __future__ import annotations

import re
from dataclasses import dataclass

_BOM = "\ufeff"
_MARGIN = " \t\r\n"
_OPENING = re.compile(r"[\[{](\r?\n)?([ \t]*)(?=[^\s\]}])")
_STRING_OR_SEPARATOR = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[ \t]*[:,][ \t]*+(\r?\n)?')
# What `ensure_ascii` escapes beyond what is always escaped: U+007F and everything above.
_NON_ASCII_ESCAPE = re.compile(r"\\u(?:007[fF]|00[89a-fA-F]|0[1-9a-fA-F]|[1-9a-fA-F])")


@dataclass(frozen=True, slots=True)
class Layout:
    """How a JSON text is laid out; `indent` and `separators` mean what they mean to `json.dumps`.

    `indent` is the number of spaces of a level, the text of a level, or None for everything on one line;
    `separators` stand between members and after a key, None for the usual ones. `ascii` tells whether other
    characters are written as escapes, `newline` how lines end, `end` is the white space after the value, and `bom`
    tells whether the file starts with a byte order mark.
    """

    indent: int | str | None = 2
    separators: tuple[str, str] | None = None
    ascii: bool = False
    newline: str = "\n"
    end: str = ""
    bom: bool = False

    @classmethod
    def of(cls, text: str) -> Layout:
        """Return the layout of the JSON `text`; what a text does not show is taken from the canonical layout.

        Exact for what `json.dumps` writes. A text laid out by hand has no one layout: it gets that of its first
        line, first comma and first colon.
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
        # In an indented text a comma inside a line says nothing: that array was put on one line by hand.
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

"""Characters that would harm a reader, and how much room the others take."""

from __future__ import annotations

import re
import unicodedata

_HARMFUL = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
_JOINERS = frozenset("\u200c\u200d")
_SURROGATE = re.compile("[\ud800-\udfff]")
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def harmless(text: str) -> str:
    """Return `text` for one line of a terminal or a page, as many characters long.

    A control character becomes its picture, and what would reorder or break the line the replacement character.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_harmless, text))


def _harmless(char: str) -> str:
    if char.isprintable() or char in _JOINERS:
        return char
    category = unicodedata.category(char)
    if char == "\t" or category == "Zs":
        return " "
    if char < " ":
        return chr(0x2400 + ord(char))
    if char == "\x7f":
        return "\N{SYMBOL FOR DELETE}"
    return _REPLACEMENT if category in _HARMFUL else char


def encodable(text: str) -> str:
    r"""Return `text` with each half of a surrogate pair as `\udXXX`, which in JSON is that very half again."""
    return _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def cells(text: str) -> int:
    """Return how many cells of a terminal `text` takes (UAX #11: wide characters take two, combining marks none)."""
    return len(text) if text.isascii() else sum(map(_cells, text))


def _cells(char: str) -> int:
    if char in _JOINERS or unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def head(text: str, room: int, *, more: bool = False) -> str:
    """Return as much of the start of `text` as `room` cells hold, with an ellipsis where something is left out.

    `more` says that something follows `text` that is left out in any case.
    """
    if not more and cells(text) <= room:
        return text
    used = kept = 0
    for char in text:
        used += _cells(char)
        if used > room - 1:
            break
        kept += 1
    return text[:kept] + "…"


def tail(text: str, room: int, *, more: bool = False) -> str:
    """Return as much of the end of `text` as `room` cells hold; `more` says that something stands before it."""
    return head(text[::-1], room, more=more)[::-1]

"""Phrases for messages: values, unknown names, replacements for harmful characters, and widths on a terminal."""

from __future__ import annotations

import json
import math
import re
import reprlib
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


BOOLEAN_WORDS = {
    **dict.fromkeys(("true", "t", "yes", "y", "on", "1"), True),
    **dict.fromkeys(("false", "f", "no", "n", "off", "0"), False),
}
"""Texts that are read as a boolean, in any case."""

_SHOWN = 60
"""The most characters of a text in a message."""
_LONGEST = 80
_MOST_NAMES = 50
"""The longest name that is compared, because difflib is quadratic, and longer names are hardly similar."""
_HARMFUL = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
_JOINERS = frozenset("\u200c\u200d")
_NOT_IN_XML = frozenset("\ufffe\uffff")
_SURROGATE = re.compile("[\ud800-\udfff]")


def shown(value: object) -> str:
    """Return a phrase for a JSON value: a scalar as it is written, a container by its size."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            short = value if len(value) <= _SHOWN else value[: _SHOWN - 1] + "…"
            return encodable(json.dumps(short, ensure_ascii=False))
        case int() if value.bit_length() > 128:
            return "a very large number"
        case int() | float():
            return str(value)
        case list():
            return f"an array of {len(value)}"
        case dict():
            return f"an object with {counted(len(value), 'member')}"
        case _:
            return f"a {type(value).__name__}"


def given(value: object) -> str:
    """Return a phrase for an invalid value of a required member: "missing", or the value."""
    return "missing" if value is None else shown(value)


def brief(value: object) -> str:
    """Return a value as messages show it: short and on one line."""
    if isinstance(value, str):
        return shown(value)
    try:
        return shown(reprlib.repr(value))[1:-1]
    except ValueError:
        return "a huge number"


def called(noun: str, name: object) -> str:
    """Return a phrase for the subject of a finding: the noun with its name, or without a name."""
    if not isinstance(name, str) or not name:
        return f"a {noun} without a name"
    line = " ".join(name[: 2 * _SHOWN].split())
    is_whole = len(line) <= _SHOWN and len(name) <= 2 * _SHOWN
    shortened = line if is_whole else line[: _SHOWN - 1] + "…"
    return f'{noun} "{shortened}"'


def number(value: object) -> int | float | None:
    """Return `value` if it is a JSON number (true and false are none)."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def numeric_text(value: object) -> float | None:
    """Return the finite number in a text such as "5", or None."""
    if not isinstance(value, str):
        return None
    try:
        parsed = float(value)
    except ValueError:
        return None
    return parsed if math.isfinite(parsed) else None


def quantity(value: object) -> float | None:
    """Return the number that a JSON value is, or that its text spells, or None."""
    return numeric_text(value) if number(value) is None else number(value)


def is_boolean_like(value: object) -> bool:
    """Return whether `value` is no boolean but is read as one: 0, 1, or a word such as "yes"."""
    if isinstance(value, str):
        return value.casefold() in BOOLEAN_WORDS
    return number(value) in {0, 1}


def unknown(what: str, name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return the message that there is no `what` called `name`, with similar names of `known`, regardless of case.

    If none is similar, `otherwise` is the remedy; without it all known names are listed.
    """
    import difflib  # noqa: PLC0415 - only errors need it

    choices = {choice.casefold(): choice for choice in known}
    near = difflib.get_close_matches(name.casefold(), choices, n=3) if len(name) <= _LONGEST else []
    if near:
        advice = f"did you mean {' or '.join(choices[folded] for folded in near)}?"
    else:
        advice = otherwise or (f"use one of {some_of([*choices.values()])}" if choices else "there are none")
    return f"there is no {what} {shown(name)}; {advice}"


def some_of(names: Sequence[str]) -> str:
    """Return names with commas; of very many the first ones, and the number of the others."""
    others = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {others:,} more" if others > 0 else "")


def harmless(text: str) -> str:
    """Return `text` for one line of a terminal or a page, with the same number of characters.

    A control character becomes its picture. A character that reorders or breaks the line, or that
    XML does not have, becomes U+FFFD.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_harmless, text))


def harmless_lines(text: str) -> str:
    """Return a text of several lines, each as `harmless` has it."""
    return "\n".join(map(harmless, text.split("\n")))


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
    return "\N{REPLACEMENT CHARACTER}" if category in _HARMFUL or char in _NOT_IN_XML else char


def encodable(text: str) -> str:
    r"""Return `text` with each lone surrogate as the JSON escape `\udXXX`."""
    return _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def error_message(error: BaseException) -> str:
    """Return the type and the message of an exception, with lone surrogates escaped."""
    message = str(error)
    return encodable(f"{type(error).__name__}: {message}" if message else type(error).__name__)


def cells(text: str) -> int:
    """Return the width of `text` in cells of a terminal (UAX #11: wide characters take two, combining marks none)."""
    return len(text) if text.isascii() else sum(map(_cells, text))


def _cells(char: str) -> int:
    if char in _JOINERS or unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def head(text: str, room: int, *, more: bool = False) -> str:
    """Return the start of `text` that fits into `room` cells, with an ellipsis if a part is left out.

    With `more`, a part after `text` was left out before.
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
    """Return the end of `text` that fits into `room` cells; with `more`, a part before it was left out before."""
    return head(text[::-1], room, more=more)[::-1]


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, such as `2 files`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def labels(texts: Sequence[str], width: int) -> list[str]:
    """Return texts that are cut to a number of characters; those that begin alike are cut in the middle."""
    beginnings = [text[: width - 1] for text in texts]
    half = width // 2
    return [
        text
        if len(text) <= width
        else f"{text[: width - half - 1]}…{text[-half:]}"
        if beginnings.count(beginning) > 1
        else f"{beginning}…"
        for text, beginning in zip(texts, beginnings, strict=True)
    ]

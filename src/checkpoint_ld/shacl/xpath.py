r"""Regular expressions of XPath (XPath and XQuery Functions §5.6.1, XML Schema 2 §G), translated to those of Python.

`sh:pattern` has their meaning (SHACL 1.0 §4.4.3, SPARQL 1.1 §17.4.3.14). In Python, `$` matches before a last line
break too, `\s` and `\w` match other characters, and there is neither `\p{L}` nor `[a-z-[aeiou]]`.

Conditions such as `(?!…)`, options such as `(?i)` and `\b`, which XPath lacks, are what they are in Python: published
shapes use them, because engines in Java and Python know them.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import lru_cache

FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "x": re.NOFLAG, "q": re.NOFLAG}
"""The flags of Python for those of XPath; the last two are translated."""

_CATEGORIES = re.compile(r"L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|Z[slp]?|S[mcko]?|C[cfon]?")
_SPACE = r" \t\n\r"
_FIRST = (
    r":A-Z_a-z\xc0-\xd6\xd8-\xf6\xf8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f\u2c00-\u2fef"
    r"\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_NAME = _FIRST + r"\-.0-9\xb7\u0300-\u036f\u203f-\u2040"
_SAME = frozenset("nrt!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
"""Escapes of XPath, and of all punctuation: published shapes have them, as `\\/`."""


class PatternError(ValueError):
    """What XPath does not have, or what Python cannot do exactly; the text names it."""


def translated(pattern: str, flags: str = "") -> str:
    """Return the pattern of Python for one of XPath. Raises PatternError."""
    if "q" in flags:
        return re.escape(pattern)
    return _Translation(pattern, flags).whole()


class _Translation:
    def __init__(self, text: str, flags: str) -> None:
        self._text = text
        self._flags = flags
        self._at = 0

    def whole(self) -> str:
        found: list[str] = []
        while self._at < len(self._text):
            one = self._text[self._at]
            if one == "\\":
                found.append(self._escape())
            elif one == "[":
                found.append(self._class())
            else:
                self._at += 1
                found.append(self._plain(one))
        return "".join(found)

    def _plain(self, one: str) -> str:
        if one == "$":
            return r"(?=\n|\Z)" if "m" in self._flags else r"\Z"
        if one == "." and "s" not in self._flags:
            return r"[^\n\r]"
        if one in " \t\n\r" and "x" in self._flags:
            return ""
        return one

    def _escape(self) -> str:
        """Return an escape outside of a class."""
        one = self._text[self._at + 1 : self._at + 2]
        if one.isdigit() and one != "0":
            self._at += 2
            return f"\\{one}"
        if one in ("b", "B"):
            self._at += 2
            return f"\\{one}"
        within, is_negated = self._in_class()
        if one in _SAME:
            return within
        return f"[{'^' if is_negated else ''}{within}]"

    def _in_class(self) -> tuple[str, bool]:
        """Return what an escape stands for inside of a class, and whether all other characters are meant."""
        one = self._text[self._at + 1 : self._at + 2]
        self._at += 2
        if one in _SAME and one:
            return one if one in "<>_" else f"\\{one}", False
        match one.lower():
            case "d":
                found = r"\d"
            case "s":
                found = _SPACE
            case "w":
                found = _members("L") + _members("M") + _members("N") + _members("S")
            case "i":
                found = _FIRST
            case "c":
                found = _NAME
            case "p":
                end = self._text.find("}", self._at)
                name = self._text[self._at + 1 : end]
                if self._text[self._at : self._at + 1] != "{" or not _CATEGORIES.fullmatch(name):
                    raise PatternError(f"it has \\{one}{self._text[self._at : end + 1]}, which is not translated")
                self._at = end + 1
                found = _members(name)
            case _:
                raise PatternError(f"it has \\{one}, which XPath does not have")
        return found, one.isupper()

    def _class(self) -> str:
        """Return a class, with what is subtracted from it as a condition before."""
        self._at += 1
        is_negated = self._text.startswith("^", self._at)
        self._at += is_negated
        parts: list[str] = []
        others: list[str] = []
        minus = ""
        while True:
            one = self._text[self._at : self._at + 1]
            if not one:
                raise PatternError("a class has no end")
            if one == "]" and (parts or others):
                self._at += 1
                break
            if one == "-" and self._text.startswith("-[", self._at):
                self._at += 1
                minus = f"(?!{self._class()})"
                if not self._text.startswith("]", self._at):
                    raise PatternError("something follows what is subtracted from a class")
                self._at += 1
                break
            if one == "\\":
                found, is_other = self._in_class()
                (others if is_other else parts).append(found)
            else:
                self._at += 1
                parts.append(f"\\{one}" if one in "[&~|^" else one)
        held = "".join(parts)
        if not others:
            found = f"{minus}[{'^' if is_negated else ''}{held}]"
            return f"(?:{found})" if minus else found
        choices = "|".join([*([f"[{held}]"] if held else []), *(f"[^{one}]" for one in others)])
        return f"(?:{minus}(?!{choices})[\\s\\S])" if is_negated else f"(?:{minus}(?:{choices}))"


@lru_cache(maxsize=64)
def _members(category: str) -> str:
    """Return the ranges of the characters of a general category of Unicode, for a class."""
    ranges: list[str] = []
    start: int | None = None
    for code in range(sys.maxunicode + 2):
        is_member = code <= sys.maxunicode and unicodedata.category(chr(code)).startswith(category)
        if is_member and start is None:
            start = code
        elif not is_member and start is not None:
            ranges.append(f"\\U{start:08x}" if start == code - 1 else f"\\U{start:08x}-\\U{code - 1:08x}")
            start = None
    return "".join(ranges)

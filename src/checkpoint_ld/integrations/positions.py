"""The positions of characters for an editor (LSP 3.17, Text Documents)."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING

from lsprotocol import types

from checkpoint_ld.documents.text import line_starts

if TYPE_CHECKING:
    from pygls.workspace import TextDocument

TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"?|[^\s,:\[\]{}"]+')
_ESCAPED_LINE = re.compile(r"(?P<text>(?:[^\\]|\\(?!n|r|u000[aAdD]).)*+)(?:\\r\\n|\\[nr]|\\u000[aAdD])")
"""A line of a text within a JSON string, with the escapes that end it."""
_LINE_END = re.compile(r"\r\n?|\n")
"""The line ends of an editor (LSP 3.17, Text Documents)."""
_BEYOND_16_BITS = re.compile("[\U00010000-\U0010ffff]")
_WIDE = {"utf-8": re.compile(r"[^\x00-\x7f]")}
"""The characters of more than one code unit by encoding, where they are not those beyond 16 bits."""


class Positions:
    """The positions of characters for an editor: lines, and columns in code units of its encoding."""

    def __init__(self, document: TextDocument) -> None:
        self.text = text = document.source
        self._newlines = line_starts(text)
        ends = _LINE_END.finditer(text) if "\r" in text else None
        self._starts = self._newlines if ends is None else array("Q", [0, *(match.end() for match in ends)])
        self._codec = codec = document.position_codec
        # Comparing sizes is faster than a search for characters of more than one code unit.
        is_utf16 = codec.encoding == types.PositionEncodingKind.Utf16
        is_plain = text.isascii() or (is_utf16 and len(text.encode("utf-16-le", "surrogatepass")) == 2 * len(text))
        wide = [] if is_plain else list(_WIDE.get(str(codec.encoding), _BEYOND_16_BITS).finditer(text))
        self._wide = [match.start() for match in wide]
        self._more = [0, *accumulate(codec.client_num_units(match[0]) - 1 for match in wide)]

    def at(self, offset: int) -> types.Position:
        """Return the position of an offset."""
        line = bisect_right(self._starts, offset) - 1
        return types.Position(line, self._units(offset) - self._units(self._starts[line]))

    def offset(self, position: types.Position) -> int:
        """Return the offset of a position; what is after a line is its end, and after the last line that of the text.

        pygls' own counts the lines of `str.splitlines`, which also end at U+2028, U+0085 and others, and reads each
        character of a long line.
        """
        last = len(self.text)
        start, end = (min(one, last) for one in [*self._starts[position.line : position.line + 2], last, last][:2])
        line_end = _LINE_END.search(self.text, max(start, end - 2), end)
        wanted = self._units(start) + position.character
        return start + bisect_left(range(start, end if line_end is None else line_end.start()), wanted, key=self._units)

    def _units(self, offset: int) -> int:
        more: int = self._more[bisect_left(self._wide, offset)]
        return offset + more

    def span(self, start: int, end: int) -> types.Range:
        """Return the range between two offsets."""
        return types.Range(self.at(start), self.at(end))

    def token(self, line: int, column: int) -> types.Range:
        """Return the range of the token at a line and column as findings have them."""
        end = len(self.text)
        start = min(self._newlines[line - 1] + column - 1, end) if line < len(self._newlines) else end
        token = TOKEN.match(self.text, start)
        return self.span(start, token.end() if token else min(start + 1, end))

    def line_within(self, line: int, column: int, number: int) -> types.Range:
        """Return the range of a line of the text whose JSON string is at a place, without its indentation.

        It is the range of the whole string where that has no such line.
        """
        start = self._newlines[line - 1] + column - 1 if line < len(self._newlines) else len(self.text)
        token = TOKEN.match(self.text, start)
        end = start if token is None else token.end() - 1
        at = start + 1
        for _ in range(number - 1):
            found = _ESCAPED_LINE.match(self.text, at, end)
            if found is None:
                return self.token(line, column)
            at = found.end()
        rest = _ESCAPED_LINE.match(self.text, at, end)
        stop = end if rest is None else rest.end("text")
        at += len(self.text[at:stop]) - len(self.text[at:stop].lstrip(" "))
        return self.span(at, max(stop, at + 1))

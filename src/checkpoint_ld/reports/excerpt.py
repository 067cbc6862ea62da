"""Source excerpts: the line of a text that a finding points into, cut so that the place stays in sight."""

from __future__ import annotations

import json
import re
from array import array
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from checkpoint_ld.phrases import cells, harmless, head, tail

if TYPE_CHECKING:
    from collections.abc import Mapping

    from checkpoint_ld.report import Checked
    from checkpoint_ld.rules import Rule

FORM = "no-secret"
"""The form (`Rule.form`) that values have which are no secrets."""
_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*+"?|[^\s,:\[\]{}"]+')
_LONGEST = 10_000
"""How many characters of a line are looked at for one finding: a file may well be one line of megabytes."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A part of line number `line`: what stands before the token that a finding points to, the token, what follows."""

    line: int
    before: str
    token: str
    after: str

    @property
    def text(self) -> str:
        """The whole excerpt, one line of printable characters."""
        return self.before + self.token + self.after

    @property
    def indent(self) -> int:
        """How many terminal cells stand before the token."""
        return cells(self.before)

    @property
    def extent(self) -> int:
        """How many terminal cells the token takes, at least one."""
        return max(cells(self.token), 1)


def source_of(checked: Checked, rules: Mapping[str, Rule]) -> Source | None:
    """Return the text that findings point into, None where there is none.

    A report goes further than the file, so lines with what looks like a secret are withheld. The values themselves are
    not even in findings: validation leaves them out.
    """
    if checked.text is None:
        return None
    source = Source(checked.text)
    for found in checked.findings:
        if found.code in rules and rules[found.code].form == FORM and found.place.line is not None:
            source.withhold(found.place.line, found.place.column or 1)
    return source


class Source:
    """A text that findings point into. It is split into lines once, whatever is asked of it afterwards."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._withheld: set[int] = set()

    def withhold(self, line: int, column: int) -> None:
        """Give no excerpt of the lines of the JSON value at a place, nor of what else stands in them."""
        span = self._span(line)
        if span is not None:
            end = min(span[0] + column - 1, span[1])
            with suppress(ValueError, RecursionError):
                end = json.JSONDecoder().raw_decode(self._text, end)[1]
            self._withheld.update(range(line, line + self._text.count("\n", span[0], end) + 1))

    @cached_property
    def _starts(self) -> array[int]:
        return array("Q", [0, *(found.end() for found in re.finditer("\n", self._text))])

    def excerpt(self, line: int, column: int, width: int) -> Excerpt | None:
        """Return what stands around a place, at most `width` cells of it.

        None where the text has no such line, and for a line that is withheld.
        """
        span = self._span(line)
        if span is None or line in self._withheld:
            return None
        start, end = span
        at = min(start + column - 1, end)
        blank = re.compile(r"[ \t]*").match(self._text, start, min(at, start + _LONGEST))
        first = blank.end() if blank else start
        before = harmless(self._text[max(first, at - width) : at])
        stop = self._token_end(at, min(end, at + width))
        token = harmless(self._text[at:stop])
        after = harmless(self._text[stop : min(end, at + width)])
        cut_before, cut_after = at - width > first, at + width < end
        # A place at the end of a line needs a cell of its own, although no character is there.
        if cut_before or cut_after or cells(before) + max(cells(token + after), 1) > width:
            rest = head(token + after, width - min(cells(before), width // 3), more=cut_after)
            before = tail(before, width - max(cells(rest), 1), more=cut_before)
            token, after = rest[: len(token)], rest[len(token) :]
        return Excerpt(line, before, token, after)

    def end_column(self, line: int, column: int) -> int | None:
        """Return the column after the token at a place; None where the text has no such line."""
        span = self._span(line)
        if span is None:
            return None
        at = min(span[0] + column - 1, span[1])
        stop = self._token_end(at, min(span[1], at + _LONGEST))
        return column + max(stop - at, 1)

    def _span(self, line: int) -> tuple[int, int] | None:
        """Return the offsets of the start and the end of a line, without the characters that end it."""
        if not 0 < line <= len(self._starts):
            return None
        start = self._starts[line - 1]
        end = self._starts[line] - 1 if line < len(self._starts) else len(self._text)
        return start, end - 1 if end > start and self._text[end - 1] == "\r" else end

    def _token_end(self, at: int, limit: int) -> int:
        token = _TOKEN.match(self._text, at, limit)
        return token.end() if token else min(at + 1, limit)

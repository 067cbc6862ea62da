"""Edits of a text, and what they do to it as a unified diff that `patch` and `git apply` understand."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_NO_END = "\\ No newline at end of file\n"


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """The characters from `start` up to `end` of a text, replaced by `text`; offsets count from 0."""

    start: int
    end: int
    text: str


def edited(text: str, edits: Iterable[Edit], start: int, end: int) -> str:
    """Return the part of `text` from `start` up to `end` with `edits`, all of which are within it."""
    parts, at = [], start
    # At one and the same offset, what ends there comes before what is put in.
    for edit in sorted(edits):
        parts += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join((*parts, text[at:end]))


def lines_of(text: str) -> list[str]:
    """Return the lines of a text with their ends; only a line feed ends one, for JSON holds other separators as is."""
    lines = text.split("\n")
    return [*(f"{line}\n" for line in lines[:-1]), *filter(None, lines[-1:])]


def unified_diff(text: str, edits: Iterable[Edit], name: str) -> str:
    """Return what `edits` change in `text`, which is called `name`; empty if there are none.

    The edits tell where lines differ, so that this takes no longer for large texts than for small ones.
    """
    lines, parts = lines_of(text), [f"--- {name}\n+++ {name}\n"]
    new: dict[tuple[int, int], list[str]] = {}
    opcodes: list[tuple[Any, int, int, int, int]] = []
    at = new_at = 0
    for start, end, coming in _blocks(text, lines, sorted(edits)):
        new_start = new_at + start - at
        new[start, new_start] = coming
        opcodes.append(("equal", at, start, new_at, new_start))
        at, new_at = end, new_start + len(coming)
        opcodes.append(("replace", start, end, new_start, new_at))
    if not opcodes:
        return ""
    opcodes.append(("equal", at, len(lines), new_at, new_at + len(lines) - at))
    for hunk in _Known(opcodes).get_grouped_opcodes():
        (_, start, _, new_start, _), (_, _, end, _, new_end) = hunk[0], hunk[-1]
        parts.append(f"@@ -{_range(start, end)} +{_range(new_start, new_end)} @@\n")
        for kind, start, end, new_start, _ in hunk:
            parts += _marked(" " if kind == "equal" else "-", lines[start:end])
            parts += _marked("+", new[start, new_start] if kind == "replace" else [])
    return "".join(parts)


class _Known(SequenceMatcher[str]):
    """A comparison whose result is known; difflib makes hunks of it."""

    def __init__(self, opcodes: list[tuple[Any, int, int, int, int]]) -> None:
        super().__init__()
        self._opcodes = opcodes

    def get_opcodes(self) -> list[tuple[Any, int, int, int, int]]:
        """Return what is known."""
        return self._opcodes


def _blocks(text: str, lines: list[str], edits: list[Edit]) -> Iterator[tuple[int, int, list[str]]]:
    """Yield the first line that changes, the one behind the last, and what comes in their place.

    Edits that touch the same lines are one block; lines at its ends that stay the same are left out.
    """
    starts = [0, *accumulate(map(len, lines))]

    def line(offset: int) -> int:
        return min(bisect_right(starts, offset) - 1, len(starts) - 2)

    at = 0
    while at < len(edits):
        start, end, after = line(edits[at].start), line(edits[at].end) + 1, at + 1
        while after < len(edits) and line(edits[after].start) < end:
            end, after = max(end, line(edits[after].end) + 1), after + 1
        new = lines_of(edited(text, edits[at:after], starts[start], starts[end]))
        while new and start < end and new[0] == lines[start]:
            start, new = start + 1, new[1:]
        while new and start < end and new[-1] == lines[end - 1]:
            end, new = end - 1, new[:-1]
        if new or start < end:
            yield start, end, new
        at = after


def _marked(sign: str, lines: list[str]) -> Iterator[str]:
    for line in lines:
        yield f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n{_NO_END}"


def _range(start: int, end: int) -> str:
    # Lines count from 1; a range without lines is named by the line before it.
    return f"{start + 1 if end > start else start},{end - start}"

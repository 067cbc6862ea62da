"""Differences: what edits do to a text, as a unified diff that `patch` and `git apply` understand."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from checkpoint_ld.fixes.fix import edited

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from checkpoint_ld.fixes.fix import Edit

_CONTEXT = 3
_NO_END = "\\ No newline at end of file\n"


@dataclass(frozen=True, slots=True)
class _Block:
    """The lines from `start` up to `end`, counted from 0, and what comes in their place."""

    start: int
    end: int
    new: list[str]


def unified_diff(text: str, edits: Sequence[Edit], name: str) -> str:
    """Return what `edits` change in `text`, which is called `name`; empty if there are none.

    The edits tell where to look, so that this takes no longer for large texts than for small ones with as many edits.
    """
    lines = lines_of(text)
    blocks = [block for block in _blocks(text, lines, sorted(edits)) if block.new or block.start < block.end]
    if not blocks:
        return ""
    parts, shift = [f"--- {name}\n+++ {name}\n"], 0
    for hunk in _hunks(blocks):
        parts += _shown(lines, hunk, shift)
        shift += sum(len(block.new) - (block.end - block.start) for block in hunk)
    return "".join(parts)


def lines_of(text: str) -> list[str]:
    """Return the lines of a text with their ends; only a line feed ends one, for JSON holds other separators as is."""
    lines = text.split("\n")
    return [*(f"{line}\n" for line in lines[:-1]), *filter(None, lines[-1:])]


def _blocks(text: str, lines: list[str], edits: list[Edit]) -> Iterator[_Block]:
    """Yield the lines that change, in order: those of edits which touch the same lines together."""
    starts = [0, *accumulate(map(len, lines))]
    at = 0
    while at < len(edits):
        first, last, after = _line(starts, edits[at].start), _line(starts, edits[at].end), at + 1
        while after < len(edits) and _line(starts, edits[after].start) <= last:
            last, after = max(last, _line(starts, edits[after].end)), after + 1
        new = lines_of(edited(text, edits[at:after], starts[first], starts[last + 1]))
        yield _trimmed(lines, first, last + 1, new)
        at = after


def _line(starts: list[int], offset: int) -> int:
    return min(bisect_right(starts, offset) - 1, len(starts) - 2)


def _trimmed(lines: list[str], start: int, end: int, new: list[str]) -> _Block:
    """Leave out lines at both ends that are the same before and after."""
    while new and start < end and new[0] == lines[start]:
        start, new = start + 1, new[1:]
    while new and start < end and new[-1] == lines[end - 1]:
        end, new = end - 1, new[:-1]
    return _Block(start, end, new)


def _hunks(blocks: list[_Block]) -> Iterator[list[_Block]]:
    """Yield blocks that are near enough to be shown together."""
    hunk: list[_Block] = []
    for block in blocks:
        if hunk and block.start - hunk[-1].end > 2 * _CONTEXT:
            yield hunk
            hunk = []
        hunk.append(block)
    if hunk:
        yield hunk


def _shown(lines: list[str], hunk: list[_Block], shift: int) -> Iterator[str]:
    start, end = max(hunk[0].start - _CONTEXT, 0), min(hunk[-1].end + _CONTEXT, len(lines))
    grown = sum(len(block.new) - (block.end - block.start) for block in hunk)
    yield f"@@ -{_range(start, end - start)} +{_range(start + shift, end - start + grown)} @@\n"
    at = start
    for block in hunk:
        yield from _marked(" ", lines[at : block.start])
        yield from _marked("-", lines[block.start : block.end])
        yield from _marked("+", block.new)
        at = block.end
    yield from _marked(" ", lines[at:end])


def _marked(sign: str, lines: list[str]) -> Iterator[str]:
    for line in lines:
        yield f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n{_NO_END}"


def _range(start: int, count: int) -> str:
    # Lines count from 1; a range without lines is named by the line before it.
    return f"{start + 1 if count else start},{count}"

"""Rows as a table for a terminal, as wide as it is."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from checkpoint_ld.characters import cells, harmless, head, tail

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

GAP = "  "
NARROWEST = 4
"""How many cells a column keeps, however narrow the terminal is."""


class Style(Enum):
    """How the values of a column stand."""

    TEXT = "to the left, cut at the end"
    NUMBER = "to the right"
    NAME = "to the left, cut at the start: the ends of IRIs differ"


def lines(
    columns: Sequence[str], rows: Sequence[Sequence[str]], styles: Sequence[Style], width: int | None
) -> Iterator[str]:
    """Yield the lines of a table: names, a rule, rows; values that do not fit into `width` cells are cut, with `…`.

    Without `width`, nothing is cut. Control characters are shown as pictures.
    """
    shown = [[harmless(cell) for cell in row] for row in (columns, *rows)]
    widths = [max(map(cells, column)) for column in zip(*shown, strict=True)]
    if width is not None:
        widths = fitting(widths, width - len(GAP) * (len(widths) - 1))
    for at, row in enumerate(shown):
        kinds = styles if at else [Style.NUMBER if one is Style.NUMBER else Style.TEXT for one in styles]
        parts = [_padded(cell, wide, kind) for cell, wide, kind in zip(row, widths, kinds, strict=True)]
        yield GAP.join(parts).rstrip()
        if at == 0:
            yield GAP.join("─" * wide for wide in widths)


def fitting(widths: Sequence[int], room: int) -> list[int]:
    """Return widths that add up to `room` at most, if they can: the widest give way, and all of them alike."""
    most = max(NARROWEST, room)
    left = [min(one, most) for one in widths]
    while sum(left) > room and most > NARROWEST:
        most -= 1
        left = [min(one, most) for one in widths]
    for at, one in enumerate(widths):  # what is over after the last step goes to the first that can use it
        if left[at] < one and sum(left) < room:
            left[at] += 1
    return left


def _padded(text: str, width: int, style: Style) -> str:
    cut = tail(text, width) if style is Style.NAME else head(text, width)
    space = " " * (width - cells(cut))
    return space + cut if style is Style.NUMBER else cut + space

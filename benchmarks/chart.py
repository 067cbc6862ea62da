"""The growth of cost with size as an SVG: CPU time for one question, over the number of questions, both logarithmic.

A line that stays level is a cost that grows no faster than the document.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from itertools import cycle
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from report import Row

PANELS = ("file → graph", "file → graph, verdict and entities", "file → N-Triples")
COLOURS = ("#0b6e4f", "#b3541e", "#5b4ea8", "#8a6d00", "#1f6fb2")
"""Each dark enough on white; lines carry their names, too."""
GREY = "#666666"
_WIDTH, _HEIGHT, _LEFT, _RIGHT = 440, 190, 62, 168
_ABOVE, _BELOW = 38, 46
_ROOM_FOR_A_NAME = 13


@dataclass(frozen=True, slots=True)
class Scale:
    """A logarithmic scale from a range of values to a range of pixels."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Return where a value stands."""
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self.start + share * (self.end - self.start)

    def decades(self) -> Iterator[float]:
        """Yield the powers of ten on the scale."""
        for power in range(round(math.log10(self.low)), round(math.log10(self.high)) + 1):
            yield 10.0**power


def svg(rows: Sequence[Row], floor: str) -> str:
    """Return the chart of all jobs in `PANELS`, each with the way called `floor` beside it."""
    shown = [row for row in rows if row.job in PANELS or row.name == floor]
    sizes = sorted({row.size for row in shown})
    costs = [row.cpu / row.size for row in shown]
    low, high = (10.0**rounded for rounded in (math.floor(math.log10(min(costs))), math.ceil(math.log10(max(costs)))))
    names = [name for name in dict.fromkeys(row.name for row in shown) if name != floor]
    colours = {floor: GREY, **dict(zip(names, cycle(COLOURS), strict=False))}
    parts = []
    for at, job in enumerate(PANELS):
        top = _ABOVE + at * (_ABOVE + _HEIGHT + _BELOW)
        across = Scale(sizes[0], sizes[-1], _LEFT, _LEFT + _WIDTH)
        up = Scale(low, high, top + _HEIGHT, top)
        parts += [*_frame(job, across, up, sizes), *_lines(_curves(shown, job, floor), colours, across, up)]
    width, height = _LEFT + _WIDTH + _RIGHT, len(PANELS) * (_ABOVE + _HEIGHT + _BELOW)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="system-ui, sans-serif" font-size="12" fill="#222222" role="img">\n'
        "<title>CPU time for one question, over the number of questions</title>\n"
        f'<rect width="100%" height="100%" fill="#ffffff"/>\n{"".join(f"{part}{chr(10)}" for part in parts)}</svg>\n'
    )


def _curves(rows: Sequence[Row], job: str, floor: str) -> dict[str, list[Row]]:
    curves: dict[str, list[Row]] = {}
    for row in rows:
        if row.job == job or row.name == floor:
            curves.setdefault(row.name, []).append(row)
    return curves


def _frame(job: str, across: Scale, up: Scale, sizes: Sequence[int]) -> Iterator[str]:
    yield f'<text x="{across.start}" y="{up.end - 16}" font-weight="600" font-size="14">{escape(job)}</text>'
    for cost in up.decades():
        y = up.at(cost)
        yield f'<line x1="{across.start}" x2="{across.end}" y1="{y:.1f}" y2="{y:.1f}" stroke="#e2e2e2"/>'
        yield f'<text x="{across.start - 6}" y="{y + 4:.1f}" text-anchor="end">{_cost(cost)}</text>'
    for size in sizes:
        yield f'<text x="{across.at(size):.1f}" y="{up.start + 18:.1f}" text-anchor="middle">{size:,}</text>'
    middle = (across.start + across.end) / 2
    yield f'<text x="{middle}" y="{up.start + 36:.1f}" text-anchor="middle" fill="#666666">questions</text>'


def _cost(seconds: float) -> str:
    if seconds < 0.9e-3:
        return f"{seconds * 1e6:.0f} µs"
    return f"{seconds * 1e3:.0f} ms" if seconds < 0.9 else f"{seconds:.0f} s"


def _lines(curves: dict[str, list[Row]], colours: dict[str, str], across: Scale, up: Scale) -> Iterator[str]:
    ends = _spread({name: up.at(curve[-1].cpu / curve[-1].size) for name, curve in curves.items()})
    for name, curve in curves.items():
        colour = colours[name]
        points = [(across.at(row.size), up.at(row.cpu / row.size)) for row in curve]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
        yield from (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points)
        x = points[-1][0]
        yield f'<text x="{x + 8:.1f}" y="{ends[name] + 4:.1f}" fill="{colour}">{escape(name)}</text>'


def _spread(wanted: dict[str, float]) -> dict[str, float]:
    """Return places for names that do not lie upon one another."""
    placed: dict[str, float] = {}
    last = -math.inf
    for name, y in sorted(wanted.items(), key=lambda one: one[1]):
        last = placed[name] = max(y, last + _ROOM_FOR_A_NAME)
    return placed

"""The picture of a timeline (SVG), its table, and its page.

They need no other file. They suit light and dark screens, and have tooltips. The page has a script of its own, which
filters the table; without it, all moments are shown.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from html import escape
from itertools import accumulate
from string import Template
from typing import TYPE_CHECKING, Final

from checkpoint_ld.agents.timeline import CHECKPOINTS, RUNS, THOUGHTS, instant, span, undated
from checkpoint_ld.data import packaged
from checkpoint_ld.phrases import harmless, harmless_lines, head

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.agents.timeline import Moment, Timeline

_WIDTH, _LEFT, _RIGHT, _TOP, _BOTTOM = 960, 150, 24, 46, 58
_LANE: Final = 34
_THOUGHTS: Final = 64
"""The height of the lane of thoughts, which has arcs above it."""
_TICKS: Final = 8
_STEPS: Final = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000)
_MINUTE, _TEXT, _NAME = 60_000, 240, 20
_SHORT: Final = 24
"""Longer ids are shortened."""
_RUN_SIGNS = (("run", "run of an execution"), ("sign", "run that was cut off"))
_SIGNS = (
    ("thought", "thought, faint if unsure"),
    ("completed", "call"),
    ("failed", "failed"),
    ("cut-off", "cut off"),
    ("in-flight", "in flight"),
    ("checkpoint", "checkpoint"),
)


@dataclass(frozen=True)
class _Frame:
    """The positions of lanes and moments in the picture."""

    timeline: Timeline
    middles: dict[str, float]
    height: float

    def x(self, at: int) -> float:
        return round(_LEFT + self.timeline.share(at) * (_WIDTH - _LEFT - _RIGHT), 1)


def svg_of(timeline: Timeline) -> str:
    """Return the picture of a timeline as an SVG document; each moment has a tooltip."""
    heights = [_THOUGHTS if lane == THOUGHTS else _LANE for lane in timeline.lanes]
    ends = [_TOP + end for end in accumulate(heights)]
    middles = {lane: end - _LANE / 2 for lane, end in zip(timeline.lanes, ends, strict=True)}
    frame = _Frame(timeline, middles, ends[-1])
    title = _escaped(f"Timeline of {timeline.agent_id}, {', '.join(map(short, timeline.executions))}")
    full = frame.height + _BOTTOM + (20 if RUNS in timeline.lanes else 0)
    size = f'viewBox="0 0 {_WIDTH} {full:.0f}" width="{_WIDTH}" height="{full:.0f}"'
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="timeline" {size} role="img" aria-label="{title}">',
            f"<title>{title}</title>",
            f"<style>{packaged('agents/picture.css')}</style>",
            f'<rect class="back" width="{_WIDTH}" height="{full:.0f}"/>',
            *_ground(frame),
            *(_drawn(moment, frame) for moment in timeline.moments),
            *_legend(full - 14, _SIGNS),
            *(_legend(full - 34, _RUN_SIGNS) if RUNS in timeline.lanes else ()),
            "</svg>",
        )
    )


def _ground(frame: _Frame) -> Iterator[str]:
    """Yield the axis, the lanes, and the arcs from thoughts to their children."""
    timeline = frame.timeline
    yield f'<text x="{_LEFT}" y="20">{instant(timeline.start)}, {span(timeline.duration_ms)}</text>'
    step = next((length for length in _STEPS if timeline.duration_ms / length <= _TICKS), None)
    if step is None:
        minutes = timeline.duration_ms / _MINUTE / _TICKS
        step = next(size for size in (m * 10**n for n in range(20) for m in (5, 10, 20)) if size >= minutes) * _MINUTE
    for at in range(0, timeline.duration_ms + 1, step):
        if any(start < timeline.start + at < end for start, end in timeline.breaks):
            continue
        x = frame.x(timeline.start + at)
        yield f'<line class="tick" x1="{x}" y1="{_TOP - 8}" x2="{x}" y2="{frame.height}"/>'
        yield f'<text x="{x}" y="{frame.height + 16}" text-anchor="middle">{"0" if at == 0 else span(at)}</text>'
    for began, ended in timeline.breaks:
        left, top = frame.x(began), _TOP - 8
        title = f"<title>nothing ran for {span(ended - began)}</title>"
        size = f'width="{round(frame.x(ended) - left, 1)}" height="{frame.height - top:.1f}"'
        yield f'<rect class="break" x="{left}" y="{top}" {size}>{title}</rect>'
        words, middle = f"{span(ended - began)} off", (left + frame.x(ended)) / 2
        yield f'<text class="off" x="{middle:.1f}" y="{top - 2}" text-anchor="middle">{words}</text>'
    for lane, y in frame.middles.items():
        yield f'<line class="lane" x1="{_LEFT}" y1="{y}" x2="{_WIDTH - _RIGHT}" y2="{y}"/>'
        name = _escaped(head(harmless(lane), _NAME))
        yield f'<text class="name" x="{_LEFT - 14}" y="{y + 4}" text-anchor="end">{name}</text>'
    for moment in timeline.in_lane(CHECKPOINTS):
        x = frame.x(moment.start)
        yield f'<line class="moment" x1="{x}" y1="{_TOP - 8}" x2="{x}" y2="{frame.middles[CHECKPOINTS]}"/>'
    thoughts = {thought.id: thought for thought in timeline.in_lane(THOUGHTS)}
    for thought in thoughts.values():
        above = thoughts.get(thought.parent or "")
        if above is not None and above is not thought:
            start, end, y = frame.x(above.start), frame.x(thought.start), frame.middles[THOUGHTS] - 6
            lift = min(6 + abs(end - start) / 6, _THOUGHTS - _LANE / 2 - 10)
            yield f'<path class="from" d="M{start} {y} Q{(start + end) / 2:.1f} {y - lift:.1f} {end} {y}"/>'


def _drawn(moment: Moment, frame: _Frame) -> str:
    x, y = frame.x(moment.start), frame.middles[moment.lane]
    title = f"<title>{_escaped(_title_of(moment, frame.timeline))}</title>"
    if moment.kind == "thought":
        unsure = " unsure" if moment.is_unsure else ""
        filled = 1 if moment.confidence is None else 0.15 + 0.85 * moment.confidence
        return f'<circle class="thought{unsure}" cx="{x}" cy="{y}" r="5" fill-opacity="{filled:.2f}">{title}</circle>'
    if moment.kind == "checkpoint":
        return f'<path class="checkpoint" d="M{x} {y - 7}l6 7l-6 7l-6 -7z">{title}</path>'
    end = float(_WIDTH - _RIGHT) if moment.end is None else frame.x(moment.end)
    width = max(round(end - x, 1), 3)
    name = f"{'run ' if moment.kind == 'run' else ''}{moment.outcome.replace(' ', '-')}"
    bar = f'<rect class="{name}" x="{x}" y="{y - 7}" width="{width}" height="14" rx="3">{title}</rect>'
    # Not by colour alone: a sign marks a failed call, and the end of an interrupted run.
    if moment.outcome == "cut off":
        return f'{bar}<text class="sign" x="{x + width:.1f}" y="{y - 9}" text-anchor="middle">↯</text>'
    sign = f'<text class="sign" x="{x + width / 2:.1f}" y="{y - 9}" text-anchor="middle">✗</text>'
    return bar + sign if moment.outcome == "failed" else bar


def _title_of(moment: Moment, timeline: Timeline) -> str:
    took = f" for {span(moment.end - moment.start)}" if moment.takes_time and moment.end is not None else ""
    of = f"\nin {harmless(moment.execution)}" if moment.kind != "run" and len(timeline.executions) > 1 else ""
    confidence = "" if moment.confidence is None else f", confidence {moment.confidence}"
    outcome = f", {moment.outcome}" if moment.outcome else ""
    text = f"\n{head(harmless(moment.text), _TEXT)}" if moment.text else ""
    what = f"{moment.kind} {harmless(moment.id)}: {harmless(moment.label)}{outcome}{confidence}"
    return f"{what}\nafter {span(moment.start - timeline.start)}{took}{of}{text}"


def _legend(y: float, entries: tuple[tuple[str, str], ...]) -> Iterator[str]:
    x = float(_LEFT)
    for name, words in entries:
        if name == "thought":
            yield f'<circle class="thought" cx="{x + 6}" cy="{y - 4}" r="5"/>'
        elif name == "checkpoint":
            yield f'<path class="checkpoint" d="M{x + 6} {y - 11}l6 7l-6 7l-6 -7z"/>'
        elif name == "sign":
            yield f'<text class="sign" x="{x + 7}" y="{y}" text-anchor="middle">↯</text>'
        else:
            yield f'<rect class="{name}" x="{x}" y="{y - 10}" width="14" height="12" rx="3"/>'
        yield f'<text x="{x + 19}" y="{y}">{words}</text>'
        x += 40 + 6.2 * len(words)


def html_of(timeline: Timeline) -> str:
    """Return the page of a timeline: no network, no other file, and a script that filters the table."""
    from checkpoint_ld.validation.reports.page import look  # noqa: PLC0415 - loads rdflib

    left_out = f" · {undated(timeline)}" if timeline.undated else ""
    names = ", ".join(map(short, timeline.executions))
    facts = f"{names} · {instant(timeline.start)} · {span(timeline.duration_ms)}{left_out}"
    script = packaged("agents/page.js")
    return Template(packaged("agents/page.html")).substitute(
        title=escape(harmless(f"{timeline.agent_id}: timeline")),
        style=look() + packaged("agents/page.css"),
        heading=escape(harmless(timeline.agent_id)),
        facts=escape(harmless(facts)),
        picture=svg_of(timeline),
        table=table_of(timeline),
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )


def table_of(timeline: Timeline) -> str:
    """Return the moments of a timeline as a table in HTML."""
    heads = "".join(f'<th scope="col">{head}</th>' for head in ("after", "what", "how it went", "text"))
    rows = "\n".join(_row(moment, timeline) for moment in timeline.moments)
    return f"<table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>"


def _row(moment: Moment, timeline: Timeline) -> str:
    took = f", {span(moment.end - moment.start)}" if moment.end is not None else ""
    how = f"{moment.outcome}{took}" if moment.takes_time else ""
    if moment.confidence is not None:
        how = f"confidence {moment.confidence}"
    what = f"{moment.kind} {_named(moment.id)}"
    if moment.kind != "run":
        what += f"<br>{escape(harmless(moment.label))}"
        if len(timeline.executions) > 1:
            what += f"<br>in {_named(moment.execution)}"
    # Arguments stand as the text already, unless that is an error.
    details = [one for one in moment.details if one[1] != moment.text]
    opened = "".join(
        f"<details><summary>{name}</summary><pre>{_escaped(text)}</pre></details>" for name, text in details
    )
    outcome = moment.outcome.replace(" ", "-")
    return (
        f'<tr class="{moment.kind}" data-outcome="{outcome}"><td>{span(moment.start - timeline.start)}</td>'
        f'<td>{what}</td><td class="{outcome}">{how}</td><td>{_escaped(moment.text)}{opened}</td></tr>'
    )


def short(name: str) -> str:
    """Return a long id of ours in few characters; the end tells ids apart."""
    return name if len(name) <= _SHORT else f"{name[:5]}…{name[-6:]}"


def _named(name: str) -> str:
    whole = escape(harmless(name))
    shortened = escape(harmless(short(name)))
    return f"<code>{whole}</code>" if whole == shortened else f'<code title="{whole}">{shortened}</code>'


def _escaped(text: str) -> str:
    """Return a text of several lines for HTML."""
    return escape(harmless_lines(text))

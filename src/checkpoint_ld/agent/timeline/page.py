"""A timeline as one HTML page that needs nothing else: the picture, and a table of all moments."""

from __future__ import annotations

from html import escape
from importlib import resources
from string import Template
from typing import TYPE_CHECKING

from checkpoint_ld.agent.timeline.picture import svg_of
from checkpoint_ld.agent.timeline.timeline import instant, span
from checkpoint_ld.phrases import harmless
from checkpoint_ld.reports.page import look

if TYPE_CHECKING:
    from checkpoint_ld.agent.timeline.timeline import Moment, Timeline


def html_of(timeline: Timeline) -> str:
    """Return the page of a timeline: no network, no script, no other file."""
    undated = f" · {timeline.undated} calls do not say when they began" if timeline.undated else ""
    facts = f"{', '.join(timeline.executions)} · {instant(timeline.start)} · {span(timeline.duration_ms)}{undated}"
    return Template(_file("page.html")).substitute(
        title=_text(f"{timeline.agent_id}: timeline"),
        style=look() + _file("page.css"),
        heading=_text(timeline.agent_id),
        facts=_text(facts),
        picture=svg_of(timeline),
        rows="\n".join(_row(one, timeline.start) for one in timeline.moments),
    )


def _row(moment: Moment, start: int) -> str:
    took = f", {span(moment.end - moment.start)}" if moment.kind == "call" and moment.end is not None else ""
    how = f"{moment.outcome}{took}" if moment.kind == "call" else ""
    if moment.confidence is not None:
        how = f"confidence {moment.confidence}"
    what = f"{moment.kind} <code>{_text(moment.id)}</code><br>{_text(moment.label)}"
    return (
        f'<tr class="{moment.kind}"><td>{span(moment.start - start)}</td><td>{what}</td>'
        f'<td class="{moment.outcome.replace(" ", "-")}">{how}</td><td>{_lines(moment.text)}</td></tr>'
    )


def _lines(text: str) -> str:
    return "\n".join(map(_text, text.split("\n")))


def _text(text: str) -> str:
    return escape(harmless(text))


def _file(name: str) -> str:
    return (resources.files("checkpoint_ld.agent.timeline") / name).read_text(encoding="utf-8")

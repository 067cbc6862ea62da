"""A timeline for the terminal: lanes over time, and below them what happened, line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from checkpoint_ld.agent.timeline.timeline import instant, span
from checkpoint_ld.phrases import cells, harmless, head

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.agent.timeline.timeline import Moment, Timeline

WIDTH: Final = 100
"""Columns, where nobody says how many there are."""
_NAME = 16
_LEAST = 40
_MARKS: Final = {"completed": "✓", "failed": "✗", "cancelled": "⊘", "in flight": "…"}
_WEIGHT: Final = " ━✓○●◆⊘…✗"
"""The marks of a lane; where two meet in one column, the later one of these is seen."""
LEGEND = "● thought  ○ unsure  ◆ checkpoint  ━ call: ✓ done ✗ failed ⊘ cancelled … in flight"


def text_of(timeline: Timeline, *, width: int = WIDTH, limit: int | None = None) -> str:
    """Return a timeline as lines of at most `width` columns (at least 40).

    `limit` is how many of the latest moments are listed below the lanes, None for all of them.
    """
    width = max(width, _LEAST)
    return "\n".join((*_head(timeline, width), *_lanes(timeline, width), "", *_list(timeline, width, limit)))


def _head(timeline: Timeline, width: int) -> Iterator[str]:
    executions = ", ".join(timeline.executions)
    yield head(harmless(f"{timeline.agent_id} · {executions}"), width)
    yield f"{instant(timeline.start)}, {span(timeline.duration_ms)}"
    yield ""


def _lanes(timeline: Timeline, width: int) -> Iterator[str]:
    room = width - _NAME - 1
    for lane in timeline.lanes:
        row = [" "] * room
        for moment in timeline.in_lane(lane):
            _draw(row, moment, timeline)
        yield f"{_filled(lane, _NAME)} {''.join(row)}".rstrip()
    ends = span(timeline.duration_ms)
    yield f"{'':{_NAME}} 0{ends:>{room - 1}}"
    yield head(LEGEND, width)


def _draw(row: list[str], moment: Moment, timeline: Timeline) -> None:
    first = _column(moment.start, timeline, len(row))
    if moment.kind != "call":
        _put(row, first, "◆" if moment.kind == "checkpoint" else "○" if moment.is_unsure else "●")
        return
    last = len(row) - 1 if moment.end is None else _column(moment.end, timeline, len(row))
    for column in range(first, last):
        _put(row, column, "━")
    _put(row, last, _MARKS[moment.outcome])


def _put(row: list[str], column: int, mark: str) -> None:
    if _WEIGHT.index(mark) > _WEIGHT.index(row[column]):
        row[column] = mark


def _column(at: int, timeline: Timeline, room: int) -> int:
    return (at - timeline.start) * (room - 1) // max(timeline.duration_ms, 1)


def _list(timeline: Timeline, width: int, limit: int | None) -> Iterator[str]:
    shown = timeline.moments if limit is None else timeline.moments[max(len(timeline.moments) - limit, 0) :]
    left_out = len(timeline.moments) - len(shown)
    if left_out:
        yield f"… {left_out} earlier moments"
    for moment in shown:
        yield head(harmless(f"{span(moment.start - timeline.start):>11}  {_told(moment)}"), width)
    if timeline.undated:
        yield f"{timeline.undated} calls do not say when they began"


def _told(moment: Moment) -> str:
    if moment.kind == "thought":
        sure = "" if moment.confidence is None else f" {moment.confidence}"
        return f"{'○' if moment.is_unsure else '●'} {moment.label}{sure}: {moment.text}"
    if moment.kind == "checkpoint":
        return f"◆ {moment.id} {moment.label} {moment.text}".rstrip()
    took = "" if moment.end is None else f" {span(moment.end - moment.start)}"
    return f"{_MARKS[moment.outcome]} {moment.label}{took}: {moment.text}"


def _filled(text: str, room: int) -> str:
    short = head(harmless(text), room)
    return short + " " * (room - cells(short))

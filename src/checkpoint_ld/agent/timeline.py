"""What happened in a run, and when: from checkpoints to moments."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from checkpoint_ld.constraints.secrets import secret
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.phrases import cells, harmless, head

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checkpoint_ld.agent.checkpoint import AgentCheckpoint
    from checkpoint_ld.agent.values import Thought, ToolCall


Kind = Literal["thought", "call", "checkpoint"]
Outcome = Literal["", "completed", "failed", "cancelled", "in flight"]

THOUGHTS, CHECKPOINTS = "thoughts", "checkpoints"
UNSURE: Final = 0.5
"""Thoughts with less confidence are drawn as unsure."""
WITHHELD = "(withheld: it looks like a secret)"
"""What stands for a value that must not go further than its file."""


@dataclass(frozen=True, slots=True)
class Moment:
    """Something that happened: in which lane, when (milliseconds since 1970 in UTC), and what.

    `end` is that of a call, `start` again for what takes no time, and None for a call in flight. `label` is the type
    of a thought, the tool of a call, the reason for a checkpoint; `text` what was thought, asked for or said.
    """

    kind: Kind
    id: str
    lane: str
    start: int
    end: int | None
    label: str
    text: str
    outcome: Outcome = ""
    confidence: float | None = None
    parent: str | None = None

    @property
    def is_unsure(self) -> bool:
        """Whether it is a thought of little confidence."""
        return self.confidence is not None and self.confidence < UNSURE


@dataclass(frozen=True)
class Timeline:
    """The moments of a run in the order of time, from `start` to `end` in milliseconds since 1970.

    `lanes` are the thoughts, the tools in the order of their first calls, and the checkpoints. `undated` counts the
    calls that do not say when they began, which are left out.
    """

    agent_id: str
    executions: tuple[str, ...]
    moments: tuple[Moment, ...]
    lanes: tuple[str, ...]
    start: int
    end: int
    undated: int = 0

    @property
    def duration_ms(self) -> int:
        """Milliseconds from the first moment to the last."""
        return self.end - self.start

    def in_lane(self, lane: str) -> Iterator[Moment]:
        """Yield the moments of one lane."""
        return (one for one in self.moments if one.lane == lane)


class Mark(Protocol):
    """A checkpoint of which only its header is at hand."""

    @property
    def id(self) -> str:
        """The identifier of the checkpoint."""

    @property
    def timestamp(self) -> int:
        """When it was taken, in milliseconds since 1970."""

    @property
    def checkpoint_reason(self) -> str:
        """Why it was taken."""

    @property
    def name(self) -> str | None:
        """What it is called, if it has a name."""


def timeline_of(checkpoints: Iterable[AgentCheckpoint], marks: Iterable[Mark] = ()) -> Timeline:
    """Return the timeline of a run from one or more of its checkpoints.

    What stands in several of them is shown as the latest one has it. `marks` are the headers of others, which are
    marked only: one checkpoint holds all that happened before it. Raises SettingsError where there is no checkpoint.
    """
    ordered = sorted(checkpoints, key=lambda one: (one.timestamp, one.metadata.step_number, one.id))
    if not ordered:
        raise SettingsError("there is no checkpoint to draw a timeline of: give at least one")
    thoughts = {one.id: one for checkpoint in ordered for one in checkpoint.snapshot.thought_chain}
    calls = {one.id: one for checkpoint in ordered for one in checkpoint.snapshot.tool_state.calls}
    dated = [(one.started_at, one) for one in calls.values() if one.started_at is not None]
    found = [
        *map(_of_thought, thoughts.values()),
        *(_of_call(one, began) for began, one in dated),
        *{one.id: one for one in (*map(_of_mark, marks), *map(_of_checkpoint, ordered))}.values(),
    ]
    moments = tuple(sorted(found, key=lambda one: one.start))
    tools = dict.fromkeys(one.lane for one in moments if one.kind == "call")
    return Timeline(
        agent_id=ordered[-1].agent_id,
        executions=tuple(dict.fromkeys(one.execution_id for one in ordered)),
        moments=moments,
        lanes=(*([THOUGHTS] if thoughts else []), *tools, CHECKPOINTS),
        start=moments[0].start,
        end=max(one.start if one.end is None else one.end for one in moments),
        undated=len(calls) - len(dated),
    )


def instant(milliseconds: int) -> str:
    """Return a moment as the text of its date and time in UTC."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def span(milliseconds: float) -> str:
    """Return a length of time for people: `250 ms`, `3.2 s`, `4 min 05 s`, `2 h 07 min`."""
    seconds = milliseconds / 1000
    if seconds < 1:
        return f"{milliseconds:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"


def _of_thought(thought: Thought) -> Moment:
    at = thought.created_at
    text, sure, above = thought.content, thought.confidence, thought.parent_id
    return Moment("thought", thought.id, THOUGHTS, at, at, thought.type, _shown(text), "", sure, above)


def _of_call(call: ToolCall, began: int) -> Moment:
    outcome = outcome_of(call)
    ended = call.completed_at
    if ended is None and outcome != "in flight":
        ended = began + int(call.duration_ms or 0)
    text = call.error if call.error is not None else json.dumps(_shown(call.args or {}), ensure_ascii=False)
    tool = call.tool_id or "(no tool named)"
    return Moment("call", call.id, tool, began, None if ended is None else max(ended, began), tool, text, outcome)


def outcome_of(call: ToolCall) -> Outcome:
    """Return how a call went."""
    if call.is_in_flight:
        return "in flight"
    if call.status == "cancelled":
        return "cancelled"
    return "completed" if call.success else "failed"


def _of_mark(mark: Mark) -> Moment:
    at = mark.timestamp
    return Moment("checkpoint", mark.id, CHECKPOINTS, at, at, mark.checkpoint_reason, mark.name or "")


def _of_checkpoint(checkpoint: AgentCheckpoint) -> Moment:
    at, reason = checkpoint.timestamp, checkpoint.metadata.checkpoint_reason
    return Moment("checkpoint", checkpoint.id, CHECKPOINTS, at, at, reason, checkpoint.name or "")


def _shown(value: Any) -> Any:
    """Return a value; the members of an object that look like secrets are withheld."""
    if isinstance(value, dict):
        return {key: WITHHELD if secret({key: one}) else one for key, one in value.items()}
    return WITHHELD if secret(value) else value


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

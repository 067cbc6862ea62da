"""What happened in a run, and when: from checkpoints to moments; and one checkpoint in words for people."""

from __future__ import annotations

import json
from bisect import bisect_left
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal

from checkpoint_ld.agent.values import Header
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.notebook import Card, Rows, Shown
from checkpoint_ld.phrases import cells, harmless, head
from checkpoint_ld.secrets import secret

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from checkpoint_ld.agent.checkpoint import AgentCheckpoint
    from checkpoint_ld.agent.values import Thought, ToolCall

Kind = Literal["thought", "call", "checkpoint", "run"]
Outcome = Literal["", "completed", "failed", "cancelled", "in flight", "paused", "cut off", "open"]

THOUGHTS, CHECKPOINTS, RUNS = "thoughts", "checkpoints", "runs"
SILENCE: Final = 1_000
"""More milliseconds than this, between two checkpoints of an execution, in which it did not run: it was resumed."""
UNSURE: Final = 0.5
"""Thoughts with less confidence are drawn as unsure."""
WITHHELD = "(withheld: it looks like a secret)"
"""What stands for a value that must not go further than its file."""


@dataclass(frozen=True, slots=True)
class Moment:
    """Something that happened: in which lane, when (milliseconds since 1970 in UTC), and what.

    `end` is that of a call, `start` again for what takes no time, and None for a call in flight. `label` is the type
    of a thought, the tool of a call, the reason for a checkpoint; `text` what was thought, asked for or said. A run is
    a time in which an execution went on without being cut off; its `label` is the execution, its `text` what it goes on
    from. `execution` is the one in which the moment was.
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
    execution: str = ""

    @property
    def takes_time(self) -> bool:
        """Whether it is a call or a run."""
        return self.kind in ("call", "run")

    @property
    def is_unsure(self) -> bool:
        """Whether it is a thought of little confidence."""
        return self.confidence is not None and self.confidence < UNSURE


@dataclass(frozen=True, repr=False)
class Timeline(Shown):
    """The moments of a run in the order of time, from `start` to `end` in milliseconds since 1970.

    `lanes` are the runs where there are several, the thoughts, the tools in the order of their first calls, and the
    checkpoints. `undated` counts the calls that do not say when they began, which are left out.
    """

    agent_id: str
    executions: tuple[str, ...]
    moments: tuple[Moment, ...]
    lanes: tuple[str, ...]
    start: int
    end: int
    undated: int = 0

    def __repr__(self) -> str:
        return f"<Timeline of {self.agent_id!r}: {len(self.moments)} moments in {span(self.duration_ms)}>"

    def _card(self) -> Card:
        facts = {"executions": self.executions, "began": instant(self.start), "took": span(self.duration_ms)}
        rows = ((span(one.start - self.start), one.kind, one.label, one.text, one.outcome) for one in self.moments)
        table = Rows("Moments", ("after", "kind", "what", "text", "outcome"), rows, len(self.moments))
        return Card("Timeline", self.agent_id, "", facts, [table])

    @property
    def duration_ms(self) -> int:
        """Milliseconds from the first moment to the last."""
        return self.end - self.start

    def in_lane(self, lane: str) -> Iterator[Moment]:
        """Yield the moments of one lane."""
        return (one for one in self.moments if one.lane == lane)


_ENDS: Final[Mapping[str, Outcome]] = MappingProxyType(
    {"execution_completed": "completed", "execution_failed": "failed", "paused": "paused"}
)
"""How a run ended, by the reason for its last checkpoint."""


def line_to(checkpoint_id: str, marks: Sequence[Header]) -> list[Header]:
    """Return the marks that lead to a checkpoint, oldest first: of its execution, and of those that it goes on from.

    `marks` are all that may belong to them, oldest first. What an execution did after another one went on from it is
    left out.
    """
    by_id = {one.id: place for place, one in enumerate(marks)}
    line: list[Header] = []
    place = by_id.get(checkpoint_id)
    seen: set[str] = set()
    while place is not None and marks[place].execution_id not in seen:
        execution = marks[place].execution_id
        seen.add(execution)
        own = [one for one in marks[: place + 1] if one.execution_id == execution]
        line[:0] = own
        origins = (by_id.get(one.parent_checkpoint_id or "") for one in own)
        place = next((one for one in origins if one is not None and marks[one].execution_id != execution), None)
    return line


def timeline_of(checkpoints: Iterable[AgentCheckpoint], marks: Iterable[Header] = ()) -> Timeline:
    """Return the timeline of a run from one or more of its checkpoints.

    What stands in several of them is shown as the latest one has it. `marks` are the headers of others, which are
    marked only: one checkpoint holds all that happened before it. Where these are of several executions, or one was
    silent for a while, the timeline says when which of them ran. Of one that others branch off, nothing is known after
    that. Raises SettingsError where there is no checkpoint.
    """
    ordered = sorted(checkpoints, key=lambda one: (one.timestamp, one.metadata.step_number, one.id))
    if not ordered:
        raise SettingsError("there is no checkpoint to draw a timeline of: give at least one")
    thoughts = {one.id: one for checkpoint in ordered for one in checkpoint.snapshot.thought_chain}
    calls = {one.id: one for checkpoint in ordered for one in checkpoint.snapshot.tool_state.calls}
    dated = [(one.started_at, one) for one in calls.values() if one.started_at is not None]
    each: dict[str, Header] = {one.id: one for one in (*marks, *map(Header.of, ordered))}
    signs = sorted(each.values(), key=lambda one: one.timestamp)
    happened = [*map(_of_thought, thoughts.values()), *(_of_call(one, began) for began, one in dated)]
    found = [_placed(one, signs) for one in happened]
    for sign in signs:
        at, reason, called = sign.timestamp, sign.checkpoint_reason, sign.name or ""
        found.append(Moment("checkpoint", sign.id, CHECKPOINTS, at, at, reason, called, execution=sign.execution_id))
    runs = list(_runs(signs, found))
    moments = tuple(sorted([*(runs if len(runs) > 1 else ()), *found], key=lambda one: one.start))
    tools = dict.fromkeys(one.lane for one in moments if one.kind == "call")
    return Timeline(
        agent_id=ordered[-1].agent_id,
        executions=tuple(dict.fromkeys(one.execution_id for one in signs)),
        moments=moments,
        lanes=(*([RUNS] if len(runs) > 1 else []), *([THOUGHTS] if thoughts else []), *tools, CHECKPOINTS),
        start=moments[0].start,
        end=max(one.start if one.end is None else one.end for one in moments),
        undated=len(calls) - len(dated),
    )


def _placed(moment: Moment, signs: Sequence[Header]) -> Moment:
    """Return a moment with its execution: that of the first checkpoint after it, which is the first to know it."""
    after = bisect_left(signs, moment.start, key=lambda one: one.timestamp)
    return replace(moment, execution=signs[min(after, len(signs) - 1)].execution_id)


def _runs(signs: Sequence[Header], moments: Sequence[Moment]) -> Iterator[Moment]:
    """Yield the times in which the executions went on: from one that was cut off or paused to the next."""
    groups: list[list[Header]] = []
    resumed = _resumed(signs)
    for one in signs:
        group = next((group for group in reversed(groups) if group[-1].execution_id == one.execution_id), None)
        if group is None or one.id in resumed:
            groups.append([one])
        else:
            group.append(one)
    owned: dict[str, int] = {}
    for moment in moments:
        owned[moment.execution] = min(moment.start, owned.get(moment.execution, moment.start))
    by_id = {one.id: one for one in signs}
    last_seen: dict[str, Header] = {}
    for number, group in enumerate(groups):
        first, last = group[0], group[-1]
        name, before = first.execution_id, last_seen.get(first.execution_id)
        origin = before or by_id.get(first.parent_checkpoint_id or "")
        start = min(first.timestamp, owned[name]) if before is None else first.timestamp
        goes_on = [one for one in signs if one.parent_checkpoint_id == last.id and one.is_branch]
        is_known = number < len(groups) - 1 and not goes_on
        outcome: Outcome = _ENDS.get(last.checkpoint_reason, "cut off" if is_known else "open")
        text = "" if origin is None else _origin(first, origin, start)
        yield Moment("run", name, RUNS, start, last.timestamp, name, text, outcome, execution=name)
        last_seen[name] = last


def _resumed(signs: Sequence[Header]) -> set[str]:
    """Return the ids of the checkpoints before which their execution was silent: time went by, and it did not run.

    Where it seems to be silent more often than not, its duration is another one than the time that it ran.
    """
    resumed: set[str] = set()
    for execution in {one.execution_id for one in signs}:
        own = [one for one in signs if one.execution_id == execution]
        silent = set()
        for before, after in pairwise(own):
            ran = after.duration_ms - before.duration_ms
            if ran > 0 and after.timestamp - before.timestamp - ran > SILENCE:
                silent.add(after.id)
        resumed |= silent if 2 * len(silent) < len(own) else set()
    return resumed


def _origin(first: Header, origin: Header, start: int) -> str:
    of = "" if origin.execution_id == first.execution_id else f" of {origin.execution_id}"
    if first.is_branch:
        return f"another way from {origin.id}{of}"
    return f"goes on from {origin.id}{of}, {span(start - origin.timestamp)} after it"


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


def _shown(value: Any) -> Any:
    """Return a value; the members of an object that look like secrets are withheld."""
    if isinstance(value, dict):
        return {key: WITHHELD if secret({key: one}) else one for key, one in value.items()}
    return WITHHELD if secret(value) else value


WIDTH: Final = 100
"""Columns, where nobody says how many there are."""
_NAME = 16
_LEAST = 40
_MARKS: Final = {
    "completed": "✓",
    "failed": "✗",
    "cancelled": "⊘",
    "in flight": "…",
    "paused": "‖",
    "cut off": "↯",
    "open": "…",
}
_WEIGHT: Final = " ━✓○●◆⊘…✗▶‖↯"
"""The marks of a lane; where two meet in one column, the later one of these is seen."""
RUNS_LEGEND = "▶ run: ✓ completed ✗ failed ‖ paused ↯ cut off … open"
LEGEND = "● thought  ○ unsure  ◆ checkpoint  ━ call: ✓ done ✗ failed ⊘ cancelled … in flight"


def text_of(timeline: Timeline, *, width: int = WIDTH, limit: int | None = None) -> str:
    """Return a timeline as lines of at most `width` columns (at least 40).

    `limit` is how many of the latest moments are listed below the lanes, None for all of them.
    """
    width = max(width, _LEAST)
    title = head(harmless(f"{timeline.agent_id} · {', '.join(timeline.executions)}"), width)
    began = f"{instant(timeline.start)}, {span(timeline.duration_ms)}"
    return "\n".join((title, began, "", *_lanes(timeline, width), "", *_list(timeline, width, limit)))


def _lanes(timeline: Timeline, width: int) -> Iterator[str]:
    room = width - _NAME - 1
    for lane in timeline.lanes:
        row = [" "] * room
        for moment in timeline.in_lane(lane):
            _draw(row, moment, timeline)
        name = head(harmless(lane), _NAME)
        yield f"{name}{' ' * (_NAME - cells(name))} {''.join(row)}".rstrip()
    ends = span(timeline.duration_ms)
    yield f"{'':{_NAME}} 0{ends:>{room - 1}}"
    yield head(LEGEND, width)
    if RUNS in timeline.lanes:
        yield head(RUNS_LEGEND, width)


def _draw(row: list[str], moment: Moment, timeline: Timeline) -> None:
    first = _column(moment.start, timeline, len(row))
    if moment.kind in ("thought", "checkpoint"):
        _put(row, first, "◆" if moment.kind == "checkpoint" else "○" if moment.is_unsure else "●")
        return
    last = len(row) - 1 if moment.end is None else _column(moment.end, timeline, len(row))
    for column in range(first, last):
        _put(row, column, "━")
    _put(row, last, _MARKS[moment.outcome])
    if moment.kind == "run":
        row[first] = "▶"


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
    if moment.kind == "run":
        return f"▶ {moment.label}: {moment.outcome} after{took}{f', {moment.text}' if moment.text else ''}"
    return f"{_MARKS[moment.outcome]} {moment.label}{took}: {moment.text}"


_ROOM = 96


def lines_of(checkpoint: AgentCheckpoint, *, latest: int = 5) -> Iterator[str]:
    """Yield the lines; `latest` is how many thoughts and calls are shown. What looks like a secret is withheld."""
    return (head(harmless(line), _ROOM) for line in _lines(checkpoint, latest))


def _lines(checkpoint: AgentCheckpoint, latest: int) -> Iterator[str]:
    metadata, snapshot = checkpoint.metadata, checkpoint.snapshot
    yield f"{checkpoint.id}" + (f" “{checkpoint.name}”" if checkpoint.name else "")
    if checkpoint.description:
        yield checkpoint.description
    yield f"made       {instant(checkpoint.timestamp)}, {metadata.checkpoint_reason}"
    yield f"run        execution {checkpoint.execution_id} of {metadata.agent_name or checkpoint.agent_id}"
    yield f"so far     step {metadata.step_number}, {metadata.tokens_used} tokens, {span(metadata.duration_ms)}"
    if checkpoint.parent is not None:
        branch = ", a branch" if checkpoint.parent.is_branch else ""
        why = f": {checkpoint.parent.branch_reason}" if checkpoint.parent.branch_reason else ""
        yield f"goes on    from {checkpoint.parent.checkpoint_id}{branch}{why}"
    if checkpoint.about is not None:
        yield f"about      {checkpoint.about.question or checkpoint.about.benchmark}"
    thoughts, calls = snapshot.thought_chain, snapshot.tool_state.calls
    yield from _counted("thoughts", thoughts, latest)
    for thought in thoughts[max(len(thoughts) - latest, 0) :]:
        sure = "" if thought.confidence is None else f" {thought.confidence}"
        yield f"  {thought.id} {thought.type}{sure}: {_text_of('content', thought.content)}"
    yield from _counted("tool calls", calls, latest)
    for call in calls[max(len(calls) - latest, 0) :]:
        text = call.error if call.error is not None else _text_of("args", call.args or {})
        yield f"  {call.id} {call.tool_id or 'a tool'} {outcome_of(call)}: {text}"
    for title, members in (("variables", snapshot.context.variables), ("state", snapshot.context.state)):
        if members:
            yield title
            yield from (f"  {key}: {_text_of(key, value)}" for key, value in members.items())
    if snapshot.context.history:
        yield f"history    {len(snapshot.context.history)} entries"
    if snapshot.context.memory:
        yield f"memory     {len(snapshot.context.memory)} entries"


def _counted(title: str, these: Sequence[Any], latest: int) -> Iterator[str]:
    yield f"{title} ({len(these)}{f', the last {latest}' if len(these) > latest else ''})"


def _text_of(key: str, value: Any) -> str:
    if secret({key: value}):
        return WITHHELD
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

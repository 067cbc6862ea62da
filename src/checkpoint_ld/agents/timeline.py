"""The timeline of a run: from checkpoints to moments, and as text; and one checkpoint as text."""

from __future__ import annotations

import json
from bisect import bisect_left
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, Literal

from checkpoint_ld.agents.values import ENDS, LATEST_MS, AgentHeader, real
from checkpoint_ld.agents.withholding import withheld
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.notebook import Card, Rows, Shown
from checkpoint_ld.phrases import cells, counted, harmless, head
from checkpoint_ld.secrets import without_secrets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from checkpoint_ld.agents.checkpoint import AgentCheckpoint
    from checkpoint_ld.agents.values import ToolCall

Kind = Literal["thought", "call", "checkpoint", "run"]
Outcome = Literal["", "completed", "failed", "cancelled", "in flight", "paused", "cut off", "open"]

THOUGHTS, CHECKPOINTS, RUNS = "thoughts", "checkpoints", "runs"
SILENCE: Final = 1_000
"""An execution was interrupted if it did not run for more than so many milliseconds between two checkpoints."""
_FOLDED: Final = 0.04
"""The part of a picture that a break takes."""
UNSURE: Final = 0.5
"""Thoughts with less confidence are drawn as unsure."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A thought, a call, a checkpoint or a run, with its lane and its times (milliseconds since 1970 in UTC).

    `end` is that of a call or a run, None for a call in flight, and `start` for other moments. `label` is the type of a
    thought, the tool of a call, the reason for a checkpoint. `text` is the content of a thought, the arguments or the
    error of a call, the name of a checkpoint. A run is a time in which an execution ran without interruption; its
    `label` is the execution, its `text` the checkpoint that it continues from. `execution` is that of the moment.
    `details` are the arguments and the result of a call, each with its name.
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
    details: tuple[tuple[str, str], ...] = ()

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

    `lanes` are the runs if there are several, the thoughts, the tools in the order of their first calls, and the
    checkpoints. `undated` counts the calls without a start, which are left out. `breaks` are the times in which nothing
    ran, from their starts to their ends; a picture folds them.
    """

    agent_id: str
    executions: tuple[str, ...]
    moments: tuple[Moment, ...]
    lanes: tuple[str, ...]
    start: int
    end: int
    undated: int = 0
    breaks: tuple[tuple[int, int], ...] = ()

    def __repr__(self) -> str:
        return f"<Timeline of {self.agent_id!r}: {len(self.moments)} moments in {span(self.duration_ms)}>"

    def _card(self) -> Card:
        facts = {"executions": self.executions, "began": instant(self.start), "took": span(self.duration_ms)}
        rows = (
            (span(moment.start - self.start), moment.kind, moment.label, moment.text, moment.outcome)
            for moment in self.moments
        )
        table = Rows("Moments", ("after", "kind", "what", "text", "outcome"), rows, len(self.moments))
        return Card("Timeline", self.agent_id, "", facts, [table])

    @property
    def duration_ms(self) -> int:
        """Milliseconds from the first moment to the last."""
        return self.end - self.start

    def share(self, at: int) -> float:
        """Return the place of a moment in a picture, from 0 to 1: breaks take little room, whatever they last."""
        folded = min(_FOLDED, 0.5 / len(self.breaks)) if self.breaks else 0.0
        silent = sum(end - start for start, end in self.breaks)
        ran = max(self.duration_ms - silent, 1)
        passed = sum(min(max(at - start, 0), end - start) for start, end in self.breaks)
        parts = sum(min(max(at - start, 0), end - start) / (end - start) for start, end in self.breaks)
        return (at - self.start - passed) / ran * (1 - folded * len(self.breaks)) + parts * folded

    def in_lane(self, lane: str) -> Iterator[Moment]:
        """Yield the moments of one lane."""
        return (moment for moment in self.moments if moment.lane == lane)


def line_to(checkpoint_id: str, marks: Sequence[AgentHeader]) -> list[AgentHeader]:
    """Return the headers that lead to a checkpoint, oldest first: of its execution, and of those before it.

    `marks` are the candidates, oldest first. The part of an execution after another one continued from it is left out.
    """
    by_id = {one.id: place for place, one in enumerate(marks)}
    line: list[AgentHeader] = []
    place = by_id.get(checkpoint_id)
    seen: set[str] = set()
    while place is not None and marks[place].execution_id not in seen:
        execution = marks[place].execution_id
        seen.add(execution)
        own = [mark for mark in marks[: place + 1] if mark.execution_id == execution]
        line[:0] = own
        origins = (by_id.get(mark.parent_checkpoint_id or "") for mark in own)
        place = next(
            (origin for origin in origins if origin is not None and marks[origin].execution_id != execution), None
        )
    return line


def timeline_of(checkpoints: Iterable[AgentCheckpoint], marks: Iterable[AgentHeader] = ()) -> Timeline:
    """Return the timeline of a run from one or more of its checkpoints.

    A thought or call in several of them is shown as in the latest. `marks` are the headers of other checkpoints, which
    are shown as marks only, since one checkpoint holds all that happened before it. Where there are several executions,
    or one was interrupted, the timeline shows their runs. An execution from which others branch off is shown up to
    there. Raises SettingsError where there is no checkpoint.
    """
    ordered = sorted(checkpoints, key=lambda one: (one.timestamp, one.metadata.step_number, one.id))
    if not ordered:
        raise SettingsError("there is no checkpoint to draw a timeline of: give at least one")
    thoughts = {one.id: one for checkpoint in ordered for one in checkpoint.snapshot.thought_chain}
    results = {name: one for checkpoint in ordered for name, one in checkpoint.snapshot.tool_state.results.items()}
    calls = {one.id: one for checkpoint in ordered for one in checkpoint.snapshot.tool_state.calls}
    each = {mark.id: mark for mark in (*marks, *map(AgentHeader.of, ordered))}
    signs = sorted(each.values(), key=lambda mark: mark.timestamp)
    times = [sign.timestamp for sign in signs]

    def execution_at(moment: int) -> str:
        """Return the execution of the first checkpoint after a moment."""
        return signs[min(bisect_left(times, moment), len(signs) - 1)].execution_id

    found = []
    for thought in thoughts.values():
        text, at = _shown("content", thought.content), thought.created_at
        kind, parent = thought.type, thought.parent_id
        found.append(
            Moment(
                "thought", thought.id, THOUGHTS, at, at, kind, text, "", thought.confidence, parent, execution_at(at)
            )
        )
    dated = [(began, call) for call in calls.values() if (began := call.started_at) is not None]
    found += [_of_call(call, began, execution_at(began), results) for began, call in dated]
    for sign in signs:
        at, reason, name = sign.timestamp, sign.checkpoint_reason, _shown("name", sign.name or "")
        found.append(Moment("checkpoint", sign.id, CHECKPOINTS, at, at, reason, name, execution=sign.execution_id))
    runs = list(_runs(signs, found))
    found = [_cut_off(moment, runs) if moment.kind == "call" else moment for moment in found]
    breaks = tuple(_breaks(runs))
    moments = tuple(sorted([*(runs if len(runs) > 1 else ()), *found], key=lambda moment: moment.start))
    tools = dict.fromkeys(moment.lane for moment in moments if moment.kind == "call")
    return Timeline(
        agent_id=ordered[-1].agent_id,
        executions=tuple(dict.fromkeys(sign.execution_id for sign in signs)),
        moments=moments,
        lanes=(*([RUNS] if len(runs) > 1 else []), *([THOUGHTS] if thoughts else []), *tools, CHECKPOINTS),
        start=moments[0].start,
        end=max(moment.start if moment.end is None else moment.end for moment in moments),
        undated=len(calls) - len(dated),
        breaks=breaks,
    )


def _cut_off(call: Moment, runs: Sequence[Moment]) -> Moment:
    """Return a call with the last sign of life of its run as its end, if the run was over before the call ended."""
    own = next((run for run in reversed(runs) if run.execution == call.execution and run.start <= call.start), None)
    if own is None or own.end is None or own.outcome == "open" or call.outcome == "completed":
        return call
    if call.end is not None and call.end <= own.end:
        return call
    outcome: Outcome = "failed" if call.outcome == "failed" else "cut off"
    return replace(call, end=max(own.end, call.start), outcome=outcome)


def _breaks(runs: Iterable[Moment]) -> Iterator[tuple[int, int]]:
    """Yield the times in which no run ran, and which are long enough to matter."""
    until: int | None = None
    for run in sorted(runs, key=lambda run: run.start):
        if until is not None and run.start - until > SILENCE:
            yield until, run.start
        until = max(until or 0, run.end or run.start)


def _of_call(call: ToolCall, began: int, execution: str, results: Mapping[str, Any]) -> Moment:
    outcome, ended = outcome_of(call), call.completed_at
    if ended is None and outcome != "in flight":
        ended = min(began + int(call.duration_ms or 0), LATEST_MS)
    end = None if ended is None else max(ended, began)
    args = _shown("args", call.args or {})
    details = [("arguments", args)] if call.args else []
    if call.id in results:
        details.append(("result", _shown("", results[call.id])))
    text = args if call.error is None else _shown("error", call.error)
    tool = call.tool_id or "(no tool named)"
    lane = f"{tool} (tool)" if tool in (THOUGHTS, CHECKPOINTS, RUNS) else tool
    return Moment("call", call.id, lane, began, end, tool, text, outcome, execution=execution, details=tuple(details))


def outcome_of(call: ToolCall) -> Outcome:
    """Return the outcome of a call."""
    if call.is_in_flight:
        return "in flight"
    if call.status == "cancelled":
        return "cancelled"
    return "completed" if call.success else "failed"


def _runs(signs: Sequence[AgentHeader], moments: Sequence[Moment]) -> Iterator[Moment]:
    """Yield the runs: the times in which the executions ran, between interruptions."""
    groups: list[list[AgentHeader]] = []
    resumed = _resumed(signs)
    for sign in signs:
        group = next((group for group in reversed(groups) if group[-1].execution_id == sign.execution_id), None)
        if group is None or sign.id in resumed:
            groups.append([sign])
        else:
            group.append(sign)
    owned: dict[str, int] = {}
    for moment in moments:
        owned[moment.execution] = min(moment.start, owned.get(moment.execution, moment.start))
    by_id = {sign.id: sign for sign in signs}
    last_seen: dict[str, AgentHeader] = {}
    for number, group in enumerate(groups):
        first, last = group[0], group[-1]
        name, before = first.execution_id, last_seen.get(first.execution_id)
        origin = before or by_id.get(first.parent_checkpoint_id or "")
        start = min(first.timestamp, owned[name]) if before is None else first.timestamp
        text = ""
        if origin is not None:
            of = "" if origin.execution_id == name else f" of {origin.execution_id}"
            after = f", {span(start - origin.timestamp)} after it"
            text = f"another way from {origin.id}{of}" if first.is_branch else f"continues from {origin.id}{of}{after}"
        branches = [sign for sign in signs if sign.parent_checkpoint_id == last.id and sign.is_branch]
        is_known = number < len(groups) - 1 and not branches
        outcome: Outcome = ENDS.get(last.checkpoint_reason, "cut off" if is_known else "open")
        yield Moment("run", name, RUNS, start, last.timestamp, name, text, outcome, execution=name)
        last_seen[name] = last


def _resumed(signs: Sequence[AgentHeader]) -> set[str]:
    """Return the ids of the checkpoints before which their execution was interrupted: time passed, and it did not run.

    If half of them or more seem interrupted, the durations measure something else, and none counts.
    """
    resumed: set[str] = set()
    for execution in {sign.execution_id for sign in signs}:
        own = [sign for sign in signs if sign.execution_id == execution]
        silent = set()
        for before, after in pairwise(own):
            ran = after.duration_ms - before.duration_ms
            if ran > 0 and after.timestamp - before.timestamp - ran > SILENCE:
                silent.add(after.id)
        resumed |= silent if 2 * len(silent) < len(own) else set()
    return resumed


def instant(milliseconds: int) -> str:
    """Return a moment as the text of its date and time in UTC."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def span(milliseconds: float) -> str:
    """Return a length of time for people: `250 ms`, `3.2 s`, `4 min 05 s`, `2 h 07 min`."""
    seconds = real(milliseconds) / 1000
    if seconds < 1:
        return f"{milliseconds:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"


_COLUMNS: Final = 100
"""The default number of columns."""
_LANE_NAME = 16
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
"""The marks of a lane; where two meet in one column, the later one in this list is shown."""
_RUNS_LEGEND = "▶ run: ✓ completed ✗ failed ‖ paused ↯ cut off … open"
_LEGEND = "● thought  ○ unsure  ◆ checkpoint  ━ call: ✓ done ✗ failed ⊘ cancelled ↯ cut off … in flight"


def text_of(timeline: Timeline, *, width: int = _COLUMNS, limit: int | None = None) -> str:
    """Return a timeline as lines of at most `width` columns (at least 40).

    `limit` is the number of latest moments that are listed below the lanes, None for all of them.
    """
    width = max(width, _LEAST)
    room = width - _LANE_NAME - 1
    lines = [
        head(harmless(f"{timeline.agent_id} · {', '.join(timeline.executions)}"), width),
        head(f"{instant(timeline.start)}, {span(timeline.duration_ms)}", width),
        "",
    ]
    for lane in timeline.lanes:
        row = [" "] * room
        for moment in timeline.in_lane(lane):
            _draw(row, moment, timeline)
        name = head(harmless(lane), _LANE_NAME)
        lines.append(f"{name}{' ' * (_LANE_NAME - cells(name))} {''.join(row)}".rstrip())
    lines += [f"{'':{_LANE_NAME}} 0{span(timeline.duration_ms):>{room - 1}}", head(_LEGEND, width)]
    lines += [head(_RUNS_LEGEND, width)] if RUNS in timeline.lanes else []
    left_out = 0 if limit is None else max(len(timeline.moments) - limit, 0)
    lines += ["", *([f"… {left_out} earlier moments"] if left_out else [])]
    for moment in timeline.moments[left_out:]:
        lines.append(head(harmless(f"{span(moment.start - timeline.start):>11}  {_line_of(moment)}"), width))
    if timeline.undated:
        lines.append(head(undated(timeline), width))
    return "\n".join(lines)


def undated(timeline: Timeline) -> str:
    """Return a phrase for the calls that a timeline leaves out."""
    return f"left out: {counted(timeline.undated, 'call')} whose start is not known"


def _draw(row: list[str], moment: Moment, timeline: Timeline) -> None:
    def put(column: int, mark: str) -> None:
        if _WEIGHT.index(mark) > _WEIGHT.index(row[column]):
            row[column] = mark

    def column(at: int) -> int:
        return int(timeline.share(at) * (len(row) - 1) + 1e-9)

    first = column(moment.start)
    if not moment.takes_time:
        put(first, "◆" if moment.kind == "checkpoint" else "○" if moment.is_unsure else "●")
        return
    last = len(row) - 1 if moment.end is None else column(moment.end)
    for at in range(first, last):
        put(at, "━")
    put(last, _MARKS[moment.outcome])
    if moment.kind == "run":
        row[first] = "▶"


def _line_of(moment: Moment) -> str:
    if moment.kind == "thought":
        confidence = "" if moment.confidence is None else f" {moment.confidence}"
        return f"{'○' if moment.is_unsure else '●'} {moment.label}{confidence}: {moment.text}"
    if moment.kind == "checkpoint":
        return f"◆ {moment.id} {moment.label} {moment.text}".rstrip()
    took = "" if moment.end is None else f" {span(moment.end - moment.start)}"
    if moment.kind == "run":
        return f"▶ {moment.label}: {moment.outcome} after{took}{f', {moment.text}' if moment.text else ''}"
    return f"{_MARKS[moment.outcome]} {moment.label}{took}: {moment.text}"


_ROOM = 96
_LATEST: Final = 5
"""The number of thoughts and of calls that are shown."""


def lines_of(checkpoint: AgentCheckpoint) -> Iterator[str]:
    """Yield one checkpoint as lines of text; values that look like secrets are withheld."""
    return (head(harmless(line), _ROOM) for line in _lines(withheld(checkpoint)[0]))


def _lines(checkpoint: AgentCheckpoint) -> Iterator[str]:
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
        yield f"continues  from {checkpoint.parent.checkpoint_id}{branch}{why}"
    if checkpoint.about is not None:
        yield f"about      {checkpoint.about.question or checkpoint.about.benchmark}"
    thoughts, calls = snapshot.thought_chain, snapshot.tool_state.calls
    yield _counted("thoughts", thoughts)
    for thought in thoughts[-_LATEST:]:
        confidence = "" if thought.confidence is None else f" {thought.confidence}"
        yield f"  {thought.id} {thought.type}{confidence}: {_shown('content', thought.content)}"
    yield _counted("tool calls", calls)
    for call in calls[-_LATEST:]:
        text = _shown("args", call.args or {}) if call.error is None else _shown("error", call.error)
        yield f"  {call.id} {call.tool_id or 'a tool'} {outcome_of(call)}: {text}"
    for title, members in (("variables", snapshot.context.variables), ("state", snapshot.context.state)):
        if members:
            yield title
            yield from (f"  {key}: {_shown(key, value)}" for key, value in members.items())
    for title, entries in (("history", snapshot.context.history), ("memory", snapshot.context.memory)):
        if entries:
            yield f"{title:<11}{len(entries)} entries"


def _counted(title: str, these: Sequence[Any]) -> str:
    return f"{title} ({len(these)}{f', the last {_LATEST}' if len(these) > _LATEST else ''})"


def _shown(key: str, value: Any) -> str:
    value = without_secrets(value, key)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

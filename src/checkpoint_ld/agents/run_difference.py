"""The difference of two runs, step by step: what was the same, what differs, and where they part.

Ids of thoughts and calls are random, so that steps are aligned by what they are: a thought by its type and content, a
call by its tool and arguments, both by their order (`difflib`). Steps between those that are the same are paired by
type or tool. Of a pair, everything that differs is told.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from html import escape
from string import Template
from typing import TYPE_CHECKING, Any, Final, Literal

from checkpoint_ld.agents.timeline import RUNS, instant, span
from checkpoint_ld.data import packaged
from checkpoint_ld.phrases import counted, harmless, harmless_lines, head

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from checkpoint_ld.agents.timeline import Moment, Timeline

Comparison = Literal["same", "differs", "only before", "only after"]
_MARKS: Final[dict[Comparison, str]] = {"same": " ", "differs": "~", "only before": "-", "only after": "+"}
_WIDTH: Final = 100


@dataclass(frozen=True, slots=True)
class StepPair:
    """A step of two runs, or of one of them. `differences` has the values of both by what differs."""

    before: Moment | None
    after: Moment | None
    differences: dict[str, tuple[str, str]]

    @property
    def comparison(self) -> Comparison:
        """How the two compare."""
        if self.before is None:
            return "only after"
        if self.after is None:
            return "only before"
        return "differs" if self.differences else "same"

    @property
    def step(self) -> Moment:
        """The step of the run before, or else of the one after."""
        found = self.before or self.after
        assert found is not None  # noqa: S101 - one of them is there
        return found


@dataclass(frozen=True)
class RunDifference:
    """The steps of two runs, aligned. It is true where anything differs."""

    before: Timeline
    after: Timeline
    steps: tuple[StepPair, ...]

    def __bool__(self) -> bool:
        return self.parted is not None

    @property
    def parted(self) -> int | None:
        """The number of the first step that is not the same, from 0; None if there is none."""
        return next((number for number, one in enumerate(self.steps) if one.comparison != "same"), None)

    def counts(self) -> dict[Comparison, int]:
        """Return the number of steps by how they compare."""
        each = [one.comparison for one in self.steps]
        return {name: each.count(name) for name in _MARKS}

    def to_dict(self) -> dict[str, Any]:
        """Return the difference as JSON."""
        return {
            "before": {"agent_id": self.before.agent_id, "executions": [*self.before.executions]},
            "after": {"agent_id": self.after.agent_id, "executions": [*self.after.executions]},
            "parted": self.parted,
            "counts": self.counts(),
            "steps": [
                {
                    "comparison": one.comparison,
                    "kind": one.step.kind,
                    "label": one.step.label,
                    "text": one.step.text,
                    "before": None if one.before is None else one.before.id,
                    "after": None if one.after is None else one.after.id,
                    "differences": {name: [*both] for name, both in one.differences.items()},
                }
                for one in self.steps
            ],
        }

    def to_text(self, width: int = _WIDTH) -> str:
        """Return the difference as lines: steps that are the same are counted, all others are shown."""
        lines = [*self._summary(), ""]
        same = 0
        for one in self.steps:
            if one.comparison == "same":
                same += 1
                continue
            if same:
                lines.append(f"  … {counted(same, 'step')} the same")
            same = 0
            lines.append(f"{_MARKS[one.comparison]} {_title(one)}")
            for name, (old, new) in one.differences.items():
                lines += [f"    {name}", f"    - {old}", f"    + {new}"]
        if same:
            lines.append(f"  … {counted(same, 'step')} the same")
        return "\n".join(head(harmless(line), width) for line in lines)

    def to_html(self) -> str:
        """Return the difference as a page: no network, no script, no other file."""
        from checkpoint_ld.validation.reports.page import look  # noqa: PLC0415 - loads rdflib

        title = f"{self.before.agent_id}: two runs"
        return Template(packaged("agents/comparison.html")).substitute(
            title=escape(harmless(title)),
            style=look() + packaged("agents/page.css"),
            summary="".join(f"<p>{escape(harmless(line))}</p>" for line in self._summary()),
            rows="\n".join(_row(number, one) for number, one in enumerate(self.steps)),
        )

    def _summary(self) -> Iterator[str]:
        for sign, run in (("-", self.before), ("+", self.after)):
            names = ", ".join(run.executions)
            yield f"{sign} {names} of {run.agent_id}, {instant(run.start)}, {span(run.duration_ms)}"
        found = self.counts()
        words = {**dict(zip(found, found, strict=True)), "differs": "different"}
        yield ", ".join(f"{count} {words[name]}" for name, count in found.items() if count) or "no steps"
        if self.parted is None:
            yield "the same all along"
        else:
            yield f"they part at step {self.parted + 1}: {_title(self.steps[self.parted])}"


def diff_runs(before: Timeline, after: Timeline) -> RunDifference:
    """Return the difference of two runs, each given by its timeline (`timeline_of`)."""
    old, new = _steps(before), _steps(after)
    pairs: list[StepPair] = []
    matcher = SequenceMatcher(None, [*map(_content, old)], [*map(_content, new)], autojunk=False)
    for tag, start, end, begin, until in matcher.get_opcodes():
        if tag == "equal":
            pairs += [_pair(one, other) for one, other in zip(old[start:end], new[begin:until], strict=True)]
        else:
            pairs += _between(old[start:end], new[begin:until])
    return RunDifference(before, after, tuple(pairs))


def _steps(run: Timeline) -> list[Moment]:
    return [moment for moment in run.moments if moment.kind in ("thought", "call") and moment.lane != RUNS]


def _between(old: Sequence[Moment], new: Sequence[Moment]) -> Iterator[StepPair]:
    """Yield the steps between those that are the same, paired by type or tool, in order."""
    matcher = SequenceMatcher(None, [*map(_kind, old)], [*map(_kind, new)], autojunk=False)
    for tag, start, end, begin, until in matcher.get_opcodes():
        if tag == "equal":
            yield from (_pair(one, other) for one, other in zip(old[start:end], new[begin:until], strict=True))
        else:
            yield from (StepPair(one, None, {}) for one in old[start:end])
            yield from (StepPair(None, one, {}) for one in new[begin:until])


def _kind(step: Moment) -> tuple[str, str]:
    return step.kind, step.label


def _content(step: Moment) -> tuple[str, str, str]:
    """Return what a step is: a thought's content, the arguments of a call."""
    return step.kind, step.label, step.text if step.kind == "thought" else dict(step.details).get("arguments", "")


def _pair(one: Moment, other: Moment) -> StepPair:
    old, new = _facts(one), _facts(other)
    names = [*old, *(name for name in new if name not in old)]
    both = {name: (old.get(name, "(none)"), new.get(name, "(none)")) for name in names}
    return StepPair(one, other, {name: values for name, values in both.items() if values[0] != values[1]})


def _facts(step: Moment) -> dict[str, str]:
    if step.kind == "thought":
        confidence = {} if step.confidence is None else {"confidence": str(step.confidence)}
        return {"content": step.text, **confidence}
    error = {"error": step.text} if step.outcome == "failed" else {}
    return {**dict(step.details), "outcome": step.outcome, **error}


def _title(pair: StepPair) -> str:
    step = pair.step
    arguments = dict(step.details).get("arguments", "")
    return f"{step.label}: {step.text}" if step.kind == "thought" else f"{step.label}({arguments})"


def _row(number: int, pair: StepPair) -> str:
    comparison = pair.comparison
    found = "".join(
        f"<p>{escape(name)}</p><del>{_escaped(old)}</del><ins>{_escaped(new)}</ins>"
        for name, (old, new) in pair.differences.items()
    )
    return (
        f'<tr class="{comparison.replace(" ", "-")}"><td>{number + 1}</td><td>{comparison}</td>'
        f"<td>{pair.step.kind}<br>{escape(harmless(pair.step.label))}</td>"
        f"<td>{_escaped(pair.step.text if pair.step.kind == 'thought' else _title(pair))}{found}</td></tr>"
    )


def _escaped(text: str) -> str:
    return escape(harmless_lines(text))

"""How far an agent is: steps, tokens, time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint_ld.agent.values import LARGEST_COUNT, SnapshotProgress
from checkpoint_ld.arguments import CheckedMethods
from checkpoint_ld.errors import WriteError, WrongTypeError

if TYPE_CHECKING:
    from checkpoint_ld.runtime.changes import Changes


class ExecutionProgress(CheckedMethods):
    """Counters that never fall: `step_number`, `tokens_used`, and `duration_ms`, which follows the clock.

    `total_steps_estimate` and `iterations_completed` are set by who knows them; None where nobody does.
    """

    def __init__(self, changes: Changes, base: SnapshotProgress) -> None:
        self._changes = changes
        self._base = base
        self._counts = {"step_number": base.step_number, "tokens_used": base.tokens_used or 0}
        self._before = base.duration_ms or 0
        self._started = changes.clock.monotonic()

    @property
    def step_number(self) -> int:
        """The step of the execution: it rises with each thought, or by `advance` only where that was asked for."""
        return self._counts["step_number"]

    @property
    def tokens_used(self) -> int:
        """The tokens that were used since the execution began."""
        return self._counts["tokens_used"]

    @property
    def duration_ms(self) -> float:
        """The milliseconds that the agent ran, those before it was restored included, but not the time between."""
        return self._before + max(0, self._changes.clock.monotonic() - self._started)

    @property
    def total_steps_estimate(self) -> int | None:
        """How many steps it will take, as far as somebody can tell."""
        return self._base.total_steps_estimate

    @total_steps_estimate.setter
    def total_steps_estimate(self, steps: int | None) -> None:
        self._set("total_steps_estimate", steps)

    @property
    def iterations_completed(self) -> int | None:
        """How many rounds of its own the agent has finished."""
        return self._base.iterations_completed

    @iterations_completed.setter
    def iterations_completed(self, iterations: int | None) -> None:
        self._set("iterations_completed", iterations)

    def advance(self, steps: int = 1) -> None:
        """Go on by some steps. Raises WriteError for less than none."""
        self._add("step_number", steps)

    def add_tokens(self, n: int) -> None:
        """Count tokens that were used. Raises WriteError for less than none."""
        self._add("tokens_used", n)

    def taken(self, thoughts: int, calls: int) -> SnapshotProgress:
        """Return the progress as it is now, with these totals."""
        totals: dict[str, Any] = {"total_thoughts": thoughts, "total_tool_calls": calls}
        return self._base.model_copy(update={**self._counts, **totals, "duration_ms": self.duration_ms})

    def _add(self, field: str, n: int) -> None:
        n = _count(n, field)
        with self._changes.change():
            before = self._counts[field]
            self._counts[field] = _count(before + n, field)
            self._changes.changed("progress.changed", field=field, before=before, after=before + n)

    def _set(self, field: str, value: int | None) -> None:
        with self._changes.change():
            before = getattr(self._base, field)
            after = None if value is None else _count(value, field)
            self._base = self._base.but(**{field: after})
            self._changes.changed("progress.changed", field=field, before=before, after=after)


def _count(n: object, field: str) -> int:
    if not isinstance(n, int) or isinstance(n, bool):
        raise WrongTypeError(f"{field} is counted in whole numbers, not in {type(n).__name__}")
    if not 0 <= n <= LARGEST_COUNT:
        raise WriteError(f"{field} goes from 0 to {LARGEST_COUNT} and never falls: {n} is refused")
    return n

"""Whether regular expressions compile. They are never matched against anything."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from checkpoint_ld.checks.sources import pattern_fault
from checkpoint_ld.templates.primitives import FLAGS

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_WORK = 200_000
"""How much may be compiled for one template, in characters; about a quarter of a second."""

_SET_WORK = 1_000
_RANGE_WORK = 500
_RANGE_WORK_IGNORING_CASE = 3_000
_WIDE = re.compile(r"[^\x00-\x7f]|\\[uUN]")
_IGNORES_CASE = re.compile(r"\(\?[aLmsux]*i")


class Patterns:
    """Compiles the patterns of one template, up to an amount of work that a hostile one cannot exceed."""

    def __init__(self) -> None:
        self.skipped = 0
        self._left = MOST_WORK

    def fault(self, pattern: str, flags: Iterable[str] = ()) -> str | None:
        """Return what keeps `pattern` from compiling under the named flags, None if nothing does.

        Patterns beyond the amount of work are not tried; `skipped` counts them.
        """
        letters = {FLAGS.get(flag, "") for flag in flags}
        ignores_case = "I" in letters or _IGNORES_CASE.search(pattern) is not None
        self._left -= _work(pattern, ignores_case=ignores_case)
        if self._left < 0:
            self.skipped += 1
            return None
        if "X" in letters and pattern_fault(f"(?x:{pattern}\n)") is None:
            return None
        return pattern_fault(pattern)


def _work(pattern: str, *, ignores_case: bool) -> int:
    """Estimate what compiling costs: sets and ranges beyond ASCII are spelt out character by character."""
    if _WIDE.search(pattern) is None:
        return len(pattern)
    range_work = _RANGE_WORK_IGNORING_CASE if ignores_case else _RANGE_WORK
    return len(pattern) + pattern.count("[") * _SET_WORK + pattern.count("-") * range_work

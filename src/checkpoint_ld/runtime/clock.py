"""Clocks of a state: the time of day for moments, a clock that never goes back for durations."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from checkpoint_ld.arguments import CheckedMethods

if TYPE_CHECKING:
    from collections.abc import Callable


def _wall() -> int:
    return time.time_ns() // 1_000_000


def _monotonic() -> int:
    return time.monotonic_ns() // 1_000_000


@dataclass(frozen=True, slots=True)
class Clock(CheckedMethods):
    """Where a state takes its time from: `wall` in epoch milliseconds (UTC), `monotonic` in milliseconds since ever.

    Give functions of your own for runs that can be repeated exactly.
    """

    wall: Callable[[], int] = _wall
    monotonic: Callable[[], int] = _monotonic

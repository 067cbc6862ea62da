"""How much the tests try: everything, or as much as minutes allow."""

from __future__ import annotations

import os

ALL = os.environ.get("CHECKPOINT_LD_TESTS") == "all"
CI = "CI" in os.environ


def examples(number: int) -> int:
    """Return how many examples a property is tried with: `number` where everything is tried, else a fifth of them.

    CI tries half of them: its examples are the same in every run, so that many find no more than some do.
    """
    share = (2 if CI else 1) if ALL else 5
    return max(number // share, 5)


def kills(number: int) -> int:
    """Return how often something is killed: `number` times, half as often in CI, which is to end soon."""
    return number // 2 if CI else number

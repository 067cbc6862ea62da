"""How much the tests try: everything, or as much as minutes allow."""

import os
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
ALL = os.environ.get("CHECKPOINT_LD_TESTS") == "all"
CI = "CI" in os.environ


def examples(number: int) -> int:
    """Return how many examples a property is tried with: `number` where everything is tried, else a fifth of them.

    CI tries a fifth too: its examples are the same in every run, so that many find no more than some do.
    """
    return number if ALL and not CI else max(number // 5, 5)


def kills(number: int) -> int:
    """Return how often something is killed: `number` times, a sixth as often in CI, which is to end soon."""
    return max(number // 6, 2) if CI else number


def some(cases: Sequence[T], every: int) -> Sequence[T]:
    """Return the cases that are run where they take long and are much alike: all, in CI only every so many."""
    return cases[::every] if CI else cases

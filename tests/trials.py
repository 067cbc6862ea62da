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


def some(cases: Sequence[T], every: int) -> Sequence[T]:
    """Return the cases that are run where they take long and are much alike: all, in CI only every so many."""
    return cases[::every] if CI else cases

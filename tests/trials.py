"""How much the tests try: everything, or as much as minutes allow."""

from __future__ import annotations

import os

ALL = os.environ.get("CHECKPOINT_LD_TESTS") == "all"


def examples(number: int) -> int:
    """Return how many examples a property is tried with: `number` where everything is tried, else a fifth of them."""
    return number if ALL else max(number // 5, 5)

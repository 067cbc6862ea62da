"""Moments: times in milliseconds that can be compared; what is none is for the shapes of structure to tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from checkpoint_ld.agent.rules.parts import Part, Parts


def moment(value: Any) -> int | None:
    """Return a time in milliseconds, None for what is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def is_before(one: Any, other: Any) -> bool:
    """Tell whether one time is before another; what is no time is before nothing, and nothing before it."""
    first, second = moment(one), moment(other)
    return first is not None and second is not None and first < second


def late(parts: Parts, part: Part, key: str) -> bool:
    """Tell whether a member of a part is after the checkpoint was made.

    A checkpoint whose timestamp looks like seconds is before everything in it: that is told once, at the timestamp.
    """
    made = moment(parts.tree.get("timestamp"))
    return made is not None and made >= SECONDS and is_before(made, part.tree.get(key))


SECONDS = 10**11
"""Below this a number of milliseconds looks like seconds (it is a day of 1973, or before)."""

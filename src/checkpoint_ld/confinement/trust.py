"""The words by which somebody takes responsibility for code that is stored in a document."""

from __future__ import annotations

from dataclasses import dataclass

from checkpoint_ld.errors import SettingsError

LONGEST = 3600.0
"""More seconds than this are no limit."""

LEAST_MEMORY = 128
"""Python with this package needs half of these megabytes for itself."""

MOST_MEMORY = 1_048_576
"""More megabytes than this are no limit."""


@dataclass(frozen=True, slots=True)
class Trust:
    """I have read the code that I am about to run, and I trust it.

    `seconds` is how long each run may take, `megabytes` how much memory it may have, Python itself included. Both are
    limits for accidents: code that means harm is to be kept from running at all. Raises `SettingsError` (a ValueError)
    for limits that are none.
    """

    seconds: float = 10.0
    megabytes: int = 512

    def __post_init__(self) -> None:
        seconds, megabytes = self.seconds, self.megabytes
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds <= LONGEST:
            raise SettingsError(
                f"code cannot be trusted for {seconds!r} seconds: give more than 0, {LONGEST:g} at most"
            )
        if type(megabytes) is not int or not LEAST_MEMORY <= megabytes <= MOST_MEMORY:
            raise SettingsError(
                f"code cannot be trusted with {megabytes!r} megabytes: give a whole number from {LEAST_MEMORY} on"
            )

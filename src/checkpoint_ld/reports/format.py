"""What a format of reports is, and what a reader may set about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from checkpoint_ld.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Callable

    from checkpoint_ld.report import Report


class Settings(NamedTuple):
    """How a report is rendered; a format leaves alone what does not concern it.

    `colour` asks for ANSI colours, for a terminal. `width` is that of source excerpts, in terminal cells.
    `max_per_rule` is how many findings of one rule a list for people holds, 0 for all of them. `fail_on` is the
    severity from which on a finding is a failed test, None for never.
    """

    colour: bool = False
    width: int = 100
    max_per_rule: int = 5
    fail_on: Severity | None = Severity.VIOLATION


class Format(NamedTuple):
    """One way of writing a report: what it is for, in a few words, and the function that writes it."""

    about: str
    render: Callable[[Report, Settings], str]

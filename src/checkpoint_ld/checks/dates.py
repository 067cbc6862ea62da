"""Checks on the dates of a benchmark and of its elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checkpoint_ld.checks.readings import shown
from checkpoint_ld.documents.values import is_iso_8601

if TYPE_CHECKING:
    from checkpoint_ld.checks.spot import Spot

ROOT, ITEM = "benchmark", "item"

UNDATED = {
    "v2.0": frozenset((role, member) for role in (ROOT, ITEM) for member in ("dateCreated", "dateModified")),
    "dataset": frozenset({(ITEM, "dateCreated")}),
    "flat": frozenset({(ROOT, "dateCreated"), (ITEM, "dateCreated"), (ITEM, "dateModified")}),
}
"""Dates that a dialect has no place for or may leave out, by the beginning of its name."""


def check_dates(spot: Spot, holder: dict[str, object], role: str) -> None:
    """Check dateCreated and dateModified of the root or an item (`role`)."""
    for member in ("dateCreated", "dateModified"):
        date = holder.get(member)
        if date is None:
            if not _is_optional(spot.inquiry.dialect, role, member):
                spot.at(member).report(f"{role}-{member.removeprefix('date').lower()}", f"there is no {member}")
        elif not is_iso_8601(date):
            spot.at(member).report(f"{role}-date-format", f"{member} is {shown(date)}; it is kept as it is")


def _is_optional(dialect: str, role: str, member: str) -> bool:
    return any(dialect.startswith(prefix) and (role, member) in dates for prefix, dates in UNDATED.items())

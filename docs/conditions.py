"""Write docs/conditions.md from the catalogue: `python docs/conditions.py`."""

from __future__ import annotations

from pathlib import Path

from checkpoint_ld.conditions import CONDITIONS, Condition
from checkpoint_ld.findings import Severity

HEAD = """\
# Conditions

Everything that can be wrong or odd about a checkpoint has a code that stays the same. A code with `E-` means that the
document is refused; all such faults are reported together. A code with `W-` means that it is read, and that something
about it deserves a look. [Reading](reading.md#findings) shows how findings look and how to get at them.

This page is made by `python docs/conditions.py` from the catalogue in the code.
"""


def page() -> str:
    """Return the page."""
    refused = [one for one in CONDITIONS.values() if one.severity is Severity.VIOLATION]
    read = [one for one in CONDITIONS.values() if one.severity is not Severity.VIOLATION]
    return "\n".join((HEAD, *_table("Refused", refused), "", *_table("Read with a warning", read), ""))


def _table(title: str, conditions: list[Condition]) -> list[str]:
    rows = (
        f'| <a id="{one.code}"></a>`{one.code}` | {one.title} | {_cell(one.why)} | {_cell(one.remedy)} |'
        for one in conditions
    )
    return [f"## {title}", "", "| code | what | why it matters | what to do |", "|---|---|---|---|", *rows]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    Path(__file__).with_suffix(".md").write_text(page(), encoding="utf-8")

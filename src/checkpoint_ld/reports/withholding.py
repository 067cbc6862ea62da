"""What reports withhold: a report goes further than the file, so lines with what looks like a secret are not shown.

The values themselves are not even in findings: validation leaves them out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from checkpoint_ld.findings import Finding
    from checkpoint_ld.report import Checked
    from checkpoint_ld.reports.excerpt import Source
    from checkpoint_ld.rules import Rule

FORM = "no-secret"
"""The form (`Rule.form`) that values have which are no secrets."""


def source_of(checked: Checked, rules: Mapping[str, Rule]) -> Source | None:
    """Return the text that findings point into, without the lines that hold a secret; None where there is no text."""
    if checked.text is None:
        return None
    from checkpoint_ld.reports.excerpt import Source  # noqa: PLC0415 - most files are clean

    source = Source(checked.text)
    for found in checked.findings:
        if _is_secret(found, rules) and found.place.line is not None:
            source.withhold(found.place.line, found.place.column or 1)
    return source


def _is_secret(found: Finding, rules: Mapping[str, Rule]) -> bool:
    rule = rules.get(found.code)
    return rule is not None and rule.form == FORM

"""A report as JSON for programs; `report.schema.json` beside this module describes it."""

from __future__ import annotations

import json
from importlib import resources
from typing import TYPE_CHECKING, Any

from checkpoint_ld.reports import tool
from checkpoint_ld.reports.summary import counts_of, word

if TYPE_CHECKING:
    from collections.abc import Mapping

    from checkpoint_ld.findings import Finding, Severity
    from checkpoint_ld.report import Checked, Report
    from checkpoint_ld.reports.format import Settings
    from checkpoint_ld.rules import Rule

VERSION = 1
"""Version of the form; a member that is added does not change it, one that goes or changes its meaning does."""


def render(report: Report, _: Settings) -> str:
    """Return the report as one JSON object."""
    found = {one.code: report.rules[one.code] for one in report.findings if one.code in report.rules}
    return tool.dumped(
        {
            "version": VERSION,
            "tool": tool.NAME,
            "toolVersion": tool.version(),
            "profile": report.profile,
            "conforms": report.conforms,
            "summary": {"files": len(report.checked), **_counts(report.counts)},
            "files": [_file(checked) for checked in report.checked],
            "findings": [_finding(checked, one) for checked in report.checked for one in checked.findings],
            "rules": {code: _rule(found[code]) for code in sorted(found)},
        }
    )


def schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of this format."""
    text = (resources.files("checkpoint_ld.reports") / "report.schema.json").read_text(encoding="utf-8")
    described: dict[str, Any] = json.loads(text)
    return described


def _counts(counts: Mapping[Severity, int]) -> dict[str, int]:
    return {f"{word(severity)}s": number for severity, number in counts.items()}


def _file(checked: Checked) -> dict[str, Any]:
    return {"file": checked.source, "dialect": checked.dialect, **_counts(counts_of(checked.findings))}


def _finding(checked: Checked, found: Finding) -> dict[str, Any]:
    return {
        "code": found.code,
        "rule": found.rule,
        "condition": found.condition,
        "severity": word(found.severity),
        "message": found.message,
        "remedy": found.remedy,
        "subject": found.subject,
        "value": found.value,
        "file": checked.source,
        "dialect": found.dialect,
        "pointer": found.place.pointer,
        "line": found.place.line,
        "column": found.place.column,
        "node": found.node,
        "fixable": found.fixable,
    }


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "rule": rule.slug,
        "title": rule.title,
        "severity": word(rule.severity),
        "why": rule.why,
        "remedy": rule.remedy,
        "condition": rule.condition,
        "see": rule.see,
        "shape": rule.shape,
        "family": rule.family,
    }

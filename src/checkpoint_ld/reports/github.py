"""A report as workflow commands of GitHub Actions, which become annotations on the files of a pull request."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import TYPE_CHECKING

from checkpoint_ld.characters import harmless
from checkpoint_ld.findings import Severity
from checkpoint_ld.reports.summary import selection, verdict

if TYPE_CHECKING:
    from checkpoint_ld.findings import Finding
    from checkpoint_ld.report import Checked, Report
    from checkpoint_ld.reports.format import Settings

COMMANDS = {Severity.VIOLATION: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(report: Report, settings: Settings) -> str:
    """Return one command to a line, then what is not listed and what was counted, as plain lines of the log."""
    chosen = selection(report, settings.max_per_rule)
    commands = [_command(checked, found) for checked, findings in chosen.kept for found in findings]
    remarks = [*chosen.remarks, verdict(report)]
    return "\n".join([*commands, *(harmless(remark) for remark in remarks)]) + "\n"


def _command(checked: Checked, found: Finding) -> str:
    properties = {
        "file": PurePath(checked.source).as_posix() if checked.source is not None else None,
        "line": found.place.line,
        "col": found.place.column,
        "title": _printable(" ".join(part for part in (found.code, found.rule) if part)),
    }
    said = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items() if value is not None)
    what = f"{found.subject}: {found.message}" if found.subject else found.message
    text = _printable("\n".join(part for part in (what, found.remedy) if part))
    return f"::{COMMANDS[found.severity]} {said}::{_data(text)}"


def _printable(text: str) -> str:
    """Return `text` without what a log would act upon; line ends stay, they are escaped later."""
    return re.sub(r"[^\r\n]+", lambda line: harmless(line[0]), text)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")

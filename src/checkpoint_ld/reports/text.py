"""A report as text for people: as a compiler would print it, as annotations of GitHub Actions, as Markdown."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import TYPE_CHECKING

from checkpoint_ld.findings import Severity
from checkpoint_ld.phrases import harmless
from checkpoint_ld.reports.excerpt import source_of
from checkpoint_ld.reports.summary import (
    by_rule,
    counted,
    counts_of,
    name_of,
    position,
    rule_of,
    selection,
    tally,
    verdict,
    what,
    word,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from checkpoint_ld.findings import Finding
    from checkpoint_ld.report import Checked, Report
    from checkpoint_ld.reports import Settings
    from checkpoint_ld.reports.excerpt import Source

    Painter = Callable[[str, str], str]

_BOLD, _DIM, _GREEN = "1", "2", "32"
_STYLES = {Severity.VIOLATION: "1;31", Severity.WARNING: "1;33", Severity.INFO: "1;36"}
"""Select Graphic Rendition parameters (ECMA-48 §8.3.117)."""
COMMANDS = {Severity.VIOLATION: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
"""Workflow commands of GitHub Actions."""
_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_PUNCTUATION = re.compile(r"[\\`*_\[\]#|~$]|(?<=:)//")
_MENTION = re.compile(r"@|\\#(?=\d)")


def terminal(report: Report, settings: Settings) -> str:
    """Return each finding with its place, the line that it points into and what to do; then what was counted."""

    def paint(style: str, text: str) -> str:
        return f"\x1b[{style}m{text}\x1b[0m" if settings.colour else text

    chosen = selection(report, settings.max_per_rule)
    blocks = []
    for checked, findings in chosen.kept:
        source = source_of(checked, report.rules)
        blocks += ["\n".join(_block(checked, found, source, settings.width, paint)) for found in findings]
    if chosen.remarks:
        blocks.append("\n".join(paint(_DIM, remark) for remark in chosen.remarks))
    blocks.append(paint(_BOLD, harmless(verdict(report))))
    return "\n\n".join(blocks) + "\n"


def statistics(report: Report, settings: Settings) -> str:  # noqa: ARG001 - every format gets them
    """Return how many findings there are of each rule, and what was counted."""
    rows = [
        (str(one.number), word(one.severity), one.code, one.rule, f"{one.fixable} by --fix" if one.fixable else "")
        for one in by_rule(report)
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join((row[0].rjust(widths[0]), *map(str.ljust, row[1:], widths[1:]))).rstrip() for row in rows]
    return "\n".join([*map(harmless, lines), *([""] if rows else []), harmless(verdict(report))]) + "\n"


def _block(checked: Checked, found: Finding, source: Source | None, width: int, paint: Painter) -> Iterator[str]:
    place = found.place
    where = paint(_BOLD, harmless(":".join(filter(None, (name_of(checked), position(place))))))
    severity = paint(_STYLES[found.severity], word(found.severity))
    yield f"{where}: {severity} {paint(_BOLD, harmless(rule_of(found)))}: {harmless(found.message)}"
    if found.subject:
        yield f"  in {harmless(found.subject)}"
    if place.line is not None:
        yield from _excerpt(source, place.line, place.column or 1, width, paint) if source is not None else ()
    else:
        if place.pointer:
            yield f"  at {harmless(place.pointer)}"
        if found.node is not None:
            yield f"  node <{harmless(found.node)}>"
    if found.remedy:
        yield f"  {paint(_GREEN, 'fix:')} {harmless(found.remedy)}{' (--fix does it)' if found.fixable else ''}"


def _excerpt(source: Source, line: int, column: int, width: int, paint: Painter) -> Iterator[str]:
    gutter = f"{line:>5} | "
    excerpt = source.excerpt(line, column, max(width - len(gutter), 20))
    if excerpt is not None:
        yield paint(_DIM, gutter) + excerpt.text
        marks = paint(_GREEN, "^" + "~" * (excerpt.extent - 1))
        yield paint(_DIM, "| ".rjust(len(gutter))) + " " * excerpt.indent + marks


def commands(report: Report, settings: Settings) -> str:
    """Return a workflow command to a line, which GitHub Actions makes an annotation on a file of a pull request.

    What is not listed and what was counted follow as plain lines of the log.
    """
    chosen = selection(report, settings.max_per_rule)
    lines = [_command(checked, found) for checked, findings in chosen.kept for found in findings]
    return "\n".join([*lines, *map(harmless, (*chosen.remarks, verdict(report)))]) + "\n"


def _command(checked: Checked, found: Finding) -> str:
    properties = {
        "file": PurePath(checked.source).as_posix() if checked.source is not None else None,
        "line": found.place.line,
        "col": found.place.column,
        "title": _printable(rule_of(found)),
    }
    escaped_ones = {
        name: _data(str(value)).replace(":", "%3A").replace(",", "%2C")
        for name, value in properties.items()
        if value is not None
    }
    named = ",".join(f"{name}={value}" for name, value in escaped_ones.items())
    text = _printable("\n".join(filter(None, (what(found), found.remedy))))
    return f"::{COMMANDS[found.severity]} {named}::{_data(text)}"


def _printable(text: str) -> str:
    """Return `text` without what a log would act upon; line ends stay, they are escaped later."""
    return re.sub(r"[^\r\n]+", lambda line: harmless(line[0]), text)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def markdown(report: Report, settings: Settings) -> str:
    """Return GitHub-flavoured Markdown: a table of the files, and for each that is not clean one of its findings."""
    return "\n".join(_markdown(report, settings.max_per_rule))


def _markdown(report: Report, max_per_rule: int) -> Iterator[str]:
    chosen = selection(report, max_per_rule)
    yield f"### checkpoint-ld: {tally(report.counts) if report.checked else 'nothing to check'}\n"
    yield f"{counted(len(report.checked), 'file')}, profile {escaped(report.profile)}\n"
    if report.checked:
        yield "| file | dialect | violations | warnings | infos |\n|---|---|--:|--:|--:|"
    for checked in report.checked:
        numbers = " | ".join(str(number) for number in counts_of(checked.findings).values())
        yield f"| {code(name_of(checked))} | {escaped(checked.dialect or '')} | {numbers} |"
    for checked, findings in chosen.kept:
        if findings:
            yield f"\n#### {code(name_of(checked))}\n\n| place | rule | finding |\n|---|---|---|"
            yield from map(_row, findings)
    if chosen.remarks:
        yield ""
        yield from (f"- {escaped(remark)}" for remark in chosen.remarks)
    yield ""


def _row(found: Finding) -> str:
    where = position(found.place) or code(found.place.pointer or found.node or "")
    rule = f"**{word(found.severity)}** {code(found.code)} {escaped(found.rule)}".rstrip()
    fix = f"<br>*fix:* {escaped(found.remedy)}" if found.remedy else ""
    return f"| {where} | {rule} | {escaped(what(found))}{fix} |"


def escaped(text: str) -> str:
    """Return `text` so that Markdown shows it as it is: no markup, no link, nobody notified, no issue referred to."""
    text = harmless(text).translate(_HTML)
    text = _PUNCTUATION.sub(lambda mark: "\\" + mark[0] if len(mark[0]) == 1 else "\\/\\/", text)
    return _MENTION.sub(lambda mark: mark[0] + "<!-- -->", text)


def code(text: str) -> str:
    """Return `text` as code, in which Markdown reads nothing but entities; empty for an empty text."""
    inner = re.sub(r"[^\w ./-]|_", lambda mark: f"&#{ord(mark[0])};", harmless(text))
    return f"<code>{inner}</code>" if inner else ""

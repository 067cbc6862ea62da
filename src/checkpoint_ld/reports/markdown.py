"""A report as GitHub-flavoured Markdown, for comments on pull requests and summaries of jobs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from checkpoint_ld.characters import harmless
from checkpoint_ld.reports.summary import counted, counts_of, name_of, selection, tally, word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.findings import Finding
    from checkpoint_ld.report import Report
    from checkpoint_ld.reports.format import Settings
    from checkpoint_ld.reports.summary import Selection

_HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_PUNCTUATION = re.compile(r"[\\`*_\[\]#|~$]|(?<=:)//")
_MENTION = re.compile(r"@|\\#(?=\d)")


def render(report: Report, settings: Settings) -> str:
    """Return a table of the files, and for each file that is not clean a table of its findings."""
    return "\n".join(_lines(report, selection(report, settings.max_per_rule)))


def _lines(report: Report, chosen: Selection) -> Iterator[str]:
    yield f"### checkpoint-ld: {tally(report.counts) if report.checked else 'nothing to check'}"
    yield ""
    yield f"{counted(len(report.checked), 'file')}, profile {escaped(report.profile)}"
    yield ""
    if report.checked:
        yield "| file | dialect | violations | warnings | infos |"
        yield "|---|---|--:|--:|--:|"
    for checked in report.checked:
        numbers = " | ".join(str(number) for number in counts_of(checked.findings).values())
        yield f"| {code(name_of(checked))} | {escaped(checked.dialect or '')} | {numbers} |"
    for checked, findings in chosen.kept:
        if findings:
            yield f"\n#### {code(name_of(checked))}\n"
            yield "| place | rule | finding |"
            yield "|---|---|---|"
            yield from (_row(found) for found in findings)
    if chosen.remarks:
        yield ""
        yield from (f"- {escaped(remark)}" for remark in chosen.remarks)
    yield ""


def _row(found: Finding) -> str:
    place = found.place
    where = ":".join(str(part) for part in (place.line, place.column) if part is not None)
    where = where or code(place.pointer or found.node or "")
    rule = f"**{word(found.severity)}** {code(found.code)} {escaped(found.rule)}".rstrip()
    what = f"{found.subject}: {found.message}" if found.subject else found.message
    fix = f"<br>*fix:* {escaped(found.remedy)}" if found.remedy else ""
    return f"| {where} | {rule} | {escaped(what)}{fix} |"


def escaped(text: str) -> str:
    """Return `text` so that Markdown shows it as it is: no markup, no link, nobody notified, no issue referred to."""
    text = "".join(_HTML.get(char, char) for char in harmless(text))
    text = _PUNCTUATION.sub(lambda mark: "\\" + mark[0] if len(mark[0]) == 1 else "\\/\\/", text)
    return _MENTION.sub(lambda mark: mark[0] + "<!-- -->", text)


def code(text: str) -> str:
    """Return `text` as code, in which Markdown reads nothing but entities; empty for an empty text."""
    inner = re.sub(r"[^\w ./-]|_", lambda mark: f"&#{ord(mark[0])};", harmless(text))
    return f"<code>{inner}</code>" if inner else ""

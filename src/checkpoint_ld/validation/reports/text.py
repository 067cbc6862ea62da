"""A report as text for people: in the layout of a compiler, as annotations of GitHub Actions, as Markdown.

Each finding is shown with its line of the source.
"""

from __future__ import annotations

import json
import re
from array import array
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from checkpoint_ld.documents.files import in_repository
from checkpoint_ld.findings import Severity, counts_of
from checkpoint_ld.phrases import cells, counted, harmless, head, tail

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from checkpoint_ld.findings import Finding, Place
    from checkpoint_ld.rules import Rule
    from checkpoint_ld.validation.reports import ReportSettings
    from checkpoint_ld.validation.results import Checked, Report

    Painter = Callable[[str, str], str]

TOOL = "checkpoint-ld"


def version() -> str:
    """Return the version of the installed package."""
    from importlib.metadata import version as installed  # noqa: PLC0415 - reports for people do without

    return installed(TOOL)


def name_of(checked: Checked) -> str:
    """Return the name of a source in a report."""
    return "<input>" if checked.source is None else checked.source


def rule_of(found: Finding) -> str:
    """Return the code and the name of the rule of a finding."""
    return f"{found.code} {found.rule}".strip()


def what(found: Finding) -> str:
    """Return the subject and the message of a finding."""
    return f"{found.subject}: {found.message}" if found.subject else found.message


def position(place: Place) -> str:
    """Return line and column of a place, as far as they are known."""
    return ":".join(str(part) for part in (place.line, place.column) if part is not None)


def tally(counts: Mapping[Severity, int]) -> str:
    """Return counts in words: `2 violations, 1 warning, 0 infos`, or `clean` if there are no findings."""
    if not any(counts.values()):
        return "clean"
    return ", ".join(counted(number, severity.label) for severity, number in counts.items())


def verdict(report: Report) -> str:
    """Return the line that summarises the result: `3 files: 2 violations, 1 warning, 0 infos (profile karenina)`."""
    outcome = tally(report.counts) if report.checked else "nothing to check"
    fixable = sum(one.fixable for one in report.findings)
    fixed = f"; --fix mends {counted(fixable, 'finding')}" if fixable else ""
    known = f"; {counted(report.known, 'known finding')} left out" if report.known else ""
    return f"{counted(len(report.checked), 'file')}: {outcome} (profile {report.profile}){fixed}{known}"


class RuleCount(NamedTuple):
    """The number of findings of a rule, and how many of them `--fix` repairs."""

    code: str
    rule: str
    severity: Severity
    title: str
    number: int
    fixable: int


def by_rule(report: Report) -> list[RuleCount]:
    """Return the counts of findings by rule and severity.

    The highest severity and the most frequent rule come first.
    """
    groups: dict[tuple[str, Severity], list[Finding]] = {}
    for one in report.findings:
        groups.setdefault((one.code, one.severity), []).append(one)
    counts = []
    for (code, severity), found in groups.items():
        title = report.rules[code].title if code in report.rules else ""
        counts.append(RuleCount(code, found[0].rule, severity, title, len(found), sum(one.fixable for one in found)))
    return sorted(counts, key=lambda one: (-one.severity, -one.number, one.code))


class ListedFindings(NamedTuple):
    """The findings that are listed, by source, and a sentence for each rule with findings that are not listed."""

    kept: tuple[tuple[Checked, tuple[Finding, ...]], ...]
    remarks: tuple[str, ...]


def selection(report: Report, max_per_rule: int) -> ListedFindings:
    """Choose the first `max_per_rule` findings of each rule in the whole report, all of them for 0."""
    seen: Counter[str] = Counter()
    kept: list[tuple[Checked, tuple[Finding, ...]]] = []
    for checked in report.checked:
        chosen = []
        for found in checked.findings:
            seen[found.code] += 1
            if max_per_rule <= 0 or seen[found.code] <= max_per_rule:
                chosen.append(found)
        kept.append((checked, tuple(chosen)))
    hidden = {code: number - max_per_rule for code, number in seen.items() if 0 < max_per_rule < number}
    remarks = (f"… and {number} more of {code}: use --max-per-rule 0 to see all" for code, number in hidden.items())
    return ListedFindings(tuple(kept), tuple(remarks))


FORM = "no-secret"
"""The form (`Rule.form`) of values that are no secrets."""
_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*+"?|[^\s,:\[\]{}"]+')
_LONGEST = 10_000
"""So many characters of a line are read for one finding, because a file may be a single line of megabytes."""


@dataclass(frozen=True, slots=True)
class MarkedLine:
    """A part of line number `line`: a token that a finding points to, with the text before and after it."""

    line: int
    before: str
    token: str
    after: str

    @property
    def text(self) -> str:
        """The whole excerpt, one line of printable characters."""
        return self.before + self.token + self.after

    @property
    def indent(self) -> int:
        """The number of terminal cells before the token."""
        return cells(self.before)

    @property
    def extent(self) -> int:
        """The number of terminal cells of the token, at least one."""
        return max(cells(self.token), 1)


def source_of(checked: Checked, rules: Mapping[str, Rule]) -> SourceText | None:
    """Return the text that findings point into, None if there is none.

    A report is read by more people than the file, so lines with text that looks like a secret are withheld. Findings do
    not contain such values, because validation leaves them out.
    """
    if checked.text is None:
        return None
    source = SourceText(checked.text)
    for found in checked.findings:
        if found.code in rules and rules[found.code].form == FORM and found.place.line is not None:
            source.withhold(found.place.line, found.place.column or 1)
    return source


class SourceText:
    """A text that findings point into. It is split into lines once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._withheld: set[int] = set()

    def withhold(self, line: int, column: int) -> None:
        """Withhold the lines of the JSON value at a place, with everything else in these lines."""
        span = self._span(line)
        if span is not None:
            end = min(span[0] + column - 1, span[1])
            with suppress(ValueError, RecursionError):
                end = json.JSONDecoder().raw_decode(self._text, end)[1]
            self._withheld.update(range(line, line + self._text.count("\n", span[0], end) + 1))

    @cached_property
    def _starts(self) -> array[int]:
        return array("Q", [0, *(found.end() for found in re.finditer("\n", self._text))])

    def excerpt(self, line: int, column: int, width: int) -> MarkedLine | None:
        """Return the text around a place, at most `width` cells of it.

        None if the text has no such line, and for a line that is withheld.
        """
        span = self._span(line)
        if span is None or line in self._withheld:
            return None
        start, end = span
        at = min(start + column - 1, end)
        blank = re.compile(r"[ \t]*").match(self._text, start, min(at, start + _LONGEST))
        first = blank.end() if blank else start
        before = harmless(self._text[max(first, at - width) : at])
        stop = self._token_end(at, min(end, at + width))
        token = harmless(self._text[at:stop])
        after = harmless(self._text[stop : min(end, at + width)])
        cut_before, cut_after = at - width > first, at + width < end
        # A place at the end of a line needs one cell, although it has no character.
        if cut_before or cut_after or cells(before) + max(cells(token + after), 1) > width:
            rest = head(token + after, width - min(cells(before), width // 3), more=cut_after)
            before = tail(before, width - max(cells(rest), 1), more=cut_before)
            token, after = rest[: len(token)], rest[len(token) :]
        return MarkedLine(line, before, token, after)

    def end_column(self, line: int, column: int) -> int | None:
        """Return the column after the token at a place, None if the text has no such line."""
        span = self._span(line)
        if span is None:
            return None
        at = min(span[0] + column - 1, span[1])
        stop = self._token_end(at, min(span[1], at + _LONGEST))
        return column + max(stop - at, 1)

    def _span(self, line: int) -> tuple[int, int] | None:
        """Return the offsets of the start and the end of a line, without the characters that end it."""
        if not 0 < line <= len(self._starts):
            return None
        start = self._starts[line - 1]
        end = self._starts[line] - 1 if line < len(self._starts) else len(self._text)
        return start, end - 1 if end > start and self._text[end - 1] == "\r" else end

    def _token_end(self, at: int, limit: int) -> int:
        token = _TOKEN.match(self._text, at, limit)
        return token.end() if token else min(at + 1, limit)


_BOLD, _DIM, _GREEN = "1", "2", "32"
_STYLES = {Severity.VIOLATION: "1;31", Severity.WARNING: "1;33", Severity.INFO: "1;36"}
"""Select Graphic Rendition parameters (ECMA-48 §8.3.117)."""
COMMANDS = {Severity.VIOLATION: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
"""Workflow commands of GitHub Actions."""
_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_PUNCTUATION = re.compile(r"[\\`*_\[\]#|~$]|(?<=:)//")
_MENTION = re.compile(r"@|\\#(?=\d)")


def terminal(report: Report, settings: ReportSettings) -> str:
    """Return each finding with its place, its line and its remedy; the summary comes last."""

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


def statistics(report: Report, settings: ReportSettings) -> str:  # noqa: ARG001 - all formats have these parameters
    """Return the number of findings of each rule, and the summary."""
    rows = [
        (str(one.number), one.severity.label, one.code, one.rule, f"{one.fixable} by --fix" if one.fixable else "")
        for one in by_rule(report)
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join((row[0].rjust(widths[0]), *map(str.ljust, row[1:], widths[1:]))).rstrip() for row in rows]
    return "\n".join([*map(harmless, lines), *([""] if rows else []), harmless(verdict(report))]) + "\n"


def _block(checked: Checked, found: Finding, source: SourceText | None, width: int, paint: Painter) -> Iterator[str]:
    place = found.place
    where = paint(_BOLD, harmless(":".join(filter(None, (name_of(checked), position(place))))))
    severity = paint(_STYLES[found.severity], found.severity.label)
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


def _excerpt(source: SourceText, line: int, column: int, width: int, paint: Painter) -> Iterator[str]:
    gutter = f"{line:>5} | "
    excerpt = source.excerpt(line, column, max(width - len(gutter), 20))
    if excerpt is not None:
        yield paint(_DIM, gutter) + excerpt.text
        marks = paint(_GREEN, "^" + "~" * (excerpt.extent - 1))
        yield paint(_DIM, "| ".rjust(len(gutter))) + " " * excerpt.indent + marks


def commands(report: Report, settings: ReportSettings) -> str:
    """Return workflow commands, one in a line, which GitHub Actions shows as annotations in a pull request.

    Sentences about findings that are not listed, and the summary, follow as plain lines of the log.
    """
    chosen = selection(report, settings.max_per_rule)
    lines = [_command(checked, found) for checked, findings in chosen.kept for found in findings]
    return "\n".join([*lines, *map(harmless, (*chosen.remarks, verdict(report)))]) + "\n"


def _command(checked: Checked, found: Finding) -> str:
    properties = {
        "file": in_repository(checked.source) if checked.source is not None else None,
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
    """Return `text` without characters that a log would act upon; line ends stay, because they are escaped later."""
    return re.sub(r"[^\r\n]+", lambda line: harmless(line[0]), text)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def markdown(report: Report, settings: ReportSettings) -> str:
    """Return GitHub-flavoured Markdown: a table of the files, and a table of findings for each file that has some."""
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
    rule = f"**{found.severity.label}** {code(found.code)} {escaped(found.rule)}".rstrip()
    fix = f"<br>*fix:* {escaped(found.remedy)}" if found.remedy else ""
    return f"| {where} | {rule} | {escaped(what(found))}{fix} |"


def escaped(text: str) -> str:
    """Return `text` so that Markdown shows it literally: no markup, no links, no mentions, no references to issues."""
    text = harmless(text).translate(_HTML)
    text = _PUNCTUATION.sub(lambda mark: "\\" + mark[0] if len(mark[0]) == 1 else "\\/\\/", text)
    return _MENTION.sub(lambda mark: mark[0] + "<!-- -->", text)


def code(text: str) -> str:
    """Return `text` as code, in which Markdown interprets only entities; empty for an empty text."""
    inner = re.sub(r"[^\w ./-]|_", lambda mark: f"&#{ord(mark[0])};", harmless(text))
    return f"<code>{inner}</code>" if inner else ""

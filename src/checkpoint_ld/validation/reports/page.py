"""A report as one HTML page that needs no network, no server and no other file."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from html import escape
from importlib import resources
from string import Template
from typing import TYPE_CHECKING
from urllib.parse import quote

from checkpoint_ld.findings import counts_of
from checkpoint_ld.phrases import counted, harmless
from checkpoint_ld.validation.reports.text import TOOL, name_of, position, source_of, tally, version

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from checkpoint_ld.findings import Finding, Severity
    from checkpoint_ld.rules import Rule
    from checkpoint_ld.validation.reports import ReportSettings
    from checkpoint_ld.validation.reports.text import SourceText
    from checkpoint_ld.validation.results import Checked, Report

_WIDTH = 100
"""Width of source excerpts in characters; a narrower window wraps them."""


def render(report: Report, _: ReportSettings) -> str:
    """Return the page with all findings. Style sheet and script are inlined, and its policy allows no others."""
    style, script = styles(), _file("page.js")
    outcome = "clean" if not any(report.counts.values()) else max(one.severity for one in report.findings).label
    heading = tally(report.counts).capitalize() if report.checked else "Nothing to check"
    facts = f"{counted(len(report.checked), 'file')} · profile {_text(report.profile)}"
    return Template(_file("page.html")).substitute(
        policy=f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'",
        title=f"{heading} · {TOOL}",
        tool=f"{TOOL} {version()}",
        style=style,
        script=script,
        outcome=outcome,
        heading=heading,
        facts=facts,
        filters=_filters(report.counts),
        summary=_summary(report),
        files="\n".join(_section(checked, report.rules) for checked in report.checked if checked.findings),
        clean=_clean([checked for checked in report.checked if not checked.findings]),
        rules=_rules(report),
    )


def look() -> str:
    """Return the style that all pages of this package share."""
    return _file("look.css")


def page_of(title: str, body: str, *, style: str = "") -> str:
    """Return a page with a body of HTML that is wide at most where it is scrolled; it runs and fetches nothing."""
    return _PLAIN.substitute(title=escape(title), body=body, style=f"{look()} main {{ overflow-x: auto; }} {style}")


_PLAIN = Template(
    """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>$style</style>
</head>
<body><main>$body</main></body>
</html>
"""
)


def styles() -> str:
    """Return the style of pages with controls: the shared one, and that of lists to search and filter."""
    return look() + _file("page.css")


@cache
def _file(name: str) -> str:
    return (resources.files("checkpoint_ld.validation.reports") / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Return the source expression that allows exactly this inline text (CSP Level 3 §2.3.1)."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _text(text: str) -> str:
    return escape(harmless(text))


def _filters(counts: Mapping[Severity, int]) -> str:
    buttons = [("all", "All", sum(counts.values()))]
    buttons += [(severity.label, f"{severity.label.capitalize()}s", number) for severity, number in counts.items()]
    return "".join(
        f'<button type="button" class="{name}" data-severity="{name}" aria-pressed="{str(name == "all").lower()}">'
        f'{label} <span class="count">{number}</span></button>'
        for name, label, number in buttons
    )


def _section(checked: Checked, rules: Mapping[str, Rule]) -> str:
    source = source_of(checked, rules)
    dialect = f'<span class="dialect">{_text(checked.dialect)}</span>' if checked.dialect else ""
    counts = "".join(
        f'<span class="tally {severity.label}">{counted(number, severity.label)}</span>'
        for severity, number in counts_of(checked.findings).items()
        if number
    )
    head = f'<h2>{_text(name_of(checked))}</h2>{dialect}<span class="tallies">{counts}</span>'
    findings = "\n".join(_finding(found, found.code in rules, source) for found in checked.findings)
    return f'<details class="file" open><summary class="head">{head}</summary>\n{findings}\n</details>'


def _summary(report: Report) -> str:
    """Return the table of the rules that have findings, with the numbers of findings and of files."""
    rows: dict[tuple[str, str], list[tuple[Finding, int]]] = {}
    for at, checked in enumerate(report.checked):
        for found in checked.findings:
            rows.setdefault((found.code, found.rule), []).append((found, at))
    if not rows:
        return ""

    def order(row: tuple[tuple[str, str], list[tuple[Finding, int]]]) -> tuple[int, int, tuple[str, str]]:
        key, found = row
        return -max(one.severity for one, _ in found), -len(found), key

    body = "\n".join(
        f"<tr><td>{_code(found[0][0], code in report.rules)}</td>"
        f'<td><span class="severity">{max(one.severity for one, _ in found).label}</span></td>'
        f"<td>{len(found)}</td><td>{len({at for _, at in found})}</td></tr>"
        for (code, _), found in sorted(rows.items(), key=order)
    )
    head = "<tr><th>rule</th><th>severity</th><th>findings</th><th>files</th></tr>"
    return f'<section class="summary"><h2>By rule</h2>\n<table>{head}\n{body}\n</table></section>'


def _clean(checked: Sequence[Checked]) -> str:
    """Return the list of files without findings, folded."""
    if not checked:
        return ""
    names = "\n".join(f"<li>{_text(name_of(one))}</li>" for one in checked)
    tallies = '<span class="tallies"><span class="tally clean">clean</span></span>'
    head = f"<h2>{counted(len(checked), 'clean file')}</h2>{tallies}"
    return f'<details class="file clean"><summary class="head">{head}</summary>\n<ul>{names}</ul>\n</details>'


def _finding(found: Finding, is_known: bool, source: SourceText | None) -> str:
    severity = found.severity.label
    return "".join(
        (
            f'<article class="finding {severity}" data-severity="{severity}" tabindex="-1">',
            f'<p class="what"><span class="severity">{severity}</span> {_code(found, is_known)} {_where(found)}</p>',
            f'<h3 class="message">{_text(found.message)}</h3>',
            f'<p class="subject">{_text(found.subject)}</p>' if found.subject else "",
            *_excerpt(found, source),
            _fix(found.remedy),
            "</article>",
        )
    )


def _fix(remedy: str) -> str:
    return f'<p class="fix"><span class="label">Fix</span> {_text(remedy)}</p>' if remedy else ""


def _code(found: Finding, is_known: bool) -> str:
    slug = f'<span class="slug">{_text(found.rule)}</span>' if found.rule else ""
    code = _text(found.code)
    if is_known:
        return f'<a class="code" href="#rule-{quote(found.code)}">{code}</a> {slug}'
    return f'<b class="code">{code}</b> {slug}'


def _where(found: Finding) -> str:
    place = found.place
    at = position(place)
    parts = [f'<span class="position">line {at}</span>'] if at else []
    parts += [f"<code>{_text(part)}</code>" for part in (place.pointer, None if at else found.node) if part]
    return f'<span class="where">{" ".join(parts)}</span>'


def _excerpt(found: Finding, source: SourceText | None) -> Iterator[str]:
    if source is None or found.place.line is None:
        return
    excerpt = source.excerpt(found.place.line, found.place.column or 1, _WIDTH)
    if excerpt is not None:
        yield (
            f'<pre class="excerpt"><span class="number">{excerpt.line}</span><code>{escape(excerpt.before)}'
            f"<mark>{escape(excerpt.token) or ' '}</mark>{escape(excerpt.after)}</code></pre>"
        )


def _rules(report: Report) -> str:
    codes = sorted({found.code for found in report.findings}.intersection(report.rules))
    if not codes:
        return ""
    rules = "\n".join(_rule(report.rules[code]) for code in codes)
    return f'<section class="rules"><h2>Rules</h2>\n<dl>\n{rules}\n</dl></section>'


def _rule(rule: Rule) -> str:
    condition = f' <span class="condition">{_text(rule.condition)}</span>' if rule.condition else ""
    why = f"<p>{_text(rule.why)}</p>" if rule.why else ""
    return (
        f'<div id="rule-{_text(rule.code)}" tabindex="-1"><dt><span class="code">{_text(rule.code)}</span> '
        f'<span class="slug">{_text(rule.slug)}</span>{condition}</dt><dd><p class="title">{_text(rule.title)}</p>'
        f"{why}{_fix(rule.remedy)}</dd></div>"
    )

"""What reports share: counts and places in words, and how many findings of one rule are listed."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from checkpoint_ld.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from checkpoint_ld.findings import Finding, Place
    from checkpoint_ld.report import Checked, Report

TOOL = "checkpoint-ld"


def version() -> str:
    """Return the version of the installed package."""
    from importlib.metadata import version as installed  # noqa: PLC0415 - reports for people do without

    return installed(TOOL)


def name_of(checked: Checked) -> str:
    """Return what a source is called where it has to be called something."""
    return "<input>" if checked.source is None else checked.source


def rule_of(found: Finding) -> str:
    """Return the code and the name of the rule of a finding."""
    return f"{found.code} {found.rule}".strip()


def what(found: Finding) -> str:
    """Return what a finding is about, and what is wrong with it."""
    return f"{found.subject}: {found.message}" if found.subject else found.message


def position(place: Place) -> str:
    """Return line and column of a place, as far as they are known."""
    return ":".join(str(part) for part in (place.line, place.column) if part is not None)


def word(severity: Severity) -> str:
    """Return the word for a severity, such as `violation`."""
    return severity.name.lower()


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, such as `2 files`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def counts_of(findings: Iterable[Finding]) -> dict[Severity, int]:
    """Return how many findings there are of each severity, the heaviest first."""
    found = Counter(one.severity for one in findings)
    return {severity: found[severity] for severity in sorted(Severity, reverse=True)}


def tally(counts: Mapping[Severity, int]) -> str:
    """Return counts in words: `2 violations, 1 warning, 0 infos`, or `clean` where there is nothing to count."""
    if not any(counts.values()):
        return "clean"
    return ", ".join(counted(number, word(severity)) for severity, number in counts.items())


def verdict(report: Report) -> str:
    """Return the one line that says what came out: `3 files: 2 violations, 1 warning, 0 infos (profile karenina)`."""
    outcome = tally(report.counts) if report.checked else "nothing to check"
    fixable = sum(one.fixable for one in report.findings)
    fixed = f"; --fix mends {counted(fixable, 'finding')}" if fixable else ""
    known = f"; {counted(report.known, 'known finding')} left out" if report.known else ""
    return f"{counted(len(report.checked), 'file')}: {outcome} (profile {report.profile}){fixed}{known}"


class Count(NamedTuple):
    """How many findings there are of a rule, and how many of them `--fix` mends."""

    code: str
    rule: str
    severity: Severity
    title: str
    number: int
    fixable: int


def by_rule(report: Report) -> list[Count]:
    """Return the counts of findings by rule and severity, the heaviest and the most frequent first."""
    groups: dict[tuple[str, Severity], list[Finding]] = {}
    for one in report.findings:
        groups.setdefault((one.code, one.severity), []).append(one)
    counts = []
    for (code, severity), found in groups.items():
        title = report.rules[code].title if code in report.rules else ""
        counts.append(Count(code, found[0].rule, severity, title, len(found), sum(one.fixable for one in found)))
    return sorted(counts, key=lambda one: (-one.severity, -one.number, one.code))


class Selection(NamedTuple):
    """The findings that are listed, source by source, and a sentence for each rule of which some are not."""

    kept: tuple[tuple[Checked, tuple[Finding, ...]], ...]
    remarks: tuple[str, ...]


def selection(report: Report, max_per_rule: int) -> Selection:
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
    return Selection(tuple(kept), tuple(remarks))

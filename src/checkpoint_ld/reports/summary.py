"""What reports for people share: counts in words, and how many findings of one rule are listed."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from checkpoint_ld.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from checkpoint_ld.findings import Finding
    from checkpoint_ld.report import Checked, Report


def name_of(checked: Checked) -> str:
    """Return what a source is called where it has to be called something."""
    return "<input>" if checked.source is None else checked.source


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
    return f"{counted(len(report.checked), 'file')}: {outcome} (profile {report.profile}){fixed}"


class Selection(NamedTuple):
    """The findings that are listed, source by source, and how many of each rule are not."""

    kept: tuple[tuple[Checked, tuple[Finding, ...]], ...]
    hidden: Mapping[str, int]

    @property
    def remarks(self) -> tuple[str, ...]:
        """One sentence for each rule that has more findings than are listed."""
        return tuple(
            f"… and {number} more of {code}: use --max-per-rule 0 to see all" for code, number in self.hidden.items()
        )


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
    most = max_per_rule if max_per_rule > 0 else seen.total()
    return Selection(tuple(kept), {code: number - most for code, number in seen.items() if number > most})

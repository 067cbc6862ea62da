"""Reports: what validation found in one file or in many, as data."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from checkpoint_ld import arguments
from checkpoint_ld.errors import FindingsError
from checkpoint_ld.findings import Finding, Severity
from checkpoint_ld.notebook import Card, Rows, Shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rdflib import Graph

    from checkpoint_ld.rules import Rule


@dataclass(frozen=True)
class Checked:
    """One source that was validated.

    `source` is its name as given, None for what has none; `dialect` is None where it could not be told. `text` is the
    JSON text that places point into, None where there are no findings, for RDF syntaxes and for what is no text.
    `results` is the SHACL validation report (SHACL 1.0 §3.6), None for what could not be read as a graph.
    """

    source: str | None
    findings: tuple[Finding, ...]
    dialect: str | None = None
    text: str | None = field(default=None, repr=False)
    results: Graph | None = field(default=None, repr=False)


@dataclass(frozen=True, repr=False)
class Report(Shown):
    """What validation found: the sources in the order given, the findings of each in the order of their places.

    `profile` names the rules that were applied, `rules` holds them by code. `known` is the number of findings that were
    left out because a baseline has them.
    """

    profile: str
    checked: tuple[Checked, ...]
    rules: Mapping[str, Rule] = field(repr=False)
    known: int = 0

    def __repr__(self) -> str:
        return f"<Report of {len(self.checked)} sources: {self._line()}>"

    def _line(self) -> str:
        counts = ", ".join(f"{number} {severity.name.lower()}s" for severity, number in self.counts.items())
        return f"{counts} (profile {self.profile})"

    def _card(self) -> Card:
        name = "valid" if self.conforms else "not valid"
        return Card("Report", name, self._line(), {"sources": len(self.checked)}, [self.table()])

    def table(self) -> Rows:
        """Return the findings as a table for a notebook."""
        rows = (
            (
                one.severity.name.lower(),
                f"{one.code} {one.rule}",
                str(one.place),
                f"{one.subject}: {one.message}" if one.subject else one.message,
                one.remedy,
            )
            for one in self.findings
        )
        return Rows("Findings", ("severity", "rule", "place", "finding", "remedy"), rows, len(self.findings))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings of all sources."""
        return tuple(found for one in self.checked for found in one.findings)

    @property
    def counts(self) -> dict[Severity, int]:
        """How many findings there are of each severity, the heaviest first, also where there are none."""
        counted = Counter(found.severity for found in self.findings)
        return {severity: counted[severity] for severity in sorted(Severity, reverse=True)}

    @property
    def conforms(self) -> bool:
        """Whether there is no violation."""
        return not self.at_least(Severity.VIOLATION)

    @arguments.checked
    def at_least(self, severity: Severity) -> tuple[Finding, ...]:
        """Return the findings that weigh `severity` or more."""
        return tuple(found for found in self.findings if found.severity >= severity)

    @arguments.checked
    def raise_for_findings(self, severity: Severity = Severity.VIOLATION) -> Report:
        """Return this report; raise FindingsError if anything in it weighs `severity` or more."""
        found = self.at_least(severity)
        if found:
            raise FindingsError.of(found)
        return self

"""Findings: the faults of a document as data, with their severities and places."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable


class Severity(IntEnum):
    """The severity of a finding (SHACL 1.0 §2.1.4); the greater the more severe."""

    INFO = 1
    WARNING = 2
    VIOLATION = 3

    @property
    def label(self) -> str:
        """The name in reports, such as `violation`."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a document: file, JSON Pointer (RFC 6901), line and column.

    Lines and columns count from 1, columns in characters. Unknown parts are None, never guessed.
    """

    file: str | None = None
    pointer: str | None = None
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        parts = [str(part) for part in (self.file, self.line, self.column) if part is not None]
        return " ".join(part for part in (":".join(parts), self.pointer) if part)


@dataclass(frozen=True, slots=True, order=False)
class Finding:
    """A fault of a document, or an unusual form.

    `code` is that of a rule of the catalogue (`checkpoint_ld.rules`), such as `KQ003`, and `rule` its name, such as
    `question-text`. `condition` is the name of the fault in the format's description, such as `E-TEXT`, if it has one.
    `message` describes the fault and contains the offending value, `remedy` is the advice, `subject` the question or
    trait. `node` is the IRI of the focus node, `value` the offending value as text, if there are any. `fixable` is
    whether `checkpoint-ld validate --fix` corrects it; only that command sets it.
    """

    code: str
    severity: Severity
    message: str
    remedy: str = ""
    place: Place = field(default_factory=Place)
    subject: str = ""
    dialect: str = ""
    rule: str = ""
    condition: str = ""
    node: str | None = None
    value: str | None = None
    fixable: bool = False

    def __str__(self) -> str:
        subject = f"{self.subject}: " if self.subject else ""
        remedy = f"; {self.remedy}" if self.remedy else ""
        dialect = f" (dialect {self.dialect})" if self.dialect else ""
        return " ".join(
            part
            for part in (str(self.place), self.code, self.condition, f"{subject}{self.message}{remedy}{dialect}")
            if part
        )

    def as_json(self, file: str | None) -> dict[str, Any]:
        """Return the members that reports have of it, in their order, for a finding about `file`."""
        plain = ("code", "rule", "condition", "severity", "message", "remedy", "subject", "value")
        place = {"pointer": self.place.pointer, "line": self.place.line, "column": self.place.column}
        stated = {name: getattr(self, name) for name in plain} | {"severity": self.severity.label}
        return {**stated, "file": file, "dialect": self.dialect, **place, "node": self.node}


def counts_of(findings: Iterable[Finding]) -> dict[Severity, int]:
    """Return the number of findings of each severity, the highest first, also where it is 0."""
    counts = Counter(finding.severity for finding in findings)
    return {severity: counts[severity] for severity in sorted(Severity, reverse=True)}

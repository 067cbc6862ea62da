"""Findings: what is wrong or odd about a document, as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum


class Severity(IntEnum):
    """How much a finding weighs; the order is that of weight (SHACL 1.0 §2.1.4)."""

    INFO = 1
    WARNING = 2
    VIOLATION = 3


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands: file, JSON Pointer (RFC 6901), line and column.

    Lines and columns count from 1, columns in characters. What is not known is None: a place is never guessed.
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
    """One fault or oddity of a document.

    `code` is that of a rule of the catalogue (`checkpoint_ld.rules`), such as `KQ003`, and `rule` its name in words,
    such as `question-text`; `condition` is what the format's description calls it, such as `E-TEXT`, where it has a
    name there. `message` says what is wrong with the offending value in it, `remedy` what to do about it, `subject`
    which question or trait it is about. `node` is the IRI that the graph has for the place, `value` the offending
    value as text, both where there is one. `fixable` says that `checkpoint-ld validate --fix` takes the finding away,
    which only that command finds out.
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

"""A spot in a document under inquiry: where a check stands, what it speaks about, and where its findings go."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from checkpoint_ld.documents.places import pointer
from checkpoint_ld.rules import finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.findings import Finding

Path = tuple[str | int, ...]
"""The steps from the root of a document to one of its values: member names and indices."""


@dataclass(slots=True)
class Inquiry:
    """What has been found so far in one document of the dialect `dialect`.

    `python_faults` and `pattern_faults` remember the verdict on each distinct text, so that none is parsed twice.
    """

    dialect: str
    found: list[tuple[Path, Finding]] = field(default_factory=list)
    python_faults: dict[str, str | None] = field(default_factory=dict)
    pattern_faults: dict[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Spot:
    """The value at `path`, which belongs to `subject`: a question, a trait, a scenario."""

    inquiry: Inquiry
    path: Path = ()
    subject: str = ""

    def at(self, *steps: str | int) -> Spot:
        """Return the spot that is `steps` below this one."""
        return Spot(self.inquiry, self.path + steps, self.subject)

    def about(self, subject: str) -> Spot:
        """Return this spot with `subject` added to what it belongs to."""
        return Spot(self.inquiry, self.path, f"{self.subject}, {subject}" if self.subject else subject)

    def report(self, rule: str, message: str, remedy: str | None = None) -> None:
        """Add a finding about this spot."""
        about = finding(
            rule,
            message,
            pointer=pointer(self.path),
            subject=self.subject,
            remedy=remedy,
            dialect=self.inquiry.dialect,
        )
        self.inquiry.found.append((self.path, about))

    def entries(self, value: object) -> Iterator[tuple[Spot, object]]:
        """Yield the entries of the array `value` at this spot; a single value counts as one entry, null as none."""
        if isinstance(value, list):
            for index, entry in enumerate(value):
                yield self.at(index), entry
        elif value is not None:
            yield self, value

"""A spot in a document under inquiry: where a check stands, what it speaks about, and where its findings go."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from checkpoint_ld.checks.readings import called
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


class Spot(NamedTuple):
    """The value at `path`, which belongs to `subjects`: a question, a trait in it; each a noun with a name.

    There are many spots and few findings: a spot costs little, and its subjects are put into words when it reports.
    """

    inquiry: Inquiry
    path: Path = ()
    subjects: tuple[tuple[str, object], ...] = ()

    def at(self, *steps: str | int) -> Spot:
        """Return the spot that is `steps` below this one."""
        return Spot(self.inquiry, self.path + steps, self.subjects)

    def about(self, noun: str, name: object) -> Spot:
        """Return this spot with one more subject that it belongs to."""
        return Spot(self.inquiry, self.path, (*self.subjects, (noun, name)))

    def report(self, rule: str, message: str, remedy: str | None = None) -> None:
        """Add a finding about this spot."""
        about = finding(
            rule,
            message,
            pointer=pointer(self.path),
            subject=", ".join(called(noun, name) for noun, name in self.subjects),
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

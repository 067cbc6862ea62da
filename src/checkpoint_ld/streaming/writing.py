"""A large file as N-Triples or N-Quads, window by window."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, BinaryIO

from checkpoint_ld.errors import ReadError
from checkpoint_ld.findings import Severity
from checkpoint_ld.streaming.elements import UnusualFileError
from checkpoint_ld.streaming.excerpt import REFERRING, excerpt
from checkpoint_ld.streaming.runs import in_order, write_run
from checkpoint_ld.streaming.statements import told
from checkpoint_ld.streaming.windows import worked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.findings import Finding
    from checkpoint_ld.streaming.outline import Outline, Source
    from checkpoint_ld.streaming.window import Window
    from checkpoint_ld.streaming.windows import Progress


@dataclass(frozen=True)
class Streamed:
    """Statements to be read once, sorted, and what was found on the way, in order of place."""

    findings: tuple[Finding, ...]
    lines: BinaryIO

    def refusing(self, *, strict: bool) -> None:
        """Raise ReadError if something keeps the checkpoint from being used, or, if `strict`, is odd."""
        refused = [one for one in self.findings if strict or one.severity is Severity.VIOLATION]
        if refused:
            raise ReadError.of(refused)


@contextmanager
def statements(outline: Outline, syntax: str, jobs: int, progress: Progress | None = None) -> Iterator[Streamed]:
    """Give the statements of a file in `syntax`, one of lines; they stand in temporary files as long as the body runs.

    Raises UnusualFileError where the file has to be looked at in one piece.
    """
    with TemporaryDirectory(prefix="checkpoint-ld-") as folder:
        findings: list[Finding] = []
        for found, mentioned in worked(_Statements(outline.source, syntax, folder), outline, jobs, progress):
            if not outline.names.isdisjoint(mentioned):
                raise UnusualFileError(REFERRING)
            findings += found
        findings.sort(key=lambda one: (one.place.line or 0, one.place.column or 0))
        with in_order(sorted(Path(folder).iterdir())) as lines:
            yield Streamed(tuple(findings), lines)


@dataclass(frozen=True)
class _Statements:
    """Writes the statements of one window into a file of its own; returns what was found, and what was mentioned."""

    source: Source
    syntax: str
    folder: str

    def __call__(self, window: Window) -> tuple[list[Finding], set[str]]:
        part = excerpt(self.source, window, checked=True)
        blocks, mentioned = told(part, self.syntax)
        write_run(Path(self.folder) / f"{window.first:012}", blocks)
        return list(part.found(part.reading.findings)), mentioned

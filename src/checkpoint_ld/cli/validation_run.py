"""A run of `validate`: file after file, so that what stops us at one hides nothing about the others."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from checkpoint_ld import validation
from checkpoint_ld.cli import streams
from checkpoint_ld.cli.progress import bar
from checkpoint_ld.documents.files import replace_file
from checkpoint_ld.errors import ReadError, SettingsError, WriteError
from checkpoint_ld.families import checking
from checkpoint_ld.streaming.entrance import Streaming

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from checkpoint_ld.cli.repair import Repair
    from checkpoint_ld.families.checking import Profiles
    from checkpoint_ld.findings import Severity
    from checkpoint_ld.report import Checked, Report
    from checkpoint_ld.selection import Selection

EXIT_FINDINGS = 1
EXIT_FAILED = 2
"""Exit codes; the heavier one wins."""


@dataclass
class Run:
    """What is applied to each file, by which of `validation.ENGINES`, and whether one failed to be validated.

    `jobs` is the number of processes for files that are worked on some questions at a time; None: their size tells.
    """

    profiles: Profiles
    selection: Selection
    syntax: str | None = None
    engine: str = validation.COMPILED
    jobs: int | None = None
    quiet: bool = False
    has_failed: bool = False
    _repaired_input: bytes | None = field(default=None, repr=False)

    def fail(self, message: str) -> None:
        """Say what could not be done, and go on."""
        streams.say(message)
        self.has_failed = True

    def report(self, files: Sequence[str]) -> Report:
        """Validate `files`; those that are not there are said on standard error."""
        counted = (self.selection.applied(one) for one in self._checked(files))
        return checking.report_of(map(_marked, counted), self.profiles)

    def exit_code(self, report: Report, threshold: Severity | None) -> int:
        """Return the exit code of a run with this report, in which findings from `threshold` on count."""
        if self.has_failed:
            return EXIT_FAILED
        return EXIT_FINDINGS if threshold is not None and report.at_least(threshold) else 0

    def show_repairs(self, files: Sequence[str]) -> int:
        """Print what `repair` would change, as unified diffs; return the exit code."""
        from checkpoint_ld.cli.repair import diff

        changes = False
        for repaired in self._repairs(files):
            streams.write(streams.STANDARD, diff(repaired).encode())
            changes = changes or repaired.before != repaired.after
        return EXIT_FAILED if self.has_failed else EXIT_FINDINGS if changes else 0

    def repair(self, files: Sequence[str]) -> None:
        """Repair `files` where they are. Standard input, which has to be alone, is repaired to standard output.

        Raises SettingsError if it is not alone.
        """
        if streams.STANDARD in files and len(files) > 1:
            raise SettingsError("--fix with - writes to standard output: give no other file beside it")
        places = changed = 0
        for repaired in self._repairs(files):
            try:
                self._keep(repaired, is_input=streams.STANDARD in files)
            except WriteError as error:
                self.fail(str(error))
            else:
                places, changed = places + len(repaired.fixes), changed + bool(repaired.fixes)
        if not self.quiet:
            streams.say(f"fixed {_counted(places, 'place')} in {_counted(changed, 'file')}")

    def write(self, text: str, output: str, kind: str, *, force: bool, is_styled: bool) -> None:
        """Write a report to `output`; to standard error if standard output holds a repaired text."""
        if output == streams.STANDARD and self._repaired_input is not None:
            streams.say(text.removesuffix("\n"))
        else:
            streams.write_report(output, text, kind, force=force, is_styled=is_styled)

    def _keep(self, repaired: Repair, *, is_input: bool) -> None:
        if is_input:
            self._repaired_input = repaired.after
            streams.write(streams.STANDARD, repaired.after)
        elif repaired.before != repaired.after:
            replace_file(repaired.name, repaired.after, pack=repaired.is_packed)

    def _repairs(self, files: Iterable[str]) -> Iterator[Repair]:
        from checkpoint_ld.cli.repair import repair

        for file in files:
            try:
                yield repair(sys.stdin.buffer if file == streams.STANDARD else file, self.selection, self.syntax)
            except ReadError as error:
                self.fail(str(error))

    def _checked(self, files: Sequence[str]) -> Iterator[Checked]:
        for file in self._in_progress(files):
            source = file if file != streams.STANDARD else self._repaired_input or sys.stdin.buffer
            try:
                streamed = self._streamed(source, is_alone=len(files) == 1)
                yield streamed or checking.check(source, self.profiles, syntax=self.syntax, engine=self.engine)
            except ReadError as error:
                self.fail(str(error))
            except SettingsError as error:  # shapes that one document shows not to be applicable
                self.fail(f"{file}: {error}")

    def _streamed(self, source: Any, *, is_alone: bool) -> Checked | None:
        """Validate a file some questions at a time, where it is large or that is asked for."""
        if self.engine != validation.COMPILED or not isinstance(source, str):
            return None
        note = None if self.quiet else _noted
        with bar("validating", quiet=self.quiet or not is_alone) as advance:
            return Streaming(self.jobs, advance, note).check(source, self.profiles.first, syntax=self.syntax)

    def _in_progress(self, files: Sequence[str]) -> Iterator[str]:
        """Yield `files`, with a bar on standard error where there is somebody to see it."""
        with bar("validating", quiet=self.quiet or len(files) < 2) as advance:
            for done, file in enumerate(files):
                if advance is not None:
                    advance(done, len(files))
                yield file


def _marked(checked: Checked) -> Checked:
    """Mark the findings that `--fix` takes away."""
    if checked.text is None or _FIXED.isdisjoint(one.rule for one in checked.findings):
        return checked
    from checkpoint_ld.cli.repair import marked

    return marked(checked, checked.text)


_FIXED = frozenset(
    (
        *("byte-order-mark", "json-ld-form", "vocabulary-http", "trait-prefix", "format-version-missing"),
        *("benchmark-version", "trait-bound-text", "finished-text", "trait-kind-binary"),
    )
)
"""The rules that have fixes."""


def _noted(message: str) -> None:
    streams.say(message)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"

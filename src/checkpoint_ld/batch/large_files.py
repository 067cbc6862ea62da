"""Large files: whether a file is worked on in windows, and why it cannot be."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from checkpoint_ld.batch.outline import WINDOW, UnusualFileError, outline
from checkpoint_ld.documents.files import GZIP
from checkpoint_ld.documents.values import DEFAULT_LIMITS, Limits
from checkpoint_ld.reading import JSON_SYNTAX, syntax_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from checkpoint_ld.batch.outline import Outline
    from checkpoint_ld.batch.windows import Progress, Streamed
    from checkpoint_ld.profiles import Profile
    from checkpoint_ld.report import Checked

SYNTAXES = ("nt", "nq")
"""What can be written some questions at a time: syntaxes of lines."""
LARGE = 64 << 20
"""From this size on, in bytes, a file is streamed by default."""


@dataclass(frozen=True)
class Streaming:
    """How files are streamed.

    `jobs` is the number of processes; None means one, and only for files that are `LARGE`. `progress` is called with
    how many questions are done, of how many; `note` with a sentence about a file that is worked on in one piece after
    all. `window` is the number of questions that are worked on together.
    """

    jobs: int | None = None
    progress: Progress | None = None
    note: Callable[[str], None] | None = None
    limits: Limits = DEFAULT_LIMITS
    window: int = WINDOW

    def check(self, file: str, profile: Profile, *, syntax: str | None = None) -> Checked | None:
        """Hold a file against the rules of `profile`; None where it has to be read in one piece.

        Nothing is kept of its text, so that reports show no lines of it. Raises SettingsError and ReadError as
        `validation.check`, and ReadError for a file that somebody changes meanwhile.
        """
        if not self._is_wanted(file):
            return None
        from checkpoint_ld.batch import windows  # noqa: PLC0415 - it needs all that SHACL needs

        try:
            return windows.check(self._outline(file, syntax), profile, self.jobs or 1, self.progress)
        except UnusualFileError as error:
            self._explain(file, error)
            return None

    @contextmanager
    def statements(self, file: str, target: str, *, syntax: str | None = None) -> Iterator[Streamed | None]:
        """Give the statements of a file in the syntax `target`, sorted; None where it has to be read in one piece.

        They stand in temporary files as long as the body runs. Raises ReadError for a file that somebody changes
        meanwhile.
        """
        with ExitStack() as stack:
            streamed = None
            if target in SYNTAXES and self._is_wanted(file):
                from checkpoint_ld.batch import windows  # noqa: PLC0415 - few files are large

                try:
                    given = windows.statements(self._outline(file, syntax), target, self.jobs or 1, self.progress)
                    streamed = stack.enter_context(given)
                except UnusualFileError as error:
                    self._explain(file, error)
            yield streamed

    def _is_wanted(self, file: str) -> bool:
        path = Path(file)
        try:
            return path.is_file() and (self.jobs is not None or path.stat().st_size >= LARGE)
        except (OSError, ValueError):  # reading it says what is wrong with the path
            return False

    def _outline(self, file: str, syntax: str | None) -> Outline:
        with Path(file).open("rb") as opened:
            start = opened.read(1024)
        if start.startswith(GZIP):
            raise UnusualFileError("it is packed")
        if (syntax or syntax_of(file, start)) != JSON_SYNTAX:
            raise UnusualFileError("it is no JSON")
        return outline(file, self.limits, self.window)

    def _explain(self, file: str, error: UnusualFileError) -> None:
        if self.note is not None:
            self.note(f"{file}: {error}; it is worked on in one piece, which takes more memory")

"""What a run of `verify` reads and writes: answers with a progress bar, results that appear whole or not at all."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from checkpoint_ld.assessment.json_lines import line_of, open_answers
from checkpoint_ld.cli import streams
from checkpoint_ld.documents.files import replace_file
from checkpoint_ld.errors import WriteError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checkpoint_ld.assessment import Assessment, Tally
    from checkpoint_ld.cli.verification_summary import Remarks


@contextlib.contextmanager
def opened_answers(file: str, *, quiet: bool) -> Iterator[BinaryIO]:
    """Open a file of answers for reading, with a bar on standard error where there is somebody to see it."""
    if file == streams.STANDARD:
        yield sys.stdin.buffer
        return
    with open_answers(file) as opened:
        if quiet or not sys.stderr.isatty():
            yield opened
            return
        from rich.progress import wrap_file

        size, console = os.fstat(opened.fileno()).st_size, streams.console(stderr=True)
        with wrap_file(opened, size, description="verifying", console=console, transient=True) as shown:
            yield shown


def passed_on(
    assessments: Iterable[Assessment], lines: BinaryIO | None, tally: Tally, remarks: Remarks
) -> Iterator[Assessment]:
    """Yield `assessments`, each after it was counted and written to `lines` where there are any."""
    for assessment in assessments:
        tally.add(assessment)
        remarks.add(assessment)
        if lines is not None:
            lines.write(line_of(assessment))
        yield assessment


@contextlib.contextmanager
def replacing(target: str | None, *, force: bool) -> Iterator[BinaryIO | None]:
    """Give a file to write to that becomes `target` at the end, unless an exception comes in between.

    Standard output is written to at once; without a target there is None. Raises WriteError if `target` cannot be
    written.
    """
    if target is None:
        yield None
    elif target == streams.STANDARD:
        yield (file := streams.out())
        file.flush()
    else:
        with _beside(target) as file:
            yield file
            file.seek(0)
            replace_file(target, file, overwrite=force)


def _beside(target: str) -> BinaryIO:
    # On the disk of the target, since what is temporary is often kept in memory.
    folder = Path(os.path.realpath(target)).parent
    try:
        return cast("BinaryIO", tempfile.TemporaryFile(dir=folder))
    except OSError as error:
        raise WriteError(f"{target}: cannot be written: {folder} takes no file ({error.strerror})") from error

"""The command `diff`: what is different between two checkpoints, in the terms of their authors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from click.exceptions import Exit

from checkpoint_ld.cli import streams
from checkpoint_ld.cli.parameters import EXIT_FOUND, Command, argument, flag, output, syntax, written_as
from checkpoint_ld.documents.files import kind_of
from checkpoint_ld.errors import SettingsError

if TYPE_CHECKING:
    from checkpoint_ld.cli.streams import Output

FORMATS = ("text", "json", "markdown")
_EXTENSIONS = {".txt": "text", ".json": "json", ".md": "markdown", ".markdown": "markdown"}


@click.command(cls=Command)
@argument("before", "A", "The older checkpoint; - for standard input.")
@argument("after", "B", "The newer checkpoint; - for standard input.")
@written_as("--format", FORMATS, "How to write them", "text")
@output()
@flag("--dates", help="Dates of making and of changing count.")
@flag("--order", help="The order of questions, keywords and traits counts.")
@syntax
@flag("-q", "--quiet", help="Write nothing; the exit code tells.")
def diff(
    *,
    before: str,
    after: str,
    kind: str | None,
    output: Output,
    dates: bool,
    order: bool,
    syntax: str | None,
    quiet: bool,
) -> None:
    """Show what is different between two checkpoints, whatever their dialects; exit with 1 if anything is."""
    # Reading takes its time to import; --help should not wait for it.
    from checkpoint_ld.benchmark.difference import semantic_diff
    from checkpoint_ld.documents.text import dump_json

    if before == after == streams.STANDARD:
        raise SettingsError("both checkpoints cannot come from standard input: give a file for one of them")
    output.check(before, after)
    kind = kind or kind_of(output.file, _EXTENSIONS, "text")
    both = (streams.read_benchmark(one, syntax=syntax) for one in (before, after))
    found = semantic_diff(*both, dates=dates, order=order)
    if not quiet:
        if kind == "json":
            output.write(dump_json(found.as_json()) + b"\n")
        else:
            output.write_report(f"{found.to_markdown() if kind == 'markdown' else found}\n")
    if found:
        raise Exit(EXIT_FOUND)

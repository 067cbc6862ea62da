"""The command `diff`: what is different between two checkpoints, in the terms of their authors."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from checkpoint_ld.cli import streams
from checkpoint_ld.cli.streams import Input
from checkpoint_ld.documents.files import kind_of
from checkpoint_ld.errors import SettingsError

EXIT_DIFFERENT = 1


class Format(StrEnum):
    """How differences are written."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


_EXTENSIONS = {".txt": Format.TEXT, ".json": Format.JSON, ".md": Format.MARKDOWN, ".markdown": Format.MARKDOWN}


def diff(  # noqa: PLR0913, PLR0917 - each parameter is an option of the command
    before: Annotated[str, typer.Argument(metavar="A", help="The older checkpoint; - for standard input.")],
    after: Annotated[str, typer.Argument(metavar="B", help="The newer checkpoint; - for standard input.")],
    format_: Annotated[
        Format | None,
        typer.Option("--format", help="How to write them; without it the output's extension tells, else text."),
    ] = None,
    output: Annotated[str, typer.Option("-o", "--output", help="The file to write; - for standard output.")] = "-",
    dates: Annotated[bool, typer.Option("--dates", help="Dates of making and of changing count.")] = False,
    order: Annotated[bool, typer.Option("--order", help="The order of questions, keywords and traits counts.")] = False,
    force: streams.Force = False,
    syntax: Annotated[
        Input | None, typer.Option("--from", help="What both are, where neither extension nor content tells.")
    ] = None,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Write nothing; the exit code tells.")] = False,
) -> None:
    """Show what is different between two checkpoints, whatever their dialects; exit with 1 if anything is."""
    # Reading takes its time to import; --help should not wait for it.
    from checkpoint_ld.difference import semantic_diff
    from checkpoint_ld.documents.layout import dump_json

    if before == after == streams.STANDARD:
        raise SettingsError("both checkpoints cannot come from standard input: give a file for one of them")
    streams.check_outputs([before, after], output, force=force)
    kind = format_ or kind_of(output, _EXTENSIONS, Format.TEXT)
    found = semantic_diff(
        *(streams.read_benchmark(one, syntax=syntax) for one in (before, after)), dates=dates, order=order
    )
    if not quiet:
        if kind is Format.JSON:
            streams.write(output, dump_json(found.as_json()) + b"\n", force=force)
        else:
            text = found.to_markdown() if kind is Format.MARKDOWN else str(found)
            streams.write_text(output, f"{text}\n", force=force)
    if found:
        raise typer.Exit(EXIT_DIFFERENT)

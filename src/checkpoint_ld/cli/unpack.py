"""The commands `unpack` and `pack`: a benchmark as a folder of texts, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from checkpoint_ld.cli import options, streams
from checkpoint_ld.cli.options import Command
from checkpoint_ld.phrases import counted

if TYPE_CHECKING:
    from checkpoint_ld.cli.streams import Output


@click.command(cls=Command)
def unpack(
    *,
    file: str = options.argument("FILE", "The benchmark; - for standard input."),
    folder: str = options.argument("DIR", "The folder to write."),
    force: bool = options.flag("--force", help="Replace the benchmark that was unpacked into the folder before."),
    syntax: str | None = options.SYNTAX,
    quiet: bool = options.QUIET,
) -> None:
    """Write a benchmark as a folder of texts: a Markdown file and a Python file for each question."""
    from checkpoint_ld.families import benchmark_folder

    unpacked = benchmark_folder.unpack(streams.source_of(file), folder, syntax=syntax, overwrite=force)
    for remark in unpacked.remarks:
        streams.note(f"{file}: {remark}")
    if not quiet:
        streams.show(f"{unpacked.folder}: {counted(unpacked.questions, 'question')}")


@click.command(cls=Command)
def pack(
    *,
    folder: str = options.argument("DIR", "A folder that unpack wrote."),
    output: Output = options.output(),
) -> None:
    """Make the file of a benchmark from a folder of texts; what was not edited comes back byte for byte."""
    from checkpoint_ld.families import benchmark_folder

    output.check(folder)
    output.write(benchmark_folder.pack(folder))

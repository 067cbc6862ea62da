"""The command `export`: a benchmark in a format of others."""

from __future__ import annotations

import click

from checkpoint_ld.cli import streams
from checkpoint_ld.cli.parameters import FORCE, Command, argument, choice, files, flag, quiet, syntax

FILES = ("csv", "markdown", "json", "workbook", "records", "parquet", "citation")
FOLDERS = ("croissant", "hugging-face", "inspect", "ro-crate")
"""What can be written: the names of `formats.exporting`, which takes longer to import."""


@click.command(cls=Command)
@argument("file", "FILE", "The benchmark to read; - for standard input.")
@choice("--to", "kind", values=(*FILES, *FOLDERS), required=True, help="The format to write.")
@click.option(
    "-o", "--output", "target", required=True, shell_complete=files, help="The file, folder or archive (.zip) to write."
)
@click.option(
    "--answers", multiple=True, shell_complete=files, help="Recorded answers to take into a crate; may be repeated."
)
@click.option(
    "--run",
    "runs",
    multiple=True,
    help="Agent checkpoints to take into a crate: a file, folder or pattern; may be repeated.",
)
@flag("--force", help=FORCE)
@syntax
@flag("--strict", help="Write nothing of a checkpoint about which anything is odd.")
@quiet
def export(
    *,
    file: str,
    kind: str,
    target: str,
    answers: tuple[str, ...],
    runs: tuple[str, ...],
    force: bool,
    syntax: str | None,
    strict: bool,
    quiet: bool,
) -> None:
    """Export a benchmark: as a table, document, citation, data set or crate, or for an evaluation framework."""
    from checkpoint_ld.benchmark import Benchmark
    from checkpoint_ld.formats.exporting import export_benchmark
    from checkpoint_ld.validation import refusing

    streams.check_outputs([file, *answers, *runs], target, force=force or kind in FOLDERS)
    found = streams.discovered(runs, "take").files if runs else ()
    reading = refusing(streams.read_benchmark(file, syntax=syntax), strict=strict)
    benchmark = Benchmark.of_reading(reading)
    findings = export_benchmark(benchmark, target, format=kind, overwrite=force, answers=answers, runs=found)
    if not quiet:
        streams.report(findings, most=len(findings))

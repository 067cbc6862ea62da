"""The command `import`: questions that others keep in a format of their own, as a benchmark."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

import click

from checkpoint_ld.cli import streams
from checkpoint_ld.cli.parameters import Command, argument, choice, files, flag, output, quiet

if TYPE_CHECKING:
    from checkpoint_ld.cli.streams import Output
    from checkpoint_ld.findings import Finding

FORMATS = ("table", "croissant", "hugging-face", "inspect")
"""What can be imported: the names of `formats.importing.READERS`."""
CHECKPOINT = "checkpoint"
_CHECKPOINTS = (".jsonld", ".ttl", ".nt", ".nq", ".trig", ".rdf", ".gz")
"""The extensions of files that are checkpoints already, to which rubrics are added."""


@click.command("import", cls=Command)
@argument("file", "FILE", "The file or folder with questions; with --rubric also a checkpoint that has them.")
@choice(
    "--from", "format", values=(*FORMATS, CHECKPOINT), help="What is read, where neither extension nor content tells."
)
@output("The benchmark to write; - for standard output.")
@click.option("--name", help="The name of the benchmark; without it what the source says, or its file name.")
@click.option("--part", help="The sheet of a workbook, the record set or configuration of a data set.")
@click.option("--split", help="The split of a data set; without it all of them.")
@click.option("--question", help="The column with the question; guessed unless given.")
@click.option("--answer", help="The column with the reference answer; guessed unless given.")
@click.option("--keywords", multiple=True, help="A column with keywords, separated by commas; may be repeated.")
@click.option("--notes", help="The column with notes on the answer.")
@click.option("--author", help="The column with the author's name.")
@click.option("--email", help="The column with the author's e-mail address.")
@click.option("--url", help="The column with the address of a source.")
@click.option("--custom", multiple=True, help="A column to keep as custom metadata; without it all others are.")
@click.option(
    "--rubric", shell_complete=files, help="A table of traits for the rubrics: .csv, .tsv, .txt (tabs), .xlsx."
)
@click.option("--rubric-part", help="The sheet of a workbook with traits.")
@flag("--strict", help="Write nothing if anything does not fit.")
@quiet
def import_(
    *,
    file: str,
    format: str | None,  # noqa: A002 - as export calls it
    output: Output,
    name: str | None,
    part: str | None,
    split: str | None,
    question: str | None,
    answer: str | None,
    keywords: tuple[str, ...],
    notes: str | None,
    author: str | None,
    email: str | None,
    url: str | None,
    custom: tuple[str, ...],
    rubric: str | None,
    rubric_part: str | None,
    strict: bool,
    quiet: bool,
) -> None:
    """Import questions from a table, JSON lines, a data set, or a log of an evaluation framework."""
    # Reading takes its time to import; --help should not wait for it.
    from checkpoint_ld import reading, writing
    from checkpoint_ld.errors import FindingsError, SettingsError

    output.check(file)
    if rubric is None and rubric_part is not None:
        raise SettingsError("--rubric-part is about a table of traits: name it with --rubric")
    findings: tuple[Finding, ...] = ()
    source = None
    if format == CHECKPOINT or (format is None and PurePath(file).suffix.lower() in _CHECKPOINTS):
        if rubric is None:
            raise SettingsError(
                f"{file}: is a checkpoint already: name a table of traits with --rubric, or use convert"
            )
        from checkpoint_ld.benchmark import Benchmark

        source = streams.read_benchmark(file, syntax=None)
        benchmark = Benchmark.of_reading(source)
    else:
        from checkpoint_ld.formats.importing import import_benchmark

        benchmark, findings = import_benchmark(
            file,
            format=format,
            name=name,
            part=part,
            split=split,
            question_column=question,
            answer_column=answer,
            keywords_columns=[{"column": one} for one in keywords] or None,
            answer_notes_column=notes,
            author_name_column=author,
            author_email_column=email,
            url_column=url,
            custom_metadata_columns=list(custom) or None,
        )
    if rubric is not None:
        findings += benchmark.import_rubrics(rubric, rubric_part)
    if strict and findings:
        raise FindingsError.of(findings)
    dialect = benchmark.dialect if writing.is_writable(benchmark.dialect) else reading.CANONICAL
    syntax = writing.syntax_of(output.file)
    written = writing.write(benchmark.graph, syntax=syntax, dialect=dialect, deep_judgment=True, source=source)
    output.write(written.data)
    if not quiet:
        streams.report([*findings, *written.findings], most=len(findings) + len(written.findings))
        if source is None:
            streams.say(f"{_counted(len(benchmark), 'question')} imported from {file}")
        if rubric is not None:
            traits = _counted(len(benchmark.traits_records()), "trait")
            streams.say(f"traits imported from {rubric}: the rubrics have {traits} now")


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"

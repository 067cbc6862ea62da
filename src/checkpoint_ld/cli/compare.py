"""The command `compare`: models compared by recorded answers, with intervals of questions and corrected tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from checkpoint_ld.cli import options, streams
from checkpoint_ld.cli.options import Command
from checkpoint_ld.errors import SettingsError, StoredCodeWarning
from checkpoint_ld.host import without_warnings
from checkpoint_ld.phrases import encodable, harmless

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from checkpoint_ld.assessment import Assessment
    from checkpoint_ld.assessment.comparing import Distinct, ModelComparison
    from checkpoint_ld.benchmark import Benchmark
    from checkpoint_ld.cli.streams import Output

_CHECKPOINTS = frozenset((".jsonld", ".ttl", ".nt", ".nq", ".trig", ".rdf"))
_WIDTH = 110
"""The least width of tables: a narrower terminal wraps their lines, which is easier to read than narrow columns."""
_EXTENSIONS = {"": "text", ".json": "json", ".csv": "csv", ".md": "markdown", ".html": "html"}


@click.command(cls=Command)
def compare(
    *,
    answers: tuple[str, ...] = options.argument(
        "ANSWERS…",
        "Files of recorded answers, or of results of verify; - for standard input.",
        nargs=-1,
        required=True,
    ),
    checkpoint: str | None = options.one_file(
        "--benchmark", help="The checkpoint that verifies the answers; without it recorded verdicts count."
    ),
    between: str = options.choice(
        "--between", values=("model", "file"), default="model", help="What to compare: models, or the files."
    ),
    groups: tuple[str, ...] = options.value(
        "--by",
        multiple=True,
        help="Compare also by keyword, or by a property of the questions' metadata; may be repeated.",
    ),
    output: Output = options.output("The file to write; - for standard output."),
    kind: str | None = options.written_as("--format", _EXTENSIONS, "How to write it", "text"),
    trusted: bool = options.flag("--trust-stored-code", help="Run code of the checkpoint, in separate processes."),
    syntax: str | None = options.SYNTAX,
) -> None:
    """Compare models by recorded answers: rates with intervals, all pairs, what is significant."""
    from checkpoint_ld.assessment.comparing import Distinct, groups_of
    from checkpoint_ld.assessment.comparing import compare as compared
    from checkpoint_ld.benchmark import Benchmark
    from checkpoint_ld.documents.files import extension_of, kind_of

    if [*answers, checkpoint].count(streams.STANDARD) > 1:
        raise SettingsError("only one file can come from standard input: name the others")
    for file in answers:
        if extension_of(file) in _CHECKPOINTS:
            raise SettingsError(f"{file} is a checkpoint: give it with --benchmark")
    if groups and checkpoint is None:
        raise SettingsError("--by is about the questions of a checkpoint: give it with --benchmark")
    output.check(*answers, checkpoint)
    benchmark = None
    if checkpoint is not None:
        benchmark = Benchmark.of_reading(streams.read_benchmark(checkpoint, syntax=syntax))
    if trusted:
        streams.note(f"the code in {checkpoint} runs, as --trust-stored-code asks for")
    distinct = Distinct()
    with without_warnings(StoredCodeWarning):
        comparison = compared(
            _assessed(answers, benchmark, distinct, trusted=trusted),
            by="file" if between == "file" else "model",
            groups=None if benchmark is None else groups_of(benchmark, groups),
            findings=distinct.findings,
        )
    for each in comparison.findings:
        streams.note(f"{each.place}: {each.severity.label}: {each.code} {each.message}; {each.remedy}")
    kind = kind or kind_of(output.file, _EXTENSIONS, "text")
    if kind == "text":
        output.write_report(_text(comparison), is_styled=False)
        return
    from checkpoint_ld.assessment.comparison_tables import FORMATS

    output.write_report(FORMATS[kind](comparison), kind)


def _assessed(
    files: Sequence[str], benchmark: Benchmark | None, distinct: Distinct, *, trusted: bool
) -> Iterator[Assessment]:
    from checkpoint_ld.assessment import assess, read_answers
    from checkpoint_ld.assessment.comparing import as_recorded
    from checkpoint_ld.workers.trusted import Trust

    for file in files:
        is_standard = file == streams.STANDARD
        answers = read_answers(streams.source_of(file), "<stdin>" if is_standard else file)
        once = distinct.of(answers, file)
        if benchmark is None:
            yield from as_recorded(once)
        else:
            yield from assess(benchmark, once, trust=Trust() if trusted else None)


def _text(comparison: ModelComparison) -> str:
    from rich.table import Table
    from rich.text import Text

    from checkpoint_ld.assessment.comparison_tables import conclusions, tables

    console = streams.console(highlight=False, width=max(streams.columns(), _WIDTH))
    with console.capture() as captured:
        for rows in tables(comparison):
            table = Table(box=None, pad_edge=False, header_style="bold")
            for column, name in enumerate(rows.columns):
                is_text = column == 0 or name in {"first", "second", "model", "judges"}
                table.add_column(name, justify="left" if is_text else "right", no_wrap=not is_text, overflow="fold")
            for row in rows.rows:
                table.add_row(*(Text(harmless(encodable(str(cell)))) for cell in row))
            console.print(Text(rows.caption, style="bold"))
            console.print(table)
            console.print()
        for sentence in conclusions(comparison):
            console.print(Text(harmless(encodable(sentence))), soft_wrap=True)
    return captured.get()

"""The command `verify`: recorded answers verified by the templates and rubrics of a checkpoint."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections import Counter, deque
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, BinaryIO

import click
from click.exceptions import Exit

from checkpoint_ld.cli import options, streams
from checkpoint_ld.cli.options import EXIT_FOUND, Command
from checkpoint_ld.errors import SettingsError, StoredCodeWarning
from checkpoint_ld.host import without_warnings
from checkpoint_ld.phrases import encodable, harmless

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TextIO

    from rich.table import Table

    from checkpoint_ld.assessment import Assessment, RecordedAnswer, Tally
    from checkpoint_ld.assessment.assessing import Count

FAIL_ON = ("failed", "undecided", "error", "difference", "never")
"""The least status of answers that makes the run fail: names of `Status`, or a difference from a recorded value."""
MOST_ROWS = 40
"""The most questions in the table."""
MOST_REMARKS = 10


@click.command(cls=Command)
def verify(
    *,
    file: str = options.argument("FILE", "The checkpoint; - for standard input."),
    answers: tuple[str, ...] = options.file(
        "--answers",
        multiple=True,
        required=True,
        help="The recorded answers: JSON lines, a table (.csv, .tsv, .xlsx), results of Karenina (JSON, CSV), "
        "or a log of Inspect; - for stdin; may be repeated.",
    ),
    results: str | None = options.file(
        "-o", "--output", help="The file to write results to: JSON lines, .csv, .xlsx, .html or .md; - for stdout."
    ),
    rdf: str | None = options.file("--rdf", help="The file to write results to as EARL: .ttl, .nt, .nq, .trig."),
    force: bool = options.flag("--force", help=options.FORCE),
    base: str | None = options.value("--base", help="The beginning of IRIs of answers and results."),
    date: str | None = options.value("--date", help="The date of results without one, ISO 8601."),
    kind: str = options.choice("--format", values=("table", "json"), default="table", help="How to write the summary."),
    fail_on: str = options.choice(
        "--fail-on", values=FAIL_ON, default="error", help="The status that gives exit code 1."
    ),
    trusted: bool = options.flag("--trust-stored-code", help="Run code of the checkpoint, in separate processes."),
    syntax: str | None = options.SYNTAX,
    quiet: bool = options.flag("-q", "--quiet", help="Print only the summary."),
) -> None:
    """Verify recorded answers: which of them pass, without asking a model again."""
    # Reading takes its time to import; --help should not wait for it.
    from checkpoint_ld.assessment import Status, Tally, assess, earl
    from checkpoint_ld.assessment.assessment_tables import form_of, written
    from checkpoint_ld.benchmark import Benchmark
    from checkpoint_ld.workers.trusted import Trust

    if [file, *answers].count(streams.STANDARD) > 1:
        raise SettingsError("only one of the checkpoint and the answers can come from standard input: name a file")
    streams.check_outputs([file, *answers], results, rdf, force=force)
    named = [None if name == streams.STANDARD else name for name in answers]
    form = earl.Form.of_file(rdf, answers=named[0], base=base, date=date) if rdf is not None else None
    if form is None and (base, date) != (None, None):
        raise SettingsError("--base and --date are about RDF: give the file for it with --rdf")
    table = None if results is None else form_of(results)
    benchmark = Benchmark.of_reading(streams.read_benchmark(file, syntax=syntax))
    if trusted:  # loudly, even if quiet
        streams.note(f"the code in {file} runs, as --trust-stored-code asks for")
    tally, remarks = Tally(), _Remarks()
    with ExitStack() as stack:
        stack.enter_context(without_warnings(StoredCodeWarning))  # reported once above, for all answers
        target, graph = (
            None if output is None else stack.enter_context(streams.replacing(output, force=force))
            for output in (results, rdf)
        )
        assessed = assess(benchmark, _recorded(answers, stack, quiet=quiet), trust=Trust() if trusted else None)
        assessments = _passed_on(assessed, target if table is None else None, tally, remarks)
        kept = assessments if table is None else [*assessments]
        if form is not None and graph is not None:
            earl.write(kept, graph, form)
        else:
            deque(kept, maxlen=0)
        if table is not None and target is not None:
            target.write(written(kept, table))
    if not tally.total.answers:
        names = ", ".join(name or "<stdin>" for name in named)
        streams.note(f"{names}: no answers are in it; check whether it is the file that was meant")
    if not quiet:
        remarks.write(sys.stderr)
    _write_counts(tally, kind, sys.stderr if results == streams.STANDARD else sys.stdout, file, named)
    if fail_on == "never":
        return
    differing = tally.total.differing if fail_on == "difference" else 0
    threshold = Status.ERROR if fail_on == "difference" else Status(fail_on)
    raise Exit(EXIT_FOUND if differing or tally.at_least(threshold) else 0)


def _write_counts(tally: Tally, kind: str, summary: TextIO, file: str, answers: Sequence[str | None]) -> None:
    if kind == "table":
        _write_summary(tally, summary)
        return
    counted = {"file": file, "answers_file": answers[0] if len(answers) == 1 else answers, **tally.as_json()}
    text = encodable(json.dumps(counted, ensure_ascii=False, indent=2))
    if summary is sys.stderr:
        streams.note(text)
    else:
        streams.write(streams.STANDARD, f"{text}\n".encode())


def _recorded(files: Iterable[str], stack: ExitStack, *, quiet: bool) -> Iterator[RecordedAnswer]:
    """Yield the answers of all files, each once; name those that were given before on standard error."""
    from checkpoint_ld.assessment.answers import is_by_path, read_answers
    from checkpoint_ld.assessment.comparing import Distinct

    distinct = Distinct()
    for file in files:
        opened = file if is_by_path(file) else stack.enter_context(opened_answers(file, quiet=quiet))
        yield from distinct.of(read_answers(opened, None if file == streams.STANDARD else file), file)
    for each in distinct.findings:
        streams.note(f"{each.place}: {each.severity.label}: {each.code} {each.message}")


@contextlib.contextmanager
def opened_answers(file: str, *, quiet: bool) -> Iterator[BinaryIO]:
    """Open a file of answers for reading, with a bar on standard error if that is a terminal."""
    if file == streams.STANDARD:
        yield sys.stdin.buffer
        return
    from checkpoint_ld.assessment.answers import open_answers

    with open_answers(file) as opened:
        if quiet or not sys.stderr.isatty():
            yield opened
            return
        from rich.progress import wrap_file

        size, console = opened.seek(0, os.SEEK_END), streams.console(stderr=True)
        opened.seek(0)
        with wrap_file(opened, size, description="verifying", console=console, transient=True) as shown:
            yield shown


def _passed_on(
    assessments: Iterable[Assessment], lines: BinaryIO | None, tally: Tally, remarks: _Remarks
) -> Iterator[Assessment]:
    from checkpoint_ld.assessment.assessing import line_of

    for assessment in assessments:
        tally.add(assessment)
        remarks.add(assessment)
        if lines is not None:
            lines.write(line_of(assessment))
        yield assessment


class _Remarks:
    """The reasons why answers could not be verified, differences from recorded values, and unknown members.

    They include every error, every difference, the first undecided answer of each question, and each unknown member
    once.
    """

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._more = 0
        self._undecided: set[str | None] = set()
        self._unknown: set[str] = set()

    def add(self, assessment: Assessment) -> None:
        from checkpoint_ld.assessment import Status
        from checkpoint_ld.assessment.assessing import DIFFERS

        for difference in assessment.differences:
            if difference.rule == DIFFERS or difference.message not in self._unknown:
                self._note(f"{difference.place}: {difference.severity.label}: {difference.code} {difference.message}")
            if difference.rule != DIFFERS:
                self._unknown.add(difference.message)
        if assessment.status is Status.UNDECIDED:
            if assessment.answer.question_id in self._undecided:
                return
            self._undecided.add(assessment.answer.question_id)
        elif assessment.status is not Status.ERROR:
            return
        self._note(f"{assessment.answer.place}: {assessment.status}: {assessment.reason}")

    def _note(self, line: str) -> None:
        if len(self._lines) < MOST_REMARKS:
            self._lines.append(line)
        else:
            self._more += 1

    def write(self, file: TextIO) -> None:
        file.writelines(harmless(encodable(line)) + "\n" for line in self._lines)
        if self._more:
            file.write(f"… and {self._more} more: --output has them all\n")


def _write_summary(tally: Tally, file: TextIO) -> None:
    """Write the counts as tables: by question, by model and by trait where there are any.

    If verdicts were recorded, the numbers of recorded passes and of differences are in columns of their own.
    """
    console = streams.console(file=file, highlight=False)
    questions, beside = list(tally.questions.values()), bool(tally.total.recorded or tally.total.differing)
    console.print(_counts("question", [*questions[:MOST_ROWS], tally.total], beside=beside))
    if len(questions) > MOST_ROWS:
        console.print(f"… and {len(questions) - MOST_ROWS} more questions: --format json lists them all")
    if tally.models:
        console.print()
        console.print(_counts("model", tally.models.values(), beside=beside))
    if tally.traits:
        console.print()
        console.print(_traits(tally))
    if tally.judged:
        console.print()
        console.print(_judged(tally))


def _counts(title: str, counts: Iterable[Count], *, beside: bool) -> Table:
    from checkpoint_ld.assessment import Status

    rows: list[list[Any]] = [[title, "answers", *Status, "score", *(("recorded", "differ") if beside else ())]]
    for count in counts:
        numbers = [count.answers, *(count.by_status[status] for status in Status), _shown(count.mean_score)]
        recorded = [count.recorded[Status.PASSED], count.differing] if beside else []
        rows.append([count.text or count.name, *numbers, *recorded])
    return _table(rows)


def _judged(tally: Tally) -> Table:
    from checkpoint_ld.assessment import TraitStatus

    rows: list[list[Any]] = [["judged trait", "model", "judged", "mean"]]
    for count in sorted(tally.judged.values(), key=lambda count: count.name):  # of one trait together
        judged = count.by_status[TraitStatus.JUDGED]
        rows.append([count.name, count.model or "", judged, _shown(count.mean_value)])
    return _table(rows)


def _traits(tally: Tally) -> Table:
    from checkpoint_ld.assessment import TraitStatus

    counted = sum((trait.by_status for trait in tally.traits.values()), Counter[TraitStatus]())
    shown = [status for status in TraitStatus if status is not TraitStatus.JUDGED or counted[status]]
    head = ["trait", "kind", *(status.value.replace("_", " ") for status in shown), "mean"]
    counts = (
        [count.name, count.kind, *(count.by_status[status] for status in shown), _shown(count.mean_value)]
        for count in tally.traits.values()
    )
    return _table([head, *counts])


def _table(rows: Sequence[Sequence[Any]]) -> Table:
    """Return rows below their titles; only the column of names is cut where there is little room."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in rows[0]:
        is_name = title == rows[0][0]
        justify: Any = "left" if is_name or title in {"kind", "model"} else "right"
        table.add_column(str(title), justify=justify, no_wrap=not is_name)
    for name, *cells in rows[1:]:
        table.add_row(Text(harmless(encodable(name)), no_wrap=True, overflow="ellipsis"), *map(str, cells))
    return table


def _shown(number: float | None) -> str:
    return "" if number is None else f"{number:.2f}"

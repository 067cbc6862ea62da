"""The command `verify`: recorded answers held against the templates and rubrics of a checkpoint."""

from __future__ import annotations

import json
import sys
import warnings
from collections import deque
from contextlib import ExitStack
from enum import StrEnum
from typing import Annotated

import typer

from checkpoint_ld.cli import streams
from checkpoint_ld.cli.streams import Input
from checkpoint_ld.errors import SettingsError, StoredCodeWarning

EXIT_FOUND = 1


class Format(StrEnum):
    """How the summary is written."""

    TABLE = "table"
    JSON = "json"


class FailOn(StrEnum):
    """From which status on answers make the run fail; the names but the last are those of `Status`."""

    FAILED = "failed"
    UNDECIDED = "undecided"
    ERROR = "error"
    NEVER = "never"


def verify(  # noqa: PLR0913, PLR0917 - each parameter is an option of the command
    file: Annotated[str, typer.Argument(metavar="FILE", help="The checkpoint; - for standard input.")],
    answers: Annotated[str, typer.Option("--answers", help="The recorded answers, JSON lines; - for standard input.")],
    output: Annotated[
        str | None, typer.Option("-o", "--output", help="The file to write results to, JSON lines; - for stdout.")
    ] = None,
    rdf: Annotated[
        str | None, typer.Option("--rdf", help="The file to write results to as EARL: .ttl, .nt, .nq, .trig.")
    ] = None,
    force: streams.Force = False,
    base: Annotated[str | None, typer.Option("--base", help="What IRIs of answers and results begin with.")] = None,
    date: Annotated[str | None, typer.Option("--date", help="The date of results that have none, ISO 8601.")] = None,
    format_: Annotated[Format, typer.Option("--format", help="How to write the summary.")] = Format.TABLE,
    fail_on: Annotated[FailOn, typer.Option("--fail-on", help="The status that gives exit code 1.")] = FailOn.ERROR,
    trusted: Annotated[
        bool, typer.Option("--trust-stored-code", help="Run code that the checkpoint holds, in processes of its own.")
    ] = False,
    syntax: Annotated[
        Input | None, typer.Option("--from", help="What the checkpoint is, where nothing else tells.")
    ] = None,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Neither bar nor reasons, only the summary.")] = False,
) -> None:
    """Verify recorded answers: which of them pass, without asking a model again."""
    # Reading takes its time to import; --help should not wait for it.
    from checkpoint_ld.assessment import Status, Tally, assess, earl, read_answers
    from checkpoint_ld.benchmark import Benchmark
    from checkpoint_ld.characters import encodable
    from checkpoint_ld.cli import verification_run as run
    from checkpoint_ld.cli.verification_summary import Remarks, write_summary
    from checkpoint_ld.confinement import Trust

    if file == answers == streams.STANDARD:
        raise SettingsError("only one of the checkpoint and the answers can come from standard input: name a file")
    streams.check_outputs([file, answers], output, rdf, force=force)
    name = None if answers == streams.STANDARD else answers
    form = earl.Form.of_file(rdf, answers=name, base=base, date=date) if rdf is not None else None
    if form is None and (base, date) != (None, None):
        raise SettingsError("--base and --date are about RDF: give the file for it with --rdf")
    benchmark = Benchmark.of_reading(streams.read_benchmark(file, syntax=syntax))
    if trusted:  # loudly, even if quiet
        streams.say(f"the code in {file} runs, as --trust-stored-code asks for")
    tally, remarks = Tally(), Remarks()
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore", StoredCodeWarning)  # it has been said, once for all answers
        opened = stack.enter_context(run.opened_answers(answers, quiet=quiet))
        lines, graph = (stack.enter_context(run.replacing(target, force=force)) for target in (output, rdf))
        found = assess(benchmark, read_answers(opened, name), trust=Trust() if trusted else None)
        assessments = run.passed_on(found, lines, tally, remarks)
        if form is not None and graph is not None:
            earl.write(assessments, graph, form)
        else:
            deque(assessments, maxlen=0)
    if not quiet:
        remarks.write(sys.stderr)
    summary = sys.stderr if output == streams.STANDARD else sys.stdout
    if format_ is Format.TABLE:
        write_summary(tally, summary)
    else:
        told = {"file": file, "answers_file": name, **tally.as_json()}
        text = encodable(json.dumps(told, ensure_ascii=False, indent=2))
        if summary is sys.stderr:
            streams.say(text)
        else:
            streams.write(streams.STANDARD, f"{text}\n".encode())
    threshold = None if fail_on is FailOn.NEVER else Status(fail_on.value)
    raise typer.Exit(EXIT_FOUND if threshold is not None and tally.at_least(threshold) else 0)

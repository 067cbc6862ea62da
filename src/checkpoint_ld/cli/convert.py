"""The commands `convert`, `export` and `import`: a checkpoint in another syntax, dialect or format."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import click

from checkpoint_ld.cli import streams
from checkpoint_ld.cli.parameters import (
    FORCE,
    Command,
    argument,
    choice,
    files,
    flag,
    jobs,
    output,
    prov,
    quiet,
    syntax,
    written_as,
)
from checkpoint_ld.documents.files import extension_of, is_packed, replace_file
from checkpoint_ld.errors import SettingsError, WriteError

if TYPE_CHECKING:
    from checkpoint_ld.cli.streams import Output
    from checkpoint_ld.findings import Finding

OUTPUTS = ("jsonld", "turtle", "nt", "nq", "trig", "xml", "expanded")
"""What can be written: the names of `writing.SYNTAXES`."""
CONTEXTS = ("improved", "plain")
"""Under which context JSON-LD is written: the texts of `emission.ContextStyle`."""


@click.command(cls=Command)
@argument("file", "FILE", "The checkpoint to read; - for standard input.")
@written_as("--to", OUTPUTS, "What to write", "jsonld")
@output()
@click.option(
    "--dialect",
    help="The dialect of the JSON: datafeed-ns-v3 (unless given), v2.0, gui-datafeed, dataset-1; "
    "for agent checkpoints canonical or second.",
)
@choice(
    "--context",
    values=CONTEXTS,
    default="improved",
    help="improved: read alike by every JSON-LD processor. plain: as Karenina writes it.",
)
@syntax
@click.option(
    "--deep-judgment/--no-deep-judgment", default=True, help="Keep the settings of deep judgment, or leave them out."
)
@flag("--placeholders", help="Give questions without a template the placeholder that Karenina wants.")
@flag("--round-scores", help="Write whole numbers for bounds of scores, as Karenina wants them.")
@flag("--inferred", help="Add to RDF what follows, for queries and for shapes in other tools.")
@prov
@flag("--strict", help="Refuse a checkpoint about which anything is odd.")
@jobs
@flag("-q", "--quiet", help="Say nothing about what is odd.")
def convert(
    *,
    file: str,
    kind: str | None,
    output: Output,
    dialect: str | None,
    context: str,
    syntax: str | None,
    deep_judgment: bool,
    placeholders: bool,
    round_scores: bool,
    inferred: bool,
    prov: bool,
    strict: bool,
    jobs: int | None,
    quiet: bool,
) -> None:
    """Convert a checkpoint: any dialect or RDF syntax in, JSON-LD or RDF out, nothing lost on the way."""
    # Reading and writing take their time to import; --help should not wait for them.
    from checkpoint_ld import writing
    from checkpoint_ld.dialects.reading import CANONICAL, Reading
    from checkpoint_ld.graph.emission import ContextStyle

    output.check(file)
    wanted = kind or writing.syntax_of(output.file)
    if dialect is not None and wanted != writing.JSONLD:
        raise WriteError(f"--dialect {dialect} is about JSON, but {wanted} is to be written: leave one of them out")
    options = {"syntax": syntax, "jobs": jobs, "strict": strict, "quiet": quiet}
    if deep_judgment and not placeholders and not inferred and _streamed(file, output, wanted, options):
        return
    source = streams.read(file, syntax=syntax, strict=strict)
    if not isinstance(source, Reading):
        from checkpoint_ld.agent.serialization import written as written_of_agent

        form = _form(wanted, dialect, is_plain=context == "plain" or extension_of(output.file) == ".json")
        output.write(written_of_agent(source.tree, form, prov=prov, inferred=inferred))
        if not quiet:
            streams.report(source.findings)
        return
    date = None
    if source.dialect != CANONICAL or dialect not in {None, CANONICAL}:
        from checkpoint_ld.entities.entity import now

        date = now()  # for a missing one in what comes from one dialect into another
    written = writing.write(
        source.graph,
        syntax=wanted,
        dialect=dialect or CANONICAL,
        context=ContextStyle(context),
        deep_judgment=deep_judgment,
        round_scores=round_scores,
        placeholders=placeholders,
        inferred=inferred,
        source=source if source.dialect != CANONICAL else None,
        now=date,
    )
    output.write(written.data)
    if not quiet:
        streams.report((*source.findings, *written.findings))


def _form(to: str, dialect: str | None, *, is_plain: bool) -> str:
    """Return as what of `agent.serialization.FORMS` an agent checkpoint is written; a shape is a dialect."""
    from checkpoint_ld.agent.values import SHAPES

    if dialect is None:
        return SHAPES[0] if is_plain and to == "jsonld" else to
    shape = dialect.removeprefix("agent-")
    if shape not in SHAPES:
        raise WriteError(f"an agent checkpoint has no dialect {dialect}: write one of {', '.join(SHAPES)}")
    return shape


def _streamed(file: str, output: Output, to: str, options: dict[str, Any]) -> bool:
    """Write statements some questions at a time, where a file is large or it is asked for; return whether it was."""
    from checkpoint_ld.batch.windows import Streaming

    quiet = options["quiet"]
    with streams.bar("converting", quiet=quiet) as advance:
        streaming = Streaming(options["jobs"], advance, None if quiet else streams.say)
        with streaming.statements(file, to, syntax=options["syntax"]) as streamed:
            if streamed is None:
                return False
            streamed.refusing(strict=options["strict"])
            if output.is_standard:
                shutil.copyfileobj(streamed.lines, target := streams.out())
                target.flush()
            else:
                replace_file(output.file, streamed.lines, overwrite=output.force, pack=is_packed(output.file))
    if not quiet:
        streams.report(streamed.findings)
    return True


FILES = ("csv", "markdown", "json", "workbook", "records", "parquet", "citation")
FOLDERS = ("croissant", "hugging-face", "inspect", "ro-crate")
"""What can be written: the names of `formats.exporting`, which takes longer to import."""


@click.command(cls=Command)
@argument("file", "FILE", "The benchmark to read; - for standard input.")
@choice("--to", "kind", values=(*FILES, *FOLDERS), help="The format to write; without it a file's extension tells.")
@click.option(
    "-o",
    "--output",
    "target",
    required=True,
    shell_complete=files,
    help="The file, folder or archive (.zip) to write; - for standard output.",
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
    kind: str | None,
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
    from checkpoint_ld.integrations.formats.exporting import export_benchmark
    from checkpoint_ld.validation.validator import refusing

    streams.check_outputs([file, *answers, *runs], target, force=force or kind in FOLDERS)
    found = streams.discovered(runs, "take").files if runs else ()
    reading = refusing(streams.read_benchmark(file, syntax=syntax), strict=strict)
    benchmark = Benchmark.of_reading(reading)
    given: dict[str, Any] = {"format": kind, "overwrite": force, "answers": answers, "runs": found}
    if target == streams.STANDARD and kind is not None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "exported")
            findings = export_benchmark(benchmark, path, **given)
            if not path.is_file():
                raise SettingsError(f"{kind} is a folder, which standard output cannot hold: name it, or a .zip")
            streams.write(target, path.read_bytes())
    else:
        findings = export_benchmark(benchmark, target, **given)
    if not quiet:
        streams.report(findings, most=len(findings))


FORMATS = ("table", "croissant", "hugging-face", "inspect")
"""What can be imported: the names of `formats.importing.READERS`."""
CHECKPOINT = "checkpoint"
_CHECKPOINTS = (".jsonld", ".ttl", ".nt", ".nq", ".trig", ".rdf", ".gz")
"""The extensions of files that are checkpoints already, to which rubrics are added."""


@click.command("import", cls=Command)
@argument("file", "FILE", "The file or folder with questions; with --rubric also a checkpoint that has them.")
@choice(
    "--from", "kind", values=(*FORMATS, CHECKPOINT), help="What is read, where neither extension nor content tells."
)
@output("The benchmark to write; - for standard output.")
@click.option("--name", help="The name of the benchmark; without it what the source says, or its file name.")
@click.option("--part", help="The sheet of a workbook, the record set or configuration of a data set.")
@click.option("--split", help="The split of a data set; without it all of them.")
@click.option("--question", "question_column", help="The column with the question; guessed unless given.")
@click.option("--answer", "answer_column", help="The column with the reference answer; guessed unless given.")
@click.option("--keywords", multiple=True, help="A column with keywords, separated by commas; may be repeated.")
@click.option("--notes", "answer_notes_column", help="The column with notes on the answer.")
@click.option("--author", "author_name_column", help="The column with the author's name.")
@click.option("--email", "author_email_column", help="The column with the author's e-mail address.")
@click.option("--url", "url_column", help="The column with the address of a source.")
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
    kind: str | None,
    output: Output,
    keywords: tuple[str, ...],
    custom: tuple[str, ...],
    rubric: str | None,
    rubric_part: str | None,
    strict: bool,
    quiet: bool,
    **told: str | None,
) -> None:
    """Import questions from a table, JSON lines, a data set, or a log of an evaluation framework."""
    # Reading takes its time to import; --help should not wait for it.
    from checkpoint_ld import writing
    from checkpoint_ld.dialects import reading
    from checkpoint_ld.errors import FindingsError
    from checkpoint_ld.phrases import counted

    output.check(file)
    if rubric is None and rubric_part is not None:
        raise SettingsError("--rubric-part is about a table of traits: name it with --rubric")
    findings: tuple[Finding, ...] = ()
    source = None
    if kind == CHECKPOINT or (kind is None and PurePath(file).suffix.lower() in _CHECKPOINTS):
        if rubric is None:
            raise SettingsError(
                f"{file}: is a checkpoint already: name a table of traits with --rubric, or use convert"
            )
        from checkpoint_ld.benchmark import Benchmark

        source = streams.read_benchmark(file, syntax=None)
        benchmark = Benchmark.of_reading(source)
    else:
        from checkpoint_ld.integrations.formats.importing import import_benchmark

        benchmark, findings = import_benchmark(
            file,
            format=kind,
            keywords_columns=[{"column": one} for one in keywords] or None,
            custom_metadata_columns=list(custom) or None,
            **told,
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
            streams.say(f"{counted(len(benchmark), 'question')} imported from {file}")
        if rubric is not None:
            traits = counted(len(benchmark.traits_records()), "trait")
            streams.say(f"traits imported from {rubric}: the rubrics have {traits} now")

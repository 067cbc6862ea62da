"""The commands `convert`, `export`, `import` and `bulk`: checkpoints in another syntax, dialect or format."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.exceptions import Exit

from checkpoint_ld.cli import EXIT_FAILED, options, streams
from checkpoint_ld.cli.options import EXIT_FOUND, Command, Group
from checkpoint_ld.documents.files import extension_of, is_packed, replace_file
from checkpoint_ld.errors import FindingsError, SettingsError, WriteError
from checkpoint_ld.phrases import counted

if TYPE_CHECKING:
    from checkpoint_ld.batch.bulk import ConvertOptions
    from checkpoint_ld.cli.streams import Output
    from checkpoint_ld.findings import Finding

OUTPUTS = ("jsonld", "turtle", "nt", "nq", "trig", "xml", "expanded", "ntriples", "nquads")
"""The syntaxes of `convert`: the names of `writing.SYNTAXES`."""
CONTEXTS = ("improved", "plain")
"""The contexts of JSON-LD: the values of `emission.ContextStyle`."""


@click.command(cls=Command)
def convert(
    *,
    file: str = options.argument("FILE", "The checkpoint to read; - for standard input."),
    kind: str | None = options.written_as("--to", OUTPUTS, "The syntax to write", "jsonld"),
    output: Output = options.output(),
    dialect: str | None = options.value(
        "--dialect",
        help="The dialect of the JSON: datafeed-ns-v3 (unless given), v2.0, gui-datafeed, dataset-1; "
        "for agent checkpoints canonical or second.",
    ),
    context: str = options.choice(
        "--context",
        values=CONTEXTS,
        default="improved",
        help="improved: every JSON-LD processor reads the same. plain: as Karenina writes it.",
    ),
    syntax: str | None = options.SYNTAX,
    deep_judgment: bool = options.value(
        "--deep-judgment/--no-deep-judgment",
        default=True,
        help="Keep the settings of deep judgment, or leave them out.",
    ),
    placeholders: bool = options.flag(
        "--placeholders", help="Give questions without a template the placeholder that Karenina requires."
    ),
    round_scores: bool = options.flag(
        "--round-scores", help="Round the bounds of scores to whole numbers, as Karenina requires."
    ),
    inferred: bool = options.flag(
        "--inferred", help="Add inferred statements to RDF, for queries and for shapes in other tools."
    ),
    prov: bool = options.PROV,
    strict: bool = options.flag("--strict", help="Refuse a checkpoint with findings."),
    jobs: int | None = options.JOBS,
    quiet: bool = options.flag("-q", "--quiet", help="Do not print findings."),
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
    streaming = {"syntax": syntax, "jobs": jobs, "strict": strict, "quiet": quiet}
    if deep_judgment and not placeholders and not inferred and _streamed(file, output, wanted, streaming):
        return
    source = streams.read(file, syntax=syntax, strict=strict, checked=not quiet)
    findings = source.findings
    if isinstance(source, Reading):
        date = None
        if source.dialect != CANONICAL or dialect not in {None, CANONICAL}:
            from checkpoint_ld.documents.values import now

            date = now()  # for a missing date of a checkpoint that changes its dialect
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
        findings = (*findings, *written.findings)
    else:
        from checkpoint_ld.agents.serialization import written as written_of_agent

        form = _form(wanted, dialect, is_plain=context == "plain" or extension_of(output.file) == ".json")
        output.write(written_of_agent(source.tree, form, prov=prov, inferred=inferred))
    if not quiet:
        streams.report(findings)


def _form(to: str, dialect: str | None, *, is_plain: bool) -> str:
    """Return the form of `agents.serialization.FORMS` for an agent checkpoint; a shape is given as a dialect."""
    from checkpoint_ld.agents.values import SHAPES

    if dialect is None:
        return SHAPES[0] if is_plain and to == "jsonld" else to
    shape = dialect.removeprefix("agent-")
    if shape not in SHAPES:
        raise WriteError(f"an agent checkpoint has no dialect {dialect}: write one of {', '.join(SHAPES)}")
    return shape


def _streamed(file: str, output: Output, to: str, settings: dict[str, Any]) -> bool:
    """Write statements some questions at a time, for a large file or with --jobs; return whether that was done."""
    from checkpoint_ld.batch.discovery import is_in_windows

    if not is_in_windows(file, settings["jobs"]):
        return False
    from checkpoint_ld.batch.windows import Streaming  # too slow an import for small files

    quiet = settings["quiet"]
    with streams.bar("converting", quiet=quiet) as advance:
        streaming = Streaming(settings["jobs"], advance, None if quiet else streams.note)
        with streaming.statements(file, to, syntax=settings["syntax"]) as streamed:
            if streamed is None:
                return False
            streamed.refusing(strict=settings["strict"])
            if output.is_standard:
                shutil.copyfileobj(streamed.lines, target := streams.out())
                target.flush()
            else:
                replace_file(output.file, streamed.lines, overwrite=output.force, pack=is_packed(output.file))
    if not quiet:
        streams.report(streamed.findings)
    return True


FILES = ("csv", "markdown", "json", "workbook", "records", "parquet", "citation", "zenodo")
FOLDERS = ("croissant", "hugging-face", "inspect", "ro-crate")
"""The formats of `export`: the names of `integrations.formats`, which takes longer to import."""


@click.command(cls=Command)
def export(
    *,
    file: str = options.argument("FILE", "The benchmark to read; - for standard input."),
    kind: str | None = options.choice(
        "--to", values=(*FILES, *FOLDERS), help="The format to write; by default that of the output's extension."
    ),
    target: str = options.file(
        "-o", "--output", required=True, help="The file, folder or archive (.zip) to write; - for standard output."
    ),
    answers: tuple[str, ...] = options.file(
        "--answers", multiple=True, help="Recorded answers to include in a crate; may be repeated."
    ),
    runs: tuple[str, ...] = options.value(
        "--run",
        multiple=True,
        help="Agent checkpoints to include in a crate: a file, folder or pattern; may be repeated.",
    ),
    force: bool = options.flag("--force", help=options.FORCE),
    syntax: str | None = options.SYNTAX,
    strict: bool = options.flag(
        "--strict", help="Write nothing of a checkpoint with findings, or if something is lost."
    ),
    report: str | None = options.file("--report", help="A file for counts, columns and losses, as JSON."),
    quiet: bool = options.QUIET,
) -> None:
    """Export a benchmark: as a table, document, citation, data set or crate, or for an evaluation framework."""
    from checkpoint_ld.benchmark import Benchmark
    from checkpoint_ld.documents.files import working_folder
    from checkpoint_ld.integrations.formats import export_benchmark

    streams.check_outputs([file, *answers, *runs], target, force=force or kind in FOLDERS)
    run_files = streams.discovered(runs, "take").files if runs else ()
    benchmark = Benchmark.of_reading(streams.read_benchmark(file, syntax=syntax, strict=strict))
    given: dict[str, Any] = {"format": kind, "overwrite": force, "answers": answers, "runs": run_files}
    given |= {"strict": strict, "report": report}
    if target == streams.STANDARD and kind is not None:
        with working_folder() as folder:
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
"""The formats of `import`: the names of `formats.importing.READERS`."""
CHECKPOINT = "checkpoint"
_CHECKPOINTS = (".jsonld", ".ttl", ".nt", ".nq", ".trig", ".rdf")
"""The extensions of checkpoints, packed or not, to which rubrics are added."""


def _about(*, creator: tuple[str, ...], license: str | None, description: str | None) -> dict[str, Any]:  # noqa: A002
    """Return the metadata that options state; the address of a creator is that of an e-mail, or of a page."""
    makers: list[Any] = []
    for text in creator:
        name, has_address, address = text.partition("<")
        address = address.rstrip().removesuffix(">").strip()
        member = "email" if "@" in address else "url"
        makers.append({"@type": "Person", "name": name.strip(), member: address} if has_address else text)
    members = {"creator": makers, "license": license, "description": description}
    return {member: value for member, value in members.items() if value}


@click.command("import", cls=Command)
def import_(
    *,
    file: str = options.argument(
        "FILE", "The file or folder with questions; with --rubric also a checkpoint that has them."
    ),
    kind: str | None = options.choice(
        "--from", values=(*FORMATS, CHECKPOINT), help="The input format, if neither extension nor content decides."
    ),
    target: str | None = options.file(
        "-o", "--output", help="The benchmark to write; by default that of --into, else standard output; - for that."
    ),
    force: bool = options.flag("--force", help=options.FORCE),
    into: str | None = options.file("--into", help="The benchmark to update: by identifier, or else by text."),
    about: Any = options.CombinedOptions(
        _about,
        creator=options.value(
            "--creator",
            multiple=True,
            help='Who made the benchmark, as "Ada Smith", or "Ada Smith <https://orcid.org/…>"; may be repeated.',
        ),
        license=options.value("--license", help="The licence, such as CC-BY-4.0."),
        description=options.value("--description", help="What the benchmark is about."),
    ),
    columns: Any = options.CombinedOptions(
        dict,
        name=options.value(
            "--name", help="The name of the benchmark; by default that of the source, or its file name."
        ),
        part=options.value("--part", help="The sheet of a workbook, the record set or configuration of a data set."),
        split=options.value("--split", help="The split of a data set; without it all of them."),
        question_column=options.value("--question", help="The column with the question; guessed by default."),
        answer_column=options.value("--answer", help="The column with the reference answer; guessed by default."),
        keywords_columns=options.value(
            "--keywords",
            multiple=True,
            help="A column with keywords, separated by commas or semicolons; may be repeated.",
        ),
        answer_notes_column=options.value("--notes", help="The column with notes on the answer."),
        author_name_column=options.value("--author", help="The column with the author's name."),
        author_email_column=options.value("--email", help="The column with the author's e-mail address."),
        url_column=options.value("--url", help="The column with the address of a source."),
        custom_metadata_columns=options.value(
            "--custom", multiple=True, help="A column to keep as custom metadata; by default all others."
        ),
    ),
    rubric: str | None = options.file(
        "--rubric", help="A table of traits for the rubrics: .csv, .tsv, .txt (tabs), .xlsx."
    ),
    rubric_part: str | None = options.value("--rubric-part", help="The sheet of a workbook with traits."),
    strict: bool = options.flag("--strict", help="Write nothing if there are findings."),
    report: str | None = options.file("--report", help="A file for counts, columns and losses, as JSON."),
    quiet: bool = options.QUIET,
) -> None:
    """Import questions from a table, JSON lines, a data set, or a log of an evaluation framework."""
    # Reading takes its time to import; --help should not wait for it.
    from checkpoint_ld import writing
    from checkpoint_ld.benchmark import Benchmark
    from checkpoint_ld.dialects import reading
    from checkpoint_ld.integrations.formats.importing import import_benchmark

    is_checkpoint = kind == CHECKPOINT or (kind is None and extension_of(file) in _CHECKPOINTS)
    _refuse_import(file, is_checkpoint, into=into, rubric=rubric, part=rubric_part, report=report)
    output = streams.Output(target or into or streams.STANDARD, force or (target is None and into is not None))
    output.check(file)
    merged_into = file if is_checkpoint else into
    source = None if merged_into is None else streams.read_benchmark(merged_into, syntax=None)
    findings: tuple[Finding, ...] = ()
    if is_checkpoint and source is not None:
        benchmark, notes = Benchmark.of_reading(source), []
    else:
        columns["keywords_columns"] = [{"column": column} for column in columns["keywords_columns"]] or None
        columns["custom_metadata_columns"] = [*columns["custom_metadata_columns"]] or None
        target_of = None if source is None else Benchmark.of_reading(source)
        result = import_benchmark(file, format=kind, report=report, into=target_of, **columns)
        benchmark, findings = result
        missing = len(benchmark.get_missing_templates(ids_only=True))
        without = f"; {missing} got the placeholder for a template" if missing else ""
        notes = [f"{counted(len(benchmark), 'question')} imported from {file}{without}"]
        if into is not None:
            notes = [*result.imported.changes, f"{file}: {result.imported.summary()}"]
    if about:
        benchmark.set_metadata(**about)
    if rubric is not None:
        findings += benchmark.import_rubrics(rubric, rubric_part)
        traits = counted(len(benchmark.traits_records()), "trait")
        notes.append(f"traits imported from {rubric}: the rubrics have {traits} now")
    if strict and findings:
        raise FindingsError.of(findings)
    written = writing.write(
        benchmark.graph,
        syntax=writing.syntax_of(output.file),
        dialect=benchmark.dialect if writing.is_writable(benchmark.dialect) else reading.CANONICAL,
        deep_judgment=True,
        placeholders=not is_checkpoint,
        source=source,
    )
    output.write(written.data)
    if not quiet:
        streams.report([*findings, *written.findings], most=len(findings) + len(written.findings))
        for note in notes:
            streams.note(note)


def _refuse_import(
    file: str, is_checkpoint: bool, *, into: str | None, rubric: str | None, part: str | None, report: str | None
) -> None:
    if rubric is None and part is not None:
        raise SettingsError("--rubric-part is about a table of traits: name it with --rubric")
    for option, given in (("--report", report), ("--into", into)):
        if is_checkpoint and given is not None:
            raise SettingsError(f"{option} is about the questions of another format: leave it out for a checkpoint")
    if is_checkpoint and rubric is None:
        raise SettingsError(f"{file}: is a checkpoint already: name a table of traits with --rubric, or use convert")


@click.group(cls=Group, no_args_is_help=True)
def bulk() -> None:
    """Convert or validate very many checkpoints in shards, by several processes; an interrupted run is completed."""


_SHARDED: Any = options.CombinedOptions(
    dict,
    paths=options.argument(
        "PATH…",
        "Files, folders and patterns; .ndjson has one checkpoint to a line, .gz is unpacked.",
        nargs=-1,
        required=True,
    ),
    folder=options.folder("The folder to write to.", required=True),
    jobs=options.whole("--jobs", default=1, help="The number of processes."),
    shard_size=options.real(
        "--shard-size", help="The approximate size of a shard's input in MB; without it 64, or less for eight shards."
    ),
    force=options.flag("--force", help="Overwrite the output of another run, but never the input."),
    quiet=options.QUIET,
)


@bulk.command("convert")
def bulk_convert(
    *,
    sharded: dict[str, Any] = _SHARDED,
    profile: str | None = options.value("--profile", help="Also validate each checkpoint by these rules."),
    compressed: bool = options.flag("--gzip", help="Compress the N-Quads."),
) -> None:
    """Write N-Quads, one named graph for each checkpoint, and findings as JSON lines."""
    from checkpoint_ld.batch.bulk import ConvertOptions

    _run(ConvertOptions(profile, compressed=compressed), **sharded)


@bulk.command("validate")
def bulk_validate(
    *,
    sharded: dict[str, Any] = _SHARDED,
    profile: str = options.value("--profile", default="karenina", help="The set of rules."),
) -> None:
    """Write findings as JSON lines, and no N-Quads."""
    from checkpoint_ld.batch.bulk import ConvertOptions

    _run(ConvertOptions(profile, quads=False), **sharded)


def _run(
    wanted: ConvertOptions,
    *,
    paths: tuple[str, ...],
    folder: str,
    jobs: int,
    shard_size: float | None,
    force: bool,
    quiet: bool,
) -> None:
    from checkpoint_ld.batch import bulk
    from checkpoint_ld.families import Profiles

    if wanted.profile is not None:
        Profiles(wanted.profile)  # raises for an unknown profile
    sources = streams.discovered(paths, "convert", quiet=quiet, extensions=bulk.FOUND)
    # No files are larger than the greatest size, and inf is no integer.
    target_bytes = None if shard_size is None else max(1, int(min(shard_size, 1 << 40) * (1 << 20)))
    shards = bulk.plan_shards(sources.files, folder, target_bytes=target_bytes)
    streams.check_outputs(sources.files, *bulk.outputs(shards), force=True)
    if not force:
        streams.check_outputs((), *bulk.foreign_outputs(shards, wanted), force=False)
    with streams.bar("converting", quiet=quiet) as moved:
        report = bulk.run(shards, wanted, jobs=jobs, progress=moved)
    for shard in report.lost:
        streams.note(f"{shard.stem}: its process died twice; its files are {', '.join(shard.paths)}")
    for graph in report.shared:
        streams.note(f"{graph}: several checkpoints have this IRI and say different things")
    if not quiet:
        streams.show(
            f"{counted(report.total('checkpoints'), 'checkpoint')}, {counted(report.total('quads'), 'quad')}, "
            f"{report.total('failed')} failed, {counted(sum(report.findings.values()), 'finding')}, "
            f"{counted(len(report.results), 'shard')}"
        )
    if report.lost:
        raise Exit(EXIT_FAILED)  # the processes of a shard died twice
    if report.total("failed") or report.shared or sources.unmatched:
        raise Exit(EXIT_FOUND)

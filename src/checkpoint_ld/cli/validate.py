"""The command `validate`: checkpoints validated against the rules, for people and for pipelines.

Files are validated one after another; a file that cannot be read is reported and does not stop the others.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.exceptions import Exit

from checkpoint_ld.batch import configuration
from checkpoint_ld.cli import EXIT_FAILED, options, streams
from checkpoint_ld.cli.options import EXIT_FOUND, Command
from checkpoint_ld.cli.streams import Output
from checkpoint_ld.documents.files import kind_of
from checkpoint_ld.errors import ReadError, SettingsError, WriteError
from checkpoint_ld.findings import Severity
from checkpoint_ld.phrases import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from click.shell_completion import CompletionItem

    from checkpoint_ld.batch.discovery import Discovery
    from checkpoint_ld.batch.verdicts import VerdictCache
    from checkpoint_ld.families import Noted, Profiles, Together
    from checkpoint_ld.validation.fixes import Repair
    from checkpoint_ld.validation.reports import ReportSettings
    from checkpoint_ld.validation.results import Checked, Report
    from checkpoint_ld.validation.selection import Selection

FORMATS = ("text", "json", "sarif", "gitlab", "rdjson", "junit", "github", "markdown", "html", "turtle")
"""The formats of findings: the names of `reports.FORMATS`."""
EXTENSIONS = {
    ".txt": "text",
    ".json": "json",
    ".sarif": "sarif",
    ".xml": "junit",
    ".md": "markdown",
    ".html": "html",
    ".ttl": "turtle",
}
"""The formats of findings by the extension of the output."""
ENGINES = ("compiled", "pyshacl")
"""The engines that validate a graph against the shapes: the names of `validation.ENGINES`."""


class _Written(click.ParamType):  # type: ignore[type-arg] # it is generic from click 8.4 on
    """A format, with the file that it is written to after a colon if it is not the output."""

    name = "format"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str | None]:
        kind, colon, file = str(value).partition(":")
        if kind not in FORMATS:
            self.fail(f"{kind!r} is not one of {', '.join(map(repr, FORMATS))}.", param, ctx)
        if colon and not file:
            self.fail(f"{value!r} names no file: write {kind}:FILE, or {kind} alone.", param, ctx)
        return kind, file or None

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002 - click's signature
        from click.shell_completion import CompletionItem

        return [CompletionItem(kind) for kind in FORMATS if kind.startswith(incomplete)]


FORMAT = options.written_as("--format", FORMATS, "How to write the findings", "text")


def severity(name: str) -> Severity | None:
    """Return the severity of that name; None for `never`."""
    return None if name == "never" else Severity[name.upper()]


def _configuration(file: str | None, *, is_none: bool) -> configuration.Configuration:
    if file is None:
        return configuration.Configuration() if is_none else configuration.find(Path())
    if is_none:
        raise SettingsError("--config and --no-config exclude one another: give one of them")
    return configuration.of_file(Path(file))


@click.command(cls=Command)
def validate(
    *,
    paths: tuple[str, ...] = options.argument(
        "PATH", "Files, folders and patterns; - for standard input.", nargs=-1, required=True
    ),
    profile: str | None = options.value(
        "--profile", help="The rules: karenina or agent (unless set), strict, load, legacy-dataset, structure …"
    ),
    shapes: tuple[str, ...] = options.file(
        "--shapes", multiple=True, help="A file or folder of shapes of your own; may be repeated."
    ),
    kinds: tuple[tuple[str, str | None], ...] = options.value(
        "--format",
        type=_Written(),
        metavar="FORMAT[:FILE]",
        multiple=True,
        help=f"How to write the findings: {', '.join(FORMATS)}; without it the output's extension decides, else text. "
        "May be repeated, to write FILE as well.",
    ),
    outputs: list[Output] = options.outputs("A file to write them to; may be repeated, each by its extension."),
    fail_on: str | None = options.choice(
        "--fail-on", values=configuration.FAIL_ON, help="The severity that gives exit code 1; violation unless set."
    ),
    baseline: str | None = options.file(
        "--baseline", help="A file of known findings: only new ones are shown and count."
    ),
    write_baseline: bool = options.flag(
        "--write-baseline", help="Write all findings to the file of --baseline, and exit with 0."
    ),
    statistics: bool = options.flag(
        "--statistics",
        help="Show the number of findings of each rule instead of the findings; as text or json.",
    ),
    select: tuple[str, ...] = options.value(
        "--select",
        multiple=True,
        help="Only these rules: codes, beginnings of codes, slugs or conditions, with commas.",
    ),
    ignore: tuple[str, ...] = options.value("--ignore", multiple=True, help="All rules but these."),
    max_per_rule: int | None = options.whole(
        "--max-per-rule", least=0, help="How often a rule is repeated in text; 0 for always."
    ),
    syntax: str | None = options.SYNTAX,
    fix: bool = options.flag("--fix", help="Repair what is safe to repair, then validate."),
    diff: bool = options.flag("--diff", help="Show what --fix would change; write and validate nothing."),
    engine: str = options.choice(
        "--engine",
        values=ENGINES,
        default=ENGINES[0],
        help="The engine that applies the shapes: compiled is fast, pyshacl leaves all of them to pySHACL.",
    ),
    jobs: int | None = options.JOBS,
    changed_since: str | None = options.value(
        "--changed-since", metavar="REF", help="Only files that changed since the branch left REF of git."
    ),
    stdin_filename: str | None = options.value(
        "--stdin-filename", metavar="NAME", help="The name of what - reads: for findings, exclusions and the syntax."
    ),
    force_exclude: bool = options.flag("--force-exclude", help="Exclude also files that are named."),
    config: str | None = options.file("--config", help="The configuration to use."),
    no_config: bool = options.flag("--no-config", help="Use no configuration."),
    trust_config: bool = options.flag("--trust-config", help="Run queries in shapes that a found configuration names."),
    show_settings: bool = options.flag(
        "--show-settings", help="Show the settings for PATH, and their file, as JSON; validate nothing."
    ),
    cache_dir: str | None = options.CACHE_DIR,
    no_cache: bool = options.NO_CACHE,
    quiet: bool = options.flag("-q", "--quiet", help="Print only the findings."),
) -> None:
    """Validate checkpoints: every finding with its place and a remedy."""
    # SHACL takes its time to import; --help should not wait for it.
    from checkpoint_ld.validation import reports

    output = outputs[0]
    _check_alone(bool(kinds or statistics or not output.is_standard), diff=diff, write_baseline=write_baseline)
    if stdin_filename is not None and streams.STANDARD not in paths:
        raise SettingsError("--stdin-filename names standard input, which is not read: give - among the paths")
    chosen = _configuration(config, is_none=no_config)
    if show_settings:
        shown = chosen
        if config is None and not no_config and paths[0] != streams.STANDARD:
            shown = configuration.find(Path(paths[0]) if os.path.isdir(paths[0]) else Path(paths[0]).parent)  # noqa: PTH112 - as elsewhere
        streams.show_json(configuration.shown_settings(shown))
        return
    exclusion: Any = {"exclude": chosen.exclude, "root": chosen.folder, "by": chosen.file, "input_name": stdin_filename}
    sources = streams.discovered(paths, "validate", quiet=quiet, force_exclude=force_exclude, **exclusion)
    is_fixed, kept = config is not None or no_config, () if force_exclude else paths
    parts = {chosen: sources.files} if is_fixed else _parts(sources.files, chosen, stdin_filename, kept)
    targets = _targets(kinds, outputs, reports.STATISTICS if statistics else reports.FORMATS)
    runs: dict[_ValidationRun, tuple[str, ...]] = {}
    rules_files: list[str] = []
    for own, files in parts.items():
        is_trusted = trust_config or config is not None
        wanted = configuration.profiles(own, profile, shapes, is_trusted=is_trusted)
        selection = configuration.selection(own, wanted.first.rules, select=select, ignore=ignore)
        run = _ValidationRun(wanted, selection, syntax, engine, jobs, quiet=quiet, has_failed=bool(sources.unmatched))
        run.stdin_filename = stdin_filename
        run.has_results = any(kind == "turtle" for kind, _ in targets)
        run.baseline = baseline or own.baseline
        run.use_cache(None if no_cache else cache_folder(cache_dir, own), is_trusted=is_trusted)
        run.threshold = severity(fail_on or own.fail_on or "violation")
        runs[run] = files
        rules_files += [str(file) for file in (own.file, *wanted.first.files, run.baseline) if file is not None]
    changed = dict.fromkeys(_changed(sources, changed_since, rules_files, quiet=quiet).files)
    runs = {run: tuple(file for file in files if file in changed) for run, files in runs.items()}
    known = next(iter(runs)).baseline
    read = *changed, *(file for file in rules_files if not write_baseline or file != known), config
    if not any(runs.values()):
        raise Exit(EXIT_FAILED if sources.unmatched else 0)
    written = (target.file for target in outputs)
    streams.check_outputs(read, *written, *(file for _, file in kinds), force=output.force)
    if write_baseline:
        _check_baseline(read, known, force=output.force)
        if len(runs) > 1:
            raise SettingsError("the files have several configurations: name one by --config to write a baseline")
    if diff:
        raise Exit(max(run.show_repairs(files) for run, files in runs.items()))
    settings = reports.ReportSettings(width=streams.columns(), rules_url=chosen.rules_url)
    most = chosen.max_per_rule if max_per_rule is None else max_per_rule
    settings = settings if most is None else settings._replace(max_per_rule=most)
    raise Exit(_finished(runs, targets, settings, fix=fix, statistics=statistics, write_baseline=write_baseline))


def _parts(
    files: Sequence[str], chosen: configuration.Configuration, stdin_filename: str | None, kept: Sequence[str]
) -> dict[configuration.Configuration, tuple[str, ...]]:
    """Return the files of each configuration: the nearest one counts for each file.

    A file that the nearest configuration excludes is left out, unless it is `kept`, since it was named.
    """
    nearest = {Path.cwd(): chosen, chosen.folder.absolute(): chosen}

    def of_folder(folder: Path) -> configuration.Configuration:
        if folder not in nearest:
            above = None if folder.parent == folder else folder.parent
            own = configuration.in_folder(folder) or (of_folder(above) if above is not None else None)
            nearest[folder] = own or (chosen if chosen.file is None else configuration.Configuration())
        return nearest[folder]

    parts: dict[configuration.Configuration, list[str]] = {}
    for file in files:
        name = stdin_filename if file == streams.STANDARD else file
        own = chosen if name is None else of_folder(Path(os.path.normpath(Path(name).absolute())).parent)
        if file in kept or own is chosen or not own.excludes(str(name)):
            parts.setdefault(own, []).append(file)
    if files and not parts:
        message = "nothing to validate: the nearest configurations exclude all files"
        if kept:
            raise SettingsError(f"{message}; name a file, which is never excluded without --force-exclude")
        streams.note(message)
    return {own: tuple(files_of) for own, files_of in parts.items()} or {chosen: ()}


def _finished(
    runs: Mapping[_ValidationRun, Sequence[str]],
    targets: Sequence[tuple[str, Output]],
    settings: ReportSettings,
    *,
    fix: bool,
    statistics: bool,
    write_baseline: bool,
) -> int:
    """Validate the files of each run, and write their reports as one; return the exit code."""
    reports_of: dict[_ValidationRun, Report] = {}
    for run, files in runs.items():
        if fix:
            run.repair(files)
        reports_of[run] = run.report(files)
    first = next(iter(reports_of))
    has_failed = any(run.has_failed for run in reports_of)
    if has_failed and not any(report.checked for report in reports_of.values()):
        return EXIT_FAILED
    if write_baseline and first.baseline is not None:
        first.write_baseline(reports_of[first], Path(first.baseline))
        return EXIT_FAILED if has_failed else 0
    for run, each in reports_of.items():
        reports_of[run] = run.compared(each, Path(run.baseline)) if run.baseline else each
    report = _joined([*reports_of.values()])
    for kind, target in targets:
        first.write(report, kind, target, settings._replace(fail_on=first.threshold), statistics=statistics)
    is_found = any(run.threshold is not None and each.at_least(run.threshold) for run, each in reports_of.items())
    return EXIT_FAILED if has_failed else EXIT_FOUND if is_found else 0


def _joined(parts: Sequence[Report]) -> Report:
    if len(parts) == 1:
        return parts[0]
    names = ", ".join(dict.fromkeys(name for part in parts for name in part.profile.split(", ")))
    checked = tuple(checked for part in parts for checked in part.checked)
    rules = {code: rule for part in reversed(parts) for code, rule in part.rules.items()}
    return type(parts[0])(names, checked, rules, sum(part.known for part in parts))


def _changed(sources: Discovery, reference: str | None, rules_files: Sequence[str], *, quiet: bool) -> Discovery:
    """Return the files that changed since a reference of git, if one is given; all of them if the rules did.

    Without a file to validate, the command ends.
    """
    if not sources.files:
        raise Exit(EXIT_FAILED if sources.unmatched else 0)
    if reference is None:
        return sources
    from checkpoint_ld.families.git import changed_since

    changed = changed_since(reference)
    rules = [file for file in rules_files if os.path.realpath(file) in changed]
    if rules:
        if not quiet:
            streams.note(f"{rules[0]} changed since {reference}, so that all files are validated")
        return sources
    files = tuple(file for file in sources.files if file == streams.STANDARD or os.path.realpath(file) in changed)
    if not files:
        if not quiet:
            streams.note(f"none of {counted(len(sources.files), 'file')} changed since {reference}")
        raise Exit(EXIT_FAILED if sources.unmatched else 0)
    return sources._replace(files=files)


def cache_folder(given: str | None, chosen: configuration.Configuration) -> Path:
    """Return the folder of the cache: the given one, or else that beside the configuration."""
    from checkpoint_ld.batch import verdicts

    return chosen.folder / verdicts.FOLDER if given is None else Path(given)


@click.command(cls=Command)
def clean(
    *,
    cache_dir: str | None = options.CACHE_DIR,
    quiet: bool = options.flag("-q", "--quiet", help="Print nothing."),
) -> None:
    """Remove the cache of verdicts."""
    from checkpoint_ld.batch import verdicts

    folder = cache_folder(cache_dir, configuration.find(Path()))
    is_removed = verdicts.clean(folder)
    if not quiet:
        streams.note(f"removed {folder}" if is_removed else f"there is no cache at {folder}")


def _check_alone(is_report: bool, **given: bool) -> None:
    """Refuse a report beside an option that writes something else, and two such options."""
    alone, *others = [f"--{name.replace('_', '-')}" for name, is_given in given.items() if is_given] or [""]
    if alone and (is_report or others):
        left = ", ".join(("--output", "--format", *others))
        raise SettingsError(f"{alone} is no report: leave {left} and --statistics out")


def _check_baseline(read: Iterable[str | None], known: str | None, *, force: bool) -> None:
    """Refuse to write a baseline that is not named, that is read, or, without `force`, over another file."""
    from checkpoint_ld.validation.reports.baseline import may_replace

    if known is None:
        raise SettingsError("--write-baseline needs --baseline FILE, or baseline in the configuration")
    streams.check_outputs(read, known, force=force or may_replace(Path(known)))


def _targets(
    kinds: Sequence[tuple[str, str | None]], outputs: Sequence[Output], formats: Iterable[str]
) -> list[tuple[str, Output]]:
    """Return the formats to write, each with its file; standard output has one unless all have files of their own."""
    alone = [kind for kind, file in kinds if file is None]
    if len(alone) > 1:
        raise SettingsError(f"--format {alone[0]} and --format {alone[1]}: write all but one as FORMAT:FILE")
    output, *more = outputs
    targets = [(kind_of(target.file, EXTENSIONS, "text"), target) for target in more]
    targets += [(kind, Output(file, force=output.force)) for kind, file in kinds if file is not None]
    if alone or not targets or not output.is_standard:
        targets.insert(0, (alone[0] if alone else kind_of(output.file, EXTENSIONS, "text"), output))
    unknown = [kind for kind, _ in targets if kind not in formats]
    if unknown:
        raise SettingsError(f"--statistics cannot be written as {unknown[0]}: use one of {', '.join(formats)}")
    return targets


def _is_coloured(output: Output) -> bool:
    """Return whether to write colours: in a terminal, unless NO_COLOR or FORCE_COLOR (no-color.org) is set."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return output.is_standard and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


@dataclass(eq=False)
class _ValidationRun:
    """The settings of a run, and whether a file could not be validated (`has_failed`).

    `jobs` is the number of processes for each file that is read some questions at a time; None: its size decides.
    """

    profiles: Profiles
    selection: Selection
    syntax: str | None
    engine: str
    jobs: int | None
    quiet: bool
    has_failed: bool
    has_results: bool = False
    stdin_filename: str | None = None
    baseline: str | None = None
    threshold: Severity | None = None
    repaired_input: bytes | None = field(default=None, repr=False)
    cache: VerdictCache | None = None

    def fail(self, message: str) -> None:
        streams.note(message)
        self.has_failed = True

    def use_cache(self, folder: Path | None, *, is_trusted: bool) -> None:
        """Use the verdicts in a cache, which has no SHACL reports."""
        if folder is not None and not self.has_results:
            from checkpoint_ld.batch import verdicts

            settings = self.profiles.name, self.syntax, self.engine, is_trusted
            self.cache = verdicts.VerdictCache(folder, settings, self.profiles.first.own_shapes)

    def report(self, files: Sequence[str]) -> Report:
        from checkpoint_ld import families
        from checkpoint_ld.rules import FIXED

        together = families.Together(self.profiles)
        own = together.added(self._checked(files, together))
        reports = families.with_shapes(own, self.profiles, is_whole=not self.has_failed)
        selected = [self.selection.applied(report) for report in reports]
        if self.cache is not None and self.cache.fault and not self.quiet:
            streams.note(self.cache.fault)
        if any(finding.rule in FIXED for report in selected for finding in report.findings):
            from checkpoint_ld.validation.fixes import with_fixable

            selected = list(map(with_fixable, selected))
        return families.report_of(selected, self.profiles)

    def write(self, report: Report, kind: str, target: Output, settings: ReportSettings, *, statistics: bool) -> None:
        from checkpoint_ld.validation import reports

        is_coloured = _is_coloured(target)
        formats = reports.STATISTICS if statistics else reports.FORMATS
        text = reports.render(report, kind, settings._replace(colour=is_coloured), formats=formats)
        if target.is_standard and self.repaired_input is not None:  # standard output holds the repaired text
            streams.note(text.removesuffix("\n"))
        else:
            target.write_report(text, kind, is_styled=is_coloured)

    def write_baseline(self, report: Report, file: Path) -> None:
        from checkpoint_ld.validation.reports import baseline

        streams.write(str(file), baseline.text_of(report, file, self.selection).encode(), force=True)
        if not self.quiet:
            streams.note(f"{counted(baseline.size(file), 'known finding')} in {file}")

    def compared(self, report: Report, file: Path) -> Report:
        """Return a report without the findings of a baseline; report the number of obsolete ones on standard error."""
        from checkpoint_ld.validation.reports import baseline

        difference = baseline.compared(report, file, self.selection)
        if difference.gone and not self.quiet:
            verb = "is" if difference.gone == 1 else "are"
            streams.note(f"{counted(difference.gone, 'known finding')} {verb} gone: --write-baseline leaves them out")
        return difference.report

    def show_repairs(self, files: Sequence[str]) -> int:
        """Print what `repair` would change, as unified diffs; return the exit code."""
        from checkpoint_ld.validation import fixes

        changes = False
        for repair in self._repairs(files):
            edits = [edit for fix in repair.fixes for edit in fix.edits]
            text = fixes.unified_diff(repair.before.decode("utf-8"), edits, repair.name) if edits else ""
            streams.write(streams.STANDARD, text.encode())
            changes = changes or repair.before != repair.after
        return EXIT_FAILED if self.has_failed else EXIT_FOUND if changes else 0

    def repair(self, files: Sequence[str]) -> None:
        """Repair `files` in place. Standard input, which has to be alone, is repaired to standard output.

        Raises SettingsError if it is not alone.
        """
        from checkpoint_ld.documents.files import replace_file

        is_input = streams.STANDARD in files
        if is_input and len(files) > 1:
            raise SettingsError("--fix with - writes to standard output: give no other file beside it")
        places = changed = 0
        for repair in self._repairs(files):
            try:
                if is_input:
                    self.repaired_input = repair.after
                    streams.write(streams.STANDARD, repair.after)
                elif repair.before != repair.after:
                    replace_file(repair.name, repair.after, pack=repair.is_packed)
            except WriteError as error:
                self.fail(str(error))
            else:
                places, changed = places + len(repair.fixes), changed + bool(repair.fixes)
        if not self.quiet:
            streams.note(f"fixed {counted(places, 'place')} in {counted(changed, 'file')}")

    def _repairs(self, files: Iterable[str]) -> Iterator[Repair]:
        from checkpoint_ld.validation.fixes import repair_of

        for file in files:
            try:
                yield repair_of(streams.source_of(file), self.selection, self.syntax)
            except ReadError as error:
                self.fail(str(error))

    def _checked(self, files: Sequence[str], together: Together) -> Iterator[Checked]:
        from checkpoint_ld import families

        with streams.bar("validating", quiet=self.quiet or len(files) < 2) as advance:
            if self.jobs is not None and len(files) > 1:
                yield from self._shared_out(files, together, advance)
                return
            for done, file in enumerate(files):
                if advance is not None:
                    advance(done, len(files))
                kept = self._kept(file, is_alone=len(files) == 1)
                if kept is not None:
                    together.record(file, kept[1])
                    yield kept[0]
                    continue
                source = file if file != streams.STANDARD else self._input()
                try:
                    streamed = self._streamed(source, is_alone=len(files) == 1)
                    if streamed is None:
                        choices: Any = {"syntax": self.syntax, "engine": self.engine, "together": together}
                        checked = families.check(source, self.profiles, **choices)
                        self._keep(file, checked, together.last)
                        yield checked
                    else:
                        together.note(None, b"", None)
                        yield streamed
                except ReadError as error:
                    self.fail(str(error))
                except SettingsError as error:  # a document may show that shapes cannot be applied
                    self.fail(f"{file}: {error}")

    def _shared_out(
        self, files: Sequence[str], together: Together, advance: Callable[[int, int], None] | None
    ) -> Iterator[Checked]:
        """Yield the validations of several files by processes, each file by one of them; large ones in parts."""
        from dataclasses import replace

        from rdflib import Graph

        from checkpoint_ld.batch import validating
        from checkpoint_ld.batch.discovery import is_in_windows

        def is_own(file: str) -> bool:
            return file == streams.STANDARD or is_in_windows(file)

        shapes = tuple(map(str, self.profiles.shapes))
        work = validating.Work(self.profiles.name, shapes, self.syntax, self.engine, self.has_results)
        known = {file: kept for file in files if (kept := self._kept(file)) is not None}
        left = [file for file in files if file not in known and not is_own(file)]
        outcomes = validating.outcomes(left, work, self.jobs or 1)
        for done, file in enumerate(files):
            if advance is not None:
                advance(done, len(files))
            if file in known:
                together.record(file, known[file][1])
                yield known[file][0]
                continue
            if is_own(file):
                yield from self._checked([file], together)
                continue
            outcome = next(outcomes)
            if outcome.checked is None:
                self.fail(outcome.fault)
                continue
            together.record(file, outcome.noted)
            self._keep(file, outcome.checked, outcome.noted, has_graph=outcome.results is not None)
            results = Graph()
            for triple in outcome.results or ():
                results.add(triple)
            yield replace(outcome.checked, results=None if outcome.results is None else results)

    def _kept(self, file: str, *, is_alone: bool = False) -> tuple[Checked, Noted | None] | None:
        from checkpoint_ld.batch.discovery import is_in_windows

        if self.cache is None or file == streams.STANDARD or is_in_windows(file, self.jobs if is_alone else None):
            return None
        return self.cache.of_file(file)

    def _keep(self, file: str, checked: Checked, noted: Noted | None, *, has_graph: bool | None = None) -> None:
        if self.cache is not None and file != streams.STANDARD:
            is_graph = checked.results is not None if has_graph is None else has_graph
            self.cache.keep_file(file, checked, noted, has_graph=is_graph)

    def _input(self) -> Any:
        """Return standard input, by the name of the file that it is of, if that is known."""
        if self.stdin_filename is None:
            return self.repaired_input or sys.stdin.buffer
        from io import BytesIO

        named = BytesIO(self.repaired_input or sys.stdin.buffer.read())
        named.name = self.stdin_filename
        return named

    def _streamed(self, source: Any, *, is_alone: bool) -> Checked | None:
        from checkpoint_ld.batch.discovery import is_in_windows

        jobs = self.jobs if is_alone else None
        if self.engine != ENGINES[0] or not isinstance(source, str) or not is_in_windows(source, jobs):
            return None
        from checkpoint_ld.batch.windows import Streaming

        note = None if self.quiet else streams.note
        with streams.bar("validating", quiet=self.quiet or not is_alone) as advance:
            return Streaming(self.jobs, advance, note).check(source, self.profiles.first, syntax=self.syntax)

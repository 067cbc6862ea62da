"""The command `validate`: checkpoints held against the rules, for people and for pipelines."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from checkpoint_ld import configuration
from checkpoint_ld.cli import streams
from checkpoint_ld.cli.streams import Input
from checkpoint_ld.documents.files import kind_of
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.findings import Severity

if TYPE_CHECKING:
    from checkpoint_ld.configuration import Configuration
    from checkpoint_ld.discovery import Discovery


class Format(StrEnum):
    """How findings are written: the names of `reports.FORMATS`."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    JUNIT = "junit"
    GITHUB = "github"
    MARKDOWN = "markdown"
    HTML = "html"
    TURTLE = "turtle"


EXTENSIONS = {
    ".txt": Format.TEXT,
    ".json": Format.JSON,
    ".sarif": Format.SARIF,
    ".xml": Format.JUNIT,
    ".md": Format.MARKDOWN,
    ".html": Format.HTML,
    ".ttl": Format.TURTLE,
}
"""How findings are written to a file, by its extension."""
FormatOption = Annotated[
    Format | None,
    typer.Option("--format", help="How to write the findings; without it the output's extension tells, else text."),
]


def format_of(wanted: Format | None, output: str) -> Format:
    """Return how findings are written to `output`. Raises WriteError for an extension that says nothing about that."""
    return wanted or kind_of(output, EXTENSIONS, Format.TEXT)


class FailOn(StrEnum):
    """From which severity on findings make the run fail: `configuration.FAIL_ON`."""

    VIOLATION = "violation"
    WARNING = "warning"
    INFO = "info"
    NEVER = "never"


class Engine(StrEnum):
    """What holds the graph against the shapes: the names of `validation.ENGINES`."""

    COMPILED = "compiled"
    PYSHACL = "pyshacl"


def validate(  # noqa: PLR0913, PLR0917 - each parameter is an option of the command
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH", help="Files, folders and patterns; - for standard input.")
    ],
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile", help="The rules: karenina or agent (unless set), strict, legacy-dataset, structure …"
        ),
    ] = None,
    shapes: Annotated[
        list[str] | None, typer.Option("--shapes", help="A file or folder of shapes of your own; may be repeated.")
    ] = None,
    format_: FormatOption = None,
    output: Annotated[str, typer.Option("-o", "--output", help="The file to write them to.")] = streams.STANDARD,
    force: streams.Force = False,
    fail_on: Annotated[
        FailOn | None, typer.Option("--fail-on", help="The severity that gives exit code 1; violation unless set.")
    ] = None,
    select: Annotated[
        list[str] | None,
        typer.Option(
            "--select", help="Only these rules: codes, beginnings of codes, slugs or conditions, with commas."
        ),
    ] = None,
    ignore: Annotated[list[str] | None, typer.Option("--ignore", help="All rules but these.")] = None,
    max_per_rule: Annotated[
        int | None, typer.Option("--max-per-rule", min=0, help="How often a rule is repeated in text; 0 for always.")
    ] = None,
    syntax: Annotated[
        Input | None, typer.Option("--from", help="What is read, where neither extension nor content tells.")
    ] = None,
    fix: Annotated[bool, typer.Option("--fix", help="Repair what is safe to repair, then validate.")] = False,
    diff: Annotated[
        bool, typer.Option("--diff", help="Show what --fix would change; write and validate nothing.")
    ] = False,
    engine: Annotated[
        Engine, typer.Option("--engine", help="What applies the shapes: compiled is quick, pyshacl does it all.")
    ] = Engine.COMPILED,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", min=1, help="Some questions at a time, by so many processes; large files always are."),
    ] = None,
    config: Annotated[str | None, typer.Option("--config", help="The configuration to use.")] = None,
    no_config: Annotated[bool, typer.Option("--no-config", help="Use no configuration.")] = False,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Print the findings and nothing else.")] = False,
) -> None:
    """Validate checkpoints: every finding with its place and a remedy."""
    # SHACL takes its time to import; --help should not wait for it.
    from checkpoint_ld import profiles, reports, selection
    from checkpoint_ld.cli.validation_run import EXIT_FAILED, Run
    from checkpoint_ld.families import checking
    from checkpoint_ld.rules import catalogue

    chosen = _configuration(config, none=no_config)
    wanted = checking.Profiles(profile or chosen.profile or profiles.DEFAULT, tuple(shapes or chosen.shapes))
    named = [*(select or chosen.select), *(ignore or chosen.ignore), *chosen.per_file_ignores]
    counted = selection.selection(
        {**catalogue(), **wanted.first.rules} if named else {},
        select=select or chosen.select,
        ignore=ignore or chosen.ignore,
        per_file=chosen.per_file_ignores,
        folder=chosen.folder,
    )
    counted = replace(counted, accepted=frozenset(chosen.accepted_code))
    run = Run(wanted, counted, syntax, engine=engine, jobs=jobs, quiet=quiet)
    found = _discovered(paths, chosen, quiet=quiet)
    streams.check_outputs([*found.files, *map(str, wanted.first.files), config], output, force=force)
    kind = format_of(format_, output)
    for pattern in found.unmatched:
        run.fail(f"{pattern}: no file matches")
    if diff:
        raise typer.Exit(run.show_repairs(found.files))
    if fix:
        run.repair(found.files)
    report = run.report(found.files)
    if run.has_failed and not report.checked:
        raise typer.Exit(EXIT_FAILED)
    threshold = _SEVERITIES[FailOn(fail_on or chosen.fail_on or FailOn.VIOLATION)]
    settings = reports.Settings(colour=_colour(output), width=shutil.get_terminal_size((100, 24)).columns)
    settings = settings._replace(fail_on=threshold)
    most = chosen.max_per_rule if max_per_rule is None else max_per_rule
    if most is not None:
        settings = settings._replace(max_per_rule=most)
    run.write(reports.render(report, kind, settings), output, kind, force=force, is_styled=settings.colour)
    raise typer.Exit(run.exit_code(report, threshold))


def _configuration(file: str | None, *, none: bool) -> Configuration:
    if none:
        return configuration.Configuration()
    return configuration.find(Path()) if file is None else configuration.of_file(Path(file))


def _discovered(paths: list[str], chosen: Configuration, *, quiet: bool) -> Discovery:
    from checkpoint_ld import discovery

    found = discovery.discover(paths, chosen.exclude, root=chosen.folder)
    if found.passed_over and not quiet:
        count = "1 file in a folder is" if found.passed_over == 1 else f"{found.passed_over} files in folders are"
        streams.say(f"{count} no checkpoint and passed over")
    if not found.files:
        where = ", ".join(paths)
        raise SettingsError(f"nothing to validate in {where}: name a checkpoint, or a folder that has some")
    return found


_SEVERITIES = {
    FailOn.VIOLATION: Severity.VIOLATION,
    FailOn.WARNING: Severity.WARNING,
    FailOn.INFO: Severity.INFO,
    FailOn.NEVER: None,
}


def _colour(output: str) -> bool:
    """Tell whether colours are wanted: in a terminal, unless NO_COLOR or FORCE_COLOR (no-color.org) say otherwise."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return output == streams.STANDARD and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"

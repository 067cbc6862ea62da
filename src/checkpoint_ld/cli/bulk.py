"""The commands of `bulk`: very many checkpoints as N-Quads and findings, in shards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from checkpoint_ld.cli import streams
from checkpoint_ld.cli.parameters import WholeSummaries
from checkpoint_ld.cli.progress import bar

if TYPE_CHECKING:
    from checkpoint_ld.bulk import ConvertOptions

app = typer.Typer(
    cls=WholeSummaries,
    help="Convert or validate very many checkpoints in shards, by several processes; an interrupted run is completed.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)

EXIT_FOUND = 1
"""The exit code where a checkpoint failed, or two say different things under one IRI."""
EXIT_LOST = 2
"""The exit code where a shard's process died twice."""

Paths = Annotated[
    list[str],
    typer.Argument(
        metavar="PATH…", help="Files, folders and patterns; .ndjson has one checkpoint to a line, .gz is unpacked."
    ),
]
Out = Annotated[str, typer.Option("-o", "--out", help="The folder to write to.")]
Jobs = Annotated[int, typer.Option("--jobs", min=1, help="How many processes work at once.")]
Size = Annotated[float, typer.Option("--shard-size", min=0.001, help="About how many MB of input make a shard.")]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Print no more than what went wrong.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite what another run has written; what is read never is.")]


@app.command("convert")
def convert(  # noqa: PLR0913, PLR0917 - each parameter is an option of the command
    paths: Paths,
    out: Out,
    jobs: Jobs = 1,
    shard_size: Size = 64,
    profile: Annotated[
        str | None, typer.Option("--profile", help="Hold each checkpoint against these rules, too.")
    ] = None,
    compressed: Annotated[bool, typer.Option("--gzip", help="Compress the N-Quads.")] = False,
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Write N-Quads, one named graph for each checkpoint, and findings as JSON lines."""
    from checkpoint_ld.bulk import ConvertOptions

    _run(paths, out, jobs, shard_size, ConvertOptions(profile, compressed=compressed), force=force, quiet=quiet)


@app.command("validate")
def validate(  # noqa: PLR0913, PLR0917 - each parameter is an option of the command
    paths: Paths,
    out: Out,
    jobs: Jobs = 1,
    shard_size: Size = 64,
    profile: Annotated[str, typer.Option("--profile", help="The set of rules.")] = "karenina",
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Write findings as JSON lines, and no N-Quads."""
    from checkpoint_ld.bulk import ConvertOptions

    _run(paths, out, jobs, shard_size, ConvertOptions(profile, quads=False), force=force, quiet=quiet)


def _run(  # noqa: PLR0913 - the options of both commands
    paths: list[str], out: str, jobs: int, shard_size: float, options: ConvertOptions, *, force: bool, quiet: bool
) -> None:
    from checkpoint_ld import bulk
    from checkpoint_ld.discovery import discover
    from checkpoint_ld.errors import SettingsError
    from checkpoint_ld.families.checking import Profiles

    if options.profile is not None:
        Profiles(options.profile)  # says now what is wrong with the name
    found = discover(paths)
    for pattern in found.unmatched:
        streams.say(f"{pattern}: no file matches")
    if not found.files:
        raise SettingsError(f"nothing to convert in {', '.join(paths)}: name a checkpoint, or a folder that has some")
    shards = bulk.plan_shards(found.files, out, target_bytes=max(1, int(shard_size * (1 << 20))))
    streams.check_outputs(found.files, *bulk.outputs(shards), force=True)
    if not force:
        streams.check_outputs((), *bulk.of_others(shards, options), force=False)
    with bar("converting", quiet=quiet) as moved:
        report = bulk.run(shards, options, jobs=jobs, progress=moved)
    for shard in report.lost:
        streams.say(f"{shard.stem}: its process died twice; its files are {', '.join(shard.paths)}")
    for graph in report.shared:
        streams.say(f"{graph}: several checkpoints have this IRI and say different things")
    if not quiet:
        streams.show(
            f"{report.total('checkpoints')} checkpoints, {report.total('quads')} quads, "
            f"{report.total('failed')} failed, {sum(report.findings.values())} findings, {len(report.results)} shards"
        )
    if report.lost:
        raise typer.Exit(EXIT_LOST)
    if report.total("failed") or report.shared or found.unmatched:
        raise typer.Exit(EXIT_FOUND)

"""The commands of `bulk`: very many checkpoints as N-Quads and findings, in shards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.exceptions import Exit

from checkpoint_ld.cli import EXIT_FAILED, streams
from checkpoint_ld.cli.parameters import (
    EXIT_FOUND,
    Group,
    argument,
    flag,
    output_folder,
    quiet,
    seconds,
    together,
    whole,
)

if TYPE_CHECKING:
    from checkpoint_ld.batch.bulk import ConvertOptions


@click.group(cls=Group, no_args_is_help=True)
def bulk() -> None:
    """Convert or validate very many checkpoints in shards, by several processes; an interrupted run is completed."""


_shared = together(
    argument(
        "paths",
        "PATH…",
        "Files, folders and patterns; .ndjson has one checkpoint to a line, .gz is unpacked.",
        nargs=-1,
        required=True,
    ),
    output_folder("The folder to write to.", required=True),
    whole("--jobs", default=1, help="How many processes work at once."),
    seconds("--shard-size", default=64, help="About how many MB of input make a shard."),
    flag("--force", help="Overwrite what another run has written; what is read never is."),
    quiet,
)


@bulk.command
@_shared
@click.option("--profile", help="Hold each checkpoint against these rules, too.")
@flag("--gzip", "compressed", help="Compress the N-Quads.")
def convert(*, profile: str | None, compressed: bool, **settings: Any) -> None:
    """Write N-Quads, one named graph for each checkpoint, and findings as JSON lines."""
    from checkpoint_ld.batch.bulk import ConvertOptions

    _run(options=ConvertOptions(profile, compressed=compressed), **settings)


@bulk.command
@_shared
@click.option("--profile", default="karenina", help="The set of rules.")
def validate(*, profile: str, **settings: Any) -> None:
    """Write findings as JSON lines, and no N-Quads."""
    from checkpoint_ld.batch.bulk import ConvertOptions

    _run(options=ConvertOptions(profile, quads=False), **settings)


def _run(
    *,
    paths: tuple[str, ...],
    folder: str,
    jobs: int,
    shard_size: float,
    options: ConvertOptions,
    force: bool,
    quiet: bool,
) -> None:
    from checkpoint_ld.batch import bulk
    from checkpoint_ld.families import Profiles

    if options.profile is not None:
        Profiles(options.profile)  # says now what is wrong with the name
    found = streams.discovered(paths, "convert")
    shards = bulk.plan_shards(found.files, folder, target_bytes=max(1, int(shard_size * (1 << 20))))
    streams.check_outputs(found.files, *bulk.outputs(shards), force=True)
    if not force:
        streams.check_outputs((), *bulk.of_others(shards, options), force=False)
    with streams.bar("converting", quiet=quiet) as moved:
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
        raise Exit(EXIT_FAILED)  # the processes of a shard died twice
    if report.total("failed") or report.shared or found.unmatched:
        raise Exit(EXIT_FOUND)

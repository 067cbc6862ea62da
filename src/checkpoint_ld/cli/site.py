"""The command `site`: benchmarks and runs of agents as static pages."""

from __future__ import annotations

from pathlib import Path

import click

from checkpoint_ld.cli import streams
from checkpoint_ld.cli.parameters import Command, files, flag, paths, quiet, syntax

MOST_REMARKS = 10


@click.command(cls=Command)
@paths
@click.option("-o", "--output", "folder", required=True, help="The folder to write.", shell_complete=files)
@click.option(
    "--answers",
    multiple=True,
    shell_complete=files,
    help="Recorded answers to show with their verdicts; may be repeated.",
)
@click.option("--title", default="Benchmarks", help="What the site is called.")
@click.option("--url", help="Where the site will be, so that pages name their own address.")
@flag("--force", help="Replace the site that is in the folder; other files stay.")
@syntax
@quiet
def site(
    *,
    paths: tuple[str, ...],
    folder: str,
    answers: tuple[str, ...],
    title: str,
    url: str | None,
    force: bool,
    syntax: str | None,
    quiet: bool,
) -> None:
    """Write static pages about benchmarks and runs of agents, to read and to search from a folder."""
    # Reading takes its time to import; --help should not wait for it.
    from checkpoint_ld.reports.summary import counted
    from checkpoint_ld.site import write_site

    # The files that an older site offers are no versions of what it was made of.
    older = Path(folder).resolve()
    found = streams.discovered(paths, "show", quiet=quiet).files
    sources = [one for one in found if older not in Path(one).resolve().parents]
    written = write_site(sources, folder, answers=answers, title=title, url=url, syntax=syntax, overwrite=force)
    for one in written.remarks[:MOST_REMARKS]:
        streams.say(one)
    if len(written.remarks) > MOST_REMARKS:
        streams.say(f"… and {len(written.remarks) - MOST_REMARKS} more of these")
    if not quiet:
        named = ("benchmark", written.benchmarks), ("question", written.questions), ("run", written.runs)
        counts = [counted(number, noun) + " of agents" * (noun == "run") for noun, number in named if number]
        streams.show(f"{folder}: {counted(written.pages, 'page')} about {', '.join(counts)}")

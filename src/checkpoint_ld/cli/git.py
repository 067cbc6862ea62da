"""The commands of `git`: checkpoints compared and merged by git in the terms of their authors."""

from __future__ import annotations

import sys

import click
from click.exceptions import Exit

from checkpoint_ld.cli import streams
from checkpoint_ld.cli.merge import deciding, decision, tell
from checkpoint_ld.cli.parameters import EXIT_FOUND, Group, argument, as_json, flag

_everywhere = flag("--global", "everywhere", help="For all repositories of this user, not for this clone alone.")


@click.group(cls=Group, no_args_is_help=True)
def git() -> None:
    """Set up git to compare and merge checkpoints in the terms of their authors."""


@git.command()
@_everywhere
@click.option(
    "--pattern", "patterns", multiple=True, help="Files that are checkpoints, beside *.jsonld; may be repeated."
)
def install(*, everywhere: bool, patterns: tuple[str, ...]) -> None:
    """Have git use checkpoint-ld for *.jsonld, the git-patterns of the configuration, and each pattern."""
    from pathlib import Path

    from checkpoint_ld.batch import configuration
    from checkpoint_ld.merging import git as setup

    # What one project has set is for its own repository.
    own = () if everywhere else configuration.find(Path()).git_patterns
    file = setup.install(tuple(dict.fromkeys((*setup.PATTERNS, *own, *patterns))), everywhere=everywhere)
    streams.say(f"git compares and merges checkpoints by checkpoint-ld now; {file} says for which files")


@git.command()
@_everywhere
def uninstall(*, everywhere: bool) -> None:
    """Take away what install set up, and nothing else."""
    from checkpoint_ld.merging import git as setup

    is_gone = setup.uninstall(everywhere=everywhere)
    streams.say("git compares and merges checkpoints line by line again" if is_gone else "nothing was installed")


@git.command()
@argument("file", "FILE", "A file that a merge left contested.")
@deciding
@as_json
def resolve(*, file: str, is_ours: bool, is_theirs: bool, is_asked: bool, as_json: bool) -> None:
    """Merge a contested file again, from the versions that git keeps, and decide; exit with 1 if conflicts are left."""
    from checkpoint_ld.documents.text import dump_json
    from checkpoint_ld.merging import git as setup

    prefer, decide = decision(is_ours=is_ours, is_theirs=is_theirs, is_asked=is_asked)
    merged = setup.resolve(file, prefer=prefer, decide=decide)
    if as_json:
        streams.out().write(dump_json(merged.as_json()) + b"\n")
    elif not merged.is_clean:
        tell(merged)
    else:
        streams.say(f"{file} is merged: add it")
    if not merged.is_clean:
        raise Exit(EXIT_FOUND)


@git.command(hidden=True)
@argument("file", "FILE", "The file to show.")
def textconv(*, file: str) -> None:
    """Print a checkpoint as lines that git compares; what is no checkpoint, as it is."""
    from checkpoint_ld import families
    from checkpoint_ld.documents.files import read_bytes
    from checkpoint_ld.errors import ReadError
    from checkpoint_ld.merging.outline import outline_of

    data, name = read_bytes(file)
    try:
        text = outline_of(families.examine_bytes(data, name, checked=False)).encode()
    except ReadError:
        text = data
    sys.stdout.buffer.write(text)


@git.command("merge-file", hidden=True)
@click.argument("files", nargs=3)
@click.argument("size")
@click.argument("path")
def merge_file(*, files: tuple[str, str, str], size: str, path: str) -> None:
    """Merge three files for git, into the second one."""
    from checkpoint_ld.merging import git as setup

    code, told = setup.merge_file(*files, size, path)
    if told:
        streams.say(told)
    raise Exit(code)

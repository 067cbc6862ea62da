"""The command `pull`: the checkpoints of a triple store as files again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.exceptions import Exit

from checkpoint_ld.cli import EXIT_FAILED, streams
from checkpoint_ld.cli.parameters import Command, argument, choice, files, flag, quiet, served
from checkpoint_ld.cli.push import connected
from checkpoint_ld.errors import ReadError, SettingsError, WriteError

if TYPE_CHECKING:
    from checkpoint_ld.families import Source

_EXTENSIONS = {"jsonld": ".jsonld", "nt": ".nt", "turtle": ".ttl"}


@click.command(cls=Command)
@argument("url", "URL", "The URL of the store, without user and password.")
@argument("graphs", "[GRAPH]...", "The graphs to pull; all checkpoints, unless given.", nargs=-1)
@click.option(
    "-o", "--output", "folder", metavar="FOLDER", default=".", shell_complete=files, help="The folder for the files."
)
@choice("--to", values=_EXTENSIONS, default="jsonld", help="What to write.")
@flag("--list", "list_only", help="List the checkpoints; write nothing.")
@served
@flag("--force", help="Overwrite files that are there.")
@quiet
def pull(
    *,
    url: str,
    graphs: tuple[str, ...],
    folder: str,
    to: str,
    list_only: bool,
    force: bool,
    quiet: bool,
    credentials: str | None,
    **service: Any,
) -> None:
    """Pull checkpoints out of a triple store, each into a file that is named after its graph."""
    from checkpoint_ld.stores import remote
    from checkpoint_ld.stores.remote import file_name

    has_failed = False
    with connected(url, credentials=credentials, quiet=quiet, **service) as client:
        names = graphs or client.checkpoints()
        if list_only:
            for name in names:
                streams.show(name)
            return
        if not names and not quiet:
            streams.say("the store holds no checkpoint")
        for name in names:
            try:
                ((_, found),) = remote.pull(client, [name])
                file = Path(folder) / file_name(name, _EXTENSIONS[to])
                streams.check_outputs([credentials], str(file), force=force)
                streams.write(str(file), _content(found, to), force=force)
            except (ReadError, WriteError, SettingsError) as error:
                streams.say(str(error))
                has_failed = True
                continue
            if not quiet:
                streams.show(str(file))
    raise Exit(EXIT_FAILED if has_failed else 0)


def _content(found: Source, to: str) -> bytes:
    """Return a checkpoint as the bytes of a file."""
    from checkpoint_ld import writing
    from checkpoint_ld.agent import writing as agent_writing
    from checkpoint_ld.reading import Reading

    if isinstance(found, Reading):
        return writing.write(found.graph, syntax=to).data
    return agent_writing.written(found.tree, to)

"""The command `pull`: the checkpoints of a triple store as files again."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from checkpoint_ld.cli import streams
from checkpoint_ld.cli.push import (
    EXIT_FAILED,
    Auth,
    AuthOption,
    CredentialsOption,
    ProfileOption,
    QueryUrlOption,
    QuietOption,
    Store,
    StoreUrlOption,
)
from checkpoint_ld.errors import ReadError, SettingsError, WriteError

if TYPE_CHECKING:
    from checkpoint_ld.families import Source

_TIMEOUT = 120.0


class Written(StrEnum):
    """What checkpoints are written as."""

    JSONLD = "jsonld"
    N_TRIPLES = "nt"
    TURTLE = "turtle"


_EXTENSIONS = {Written.JSONLD: ".jsonld", Written.N_TRIPLES: ".nt", Written.TURTLE: ".ttl"}


def pull(  # noqa: PLR0913, PLR0917 - each parameter is an option of the command
    url: Annotated[str, typer.Argument(metavar="URL", help="The URL of the store, without user and password.")],
    graphs: Annotated[
        list[str] | None, typer.Argument(metavar="GRAPH", help="The graphs to pull; all checkpoints, unless given.")
    ] = None,
    out: Annotated[str, typer.Option("-o", "--out", metavar="FOLDER", help="The folder for the files.")] = ".",
    to: Annotated[Written, typer.Option("--to", help="What to write.")] = Written.JSONLD,
    listed: Annotated[bool, typer.Option("--list", help="List the checkpoints; write nothing.")] = False,
    profile: ProfileOption = Store.AUTO,
    auth: AuthOption = Auth.AUTO,
    credentials: CredentialsOption = None,
    query_url: QueryUrlOption = None,
    store_url: StoreUrlOption = None,
    timeout: Annotated[float, typer.Option("--timeout", min=0.001, help="Seconds for one answer.")] = _TIMEOUT,
    force: streams.Force = False,
    quiet: QuietOption = False,
) -> None:
    """Pull checkpoints out of a triple store, each into a file that is named after its graph."""
    from checkpoint_ld import remote
    from checkpoint_ld.remote.pull import file_name

    has_failed = False
    with remote.connect(
        url,
        profile=profile,
        auth=auth,
        credentials_file=credentials,
        query=query_url,
        store=store_url,
        timeout=timeout,
        found=lambda name: None if quiet else streams.say(f"profile {name}"),
    ) as client:
        names = graphs or client.checkpoints()
        if listed:
            for name in names:
                streams.show(name)
            raise typer.Exit
        if not names and not quiet:
            streams.say("the store holds no checkpoint")
        for name in names:
            try:
                ((_, found),) = remote.pull(client, [name])
                file = Path(out) / file_name(name, _EXTENSIONS[to])
                streams.check_outputs([credentials], str(file), force=force)
                streams.write(str(file), _content(found, to), force=force)
            except (ReadError, WriteError, SettingsError) as error:
                streams.say(str(error))
                has_failed = True
                continue
            if not quiet:
                streams.show(str(file))
    raise typer.Exit(EXIT_FAILED if has_failed else 0)


def _content(found: Source, to: Written) -> bytes:
    """Return a checkpoint as the bytes of a file."""
    from checkpoint_ld.agent import writing as agent_writing
    from checkpoint_ld.reading import Reading
    from checkpoint_ld.writing import write as writing

    if isinstance(found, Reading):
        return writing.write(found.graph, syntax=to).data
    return agent_writing.written(found.tree, to)

"""The command `serve`: checkpoints as a read-only SPARQL service on this machine."""

from __future__ import annotations

import signal
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from checkpoint_ld.cli import streams
from checkpoint_ld.cli.parameters import Command, argument, flag, seconds, whole
from checkpoint_ld.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LOOPBACK = "127.0.0.1"


@click.command(cls=Command)
@argument("paths", "PATH", "A collection, or files, folders and patterns.", nargs=-1, required=True)
@click.option("--port", type=click.IntRange(0, 65535), default=7979, help="The port; 0 for any that is free.")
@click.option(
    "--host", metavar="ADDRESS", default=LOOPBACK, help="Where to listen; other machines can ask only if you say so."
)
@flag("--inferred", help="Add to files what follows from them, as convert --inferred.")
@seconds("--timeout", default=30.0, help="Seconds for one query.")
@whole("--max-rows", help="At most so many rows.")
@whole("--workers", default=2, help="How many queries run at a time.")
@flag("-q", "--quiet", help="Say nothing but the URL.")
def serve(
    *,
    paths: tuple[str, ...],
    port: int,
    host: str,
    inferred: bool,
    timeout: float,
    max_rows: int | None,
    workers: int,
    quiet: bool,
) -> None:
    """Serve checkpoints as a read-only SPARQL endpoint, with a page to ask it."""
    from checkpoint_ld.sparql.service import Server, Settings
    from checkpoint_ld.stores.endpoint import is_loopback

    with ExitStack() as stack:
        location = _location(paths, stack, inferred=inferred, quiet=quiet)
        server = stack.enter_context(Server(location, Settings(host, port, timeout, max_rows, workers)))
        if not is_loopback(host):
            streams.say(f"whoever reaches this machine at {host} can read what is served")
        streams.show(server.url)
        sys.stdout.flush()
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            server.run()
        except KeyboardInterrupt:
            if not quiet:
                streams.say("stopped")


def _location(paths: Sequence[str], stack: ExitStack, *, inferred: bool, quiet: bool) -> Path | Callable[[], str]:
    """Return the folder of a store of files, or what gives that of the newest snapshot of a collection."""
    import pyoxigraph

    from checkpoint_ld import families, sparql
    from checkpoint_ld.stores.snapshot import Snapshots

    if streams.is_collection(paths):
        if inferred:
            raise SettingsError("--inferred is for files: a collection holds what was added to it")
        return stack.enter_context(Snapshots(Path(paths[0]))).current
    dataset = sparql.Dataset()
    statements: dict[str, int] = {}
    for _, source, graph in streams.graphs(streams.discovered(paths, "serve").files, streams.say):
        added = families.inferred(graph) if inferred else graph
        statements[dataset.add(added, dialect=families.dialect_of(source))] = len(added)
    if not dataset.graphs:
        raise SettingsError(f"nothing to serve in {', '.join(paths)}: name a checkpoint, or a folder that has some")
    if not quiet:
        count = len(dataset.graphs)
        streams.say(f"{count} checkpoint{'' if count == 1 else 's'}, {sum(statements.values())} statements")
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="checkpoint-ld-")))
    # On a disk, for the workers to open: each has the same data then, and none a copy of it in memory.
    stored = pyoxigraph.Store(str(folder))
    stored.bulk_load(dataset.store.dump(format=pyoxigraph.RdfFormat.N_QUADS), format=pyoxigraph.RdfFormat.N_QUADS)
    stored.flush()
    return folder

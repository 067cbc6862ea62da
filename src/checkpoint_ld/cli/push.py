"""The commands `push` and `pull`: checkpoints to a triple store, each as a graph of its own, and back as files."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.exceptions import Exit

from checkpoint_ld.cli import EXIT_FAILED, streams
from checkpoint_ld.cli.parameters import (
    EXIT_FOUND,
    Command,
    argument,
    choice,
    conflict,
    files,
    flag,
    output_folder,
    prov,
    quiet,
    served,
)
from checkpoint_ld.errors import CheckpointLdError, CountMismatchError, ReadError, SettingsError, WriteError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checkpoint_ld.families import Source
    from checkpoint_ld.stores.remote import Manifest, Outgoing, Pushed, PushReport, SparqlClient


def connected(
    url: str, *, profile: str, auth: str, credentials: str | None, timeout: float, quiet: bool, **urls: Any
) -> SparqlClient:
    """Return a client of the server at `url`; `urls` are those of its single services."""
    from checkpoint_ld.stores import remote

    return remote.connect(
        url,
        profile=profile,
        auth=auth,
        credentials_file=credentials,
        timeout=timeout,
        found=lambda name: None if quiet else streams.say(f"profile {name}"),
        **{name.removesuffix("_url"): one for name, one in urls.items()},
    )


@click.command(cls=Command)
@argument("paths", "PATH", "Files, folders and patterns, or a collection alone.", nargs=-1, required=True)
@click.option("--to", metavar="URL", required=True, help="The URL of the store, without user and password.")
@served
@click.option("--update-url", help="The URL of its update service.")
@flag("--inferred", help="Send also what follows, as convert --inferred.")
@prov
@conflict
@choice(
    "--verify",
    "verification",
    values=("count", "full"),
    default="count",
    help="count: the triples of each graph. full: read them back.",
)
@flag("--verify-only", help="Send nothing; verify what is there.")
@click.option("--manifest", shell_complete=files, help="The file that remembers what was sent; one for each store.")
@flag("--restart", help="Send everything, whatever was sent before.")
@flag("--fast", help="Send what the store has nothing of many graphs at a time; for Oxigraph.")
@flag("--dry-run", help="Show the requests; open no connection.")
@choice("--as", "shown_as", values=("text", "curl", "json"), default="text", help="How --dry-run shows requests.")
@flag("--check", help="Let --dry-run say what would be skipped, as far as the manifest knows.")
@flag("--show-body", help="Show the first lines of bodies too.")
@quiet
def push(
    *,
    paths: tuple[str, ...],
    to: str,
    credentials: str | None,
    inferred: bool,
    prov: bool,
    on_conflict: str,
    verification: str,
    verify_only: bool,
    manifest: str | None,
    restart: bool,
    fast: bool,
    dry_run: bool,
    shown_as: str,
    check: bool,
    show_body: bool,
    quiet: bool,
    **service: Any,
) -> None:
    """Push checkpoints to a triple store, each as a graph that is named by its root and replaced whole."""
    # httpx and reading take their time to import; --help should not wait for them.
    from checkpoint_ld.stores import remote
    from checkpoint_ld.stores.remote import default_file

    files = _Files(paths, inferred=inferred, prov=prov)
    urls = ("query_url", "update_url", "store_url")
    if dry_run and service["profile"] == "auto" and not any(service[one] for one in urls):
        raise SettingsError("a dry run opens no connection to ask which kind of store this is: name it by --profile")
    if dry_run and fast:
        raise SettingsError("what --fast sends together is told by the store, which a dry run does not ask")
    if check and not dry_run:
        raise SettingsError("--check is about a dry run: give --dry-run too")
    streams.check_outputs([*paths, credentials], manifest, force=True)
    noted = Path(manifest) if manifest else default_file(to)
    client = connected(to, credentials=credentials, quiet=quiet, **service)
    refuses = on_conflict == "error"

    def conflicting(message: str) -> None:
        files.has_failed = files.has_failed or refuses
        if refuses or not quiet:
            streams.say(message)

    if dry_run:
        known = remote.Manifest.opened(noted, to, restart=restart) if check else remote.Manifest()
        _preview(remote.distinct(files, on_conflict, conflicting), client, shown_as, known, body=show_body)
        raise Exit(EXIT_FAILED if files.has_failed else 0)
    full = verification == "full"
    try:
        with client:
            if verify_only:
                report = remote.verify(files, client, full=full, on_conflict=on_conflict, conflict=conflicting)
            else:
                kept = remote.Manifest.opened(noted, to, restart=restart)
                progress = partial(_show, quiet=quiet)
                report = remote.push(
                    files,
                    client,
                    kept,
                    full=full,
                    fast=fast,
                    progress=progress,
                    on_conflict=on_conflict,
                    conflict=conflicting,
                )
    except CountMismatchError as error:
        streams.say(str(error))
        raise Exit(EXIT_FOUND) from None
    _report(report, quiet=quiet)
    raise Exit(EXIT_FAILED if files.has_failed else 0)


def _report(report: PushReport, *, quiet: bool) -> None:
    for warning in report.warnings:
        streams.say(f"warning: {warning}")
    if not quiet:
        actions = ("sent", "skipped", "verified")
        counts = [f"{len(report.having(action))} {action}" for action in actions if report.having(action)]
        triples = sum(one.triples for one in report.pushed)
        streams.say(f"{', '.join(counts) or 'nothing sent'}: {triples} triples")


class _Files:
    """The graphs of the files or the collection that are meant, each read when it is its turn.

    A bad one is said and passed over.
    """

    def __init__(self, paths: tuple[str, ...], *, inferred: bool, prov: bool) -> None:
        self._collection = paths[0] if streams.is_collection(paths) else None
        if self._collection and not prov:
            raise SettingsError("--no-prov is for files: a collection holds what was added to it")
        found = None if self._collection else streams.discovered(paths, "push")
        self.has_failed = found is not None and bool(found.unmatched)
        self._files = found.files if found is not None else ()
        self._inferred = inferred
        self._prov = prov

    def __iter__(self) -> Iterator[Outgoing]:
        from checkpoint_ld import families
        from checkpoint_ld.stores.remote import outgoing

        if self._collection is not None:
            yield from self._collected(self._collection)
            return
        for file in self._files:
            try:
                large = None if self._inferred else _streamed(file)
                if large is None:
                    graph = families.graph_of(streams.read(file, syntax=None), prov=self._prov)
            except ReadError as error:
                streams.say(str(error))
                self.has_failed = True
                continue
            yield large or outgoing(families.inferred(graph) if self._inferred else graph, file)

    def _collected(self, folder: str) -> Iterator[Outgoing]:
        """Yield the graphs of a collection, under the names that they have there."""
        from checkpoint_ld import families
        from checkpoint_ld.stores.collection import Collection
        from checkpoint_ld.stores.remote import outgoing

        with Collection.open(folder, read_only=True) as collection:
            for name in collection:
                try:
                    held = collection.get(name)
                except CheckpointLdError as error:
                    streams.say(str(error))
                    self.has_failed = True
                    continue
                graph = families.inferred(held) if self._inferred else held
                yield replace(outgoing(graph, str(collection.source(name))), graph=name)


def _streamed(file: str) -> Outgoing | None:
    """Return the graph of a large file, read some questions at a time; None for all others."""
    from checkpoint_ld.batch.windows import Streaming
    from checkpoint_ld.stores.remote import outgoing_of_quads

    with Streaming().statements(file, "nq") as streamed:
        if streamed is None:
            return None
        streamed.refusing(strict=False)
        return outgoing_of_quads(streamed.lines, file)


def _preview(files: Iterable[Outgoing], client: SparqlClient, shown_as: str, known: Manifest, *, body: bool) -> None:
    from checkpoint_ld.stores.request import preview_as_curl, preview_as_json, preview_as_text, preview_skipped

    place = client.endpoint, client.credentials
    if shown_as == "json":
        requests = [
            request
            for one in files
            for request in ([preview_skipped(one)] if known.is_done(one) else preview_as_json(one, *place))
        ]
        streams.show_json(requests)
        return
    for one in files:
        if known.is_done(one):
            streams.show("# {graph} from {source}: {skipped}".format(**preview_skipped(one)))
            continue
        curl = shown_as == "curl"
        for line in preview_as_curl(one, *place) if curl else preview_as_text(one, *place, body=body):
            streams.show(line)


def _show(one: Pushed, *, quiet: bool) -> None:
    if not quiet:
        streams.show(f"{one.action:8} {one.triples:>9} {one.graph}  {one.source}")


_EXTENSIONS = {"jsonld": ".jsonld", "nt": ".nt", "turtle": ".ttl"}


@click.command(cls=Command)
@argument("url", "URL", "The URL of the store, without user and password.")
@argument("graphs", "[GRAPH]...", "The graphs to pull; all checkpoints, unless given.", nargs=-1)
@output_folder("The folder for the files.", metavar="FOLDER", default=".")
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
    from checkpoint_ld import writing
    from checkpoint_ld.agent import serialization
    from checkpoint_ld.dialects.reading import Reading

    if isinstance(found, Reading):
        return writing.write(found.graph, syntax=to).data
    return serialization.written(found.tree, to)

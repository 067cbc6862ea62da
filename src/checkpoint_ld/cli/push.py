"""The commands `push` and `pull`: checkpoints to a triple store, each as a graph of its own, and back as files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.exceptions import Exit

from checkpoint_ld.cli import EXIT_FAILED, options, streams
from checkpoint_ld.cli.options import EXIT_FOUND, Command
from checkpoint_ld.errors import (
    AuthFailedError,
    CheckpointLdError,
    CountMismatchError,
    LookupFailedError,
    ReadError,
    ServerUnreachableError,
    SettingsError,
    StoreError,
    WriteError,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checkpoint_ld.families import Checkpoint
    from checkpoint_ld.stores.remote import Manifest, Outgoing, Pushed, PushReport, SparqlClient


def _connected(url: str, service: dict[str, Any], *, quiet: bool) -> SparqlClient:
    from checkpoint_ld.stores import remote

    return remote.connect(url, **service, found=lambda name: None if quiet else streams.note(f"profile {name}"))


@click.command(cls=Command)
def push(
    *,
    paths: tuple[str, ...] = options.argument(
        "PATH", "Files, folders and patterns, or a collection alone.", nargs=-1, required=True
    ),
    to: str = options.value(
        "--to", metavar="URL", required=True, help="The URL of the store, without user and password."
    ),
    service: dict[str, Any] = options.SERVED,
    update_url: str | None = options.value("--update-url", help="The URL of its update service."),
    inferred: bool = options.flag("--inferred", help="Also send inferred statements, as convert --inferred."),
    prov: bool = options.PROV,
    on_conflict: str = options.CONFLICT,
    verification: str = options.choice(
        "--verify",
        values=("count", "full"),
        default="count",
        help="count: the triples of each graph. full: read them back.",
    ),
    verify_only: bool = options.flag("--verify-only", help="Send nothing; verify what is there."),
    manifest: str | None = options.file("--manifest", help="The file that records what was sent; one for each store."),
    restart: bool = options.flag("--restart", help="Send everything, whatever was sent before."),
    fast: bool = options.flag("--fast", help="Send new graphs in batches; for Oxigraph."),
    dry_run: bool = options.flag("--dry-run", help="Show the requests; open no connection."),
    shown_as: str = options.choice(
        "--as", values=("text", "curl", "json"), default="text", help="How --dry-run shows requests."
    ),
    check: bool = options.flag("--check", help="Let --dry-run show what would be skipped, by the manifest."),
    show_body: bool = options.flag("--show-body", help="Show the first lines of bodies too."),
    quiet: bool = options.QUIET,
) -> None:
    """Push checkpoints to a triple store, each as a graph that is named by its root and replaced whole."""
    # httpx and reading take their time to import; --help should not wait for them.
    from checkpoint_ld.stores import remote

    files = _Files(paths, inferred=inferred, prov=prov)
    is_known = service["profile"] != "auto" or any((service["query"], update_url, service["store"]))
    of_dry_run = {"--check": check, "--as": shown_as != "text", "--show-body": show_body}
    _refuse(dry_run, of_dry_run, {"--fast": fast, "--verify-only": verify_only}, is_known=is_known)
    streams.check_outputs([*paths, service["credentials_file"]], manifest, force=True)
    noted = Path(manifest) if manifest else remote.default_file(to)
    client = _connected(to, {**service, "update": update_url}, quiet=quiet)
    refuses = on_conflict == "error"

    def conflicting(message: str) -> None:
        files.has_failed = files.has_failed or refuses
        if refuses or not quiet:
            streams.note(message)

    def sent(graph: Pushed) -> None:
        if not quiet:
            streams.show(f"{graph.action:8} {graph.triples:>9} {graph.graph}  {graph.source}")

    if dry_run:
        known = remote.Manifest.opened(noted, to, restart=restart) if check else remote.Manifest()
        _preview(remote.distinct(files, on_conflict, conflicting), client, shown_as, known, body=show_body)
        raise Exit(EXIT_FAILED if files.has_failed else 0)
    settings: dict[str, Any] = {"full": verification == "full", "on_conflict": on_conflict, "conflict": conflicting}
    try:
        with client:
            if verify_only:
                report = remote.verify(files, client, **settings)
            else:
                kept = remote.Manifest.opened(noted, to, restart=restart)
                report = remote.push(files, client, kept, fast=fast, progress=sent, **settings)
    except CountMismatchError as error:
        for warning in error.warnings:
            streams.note(f"warning: {warning}")
        streams.note(str(error))
        raise Exit(EXIT_FOUND) from None
    _report(report, quiet=quiet)
    raise Exit(EXIT_FAILED if files.has_failed else 0)


def _refuse(dry_run: bool, its_own: dict[str, bool], of_content: dict[str, bool], *, is_known: bool) -> None:
    if dry_run and not is_known:
        raise SettingsError("a dry run opens no connection to ask which kind of store this is: name it by --profile")
    for option in (name for name, is_given in of_content.items() if dry_run and is_given):
        raise SettingsError(
            f"{option} depends on the content of the store, which a dry run does not query: leave out one of the two"
        )
    for option in (name for name, is_given in its_own.items() if is_given and not dry_run):
        raise SettingsError(f"{option} is about a dry run: give --dry-run too")


def _report(report: PushReport, *, quiet: bool) -> None:
    for warning in report.warnings:
        streams.note(f"warning: {warning}")
    if not quiet:
        counts = {action: len(report.having(action)) for action in ("sent", "skipped", "verified")}
        named = ", ".join(f"{number} {action}" for action, number in counts.items() if number)
        streams.note(f"{named or 'nothing sent'}: {sum(graph.triples for graph in report.pushed)} triples")


class _Files:
    """The graphs of files or of a collection, each read when it is needed.

    A faulty file is reported and skipped.
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
                streams.note(str(error))
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
                    streams.note(str(error))
                    self.has_failed = True
                    continue
                graph = families.inferred(held) if self._inferred else held
                yield replace(outgoing(graph, str(collection.source(name))), graph=name)


def _streamed(file: str) -> Outgoing | None:
    """Return the graph of a large file, read some questions at a time; None for other files."""
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
    requests: list[Any] = []
    for file in files:
        skipped = preview_skipped(file) if known.is_done(file) else None
        if shown_as == "json":
            requests += [skipped] if skipped else preview_as_json(file, *place)
        elif skipped:
            streams.show("# {graph} from {source}: {skipped}".format(**skipped))
        else:
            is_curl = shown_as == "curl"
            for line in preview_as_curl(file, *place) if is_curl else preview_as_text(file, *place, body=body):
                streams.show(line)
    if shown_as == "json":
        streams.show_json(requests)


_EXTENSIONS = {"jsonld": ".jsonld", "nt": ".nt", "turtle": ".ttl"}


@click.command(cls=Command)
def pull(
    *,
    url: str = options.argument("URL", "The URL of the store, without user and password."),
    graphs: tuple[str, ...] = options.argument(
        "[GRAPH]...", "The graphs to pull; all checkpoints, unless given.", nargs=-1
    ),
    folder: str = options.folder("The folder for the files.", metavar="FOLDER", default="."),
    to: str = options.choice("--to", values=_EXTENSIONS, default="jsonld", help="The syntax to write."),
    list_only: bool = options.flag("--list", help="List the checkpoints; write nothing."),
    service: dict[str, Any] = options.SERVED,
    force: bool = options.flag("--force", help="Overwrite existing files."),
    quiet: bool = options.QUIET,
) -> None:
    """Pull checkpoints out of a triple store, each into a file that is named after its graph."""
    from checkpoint_ld.documents.files import make_folder
    from checkpoint_ld.stores import remote

    has_failed = False
    if list_only and graphs:
        raise SettingsError("--list lists all checkpoints of the store: leave out the names of graphs, or --list")
    with _connected(url, service, quiet=quiet) as client:
        names = graphs or client.checkpoints()
        if list_only:
            for name in names:
                streams.show(name)
            return
        if not names and not quiet:
            streams.note("the store holds no checkpoint")
        if names:
            make_folder(Path(folder))
        for name in names:
            file = str(Path(folder) / remote.file_name(name, _EXTENSIONS[to]))
            try:
                streams.check_outputs([service["credentials_file"]], file, force=force)
                ((_, found),) = remote.pull(client, [name])
                streams.write(file, _content(found, to), force=force)
            except (AuthFailedError, ServerUnreachableError):
                raise  # those of all other graphs, too
            except (ReadError, WriteError, SettingsError, LookupFailedError, StoreError) as error:
                streams.note(str(error))
                has_failed = True
                continue
            if not quiet:
                streams.show(file)
    raise Exit(EXIT_FAILED if has_failed else 0)


def _content(found: Checkpoint, to: str) -> bytes:
    from checkpoint_ld import writing
    from checkpoint_ld.agents import serialization
    from checkpoint_ld.dialects.reading import Reading

    if isinstance(found, Reading):
        return writing.write(found.graph, syntax=to).data
    return serialization.written(found.tree, to)

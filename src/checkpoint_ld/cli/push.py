"""The command `push`: checkpoints to a triple store, each as a graph of its own."""

from __future__ import annotations

import json
from dataclasses import replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from checkpoint_ld.cli import streams
from checkpoint_ld.errors import CheckpointLdError, CountMismatchError, ReadError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checkpoint_ld.remote import Manifest, Outgoing, Pushed, PushReport, SparqlClient

EXIT_DIFFERS = 1
EXIT_FAILED = 2
_TIMEOUT = 120.0


class Store(StrEnum):
    """The kinds of triple stores: the names of `remote.profiles`, and to ask the store itself."""

    AUTO = "auto"
    OXIGRAPH = "oxigraph"
    VIRTUOSO = "virtuoso"
    FUSEKI = "fuseki"
    RDF4J = "rdf4j"
    GRAPHDB = "graphdb"
    GENERIC = "generic"


class Auth(StrEnum):
    """How to tell the server who asks: `remote.credentials.METHODS`."""

    AUTO = "auto"
    NONE = "none"
    BASIC = "basic"
    DIGEST = "digest"
    BEARER = "bearer"


class Conflict(StrEnum):
    """What to do about two different checkpoints of one name: `remote.push.CONFLICTS`."""

    ERROR = "error"
    REPLACE = "replace"
    SKIP = "skip"
    KEEP_BOTH = "keep-both"


class Verification(StrEnum):
    """What is held against the store afterwards."""

    COUNT = "count"
    FULL = "full"


class As(StrEnum):
    """How a dry run shows requests."""

    TEXT = "text"
    CURL = "curl"
    JSON = "json"


ProfileOption = Annotated[Store, typer.Option("--profile", help="Which kind of store it is; auto asks it.")]
AuthOption = Annotated[Auth, typer.Option("--auth", help="How to tell who asks; auto goes by what there is.")]
CredentialsOption = Annotated[
    str | None, typer.Option("--credentials", help="A file whose first line is NAME:PASSWORD, or a token.")
]
QueryUrlOption = Annotated[str | None, typer.Option("--query-url", help="The URL of its query service, if elsewhere.")]
UpdateUrlOption = Annotated[str | None, typer.Option("--update-url", help="The URL of its update service.")]
StoreUrlOption = Annotated[str | None, typer.Option("--store-url", help="The URL of its graph store service.")]
QuietOption = Annotated[bool, typer.Option("-q", "--quiet", help="Say only what went wrong.")]


def push(  # noqa: PLR0913, PLR0917 - each parameter is an option of the command
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH", help="Files, folders and patterns, or a collection alone.")
    ],
    to: Annotated[str, typer.Option("--to", metavar="URL", help="The URL of the store, without user and password.")],
    profile: ProfileOption = Store.AUTO,
    auth: AuthOption = Auth.AUTO,
    credentials: CredentialsOption = None,
    query_url: QueryUrlOption = None,
    update_url: UpdateUrlOption = None,
    store_url: StoreUrlOption = None,
    inferred: Annotated[
        bool, typer.Option("--inferred", help="Send also what follows, as convert --inferred.")
    ] = False,
    derived: streams.Derived = False,
    prov: Annotated[
        bool, typer.Option("--prov/--no-prov", help="Send the provenance of agent checkpoints with them, or not.")
    ] = True,
    on_conflict: Annotated[
        Conflict, typer.Option("--on-conflict", help="What to do about two different checkpoints of one name.")
    ] = Conflict.ERROR,
    verification: Annotated[
        Verification, typer.Option("--verify", help="count: the triples of each graph. full: read them back.")
    ] = Verification.COUNT,
    verify_only: Annotated[bool, typer.Option("--verify-only", help="Send nothing; verify what is there.")] = False,
    manifest: Annotated[
        str | None, typer.Option("--manifest", help="The file that remembers what was sent; one for each store.")
    ] = None,
    restart: Annotated[bool, typer.Option("--restart", help="Send everything, whatever was sent before.")] = False,
    fast: Annotated[
        bool, typer.Option("--fast", help="Send what the store has nothing of many graphs at a time; for Oxigraph.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the requests; open no connection.")] = False,
    shown_as: Annotated[As, typer.Option("--as", help="How --dry-run shows requests.")] = As.TEXT,
    check: Annotated[
        bool, typer.Option("--check", help="Let --dry-run say what would be skipped, as far as the manifest knows.")
    ] = False,
    show_body: Annotated[bool, typer.Option("--show-body", help="Show the first lines of bodies too.")] = False,
    timeout: Annotated[float, typer.Option("--timeout", min=0.001, help="Seconds for one answer.")] = _TIMEOUT,
    quiet: QuietOption = False,
) -> None:
    """Push checkpoints to a triple store, each as a graph that is named by its root and replaced whole."""
    # httpx and reading take their time to import; --help should not wait for them.
    from checkpoint_ld import remote
    from checkpoint_ld.remote.manifest import default_file

    files = _Files(paths, inferred=inferred or derived, prov=prov)
    if dry_run and profile is Store.AUTO and not (query_url or update_url or store_url):
        raise SettingsError("a dry run opens no connection to ask which kind of store this is: name it by --profile")
    if dry_run and fast:
        raise SettingsError("what --fast sends together is told by the store, which a dry run does not ask")
    if check and not dry_run:
        raise SettingsError("--check is about a dry run: give --dry-run too")
    streams.check_outputs([*paths, credentials], manifest, force=True)
    noted = Path(manifest) if manifest else default_file(to)
    client = remote.connect(
        to,
        profile=profile,
        auth=auth,
        credentials_file=credentials,
        query=query_url,
        update=update_url,
        store=store_url,
        timeout=timeout,
        found=lambda name: None if quiet else streams.say(f"profile {name}"),
    )
    refuses = on_conflict is Conflict.ERROR

    def conflict(message: str) -> None:
        files.has_failed = files.has_failed or refuses
        if refuses or not quiet:
            streams.say(message)

    if dry_run:
        known = remote.Manifest.opened(noted, to, restart=restart) if check else remote.Manifest()
        _preview(remote.distinct(files, on_conflict, conflict), client, shown_as, known, body=show_body)
        raise typer.Exit(EXIT_FAILED if files.has_failed else 0)
    full = verification is Verification.FULL
    try:
        with client:
            if verify_only:
                report = remote.verify(files, client, full=full, on_conflict=on_conflict, conflict=conflict)
            else:
                kept = remote.Manifest.opened(noted, to, restart=restart)
                told = partial(_say, quiet=quiet)
                report = remote.push(
                    files,
                    client,
                    kept,
                    full=full,
                    fast=fast,
                    progress=told,
                    on_conflict=on_conflict,
                    conflict=conflict,
                )
    except CountMismatchError as error:
        streams.say(str(error))
        raise typer.Exit(EXIT_DIFFERS) from None
    _report(report, quiet=quiet)
    raise typer.Exit(EXIT_FAILED if files.has_failed else 0)


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

    def __init__(self, paths: list[str], *, inferred: bool, prov: bool) -> None:
        from checkpoint_ld import discovery

        self._collection = paths[0] if len(paths) == 1 and (Path(paths[0]) / "collection.json").is_file() else None
        if self._collection and not prov:
            raise SettingsError("--no-prov is for files: a collection holds what was added to it")
        found = discovery.discover(paths) if self._collection is None else discovery.Discovery((self._collection,))
        self.has_failed = bool(found.unmatched)
        for pattern in found.unmatched:
            streams.say(f"{pattern}: no file matches")
        if not found.files:
            raise SettingsError(f"nothing to push in {', '.join(paths)}: name a checkpoint, or a folder that has some")
        self._files = found.files
        self._inferred = inferred
        self._prov = prov

    def __iter__(self) -> Iterator[Outgoing]:
        from checkpoint_ld import families
        from checkpoint_ld.remote import outgoing

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
        from checkpoint_ld.collection import Collection
        from checkpoint_ld.remote import outgoing

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
    from checkpoint_ld.remote import outgoing_of_quads
    from checkpoint_ld.streaming.entrance import Streaming

    with Streaming().statements(file, "nq") as streamed:
        if streamed is None:
            return None
        streamed.refusing(strict=False)
        return outgoing_of_quads(streamed.lines, file)


def _preview(files: Iterable[Outgoing], client: SparqlClient, shown_as: As, known: Manifest, *, body: bool) -> None:
    from checkpoint_ld.remote import preview

    place = client.endpoint, client.credentials
    if shown_as is As.JSON:
        requests = [
            told
            for one in files
            for told in ([preview.skipped(one)] if known.is_done(one) else preview.as_json(one, *place))
        ]
        streams.write(streams.STANDARD, json.dumps(requests, ensure_ascii=False, indent=2).encode() + b"\n")
        return
    for one in files:
        if known.is_done(one):
            streams.show("# {graph} from {source}: {skipped}".format(**preview.skipped(one)))
            continue
        curl = shown_as is As.CURL
        for line in preview.as_curl(one, *place) if curl else preview.as_text(one, *place, body=body):
            streams.show(line)


def _say(one: Pushed, *, quiet: bool) -> None:
    if not quiet:
        streams.show(f"{one.action:8} {one.triples:>9} {one.graph}  {one.source}")

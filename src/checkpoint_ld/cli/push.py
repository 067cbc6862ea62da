"""The commands `push`, `pull` and `drop`: checkpoints to a triple store, a graph each, back as files, and removed."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from hashlib import file_digest
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
from checkpoint_ld.phrases import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from checkpoint_ld.families import Checkpoint
    from checkpoint_ld.stores.collection import Collection
    from checkpoint_ld.stores.remote import (
        Entry,
        FileState,
        Manifest,
        Outgoing,
        Pushed,
        PushReport,
        SparqlClient,
    )


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
    vocabularies: bool = options.flag(
        "--vocabularies", help="Also send the vocabularies, each as the graph of its IRI: labels and definitions."
    ),
    on_conflict: str = options.CONFLICT,
    prune: bool = options.flag("--prune", help="Remove graphs that were pushed and are no longer in PATH."),
    set_name: str = options.value(
        "--set", metavar="NAME", default="", help="The set that PATH makes up; each set is pruned on its own."
    ),
    verification: str = options.choice(
        "--verify",
        values=("count", "full"),
        default="count",
        help="count: the triples of each graph. full: read them back, and list what differs.",
    ),
    verify_only: bool = options.flag("--verify-only", help="Send nothing; verify what is there."),
    restart: bool = options.flag("--restart", help="Send everything, whatever was sent before."),
    fast: bool = options.flag("--fast", help="Send new graphs in batches; for Oxigraph."),
    dry_run: bool = options.flag("--dry-run", help="Show the requests; send none that changes the store."),
    shown_as: str = options.choice(
        "--as", values=("text", "curl", "json"), default="text", help="How --dry-run shows requests."
    ),
    check: bool = options.flag("--check", help="Let --dry-run show what would be skipped, by the store's manifest."),
    show_body: bool = options.flag("--show-body", help="Show the first lines of bodies too."),
    quiet: bool = options.QUIET,
) -> None:
    """Push checkpoints to a triple store, each as a graph that is named by its root and replaced whole."""
    # httpx and reading take their time to import; --help should not wait for them.
    from checkpoint_ld.stores import remote

    files = _Files(paths, inferred=inferred, prov=prov, vocabularies=vocabularies)
    reads_manifest = not dry_run or check or prune
    is_known = reads_manifest or service["profile"] != "auto" or any((service["query"], update_url, service["store"]))
    of_dry_run = {"--check": check, "--as": shown_as != "text", "--show-body": show_body}
    _refuse(dry_run, of_dry_run, {"--fast": fast, "--verify-only": verify_only}, is_known=is_known)
    if verify_only and prune:
        raise SettingsError("--prune removes graphs, and --verify-only changes nothing: leave out one of the two")
    client = _connected(to, {**service, "update": update_url}, quiet=quiet)
    refuses = on_conflict == "error"

    def conflicting(message: str) -> None:
        files.has_failed = files.has_failed or refuses
        if refuses or not quiet:
            streams.note(message)

    def sent(graph: Pushed) -> None:
        if not quiet:
            streams.show(f"{graph.action:8} {graph.triples:>9} {graph.graph}  {graph.source}")

    settings: dict[str, Any] = {"on_conflict": on_conflict, "conflict": conflicting}
    try:
        with client:
            holder = client if reads_manifest else None
            known = remote.Manifest.of(holder, set_name, layers=files.layers, restart=restart)
            if dry_run:
                _preview(remote.distinct(files, **settings), client, shown_as, known, body=show_body, prune=prune)
                raise Exit(EXIT_FAILED if files.has_failed else 0)
            if verify_only:
                report = remote.verify(files, client, known, full=verification == "full", **settings)
            else:
                files.manifest = known
                is_full = verification == "full"
                report = remote.push(files, client, known, full=is_full, fast=fast, progress=sent, **settings)
                report = _pruned(report, client, known, sent, files) if prune else report
    except CountMismatchError as error:
        for warning in error.warnings:
            streams.note(f"warning: {warning}")
        streams.note(str(error))
        raise Exit(EXIT_FOUND) from None
    _report(report, quiet=quiet)
    raise Exit(EXIT_FAILED if files.has_failed else EXIT_FOUND if report.having("surplus") else 0)


def _refuse(dry_run: bool, its_own: dict[str, bool], of_content: dict[str, bool], *, is_known: bool) -> None:
    if dry_run and not is_known:
        raise SettingsError("a dry run opens no connection to ask which kind of store this is: name it by --profile")
    for option in (name for name, is_given in of_content.items() if dry_run and is_given):
        raise SettingsError(
            f"{option} depends on the content of the store, which a dry run does not query: leave out one of the two"
        )
    for option in (name for name, is_given in its_own.items() if is_given and not dry_run):
        raise SettingsError(f"{option} is about a dry run: give --dry-run too")


def _pruned(
    report: PushReport, client: SparqlClient, known: Manifest, sent: Callable[[Pushed], None], files: _Files
) -> PushReport:
    from checkpoint_ld.stores import remote

    if files.has_failed:
        streams.note("nothing is removed, because not everything could be pushed: mend that, then push again")
        return report
    return remote.prune(report, client, known, sent)


_ACTIONS = ("sent", "skipped", "verified", "moved", "removed", "surplus")


def _report(report: PushReport, *, quiet: bool) -> None:
    for warning in report.warnings:
        streams.note(f"warning: {warning}")
    if not quiet:
        for surplus in report.having("surplus"):
            streams.show(f"surplus  {surplus.triples:>9} {surplus.graph}  {surplus.source}")
        counts = {action: len(report.having(action)) for action in _ACTIONS}
        named = ", ".join(f"{number} {action}" for action, number in counts.items() if number)
        streams.note(f"{named or 'nothing sent'}: {sum(graph.triples for graph in report.pushed)} triples")


class _Files:
    """The graphs of files or of a collection, each read when it is needed.

    A faulty file is reported and skipped. What the manifest has unchanged is not read.
    """

    def __init__(self, paths: tuple[str, ...], *, inferred: bool, prov: bool, vocabularies: bool) -> None:
        from checkpoint_ld.stores.remote import Manifest

        self._collection = paths[0] if streams.is_collection(paths) else None
        if self._collection and not prov:
            raise SettingsError("--no-prov is for files: a collection holds what was added to it")
        sources = None if self._collection else streams.discovered(paths, "push")
        self.has_failed = sources is not None and bool(sources.unmatched or sources.unreadable)
        self._files = sources.files if sources is not None else ()
        self._inferred = inferred
        self._prov = prov
        self._vocabularies = vocabularies
        self.layers = " ".join(["inferred"] * inferred + ["no-prov"] * (not prov))
        self.manifest = Manifest(layers=self.layers)

    def __iter__(self) -> Iterator[Outgoing]:
        if self._vocabularies:
            from checkpoint_ld.stores.remote import outgoing_of_vocabularies

            yield from outgoing_of_vocabularies()
        if self._collection is not None:
            yield from self._collected(self._collection)
            return
        for file in self._files:
            try:
                state = _state(file)
                known = self.manifest.unchanged(file, replace(state, sha256=""))
                if known is None:
                    known = self.manifest.unchanged(file, state := _hashed(file, state))
                load = self._read(file, state) if known is None else self._known(known, file, state)
            except ReadError as error:
                streams.note(str(error))
                self.has_failed = True
                continue
            yield load

    def _known(self, known: Entry, file: str, state: FileState) -> Outgoing:
        from checkpoint_ld.stores.remote import Outgoing

        state = replace(state, sha256=known.file.sha256)
        read = partial(self._read, file, state)
        return Outgoing(known.root, b"", known.triples, known.sha256, file, known.root, state, read)

    def _read(self, file: str, state: FileState) -> Outgoing:
        from checkpoint_ld import families
        from checkpoint_ld.stores.remote import outgoing

        load = None if self._inferred else _streamed(file)
        if load is None:
            graph = families.graph_of(streams.read(file, syntax=None), prov=self._prov)
            load = outgoing(families.inferred(graph) if self._inferred else graph, file)
        return replace(load, file=state)

    def _collected(self, folder: str) -> Iterator[Outgoing]:
        """Yield the graphs of a collection, under the names that they have there."""
        from checkpoint_ld.stores.collection import Collection
        from checkpoint_ld.stores.remote import FileState, Outgoing

        with Collection.open(folder, read_only=True) as collection:
            for name in collection:
                entry, source = collection.entries[name], str(collection.source(name))
                state = FileState(entry.sha256)
                read = partial(self._held, collection, name, source, state)
                known = self.manifest.unchanged(source, state) if entry.is_done else None
                try:
                    if known is None:
                        load = read()
                    else:
                        load = Outgoing(name, b"", known.triples, known.sha256, source, entry.root, state, read)
                except CheckpointLdError as error:
                    streams.note(str(error))
                    self.has_failed = True
                    continue
                yield load

    def _held(self, collection: Collection, name: str, source: str, state: FileState) -> Outgoing:
        from checkpoint_ld import families
        from checkpoint_ld.stores.remote import outgoing

        checkpoint = collection.get(name)
        graph = families.inferred(checkpoint) if self._inferred else checkpoint
        return replace(outgoing(graph, source), graph=name, file=state)


def _state(file: str) -> FileState:
    """Return size and time of a file, nothing for standard input and for a checkpoint that is packed with others."""
    from checkpoint_ld.documents.files import reading
    from checkpoint_ld.documents.packed import is_in_pack
    from checkpoint_ld.stores.remote import FileState

    if file == "-" or is_in_pack(Path(file)):
        return FileState()
    with reading(file):
        status = Path(file).stat()
    return FileState("", status.st_size, status.st_mtime_ns)


def _hashed(file: str, state: FileState) -> FileState:
    from checkpoint_ld.documents.files import reading
    from checkpoint_ld.documents.packed import is_in_pack

    if file == "-" or is_in_pack(Path(file)):
        return state
    with reading(file), Path(file).open("rb") as opened:
        return replace(state, sha256=file_digest(opened, "sha256").hexdigest())


def _streamed(file: str) -> Outgoing | None:
    """Return the graph of a large file, read some questions at a time; None for other files."""
    from checkpoint_ld.batch.windows import Streaming
    from checkpoint_ld.stores.remote import outgoing_of_quads

    with Streaming().statements(file, "nq") as streamed:
        if streamed is None:
            return None
        streamed.refusing(strict=False)
        return outgoing_of_quads(streamed.lines, file)


def _preview(
    files: Iterable[Outgoing], client: SparqlClient, shown_as: str, known: Manifest, *, body: bool, prune: bool
) -> None:
    from checkpoint_ld.stores.request import preview_as_curl, preview_as_json, preview_as_text, preview_skipped

    place = client.endpoint, client.credentials
    requests: list[Any] = []
    current: set[str] = set()
    for file in files:
        current.add(file.graph)
        skipped = preview_skipped(file) if known.has(file) else None
        if shown_as == "json":
            requests += [skipped] if skipped else preview_as_json(file, *place)
        elif skipped:
            streams.show("# {graph} from {source}: {skipped}".format(**skipped))
        else:
            is_curl = shown_as == "curl"
            for line in preview_as_curl(file, *place) if is_curl else preview_as_text(file, *place, body=body):
                streams.show(line)
    gone = known.surplus(current) if prune else []
    if shown_as == "json":
        requests += (
            {"source": graph.source, "graph": graph.graph, "triples": graph.triples, "removed": True} for graph in gone
        )
        streams.show_json(requests)
        return
    for graph in gone:
        streams.show(f"# {graph.graph} from {graph.source}: removed, its source is gone or has another name")


_URL = options.argument("URL", "The URL of the store, without user and password.")
_EXTENSIONS = {"jsonld": ".jsonld", "nt": ".nt", "turtle": ".ttl"}


@click.command(cls=Command)
def pull(
    *,
    url: str = _URL,
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
                ((_, checkpoint),) = remote.pull(client, [name])
                streams.write(file, _content(checkpoint, to), force=force)
            except (AuthFailedError, ServerUnreachableError):
                raise  # those of all other graphs, too
            except (ReadError, WriteError, SettingsError, LookupFailedError, StoreError) as error:
                streams.note(str(error))
                has_failed = True
                continue
            if not quiet:
                streams.show(file)
    raise Exit(EXIT_FAILED if has_failed else 0)


@click.command(cls=Command)
def drop(
    *,
    url: str = _URL,
    graphs: tuple[str, ...] = options.argument("GRAPH…", "The graphs to remove.", nargs=-1, required=True),
    set_name: str = options.value("--set", metavar="NAME", default="", help="The set that they were pushed in."),
    service: dict[str, Any] = options.SERVED,
    update_url: str | None = options.value("--update-url", help="The URL of its update service."),
    yes: bool = options.flag("--yes", help="Do not ask."),
    quiet: bool = options.QUIET,
) -> None:
    """Remove graphs from a triple store, after a question."""
    from checkpoint_ld.stores import remote

    with _connected(url, {**service, "update": update_url}, quiet=quiet) as client:
        counts = client.count(graphs)
        missing = [graph for graph, count in counts.items() if not count]
        if missing:
            raise LookupFailedError(f"the store has no graph {', '.join(missing)}: `pull --list` lists its checkpoints")
        known = remote.Manifest.of(client, set_name)
        for graph, count in counts.items():
            streams.note(f"{graph}: {counted(count, 'triple')}{'' if graph in known.entries else ', not pushed by us'}")
        if not yes:
            question = f"Remove {counted(len(counts), 'graph')} from {url}?"
            try:
                click.confirm(question, abort=True, err=True)
            except click.Abort:
                streams.note("nothing is removed; --yes removes without a question")
                raise Exit(EXIT_FAILED) from None
        for graph in counts:
            client.drop(graph)
            known.forget(graph)
            if not quiet:
                streams.show(f"removed  {graph}")
        known.write()


def _content(checkpoint: Checkpoint, to: str) -> bytes:
    from checkpoint_ld import writing
    from checkpoint_ld.agents import serialization
    from checkpoint_ld.dialects.reading import Reading

    if isinstance(checkpoint, Reading):
        return writing.write(checkpoint.graph, syntax=to).data
    return serialization.written(checkpoint.tree, to)

"""The commands of `store`: many checkpoints in a collection on disk (`checkpoint_ld.stores.collection`)."""

from __future__ import annotations

import textwrap
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any

import click
from click.exceptions import Exit

from checkpoint_ld.batch import configuration
from checkpoint_ld.cli import options, streams
from checkpoint_ld.cli.options import EXIT_FOUND, Group
from checkpoint_ld.cli.push import push
from checkpoint_ld.cli.query import query
from checkpoint_ld.cli.validate import EXTENSIONS, FORMAT, cache_folder, severity
from checkpoint_ld.documents.files import kind_of
from checkpoint_ld.errors import SettingsError, StoreBusyError
from checkpoint_ld.phrases import counted, harmless

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from checkpoint_ld.cli.streams import Output
    from checkpoint_ld.graph.store import StatementGraph
    from checkpoint_ld.stores.collection import Collection, LoadReport

_DUMPS = {".nq": "nq", ".nquads": "nq", ".trig": "trig"}
GRAPHS = ("turtle", "ntriples", "jsonld", "xml")
"""The syntaxes of graphs: `sparql.formats.GRAPHS`."""
_WIDTH = 80
"""Columns of a usual terminal."""
_QUIET_KINDS = frozenset(("unchanged", "added", "replaced"))
"""The outcomes without a line of their own: they are only counted."""
_GONE = frozenset(("vanished", "dropped"))
"""The outcomes of graphs whose files are no longer there."""

_PLACE = options.argument("STORE", "The folder of the collection.")
_LOADING: Any = options.CombinedOptions(
    dict,
    on_conflict=options.CONFLICT,
    profile=options.value("--profile", help="Validate each file by these rules before it is loaded."),
    fail_on=options.choice(
        "--fail-on",
        values=configuration.FAIL_ON,
        default="violation",
        help="The severity of findings that keeps a file out.",
    ),
    as_json=options.JSON,
    quiet=options.QUIET,
    wait=options.WAIT,
)
"""The options of commands that load checkpoints."""


@click.group(cls=Group, no_args_is_help=True)
def store() -> None:
    """Keep many checkpoints in a collection on disk: load, list, query, validate and export them."""


@store.command
def add(*, store: str = _PLACE, paths: tuple[str, ...] = options.PATHS, loading: dict[str, Any] = _LOADING) -> None:
    """Load checkpoints; STORE is created if it does not exist. Run it again to complete an interrupted run."""
    _load(store, lambda opened, rules: opened.add(*paths, options=rules), must_load=paths, **loading)


@store.command
def sync(
    *,
    store: str = _PLACE,
    folder: str = options.argument("FOLDER", "The folder whose checkpoints STORE mirrors."),
    prune: bool = options.flag("--prune", help="Drop checkpoints whose file is no longer in FOLDER."),
    loading: dict[str, Any] = _LOADING,
) -> None:
    """Load new and changed files of FOLDER, and list checkpoints whose files are gone."""
    _load(store, lambda opened, rules: opened.sync(folder, prune=prune, options=rules), followed=folder, **loading)


def _load(
    store: str,
    load: Callable[[Collection, Any], LoadReport],
    *,
    must_load: tuple[str, ...] = (),
    followed: str = "",
    on_conflict: str,
    profile: str | None,
    fail_on: str,
    as_json: bool,
    quiet: bool,
    wait: float | None,
) -> None:
    from checkpoint_ld.families import Profiles
    from checkpoint_ld.stores import collection

    checks = collection.Checks(Profiles(profile) if profile is not None else None, severity(fail_on))
    with _open(store, wait=wait) as opened, _progress(quiet=quiet) as progress:
        loaded = load(opened, collection.Options(collection.OnConflict(on_conflict), checks, progress))
    if must_load and not loaded.outcomes:
        streams.note_unreadable(loaded.unreadable)
        raise SettingsError(f"nothing to add in {', '.join(must_load)}: name a checkpoint, or a folder that has some")
    if followed and _GONE.issuperset(str(outcome.kind) for outcome in loaded.outcomes):
        streams.note(f"{followed}: no checkpoint is in this folder; check the path if some should be")
    for pattern in loaded.unmatched:
        streams.note(f"{pattern}: no file matches")
    streams.note_unreadable(loaded.unreadable)
    if as_json:
        streams.show_json(
            {
                "outcomes": [outcome.as_json() for outcome in loaded.outcomes],
                "counts": {str(kind): count for kind, count in loaded.counts.items()},
                "unmatched": loaded.unmatched,
                "unreadable": loaded.unreadable,
                "passed_over": loaded.passed_over,
            }
        )
    else:
        for refusal in loaded.refused:
            streams.note("\n  ".join(f"refused: {refusal.message}".splitlines()))
        for outcome in () if quiet else loaded.outcomes:
            if outcome not in loaded.refused and str(outcome.kind) not in _QUIET_KINDS:
                about = f": {outcome.message}" if outcome.message else ""
                streams.show(f"{outcome.kind}: {outcome.source} ({outcome.graph}){about}")
        counts = ", ".join(f"{count} {kind}" for kind, count in loaded.counts.items())
        passed_over = f"; {loaded.passed_over} passed over, for they are no checkpoints" if loaded.passed_over else ""
        if not quiet:
            streams.show(f"{counts or 'nothing to load'}{passed_over}")
    if loaded.refused or loaded.unmatched:
        raise Exit(EXIT_FOUND)


@store.command("list")
def list_(*, store: str = _PLACE, as_json: bool = options.JSON, wait: float | None = options.WAIT) -> None:
    """List the checkpoints: name, graph, file, statements, findings."""
    with _open(store, read_only=True, wait=wait) as collection:
        entries = [(graph, collection.entries[graph], collection.source(graph)) for graph in collection]
    if as_json:
        streams.show_json([entry.as_json() for _, entry, _ in entries])
        return
    for graph, entry, source in entries:
        findings = ", ".join(
            counted(count, weight.label) for weight, count in sorted(entry.findings.items(), reverse=True) if count
        )
        state = (findings or "no findings") if entry.is_done else "not loaded to its end"
        name = textwrap.shorten(entry.name, _WIDTH, placeholder=" …")
        for line in (name, f"  {entry.triples} triples, {state}, {entry.dialect}", f"  {graph}", f"  {source}"):
            streams.show(harmless(line))


@store.command
def get(
    *,
    store: str = _PLACE,
    graph: str = options.argument("IRI", "A graph, by its IRI or by the path of its file."),
    output: Output = options.output(),
    wait: float | None = options.WAIT,
) -> None:
    """Write one checkpoint as it was loaded; the output's extension determines the syntax, by default JSON-LD."""
    from checkpoint_ld import writing

    output.check(store)
    syntax = writing.syntax_of(output.file)
    with _open(store, read_only=True, wait=wait) as collection:
        [name, *more] = collection.find(graph)
        if more:
            streams.note(f"{graph} has several graphs: {', '.join((name, *more))}; this is the first")
        content = collection.get(name)
    output.write(_content(content, syntax))


def _content(graph: StatementGraph, syntax: str) -> bytes:
    """Return a graph as the bytes of a file; JSON is in the original dialect, for agents in the canonical shape."""
    from checkpoint_ld import writing
    from checkpoint_ld.agents import serialization
    from checkpoint_ld.agents.graph import AgentGraph
    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
    from checkpoint_ld.graph.emission import ContextStyle

    if isinstance(graph, CheckpointGraph):
        return writing.write(graph, syntax=syntax, context=ContextStyle.PLAIN).data
    agent = AgentGraph.of_graph(graph)
    return serialization.written(agent.tree(), "canonical" if syntax == writing.JSONLD else syntax)


@store.command
def remove(
    *,
    store: str = _PLACE,
    graphs: tuple[str, ...] = options.argument(
        "IRI…", "Graphs, by IRI or by the paths of their files.", nargs=-1, required=True
    ),
    quiet: bool = options.QUIET,
    wait: float | None = options.WAIT,
) -> None:
    """Remove checkpoints from the collection; their files stay."""
    with _open(store, must_exist=True, wait=wait) as collection:
        for graph in collection.remove(*graphs):
            if not quiet:
                streams.show(f"removed {graph}")


store.add_command(query)
store.add_command(push)


@store.command
def derive(
    *,
    store: str = _PLACE,
    drop: bool = options.flag("--drop", help="Remove them."),
    quiet: bool = options.QUIET,
    wait: float | None = options.WAIT,
) -> None:
    """Keep derived statements beside the collection, for fast queries about them."""
    with _open(store, must_exist=True, wait=wait) as collection:
        if drop:
            collection.forget_derived()
            return
        with _progress(quiet=quiet, title="deriving") as progress:
            brought = collection.derive(progress)
        if not quiet:
            streams.show(f"{brought} of {len(collection)} checkpoints brought up to date")


@store.command
def validate(
    *,
    store: str = _PLACE,
    graphs: tuple[str, ...] = options.argument(
        "[IRI…]", "Only these graphs, by IRI or by path of their files.", nargs=-1
    ),
    profile: str | None = options.value("--profile", help="The set of rules: karenina or agent unless set."),
    kind: str | None = FORMAT,
    output: Output = options.output("The file to write them to."),
    fail_on: str = options.THRESHOLD,
    cache_dir: str | None = options.CACHE_DIR,
    no_cache: bool = options.NO_CACHE,
    wait: float | None = options.WAIT,
) -> None:
    """Validate the checkpoints of the collection."""
    from checkpoint_ld.batch import configuration, verdicts
    from checkpoint_ld.validation import profiles, reports

    output.check(store)
    kind = kind or kind_of(output.file, EXTENSIONS, "text")
    with _open(store, read_only=True, wait=wait) as collection:
        names = [graph for name in graphs for graph in collection.find(name)]
        chosen, cache = profile or profiles.DEFAULT, None
        if not no_cache and kind != "turtle":  # a cache has no SHACL reports
            cache = verdicts.VerdictCache(cache_folder(cache_dir, configuration.find()), (chosen, "store"))
        report = collection.validate(*names, profile=chosen, cache=cache)
        if cache is not None and cache.fault:
            streams.note(cache.fault)
    weight = severity(fail_on)
    settings = reports.ReportSettings(width=streams.columns(), fail_on=weight)
    output.write_report(reports.render(report, kind, settings), kind)
    if weight is not None and report.at_least(weight):
        raise Exit(EXIT_FOUND)


@store.command
def export(
    *,
    store: str = _PLACE,
    output: Output = options.output("The file to write, with --shards the folder; - for standard output."),
    kind: str | None = options.written_as("--to", _DUMPS, "The syntax to write", "nq"),
    shards: int | None = options.whole("--shards", help="Write N-Quads to this number of files, with a list."),
    compressed: bool = options.flag("--gzip", help="Compress the files of --shards."),
    wait: float | None = options.WAIT,
) -> None:
    """Write all checkpoints, sorted: the same collection gives the same bytes."""
    if shards is None:
        output.check(store)
    syntax = kind or ("nq" if shards is not None else kind_of(output.file, _DUMPS, "nq"))
    if shards is None and compressed:
        raise SettingsError("--gzip is for the files of --shards: give their number")
    if shards is not None and (output.is_standard or syntax == "trig"):
        raise SettingsError("--shards writes N-Quads into a folder: name it with --output, and leave out --to")
    with _open(store, read_only=True, wait=wait) as collection:
        if shards is not None:
            for shard in collection.export(output.file, shards=shards, compressed=compressed):
                streams.show(f"{shard.file}  {shard.graphs} graphs  {shard.quads} quads  {shard.sha256}")
        else:
            with streams.replacing(output.file, force=output.force) as file:
                collection.dump(file, syntax)


@store.command
def describe(
    *,
    store: str = _PLACE,
    output: Output = options.output(),
    kind: str | None = options.written_as("--to", GRAPHS, "The syntax to write", "turtle"),
    base: str = options.value(
        "--base", metavar="IRI", default="", help="The public address of the folder, such as https://example.org/lib/."
    ),
    title: str | None = options.value("--title", help="The title of the catalogue."),
    publisher: str = options.value(
        "--publisher", metavar="NAME", default="", help="The publisher; DCAT-AP requires one."
    ),
    wait: float | None = options.WAIT,
) -> None:
    """Describe the collection in VoID and DCAT 3: datasets, files, and counts by class and by property."""
    from checkpoint_ld.sparql.describing import TITLE
    from checkpoint_ld.sparql.formats import EXTENSIONS, render

    output.check(store)
    syntax = kind or kind_of(output.file, {name: to for name, to in EXTENSIONS.items() if to in GRAPHS}, "turtle")
    with _open(store, read_only=True, wait=wait) as collection:
        statements = collection.describe(base=base, title=title or TITLE, publisher=publisher)
    output.write(render(statements, syntax).encode())


@store.command
def stats(*, store: str = _PLACE, as_json: bool = options.JSON, wait: float | None = options.WAIT) -> None:
    """Count the content of the collection."""
    with _open(store, read_only=True, wait=wait) as collection:
        counts = collection.statistics()
    if as_json:
        streams.show_json(counts.as_json())
        return
    unfinished = f", {counts.unfinished} unfinished" if counts.unfinished else ""
    streams.show(f"checkpoints  {counts.checkpoints}{unfinished}")
    streams.show(f"triples      {counts.triples}")
    streams.show("dialects     " + ", ".join(f"{name} ({count})" for name, count in counts.dialects.items()))
    streams.show("findings     " + ", ".join(f"{count} {name}s" for name, count in counts.findings.items()))
    streams.show(f"on disk      {counts.bytes / 1e6:.1f} MB")


@store.command
def verify(
    *,
    store: str = _PLACE,
    repair: bool = options.flag("--repair", help="Reload differing graphs."),
    as_json: bool = options.JSON,
    wait: float | None = options.WAIT,
) -> None:
    """Compare every graph with the manifest, statement by statement."""
    with _open(store, read_only=not repair, must_exist=True, quiet=True, wait=wait) as collection:
        problems = collection.verify(repair=repair)
        checkpoints = len(collection)
    left = sum(not problem.repair for problem in problems)
    if as_json:
        streams.show_json([problem.as_json() for problem in problems])
    else:
        for problem in problems:
            streams.show(
                f"{problem.graph or 'default graph'}: {problem.message}"
                + (f"; {problem.repair}" if problem.repair else "")
            )
        if left:
            streams.note(f"{left} problems: --repair loads again what it can")
        else:
            streams.show(f"{checkpoints} checkpoints, all as the manifest says")
    if left:
        raise Exit(EXIT_FOUND)


def _open(
    store: str, *, read_only: bool = False, must_exist: bool = False, quiet: bool = False, wait: float | None = None
) -> Collection:
    """Open a collection, and report unfinished loading in it."""
    from checkpoint_ld.stores.collection import Collection

    if must_exist and not read_only:
        Collection.open(store, read_only=True, wait=wait).close()
    if read_only and wait is None:
        try:
            Collection.open(store, read_only=True, wait=1).close()
        except StoreBusyError:
            streams.note(f"{store}: waiting for the process that writes it")
    collection = Collection.open(store, read_only=read_only, wait=wait)
    if read_only and not quiet and collection.unfinished:
        count = len(collection.unfinished)
        streams.note(f"{store}: the loading of {count} was interrupted; run `checkpoint-ld store verify --repair`")
    return collection


@contextmanager
def _progress(*, quiet: bool, title: str = "loading") -> Iterator[Callable[[str, int], None] | None]:
    """Yield a function to call with each file and the number of files; None where no bar would be visible."""
    with streams.bar(title, quiet=quiet) as moved:
        done = count()
        yield None if moved is None else lambda _file, total: moved(next(done), total)

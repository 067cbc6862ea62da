"""The commands of `store`: many checkpoints in a collection on disk."""

from __future__ import annotations

import shutil
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from checkpoint_ld.cli import query, store_output, streams
from checkpoint_ld.cli.parameters import WholeSummaries
from checkpoint_ld.cli.validate import FailOn, FormatOption, format_of
from checkpoint_ld.documents.files import kind_of

if TYPE_CHECKING:
    from checkpoint_ld.collection import Collection, LoadReport, Options
    from checkpoint_ld.graph.statement_graph import StatementGraph

app = typer.Typer(
    cls=WholeSummaries,
    help="Keep many checkpoints in a collection on disk: load, list, query, validate and export them.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)

EXIT_FOUND = 1
"""The exit code where a file was refused, findings weigh too much, or a graph is not what it should be."""


class Conflict(StrEnum):
    """What to do about two files with different checkpoints of one IRI: `collection.OnConflict`."""

    ERROR = "error"
    REPLACE = "replace"
    SKIP = "skip"
    KEEP_BOTH = "keep-both"


class Dump(StrEnum):
    """What a collection can be written as."""

    N_QUADS = "nq"
    TRIG = "trig"


_DUMPS = {".nq": Dump.N_QUADS, ".nquads": Dump.N_QUADS, ".trig": Dump.TRIG}

Store = Annotated[str, typer.Argument(metavar="STORE", help="The folder of the collection.")]
OnConflict = Annotated[
    Conflict, typer.Option("--on-conflict", help="What to do about two files with different checkpoints of one IRI.")
]
Profile = Annotated[
    str | None, typer.Option("--profile", help="Hold each file against these rules before it is loaded.")
]
Refuse = Annotated[FailOn, typer.Option("--fail-on", help="The severity of findings that keeps a file out.")]
Wait = Annotated[float, typer.Option("--wait", min=0, help="Seconds to wait for other processes.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Print no more than what went wrong.")]
Graphs = Annotated[list[str], typer.Argument(metavar="IRI…", help="Graphs, by IRI or by the paths of their files.")]


@app.command("add")
def add(  # noqa: PLR0913, PLR0917 - each parameter is an option of the command
    store: Store,
    paths: Annotated[list[str], typer.Argument(metavar="PATH…", help="Files, folders and patterns.")],
    on_conflict: OnConflict = Conflict.ERROR,
    profile: Profile = None,
    fail_on: Refuse = FailOn.VIOLATION,
    as_json: AsJson = False,
    quiet: Quiet = False,
    wait: Wait = 0,
) -> None:
    """Load checkpoints; STORE is made if it is not there. Running it again completes what was interrupted."""
    with _open(store, wait=wait) as collection, store_output.progress(quiet=quiet) as progress:
        loaded = collection.add(*paths, options=_options(on_conflict, profile, fail_on, progress))
    _told(loaded, as_json=as_json, quiet=quiet)


@app.command("sync")
def sync(  # noqa: PLR0913, PLR0917 - each parameter is an option of the command
    store: Store,
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="The folder whose checkpoints STORE is to hold.")],
    prune: Annotated[bool, typer.Option("--prune", help="Drop what is no longer in FOLDER.")] = False,
    on_conflict: OnConflict = Conflict.ERROR,
    profile: Profile = None,
    fail_on: Refuse = FailOn.VIOLATION,
    as_json: AsJson = False,
    quiet: Quiet = False,
    wait: Wait = 0,
) -> None:
    """Load what is new or changed in FOLDER, and name what is gone from it."""
    with _open(store, wait=wait) as collection, store_output.progress(quiet=quiet) as progress:
        options = _options(on_conflict, profile, fail_on, progress)
        loaded = collection.sync(folder, prune=prune, options=options)
    _told(loaded, as_json=as_json, quiet=quiet)


@app.command("list")
def list_(store: Store, as_json: AsJson = False, wait: Wait = 0) -> None:
    """List the checkpoints: name, graph, file, statements, findings."""
    with _open(store, read_only=True, wait=wait) as collection:
        store_output.show_entries(collection, as_json=as_json)


@app.command("get")
def get(
    store: Store,
    graph: Annotated[str, typer.Argument(metavar="IRI", help="A graph, by its IRI or by the path of its file.")],
    out: Annotated[str, typer.Option("-o", "--out", help="The file to write; - for standard output.")] = "-",
    force: streams.Force = False,
    wait: Wait = 0,
) -> None:
    """Write one checkpoint as it was loaded; the extension of OUT tells the syntax, else it is JSON-LD."""
    from checkpoint_ld.writing import write as writing

    streams.check_outputs([store], out, force=force)
    syntax = writing.syntax_of(out)
    with _open(store, read_only=True, wait=wait) as collection:
        [found, *more] = collection.find(graph)
        if more:
            store_output.say(f"{graph} has several graphs: {', '.join((found, *more))}; this is the first")
        held = collection.get(found)
    streams.write(out, _content(held, syntax), force=force)


def _content(held: StatementGraph, syntax: str) -> bytes:
    """Return a graph as the bytes of a file; JSON is what was loaded, for agent checkpoints in the canonical shape."""
    from checkpoint_ld.agent import writing as agent_writing
    from checkpoint_ld.agent.graph import AgentGraph
    from checkpoint_ld.emission import ContextStyle
    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
    from checkpoint_ld.writing import write as writing

    if isinstance(held, CheckpointGraph):
        return writing.write(held, syntax=syntax, context=ContextStyle.PLAIN).data
    agent = AgentGraph.of_graph(held)
    return agent_writing.written(agent.tree(), "canonical" if syntax == writing.JSONLD else syntax)


@app.command("remove")
def remove(store: Store, graphs: Graphs, quiet: Quiet = False, wait: Wait = 0) -> None:
    """Take checkpoints out of the collection; their files stay."""
    with _open(store, wait=wait) as collection:
        for graph in collection.remove(*graphs):
            if not quiet:
                streams.show(f"removed {graph}")


app.command("query")(query.query)


@app.command("derive")
def derive(
    store: Store,
    drop: Annotated[bool, typer.Option("--drop", help="Keep them no longer.")] = False,
    quiet: Quiet = False,
    wait: Wait = 0,
) -> None:
    """Keep derived statements beside the collection, so that queries about them are answered at once."""
    with _open(store, must_exist=True, wait=wait) as collection:
        if drop:
            collection.forget_derived()
            return
        with store_output.progress(quiet=quiet, title="deriving") as progress:
            brought = collection.derive(progress)
        if not quiet:
            streams.show(f"{brought} of {len(collection)} checkpoints brought up to date")


@app.command("validate")
def validate(  # noqa: PLR0913, PLR0917 - each parameter is an option of the command
    store: Store,
    graphs: Annotated[
        list[str] | None, typer.Argument(metavar="[IRI…]", help="Only these graphs, by IRI or by path of their files.")
    ] = None,
    profile: Annotated[
        str | None, typer.Option("--profile", help="The set of rules: karenina or agent unless set.")
    ] = None,
    format_: FormatOption = None,
    output: Annotated[str, typer.Option("-o", "--output", help="The file to write them to.")] = streams.STANDARD,
    force: streams.Force = False,
    fail_on: Annotated[FailOn, typer.Option("--fail-on", help="The severity that gives exit code 1.")] = (
        FailOn.VIOLATION
    ),
    wait: Wait = 0,
) -> None:
    """Hold the checkpoints of the collection against the rules."""
    from checkpoint_ld import profiles, reports

    streams.check_outputs([store], output, force=force)
    kind = format_of(format_, output)
    with _open(store, read_only=True, wait=wait) as collection:
        asked = [graph for name in graphs or () for graph in collection.find(name)]
        report = collection.validate(*asked, profile=profile or profiles.DEFAULT)
    threshold = store_output.severity(fail_on)
    settings = reports.Settings(width=shutil.get_terminal_size((100, 24)).columns, fail_on=threshold)
    streams.write_report(output, reports.render(report, kind, settings), kind, force=force)
    if threshold is not None and report.at_least(threshold):
        raise typer.Exit(EXIT_FOUND)


@app.command("export")
def export(  # noqa: PLR0913, PLR0917 - each parameter is an option of the command
    store: Store,
    out: Annotated[
        str, typer.Option("-o", "--out", help="The file to write, with --shards the folder; - for standard output.")
    ] = streams.STANDARD,
    to: Annotated[
        Dump | None, typer.Option("--to", help="What to write; without it the extension of OUT tells, else nq.")
    ] = None,
    shards: Annotated[
        int | None, typer.Option("--shards", min=1, help="Write N-Quads in so many files, with their list.")
    ] = None,
    compressed: Annotated[bool, typer.Option("--gzip", help="Compress the files of --shards.")] = False,
    force: streams.Force = False,
    wait: Wait = 0,
) -> None:
    """Write all checkpoints, sorted: the same collection gives the same bytes."""
    if shards is None:
        streams.check_outputs([store], out, force=force)
    syntax = to or (Dump.N_QUADS if shards is not None else kind_of(out, _DUMPS, Dump.N_QUADS))
    store_output.check_export(out, shards=shards, compressed=compressed, is_trig=syntax is Dump.TRIG)
    with _open(store, read_only=True, wait=wait) as collection:
        if shards is not None:
            for shard in collection.export(out, shards=shards, compressed=compressed):
                streams.show(f"{shard.file}  {shard.graphs} graphs  {shard.quads} quads  {shard.sha256}")
        else:
            store_output.write_dump(collection, out, syntax, force=force)


@app.command("stats")
def stats(store: Store, as_json: AsJson = False, wait: Wait = 0) -> None:
    """Count what is in the collection."""
    with _open(store, read_only=True, wait=wait) as collection:
        store_output.show_statistics(collection.statistics(), as_json=as_json)


@app.command("verify")
def verify(
    store: Store,
    repair: Annotated[bool, typer.Option("--repair", help="Load again what is amiss.")] = False,
    as_json: AsJson = False,
    wait: Wait = 0,
) -> None:
    """Hold every graph against the manifest, statement by statement."""
    with _open(store, read_only=not repair, must_exist=True, quiet=True, wait=wait) as collection:
        problems = collection.verify(repair=repair)
        store_output.show_problems(problems, len(collection), as_json=as_json)
    if any(not one.repair for one in problems):
        raise typer.Exit(EXIT_FOUND)


def _open(
    store: str, *, read_only: bool = False, must_exist: bool = False, quiet: bool = False, wait: float = 0
) -> Collection:
    """Open a collection, and say what an interruption left undone in it."""
    from checkpoint_ld.collection import Collection

    if must_exist and not read_only:
        Collection.open(store, read_only=True, wait=wait).close()
    collection = Collection.open(store, read_only=read_only, wait=wait)
    if read_only and not quiet and collection.unfinished:
        count = len(collection.unfinished)
        store_output.say(f"{store}: the loading of {count} was interrupted; run `checkpoint-ld store verify --repair`")
    return collection


def _options(on_conflict: Conflict, profile: str | None, fail_on: FailOn, progress: Any) -> Options:
    from checkpoint_ld import collection
    from checkpoint_ld.families.checking import Profiles

    rules = Profiles(profile) if profile is not None else None
    checks = collection.Checks(rules, store_output.severity(fail_on))
    return collection.Options(collection.OnConflict(on_conflict), checks, progress)


def _told(loaded: LoadReport, *, as_json: bool, quiet: bool) -> None:
    store_output.show_outcomes(loaded, as_json=as_json, quiet=quiet)
    sys.stdout.flush()
    if loaded.refused or loaded.unmatched:
        raise typer.Exit(EXIT_FOUND)

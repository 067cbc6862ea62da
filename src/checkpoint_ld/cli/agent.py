"""The commands of `agent`: the checkpoints of agents, listed, shown, compared, restored, kept in order."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from checkpoint_ld.cli import agent_output as output
from checkpoint_ld.cli import agent_runs, streams
from checkpoint_ld.cli.agent_stores import FOLDER, AsJson, Database, Dir, Store, files_of, manager, milliseconds
from checkpoint_ld.cli.parameters import WholeSummaries
from checkpoint_ld.documents.files import kind_of

app = typer.Typer(
    cls=WholeSummaries,
    help="Keep the checkpoints of agents: list, show, compare, draw, restore, fork and prune them.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)

EXIT_FOUND = 1
"""The exit code where two checkpoints differ, something is wrong, or something could not be taken in."""


class Shape(StrEnum):
    """What `export` writes: `exchange.SHAPES`."""

    CANONICAL = "canonical"
    SECOND = "second"
    JSONLD = "jsonld"
    N_QUADS = "nquads"
    TURTLE = "turtle"
    N_TRIPLES = "ntriples"
    TRIG = "trig"
    RDF_XML = "xml"


class Picture(StrEnum):
    """How a timeline is drawn."""

    TEXT = "text"
    SVG = "svg"
    HTML = "html"


Identifier = Annotated[str, typer.Argument(metavar="ID", help="A checkpoint, by its id or by the path of a file.")]
Out = Annotated[str, typer.Option("-o", "--out", help="The file to write; - for standard output.")]
Execution = Annotated[str | None, typer.Option("--execution", metavar="ID", help="Only those of this execution.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")]
Paths = Annotated[list[str], typer.Argument(metavar="PATH…", help="Files and folders.")]


@app.command("list")
def list_(  # noqa: PLR0913, PLR0917 - each parameter is an option of the command
    execution: Execution = None,
    agent_id: Annotated[str | None, typer.Option("--agent", metavar="ID", help="Only those of this agent.")] = None,
    reason: Annotated[str | None, typer.Option("--reason", help="Only those made for this reason.")] = None,
    since: Annotated[str | None, typer.Option("--since", metavar="TIME", help="Only those from then on.")] = None,
    until: Annotated[str | None, typer.Option("--until", metavar="TIME", help="Only those before then.")] = None,
    name: Annotated[str | None, typer.Option("--name", help="Only those of this name.")] = None,
    tool: Annotated[str | None, typer.Option("--tool", metavar="ID", help="Only those with a call of it.")] = None,
    failed: Annotated[
        bool | None, typer.Option("--failed/--no-failed", help="Only those with a failed call, or without.")
    ] = None,
    confidence_below: Annotated[
        float | None, typer.Option("--confidence-below", help="Only those with a thought that is less sure.")
    ] = None,
    question: Annotated[
        str | None, typer.Option("--question", metavar="ID|TEXT", help="Only those about this question.")
    ] = None,
    benchmark: Annotated[
        str | None, typer.Option("--benchmark", metavar="ID", help="Only those about this benchmark.")
    ] = None,
    branch_of: Annotated[
        str | None, typer.Option("--branch-of", metavar="ID", help="Only those that branch off this checkpoint.")
    ] = None,
    limit: Annotated[int | None, typer.Option("--limit", min=0, help="No more than so many.")] = None,
    cursor: Annotated[
        str | None, typer.Option("--cursor", metavar="ID", help="Only those that come after this checkpoint.")
    ] = None,
    oldest: Annotated[bool, typer.Option("--oldest", help="The oldest first; else the newest.")] = False,
    wide: Annotated[bool, typer.Option("--wide", help="Cut nothing, however narrow the terminal is.")] = False,
    as_json: AsJson = False,
    folder: Dir = None,
    database: Database = None,
    store: Store = None,
) -> None:
    """List checkpoints, the newest first: id, time, execution, step, tokens, reason, name."""
    wanted: dict[str, Any] = {
        "execution_id": execution,
        "agent_id": agent_id,
        "reason": reason,
        "since": None if since is None else milliseconds(since),
        "until": None if until is None else milliseconds(until),
        "name": name,
        "tool": tool,
        "failed": failed,
        "confidence_below": confidence_below,
        "benchmark": benchmark,
        "branch_of": branch_of,
        "limit": limit,
        "order": "oldest" if oldest else "newest",
    }
    with manager(folder, database, store) as of:
        if cursor is not None:
            wanted["cursor"] = agent_runs.key_of(cursor, of)
        listed = agent_runs.about(of, question, wanted) if question is not None else of.list(**wanted)
    output.show_headers(listed, as_json=as_json, wide=wide)


@app.command("show")
def show(  # noqa: PLR0913, PLR0917 - each parameter is an option of the command
    checkpoint: Identifier,
    stable: Annotated[
        bool, typer.Option("--stable", help="Print the text form, in which equal checkpoints are equal texts.")
    ] = False,
    as_json: AsJson = False,
    folder: Dir = None,
    database: Database = None,
    store: Store = None,
) -> None:
    """Show what a checkpoint holds: where it stands, its last thoughts and calls, its variables."""
    with manager(folder, database, store, checkpoint) as of:
        shown = agent_runs.found(checkpoint, of)
    if stable or as_json:
        streams.write(streams.STANDARD, shown.content())
    else:
        output.show_checkpoint(shown)


@app.command("diff")
def diff(  # noqa: PLR0913, PLR0917 - each parameter is an option of the command
    before: Annotated[str, typer.Argument(metavar="A", help="The older checkpoint, by id or path.")],
    after: Annotated[str, typer.Argument(metavar="B", help="The newer checkpoint, by id or path.")],
    patch: Annotated[bool, typer.Option("--patch", help="Print a JSON Patch (RFC 6902) that makes B of A.")] = False,
    tests: Annotated[bool, typer.Option("--tests", help="With --patch: guard each change by a test.")] = False,
    other_execution: Annotated[
        bool, typer.Option("--other-execution", help="Compare checkpoints of two executions as well.")
    ] = False,
    as_json: AsJson = False,
    folder: Dir = None,
    database: Database = None,
    store: Store = None,
) -> None:
    """Show what is different between two checkpoints; exit with 1 if anything is."""
    from checkpoint_ld.agent.difference import diff_checkpoints

    with manager(folder, database, store, before, after) as of:
        old, new = agent_runs.found(before, of), agent_runs.found(after, of)
    different = diff_checkpoints(old, new, allow_other_execution=other_execution)
    if patch:
        output.show_json(different.to_json_patch(tests=tests))
    elif as_json:
        output.show_json(different.to_dict())
    else:
        streams.show(different.to_text())
    if different:
        raise typer.Exit(EXIT_FOUND)


@app.command("timeline")
def timeline(  # noqa: PLR0913, PLR0917 - each parameter is an option of the command
    source: Annotated[str, typer.Argument(metavar="ID", help="An execution, or a checkpoint by its id or path.")],
    to: Annotated[
        Picture | None, typer.Option("--to", help="What to write; without it the extension of OUT tells, else text.")
    ] = None,
    out: Out = streams.STANDARD,
    force: streams.Force = False,
    limit: Annotated[int | None, typer.Option("--limit", min=0, help="List no more than so many moments.")] = None,
    wide: Annotated[int | None, typer.Option("--width", min=40, help="Columns of the text.")] = None,
    folder: Dir = None,
    database: Database = None,
    store: Store = None,
) -> None:
    """Draw a run: its thoughts, tool calls and checkpoints over time, as text or as a picture."""
    streams.check_outputs([source, *files_of(folder, database, store)], out, force=force)
    picture = to.value if to else kind_of(out, agent_runs.PICTURES, Picture.TEXT.value)
    with manager(folder, database, store, source) as of:
        run = agent_runs.run_of(source, of)
    drawn = agent_runs.drawn(run, picture, width=wide, limit=limit)
    streams.write_report(out, drawn, picture, force=force)


@app.command("restore")
def restore(  # noqa: PLR0913, PLR0917 - each parameter is an option of the command
    checkpoint: Identifier,
    out: Annotated[str, typer.Option("-o", "--out", help="The file for the state; - for standard output.")] = "-",
    force: streams.Force = False,
    as_json: AsJson = False,
    folder: Dir = None,
    database: Database = None,
    store: Store = None,
) -> None:
    """Write the whole state of a checkpoint, and name the calls that were in flight; nothing is run."""
    streams.check_outputs([checkpoint, *files_of(folder, database, store)], out, force=force)
    with manager(folder, database, store, checkpoint) as of:
        restored = of.restore(checkpoint)
    streams.write(out, output.state_of(restored), force=force)
    output.say_restored(restored, as_json=as_json)


@app.command("fork")
def fork(  # noqa: PLR0913, PLR0917 - each parameter is an option of the command
    checkpoint: Annotated[str, typer.Argument(metavar="ID", help="The checkpoint to go on from, by its id.")],
    execution: Annotated[
        str | None, typer.Option("--execution", metavar="ID", help="The id of the new execution; one is made else.")
    ] = None,
    reason: Annotated[str | None, typer.Option("--reason", help="Why the run goes another way.")] = None,
    name: Annotated[str | None, typer.Option("--name", help="A name for the new checkpoint.")] = None,
    as_json: AsJson = False,
    folder: Dir = None,
    database: Database = None,
    store: Store = None,
) -> None:
    """Begin a new execution with the state of a checkpoint, which stays as it is."""
    with manager(folder, database, store) as of:
        saved = of.fork(checkpoint, execution, reason, name)
    output.show_saved(saved, as_json=as_json)


@app.command("export")
def export(  # noqa: PLR0913, PLR0917 - each parameter is an option of the command
    checkpoint: Annotated[str, typer.Argument(metavar="ID", help="The checkpoint, by its id.")],
    out: Annotated[str, typer.Option("-o", "--out", help="The file to write; - for standard output.")],
    shape: Annotated[
        Shape | None,
        typer.Option("--shape", help="What to write; without it the extension of OUT tells, else canonical."),
    ] = None,
    force: streams.Force = False,
    folder: Dir = None,
    database: Database = None,
    store: Store = None,
) -> None:
    """Write a checkpoint to a file of its own: JSON in either shape, JSON-LD, or RDF in any syntax."""
    from checkpoint_ld.agent.values import EXTENSIONS
    from checkpoint_ld.checkpointing.exchange import content_of

    streams.check_outputs(files_of(folder, database, store), out, force=force)
    wanted = shape.value if shape else kind_of(out, EXTENSIONS, Shape.CANONICAL.value)
    with manager(folder, database, store) as of:
        content = content_of(of.get(checkpoint), wanted)
    streams.write(out, content, force=force)
    if out != streams.STANDARD:
        streams.show(out)


@app.command("import")
def import_(  # noqa: PLR0913, PLR0917 - each parameter is an option of the command
    paths: Paths,
    as_new_id: Annotated[
        bool, typer.Option("--as-new-id", help="Take in copies under new ids, with a link to the originals.")
    ] = False,
    as_json: AsJson = False,
    folder: Dir = None,
    database: Database = None,
    store: Store = None,
) -> None:
    """Take checkpoints in, of either shape and any released version; exit with 1 if one could not be."""
    with manager(folder, database, store, may_be_new=True) as of:
        refused = output.show_imported(agent_runs.imported(of, paths, as_new_id=as_new_id), as_json=as_json)
    if refused:
        raise typer.Exit(EXIT_FOUND)


@app.command("upgrade")
def upgrade(paths: Paths, dry_run: DryRun = False, as_json: AsJson = False) -> None:
    """Write files of older versions anew in the newest; exit with 1 if one could not be.

    The old file stays until the new one is safe.
    """
    if output.show_upgraded(agent_runs.upgraded(paths, dry_run=dry_run), dry_run=dry_run, as_json=as_json):
        raise typer.Exit(EXIT_FOUND)


@app.command("prune")
def prune(  # noqa: PLR0913, PLR0917 - each parameter is an option of the command
    keep_last: Annotated[
        int | None, typer.Option("--keep-last", min=0, help="Keep the newest so many of each execution.")
    ] = None,
    max_age: Annotated[
        float | None, typer.Option("--max-age", metavar="DAYS", min=0, help="Keep what is not older than so many days.")
    ] = None,
    keep_reasons: Annotated[
        list[str] | None, typer.Option("--keep-reason", help="Keep those made for it. May be repeated.")
    ] = None,
    keep: Annotated[list[str] | None, typer.Option("--keep", metavar="ID", help="Keep it. May be repeated.")] = None,
    protect_linked: Annotated[
        bool, typer.Option("--protect-linked/--no-protect-linked", help="Keep what is about a question, or not.")
    ] = True,
    archive: Annotated[
        str | None, typer.Option("--archive", metavar="DIR", help="Write what goes into this folder first, compressed.")
    ] = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
    folder: Dir = None,
    database: Database = None,
    store: Store = None,
) -> None:
    """Delete old checkpoints; the newest of an execution, named ones and parents of others always stay."""
    with manager(folder, database, store) as of:
        retention = agent_runs.retention(
            keep_last, max_age, reasons=keep_reasons or (), ids=keep or (), protect_linked=protect_linked
        )
        pruned = of.prune(retention, dry_run=dry_run, archive=archive)
    output.show_pruned(pruned, dry_run=dry_run, as_json=as_json)


@app.command("verify")
def verify(
    repair: Annotated[
        bool, typer.Option("--repair", help="Bring database and graphs in line with the files, which stay untouched.")
    ] = False,
    as_json: AsJson = False,
    folder: Dir = None,
    database: Database = None,
    store: Store = None,
) -> None:
    """Hold files, database and graphs against each other; exit with 1 if something is wrong."""
    with manager(folder, database, store) as of:
        findings = of.verify(repair=repair)
    if output.show_findings(findings, as_json=as_json):
        raise typer.Exit(EXIT_FOUND)


@app.command("reindex")
def reindex(as_json: AsJson = False, folder: Dir = None, database: Database = None, store: Store = None) -> None:
    """Make the database and the graphs anew from the files."""
    with manager(folder or FOLDER, database, store) as of:
        done = of.reindex()
    output.show_reindexed(done, as_json=as_json)


@app.command("stats")
def stats(
    execution: Execution = None,
    as_json: AsJson = False,
    folder: Dir = None,
    database: Database = None,
    store: Store = None,
) -> None:
    """Show what executions used and did: checkpoints, steps, tokens, calls, failed ones, by tool."""
    from checkpoint_ld.checkpointing.statistics import statistics

    with manager(folder, database, store) as of:
        output.show_statistics(statistics(of.store, execution), as_json=as_json)

"""The commands of `agent`: the checkpoints of agents, listed, shown, compared, restored, kept in order."""

from __future__ import annotations

import logging
import os
import sys
from contextlib import suppress
from dataclasses import asdict
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import orjson
from click.exceptions import Exit

from checkpoint_ld.cli import options, streams
from checkpoint_ld.cli.agent_stores import FOLDER, STORES, Stores, by_name, checkpoints_of, execution_of, found, run_of
from checkpoint_ld.cli.options import EXIT_FOUND, Group
from checkpoint_ld.documents.files import files_below, kind_of
from checkpoint_ld.documents.values import instant_of
from checkpoint_ld.errors import (
    CheckpointExists,
    CheckpointLdError,
    CheckpointNotFound,
    FindingsError,
    ReadError,
    SettingsError,
)
from checkpoint_ld.findings import Severity
from checkpoint_ld.phrases import counted, harmless

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from checkpoint_ld.agents.checkpoint import AgentCheckpoint
    from checkpoint_ld.checkpointing import CheckpointManager, Imported
    from checkpoint_ld.cli.streams import Output
    from checkpoint_ld.integrations.span_report import SpanReport
    from checkpoint_ld.stores.protocol import Header

SHAPES = ("canonical", "second", "jsonld", "nquads", "turtle", "ntriples", "trig", "xml")
"""The shapes and syntaxes of `export`: `values.ExportShape`."""
PICTURES = {".txt": "text", ".svg": "svg", ".html": "html", ".htm": "html"}
"""The forms of a timeline in a file, by extension."""
COMPARISONS = {".txt": "text", ".html": "html", ".json": "json"}
"""The forms of a comparison of two runs in a file, by extension."""
PROVENANCE = {".provn": "provn", ".json": "json", ".xml": "xml"}
"""The forms of provenance in a file, by extension."""
SOURCES = ("checkpoints", "otlp")
"""The formats that `import` reads."""
_CHECKPOINT = options.argument("ID", "A checkpoint, by its id, by the path of a file, or latest.")
_SECONDS = 11
"""The most digits of a number that is a year or seconds, not milliseconds."""
_DRY_RUN = options.flag("--dry-run", help="Show what would be done, and do nothing.")
_PATHS = options.argument("PATH…", "Files and folders.", nargs=-1, required=True)
_EXECUTION = options.value("--execution", metavar="ID", help="Only those of this execution.")


class _Notes(logging.Handler):
    """Reports what stores log, such as files that are left out."""

    def emit(self, record: logging.LogRecord) -> None:
        streams.note(harmless(record.getMessage()))


@click.group(cls=Group, no_args_is_help=True)
def agent() -> None:
    """Keep the checkpoints of agents: list, show, compare, draw, restore, fork and prune them.

    An id may be given by its beginning, if no other one begins so; the newest one is called latest.
    """
    logger, notes = logging.getLogger("checkpoint_ld.stores"), _Notes(logging.WARNING)
    logger.addHandler(notes)
    click.get_current_context().call_on_close(lambda: logger.removeHandler(notes))


@agent.command("list")
def list_(
    *,
    wanted: Any = options.CombinedOptions(
        dict,
        execution_id=_EXECUTION,
        agent_id=options.value("--agent", metavar="ID", help="Only those of this agent."),
        reason=options.value("--reason", help="Only those made for this reason."),
        since=options.value("--since", metavar="TIME", help="Only those from then on."),
        until=options.value("--until", metavar="TIME", help="Only those before then."),
        name=options.value("--name", help="Only those of this name."),
        tool=options.value("--tool", metavar="ID", help="Only those with a call of it."),
        failed=options.value("--failed/--no-failed", default=None, help="Only those with a failed call, or without."),
        confidence_below=options.value(
            "--confidence-below", type=float, help="Only those with a thought of lower confidence."
        ),
        question=options.value("--question", metavar="ID|TEXT", help="Only those about this question."),
        benchmark=options.value("--benchmark", metavar="ID", help="Only those about this benchmark."),
        branch_of=options.value("--branch-of", metavar="ID", help="Only those that branch off this checkpoint."),
        limit=options.whole("--limit", least=0, help="At most this number."),
        cursor=options.value("--cursor", metavar="ID", help="Only those that come after this checkpoint."),
        order=options.flag("--oldest", help="The oldest first; else the newest."),
    ),
    wide: bool = options.flag("--wide", help="Do not cut lines to the width of the terminal."),
    as_json: bool = options.JSON,
    stores: Stores = STORES,
) -> None:
    """List checkpoints, the newest first: id, time, execution, step, tokens, reason, name."""
    question = wanted["question"]
    for name in ("since", "until"):
        wanted[name] = None if wanted[name] is None else _milliseconds(wanted[name])
    wanted["order"] = "oldest" if wanted["order"] else "newest"
    with stores.manager() as of:
        if wanted["cursor"] is not None:
            from checkpoint_ld.stores.protocol import header_of

            wanted["cursor"] = header_of(found(wanted["cursor"], of)).key
        wanted["execution_id"] = execution_of(wanted["execution_id"], of)
        if wanted["branch_of"] is not None:
            with suppress(CheckpointNotFound):  # it may be deleted while its branches still exist
                wanted["branch_of"] = found(wanted["branch_of"], of).id
        listed = _listed(of, wanted)
        if question is not None and not listed:  # the text may be its IRI
            from checkpoint_ld.identifiers import question_id

            listed = _listed(of, {**wanted, "question": question_id(question)})
    if as_json:
        streams.show_json([asdict(header) for header in listed])
        return
    if not listed:
        streams.note("no checkpoint fits")
        return
    from checkpoint_ld.agents.timeline import instant

    rows = [
        (
            header.id,
            instant(header.timestamp).removesuffix(" UTC"),
            header.execution_id,
            str(header.step_number),
            str(header.tokens_used),
            header.checkpoint_reason
            + (" (branch)" if header.is_branch and header.checkpoint_reason != "branch" else ""),
            header.name or "",
        )
        for header in listed
    ]
    _show_table(("id", "time (UTC)", "execution", "step", "tokens", "reason", "name"), rows, "NTN##TT", wide=wide)


@agent.command
def show(
    *,
    checkpoint: str = _CHECKPOINT,
    stable: bool = options.flag("--stable", help="Print a normalised text: equal checkpoints give equal texts."),
    as_json: bool = options.JSON,
    stores: Stores = STORES,
) -> None:
    """Show the content of a checkpoint: its progress, its last thoughts and calls, its variables."""
    with stores.manager(checkpoint) as of:
        one = found(checkpoint, of)
    if stable or as_json:
        streams.write(streams.STANDARD, one.content())
    else:
        show_checkpoint(one)


def show_checkpoint(checkpoint: AgentCheckpoint) -> None:
    """Print the content of a checkpoint for people."""
    from checkpoint_ld.agents.timeline import lines_of

    for line in lines_of(checkpoint):
        streams.show(line)


@agent.command
def diff(
    *,
    before: str = options.argument("A", "The older checkpoint, by id or path, or latest; or an execution."),
    after: str = options.argument("B", "The newer checkpoint, by id or path, or latest; or an execution."),
    runs: bool = options.flag("--runs", help="Compare the runs up to the two, step by step; so are executions."),
    kind: str | None = options.written_as("--to", COMPARISONS, "The format of a comparison of runs", "text"),
    output: Output = options.output(),
    patch: bool = options.flag("--patch", help="Print the JSON Patch (RFC 6902) from A to B."),
    tests: bool = options.flag("--tests", help="With --patch: guard each change by a test."),
    other_execution: bool = options.flag("--other-execution", help="Compare checkpoints of two executions as well."),
    as_json: bool = options.JSON,
    stores: Stores = STORES,
) -> None:
    """Show the differences between two checkpoints, or two runs; exit with 1 if there are any.

    Two runs are aligned by the order of their steps, their kinds, tools and arguments, not by ids.
    """
    from checkpoint_ld.agents.difference import diff_checkpoints
    from checkpoint_ld.agents.run_difference import diff_runs

    if tests and not patch:
        raise SettingsError("--tests is for a JSON Patch: give --patch too")
    output.check(before, after, *stores.files)
    with stores.manager(before, after) as of:
        runs = runs or (not patch and any(of.list(execution_id=name, limit=1) for name in (before, after)))
        if runs:
            compared = diff_runs(run_of(before, of), run_of(after, of))
        else:
            old, new = found(before, of), found(after, of)
    if runs:
        kind = "json" if as_json else kind or kind_of(output.file, COMPARISONS, "text")
        forms = {"text": compared.to_text, "html": compared.to_html}
        text = forms[kind]() if kind in forms else orjson.dumps(compared.to_dict(), option=orjson.OPT_INDENT_2).decode()
        output.write_report(f"{text}\n", kind)
        if compared:
            raise Exit(EXIT_FOUND)
        return
    if kind is not None or output.file != "-":
        raise SettingsError("--to and --output are for runs: give --runs")
    different = diff_checkpoints(old, new, allow_other_execution=other_execution)
    if patch:
        streams.show_json(different.to_json_patch(tests=tests))
    elif as_json:
        streams.show_json(different.to_dict())
    else:
        streams.show(different.to_text())
    if different:
        raise Exit(EXIT_FOUND)


@agent.command
def timeline(
    *,
    source: str = options.argument("ID", "An execution, or a checkpoint by its id or path, or latest."),
    kind: str | None = options.written_as("--to", PICTURES, "The format to write", "text"),
    output: Output = options.output(),
    limit: int | None = options.whole("--limit", least=0, help="List at most this number of moments."),
    width: int | None = options.whole("--width", least=40, help="Columns of the text."),
    stores: Stores = STORES,
) -> None:
    """Draw a run: its thoughts, tool calls and checkpoints over time, as text or as a picture."""
    from checkpoint_ld.agents.picture import html_of, svg_of
    from checkpoint_ld.agents.timeline import text_of

    output.check(source, *stores.files)
    kind = kind or kind_of(output.file, PICTURES, "text")
    if kind != "text" and (limit, width) != (None, None):
        raise SettingsError(f"--limit and --width are for text: leave them out for {kind}")
    with stores.manager(source) as of:
        run = run_of(source, of)
    if kind == "text":
        drawn = text_of(run, width=width or streams.columns(), limit=limit)
    else:
        drawn = svg_of(run) if kind == "svg" else html_of(run)
    output.write_report(f"{drawn}\n", kind)


@agent.command
def prov(
    *,
    source: str = options.argument("ID", "An execution, or a checkpoint by its id or path, or latest."),
    kind: str | None = options.written_as("--to", PROVENANCE, "The format to write", "provn"),
    output: Output = options.output(),
    stores: Stores = STORES,
) -> None:
    """Write the provenance of a run in PROV-N, PROV-JSON or PROV-XML; needs the extra prov."""
    from checkpoint_ld.data import library

    library("prov.model", extra="prov")
    from checkpoint_ld.integrations.prov import prov_document

    output.check(source, *stores.files)
    kind = kind or kind_of(output.file, PROVENANCE, "provn")
    with stores.manager(source) as of:
        document = prov_document(checkpoints_of(source, of))
    text = document.get_provn() if kind == "provn" else document.serialize(format=kind)
    output.write(f"{text.rstrip()}\n".encode())


@agent.command
def watch(
    *,
    folder: str | None = options.argument("DIR", "The folder of the files.", required=False, default=None),
    port: int = options.value(
        "--port", type=click.IntRange(0, 65535), default=7980, help="The port; 0 for any free one."
    ),
    price: float | None = options.real("--price", help="What a million tokens costs, for runs that state no cost."),
    stores: Stores = STORES,
) -> None:
    """Serve a page with all runs to this machine alone, the newest first, which follows what is saved.

    A run has its status, calls and failed calls, tokens and cost: the member `cost` of its metadata, or by --price.
    """
    import signal

    from checkpoint_ld.checkpointing.watching import WatchedRuns, WatchServer

    if folder is not None and stores.folder is not None:
        raise SettingsError("the folder is named twice: leave out --dir")
    chosen = stores if folder is None else Stores(folder, stores.database, stores.graphs)
    with chosen.manager() as of, WatchServer(WatchedRuns(of, price), port) as server:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            streams.show(server.url)
            sys.stdout.flush()
            server.serve_forever()
        except KeyboardInterrupt:
            streams.note("stopped")


@agent.command
def restore(
    *,
    checkpoint: str = _CHECKPOINT,
    output: Output = options.output("The file for the state; - for standard output."),
    as_json: bool = options.JSON,
    stores: Stores = STORES,
) -> None:
    """Write the whole state of a checkpoint, and name the calls that were in flight; nothing is run."""
    from checkpoint_ld.documents.text import Layout, dump_json

    output.check(checkpoint, *stores.files)
    with stores.manager(checkpoint) as of:
        restored = by_name(of.restore, checkpoint, of)
    state = restored.state
    parent = {} if state.parent is None else {"parent": state.parent.tree()}
    head = {"agent_id": state.agent_id, "execution_id": state.execution_id, **parent}
    output.write(dump_json({**head, "snapshot": state.snapshot().tree()}, Layout(indent="  ")) + b"\n")
    streams.report(restored.findings)
    if as_json:
        streams.note(orjson.dumps({"interrupted": [call.tree() for call in restored.interrupted]}).decode())
        return
    for call in restored.interrupted:
        name = call.tool_id or "a tool that is not named"
        streams.note(harmless(f"in flight: {call.id} ({name}): cancel, fail or repeat it"))
    if not restored.interrupted:
        streams.note("no call was in flight")


@agent.command
def fork(
    *,
    checkpoint: str = options.argument("ID", "The checkpoint to continue from, by its id, or latest."),
    execution: str | None = options.value(
        "--execution", metavar="ID", help="The id of the new execution; generated by default."
    ),
    reason: str | None = options.value("--reason", help="The reason for the branch."),
    name: str | None = options.value("--name", help="A name for the new checkpoint."),
    as_json: bool = options.JSON,
    stores: Stores = STORES,
) -> None:
    """Begin a new execution with the state of a checkpoint, which stays as it is."""
    with stores.manager() as of:
        saved = by_name(lambda one: of.fork(one, execution, reason, name), checkpoint, of)
    made = saved.checkpoint
    if as_json:
        head = {"id": made.id, "execution_id": made.execution_id, "sha256": saved.sha256}
        streams.show_json({**head, "path": None if saved.path is None else str(saved.path)})
        return
    _show(f"{made.id} begins execution {made.execution_id}" + (f": {saved.path}" if saved.path else ""))


@agent.command
def export(
    *,
    checkpoint: str = options.argument("ID", "The checkpoint, by its id, or latest."),
    output: Output = options.output(required=True),
    kind: str | None = options.written_as("--to", SHAPES, "The format to write", "canonical"),
    stores: Stores = STORES,
) -> None:
    """Write a checkpoint to a file of its own: JSON in either shape, JSON-LD, or RDF in any syntax."""
    from checkpoint_ld.agents.values import EXTENSIONS

    output.check(*stores.files)
    wanted: Any = kind or kind_of(output.file, EXTENSIONS, "canonical")
    with stores.manager() as of:
        content = by_name(of.get, checkpoint, of).content(wanted)
    output.write(content)
    if not output.is_standard:
        streams.show(output.file)


@agent.command("import")
def import_(
    *,
    paths: tuple[str, ...] = _PATHS,
    kind: str = options.choice(
        "--from",
        values=SOURCES,
        default=SOURCES[0],
        help="What the files hold: checkpoints, or spans of OpenTelemetry as OTLP/JSON.",
    ),
    as_new_id: bool = options.flag("--as-new-id", help="Import copies under new ids, with a link to the originals."),
    keep_secrets: bool = options.flag("--keep-secrets", help="Keep values that look like secrets."),
    as_json: bool = options.JSON,
    stores: Stores = STORES,
) -> None:
    """Import checkpoints of either shape and any released version; exit with 1 if one cannot be imported.

    With --from otlp, each run of an agent in the spans becomes a checkpoint. What looks like a secret is withheld.
    """
    if as_new_id and kind != SOURCES[0]:
        raise SettingsError(f"--as-new-id is for checkpoints: leave it out with --from {kind}")
    from checkpoint_ld.integrations.span_report import SpanReport

    report = SpanReport()
    with stores.manager(may_be_new=True, keep_secrets=keep_secrets) as of:
        found = _imported(of, paths, as_new_id=as_new_id) if kind == SOURCES[0] else _spans_in(of, paths, report)
        done = list(found)
    if not done:
        what = "a checkpoint" if kind == SOURCES[0] else "a file with spans of agents"
        raise SettingsError(f"nothing to import in {', '.join(paths)}: name {what}, or a folder that has some")
    if as_json:
        results = [
            {
                "source": str(result.source),
                "id": result.checkpoint.id if result.checkpoint else None,
                "created": result.created,
                "error": None if result.error is None else str(result.error),
                "findings": [str(found) for found in result.findings],
            }
            for result in done
        ]
        streams.show_json(results if kind == SOURCES[0] else {"results": results, **report.tree()})
    for result in () if as_json else done:
        if result.error is not None:
            streams.note(f"refused: {result.error}")
        elif result.checkpoint is not None:
            streams.report(result.findings)
            _show(f"{'added' if result.created else 'unchanged'}: {result.checkpoint.id} ({result.source})")
    if kind != SOURCES[0] and not as_json:
        _show_spans(report)
    if any(result.error is not None for result in done):
        raise Exit(EXIT_FOUND)


def _show_spans(report: SpanReport) -> None:
    """Show a table of what was read, of which instrumentation, and what it lacks."""
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("instrumentation", "version"):
        table.add_column(heading, overflow="fold")
    for heading in ("spans read", "passed over"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in report.rows():
        cells = (harmless(row.name), harmless(row.version), str(row.read), str(row.passed_over))
        table.add_row(*map(escape, cells))
    if table.rows:
        streams.console(highlight=False).print(table)
    for line in report.lines():
        _show(line)


@agent.command
def upgrade(*, paths: tuple[str, ...] = _PATHS, dry_run: bool = _DRY_RUN, as_json: bool = options.JSON) -> None:
    """Write files of older versions anew in the newest; exit with 1 if one could not be.

    The old file stays until the new one is safe.
    """
    from checkpoint_ld.checkpointing import upgrade

    verb = "would become" if dry_run else "became"
    rows: list[dict[str, Any]] = []
    for file in _files_in(paths, (".json", ".json.gz")):
        try:
            one = upgrade(file, dry_run=dry_run)
        except CheckpointLdError as error:
            rows.append({"error": str(error)})
            line = f"refused: {error}"
        else:
            rows.append({"path": str(one.path), "before": one.before, "after": one.after, "changed": one.changed})
            line = f"{one.path}: {f'{one.before} {verb} {one.after}' if one.changed else f'is {one.after} already'}"
        if not as_json:
            _show(line)
    if not rows:
        raise SettingsError(f"nothing to upgrade in {', '.join(paths)}: name a file, or a folder that has some")
    if as_json:
        streams.show_json(rows)
    if any("error" in row for row in rows):
        raise Exit(EXIT_FOUND)


@agent.command
def prune(
    *,
    keep_last: int | None = options.whole(
        "--keep-last", least=0, help="Keep this number of the newest of each execution."
    ),
    max_age: float | None = options.real(
        "--max-age", least=0, metavar="DAYS", help="Keep those that are at most this number of days old."
    ),
    reasons: tuple[str, ...] = options.value(
        "--keep-reason", multiple=True, help="Keep those made for it. May be repeated."
    ),
    ids: tuple[str, ...] = options.value("--keep", metavar="ID", multiple=True, help="Keep it. May be repeated."),
    protect_linked: bool = options.value(
        "--protect-linked/--no-protect-linked",
        default=True,
        help="Keep checkpoints about a question, or prune them too.",
    ),
    archive: str | None = options.file(
        "--archive", metavar="DIR", help="First write pruned checkpoints to this folder, compressed."
    ),
    dry_run: bool = _DRY_RUN,
    as_json: bool = options.JSON,
    stores: Stores = STORES,
) -> None:
    """Delete old checkpoints; the newest of an execution, named ones and parents of others always stay."""
    from checkpoint_ld.checkpointing import Retention

    with stores.manager() as of:
        if keep_last is None and max_age is None:
            raise SettingsError(
                "what stays is not stated: give --keep-last N (the newest), --max-age DAYS (the newer ones), or both"
            )
        retention = Retention(
            keep_last=keep_last,
            max_age=None if max_age is None else timedelta(days=min(max_age, timedelta.max.days)),
            keep_reasons=frozenset(reasons),
            keep=frozenset(by_name(of.get, one, of).id for one in ids),
            protect_linked=protect_linked,
        )
        pruned = of.prune(retention, dry_run=dry_run, archive=archive)
    if as_json:
        decisions = [
            {
                "id": decision.header.id,
                "execution_id": decision.header.execution_id,
                "goes": decision.goes,
                "why": decision.reason,
            }
            for decision in pruned.decisions
        ]
        streams.show_json({"dry_run": dry_run, "checkpoints": decisions})
        return
    goes = "would go" if dry_run else "gone"
    for decision in pruned.decisions:
        _show(f"{goes if decision.goes else 'stays'}: {decision.header.id}: {decision.reason}")
    streams.show(f"{len(pruned.going)} {goes}, {len(pruned.staying)} stay")


@agent.command
def verify(
    *,
    repair: bool = options.flag(
        "--repair", help="Bring database and graphs in line with the files, which stay untouched."
    ),
    as_json: bool = options.JSON,
    stores: Stores = STORES,
) -> None:
    """Compare files, database and graphs; exit with 1 if they differ."""
    with stores.manager() as of:
        findings = of.verify(repair=repair)
    if as_json:
        streams.show_json([asdict(finding) for finding in findings])
    else:
        for finding in findings:
            streams.show(f"{finding.severity.label}: {finding}")
        streams.show(counted(len(findings), "finding") if findings else "all stores are as they should be")
    if any(finding.severity > Severity.INFO for finding in findings):
        raise Exit(EXIT_FOUND)


@agent.command
def reindex(*, as_json: bool = options.JSON, stores: Stores = STORES) -> None:
    """Rebuild the database and the graphs from the files."""
    if stores.database is None and stores.graphs is None:
        raise SettingsError("there is nothing to rebuild: name a database by --db, graphs by --store, or both")
    with Stores(stores.folder or FOLDER, stores.database, stores.graphs).manager() as of:
        done = of.reindex()
    if as_json:
        streams.show_json(asdict(done))
        return
    streams.show(f"{done.checkpoints} checkpoints indexed, {len(done.removed)} removed that have no file")
    for one in done.kept:
        way = f"run checkpoint-ld agent export {one} --output FILE, move the damaged file away, and import FILE"
        streams.note(harmless(f"kept: {one}, whose file is damaged: {way}"))


@agent.command
def stats(*, execution: str | None = _EXECUTION, as_json: bool = options.JSON, stores: Stores = STORES) -> None:
    """Show what executions used and did: checkpoints, steps, tokens, calls, failed ones, by tool."""
    from checkpoint_ld.checkpointing.exchange import statistics

    with stores.manager() as of:
        usages = list(statistics(of.store, execution_of(execution, of)))
    if as_json:
        streams.show_json(usages)
        return
    if not usages:
        streams.note("no execution fits")
        return
    numbers = ("checkpoints", "steps", "tokens", "thoughts", "calls", "failed_calls")
    rows = [
        (
            usage["execution_id"],
            usage["agent_id"],
            *(str(usage[name]) for name in numbers),
            ", ".join(f"{tool} {count}" for tool, count in usage["tools"].items()),
        )
        for usage in usages
    ]
    columns = ("execution", "agent", *numbers[:-1], "failed", "tools")
    _show_table(columns, rows, "NN######T", wide=False)


def _show(line: str) -> None:
    streams.show(harmless(line))


def _show_table(columns: Sequence[str], rows: Sequence[Sequence[str]], kinds: str, *, wide: bool) -> None:
    """Print a table; `kinds` has the `Style` of each column."""
    from checkpoint_ld.sparql.formats import Style, lines

    width = streams.columns() if sys.stdout.isatty() and not wide else None
    for line in lines(columns, rows, tuple(map(Style, kinds)), width):
        streams.show(line)


def _files_in(paths: Sequence[str], extensions: tuple[str, ...]) -> Iterator[Path]:
    for path in map(Path, paths):
        is_folder = os.path.isdir(path)  # noqa: PTH112 - Path raises OSError for a name that is too long
        yield from files_below(str(path), extensions, most=sys.maxsize) if is_folder else (path,)


def _imported(of: CheckpointManager, paths: Sequence[str], *, as_new_id: bool) -> Iterator[Imported]:
    from checkpoint_ld.checkpointing import Imported

    for path in paths:
        try:
            yield from of.import_(path, as_new_id=as_new_id)
        except (ReadError, FindingsError, CheckpointExists) as error:
            yield Imported(Path(path), None, error=error)


def _spans_in(of: CheckpointManager, paths: Sequence[str], report: SpanReport) -> Iterator[Imported]:
    from checkpoint_ld.checkpointing import Imported
    from checkpoint_ld.integrations.otlp import import_spans

    files = list(_files_in(paths, (".json", ".jsonl", ".gz")))
    try:
        yield from import_spans(of, *files, report=report) if files else ()
    except ReadError as error:
        yield Imported(Path(files[0]), None, error=error)


def _listed(of: CheckpointManager, wanted: dict[str, Any]) -> list[Header]:
    """Return headers; those of what LangGraph's tasks wrote only where their execution is named."""
    from checkpoint_ld.stores.protocol import Filter

    if wanted["execution_id"] is not None:
        return of.list(**wanted)
    found = of.store.headers(Filter(**{**wanted, "limit": None}))
    return [*islice((one for one in found if not one.is_of_writes), wanted["limit"])]


def _milliseconds(text: str) -> int:
    """Return the moment of a date (ISO 8601, UTC without an offset) or of epoch milliseconds.

    Raises SettingsError for another text.
    """
    if text == "0" or (text.isdecimal() and len(text) > _SECONDS):
        return int(text[:20])  # Python refuses to convert thousands of digits; no moment has more than 20
    is_date = not text.isdecimal() or len(text) == len("20260131")
    moment = instant_of(text) if is_date else None
    if moment is None:
        raise SettingsError(f"{text!r} is no time: write 2026-01-31, 2026-01-31T12:00 or milliseconds")
    return round(moment.timestamp() * 1000)

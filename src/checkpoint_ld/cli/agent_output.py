"""What the commands of `agent` print."""

from __future__ import annotations

import shutil
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import orjson

from checkpoint_ld.characters import harmless
from checkpoint_ld.cli import streams
from checkpoint_ld.errors import CheckpointLdError
from checkpoint_ld.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from checkpoint_ld.agent.checkpoint import AgentCheckpoint
    from checkpoint_ld.checkpointing import Imported, Pruned, Reindexed, Restored, Saved, Upgraded
    from checkpoint_ld.checkpointing.statistics import ExecutionStatistics
    from checkpoint_ld.findings import Finding
    from checkpoint_ld.stores.protocol import Header

_LATEST = 5
"""How many thoughts and calls `show` shows."""


def show_json(value: Any) -> None:
    """Print a value as JSON; integers may be of any size."""
    from checkpoint_ld.documents.text import dump_json

    streams.write(streams.STANDARD, dump_json(value) + b"\n")


def show_headers(headers: Sequence[Header], *, as_json: bool, wide: bool) -> None:
    """Print the headers of checkpoints, a line each."""
    from checkpoint_ld.agent.timeline.timeline import instant
    from checkpoint_ld.sparql.formats import Style, lines

    if as_json:
        streams.show_json([asdict(one) for one in headers])
        return
    if not headers:
        streams.say("no checkpoint fits")
        return
    rows = [
        (
            one.id,
            instant(one.timestamp).removesuffix(" UTC"),
            one.execution_id,
            str(one.step_number),
            str(one.tokens_used),
            one.checkpoint_reason + (" (branch)" if one.is_branch and one.checkpoint_reason != "branch" else ""),
            one.name or "",
        )
        for one in headers
    ]
    number, text, name = Style.NUMBER, Style.TEXT, Style.NAME
    columns = ("id", "time (UTC)", "execution", "step", "tokens", "reason", "name")
    width = None if wide or not sys.stdout.isatty() else shutil.get_terminal_size().columns
    for line in lines(columns, rows, (name, text, name, number, number, text, text), width):
        streams.show(line)


def show_checkpoint(checkpoint: AgentCheckpoint) -> None:
    """Print what a checkpoint holds, for people."""
    from checkpoint_ld.agent.summary import lines_of

    for line in lines_of(checkpoint, latest=_LATEST):
        streams.show(line)


def report_restored(restored: Restored, *, as_json: bool) -> None:
    """Say which calls were in flight, on standard error, and what was found."""
    streams.report(restored.findings)
    if as_json:
        streams.say(orjson.dumps({"interrupted": [one.tree() for one in restored.interrupted]}).decode())
        return
    for call in restored.interrupted:
        name = call.tool_id or "a tool that is not named"
        streams.say(harmless(f"in flight: {call.id} ({name}): cancel, fail or repeat it"))
    if not restored.interrupted:
        streams.say("no call was in flight")


def state_of(restored: Restored) -> bytes:
    """Return a restored state as JSON text: whose it is, what it goes on from, and the snapshot."""
    from checkpoint_ld.documents.text import Layout, dump_json

    state = restored.state
    parent = {} if state.parent is None else {"parent": state.parent.tree()}
    head = {"agent_id": state.agent_id, "execution_id": state.execution_id, **parent}
    return dump_json({**head, "snapshot": state.snapshot().tree()}, Layout(indent="  ")) + b"\n"


def show_saved(saved: Saved, *, as_json: bool) -> None:
    """Print the checkpoint that was saved."""
    checkpoint, path = saved.checkpoint, saved.path
    if as_json:
        head = {"id": checkpoint.id, "execution_id": checkpoint.execution_id, "sha256": saved.sha256}
        show_json({**head, "path": None if path is None else str(path)})
        return
    _show(f"{checkpoint.id} begins execution {checkpoint.execution_id}" + (f": {path}" if path else ""))


def show_imported(taken: Iterable[Imported], *, as_json: bool) -> int:
    """Print what became of files, and what is odd about their form; return how many could not be taken in."""
    done = list(taken)
    if as_json:
        show_json(
            [
                {
                    "source": str(one.source),
                    "id": one.checkpoint.id if one.checkpoint else None,
                    "created": one.created,
                    "error": None if one.error is None else str(one.error),
                    "findings": [str(found) for found in one.findings],
                }
                for one in done
            ]
        )
    else:
        for one in done:
            if one.error is not None:
                streams.say(f"refused: {one.error}")
            elif one.checkpoint is not None:
                streams.report(one.findings)
                _show(f"{'taken in' if one.created else 'there already'}: {one.checkpoint.id} ({one.source})")
    return sum(one.error is not None for one in done)


def show_upgraded(done: Iterable[Upgraded | CheckpointLdError], *, dry_run: bool, as_json: bool) -> int:
    """Print which files were written anew; return how many could not be."""
    verb = "would become" if dry_run else "became"
    rows: list[dict[str, Any]] = []
    refused = 0
    for one in done:
        if isinstance(one, CheckpointLdError):
            refused += 1
            rows.append({"error": str(one)})
            line = f"refused: {one}"
        else:
            rows.append({"path": str(one.path), "before": one.before, "after": one.after, "changed": one.changed})
            line = f"{one.path}: {f'{one.before} {verb} {one.after}' if one.changed else f'is {one.after} already'}"
        if not as_json:
            _show(line)
    if as_json:
        show_json(rows)
    return refused


def show_pruned(pruned: Pruned, *, dry_run: bool, as_json: bool) -> None:
    """Print which checkpoints go, and why each of the others stays."""
    if as_json:
        show_json(
            {
                "dry_run": dry_run,
                "checkpoints": [
                    {"id": one.header.id, "execution_id": one.header.execution_id, "goes": one.goes, "why": one.reason}
                    for one in pruned.decisions
                ],
            }
        )
        return
    goes = "would go" if dry_run else "gone"
    for one in pruned.decisions:
        _show(f"{goes if one.goes else 'stays'}: {one.header.id}: {one.reason}")
    streams.show(f"{len(pruned.going)} {goes}, {len(pruned.staying)} stay")


def show_findings(findings: Sequence[Finding], *, as_json: bool) -> bool:
    """Print what was found; return whether any of it weighs more than a remark."""
    if as_json:
        streams.show_json([asdict(one) for one in findings])
    else:
        for one in findings:
            streams.show(f"{one.severity.name.lower()}: {one}")
        streams.show(f"{len(findings)} findings" if findings else "all stores are as they should be")
    return any(one.severity > Severity.INFO for one in findings)


def show_reindexed(done: Reindexed, *, as_json: bool) -> None:
    """Print what was made anew."""
    if as_json:
        show_json(asdict(done))
        return
    streams.show(f"{done.checkpoints} checkpoints indexed, {len(done.removed)} removed that have no file")
    for one in done.kept:
        streams.say(harmless(f"kept: {one}, whose file is damaged: checkpoint-ld agent export {one} brings it back"))


def show_statistics(found: Iterable[ExecutionStatistics], *, as_json: bool) -> None:
    """Print what executions used and did, a line each."""
    from checkpoint_ld.sparql.formats import Style, lines

    rows = list(found)
    if as_json:
        show_json([one.to_dict() for one in rows])
        return
    cells = [
        (
            one.execution_id,
            one.agent_id,
            *map(str, (one.checkpoints, one.steps, one.tokens, one.thoughts, one.calls, one.failed_calls)),
            ", ".join(f"{tool} {count}" for tool, count in one.tools.items()),
        )
        for one in rows
    ]
    columns = ("execution", "agent", "checkpoints", "steps", "tokens", "thoughts", "calls", "failed", "tools")
    styles = (Style.NAME, Style.NAME, *[Style.NUMBER] * 6, Style.TEXT)
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for line in lines(columns, cells, styles, width):
        streams.show(line)


def _show(line: str) -> None:
    """Print a line that may hold anything that stands in a checkpoint or is a file's name."""
    streams.show(harmless(line))

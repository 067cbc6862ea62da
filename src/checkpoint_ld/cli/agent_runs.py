"""What the commands of `agent` ask of a manager beyond one call of it."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from checkpoint_ld.errors import (
    CheckpointExists,
    CheckpointLdError,
    CheckpointNotFound,
    FindingsError,
    ReadError,
    SettingsError,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from checkpoint_ld.agent.checkpoint import AgentCheckpoint
    from checkpoint_ld.agent.timeline import Timeline
    from checkpoint_ld.checkpointing import CheckpointManager, Imported, Retention, Upgraded
    from checkpoint_ld.stores.header import Header, Key

PICTURES = {".txt": "text", ".svg": "svg", ".html": "html", ".htm": "html"}
"""How a timeline is drawn into a file, by its extension."""
WIDTH = 100
"""Columns of a text that goes to no terminal."""


def about(of: CheckpointManager, question: str, wanted: dict[str, Any]) -> list[Header]:
    """Return the checkpoints about a question that is named by its identifier or by its text."""
    from checkpoint_ld.identifiers import question_id

    return of.list(**wanted, question=question) or of.list(**wanted, question=question_id(question))


def run_of(name: str, of: CheckpointManager) -> Timeline:
    """Return the timeline of an execution, or of the way to a checkpoint that is named by its id or path.

    Raises CheckpointNotFound for what is none of these.
    """
    from checkpoint_ld.agent.timeline import timeline_of

    headers = of.list(execution_id=name)
    if headers:
        return timeline_of([of.get(headers[0].id)], headers)
    checkpoint = found(name, of)
    before = of.list(execution_id=checkpoint.execution_id, cursor=key_of(name, of))
    return timeline_of([checkpoint], before)


def key_of(name: str, of: CheckpointManager) -> Key:
    """Return what a checkpoint is ordered by, as the cursor after it. Raises CheckpointNotFound."""
    checkpoint = found(name, of)
    return checkpoint.timestamp, checkpoint.metadata.step_number, checkpoint.id


def drawn(run: Timeline, picture: str, *, width: int | None, limit: int | None) -> str:
    """Return a timeline as text (of `width` columns, the terminal's unless given), as an SVG or as a page."""
    from checkpoint_ld.agent.timeline import html_of, svg_of, text_of

    if picture == "text":
        return text_of(run, width=width or shutil.get_terminal_size((WIDTH, 0)).columns, limit=limit) + "\n"
    return (svg_of(run) if picture == "svg" else html_of(run)) + "\n"


def found(name: str, of: CheckpointManager) -> AgentCheckpoint:
    """Return the checkpoint of that id, or else the one in the file of that path.

    Raises CheckpointNotFound for what is neither.
    """
    from checkpoint_ld.agent.checkpoint import AgentCheckpoint

    try:
        return of.get(name)
    except CheckpointNotFound:
        if not Path(name).is_file():
            raise
        return AgentCheckpoint.load(name)


def imported(of: CheckpointManager, paths: Sequence[str], *, as_new_id: bool) -> Iterator[Imported]:
    """Take in files and folders, one after the other; what is wrong with one of them does not stop the others.

    Raises what the stores raise.
    """
    from checkpoint_ld.checkpointing import Imported

    for path in paths:
        try:
            yield from of.import_(path, as_new_id=as_new_id)
        except (ReadError, FindingsError, CheckpointExists) as error:
            yield Imported(Path(path), None, error=error)


def upgraded(paths: Sequence[str], *, dry_run: bool) -> Iterator[Upgraded | CheckpointLdError]:
    """Write files of older versions anew; folders are looked through for `.json` files.

    Yields the error instead for a file that cannot be read or written, and goes on.
    """
    from checkpoint_ld.checkpointing import upgrade

    for path in map(Path, paths):
        for file in sorted(path.rglob("*.json")) if path.is_dir() else (path,):
            try:
                yield upgrade(file, dry_run=dry_run)
            except CheckpointLdError as error:
                yield error


def retention(
    keep_last: int | None,
    max_age: float | None,
    *,
    reasons: Iterable[str],
    ids: Iterable[str],
    protect_linked: bool,
) -> Retention:
    """Return what is to stay; `max_age` counts days. Raises SettingsError where nothing says what may go."""
    from checkpoint_ld.checkpointing import Retention

    if keep_last is None and max_age is None:
        raise SettingsError("say what may go: all but the newest (--keep-last N), or what is old (--max-age DAYS)")
    return Retention(
        keep_last=keep_last,
        max_age=None if max_age is None else timedelta(days=min(max_age, timedelta.max.days)),
        keep_reasons=frozenset(reasons),
        keep=frozenset(ids),
        protect_linked=protect_linked,
    )

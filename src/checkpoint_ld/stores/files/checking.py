"""What is wrong with the files of a folder."""

from __future__ import annotations

import contextlib
import time
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from checkpoint_ld.agent.checkpoint import AgentCheckpoint
from checkpoint_ld.errors import InvalidCheckpoint, ReadError
from checkpoint_ld.findings import Place
from checkpoint_ld.rules import finding
from checkpoint_ld.stores.files.names import file_name, names
from checkpoint_ld.stores.files.placing import TEMPORARY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from checkpoint_ld.findings import Finding

STALE_S: Final = 3600.0
"""Seconds after which a temporary file belongs to no save that may still go on."""


def temporaries(folder: Path, older_than_s: float) -> tuple[Path, ...]:
    """Return the temporary files in `folder` that nobody has written to for so many seconds."""
    if not folder.is_dir():
        return ()
    found = []
    for path in folder.iterdir():
        if TEMPORARY.fullmatch(path.name):
            with contextlib.suppress(FileNotFoundError):
                if time.time() - path.lstat().st_mtime >= older_than_s:
                    found.append(path)
    return tuple(sorted(found))


def of_temporaries(folder: Path, *, repair: bool) -> Iterator[Finding]:
    """Yield a finding for every temporary file that is stale; remove it with `repair`."""
    for path in temporaries(folder, STALE_S):
        if repair:
            path.unlink(missing_ok=True)
        yield _at(path, "agent-temporary", f"{path.name} was left behind{' and is removed' if repair else ''}")


def of_files(files: Iterable[Path]) -> Iterator[Finding]:
    """Yield what is wrong with checkpoint files, each by itself and beside the others."""
    by_id: dict[str, list[Path]] = defaultdict(list)
    by_name: dict[str, Path] = {}
    for path in files:
        try:
            checkpoint_id = AgentCheckpoint.load(path).id
        except (ReadError, InvalidCheckpoint) as error:
            if path.exists():  # what was deleted meanwhile is not damaged
                yield _at(path, "agent-file-damaged", f"{path.name} cannot be restored: {_first(error)}")
            continue
        if path.name not in names(checkpoint_id):
            message = f"{path.name} holds {checkpoint_id!r}, whose file is called {file_name(checkpoint_id)}"
            yield _at(path, "agent-file-name", message)
        other = by_name.setdefault(path.name.lower(), path)
        if other != path:
            yield _at(path, "agent-file-name", f"{path.name} and {other.name} are one name to disks that ignore case")
        by_id[checkpoint_id].append(path)
    for checkpoint_id, paths in by_id.items():
        for path in paths[1:]:
            yield _at(path, "agent-file-twice", f"{path.name} and {paths[0].name} both hold {checkpoint_id!r}")


def _at(path: Path, slug: str, message: str) -> Finding:
    return replace(finding(slug, message), place=Place(str(path)))


def _first(error: ReadError | InvalidCheckpoint) -> str:
    return str(error.findings[0]) if error.findings else str(error)

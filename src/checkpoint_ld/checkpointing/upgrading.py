"""Upgrading: a file of an older version becomes one of the newest."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from checkpoint_ld.agent.checkpoint import AgentCheckpoint
from checkpoint_ld.agent.values import SHAPES
from checkpoint_ld.agent.versions import NEWEST
from checkpoint_ld.arguments import checked
from checkpoint_ld.documents.files import replace_file
from checkpoint_ld.errors import WriteError
from checkpoint_ld.stores.folder import PACKED

if TYPE_CHECKING:
    import os


@dataclass(frozen=True, slots=True)
class Upgraded:
    """A file, the version that it had, and the newest, which it has now unless it was only asked."""

    path: Path
    before: str
    after: str

    @property
    def changed(self) -> bool:
        """Whether there was anything to do."""
        return self.before != self.after


@checked
def upgrade(path: str | os.PathLike[str], *, dry_run: bool = False) -> Upgraded:
    """Bring a checkpoint's file to the newest version, in the shape that it has; one of that version is not touched.

    The old file is there until the new one is safely on the disk. Raises ReadError for what cannot be read,
    InvalidCheckpoint for what breaks rules, and WriteError where the file cannot be written.
    """
    from checkpoint_ld.agent.reading import examine  # noqa: PLC0415 - loads rdflib

    reading = examine(path)
    done = Upgraded(Path(path), reading.version, NEWEST)
    if done.changed and not dry_run:
        if reading.document is None or reading.shape not in SHAPES:
            raise WriteError(f"{path}: only JSON files are upgraded; convert it to JSON first")
        content = AgentCheckpoint.of_reading(reading).content(reading.shape)
        replace_file(path, gzip.compress(content, mtime=0) if done.path.name.endswith(PACKED) else content)
    return done

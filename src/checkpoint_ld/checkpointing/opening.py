"""Stores as they may be given: as such, as a folder, as a URL."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from checkpoint_ld.stores.files import FileStore

if TYPE_CHECKING:
    from checkpoint_ld.stores.protocol import CheckpointStore


def file_store(given: CheckpointStore | str | os.PathLike[str] | None) -> CheckpointStore | None:
    """Return the store that is given, or that of the folder at a path."""
    return FileStore(given) if isinstance(given, (str, os.PathLike)) else given


def database_store(given: CheckpointStore | str | None, *, follows_files: bool) -> CheckpointStore | None:
    """Return the store that is given, or that of the database at a URL; one that follows files need not be flushed."""
    if not isinstance(given, str):
        return given
    from checkpoint_ld.stores.database import DatabaseStore  # noqa: PLC0415 - SQLAlchemy, which files do without

    return DatabaseStore(given, follows_files=follows_files)

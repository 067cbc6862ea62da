"""A process that saves checkpoints, for the tests of many of them at once.

It is called with what to do and its arguments, and says on its standard output how far it is.
"""

from __future__ import annotations

import sys
from pathlib import Path

from checkpoint_ld.errors import CheckpointExists
from checkpoint_ld.stores import sqlite
from checkpoint_ld.stores.database import DatabaseStore
from checkpoint_ld.stores.files import FileStore
from checkpoint_ld.stores.protocol import Filter
from tests.stores.documents import checkpoint


def save(folder: str, process: str, number: str) -> None:
    """Save so many checkpoints into both stores."""
    files, database = FileStore(Path(folder) / "files"), DatabaseStore(Path(folder) / "index.db", follows_files=True)
    for at in range(int(number)):
        one = checkpoint(f"{process}-{at:03}", at, execution_id=f"exec_{process}")
        path = files.put(one).path
        database.put(one, file_name=None if path is None else path.name)
        if at % 20 == 0:
            assert files.get(one.id) == database.get(one.id)
            list(database.headers(Filter(execution_id=one.execution_id)))


def race(folder: str, process: str, number: str) -> None:
    """Save checkpoints whose ids others save as well, with other content; say which were ours."""
    for store in (FileStore(Path(folder) / "files"), DatabaseStore(Path(folder) / "index.db")):
        for at in range(int(number)):
            try:
                store.put(checkpoint(f"ckpt-{at:03}", at, name=process))
                print(type(store).__name__, at, flush=True)  # noqa: T201 - what the test reads
            except CheckpointExists:
                continue


def amend(folder: str, process: str, number: str) -> None:
    """Add members to the metadata of one checkpoint."""
    for store in (FileStore(Path(folder) / "files"), DatabaseStore(Path(folder) / "index.db")):
        for at in range(int(number)):
            store.update_metadata("ckpt_1", metadata={f"{process}-{at}": at})


if __name__ == "__main__":
    # On a busy machine, the others take longer than a user would wait.
    setattr(sqlite, "_PATIENCE_MS", 120_000)  # noqa: B010 - it is private
    globals()[sys.argv[1]](*sys.argv[2:])

"""A process that saves checkpoints, for the tests of many of them at once and of kills.

It is called with what to do and its arguments, and says on its standard output how far it is.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from checkpoint_ld.errors import CheckpointExists
from checkpoint_ld.stores.database import DatabaseStore
from checkpoint_ld.stores.files import FileStore
from checkpoint_ld.stores.protocol import Filter
from tests.agent import documents
from tests.forking import forked
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


def long(identifier: str) -> Any:
    """Return a checkpoint that takes several writes."""
    thoughts = [documents.thought(f"t{at}", content="x" * 1000) for at in range(200)]
    return checkpoint(identifier, thoughts=thoughts)


def die_in_file(folder: str, step: str, when: str, identifier: str) -> None:
    """Save a checkpoint as a file and die before or after a step of that."""
    store = FileStore(Path(folder) / "files")
    list(store.headers())
    for name in ("open", "write", "fsync", "close", "link", "unlink"):
        setattr(os, name, dying(getattr(os, name), name, step, when))
    if step == "flush":  # of the folder, which comes after that of the file
        fsync = os.fsync

        def first(fd: Any) -> None:
            fsync(fd)
            os.fsync = dying(fsync, step, step, when)

        os.fsync = first
    store.put(long(identifier))


def die_in_database(folder: str, step: str, identifier: str) -> None:
    """Insert a checkpoint and die before a statement, given by its number or its text, or after all of them."""
    store = DatabaseStore(Path(folder) / "index.db")
    with store._database.writing() as connection:  # noqa: SLF001 - the statements of a save are seen nowhere else
        driver: Any = connection.connection.driver_connection
    statements: Iterator[int] = iter(range(10_000))

    def traced(statement: str) -> None:
        if step in (str(next(statements)), statement):
            os.kill(os.getpid(), signal.SIGKILL)

    assert isinstance(driver, sqlite3.Connection)
    driver.set_trace_callback(traced)
    store.put(long(identifier))
    if step == "none":
        os.kill(os.getpid(), signal.SIGKILL)


def die_in_turn(deaths: str) -> None:
    """Do each of `deaths`, calls of this program as JSON, in a process of its own; say how each ended."""
    print(json.dumps([forked(partial(globals()[name], *given)) for name, *given in json.loads(deaths)]))  # noqa: T201 - what the test reads


def dying(call: Callable[..., Any], name: str, step: str, when: str) -> Callable[..., Any]:
    """Return a call of the operating system that is the last one of this process, if it is the one that is meant."""

    def dies(*given: Any, **named: Any) -> Any:
        if name == step and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        if name == step == "write":  # half of what was to be written
            call(given[0], bytes(given[1])[:1000])
        result = call(*given, **named) if name != step or step != "write" else None
        if name == step:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    return dies


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])

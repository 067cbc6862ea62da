"""A collection as it was between two changes, for those who read it all day: nobody who writes has to wait for them.

RocksDB's files never change once they are written, so that a copy is a folder of hard links, made in no time (RocksDB,
Checkpoints). Where there can be no links, files are copied.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import threading
import time
from pathlib import Path
from typing import Final, Self

import pyoxigraph

from checkpoint_ld.errors import StoreBusyError, StoreError
from checkpoint_ld.stores.folder import Lock
from checkpoint_ld.stores.manifest import STORE, Directory, collection_errors

PREFIX: Final = ".served-"
"""How the folders of snapshots start, inside of that of the collection."""
_PAUSE_S: Final = 1.0
"""Seconds between two looks at whether the collection has changed."""
_LOCK: Final = "lock"


class Snapshots:
    """The newest snapshot of the collection in a folder; it is a context manager, and leaves nothing.

    What others change is in the next snapshot, which is made about a second after they are done. Raises StoreBusyError
    if somebody is writing when it begins, StoreError for what is no collection.
    """

    def __init__(self, collection: Path) -> None:
        self._collection = collection.resolve()
        self._guard = threading.Lock()
        self._taken: list[Path] = []
        self._files: frozenset[str] = frozenset()
        self._looked_at = 0.0
        Directory.open(self._collection, read_only=True, wait=0).close()
        self._sweep()
        try:
            self._folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=self._collection))
        except OSError:  # a folder that only others may write to
            self._folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        self._lock = Lock(self._folder / _LOCK)
        try:
            self._take()
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()
        shutil.rmtree(self._folder, ignore_errors=True)

    def current(self) -> str:
        """Return the folder of the store to read from; it stays at least until the next but one is made."""
        with self._guard:
            if time.monotonic() - self._looked_at >= _PAUSE_S:
                # While somebody writes, or when all was taken away, what was there before is what there is.
                with contextlib.suppress(StoreError, OSError):
                    if self._listed() != self._files:
                        self._take()
                self._looked_at = time.monotonic()
            return str(self._taken[-1])

    def _take(self) -> None:
        directory = Directory.open(self._collection, read_only=True, wait=0)
        try:
            target = self._folder / str(time.monotonic_ns())
            files = self._listed()
            with collection_errors(self._collection):
                if files:
                    directory.store.backup(str(target))
                else:  # nothing was added to it yet
                    pyoxigraph.Store(str(target)).flush()
        finally:
            directory.close()
        self._files = files
        self._taken.append(target)
        if len(self._taken) > 2:
            shutil.rmtree(self._taken.pop(0), ignore_errors=True)

    def _listed(self) -> frozenset[str]:
        """Return the names of the store's files: who opens it to write adds some."""
        store = self._collection / STORE
        return (
            frozenset(one.name for one in store.iterdir() if not one.name.startswith("LOG"))
            if store.is_dir()
            else frozenset()
        )

    def _sweep(self) -> None:
        """Take away what a process left that was killed."""
        for left in self._collection.glob(f"{PREFIX}*"):
            with contextlib.suppress(StoreBusyError, OSError):
                Lock(left / _LOCK).release()
                shutil.rmtree(left, ignore_errors=True)

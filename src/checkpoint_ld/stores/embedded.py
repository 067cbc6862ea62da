"""The backend on disk: the graphs of a collection, shared by the threads of a process, and by processes in turn.

Opening a collection for writing is slow and excludes all other processes. So it stays open while it is in use, for all
graph stores of the process together. It is released after `IDLE_S` without a use, or as soon as another process waits.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary, WeakValueDictionary

from pyoxigraph import Store

from checkpoint_ld.errors import IntegrityError, SettingsError, StoreBusyError, StoreError
from checkpoint_ld.stores.directory import MARK, Directory, collection_errors
from checkpoint_ld.stores.folder import Lock
from checkpoint_ld.stores.holdings import Holdings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from checkpoint_ld.stores.collection import Collection

PATIENCE_S: Final = 10.0
"""Seconds to wait for other processes."""
_QUANTUM_S: Final = 0.1
"""The least number of seconds that a collection stays open, even if others wait."""
IDLE_S: Final = 0.5
"""The seconds after which an unused collection is released."""
_TURN_S: Final = 0.15
"""The seconds before the next use after others waited: longer than their pause between two tries."""
_WAITING = "waiting"
"""The file on which waiting processes hold a lock, which the process with the collection checks."""

_log = logging.getLogger(__name__)


class SharedGraphs:
    """The graphs of agents in the collection in a folder, each with its entry in the manifest.

    The collection is opened when it is used, and made when it is first written. Raises StoreBusyError if other
    processes use it for longer than `PATIENCE_S`, and StoreError if it cannot be opened.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.where = str(folder)
        self._guard = threading.RLock()
        self._holdings: Holdings | None = None
        self._opened_at = self._last_used = 0.0
        self._uses = 0
        self._gives_way = False
        self._is_watched = False

    @contextmanager
    def working(self, *, writing: bool = False) -> Iterator[Holdings]:
        """Yield the holdings for exclusive use, empty ones if there is no collection and nothing is to be written."""
        if _opener.get("pid", os.getpid()) != os.getpid():  # RocksDB would wait forever
            raise StoreError(
                "this process was forked from one that had used a collection, which cannot be used on both sides; "
                "start it by spawn (multiprocessing.set_start_method), or fork before the first use"
            )
        with self._guard:
            holdings = self._opened(writing=writing)
            self._uses += 1
            try:
                with collection_errors(self.folder):
                    yield holdings or Holdings(Directory(self.folder, Store(), None, read_only=True))
            finally:
                self._uses -= 1
                self._last_used = time.monotonic()
                if not self._uses and self._last_used > self._opened_at + _QUANTUM_S and self._is_awaited():
                    self._gives_way = True
                    self.close()

    def close(self) -> None:
        """Release the folder; the next use opens it again."""
        with self._guard:
            if self._holdings is not None and not self._uses:
                directory, self._holdings = self._holdings.directory, None
                directory.close()

    def renew(self) -> None:
        """Rename a damaged collection, so that the next use makes a new one."""
        with self._guard:
            self.close()
            try:
                self._opened(writing=True)
            except IntegrityError:
                self.folder.rename(self.folder.with_name(f"{self.folder.name}.corrupt-{time.time_ns() // 1_000_000}"))

    def abandon(self) -> None:
        """Close the handle of the lock in a forked process; the parent process keeps the lock and the store."""
        if self._holdings is not None and self._holdings.directory.lock is not None:
            self._holdings.directory.lock.release()

    def _opened(self, *, writing: bool) -> Holdings | None:
        held = self._holdings
        if held is not None and (not writing or not held.directory.read_only):
            return held
        # Opening refuses a file or folder that is no collection.
        is_there = (self.folder / MARK).is_file() or (
            self.folder.exists() and (not self.folder.is_dir() or any(self.folder.iterdir()))
        )
        if not writing and not is_there:
            return None
        self.close()
        if self._gives_way:
            self._gives_way = False
            time.sleep(_TURN_S)
        _opener.setdefault("pid", os.getpid())
        try:
            directory = Directory.open(self.folder, read_only=not writing, wait=0)
        except StoreBusyError:
            with Lock(self.folder / _WAITING, shared=True, wait=PATIENCE_S):
                directory = Directory.open(self.folder, read_only=not writing, wait=PATIENCE_S)
        self._holdings = Holdings.opened(directory)
        self._opened_at = self._last_used = time.monotonic()
        if not self._is_watched:
            self._watch(IDLE_S)
        return self._holdings

    def _is_awaited(self) -> bool:
        if self._holdings is None:
            return False
        with suppress(OSError):  # a folder that is read only, or was removed
            try:
                Lock(self.folder / _WAITING).release()
            except StoreBusyError:
                return True
        return False

    def _watch(self, seconds: float) -> None:
        self._is_watched = True
        timer = threading.Timer(seconds, self._close_if_idle)
        timer.daemon = True
        timer.start()

    def _close_if_idle(self) -> None:
        with self._guard:
            left = self._last_used + IDLE_S - time.monotonic()
            if self._holdings is not None and left > 0:
                self._watch(left)
                return
            self._is_watched = False
            try:
                self.close()
            except StoreError as error:
                _log.warning("%s", error)


class LentGraphs(SharedGraphs):
    """A collection that the caller opened and closes. Methods that write raise StoreError if it is read only."""

    def __init__(self, collection: Collection) -> None:
        super().__init__(collection.folder)
        self._lent = collection.holdings
        with _registry_lock:
            self._guard = _guards.setdefault(collection, threading.RLock())

    @contextmanager
    def working(self, *, writing: bool = False) -> Iterator[Holdings]:
        """Yield the holdings for exclusive use."""
        with self._guard, collection_errors(self.folder):
            if writing:
                self._lent.directory.check_writable()
            yield self._lent

    def close(self) -> None:
        """Do nothing, because the caller closes the collection."""

    def renew(self) -> None:
        """Raise SettingsError, because an open collection cannot be renamed."""
        raise SettingsError(f"{self.folder}: give the path of the collection, so that it can be made anew")


_registry: WeakValueDictionary[Path, SharedGraphs] = WeakValueDictionary()
_guards: WeakKeyDictionary[Collection, threading.RLock] = WeakKeyDictionary()
_registry_lock = threading.Lock()
_opener: dict[str, int] = {}
"""The process that opened the first collection."""


def shared(path: Path) -> SharedGraphs:
    """Return the collection in a folder; all callers in a process share it."""
    folder = path.resolve()
    with _registry_lock:
        return _registry.get(folder) or _registry.setdefault(folder, SharedGraphs(folder))


def _abandon_all() -> None:
    for graphs in list(_registry.values()):
        graphs.abandon()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_abandon_all)

"""Sharing a collection on disk: between the threads of a process, and with other processes in turn.

Opening one to write takes as long as many a checkpoint takes to be written, and keeps all others out. So it stays open
while it is in use, for all graph stores of the process together, and is let go when nobody has used it for a moment, or
as soon as another process waits for it.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary, WeakValueDictionary

from checkpoint_ld.collection.directory import MARK, Directory
from checkpoint_ld.collection.holdings import Holdings
from checkpoint_ld.collection.lock import Lock
from checkpoint_ld.errors import IntegrityError, SettingsError, StoreBusyError, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from checkpoint_ld.collection import Collection

PATIENCE_S: Final = 10.0
"""Seconds to wait for other processes, which take turns."""
_QUANTUM_S: Final = 0.1
"""Seconds that are taken at least once it is open, whoever waits."""
IDLE_S: Final = 0.5
"""Seconds after which a collection that nobody uses is let go."""
_TURN_S: Final = 0.15
"""Seconds to stay away after others asked for it: longer than they sleep between two tries."""
_WAITING = "waiting"
"""The file on which those who wait hold a lock, so that those who have the collection know."""

_log = logging.getLogger(__name__)
_known: WeakValueDictionary[Path, SharedCollection] = WeakValueDictionary()
_guards: WeakKeyDictionary[Collection, threading.RLock] = WeakKeyDictionary()
_knowing = threading.Lock()


def shared(path: Path) -> SharedCollection:
    """Return the collection in a folder, the same one for everybody in this process."""
    folder = path.resolve()
    with _knowing:
        return _known.get(folder) or _known.setdefault(folder, SharedCollection(folder))


class SharedCollection:
    """The collection in a folder, opened when it is used, and made where it is written first."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._guard = threading.RLock()
        self._holdings: Holdings | None = None
        self._opened_at = self._last_used = 0.0
        self._uses = 0
        self._gives_way = False
        self._is_watched = False

    @contextmanager
    def using(self, *, writing: bool) -> Iterator[Holdings | None]:
        """Give the holdings, with nobody else at them; None where there is no collection yet and nothing is written.

        Raises StoreBusyError if other processes do not let go within `PATIENCE_S`, and StoreError for what cannot be
        opened.
        """
        _check_process()
        with self._guard:
            holdings = self._opened(writing=writing)
            self._uses += 1
            try:
                yield holdings
            finally:
                self._uses -= 1
                self._last_used = time.monotonic()
                if not self._uses and self._last_used > self._opened_at + _QUANTUM_S and self._is_awaited():
                    self._gives_way = True
                    self.let_go()

    def let_go(self) -> None:
        """Let other processes have the folder; the next use opens it again."""
        with self._guard:
            if self._holdings is not None and not self._uses:
                directory, self._holdings = self._holdings.directory, None
                directory.close()

    def forsake(self) -> None:
        """Have no part in the lock any more, as a forked process: the store is its parent's."""
        if self._holdings is not None:
            self._holdings.directory.lock.release()

    def _opened(self, *, writing: bool) -> Holdings | None:
        held = self._holdings
        if held is not None and (not writing or not held.directory.read_only):
            return held
        if not writing and not self._is_there():
            return None
        self.let_go()
        if self._gives_way:
            self._gives_way = False
            time.sleep(_TURN_S)
        _user.setdefault("pid", os.getpid())
        directory = self._directory(read_only=not writing)
        holdings = Holdings(directory)
        try:
            if writing:
                holdings.clear_unfinished()
        except BaseException:
            directory.close()
            raise
        self._holdings = holdings
        self._opened_at = self._last_used = time.monotonic()
        if not self._is_watched:
            self._watch(IDLE_S)
        return holdings

    def renew(self) -> None:
        """Move a collection that is damaged aside, so that the next use makes another one."""
        with self._guard:
            self.let_go()
            try:
                self._opened(writing=True)
            except IntegrityError:
                self.folder.rename(self.folder.with_name(f"{self.folder.name}.corrupt-{time.time_ns() // 1_000_000}"))

    def _is_there(self) -> bool:
        if (self.folder / MARK).is_file():
            return True
        # What is neither nothing nor a collection is refused when it is opened.
        return self.folder.exists() and (not self.folder.is_dir() or any(self.folder.iterdir()))

    def _directory(self, *, read_only: bool) -> Directory:
        try:
            return Directory.open(self.folder, read_only=read_only, wait=0)
        except StoreBusyError:
            turn = Lock(self.folder / _WAITING, shared=True, wait=PATIENCE_S)
        try:
            return Directory.open(self.folder, read_only=read_only, wait=PATIENCE_S)
        finally:
            turn.release()

    def _is_awaited(self) -> bool:
        if self._holdings is None:
            return False
        try:
            Lock(self.folder / _WAITING, shared=False).release()
        except StoreBusyError:
            return True
        except OSError:  # a folder that may only be read, or is gone
            pass
        return False

    def _watch(self, seconds: float) -> None:
        self._is_watched = True
        timer = threading.Timer(seconds, self._look)
        timer.daemon = True
        timer.start()

    def _look(self) -> None:
        with self._guard:
            left = self._last_used + IDLE_S - time.monotonic()
            if self._holdings is not None and left > 0:
                self._watch(left)
                return
            self._is_watched = False
            try:
                self.let_go()
            except StoreError as error:
                _log.warning("%s", error)


class LentCollection:
    """A collection that somebody else has open, and closes."""

    def __init__(self, collection: Collection) -> None:
        self.folder = collection.folder
        self._holdings = collection.holdings
        with _knowing:
            self._guard = _guards.setdefault(collection, threading.RLock())

    @contextmanager
    def using(self, *, writing: bool) -> Iterator[Holdings]:
        """Give the holdings, with no other graph store at them. Raises StoreError where they may only be read."""
        with self._guard:
            if writing:
                self._holdings.check_writable()
            yield self._holdings

    def let_go(self) -> None:
        """Leave the collection open, for whoever opened it."""

    def renew(self) -> None:
        """Raise SettingsError: what somebody else has open cannot be moved aside."""
        raise SettingsError(f"{self.folder}: give the path of the collection, so that it can be made anew")


def _check_process() -> None:
    """Raise StoreError in a process that was forked after a store was opened: RocksDB would wait there for ever."""
    if _user.get("pid", os.getpid()) != os.getpid():
        raise StoreError(
            "this process was forked from one that had used a collection, which cannot be used on both sides; "
            "start it by spawn (multiprocessing.set_start_method), or fork before the first use"
        )


def _forsake_all() -> None:
    for one in list(_known.values()):
        one.forsake()


_user: dict[str, int] = {}
"""The process that opened the first collection."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forsake_all)

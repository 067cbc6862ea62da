"""The folder of a collection: its mark, its store under a lock (`Directory`), and `Snapshots` for readers.

RocksDB never changes files after writing them, so a snapshot is a folder of hard links (RocksDB, Checkpoints), or of
copies where links are impossible. Writers do not wait for readers of snapshots.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import re
import shutil
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

import orjson
import pyoxigraph

from checkpoint_ld.documents.files import replace_file
from checkpoint_ld.errors import IntegrityError, StoreBusyError, StoreError, StoreFull
from checkpoint_ld.stores.folder import TEMPORARY, Lock

if TYPE_CHECKING:
    from collections.abc import Iterator

MARK = "collection.json"
STORE = "store"
_LOCK = "lock"
_FIRST = "loading"
"""The file that exists during the first load; without it, what an interruption leaves would look like a collection."""
_FORMAT = 2
_REMEDY = "wait until it is done, or work on an export or a copy of the folder"
_OUR_REFERENCES = 2
"""The references of a Directory to its store, and of the call that counts them."""
_LEFT_S = 2.0
"""The seconds to wait for remaining uses of a store that this process had open: other threads, reference cycles."""
_STORE_FILE = re.compile(r"\b(?:\d+\.(?:sst|log)|(?:MANIFEST|OPTIONS)-\d+|CURRENT|IDENTITY)\b")
_FULL = tuple(os.strerror(number) for number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG))
"""Texts in the store's errors about a full disk; these errors have no numbers."""


@dataclass
class Directory:
    """An open folder: its real path, the store in it, None when it is closed, and the lock on it, if it is there."""

    folder: Path
    opened: pyoxigraph.Store | None
    lock: Lock | None
    read_only: bool
    has_failed: bool = False
    """Whether a write failed; then the store must be opened again before the next write."""

    @classmethod
    def open(cls, path: Path, *, read_only: bool, wait: float) -> Directory:
        """Open the collection at `path`; unless `read_only`, make one if there is nothing or an empty folder.

        Waits up to `wait` seconds for other processes, and then raises StoreBusyError. Raises StoreError for a folder
        that is no collection or cannot be opened.
        """
        folder = path.resolve()
        try:
            str(folder).encode()
        except UnicodeEncodeError:
            message = f"{folder}: the path is no UTF-8, as stores need it: rename the folder, or set a UTF-8 locale"
            raise StoreError(message) from None
        with collection_errors(folder):
            if read_only or (folder / MARK).is_file():
                _check(folder)
            else:
                _make(folder)
            lock = Lock(folder / _LOCK, shared=read_only, wait=wait, what="this collection", remedy=_REMEDY)
            try:
                return cls(folder, _store(folder / STORE, read_only=read_only), lock, read_only)
            except BaseException:
                lock.release()
                raise

    @property
    def store(self) -> pyoxigraph.Store:
        """The store. Raises StoreError when the folder is closed."""
        if self.opened is None:
            raise StoreError(f"{self.folder}: the collection is closed; open it again")
        return self.opened

    @contextmanager
    def writing(self) -> Iterator[pyoxigraph.Store]:
        """Yield the store for changes. Raises StoreError if it is read only, StoreFull if no room is left."""
        self.check_writable()
        with collection_errors(self.folder):
            if self.has_failed:
                self._reopen()
            try:
                yield self.store
            except OSError:
                self.has_failed = True
                raise

    @contextmanager
    def first_load(self) -> Iterator[None]:
        """Mark the first load of an empty store, whose remains count as nothing if it does not end."""
        mark = self.folder / _FIRST
        mark.touch()
        try:
            yield
        except BaseException:
            self.has_failed = True  # opening it again removes the remains
            raise
        mark.unlink()

    def check_writable(self) -> None:
        """Raise StoreError if the collection was opened for reading only."""
        if self.read_only:
            raise StoreError(f"{self.folder}: the collection was opened to be read only")

    def close(self) -> None:
        """Write all changes and release the folder, unless it is closed."""
        if self.opened is None:
            return
        try:
            if not (self.read_only or self.has_failed):
                with collection_errors(self.folder):
                    self.opened.flush()
        finally:
            self._release()
            if self.lock is not None:
                self.lock.release()

    def _reopen(self) -> None:
        path = self.folder / STORE
        self._release()
        try:
            self.opened = _store(path, read_only=False)
        except OSError:
            self.opened = _store(path, read_only=True)  # there is no room for opening it to write, but it can be read
            raise
        self.has_failed = False

    def _release(self) -> None:
        # The store closes its files when its last reference is gone. Frames of a parsed query may still refer to it, in
        # reference cycles of the parser's exceptions.
        if sys.getrefcount(self.opened) > _OUR_REFERENCES:
            gc.collect()
        self.opened = None


@contextmanager
def collection_errors(folder: Path) -> Iterator[None]:
    """Turn the errors of the store and of the operating system into StoreError, IntegrityError for damaged files."""
    try:
        yield
    except StoreError:
        raise
    except RuntimeError as error:  # RocksDB's "Corruption"
        raise IntegrityError(
            f"{folder}: the files of the collection are damaged{_file_in(error)}; add your checkpoints to a new one"
        ) from error
    except OSError as error:
        if "LOCK" in str(error):
            raise StoreBusyError(f"{folder}: another program has its store open; wait until it is done") from error
        if str(error).endswith(_FULL):
            raise StoreFull(
                f"{folder}: no room is left for the collection{_file_in(error)}; free some space"
            ) from error
        reason = error.strerror or str(error).rpartition(": ")[2]
        message = f"{folder}: the collection cannot be used: {reason[:1].lower()}{reason[1:]}{_file_in(error)}"
        raise StoreError(f"{message}; if its files are damaged, add your checkpoints to a new one") from error


def _file_in(error: Exception) -> str:
    """Return the file of the store that an error names, in parentheses; empty if it names none."""
    named = _STORE_FILE.search(str(error))
    return "" if named is None else f" ({named[0]})"


def _check(folder: Path) -> None:
    if not (folder / MARK).is_file():
        raise StoreError(f"{folder}: no collection is here; make one with `checkpoint-ld store add`")
    try:
        stated = orjson.loads((folder / MARK).read_bytes())
    except orjson.JSONDecodeError as error:
        raise IntegrityError(
            f"{folder}: the files of the collection are damaged ({MARK}); add your checkpoints to a new one"
        ) from error
    if not isinstance(stated, dict) or stated.get("format") != _FORMAT:
        message = f"{folder}: {MARK} does not say format {_FORMAT}, the only one that this version knows"
        raise StoreError(f"{message}; use the version of checkpoint-ld that wrote it")


def _make(folder: Path) -> None:
    # Temporary files belong to a process that is making the collection, or was killed while making it.
    if folder.exists() and not (folder.is_dir() and all(TEMPORARY.fullmatch(file.name) for file in folder.iterdir())):
        if (folder / MARK).is_file():  # another process has made it meanwhile
            return
        raise StoreError(f"{folder}: is neither a collection nor empty; name a folder of its own for a collection")
    folder.mkdir(parents=True, exist_ok=True)
    replace_file(folder / MARK, orjson.dumps({"format": _FORMAT}, option=orjson.OPT_APPEND_NEWLINE))


def _store(path: Path, *, read_only: bool) -> pyoxigraph.Store:
    interrupted = path.with_name(_FIRST)
    if not read_only:
        if interrupted.exists():
            shutil.rmtree(path, ignore_errors=True)
            interrupted.unlink()
        until = time.monotonic() + _LEFT_S
        while True:
            try:
                return pyoxigraph.Store(path)
            except OSError as error:
                # This process has the lock, so only its own remaining references can hold the store.
                if "current process" not in str(error) or time.monotonic() > until:
                    raise
            gc.collect()
            time.sleep(0.01)
    if (path / "CURRENT").exists() and not interrupted.exists():
        return pyoxigraph.Store.read_only(str(path))
    if any(path.glob("[0-9]*")) and not interrupted.exists():
        raise RuntimeError("CURRENT is missing")
    # A collection whose making or first load was interrupted counts as empty.
    return pyoxigraph.Store()


PREFIX: Final = ".served-"
"""The start of the names of folders with snapshots, in the folder of the collection."""
_PAUSE_S: Final = 1.0
"""Seconds between two checks whether the collection has changed."""
_ROCKSDB_LOCK: Final = "lock"


class Snapshots:
    """The newest snapshot of the collection in a folder; it is a context manager, which removes all snapshots.

    A change by another process is in the next snapshot, which is made about a second after the change. Raises
    StoreBusyError if another process is writing at the start, StoreError for a folder that is no collection.
    """

    def __init__(self, collection: Path) -> None:
        self._collection = collection.resolve()
        self._guard = threading.Lock()
        self._taken: list[Path] = []
        self._files: frozenset[str] = frozenset()
        self._checked_at = 0.0
        Directory.open(self._collection, read_only=True, wait=0).close()
        for left in self._collection.glob(f"{PREFIX}*"):  # of a process that was killed
            with contextlib.suppress(StoreBusyError, OSError):
                Lock(left / _ROCKSDB_LOCK).release()
                shutil.rmtree(left, ignore_errors=True)
        self._prepare()
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
        """Return the folder of the store to read; it stays at least until the snapshot after the next is made."""
        with self._guard:
            if time.monotonic() - self._checked_at >= _PAUSE_S:
                # While another process writes, or if the collection was removed, the last snapshot stays in use.
                with contextlib.suppress(StoreError, OSError):
                    if self._listed() != self._files:
                        self._take()
                self._checked_at = time.monotonic()
            return str(self._taken[-1])

    def _prepare(self) -> None:
        """Make the folder of the snapshots."""
        try:
            self._folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=self._collection))
        except OSError:  # a folder that only others may write to
            self._folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        self._lock = Lock(self._folder / _ROCKSDB_LOCK)

    def _take(self) -> None:
        directory = Directory.open(self._collection, read_only=True, wait=0)
        try:
            if not self._folder.is_dir():  # the collection was removed, and another one made
                self._lock.release()
                self._prepare()
            target = self._folder / str(time.monotonic_ns())
            files = self._listed()
            with collection_errors(self._collection):
                if files:
                    directory.store.backup(str(target))
                else:  # the collection is new and empty
                    pyoxigraph.Store(str(target)).flush()
        finally:
            directory.close()
        self._files = files
        self._taken.append(target)
        if len(self._taken) > 2:
            shutil.rmtree(self._taken.pop(0), ignore_errors=True)

    def _listed(self) -> frozenset[str]:
        """Return the names of the store's files, to which every opening for writing adds some."""
        if (self._collection / _FIRST).exists():
            return frozenset()
        return frozenset(path.name for path in (self._collection / STORE).glob("*") if not path.name.startswith("LOG"))

"""The folder of a collection: its mark, and its store opened under a lock."""

from __future__ import annotations

import gc
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson
import pyoxigraph

from checkpoint_ld.documents.files import replace_file
from checkpoint_ld.errors import IntegrityError, StoreBusyError, StoreError
from checkpoint_ld.stores.folder import TEMPORARY, Lock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MARK = "collection.json"
STORE = "store"
_LOCK = "lock"
_FORMAT = 2
_REMEDY = "wait until it is done, or work on an export or a copy of the folder"
_OUR_REFERENCES = 2
"""That of a Directory to its store, and that of the question how many there are."""


@dataclass
class Directory:
    """An open folder: its real path, the store in it and the lock on it."""

    folder: Path
    store: pyoxigraph.Store
    lock: Lock
    read_only: bool

    @classmethod
    def open(cls, path: Path, *, read_only: bool, wait: float) -> Directory:
        """Open the collection at `path`; unless `read_only`, make one where there is nothing or an empty folder.

        Waits up to `wait` seconds for other processes. Raises StoreBusyError when they are not done by then, and
        StoreError for what is no collection or cannot be opened.
        """
        folder = path.resolve()
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

    def close(self) -> None:
        """Write what is still in memory, and let others have the folder."""
        try:
            if not self.read_only:
                with collection_errors(self.folder):
                    self.store.flush()
        finally:
            # The store closes its files when nobody refers to it any more. The frames in which a query was parsed may
            # still do so, in circles that the parser's exceptions leave behind.
            if sys.getrefcount(self.store) > _OUR_REFERENCES:
                gc.collect()
            self.store = pyoxigraph.Store()
            self.lock.release()


@contextmanager
def collection_errors(folder: Path) -> Iterator[None]:
    """Turn the errors of the store and of the operating system into StoreError, IntegrityError for damaged files."""
    try:
        yield
    except StoreError:
        raise
    except RuntimeError as error:  # RocksDB's "Corruption"
        raise IntegrityError(
            f"{folder}: the files of the collection are damaged: {error}; add your checkpoints to a new one"
        ) from error
    except OSError as error:
        if "LOCK" in str(error):
            raise StoreBusyError(f"{folder}: another program has its store open; wait until it is done") from error
        message = f"{folder}: the collection cannot be used: {error}; if its files are damaged, add your checkpoints "
        raise StoreError(f"{message}to a new one") from error


def _check(folder: Path) -> None:
    if not (folder / MARK).is_file():
        raise StoreError(f"{folder}: no collection is here; make one with `checkpoint-ld store add`")
    try:
        stated = orjson.loads((folder / MARK).read_bytes())
    except orjson.JSONDecodeError:
        stated = None
    if not isinstance(stated, dict) or stated.get("format") != _FORMAT:
        message = f"{folder}: {MARK} does not say format {_FORMAT}, the only one that this version knows"
        raise StoreError(f"{message}; use the version of checkpoint-ld that wrote it")


def _make(folder: Path) -> None:
    # Temporary files are those of a process that makes the collection now, or was killed while it did.
    if folder.exists() and not (folder.is_dir() and all(TEMPORARY.fullmatch(file.name) for file in folder.iterdir())):
        if (folder / MARK).is_file():  # another process has made it meanwhile
            return
        raise StoreError(f"{folder}: is neither a collection nor empty; name a folder of its own for a collection")
    folder.mkdir(parents=True, exist_ok=True)
    replace_file(folder / MARK, orjson.dumps({"format": _FORMAT}, option=orjson.OPT_APPEND_NEWLINE))


def _store(path: Path, *, read_only: bool) -> pyoxigraph.Store:
    if not read_only:
        return pyoxigraph.Store(path)
    # A collection whose making was interrupted has no store yet, which is as good as an empty one.
    return pyoxigraph.Store.read_only(str(path)) if (path / "CURRENT").exists() else pyoxigraph.Store()

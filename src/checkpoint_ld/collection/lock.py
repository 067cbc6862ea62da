"""The lock of a collection: one process that writes, or any number that read.

Reading beside a writer is undefined in the store, although it may seem to work; so readers are kept out as well. The
lock is the operating system's and goes when its process ends, however it ends.
"""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

from checkpoint_ld.errors import StoreBusyError

if TYPE_CHECKING:
    from pathlib import Path

if sys.platform == "win32":

    def _taken(_handle: int, *, shared: bool) -> bool:  # noqa: ARG001 - there the store's own lock keeps writers out
        """Lock nothing."""
        return True

else:
    import fcntl

    def _taken(handle: int, *, shared: bool) -> bool:
        """Lock an open file unless others hold it; tell whether that was so."""
        try:
            fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


_PAUSE = 0.05
_LONGEST_ID = 20


class Lock:
    """A lock on the file at `path`, which is made if it is missing; held until `release`.

    Waits up to `wait` seconds for it. Raises StoreBusyError when others still hold it then, OSError where the file
    cannot be opened.
    """

    def __init__(self, path: Path, *, shared: bool, wait: float = 0.0) -> None:
        self._path = path
        self._handle = os.open(path, (os.O_RDONLY if shared else os.O_RDWR) | os.O_CREAT, 0o666)
        deadline = time.monotonic() + wait
        try:
            while not _taken(self._handle, shared=shared):
                if time.monotonic() >= deadline:
                    raise StoreBusyError(self._refusal(shared=shared))
                time.sleep(_PAUSE)
            if not shared:
                os.ftruncate(self._handle, 0)
                os.write(self._handle, str(os.getpid()).encode())
        except BaseException:
            os.close(self._handle)
            raise

    def release(self) -> None:
        """Let others have the collection."""
        os.close(self._handle)

    def _refusal(self, *, shared: bool) -> str:
        folder = self._path.parent
        remedy = "wait until it is done, or work on an export or a copy of the folder"
        # A lock that readers share with us is one that they hold, and the name in the file is that of an older writer.
        if not shared and _taken(self._handle, shared=True):
            return f"{folder}: another process is reading this collection; {remedy}"
        writer = os.pread(self._handle, _LONGEST_ID, 0).decode(errors="replace")
        return f"{folder}: another process{f' ({writer})' if writer else ''} is writing this collection; {remedy}"

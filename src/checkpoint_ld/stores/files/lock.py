"""The lock of a folder, for the few things that one process at a time may do: changing, deleting, renaming."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from typing import TYPE_CHECKING

from checkpoint_ld.errors import StoreBusyError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _taken(handle: int) -> bool:
        """Lock an open file unless others hold it; tell whether that was so."""
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _taken(handle: int) -> bool:
        """Lock an open file unless others hold it; tell whether that was so."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


LOCK = ".lock"
_PAUSE = 0.01


@contextlib.contextmanager
def locked(folder: Path, wait: float = 5.0) -> Iterator[None]:
    """Hold the lock of `folder`, for which others wait up to `wait` seconds.

    It is the operating system's and goes when its process ends, however it ends. Raises StoreBusyError when it is not
    to be had in time, OSError where the folder cannot be written to.
    """
    handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
    try:
        deadline = time.monotonic() + wait
        while not _taken(handle):
            if time.monotonic() >= deadline:
                raise StoreBusyError(f"{folder}: another process has been changing it for {wait:g} seconds; try again")
            time.sleep(_PAUSE)
        yield
    finally:
        os.close(handle)

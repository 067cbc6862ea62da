"""Locks between processes: the operating system's, so that they go when their process ends, however it ends."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Self

from checkpoint_ld.errors import StoreBusyError

if TYPE_CHECKING:
    from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _taken(handle: int, *, shared: bool) -> bool:
        if not shared:  # there are no shared locks there
            try:
                msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
            except OSError:
                return False
        return True

else:
    import fcntl

    def _taken(handle: int, *, shared: bool) -> bool:
        try:
            fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


_PAUSE_S = 0.01
_LONGEST_ID = 20
_OPENING = os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)


class Lock:
    """A lock on the file at `path`, which is made if it is missing: of one process, or `shared` by any number.

    It is held until `release`, and is a context manager. Waits up to `wait` seconds for it. Raises StoreBusyError when
    others still hold it then, with what they work on (`what`) and the `remedy`; OSError where the file cannot be
    opened.
    """

    def __init__(
        self,
        path: Path,
        *,
        shared: bool = False,
        wait: float = 0.0,
        what: str = "this folder",
        remedy: str = "try again when it is done",
    ) -> None:
        self._handle = os.open(path, (os.O_RDONLY if shared else os.O_RDWR) | _OPENING, 0o666)
        deadline = time.monotonic() + wait
        try:
            while not _taken(self._handle, shared=shared):
                if time.monotonic() >= deadline:
                    raise StoreBusyError(f"{path.parent}: another process{self._other(shared)} {what}; {remedy}")
                time.sleep(_PAUSE_S)
            if not shared:
                os.ftruncate(self._handle, 0)
                os.write(self._handle, str(os.getpid()).encode())
        except BaseException:
            os.close(self._handle)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def release(self) -> None:
        """Let others have it."""
        os.close(self._handle)

    def _other(self, shared: bool) -> str:
        # A lock that readers share with us is one that they hold, and the name in the file is that of an older writer.
        if not shared and _taken(self._handle, shared=True):
            return " is reading"
        os.lseek(self._handle, 0, os.SEEK_SET)
        writer = os.read(self._handle, _LONGEST_ID).decode(errors="replace")
        return f"{f' ({writer})' if writer else ''} is writing"

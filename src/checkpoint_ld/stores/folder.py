"""Files in a folder of checkpoints: a safe name for every id, atomic writing, and locks between processes.

The operating system releases a lock when its process ends in any way.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import stat
import sys
import time
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Self
from urllib.parse import quote

from checkpoint_ld.documents.files import flush, write_whole
from checkpoint_ld.errors import CheckpointLdError, StoreBusyError, StoreError, StoreFull

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


if sys.platform == "win32":
    import msvcrt

    def _try_lock(handle: int, *, shared: bool) -> bool:
        if not shared:  # Windows has no shared locks
            try:
                msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
            except OSError:
                return False
        return True

else:
    import fcntl

    def _try_lock(handle: int, *, shared: bool) -> bool:
        try:
            fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


_PAUSE_S = 0.01
_LONGEST_ID = 20
_OPENING = os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)


class Lock:
    """A lock on the file at `path`, which is made if it is missing, exclusive or `shared`.

    It is held until `release`, and is a context manager. It waits up to `wait` seconds for other processes, and then
    raises StoreBusyError, with their object (`what`) and the `remedy`. Raises OSError if the file cannot be opened.
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
            while not _try_lock(self._handle, shared=shared):
                if time.monotonic() >= deadline:
                    raise StoreBusyError(f"{path.parent}: another process{self._holder(shared)} {what}; {remedy}")
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
        """Release the lock."""
        os.close(self._handle)

    def _holder(self, shared: bool) -> str:
        # If a shared lock is possible, the holders are readers, and the process in the file is an earlier writer.
        if not shared and _try_lock(self._handle, shared=True):
            return " is reading"
        os.lseek(self._handle, 0, os.SEEK_SET)
        writer = os.read(self._handle, _LONGEST_ID).decode(errors="replace")
        return f"{f' ({writer})' if writer else ''} is writing"


SUFFIX: Final = ".json"
PACKED: Final = ".json.gz"
"""The end of the name of a compressed file; such files are read, not written."""
TEMPORARY: Final = re.compile(r"\.[0-9a-f]{16}\.tmp")
"""The names of temporary files."""

_LONGEST = 120
_KEPT = 64
_DIGITS = 12
_DEVICES = frozenset({"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))})
"""Names that Windows reserves for devices, with any extension."""
_LOCK = ".lock"
_PATIENCE_S = 5.0
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EINVAL})
_REMEDIES = {
    errno.ENOENT: "the folder has vanished, or cannot be made: make it, or choose another one",
    errno.ENOTDIR: "give the path of a folder",
    errno.EEXIST: "give the path of a folder",
    errno.EACCES: "ask for permission, or choose another folder",
    errno.EPERM: "ask for permission, or choose another folder",
    errno.EROFS: "choose a folder that may be written to",
}


def file_name(checkpoint_id: str) -> str:
    """Return the name of a checkpoint's file: its id, with special characters percent-encoded.

    The name never leads out of a folder, is hidden, or is too long for a disk.
    """
    plain = _encoded(checkpoint_id)
    if len(plain) > _LONGEST or plain.split(".")[0].lower() in _DEVICES:
        return hashed_name(checkpoint_id)
    return plain + SUFFIX


def hashed_name(checkpoint_id: str) -> str:
    """Return the second name of a checkpoint's file, for an unusable first name or one that differs only in case."""
    digest = hashlib.sha256(checkpoint_id.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{_encoded(checkpoint_id)[:_KEPT]}~{digest[:_DIGITS]}{SUFFIX}"


@lru_cache(maxsize=4096)
def names(checkpoint_id: str) -> tuple[str, ...]:
    """Return all names that the file of a checkpoint may have, the preferred name first."""
    choices = tuple(dict.fromkeys((file_name(checkpoint_id), hashed_name(checkpoint_id))))
    return (*choices, *(name.removesuffix(SUFFIX) + PACKED for name in choices))


def is_checkpoint(name: str) -> bool:
    """Return whether a file of that name may be a checkpoint."""
    return name.endswith((SUFFIX, PACKED)) and not name.startswith(".")


def _encoded(text: str) -> str:
    plain = quote(text, safe="", errors="surrogatepass").replace("~", "%7E")
    if plain.startswith("."):
        plain = "%2E" + plain[1:]
    return plain[:-1] + "%2E" if plain.endswith(".") else plain


def locked(folder: Path, wait: float = _PATIENCE_S) -> Lock:
    """Lock `folder` for exclusive operations: changing, deleting, renaming."""
    return Lock(folder / _LOCK, wait=wait)


@contextlib.contextmanager
def folder_errors(folder: Path) -> Iterator[None]:
    """Turn errors of the operating system into StoreFull or StoreError, with a remedy."""
    try:
        yield
    except CheckpointLdError:  # some are subclasses of OSError as well
        raise
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        if error.errno in _FULL:
            raise StoreFull(f"{folder}: no room is left ({reason}), nothing was changed; free some space") from error
        remedy = _REMEDIES.get(error.errno or 0, "look at the disk")
        raise StoreError(f"{folder}: cannot be used: {reason}; {remedy}") from error


def place(target: Path, data: bytes, *, replace: bool = False) -> None:
    """Write `data` to a file at `target`, durably and atomically.

    Without `replace` the file must be new. With it, an existing file is replaced; a symbolic link is replaced itself,
    not its target. If it fails, the old file stays and no temporary file remains. Raises FileExistsError if the name is
    taken, and OSError.
    """
    old = None
    if replace:
        with contextlib.suppress(FileNotFoundError):
            old = target.lstat()
    is_file = old is not None and stat.S_ISREG(old.st_mode)
    write_whole(target, (data,), old if is_file else None, overwrite=replace, claim=_claim)
    try:
        flush(target.parent)
    except OSError:
        if not replace:
            target.unlink(missing_ok=True)
        raise


def _claim(temporary: Path, target: Path) -> None:
    """Rename the file to a free name, by a hard link, which fails if the name is taken."""
    try:
        target.hardlink_to(temporary)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
    else:
        return
    with locked(target.parent):  # all writers in this folder take the same lock
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
        temporary.replace(target)

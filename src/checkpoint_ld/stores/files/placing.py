"""Placing: a file that appears in a folder wholly or not at all, and stays there when the power fails."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
from typing import TYPE_CHECKING

from checkpoint_ld.errors import CheckpointLdError, StoreError, StoreFull
from checkpoint_ld.stores.files.lock import locked

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TEMPORARY = re.compile(r"\.[0-9a-f]{16}\.tmp")
"""What temporary files are called."""

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EINVAL})
_NO_FLUSH = frozenset({errno.EACCES, errno.EPERM, errno.EINVAL, errno.EBADF, errno.ENOTSUP, errno.EISDIR})
"""What Windows and network drives answer where a folder is to be flushed."""
_REMEDIES = {
    errno.ENOENT: "the folder has vanished, or cannot be made: make it, or choose another one",
    errno.ENOTDIR: "give the path of a folder",
    errno.EEXIST: "give the path of a folder",
    errno.EACCES: "ask for permission, or choose another folder",
    errno.EPERM: "ask for permission, or choose another folder",
    errno.EROFS: "choose a folder that may be written to",
}


@contextlib.contextmanager
def explained(folder: Path) -> Iterator[None]:
    """Raise what the operating system refuses as StoreFull or StoreError, with what to do about it."""
    try:
        yield
    except CheckpointLdError:  # some are errors of the operating system as well, and explained already
        raise
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        if error.errno in _FULL:
            raise StoreFull(f"{folder}: no room is left ({reason}), nothing was changed; free some space") from error
        remedy = _REMEDIES.get(error.errno or 0, "look at the disk")
        raise StoreError(f"{folder}: cannot be used: {reason}; {remedy}") from error


def place(target: Path, data: bytes, *, replace: bool = False) -> None:
    """Make `data` the content of a file at `target`, durably.

    Without `replace` the file is a new one. With it, what is there is replaced, a symbolic link itself and not what it
    leads to. Whatever fails, what was there stays and nothing else does. Raises FileExistsError if something of that
    name is there, and OSError.
    """
    temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(temporary, flags, 0o666)
    try:
        try:
            _fill(handle, data, _mode(target) if replace else None)
        finally:
            os.close(handle)
        if replace:
            temporary.replace(target)
        else:
            _claim(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
    try:
        flush(target.parent)
    except OSError:
        if not replace:
            target.unlink(missing_ok=True)
        raise


def flush(folder: Path) -> None:
    """Make durable which files are in a folder, where that can be asked for."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError as error:
        if error.errno in _NO_FLUSH:
            return
        raise
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in _NO_FLUSH:
            raise
    finally:
        os.close(handle)


def _fill(handle: int, data: bytes, mode: int | None) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]
    if mode is not None and hasattr(os, "fchmod"):
        os.fchmod(handle, mode)
    os.fsync(handle)


def _mode(target: Path) -> int | None:
    with contextlib.suppress(FileNotFoundError):
        state = target.lstat()
        return stat.S_IMODE(state.st_mode) if stat.S_ISREG(state.st_mode) else None
    return None


def _claim(temporary: Path, target: Path) -> None:
    """Give the file its name, which must be free: by a hard link, which fails if it is not."""
    try:
        target.hardlink_to(temporary)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
    else:
        return
    with locked(target.parent):  # everybody who writes here is in the same position, and waits here
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
        temporary.replace(target)

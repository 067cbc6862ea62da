"""The limits under which stored code runs; they are imposed by the process upon itself, and cannot be lifted again.

Two fences stand one behind the other. The system holds memory, time of the processor, size of files and, unless the
user is root, the number of processes; Windows has none of these, and macOS does not hold memory. Python's audit hooks
(PEP 578) refuse other processes, signals, connections and changes of files by name, so that an accident is told as
what it is. PEP 578 says itself that hooks are no sandbox: code that means harm finds a way around them.
"""

from __future__ import annotations

import math
import os
import signal
import sys
from typing import Any, Final

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

PROCESSES: Final = (
    "os.exec",
    "os.fork",
    "os.forkpty",
    "os.kill",
    "os.killpg",
    "os.posix_spawn",
    "os.spawn",
    "os.startfile",
    "os.system",
    "pty.spawn",
    "subprocess.Popen",
)
FILES: Final = (
    "os.chflags",
    "os.chmod",
    "os.chown",
    "os.link",
    "os.mkdir",
    "os.remove",
    "os.removexattr",
    "os.rename",
    "os.rmdir",
    "os.setxattr",
    "os.symlink",
    "os.truncate",
    "os.utime",
    "sqlite3.connect",
)
"""The audit events of what stored code has no business with (docs.python.org, "Audit events table")."""

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_ORPHANED_AFTER = 10
"""Seconds beyond the limit after which the process ends by itself, should nobody be left to end it."""


def impose(seconds: float, megabytes: int) -> None:
    """Hold this process to so much time and memory from now on, and to what `refuse` lets pass."""
    if hasattr(signal, "alarm"):
        signal.alarm(math.ceil(seconds) + _ORPHANED_AFTER)
    if resource is not None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        # The clock comes first unless several threads are at work.
        busy = math.ceil(used.ru_utime + used.ru_stime + seconds) + 1
        for name, most in (
            ("RLIMIT_CPU", busy),
            ("RLIMIT_AS", megabytes * 1_000_000),
            ("RLIMIT_FSIZE", 0),
            ("RLIMIT_CORE", 0),
            ("RLIMIT_NPROC", 0),
        ):
            _limit(name, most)
    sys.addaudithook(refuse)


def _limit(name: str, most: int) -> None:
    kind = getattr(resource, name, None)
    if kind is None:
        return
    try:
        resource.setrlimit(kind, (most, most))
    except (ValueError, OSError):
        # The limit is lower already, or one that this system does not hold; the clock is still there.
        return


def refuse(event: str, arguments: tuple[Any, ...]) -> None:
    """Raise PermissionError for an audit event that stored code has no business with."""
    if event in PROCESSES or (event.startswith("socket.") and event != "socket.__new__"):
        raise PermissionError(f"stored code may have no other processes and no connections ({event})")
    if event in FILES or (event == "open" and arguments[2] & _WRITING and arguments[0] != os.devnull):
        raise PermissionError(f"stored code may not change files ({event} {arguments[0]!r})")
    if event == "ctypes.dlsym" or (event == "ctypes.dlopen" and arguments[0] is not None):
        raise PermissionError(f"stored code may not call libraries by itself ({event})")

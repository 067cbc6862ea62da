"""Stored code inside of its worker: its limits, and its answer or what went wrong.

The process imposes the limits upon itself, and cannot lift them again. Two fences stand one behind the other. The
system holds memory, time of the processor, size of files and, unless the user is root, the number of processes; Windows
has none of these, and macOS does not hold memory. Python's audit hooks (PEP 578) refuse other processes, signals,
connections and changes of files by name, so that the message about an accident says what it is. PEP 578 says itself
that hooks are no sandbox: code that means harm finds a way around them.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import sys
import traceback
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Callable

STORED = "<stored code>"
"""The file name under which stored code is compiled; faults then name its lines."""

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
_LONGEST_MESSAGE = 500
_BALLAST = 8_000_000
"""Bytes set aside, so that there is memory left to say that there is none."""


class RefusedError(Exception):
    """Stored code cannot be run, or what it did is no result; the text is a sentence that lacks its subject."""


def start(setup: dict[str, Any], _: object) -> Callable[[Any], bytes]:
    """Return what runs stored code by the function `answer` of the module `setup["module"]`, within the limits."""
    answer: Callable[[Any], Any] = import_module(setup["module"]).answer

    def run(request: Any) -> bytes:
        impose(setup["seconds"], setup["megabytes"])
        return reply_to(answer, request)

    return run


def reply_to(answer: Callable[[Any], Any], request: Any) -> bytes:
    """Return the line of JSON for what `answer` does, whatever that is: `{"answer": …}` or `{"fault": "raised …"}`."""
    ballast = bytearray(_BALLAST)
    try:
        return _line({"answer": answer(request)})
    except MemoryError:
        del ballast
        return b'{"fault": "memory"}\n'
    except RefusedError as error:
        return _line({"fault": str(error)})
    except BaseException as error:  # noqa: BLE001 - stored code may raise anything, SystemExit too
        return _line({"fault": _described(error)})


def _line(reply: dict[str, Any]) -> bytes:
    return json.dumps(reply).encode("ascii") + b"\n"


def _described(error: BaseException) -> str:
    """Return what the code raised and where, as far as it is the code's own lines."""
    text = str(error)
    reason = f": {text[:_LONGEST_MESSAGE]}" if text else ""
    line = error.lineno if isinstance(error, SyntaxError) else None
    for frame, number in traceback.walk_tb(error.__traceback__):
        if frame.f_code.co_filename == STORED:
            line = number
    return f"raised {type(error).__name__}{reason}" + ("" if line is None else f" (line {line})")


def impose(seconds: float, megabytes: int) -> None:
    """Hold this process to so much time and memory from now on, and to what `refuse` lets pass."""
    if resource is not None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        # The clock comes first unless several threads are at work.
        busy = math.ceil(used.ru_utime + used.ru_stime + seconds) + 1
        most = {"CPU": busy, "AS": megabytes * 1_000_000, "FSIZE": 0, "CORE": 0, "NPROC": 0}
        for name, limit in most.items():
            # The limit may be lower already, or one that this system does not hold; the clock is still there.
            with contextlib.suppress(AttributeError, ValueError, OSError):
                resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (limit, limit))
    sys.addaudithook(refuse)


def refuse(event: str, arguments: tuple[Any, ...]) -> None:
    """Raise PermissionError for an audit event that stored code has no business with."""
    if event in PROCESSES or (event.startswith("socket.") and event != "socket.__new__"):
        raise PermissionError(f"stored code may have no other processes and no connections ({event})")
    if event in FILES or (event == "open" and arguments[2] & _WRITING and arguments[0] != os.devnull):
        raise PermissionError(f"stored code may not change files ({event} {arguments[0]!r})")
    if event == "ctypes.dlsym" or (event == "ctypes.dlopen" and arguments[0] is not None):
        raise PermissionError(f"stored code may not call libraries by itself ({event})")

"""Trusted stored code of a document, run in a worker under limits, with a warning.

The process sets the limits itself, and cannot raise them again. There are two kinds. The system limits memory,
processor time, size of files and, unless the user is root, the number of processes; Windows has none of these, and
macOS does not limit memory. Python's audit hooks (PEP 578) refuse other processes, signals, connections and changes of
files, with a message that names the operation. Hooks are no sandbox, as PEP 578 states: malicious code can circumvent
them.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import sys
import traceback
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from checkpoint_ld.documents.files import working_folder
from checkpoint_ld.errors import EvaluationError, SettingsError, StoredCodeWarning, WriteError, warn
from checkpoint_ld.workers.process import START_LIMIT, TimeLimitError, Worker, WorkerError

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pydantic import JsonValue

LONGEST_REPLY = 1_000_000
"""The most bytes in a reply; results are short."""

PASSED_ON: Final = ("SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""The environment variables that Python may need to start; the code gets no others of this process."""

_LONGEST = 3600.0
"""The greatest limit in seconds."""

_LEAST_MEMORY = 128
"""The least limit in megabytes; Python with this package needs half of it."""

_MOST_MEMORY = 1_048_576
"""The greatest limit in megabytes."""


@dataclass(frozen=True, slots=True)
class Trust:
    """I have read the code that I am about to run, and I trust it.

    `seconds` is the time limit of each run, `megabytes` its memory limit, including Python. Both limits are against
    accidents; never run malicious code. Raises `SettingsError` (a ValueError) for invalid limits.
    """

    seconds: float = 10.0
    megabytes: int = 512

    def __post_init__(self) -> None:
        seconds, megabytes = self.seconds, self.megabytes
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds <= _LONGEST:
            raise SettingsError(
                f"code cannot be trusted for {seconds!r} seconds: give more than 0, {_LONGEST:g} at most"
            )
        if type(megabytes) is not int or not _LEAST_MEMORY <= megabytes <= _MOST_MEMORY:
            raise SettingsError(
                f"code cannot be trusted with {megabytes!r} megabytes: "
                f"give a whole number from {_LEAST_MEMORY} to {_MOST_MEMORY}"
            )


def run(module: str, request: Mapping[str, JsonValue], trust: Trust, *, what: str) -> Any:
    """Run the function `answer` of a module on a request in a separate process; return its answer.

    `module` is the full name of an importable module, `request` and the answer are JSON. `what` names the stored code
    in messages, such as `the template 'Answer'`. The process is isolated (`python -I`): its folder is empty, its
    environment almost empty, and its output is lost. The limits are those of `trust`; the top of this module describes
    them.

    Warns with `StoredCodeWarning`. Raises `EvaluationError` with the reason if there is no answer.
    """
    warn(StoredCodeWarning(f"{what} is code that is stored in a document, and is run because it was trusted"))
    setup = {"module": module, "seconds": trust.seconds, "megabytes": trust.megabytes}
    inherited = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    try:
        with working_folder() as folder:
            worker = Worker(
                _start,
                setup,
                start_limit=START_LIMIT,
                longest_reply=LONGEST_REPLY,
                folder=str(folder),
                # Numeric libraries would start a thread for each core, which the limits forbid.
                environment={**inherited, "OMP_NUM_THREADS": "1"},
            )
            with contextlib.closing(worker):
                reply = worker.call(dict(request), trust.seconds)
    except (OSError, WriteError) as error:
        raise EvaluationError(f"{what} cannot be run: no process can be started ({error})") from error
    except TimeLimitError as error:
        limit = f"{trust.seconds:g} s"
        raise EvaluationError(f"{what} took longer than {limit}: correct it, or trust it for more seconds") from error
    except WorkerError as error:
        raise EvaluationError(f"{what} {error}") from error
    if reply == {"fault": "memory"}:
        raise EvaluationError(
            f"{what} needed more than {trust.megabytes} MB: correct it, or trust it with more megabytes"
        )
    if not isinstance(reply, dict) or not reply.keys() & {"answer", "fault"}:
        raise EvaluationError(f"{what} gave an invalid reply")
    if "fault" in reply:
        raise EvaluationError(f"{what} {reply['fault']}")
    return reply["answer"]


STORED = "<stored code>"
"""The file name with which stored code is compiled, so that messages can name its lines."""

PROCESSES: Final = (
    *("os.exec", "os.fork", "os.forkpty", "os.kill", "os.killpg", "os.posix_spawn", "os.spawn", "os.startfile"),
    *("os.system", "pty.spawn", "subprocess.Popen"),
)
FILES: Final = (
    *("os.chflags", "os.chmod", "os.chown", "os.link", "os.mkdir", "os.remove", "os.removexattr", "os.rename"),
    *("os.rmdir", "os.setxattr", "os.symlink", "os.truncate", "os.utime", "sqlite3.connect"),
)
"""The audit events of operations that stored code may not do (docs.python.org, "Audit events table")."""

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_LONGEST_MESSAGE = 500
_BALLAST = 8_000_000
"""Reserved bytes, so that there is memory for the message about the lack of memory."""


class RefusedError(Exception):
    """Stored code cannot be run, or gives no valid result; the text is a predicate without its subject."""


def _start(setup: dict[str, Any], _: object) -> Callable[[Any], bytes]:
    """Return the function that runs stored code by `answer` of the module `setup["module"]`, within the limits.

    Its line of JSON is `{"answer": …}` or `{"fault": "raised …"}`.
    """
    answer: Callable[[Any], Any] = import_module(setup["module"]).answer

    def run(request: Any) -> bytes:
        _impose(setup["seconds"], setup["megabytes"])
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

    return run


def _line(reply: dict[str, Any]) -> bytes:
    return json.dumps(reply).encode("ascii") + b"\n"


def _described(error: BaseException) -> str:
    """Return the description of an error of the code, with its line in the code."""
    text = ""
    with contextlib.suppress(Exception):  # the code may have defined the exception
        text = str(error)
    reason = f": {text[:_LONGEST_MESSAGE]}" if text else ""
    line = error.lineno if isinstance(error, SyntaxError) else None
    for frame, number in traceback.walk_tb(error.__traceback__):
        if frame.f_code.co_filename == STORED:
            line = number
    return f"raised {type(error).__name__}{reason}" + ("" if line is None else f" (line {line})")


def _impose(seconds: float, megabytes: int) -> None:
    """Limit the time and the memory of this process from now on, and refuse events by `_refuse`."""
    if resource is not None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        # The wall clock ends the process first, unless several threads are busy.
        busy = math.ceil(used.ru_utime + used.ru_stime + seconds) + 1
        most = {"CPU": busy, "AS": megabytes * 1_000_000, "FSIZE": 0, "CORE": 0, "NPROC": 0}
        for name, limit in most.items():
            # The limit may be lower already, or missing on this system; the time limit still applies.
            with contextlib.suppress(AttributeError, ValueError, OSError):
                resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (limit, limit))
    sys.addaudithook(_refuse)


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    """Raise PermissionError for the audit event of a forbidden operation."""
    if event in PROCESSES or (event.startswith("socket.") and event != "socket.__new__"):
        raise PermissionError(f"stored code may have no other processes and no connections ({event})")
    if event in FILES or (event == "open" and arguments[2] & _WRITING and arguments[0] != os.devnull):
        raise PermissionError(f"stored code may not change files ({event} {arguments[0]!r})")
    if event == "ctypes.dlsym" or (event == "ctypes.dlopen" and arguments[0] is not None):
        raise PermissionError(f"stored code may not call libraries by itself ({event})")

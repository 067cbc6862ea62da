"""One run of stored code: a process is started, asked once, and ended with everything that it may have started."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from typing import TYPE_CHECKING, Any, Final

from checkpoint_ld.errors import EvaluationError, StoredCodeWarning, warn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from checkpoint_ld.confinement.trust import Trust

START_LIMIT = 60.0
"""How long the process may take to start, in seconds; a shared machine is slow at times."""

LONGEST_REPLY = 1_000_000
"""How many bytes a reply may have; verdicts are short."""

PASSED_ON: Final = ("SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""The variables of the environment without which Python may not start; the code sees no others of ours."""

_ENVIRONMENT: Final = {"OMP_NUM_THREADS": "1"}
"""Libraries for numbers start a thread for each core unless told not to, and threads are not to be had."""

_PROGRAM: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from checkpoint_ld.confinement.serving import serve; serve(sys.argv[2])"
)

_GROUPS: Final = hasattr(os, "killpg")


def run(worker: str, request: Mapping[str, JsonValue], trust: Trust, *, what: str) -> Any:
    """Have the function `answer` of the module `worker` answer a request in a process of its own; return its answer.

    `worker` is the full name of a module that can be imported, `request` and the answer are JSON; `what` names the
    stored code in messages, such as `the template 'Answer'`. The process is isolated (`python -I`): its folder is an
    empty one, its environment holds next to nothing, and what the code prints is lost. The limits are those of
    `trust`; how they are kept, and what they do not protect from, stands in `checkpoint_ld.confinement.limits`.

    Warns with `StoredCodeWarning`. Raises `EvaluationError`, which says what happened, for whatever is no answer.
    """
    warn(StoredCodeWarning(f"{what} is code that is stored in a document, and is run because it was trusted"))
    message = {"request": dict(request), "seconds": trust.seconds, "megabytes": trust.megabytes}
    try:
        with (
            tempfile.TemporaryDirectory(prefix="checkpoint-ld-", ignore_cleanup_errors=True) as folder,
            contextlib.closing(_Process(worker, folder)) as process,
        ):
            reply = process.ask(message)
    except OSError as error:
        raise EvaluationError(f"{what} cannot be run: no process can be started ({error})") from error
    except _FailureError as error:
        raise EvaluationError(f"{what} {error}") from error
    if "fault" in reply:
        raise EvaluationError(f"{what} {reply['fault']}")
    return reply["answer"]


class _FailureError(Exception):
    """There is no reply; the text says why, as a sentence that lacks its subject."""


class _Process:
    def __init__(self, worker: str, folder: str) -> None:
        # What can be imported here can be imported there, apart from the working folder, which is another one.
        path = [os.path.abspath(entry) for entry in sys.path if entry]  # noqa: PTH100 - not every entry is a folder
        inherited = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        self._popen = subprocess.Popen(  # noqa: S603 - the program is ours, stored code only goes in as data
            [sys.executable, "-I", "-B", "-X", "utf8", "-c", _PROGRAM, json.dumps(path), worker],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=inherited | _ENVIRONMENT,
            start_new_session=True,
        )
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        # A pipe can be waited for with a time limit by every system only in a thread, which ends with the pipe.
        threading.Thread(target=self._read, name="replies of stored code", daemon=True).start()

    def ask(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Return the reply to a message. Raises _FailureError."""
        seconds, megabytes = message["seconds"], message["megabytes"]
        self._receive(START_LIMIT, f"did not start within {START_LIMIT:g} s")
        assert self._popen.stdin is not None  # noqa: S101 - for the type checker: it was asked for
        with contextlib.suppress(OSError), self._popen.stdin as stdin:  # if it died, receiving will tell
            stdin.write(json.dumps(message).encode("ascii"))
        line = self._receive(seconds, f"took longer than {seconds:g} s: correct it, or trust it for more seconds")
        try:
            reply = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise _FailureError("gave a reply that is no JSON") from error
        if reply == {"fault": "memory"}:
            raise _FailureError(f"needed more than {megabytes} MB: correct it, or trust it with more megabytes")
        if not isinstance(reply, dict) or not reply.keys() & {"answer", "fault"}:
            raise _FailureError("gave a reply that is none")
        return reply

    def close(self) -> None:
        """Kill the process with all processes of its session, whether it is running or not."""
        # A process that was not waited for keeps its number, so that no other group can have it.
        if _GROUPS:
            with contextlib.suppress(ProcessLookupError, PermissionError):  # macOS: all that is left is dead
                os.killpg(self._popen.pid, signal.SIGKILL)
        self._popen.kill()
        self._popen.wait()
        with contextlib.suppress(OSError):  # what was not sent yet cannot be sent any more
            if self._popen.stdin is not None:
                self._popen.stdin.close()

    def _read(self) -> None:
        assert self._popen.stdout is not None  # noqa: S101 - for the type checker: it was asked for
        with self._popen.stdout as stdout:
            for _ in range(2):
                self._lines.put(stdout.readline(LONGEST_REPLY + 1))

    def _receive(self, seconds: float, otherwise: str) -> bytes:
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty as error:
            raise _FailureError(otherwise) from error
        if len(line) > LONGEST_REPLY:
            raise _FailureError(f"gave a reply of more than {LONGEST_REPLY} bytes")
        if not line.endswith(b"\n"):
            raise _FailureError(self._fate())
        return line

    def _fate(self) -> str:
        try:
            code = self._popen.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            return "gave no reply"
        if code >= 0:
            return f"ended the process without a result (exit code {code})"
        if -code == getattr(signal, "SIGXCPU", None):
            return "took too much time of the processor: correct it, or trust it for more seconds"
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = str(-code)
        return f"crashed (signal {name})"

"""A process that answers requests in sequence, each within a time limit.

Python's `re` and a SPARQL engine cannot be interrupted, and stored code must not run in this process. A process can be
killed. Requests and replies are lines of JSON over the standard streams; `Worker` is this side, `serve` the other.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import queue
import signal
import subprocess
import sys
import threading
from importlib import import_module
from typing import IO, TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Start: TypeAlias = Callable[[Any, "ChunkedReader"], Callable[[Any], Any]]

START_LIMIT = 60.0
"""The seconds that a process may take to start; enough for a slow shared machine."""

ORPHANED_AFTER = 10
"""Seconds after the limit of a request at which the process ends by itself, if its parent no longer exists."""

_PROGRAM: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from checkpoint_ld.workers.process import serve; "
    "serve(sys.argv[2])"
)
_GROUPS: Final = hasattr(os, "killpg")
_LONGEST_ALARM: Final = 2**31 - 1


class ChunkedWriter:
    """Writes data of any length between lines, as chunks after their lengths; an empty chunk is the end."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def write(self, data: bytes) -> int:
        """Write a chunk."""
        self._stream.write(b"%d\n" % len(data))
        return self._stream.write(data)

    def flush(self) -> None:
        """Send what was written."""
        self._stream.flush()


class ChunkedReader:
    """Reads what a ChunkedWriter wrote."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._left = 0
        self._is_over = False

    def read(self, size: int = -1) -> bytes:
        """Return at least one byte, unless the data is at its end, and at most `size` bytes."""
        if not self._left and not self._is_over:
            self._left = int(self._stream.readline() or b"0")
            self._is_over = not self._left
        data = self._stream.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(data)
        return data


class TimeLimitError(Exception):
    """There is no reply within the time limit. The process cannot be used any more."""


class WorkerError(Exception):
    """There is no reply; the text is the reason, without its subject. The process cannot be used any more."""


class Worker:
    """A process, started at once, that answers requests until it is closed.

    `start` is a function of a module, which the process calls by its name with `setup` (JSON) and the bytes that
    `send_data` writes; it returns the function from a request to its reply, both JSON. A reply has at most
    `longest_reply` bytes. The process has the import path of this one. It leads a new session, so that the terminal's
    Ctrl-C does not reach it and its children are killed with it. Its output is lost.

    Raises OSError if no process can be started.
    """

    def __init__(  # noqa: PLR0913 - all but the first two are named
        self,
        start: Start,
        setup: Any = None,
        *,
        send_data: Callable[[ChunkedWriter], object] | None = None,
        start_limit: float = START_LIMIT,
        longest_reply: int = -1,
        folder: str | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._owner = os.getpid()
        self._start_limit = start_limit
        self._longest_reply = longest_reply
        # The working folder, an empty entry, is left out, because the worker may have another one.
        path = [os.path.abspath(entry) for entry in sys.path if entry]  # noqa: PTH100 - not every entry is a folder
        program = [_PROGRAM, json.dumps(path), f"{start.__module__}:{start.__qualname__}"]
        self._popen = subprocess.Popen(  # noqa: S603 - the program is ours, all else goes in as data
            [sys.executable, "-I", "-B", "-X", "utf8", "-c", *program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=environment,
            start_new_session=True,
        )
        self._ready: queue.SimpleQueue[bytes] | None = self._exchange(setup, send_data)

    def call(self, request: Any, seconds: float) -> Any:
        """Return the reply to a request. The time for starting the process does not count.

        Raises TimeLimitError and WorkerError; then the worker has to be closed.
        """
        if self._ready is not None:
            try:
                self._received(self._ready, self._start_limit)
            except TimeLimitError as error:
                raise WorkerError(f"did not start within {self._start_limit:g} s") from error
            self._ready = None
        alarm = min(math.ceil(seconds) + ORPHANED_AFTER, _LONGEST_ALARM)
        line = self._received(self._exchange({"request": request, "alarm": alarm}), seconds)
        try:
            return json.loads(line)
        except (ValueError, RecursionError) as error:
            raise WorkerError("gave a reply that is no JSON") from error

    def close(self) -> None:
        """Kill the process with all processes of its session, unless a parent of this process started it."""
        if self._owner == os.getpid():
            # A process that was not waited for keeps its id, so that no other group can have it.
            if _GROUPS:
                with contextlib.suppress(ProcessLookupError, PermissionError):  # macOS: only dead processes remain
                    os.killpg(self._popen.pid, signal.SIGKILL)
            self._popen.kill()
            self._popen.wait()
            self._thread.join(1.0)
        if not self._thread.is_alive():  # it waits if a process that left the session holds the pipe open
            for stream in (self._popen.stdin, self._popen.stdout):
                with contextlib.suppress(OSError):  # the rest of a message cannot be sent any more
                    if stream is not None:
                        stream.close()

    def _exchange(
        self, message: Any, send_data: Callable[[ChunkedWriter], object] | None = None
    ) -> queue.SimpleQueue[bytes]:
        """Send a message; return the queue for the reply, an empty line if the process ended."""
        found: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        # Only a thread, which ends with the pipe, can wait for a pipe with a time limit on every system.
        arguments = (json.dumps(message).encode("ascii") + b"\n", send_data, found)
        self._thread = threading.Thread(target=self._talk, args=arguments, name="worker", daemon=True)
        self._thread.start()
        return found

    def _talk(
        self, line: bytes, send_data: Callable[[ChunkedWriter], object] | None, found: queue.SimpleQueue[bytes]
    ) -> None:
        stdin, stdout = self._popen.stdin, self._popen.stdout
        assert stdin is not None  # noqa: S101 - for the type checker: both are pipes
        assert stdout is not None  # noqa: S101 - as above
        with contextlib.suppress(OSError):  # if it died, there is no line to read
            stdin.write(line)
            if send_data is not None:
                data = ChunkedWriter(stdin)
                send_data(data)
                data.write(b"")
            stdin.flush()
        found.put(stdout.readline(-1 if self._longest_reply < 0 else self._longest_reply + 1))

    def _received(self, found: queue.SimpleQueue[bytes], seconds: float) -> bytes:
        try:
            line = found.get(timeout=seconds)
        except queue.Empty as error:
            raise TimeLimitError from error
        if 0 <= self._longest_reply < len(line):
            raise WorkerError(f"gave a reply of more than {self._longest_reply} bytes")
        if not line.endswith(b"\n"):
            raise WorkerError(self._fate())
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
        if name == "SIGKILL":
            return "was killed by the system (signal SIGKILL), perhaps for a lack of memory"
        return f"crashed (signal {name})"


def serve(name: str) -> None:
    """Answer requests by the function that `module:function` returns, until there are no more; end the process.

    Standard input and output are redirected to the null device: code that runs in this process can neither read
    requests nor reply, and its output is lost. Its remaining threads and `atexit` functions do not run.
    """
    requests, replies = os.fdopen(os.dup(0), "rb"), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.close(nothing)
    module, _, function = name.partition(":")
    start: Start = getattr(import_module(module), function)
    answer = start(json.loads(requests.readline()), ChunkedReader(requests))
    _write(replies, b"ready\n")
    for line in requests:
        message = json.loads(line)
        _end_after(message["alarm"])
        reply = answer(message["request"])
        _write(replies, reply if isinstance(reply, bytes) else json.dumps(reply).encode("ascii") + b"\n")
        _end_after(0)
    os._exit(0)


def _write(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]


def _end_after(seconds: int) -> None:
    """Let the system end this process after so many seconds; 0 means never."""
    if hasattr(signal, "alarm"):  # Windows has none
        signal.alarm(seconds)

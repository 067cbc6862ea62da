"""A process that matches patterns, so that one that takes too long can be given up.

Python's `re` cannot be interrupted from within. The process is started when it is first needed, serves one request
after the other, and ends with this one. A process that is itself given up when it takes too long needs no other.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import subprocess
import sys
import threading
from functools import cache
from importlib import resources
from typing import Any

from checkpoint_ld.entities.primitives.matching_worker import answer
from checkpoint_ld.errors import EvaluationError

TIME_LIMIT = 2.0
"""How long a request may take, in seconds."""

_START_LIMIT = 60.0
"""How long the process may take to start, in seconds; a shared machine is slow at times."""

_ORPHANED_AFTER = 10
"""When a process whose owner was killed gives up by itself, in whole seconds after the request."""


class TimeLimitError(Exception):
    """A request took longer than `TIME_LIMIT`."""


class _Process:
    def __init__(self) -> None:
        self.owner = os.getpid()
        self._popen = subprocess.Popen(  # noqa: S603 - the program is ours, patterns only go in as data
            [sys.executable, "-I", "-S", "-c", _program()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="ascii",
        )
        try:
            self._receive(_START_LIMIT)
        except BaseException as error:
            self.end()
            if isinstance(error, TimeLimitError):
                raise OSError("the process that matches patterns does not start") from error
            raise

    def ask(self, request: tuple[str | int, ...]) -> Any:
        """Return the reply to a request. Raises TimeLimitError, OSError, ValueError; then it has to be ended."""
        assert self._popen.stdin is not None  # noqa: S101 - for the type checker: it was asked for
        self._popen.stdin.write(json.dumps([*request, _ORPHANED_AFTER]) + "\n")
        self._popen.stdin.flush()
        return self._receive(TIME_LIMIT)

    def end(self) -> None:
        """Kill the process; that of a program that this one was forked from is let go, as it is no child of this."""
        self._popen.kill()
        self._popen.wait()
        for stream in (self._popen.stdin, self._popen.stdout):
            with contextlib.suppress(OSError):  # what was not sent yet cannot be sent any more
                if stream is not None:
                    stream.close()

    def _receive(self, seconds: float) -> Any:
        assert self._popen.stdout is not None  # noqa: S101 - for the type checker: it was asked for
        expired = threading.Event()

        def expire() -> None:
            expired.set()
            self._popen.kill()

        timer = threading.Timer(seconds, expire)
        timer.daemon = True
        timer.start()
        try:
            line = self._popen.stdout.readline()
        finally:
            timer.cancel()
            timer.join()
        if expired.is_set():
            raise TimeLimitError
        if not line:
            raise OSError("the process that matches patterns ended")
        return json.loads(line)


_lock = threading.Lock()
_here = threading.Event()
_processes: list[_Process] = []


def match_here() -> None:
    """Have all patterns matched in this process from now on, without a limit: somebody else gives it up."""
    _here.set()


def ask(what: str, pattern: str, flags: int, text: str) -> Any:
    """Have a pattern compiled, searched or found (`compile`, `search`, `findall`) in a text; return the matches.

    Raises TimeLimitError after `TIME_LIMIT`, and `EvaluationError` for a pattern that is none or if no process can be
    had.
    """
    request = (what, pattern, int(flags), text)
    reply = answer(*request) if _here.is_set() else _reply(request)
    if "error" in reply:
        raise EvaluationError(str(reply["error"]))
    return reply["found"]


def end() -> None:
    """End the process if there is one; the next request starts another."""
    while _processes:
        _processes.pop().end()


def _reply(request: tuple[str, str, int, str]) -> Any:
    with _lock:
        try:
            return _running().ask(request)
        except TimeLimitError:
            end()
            raise
        except (OSError, ValueError) as error:
            end()
            raise EvaluationError(f"the pattern cannot be matched safely: {error}") from error
        except BaseException:
            end()
            raise


def _running() -> _Process:
    if _processes and _processes[0].owner != os.getpid():
        end()
    if not _processes:
        _processes.append(_Process())
    return _processes[0]


@cache
def _program() -> str:
    return resources.files(__package__).joinpath("matching_worker.py").read_text(encoding="utf-8")


atexit.register(end)

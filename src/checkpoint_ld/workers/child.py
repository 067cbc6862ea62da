"""What runs inside of a worker: it starts, says that it is ready, and answers one line of JSON after the other."""

from __future__ import annotations

import json
import os
import signal
from importlib import import_module
from typing import IO, TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    Start: TypeAlias = Callable[[Any, "ChunkedReader"], Callable[[Any], Any]]


class ChunkedWriter:
    """Writes data of any length between lines, as chunks behind their lengths; an empty chunk is the end."""

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
        """Return at least one byte unless the data is at its end, and `size` bytes at most."""
        if not self._left and not self._is_over:
            self._left = int(self._stream.readline() or b"0")
            self._is_over = not self._left
        data = self._stream.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(data)
        return data


def serve(name: str) -> None:
    """Answer requests by what the function `module:function` returns, until there are no more; end the process.

    Standard input and output are empty from now on: code that is run here gets neither the requests nor the way to
    reply, and what it prints is lost. Nothing that it leaves for later (threads, `atexit`) gets its turn.
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
    """Have the system end this process then, whatever it is doing; 0: never."""
    if hasattr(signal, "alarm"):  # there is none on Windows
        signal.alarm(seconds)

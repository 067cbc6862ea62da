"""What happens inside of the process that runs stored code: one request is read, answered, and that was that.

A reply is one line of JSON: `{"answer": …}` or `{"fault": "raised …"}`, a sentence that lacks its subject.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from importlib import import_module
from typing import TYPE_CHECKING, Any

from checkpoint_ld.confinement import limits

if TYPE_CHECKING:
    from collections.abc import Callable

STORED = "<stored code>"
"""The file name under which workers compile stored code; faults then name its lines."""

_LONGEST_MESSAGE = 500
_READY = b"ready\n"
_OUT_OF_MEMORY = b'{"fault": "memory"}\n'
_BALLAST = 8_000_000
"""Bytes set aside, so that there is memory left to say that there is none."""


class RefusedError(Exception):
    """Stored code cannot be run, or what it did is no result; the text is a sentence that lacks its subject."""


def serve(worker: str) -> None:
    """Answer one request by the function `answer` of the module `worker`, and end the process.

    The code gets neither the request nor the way to reply: its input is empty, and what it prints is lost. Nothing
    that it leaves for later (threads, `atexit`) gets its turn.
    """
    answer = import_module(worker).answer
    replies = os.dup(1)
    os.write(replies, _READY)
    message = json.loads(sys.stdin.buffer.read())
    _cut_off()
    limits.impose(message["seconds"], message["megabytes"])
    reply = reply_to(answer, message["request"])
    while reply:
        reply = reply[os.write(replies, reply) :]
    os._exit(0)


def reply_to(answer: Callable[[dict[str, Any]], Any], request: dict[str, Any]) -> bytes:
    """Return the line that tells what `answer` made of a request, whatever it did."""
    ballast = bytearray(_BALLAST)
    try:
        return _line({"answer": answer(request)})
    except MemoryError:
        del ballast
        return _OUT_OF_MEMORY
    except RefusedError as error:
        return _line({"fault": str(error)})
    except BaseException as error:  # noqa: BLE001 - stored code may raise anything, SystemExit too
        return _line({"fault": described(error)})


def described(error: BaseException) -> str:
    """Return what the code raised and where, as far as it is the code's own lines."""
    text = str(error)
    said = f": {text[:_LONGEST_MESSAGE]}" if text else ""
    line = error.lineno if isinstance(error, SyntaxError) else None
    for frame, number in traceback.walk_tb(error.__traceback__):
        if frame.f_code.co_filename == STORED:
            line = number
    return f"raised {type(error).__name__}{said}" + ("" if line is None else f" (line {line})")


def _line(reply: dict[str, Any]) -> bytes:
    return json.dumps(reply).encode("ascii") + b"\n"


def _cut_off() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.close(nothing)

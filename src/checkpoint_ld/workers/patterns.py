"""Patterns matched in a worker, so that one that takes too long can be given up.

The worker is started when it is first needed, serves one request after the other, and ends with this process. A
process that is itself given up when it takes too long needs no other.
"""

from __future__ import annotations

import atexit
import os
import re
import threading
import warnings
from typing import TYPE_CHECKING, Any

from checkpoint_ld.errors import EvaluationError
from checkpoint_ld.workers.process import START_LIMIT, Worker, WorkerError

if TYPE_CHECKING:
    from collections.abc import Callable

TIME_LIMIT = 2.0
"""How long a request may take, in seconds."""

_lock = threading.Lock()
_here = threading.Event()
_workers: dict[int, Worker] = {}
"""The worker of this process, by the number of this process: a fork starts its own."""


def match_here() -> None:
    """Have all patterns matched in this process from now on, without a limit: somebody else gives it up."""
    _here.set()


def ask(what: str, pattern: str, flags: int, text: str) -> Any:
    """Have a pattern compiled, searched or found (`compile`, `search`, `findall`) in a text; return the matches.

    Raises TimeLimitError after `TIME_LIMIT`, and `EvaluationError` for a pattern that is none or if no process can be
    had.
    """
    request = (what, pattern, int(flags), text)
    reply = answer(request) if _here.is_set() else _reply(request)
    if "error" in reply:
        raise EvaluationError(str(reply["error"]))
    return reply["found"]


def end() -> None:
    """End the worker if there is one; the next request starts another."""
    while _workers:
        _workers.popitem()[1].close()


def _reply(request: tuple[str, str, int, str]) -> Any:
    with _lock:
        try:
            if os.getpid() not in _workers:
                end()
                _workers[os.getpid()] = Worker(start, start_limit=START_LIMIT)
            return _workers[os.getpid()].ask(request, TIME_LIMIT)
        except (OSError, WorkerError) as error:
            end()
            raise EvaluationError(f"the pattern cannot be matched safely: {_reason(error)}") from error
        except BaseException:
            end()
            raise


def _reason(error: Exception) -> str:
    return f"the process that matches patterns {error}" if isinstance(error, WorkerError) else str(error)


def start(_: object, __: object) -> Callable[[Any], dict[str, Any]]:
    """Return what answers requests in the worker."""
    warnings.simplefilter("ignore")
    return answer


def answer(request: tuple[str, str, int, str]) -> dict[str, Any]:
    """Return what was found, or why nothing can be."""
    what, pattern, flags, text = request
    try:
        compiled = re.compile(pattern, flags)
        if what == "findall":
            return {"found": compiled.findall(text)}
        if what == "search":
            return {"found": [""] if compiled.search(text) else []}
    except (re.error, ValueError, OverflowError, RecursionError, MemoryError) as error:
        return {"error": str(error) or "nested too deeply"}
    return {"found": []}


atexit.register(end)

"""The process in which queries of shapes, and pySHACL, run: within a time limit, and without connections.

An engine of queries cannot be interrupted, and may end its process. So a worker, which opens no socket (PEP 578, audit
hooks) and is killed after the limit, gets a copy of the statements that they need. It is kept for the next run.
"""

from __future__ import annotations

import atexit
import os
import threading
from typing import TYPE_CHECKING, Any, Final

from checkpoint_ld.errors import ShapesError
from checkpoint_ld.shacl.answering import start
from checkpoint_ld.workers.process import START_LIMIT, TimeLimitError, Worker, WorkerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

SECONDS: Final = 30.0
"""The time limit of the queries of a constraint for some thousand focus nodes, and of a run of pySHACL."""
_MOST_IDLE: Final = 2

_lock = threading.Lock()
_idle: list[tuple[int, Worker, set[object]]] = []
"""Workers without a task: the id of the process that started it, and what it holds."""
_busy: dict[Worker, int] = {}


def ask(
    request: dict[str, Any], *, session: object = None, load: Callable[[], Iterable[dict[str, Any]]] = tuple
) -> Any:
    """Return the reply of a worker to a request.

    `session` is what the request needs to be loaded; `load` gives the requests that load it into a worker that does not
    have it yet. Raises ShapesError for a fault, and after the time limit.
    """
    worker, held = _taken(session)
    try:
        if session not in held:
            for one in load():
                _received(worker.call(one, START_LIMIT))
            held.clear()
            held.add(session)
        reply = _received(worker.call(request, SECONDS))
    except TimeLimitError as error:
        _closed(worker)
        raise ShapesError(
            f"a query or rule of the shapes took longer than {SECONDS:g} s and was ended: simplify it, or take it out"
        ) from error
    except (OSError, WorkerError) as error:
        _closed(worker)
        raise ShapesError(f"a query of the shapes cannot be evaluated: its process {error}") from error
    except BaseException:
        _closed(worker)
        raise
    _give_back(worker, held)
    return reply


def _received(reply: Any) -> Any:
    if isinstance(reply, dict) and "fault" in reply:
        raise ShapesError(str(reply["fault"]))
    return reply


def _taken(session: object) -> tuple[Worker, set[object]]:
    """Return an idle worker, one that has loaded a session if there is one, or a new one."""
    with _lock:
        own = [at for at, (owner, *_) in enumerate(_idle) if owner == os.getpid()]
        if own:
            _, worker, held = _idle.pop(next((at for at in own if session in _idle[at][2]), own[-1]))
            _busy[worker] = os.getpid()
            return worker, held
    try:
        worker = Worker(start, start_limit=START_LIMIT)
    except OSError as error:
        raise ShapesError(f"a query of the shapes cannot be evaluated: no process can be started ({error})") from error
    _busy[worker] = os.getpid()
    return worker, set()


def _closed(worker: Worker) -> None:
    _busy.pop(worker, None)
    worker.close()


def _give_back(worker: Worker, held: set[object]) -> None:
    with _lock:
        _busy.pop(worker, None)
        _idle.append((os.getpid(), worker, held))
        left = _idle.pop(0) if len(_idle) > _MOST_IDLE else None
    if left is not None:
        left[1].close()


def end() -> None:
    """Close all workers, and so end what they do; the next request starts another."""
    while _idle:
        _idle.pop()[1].close()
    for worker, owner in list(_busy.items()):
        if owner == os.getpid():
            worker.close()


atexit.register(end)

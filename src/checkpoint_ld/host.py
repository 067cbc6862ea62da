"""Warnings, logs, CSV and the garbage collector within a program that is not ours.

All of these belong to the process. What is set here is set for one call, in the thread that makes it, and is as before
when the call ends.
"""

from __future__ import annotations

import gc
import importlib.util
import logging
import sys
import threading
import warnings
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_lock: Final = threading.Lock()
LONGEST_FIELD: Final = 2**31 - 1
"""The greatest limit of `csv_of`, on Windows too."""


class _Threads:
    """The threads that are inside of a block, which may be nested."""

    def __init__(self) -> None:
        self._depths: dict[int, int] = {}

    def enter(self) -> None:
        """Add this thread."""
        own = threading.get_ident()
        self._depths[own] = self._depths.get(own, 0) + 1

    def leave(self) -> bool:
        """Remove this thread; return whether none is left."""
        own = threading.get_ident()
        depth = self._depths.pop(own) - 1
        if depth:
            self._depths[own] = depth
        return not self._depths

    def match(self, _: str) -> bool:
        """Return whether this thread is inside; `warnings` calls it as the pattern of a filter."""
        return threading.get_ident() in self._depths

    def filter(self, _: logging.LogRecord) -> bool:
        """Return whether a record passes; `logging` calls it."""
        return threading.get_ident() not in self._depths


_ignored: Final[dict[type[Warning], tuple[_Threads, Any]]] = {}
"""The filters of `warnings` by category, each with the threads that it is for."""


@contextmanager
def without_warnings(category: type[Warning] = Warning) -> Iterator[None]:
    """Ignore warnings of a category in this thread.

    `warnings.catch_warnings` replaces the filters of all threads, and of two that overlap one may stay for good.
    """
    if getattr(sys.flags, "context_aware_warnings", 0):  # each thread has its own filters (Python 3.14)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", category)
            yield
        return
    with _lock:
        if category not in _ignored:
            threads = _Threads()
            _ignored[category] = threads, ("ignore", threads, category, None, 0)
        threads, entry = _ignored[category]
        threads.enter()
        if not any(known is entry for known in warnings.filters):
            warnings.filters.insert(0, entry)  # type: ignore[attr-defined] # a list, which typeshed declares as a sequence
    try:
        yield
    finally:
        with _lock:
            if threads.leave():
                warnings.filters[:] = [known for known in warnings.filters if known is not entry]  # type: ignore[index] # as above


@cache
def _logs_filter(name: str) -> _Threads:  # noqa: ARG001 - the key: each logger has a filter of its own
    return _Threads()


@contextmanager
def without_logs(*names: str) -> Iterator[None]:
    """Drop the records of loggers in this thread; the empty name is that of the root."""
    muted = [(logging.getLogger(name or None), _logs_filter(name)) for name in names]
    with _lock:
        for logger, threads in muted:
            threads.enter()
            logger.addFilter(threads)
    try:
        yield
    finally:
        with _lock:
            for logger, threads in muted:
                if threads.leave():
                    logger.removeFilter(threads)


@cache
def csv_of(longest: int) -> Any:
    """Return a `csv` of our own, with `reader` and `Error`, whose fields may have so many characters.

    The limit of Python's `csv` is one for the whole process; a second instance of its module has another one.
    """
    spec = importlib.util.find_spec("_csv")
    assert spec is not None  # noqa: S101 - for the type checker: `csv` is part of Python
    assert spec.loader is not None  # noqa: S101 - as above
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    vars(module)["field_size_limit"](longest)
    return module


@contextmanager
def uncollected() -> Iterator[None]:
    """Pause the garbage collector while much is built, unless it is paused; afterwards it is as it was.

    Of nested calls, the outermost resumes it.
    """
    was_enabled = gc.isenabled()
    if was_enabled:
        gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()

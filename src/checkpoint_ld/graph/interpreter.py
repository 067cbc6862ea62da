"""Settings of the interpreter while a document is processed: depth of recursion, and a paused garbage collector."""

from __future__ import annotations

import gc
import sys
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from checkpoint_ld.errors import ReadError
from checkpoint_ld.rules import finding

if TYPE_CHECKING:
    from collections.abc import Iterator


_FEW = 5_000
"""Below so many new objects, nothing is frozen. More frozen objects than this belong to others; Python 3.12 has some.
"""
_LEAST = 400_000
"""A full collection waits for so many new objects, or for a quarter of all objects if that is more."""
_LARGEST = 3
"""It also waits for three times the largest build: after a large one, collecting less often saves 14 % of the time."""


@dataclass(slots=True)
class _Unseen:
    """The number of objects since the last full collection, and the number of all objects at that time.

    `largest` is the largest number that one build added since.
    """

    objects: int = 0
    known: int = 0
    largest: int = 0


_unseen = _Unseen()


@contextmanager
def uncollected() -> Iterator[None]:
    """Pause the garbage collector, unless it is paused already; of nested calls, the outermost resumes it."""
    was_enabled = gc.isenabled()
    if was_enabled:
        gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            _set_down()
            gc.enable()


def _set_down() -> None:
    built = gc.get_count()[0]
    if built < _FEW or gc.get_freeze_count() > _FEW:  # objects that somebody else froze stay frozen
        return
    _unseen.objects += built
    _unseen.largest = max(_unseen.largest, built)
    is_due = _unseen.objects > max(_LEAST, _unseen.known // 4, _LARGEST * _unseen.largest)
    if is_due:
        gc.collect()
    gc.freeze()
    if is_due:
        # The freeze count is the number of all objects. gc.get_objects() would keep objects of other threads alive,
        # and some of them must be freed in their own thread.
        _unseen.objects, _unseen.known, _unseen.largest = 0, gc.get_freeze_count(), 0
    gc.unfreeze()


_CALLS = 5000
"""Twenty calls for each of the 200 levels of a document, which is the default, and as many for the caller."""


@dataclass(slots=True)
class _Rooms:
    """The number of open rooms in all threads, and the limit of recursion before the first one opened."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    open: int = 0
    before: int = 0


_rooms = _Rooms()


@contextmanager
def room() -> Iterator[None]:
    """Let the body recurse as deeply as a document may be nested.

    All threads share one limit: the first room raises it, the last one restores it. Raises ReadError (E-DEPTH) if that
    is not enough.
    """
    with _rooms.lock:
        if not _rooms.open:
            _rooms.before = sys.getrecursionlimit()
            sys.setrecursionlimit(max(_rooms.before, _CALLS))
        _rooms.open += 1
    try:
        yield
    except RecursionError as error:
        fault = finding("nesting", "the document is nested deeper than it can be worked on", pointer="")
        raise ReadError.of([fault]) from error
    finally:
        with _rooms.lock:
            _rooms.open -= 1
            if not _rooms.open:
                sys.setrecursionlimit(_rooms.before)

"""The interpreter while a document is worked on: room for recursion, and a garbage collector that waits."""

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
"""So many new objects are the collector's own business, so many frozen ones that of Python, which 3.12 starts with."""
_LEAST = 400_000
"""So many objects, or a quarter of all if that is more, are set down before a full collection."""
_LARGEST = 3
"""And so many times the largest number that was built at once: of a large file the collector would find no garbage in
what its graph, its verdict and its entities were built of, and that would take a seventh of their time."""


@dataclass(slots=True)
class _Unseen:
    """How many objects were set down since the last full collection, how many there were then.

    `largest` is the largest number that was set down at once since.
    """

    objects: int = 0
    known: int = 0
    largest: int = 0


_unseen = _Unseen()


@contextmanager
def uncollected() -> Iterator[None]:
    """Pause the garbage collector, unless it is paused already; within one another, the outermost counts."""
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
    if built < _FEW or gc.get_freeze_count() > _FEW:  # what somebody else has frozen has to stay so
        return
    _unseen.objects += built
    _unseen.largest = max(_unseen.largest, built)
    is_due = _unseen.objects > max(_LEAST, _unseen.known // 4, _LARGEST * _unseen.largest)
    if is_due:
        gc.collect()
    gc.freeze()
    if is_due:
        # gc.get_objects() would hold objects of other threads, and some of them must end where they began.
        _unseen.objects, _unseen.known, _unseen.largest = 0, gc.get_freeze_count(), 0
    gc.unfreeze()


_CALLS = 5000
"""Twenty for each of the 200 levels that a document has by default, and as many to spare for what calls us."""


@dataclass(slots=True)
class _Rooms:
    """How many rooms are open in all threads, and the limit of recursion before the first of them was."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    open: int = 0
    before: int = 0


_rooms = _Rooms()


@contextmanager
def room() -> Iterator[None]:
    """Let the body recurse as deeply as a document may be nested.

    The limit is one for all threads: who comes first raises it, who leaves last sets it back. Raises ReadError
    (E-DEPTH) where that is not enough.
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

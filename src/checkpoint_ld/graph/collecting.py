"""Building without the garbage collector, which would look through all that is being built again and again.

What was built is set down among the objects that the collector seldom looks at. Otherwise it would look at all of it
as soon as it runs again: of reading a document of 1,000 questions as a graph, that took a sixth of the time.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_FEW = 5_000
"""So many new objects are the collector's own business, so many frozen ones that of Python, which 3.12 starts with."""
_LEAST = 400_000
"""So many objects, or a quarter of all if that is more, are set down before the collector looks at everything."""
_LARGEST = 3
"""And so many times the largest number that was built at once: of a large file the collector would find no garbage in
what its graph, its verdict and its entities were built of, and that would take a seventh of their time."""


@dataclass(slots=True)
class _Unseen:
    """How many objects were set down since the collector looked at everything, how many there were then.

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
    if _unseen.objects > max(_LEAST, _unseen.known // 4, _LARGEST * _unseen.largest):
        gc.collect()
        _unseen.objects, _unseen.known, _unseen.largest = 0, len(gc.get_objects()), 0
    else:
        gc.freeze()
        gc.unfreeze()

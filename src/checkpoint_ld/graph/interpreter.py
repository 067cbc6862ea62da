"""Settings of the interpreter while a document is processed: depth of recursion, and a paused garbage collector."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from checkpoint_ld.errors import ReadError
from checkpoint_ld.host import uncollected
from checkpoint_ld.rules import finding

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["room", "uncollected"]


@contextmanager
def room() -> Iterator[None]:
    """Refuse a document that is nested deeper than the program's limit of recursion allows: ReadError (E-DEPTH).

    A document may have 200 levels, which take at most 650 calls; the limit is Python's 1,000 by default.
    """
    try:
        yield
    except RecursionError as error:
        fault = finding("nesting", "the document is nested deeper than it can be worked on", pointer="")
        raise ReadError.of([fault]) from error

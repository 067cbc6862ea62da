"""Recursion: room for documents that are nested as deeply as they may be.

The algorithms of JSON-LD call themselves several times for each level of a document, and Python stops at 1,000 calls.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from checkpoint_ld.errors import ReadError
from checkpoint_ld.rules import finding

if TYPE_CHECKING:
    from collections.abc import Iterator

_CALLS = 5000
"""Twenty for each of the 200 levels that a document has by default, and as many to spare for what calls us."""


@contextmanager
def room() -> Iterator[None]:
    """Let the body recurse as deeply as a document may be nested.

    Raises ReadError (E-DEPTH) where that is not enough.
    """
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _CALLS))
    try:
        yield
    except RecursionError as error:
        fault = finding("nesting", "the document is nested deeper than it can be worked on", pointer="")
        raise ReadError.of([fault]) from error
    finally:
        sys.setrecursionlimit(before)

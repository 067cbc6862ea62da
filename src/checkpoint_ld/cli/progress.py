"""A bar on standard error for work that takes long, where there is somebody to see it."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from checkpoint_ld.cli import streams

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def bar(doing: str, *, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Give a function that is to be told how much is done, of how much; None where nobody would see it.

    The bar appears when it is told so for the first time.
    """
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.progress import Progress

    with Progress(console=streams.console(stderr=True), transient=True) as progress:
        task = progress.add_task(doing, total=None, visible=False)
        yield lambda done, total: progress.update(task, completed=done, total=total, visible=True)

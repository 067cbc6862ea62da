"""Work on the windows of a file, one after the other or by several processes."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from checkpoint_ld.streaming.outline import Outline
    from checkpoint_ld.streaming.window import Window

    Progress = Callable[[int, int], None]
    """Told how many questions are done, of how many."""

Done_co = TypeVar("Done_co", covariant=True)


class Work(Protocol[Done_co]):
    """What is done with each window. It goes to other processes: all that it holds can be pickled."""

    def __call__(self, window: Window) -> Done_co:
        """Return what comes out for one window. Raises UnusualFileError where the file has to be read whole."""


def worked(work: Work[Done_co], outline: Outline, jobs: int, progress: Progress | None = None) -> Iterator[Done_co]:
    """Yield what comes out for each window, in order, by `jobs` processes."""
    windows = outline.windows
    total = windows[-1].first + windows[-1].count
    results = map(work, windows) if jobs == 1 else _shared(work, windows, jobs)
    for window, done in zip(windows, results, strict=True):
        if progress is not None:
            progress(window.first + window.count, total)
        yield done
    outline.check_unchanged()


def _shared(work: Work[Done_co], windows: tuple[Window, ...], jobs: int) -> Iterator[Done_co]:
    # Started anew, not forked: a fork would copy the threads of a progress bar, and whatever locks they hold.
    pool = ProcessPoolExecutor(min(jobs, len(windows)), mp_context=get_context("spawn"))
    try:
        yield from pool.map(work, windows)
    finally:
        pool.shutdown(cancel_futures=True)

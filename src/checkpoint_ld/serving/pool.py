"""A pool of workers: so many questions at a time, each within a limit of time."""

from __future__ import annotations

import multiprocessing
import queue
from typing import TYPE_CHECKING, Self

from checkpoint_ld.serving.worker import PLAIN, Found, work

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

    from checkpoint_ld.serving.worker import Question

START_LIMIT = 120.0
"""Seconds that a worker may take to start: a machine under load is slow."""


class Pool:
    """Workers over the store in the folder `location`; each question has `timeout` seconds."""

    def __init__(self, location: str, *, size: int, timeout: float) -> None:
        self._location = location
        self._timeout = timeout
        self._idle: queue.Queue[_Worker] = queue.Queue()
        self._all: set[_Worker] = set()
        for _ in range(size):
            self._idle.put(self._started())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._all:
            worker.end()

    def ask(self, question: Question) -> Found:
        """Return the answer of the next worker that is free; that there is none, or that it takes long, is one, too."""
        try:
            worker = self._idle.get(timeout=self._timeout)
        except queue.Empty:
            return Found(503, PLAIN, "too many queries at a time: ask again later\n")
        found = worker.asked(question, self._timeout)
        if found is None:
            worker.end()
            self._all.discard(worker)
            self._idle.put(self._started())
            message = f"the query took longer than {self._timeout:g} s, or more memory than there is: ask for less\n"
            return Found(500, PLAIN, message)
        self._idle.put(worker)
        return found

    def _started(self) -> _Worker:
        worker = _Worker(self._location)
        self._all.add(worker)
        return worker


class _Worker:
    def __init__(self, location: str) -> None:
        # A fork would copy the threads' locks of the server in whatever state they are.
        context = multiprocessing.get_context("spawn")
        self._connection: Connection
        self._connection, other = context.Pipe()
        self._process: SpawnProcess = context.Process(target=work, args=(other, location), daemon=True)
        self._process.start()
        other.close()
        self._is_ready = False

    def asked(self, question: Question, timeout: float) -> Found | None:
        """Return the answer, None if there is none within the time; the time for starting does not count."""
        try:
            if not self._is_ready:
                if not self._connection.poll(START_LIMIT):
                    return None
                self._connection.recv()
                self._is_ready = True
            self._connection.send(question)
            if not self._connection.poll(timeout):
                return None
            found: Found = self._connection.recv()
        except (EOFError, OSError):  # it died, as when there is no memory left
            return None
        return found

    def end(self) -> None:
        self._process.kill()
        self._process.join()
        self._process.close()
        self._connection.close()

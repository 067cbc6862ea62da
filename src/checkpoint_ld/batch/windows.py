"""Windows of a large file, each read as a checkpoint of its own, and work on them by one process or several."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields, replace
from functools import cached_property
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from checkpoint_ld.batch.outline import QUESTIONS, UnusualFileError
from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph import building, contexts, interpreter
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.interpreter import uncollected
from checkpoint_ld.reading import CANONICAL, JSON_SYNTAX, Reading, examine_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import BinaryIO

    from checkpoint_ld.batch.outline import Frame, Outline, Source, Window
    from checkpoint_ld.findings import Finding, Place


Progress: TypeAlias = "Callable[[int, int], None]"
"""Called with how many questions are done, of how many."""
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


SPELT = "a text in it reads like the name of an object"
REFERRING = "something in it may refer to another question"
_ELEMENT = f"/{QUESTIONS}/"


@dataclass(frozen=True)
class Excerpt:
    """A window as a checkpoint of its own: its reading, and how its lines, columns and indexes differ from the file's.

    `start` and `end` are line and column, in the excerpt, of the window's first question and of the bracket after the
    last one.
    """

    window: Window
    frame: Frame
    reading: Reading
    start: tuple[int, int]
    end: tuple[int, int]

    @property
    def own(self) -> list[Any]:
        """The questions of the window, without its guests."""
        elements: list[Any] = self.reading.tree[QUESTIONS]
        return elements[len(self.window.guests) :]

    def index(self, pointer: str) -> int | None:
        """Return which question of the file a pointer into the excerpt leads to, -1 for a guest, None for the root."""
        if not pointer.startswith(_ELEMENT):
            return None
        at = int(pointer[len(_ELEMENT) :].partition("/")[0]) - len(self.window.guests)
        return self.window.first + at if at >= 0 else -1

    def is_ours(self, index: int | None) -> bool:
        """Tell whether what is about this question, or about the root, is for this window to say."""
        return index >= 0 if index is not None else self.window.first == 0

    def pointer(self, pointer: str) -> str:
        """Return a pointer into the excerpt as one into the file."""
        index = self.index(pointer)
        if index is None or index < 0:
            return pointer
        _, slash, rest = pointer[len(_ELEMENT) :].partition("/")
        return f"{_ELEMENT}{index}{slash}{rest}"

    def node(self, name: str) -> str:
        """Return the name that an object of the excerpt has in the graph of the whole file."""
        stem = self.frame.root + "#"
        return stem + self.pointer(name[len(stem) :]) if name.startswith(stem + _ELEMENT) else name

    def found(self, findings: Iterable[Finding], places: dict[str, str] | None = None) -> Iterator[Finding]:
        """Yield the findings that are for this window to say, with places and names of the file.

        `places` are the pointers of the objects of the excerpt by their names. Raises UnusualFileError for a finding
        about an object of this window that points to a guest.
        """
        for one in findings:
            index = self.index(one.place.pointer or "")
            if one.node is not None and places is not None:
                about = self.index(places.get(one.node, ""))
                if index == -1 and self.is_ours(about):
                    raise UnusualFileError(REFERRING)
                index = about if index is None else index
            if self.is_ours(index):
                node = None if one.node is None else self.node(one.node)
                value = self.node(one.value) if one.value is not None and one.value in (places or {}) else one.value
                yield replace(one, place=self._place(one.place), node=node, value=value)

    def _place(self, place: Place) -> Place:
        pointer = None if place.pointer is None else self.pointer(place.pointer)
        if place.line is None or place.column is None or (place.line, place.column) < self.start:
            return replace(place, pointer=pointer)
        here, there = (
            (self.start, self.window.start) if (place.line, place.column) < self.end else (self.end, self.frame.closed)
        )
        column = place.column - here[1] + there.column if place.line == here[0] else place.column
        return replace(place, pointer=pointer, line=place.line - here[0] + there.line, column=column)


@dataclass(frozen=True)
class _Alone(Reading):
    """The reading of a window, of which a graph is only made where nothing in it refers to objects elsewhere."""

    @classmethod
    def of(cls, reading: Reading) -> _Alone:
        """Return the same reading."""
        return cls(**{one.name: getattr(reading, one.name) for one in fields(reading)})

    @cached_property
    def graph(self) -> CheckpointGraph:
        """The window as a graph, by the way that shows this; raises UnusualFileError where it does not."""
        with interpreter.room(), uncollected():
            found = building.index_of(self.tree)
        if found is None:
            raise UnusualFileError(REFERRING)
        return super().graph if contexts.remembered(self.tree.get("@context")) else CheckpointGraph(*found)


def excerpt(source: Source, window: Window) -> Excerpt:
    """Read a window of a file.

    Raises UnusualFileError for what only a look at the whole file can tell: what is wrong with its JSON, a form of
    JSON-LD other than the usual one, another dialect.
    """
    frame = source.frame
    with Path(source.path).open("rb") as file:
        guests = [_part(file, source.path, start, end) + b"," + frame.gap for _, start, end in window.guests]
        before = b"".join((frame.head, *guests))
        inner = before + _part(file, source.path, window.start.offset, window.end) + frame.foot
    data = inner + frame.tail
    try:
        reading = examine_bytes(data, source.path, syntax=JSON_SYNTAX, limits=source.limits)
    except ReadError:
        raise UnusualFileError("something keeps it from being read") from None
    if reading.dialect != CANONICAL:
        raise UnusualFileError(f"its dialect is not {CANONICAL}")
    if any(one.rule == "json-ld-form" for one in reading.of_form) or reading.document is None:
        raise UnusualFileError("it is in an unusual form of JSON-LD")
    return Excerpt(window, frame, _Alone.of(reading), _end_of(before), _end_of(inner))


def _part(file: BinaryIO, name: str, start: int, end: int) -> bytes:
    file.seek(start)
    part = file.read(end - start)
    if len(part) != end - start:
        raise ReadError(f"{name}: the file was changed while it was read; try again")
    return part


def _end_of(data: bytes) -> tuple[int, int]:
    """Return line and column, from 1, of what follows a text."""
    line = data.count(b"\n") + 1
    return line, len(data[data.rfind(b"\n") + 1 :].decode("utf-8-sig" if line == 1 else "utf-8")) + 1

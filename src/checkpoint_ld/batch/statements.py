"""A large file as N-Triples or N-Quads, window by window, sorted with no more in memory than it should hold."""

from __future__ import annotations

import io
from bisect import bisect_right
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from rdflib import URIRef

from checkpoint_ld.batch.outline import QUESTIONS, UnusualFileError
from checkpoint_ld.batch.windows import REFERRING, SPELT, excerpt, worked
from checkpoint_ld.emission.sorted_lines import TRIPLE, blocks_of, quad
from checkpoint_ld.emission.term_texts import iri
from checkpoint_ld.errors import ReadError
from checkpoint_ld.findings import Severity
from checkpoint_ld.graph import interpreter
from checkpoint_ld.graph.building import built, pointers
from checkpoint_ld.graph.columns import Objects, Place, stem_of
from checkpoint_ld.graph.interpreter import uncollected
from checkpoint_ld.graph.plans import NotCoveredError
from checkpoint_ld.graph.walk import Walk
from checkpoint_ld.validation import loading

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import BinaryIO

    from checkpoint_ld.batch.outline import Outline, Source, Window
    from checkpoint_ld.batch.windows import Excerpt, Progress
    from checkpoint_ld.findings import Finding


class Told(NamedTuple):
    """The lines about each node, those about the root one by one: other windows have some, too.

    `mentioned` are the names that something is said to be, which nothing in the file may have.
    """

    blocks: list[str]
    mentioned: set[str]


def told(part: Excerpt, syntax: str) -> Told:
    """Return the statements about the questions of a window in a syntax of lines, in no order.

    The first window has those about all around the questions, too. Raises UnusualFileError where the whole file has to
    be seen, WriteError for names that are no IRIs.
    """
    end = TRIPLE if syntax == "nt" else quad(part.frame.root)
    with interpreter.room(), uncollected():
        try:
            found = _about_questions(part, end)
            if part.window.first == 0:
                around = _about_the_rest(part, end)
                found = Told(found.blocks + around.blocks, found.mentioned | around.mentioned)
        except NotCoveredError:
            raise UnusualFileError(REFERRING) from None
    return found


def _about_questions(part: Excerpt, end: str) -> Told:
    context = part.reading.tree.get("@context")
    taken = {URIRef(part.frame.root), *map(URIRef, part.window.names)}
    walk = Walk(context, taken)
    lines = _held(walk, part, end)
    walk.complete()
    return Told([*lines, *blocks_of(walk.index, end)], walk.mentioned)


def _held(walk: Walk, part: Excerpt, end: str) -> Iterable[str]:
    """Let a walk hold the statements about the questions; return the lines that say that the root has them."""
    root, first = part.frame.root, part.window.first
    plan = walk.plans.at(part.reading.tree.get("@type"), None, None)
    [known] = plan.members((QUESTIONS,))
    if known is None or not known.is_set or not known.has_objects:
        raise NotCoveredError
    stem = stem_of(root, known)
    places = range(first, first + part.window.count)
    found = Objects(part.own, [f"{stem}/{at}" for at in places], places)
    nodes = walk.in_turn(found, Place(known.term, plan, 1))
    about = f"{iri(root)} {iri(known.predicate)} "
    return [f"{about}{iri(str(node))}{end}" for node in nodes]


def _about_the_rest(part: Excerpt, end: str) -> Told:
    tree = {key: value for key, value in part.reading.tree.items() if key != QUESTIONS}
    walk = Walk(tree.get("@context"))
    walk.root(tree)
    index, root = built(tree)
    lines = "".join(blocks_of({root: index.pop(root)}, end)).split("\n")[:-1]
    return Told([*(f"{line}\n" for line in lines), *blocks_of(index, end)], walk.mentioned)


_MOST = 1 << 24
"""Bytes that are read of all runs together."""
_LEAST = 1 << 14
"""Bytes that are read of a run at once, however many there are."""
_BUFFER = 1 << 16
_BETWEEN = b"\xff"


def write_run(run: Path, blocks: Iterable[str]) -> None:
    """Write texts as a run."""
    run.write_bytes(_BETWEEN.join([block.encode() for block in sorted(blocks)]))


def in_order(runs: Sequence[Path]) -> BinaryIO:
    """Return the texts of runs in order, as one file that can be read once."""
    size = max(_MOST // max(len(runs), 1), _LEAST)
    return io.BufferedReader(_Parts(_merged([_Run(run, size) for run in runs])), _BUFFER)


class _Run:
    """A run, as far as it was read; its file is not open meanwhile, since there may be more runs than open files."""

    def __init__(self, path: Path, size: int) -> None:
        self._path = path
        self._size = size
        self._at = 0
        self._rest = b""
        self._few = 0
        self.blocks: list[bytes] = []
        self.is_over = False

    def read_on(self) -> None:
        """Read on if at most half of the texts are left that were there after reading before."""
        if len(self.blocks) > self._few:
            return
        with self._path.open("rb", buffering=0) as file:
            file.seek(self._at)
            while not self.is_over and len(self.blocks) <= self._few:
                # More at a time where a text is longer than what was read, so that the cost stays linear.
                more = file.read(max(self._size, len(self._rest)))
                self.is_over = not more
                *blocks, self._rest = (self._rest + more).split(_BETWEEN)
                self.blocks += blocks
            self._at = file.tell()
        if self.is_over and self._rest:
            self.blocks.append(self._rest)
            self._rest = b""
        self._few = len(self.blocks) // 2

    def taken(self, bound: bytes | None) -> list[bytes]:
        """Return the texts up to `bound`, or all of them, and hold them no more."""
        if bound is None:
            end = len(self.blocks)
        elif not self.blocks or self.blocks[0] > bound:
            return []
        else:
            end = bisect_right(self.blocks, bound)
        taken = self.blocks[:end]
        del self.blocks[:end]
        return taken


def _merged(runs: list[_Run]) -> Iterator[bytes]:
    """Yield the texts of runs in order, many at a time."""
    while runs:
        for run in runs:
            run.read_on()
        bound = min((run.blocks[-1] for run in runs if not run.is_over), default=None)
        blocks = [*chain.from_iterable(run.taken(bound) for run in runs)]
        blocks.sort()
        yield b"".join(blocks)
        runs = [run for run in runs if run.blocks or not run.is_over]


class _Parts(io.RawIOBase):
    """Parts of a text as a file that can be read once."""

    def __init__(self, parts: Iterator[bytes]) -> None:
        self._parts = parts
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # any writable buffer, says typeshed
        while not self._rest:
            part = next(self._parts, None)
            if part is None:
                return 0
            self._rest = memoryview(part)
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size


@dataclass(frozen=True)
class Streamed:
    """Statements to be read once, sorted, and what was found on the way, in order of place."""

    findings: tuple[Finding, ...]
    lines: BinaryIO

    def refusing(self, *, strict: bool) -> None:
        """Raise ReadError if something keeps the checkpoint from being used, or, if `strict`, is odd."""
        refused = [one for one in self.findings if strict or one.severity is Severity.VIOLATION]
        if refused:
            raise ReadError.of(refused)


@contextmanager
def statements(outline: Outline, syntax: str, jobs: int, progress: Progress | None = None) -> Iterator[Streamed]:
    """Give the statements of a file in `syntax`, one of lines; they stand in temporary files as long as the body runs.

    Raises UnusualFileError where the file has to be looked at in one piece.
    """
    with TemporaryDirectory(prefix="checkpoint-ld-") as folder:
        findings: list[Finding] = []
        for found, mentioned in worked(_Statements(outline.source, syntax, folder), outline, jobs, progress):
            if not outline.names.isdisjoint(mentioned):
                raise UnusualFileError(REFERRING)
            findings += found
        findings.sort(key=lambda one: (one.place.line or 0, one.place.column or 0))
        with in_order(sorted(Path(folder).iterdir())) as lines:
            yield Streamed(tuple(findings), lines)


@dataclass(frozen=True)
class _Statements:
    """Writes the statements of one window into a file of its own; returns what was found, and what was mentioned."""

    source: Source
    syntax: str
    folder: str

    def __call__(self, window: Window) -> tuple[list[Finding], set[str]]:
        part = excerpt(self.source, window)
        blocks, mentioned = told(part, self.syntax)
        write_run(Path(self.folder) / f"{window.first:012}", blocks)
        findings, places = loading.checked(part.reading).findings, pointers(part.reading.tree)
        if any(one.value in places and part.node(one.value) != one.value for one in findings if one.value):
            raise UnusualFileError(SPELT)  # a finding does not tell such a text from the name of an object
        return list(part.found(findings, places)), mentioned

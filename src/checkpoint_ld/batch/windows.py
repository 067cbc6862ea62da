"""Windows of a large file, each processed as a separate checkpoint: its findings, and its sorted statements.

`Streaming` processes a file in windows if it is large and its form allows it; a note states the reason why not. An
`WindowReading` is a window with its root and guests, and translates places and names to those of the file.
"""

from __future__ import annotations

import heapq
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile, gettempdir
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias, TypeVar, cast

from rdflib import BNode, Literal, URIRef

from checkpoint_ld.batch.bulk import pool
from checkpoint_ld.batch.discovery import is_in_windows
from checkpoint_ld.batch.outline import QUESTIONS, WINDOW, UnusualFileError, outline
from checkpoint_ld.dialects.reading import CANONICAL, GRAPH, JSON_SYNTAX, Reading, examine_bytes, syntax_of
from checkpoint_ld.documents.document import limited_depth
from checkpoint_ld.documents.files import GZIP, unwritable, working_folder
from checkpoint_ld.documents.values import DEFAULT_LIMITS, Limits
from checkpoint_ld.errors import ReadError
from checkpoint_ld.findings import Severity
from checkpoint_ld.graph import building, columns, contexts
from checkpoint_ld.graph.annotation import Pointers
from checkpoint_ld.graph.building import Walk
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.emission.syntaxes import TRIPLE, blocks_of, iri, quad
from checkpoint_ld.graph.plans import NotCoveredError
from checkpoint_ld.graph.store import graph_of, put
from checkpoint_ld.host import uncollected
from checkpoint_ld.validation import profiles, validator
from checkpoint_ld.validation.results import Checked
from checkpoint_ld.vocabulary import RDF, SHACL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rdflib import Graph
    from rdflib.term import Node

    from checkpoint_ld.batch.outline import Frame, Outline, Window, WindowSource
    from checkpoint_ld.findings import Finding, Place
    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.validation.profiles import Profile

SYNTAXES = ("nt", "nq")
"""The syntaxes that can be written by windows: those of lines."""


@dataclass(frozen=True)
class Streaming:
    """The options of streaming.

    `jobs` is the number of processes; None means one, and only for large files (`is_in_windows`). `progress` is called
    with the number of processed questions, and of all. `note` is called with a sentence about a file that has to be
    processed whole. `window` is the number of questions in a window.
    """

    jobs: int | None = None
    progress: Progress | None = None
    note: Callable[[str], None] | None = None
    limits: Limits = DEFAULT_LIMITS
    window: int = WINDOW

    def check(self, file: str, profile: Profile, *, syntax: str | None = None) -> Checked | None:
        """Validate a file by the rules of `profile`; return None if it has to be read whole.

        Its text is not kept, so reports show no lines of it. Raises SettingsError and ReadError as `validation.check`,
        and ReadError for a file that changes meanwhile.
        """
        if not is_in_windows(file, self.jobs):
            return None
        try:
            return self._checked(file, profile, syntax)
        except UnusualFileError as error:
            self._explain(file, error)
            return None

    def _checked(self, file: str, profile: Profile, syntax: str | None) -> Checked:
        outline = self._outline(file, syntax)
        if profile.own_shapes:
            raise UnusualFileError("shapes of your own may be about all of it")
        findings: list[Finding] = []
        report = BNode()
        results: Index = {report: {URIRef(RDF + "type"): URIRef(SHACL + "ValidationReport")}}
        for found, triples, mentioned in self._worked(partial(_check_window, outline.source, profile.name), outline):
            if not outline.names.isdisjoint(mentioned):
                raise UnusualFileError(REFERRING)
            findings += found
            for subject, predicate, term in triples:
                put(results, report if predicate == _RESULT else subject, predicate, term)
        results[report][URIRef(SHACL + "conforms")] = Literal(_RESULT not in results[report])
        findings.sort(key=validator.by_place)
        return Checked(file, tuple(findings), CANONICAL, results=graph_of(results))

    @contextmanager
    def statements(self, file: str, target: str, *, syntax: str | None = None) -> Iterator[Streamed | None]:
        """Yield the sorted statements of a file in the syntax `target`, None if it has to be read whole.

        They are kept in temporary files until the end of the body. Raises ReadError for a file that changes meanwhile.
        """
        if target not in SYNTAXES or not is_in_windows(file, self.jobs):
            yield None
            return
        with working_folder() as made:
            folder = str(made)
            findings: list[Finding] = []
            try:
                outline = self._outline(file, syntax)
                work = partial(_write_window, outline.source, target, folder)
                for found, mentioned in self._worked(work, outline):
                    if not outline.names.isdisjoint(mentioned):
                        raise UnusualFileError(REFERRING)
                    findings += found
            except UnusualFileError as error:
                self._explain(file, error)
                yield None
                return
            findings.sort(key=lambda finding: (finding.place.line or 0, finding.place.column or 0))
            with in_order(sorted(Path(folder).iterdir())) as lines:
                yield Streamed(tuple(findings), lines)

    def _worked(self, work: Callable[[Window], Done], outline: Outline) -> Iterator[Done]:
        """Yield the result of each window, in order; `work` is pickled for several processes."""
        windows = outline.windows
        total = windows[-1].first + windows[-1].count
        with ExitStack() as stack:
            results: Iterable[Done] = map(work, windows)
            if self.jobs is not None and self.jobs > 1:
                workers = pool(min(self.jobs, len(windows)))
                stack.callback(workers.shutdown, cancel_futures=True)
                results = workers.map(work, windows)
            for window, done in zip(windows, results, strict=True):
                if self.progress is not None:
                    self.progress(window.first + window.count, total)
                yield done
        outline.check_unchanged()

    def _outline(self, file: str, syntax: str | None) -> Outline:
        with Path(file).open("rb") as opened:
            start = opened.read(1024)
        if start.startswith(GZIP):
            raise UnusualFileError("it is packed")
        if (syntax or syntax_of(file, start)) != JSON_SYNTAX:
            raise UnusualFileError("it is no JSON")
        return outline(file, self.limits, self.window)

    def _explain(self, file: str, error: UnusualFileError) -> None:
        if self.note is not None:
            self.note(f"{file}: {error}; it is worked on in one piece, which takes more memory")


Progress: TypeAlias = "Callable[[int, int], None]"
"""It is called with the number of processed questions, and of all."""
Triple: TypeAlias = "tuple[Node, Node, Node]"
Done = TypeVar("Done")

AMBIGUOUS = "a text in it reads like the name of an object"
REFERRING = "something in it may refer to another question"
_ELEMENT = f"/{QUESTIONS}/"
_RESULT, _FOCUS, _VALUE = (URIRef(SHACL + name) for name in ("result", "focusNode", "value"))
_MOST = 1 << 24
"""The number of bytes that are read at once from all runs together."""
_LEAST = 1 << 14
"""The least number of bytes that are read at once from a run."""
_BETWEEN = b"\xff"


@dataclass(frozen=True)
class WindowReading:
    """A window as a separate checkpoint: its reading, and the translation of its places and names to the file's.

    `start` and `end` are line and column, in the excerpt, of the window's first question and of the closing bracket.
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
        """Return the number of the question of a pointer, -1 for a guest, None for the root."""
        if not pointer.startswith(_ELEMENT):
            return None
        at = int(pointer[len(_ELEMENT) :].partition("/")[0]) - len(self.window.guests)
        return self.window.first + at if at >= 0 else -1

    def is_ours(self, index: int | None) -> bool:
        """Return whether this window reports findings about the question `index`, or about the root (None)."""
        return index >= 0 if index is not None else self.window.first == 0

    def pointer(self, pointer: str) -> str:
        """Return the pointer into the file for a pointer into the excerpt."""
        index = self.index(pointer)
        if index is None or index < 0:
            return pointer
        _, slash, rest = pointer[len(_ELEMENT) :].partition("/")
        return f"{_ELEMENT}{index}{slash}{rest}"

    def node(self, name: str) -> str:
        """Return the name of an object of the excerpt in the graph of the whole file."""
        stem = self.frame.root + "#"
        return stem + self.pointer(name[len(stem) :]) if name.startswith(stem + _ELEMENT) else name

    def found(self, findings: Iterable[Finding], places: Pointers | None = None) -> Iterator[Finding]:
        """Yield the findings that this window reports, with places and names of the file.

        `places` are the pointers of the objects of the excerpt. Raises UnusualFileError for a finding about an object
        of this window that points to a guest.
        """
        for finding in findings:
            index = self.index(finding.place.pointer or "")
            if finding.node is not None and places is not None:
                about = self.index(places.get(finding.node) or "")
                if index == -1 and self.is_ours(about):
                    raise UnusualFileError(REFERRING)
                index = about if index is None else index
            if self.is_ours(index):
                node = None if finding.node is None else self.node(finding.node)
                value = (
                    self.node(finding.value)
                    if finding.value is not None and places and finding.value in places
                    else finding.value
                )
                yield replace(finding, place=self._place(finding.place), node=node, value=value)

    def _place(self, place: Place) -> Place:
        pointer = None if place.pointer is None else self.pointer(place.pointer)
        if place.line is None or place.column is None or (place.line, place.column) < self.start:
            return replace(place, pointer=pointer)
        origin, target = (
            (self.start, self.window.start) if (place.line, place.column) < self.end else (self.end, self.frame.closed)
        )
        column = place.column - origin[1] + target.column if place.line == origin[0] else place.column
        return replace(place, pointer=pointer, line=place.line - origin[0] + target.line, column=column)


def excerpt(source: WindowSource, window: Window) -> WindowReading:
    """Read a window of a file.

    Raises UnusualFileError if the file has to be read whole: for a fault in its JSON, an unusual form of JSON-LD,
    another dialect, or objects that may refer to those of other windows.
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
    if any(finding.rule == "json-ld-form" for finding in reading.of_form) or reading.document is None:
        raise UnusualFileError("it is in an unusual form of JSON-LD")
    with limited_depth(), uncollected():
        index = building.index_of(reading.tree)
    if index is None:
        raise UnusualFileError(REFERRING)
    if contexts.remembered(reading.tree.get("@context")) is None:
        reading.kept[GRAPH] = CheckpointGraph(*index)  # so that it is not built again
    return WindowReading(window, frame, reading, _end_of(before), _end_of(inner))


def _part(file: BinaryIO, name: str, start: int, end: int) -> bytes:
    file.seek(start)
    part = file.read(end - start)
    if len(part) != end - start:
        raise ReadError(f"{name}: the file was changed while it was read; try again")
    return part


def _end_of(data: bytes) -> tuple[int, int]:
    """Return line and column of the end of a text."""
    line = data.count(b"\n") + 1
    return line, len(data[data.rfind(b"\n") + 1 :].decode("utf-8-sig" if line == 1 else "utf-8")) + 1


def _check_window(source: WindowSource, profile: str, window: Window) -> tuple[list[Finding], list[Triple], set[str]]:
    """Return the findings of a window, the statements of the SHACL report about its nodes, and names of other nodes."""
    part = excerpt(source, window)
    checked = validator.check_reading(part.reading, profiles.profile(profile))
    report = checked.results
    if report is None or not (checked.findings or (None, _RESULT, None) in report):
        return [], [], set()
    places = Pointers(part.reading.tree, part.reading.graph.held)
    triples = list(_results(report, part, places))
    if any(isinstance(term, Literal) and str(term) in places for _, _, term in triples):
        raise UnusualFileError(AMBIGUOUS)  # a finding does not tell such a text from the name of an object
    names = {str(term) for _, _, term in triples if isinstance(term, URIRef)}
    return list(part.found(checked.findings, places)), triples, {name for name in names if name not in places}


def _results(report: Graph, part: WindowReading, places: Pointers) -> Iterator[Triple]:
    """Yield the statements of a SHACL report about the nodes of this window."""
    for node, result in report.subject_objects(_RESULT):
        about = report.value(result, _FOCUS), report.value(result, _VALUE)
        names = [str(term) for term in about if isinstance(term, URIRef)]
        indexes = [part.index(place) for place in map(places.get, names) if place is not None]
        if part.is_ours(next((index for index in indexes if index is not None), None)):
            yield node, _RESULT, result
            for subject, predicate, term in _closure(report, result):
                is_ours = isinstance(term, URIRef) and str(term) in places
                yield subject, predicate, URIRef(part.node(str(term))) if is_ours else term


def _closure(report: Graph, node: Node) -> Iterable[Triple]:
    found: dict[Triple, None] = {}
    waiting = [node]
    while waiting:
        for triple in report.triples((waiting.pop(), None, None)):
            if triple not in found:
                found[triple] = None
                waiting += [triple[2]] if isinstance(triple[2], BNode) else []
    return found


@dataclass(frozen=True)
class Streamed:
    """Sorted statements, to be read once, and findings in order of place."""

    findings: tuple[Finding, ...]
    lines: BinaryIO

    def refusing(self, *, strict: bool) -> None:
        """Raise ReadError if the checkpoint cannot be used, or, if `strict`, for any finding."""
        refused = [finding for finding in self.findings if strict or finding.severity is Severity.VIOLATION]
        if refused:
            raise ReadError.of(refused)


def _write_window(source: WindowSource, syntax: str, folder: str, window: Window) -> tuple[list[Finding], set[str]]:
    """Write the statements of a window into a new file; return its findings, and names of other nodes."""
    part = excerpt(source, window)
    blocks, mentioned = _blocks(part, syntax)
    write_run(Path(folder) / f"{window.first:012}", blocks)
    findings = validator.checked_at_load(part.reading).findings
    places = Pointers(part.reading.tree, part.reading.graph.held)
    if any(
        finding.value in places and part.node(finding.value) != finding.value for finding in findings if finding.value
    ):
        raise UnusualFileError(AMBIGUOUS)  # a finding does not tell such a text from the name of an object
    return list(part.found(findings, places)), mentioned


def _blocks(part: WindowReading, syntax: str) -> tuple[list[str], set[str]]:
    """Return the lines about each node of a window, and the names that it refers to, which no object of the file has.

    Lines about the root are separate, because several windows have some. The first window includes the text around the
    questions. Raises UnusualFileError if the file has to be read whole, WriteError for names that are no IRIs.
    """
    end = TRIPLE if syntax == "nt" else quad(part.frame.root)
    with limited_depth(), uncollected():
        try:
            blocks, mentioned = _about_questions(part, end)
            if part.window.first == 0:
                tree = {key: value for key, value in part.reading.tree.items() if key != QUESTIONS}
                walk = Walk(tree.get("@context"))
                walk.root(tree)
                index, root = building.built(tree)
                lines = "".join(blocks_of({root: index.pop(root)}, end)).split("\n")[:-1]
                blocks += [f"{line}\n" for line in lines]
                blocks += blocks_of(index, end)
                mentioned |= walk.mentioned
        except NotCoveredError:
            raise UnusualFileError(REFERRING) from None
    return blocks, mentioned


def _about_questions(part: WindowReading, end: str) -> tuple[list[str], set[str]]:
    root, first = part.frame.root, part.window.first
    walk = Walk(part.reading.tree.get("@context"), {URIRef(root), *map(URIRef, part.window.names)})
    plan = walk.plans.at(part.reading.tree.get("@type"), None, None)
    [known] = plan.members((QUESTIONS,))
    if known is None or not known.is_set or not known.has_objects:
        raise NotCoveredError
    stem = columns.stem_of(root, known)
    places = range(first, first + part.window.count)
    found = columns.Objects(part.own, [f"{stem}/{at}" for at in places], places)
    nodes = walk.add(found, columns.ColumnOwner(known.term, plan, 1))
    about = f"{iri(root)} {iri(known.predicate)} "
    lines = [f"{about}{iri(str(node))}{end}" for node in nodes]
    walk.complete()
    return [*lines, *blocks_of(walk.index, end)], walk.mentioned


@contextmanager
def _filling(folder: Path | str) -> Iterator[None]:
    """Turn an error of a temporary file, which may have no name, into one that names its folder."""
    try:
        yield
    except OSError as error:
        raise unwritable(str(folder), error) from error


def write_run(run: Path, blocks: Iterable[str]) -> None:
    """Write texts, sorted, as a run."""
    with _filling(run.parent):
        run.write_bytes(_BETWEEN.join([block.encode() for block in sorted(blocks)]))


def in_order(runs: Sequence[Path]) -> BinaryIO:
    """Return the merged texts of sorted runs, in a temporary file."""
    size = max(_MOST // max(len(runs), 1), _LEAST)
    with _filling(gettempdir()):
        joined = cast("BinaryIO", TemporaryFile(prefix="checkpoint-ld-"))  # noqa: SIM115 - the caller closes it
        joined.writelines(heapq.merge(*(_texts(run, size) for run in runs)))
        joined.seek(0)
    return joined


def _texts(run: Path, size: int) -> Iterator[bytes]:
    """Yield the texts of a run; its file is not kept open, because there may be more runs than open files."""
    at, rest, more = 0, b"", b" "
    while more:
        with run.open("rb", buffering=0) as file:
            file.seek(at)
            # It reads more at a time for a text that is longer than the buffer, so that the cost stays linear.
            more = file.read(max(size, len(rest)))
        at += len(more)
        *texts, rest = (rest + more).split(_BETWEEN)
        yield from texts
    if rest:
        yield rest

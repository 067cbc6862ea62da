"""A large file as N-Triples or N-Quads, window by window."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, BinaryIO

from rdflib import URIRef

from checkpoint_ld.documents.elements import UnusualFileError
from checkpoint_ld.errors import ReadError
from checkpoint_ld.findings import Severity
from checkpoint_ld.graph import compiled, recursion, terms
from checkpoint_ld.graph.building import built, uncollected
from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph
from checkpoint_ld.graph.compaction import POSITION
from checkpoint_ld.graph.literals import literal_of
from checkpoint_ld.graph.naming import is_minted
from checkpoint_ld.graph.store import terms_of
from checkpoint_ld.streaming.excerpt import REFERRING, excerpt
from checkpoint_ld.streaming.runs import in_order
from checkpoint_ld.streaming.window import QUESTIONS
from checkpoint_ld.streaming.windows import worked
from checkpoint_ld.vocabulary import SCHEMA
from checkpoint_ld.writing.write import RDF_WRITERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rdflib.term import Node

    from checkpoint_ld.findings import Finding
    from checkpoint_ld.graph.store import Index
    from checkpoint_ld.graph.terms import Term
    from checkpoint_ld.streaming.excerpt import Excerpt
    from checkpoint_ld.streaming.outline import Source
    from checkpoint_ld.streaming.window import Window
    from checkpoint_ld.streaming.windows import Progress


_QUESTIONS = URIRef(SCHEMA + QUESTIONS)


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
def statements(source: Source, syntax: str, jobs: int, progress: Progress | None = None) -> Iterator[Streamed]:
    """Give the statements of a file in `syntax`, one of lines; they stand in temporary files as long as the body runs.

    Raises UnusualFileError where the file has to be looked at in one piece.
    """
    with TemporaryDirectory(prefix="checkpoint-ld-") as folder:
        findings: list[Finding] = []
        for found in worked(_Statements(source, syntax, folder), source, jobs, progress):
            findings += found
        findings.sort(key=lambda one: (one.place.line or 0, one.place.column or 0))
        with in_order(sorted(Path(folder).iterdir())) as lines:
            yield Streamed(tuple(findings), lines)


@dataclass(frozen=True)
class _Statements:
    """Writes the statements of one window into a file of its own, sorted; returns what was found in the window."""

    source: Source
    syntax: str
    folder: str

    def __call__(self, window: Window) -> list[Finding]:
        part = excerpt(self.source, window, checked=True)
        with recursion.room(), uncollected():
            graph = _graph(part)
        data = RDF_WRITERS[self.syntax](graph)
        (Path(self.folder) / f"{window.first:012}").write_bytes(data)
        return list(part.found(part.reading.findings))


def _graph(part: Excerpt) -> CheckpointGraph:
    """Return the statements about the questions of a window as the graph of the whole file has them.

    The first window has those about the root and what stands beside the questions too.
    """
    tree = part.reading.tree
    around, root = built({key: value for key, value in tree.items() if key != QUESTIONS})
    via = terms.table(tree.get("@context")).base.by_key[QUESTIONS]
    index, nodes = _at_once(part, around, root) or _one_by_one(part, around, root, via)
    if part.window.first == 0:
        index.update(around)
    index.setdefault(root, {})[_QUESTIONS] = nodes if len(nodes) > 1 else nodes[0]
    return CheckpointGraph(index, root)


def _at_once(part: Excerpt, around: Index, root: URIRef) -> tuple[Index, list[Node]] | None:
    """Return the statements about questions and their nodes, None if some are named by their place in the file.

    All others are the same at any place but for the position that they are given.
    """
    if part.window.names:
        return None
    found = compiled.index_of({**part.reading.tree, QUESTIONS: part.own})
    if found is None:
        raise UnusualFileError(REFERRING)
    index, name = found
    nodes = terms_of(index[name][_QUESTIONS])
    if name != root or any(is_minted(str(node)) for node in nodes):
        return None
    for node in around:
        index.pop(node, None)
    for at, node in enumerate(nodes, part.window.first):
        index[node][POSITION] = literal_of(at)
    return index, nodes


def _one_by_one(part: Excerpt, around: Index, root: URIRef, via: Term) -> tuple[Index, list[Node]]:
    """Return the statements about questions and their nodes, each built for its place in the file."""
    index: Index = {}
    taken = _Taken((index, around), frozenset({root, *map(URIRef, part.window.names)}))
    nodes: list[Node] = []
    context = part.reading.tree.get("@context")
    for at, question in enumerate(part.own, part.window.first):
        found = compiled.index_of_part(question, via, (str(root), at), context, taken)
        if found is None:
            raise UnusualFileError(REFERRING)
        index.update(found[0])
        nodes.append(found[1])
    return index, nodes


class _Taken:
    """The names that objects before a question have: those of some indexes, and those told of earlier questions."""

    def __init__(self, indexes: tuple[Index, ...], earlier: frozenset[Node]) -> None:
        self._indexes = indexes
        self._earlier = earlier

    def __contains__(self, name: object) -> bool:
        return name in self._earlier or any(name in index for index in self._indexes)

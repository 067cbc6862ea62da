"""Graphs as both backends of named graphs take them (`Outgoing`), in memory or in a temporary file (`Spooled`)."""

from __future__ import annotations

import hashlib
import io
import weakref
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import version
from tempfile import TemporaryFile
from types import MappingProxyType
from typing import TYPE_CHECKING, BinaryIO, Protocol, TypeAlias, cast

import pyoxigraph

from checkpoint_ld import vocabularies
from checkpoint_ld.documents.files import packed
from checkpoint_ld.graph.emission import ntriples_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from _typeshed import WriteableBuffer

    from checkpoint_ld.graph.store import StatementGraph
    from checkpoint_ld.guard.terms import Term


Row = tuple["Term | None", ...]
"""A solution of a query: a term or None for each of its columns."""
NO_PARAMETERS: Mapping[str, Term] = MappingProxyType({})


BLOCK = 1 << 20
"""The bytes in a block."""
_END = b" .\n"


class Spooled:
    """Bytes in a temporary file, which is removed with the object. Only one reader at a time may read it."""

    def __init__(self, parts: Iterable[bytes]) -> None:
        self.file = cast("BinaryIO", TemporaryFile(prefix="checkpoint-ld-"))  # noqa: SIM115 - it lives as long as this
        weakref.finalize(self, self.file.close)
        self.file.writelines(parts)
        self._size = self.file.tell()

    def __len__(self) -> int:
        return self._size


Body: TypeAlias = bytes | Spooled
"""The body of a request."""


class Joined(io.RawIOBase):
    """Parts of bytes as a file to read once, without joining them in memory."""

    def __init__(self, parts: Iterable[bytes]) -> None:
        self._parts = iter(parts)
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Read into a buffer, and return the number of bytes; 0 at the end."""
        while not self._rest:
            part = next(self._parts, None)
            if part is None:
                return 0
            self._rest = memoryview(part)
        view = memoryview(buffer)
        size = min(len(view), len(self._rest))
        view[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size


def opened(body: Body) -> BinaryIO:
    """Return a body as a file at its start."""
    if not isinstance(body, Spooled):
        return io.BytesIO(body)
    body.file.seek(0)
    return body.file


def blocks(body: Body) -> Iterator[bytes]:
    """Yield a body in blocks, so that only one block is copied at a time."""
    file = opened(body)
    while block := file.read(BLOCK):
        yield block


def compressed(body: Body) -> Body:
    """Return a body packed with gzip; the same body gives the same bytes."""
    parts = packed(blocks(body))
    return Spooled(parts) if isinstance(body, Spooled) else b"".join(parts)


def parsed(body: Body) -> Iterator[pyoxigraph.Quad]:
    """Yield the statements of N-Triples."""
    return pyoxigraph.parse(opened(body), format=pyoxigraph.RdfFormat.N_TRIPLES)


def block(statements: Iterable[pyoxigraph.Triple]) -> str:
    """Return statements in the syntax of SPARQL, for use between braces."""
    # pyoxigraph escapes terms, and refuses invalid IRIs.
    return " ".join(f"{statement} ." for statement in statements)


@dataclass(frozen=True, slots=True)
class FileState:
    """The state of a file when it was read: its SHA-256, its size, and the time of its last change in nanoseconds."""

    sha256: str = ""
    size: int = 0
    modified: int = 0


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A graph to send: its name, its sorted N-Triples, their number and SHA-256, and its source.

    `root` is the checkpoint's root, which names the graph unless another version is kept beside. `file` is the state of
    the source. If the source is unchanged since it was sent, `read` reads it when its triples are needed after all.
    """

    graph: str
    triples: Body = field(repr=False)
    count: int
    sha256: str
    source: str = ""
    root: str = ""
    file: FileState = FileState()
    read: Callable[[], Outgoing] | None = field(default=None, repr=False, compare=False)

    def whole(self) -> Outgoing:
        """Return this graph with its triples. Raises as reading does."""
        return self if self.read is None else replace(self.read(), graph=self.graph, file=self.file)


def outgoing(graph: StatementGraph, source: str = "") -> Outgoing:
    """Return the graph of a checkpoint for sending; `source` is its name in messages."""
    triples = ntriples_of(graph)
    root, sha256 = str(graph.root), hashlib.sha256(triples).hexdigest()
    return Outgoing(root, triples, triples.count(b"\n"), sha256, source, root)


def outgoing_of_quads(lines: Iterable[bytes], source: str = "") -> Outgoing:
    """Return the graph of sorted N-Quads, line by line, for a graph that is too large for memory.

    It is kept in a temporary file. All lines name the same graph.
    """
    graph, count, hashed = "", 0, hashlib.sha256()

    def triples() -> Iterator[bytes]:
        nonlocal graph, count
        end = b""
        for line in lines:
            if not end:
                [quad] = pyoxigraph.parse(line, format=pyoxigraph.RdfFormat.N_QUADS)
                graph = getattr(quad.graph_name, "value", "")
                end = b" " + line.rsplit(b" ", 2)[1] + _END
            triple = line.removesuffix(end) + _END
            count += 1
            hashed.update(triple)
            yield triple

    spooled = Spooled(triples())
    return Outgoing(graph, spooled, count, hashed.hexdigest(), source, graph)


def outgoing_of_vocabularies() -> Iterator[Outgoing]:
    """Yield the shipped vocabularies, each as the graph of its IRI, with its version.

    Blank nodes, such as those of lists of classes, become IRIs, so that sending it again is idempotent.
    """
    for name in vocabularies.NAMES:
        graph, named = vocabularies.iri_of(name), dict[str, str]()

        def text(term: object, graph: str = graph, named: dict[str, str] = named) -> str:
            blank = isinstance(term, pyoxigraph.BlankNode)
            return named.setdefault(str(term), f"<{graph}node{len(named)}>") if blank else str(term)

        triples = "".join(sorted(f"{' '.join(map(text, one))} .\n" for one in vocabularies.statements(name))).encode()
        sha256 = hashlib.sha256(triples).hexdigest()
        yield Outgoing(graph, triples, triples.count(b"\n"), sha256, f"vocabulary {name}", graph)


def beside(graph: str, sha256: str) -> str:
    """Return the name under which a version of a checkpoint is kept beside another one, which is called `graph`."""
    return f"{graph}#{sha256[:16]}"


def quads_of(graphs: Iterable[Outgoing]) -> Iterator[bytes]:
    """Yield the N-Quads of graphs, line by line."""
    for graph in graphs:
        end = f" {pyoxigraph.NamedNode(graph.graph)} .\n".encode()
        for line in opened(graph.triples):
            yield line.removesuffix(_END) + end


class NamedGraphs(Protocol):
    """Named graphs in a folder (`holdings.Holdings`) or on a server (`server.SparqlClient`).

    Graphs are sorted N-Triples. All methods raise a StoreError if the place fails.
    """

    @property
    def where(self) -> str:
        """The place, for messages."""

    def checkpoints(self) -> list[str]:
        """Return the sorted names of the graphs of checkpoints."""

    def unfinished(self) -> frozenset[str]:
        """Return the names of graphs whose writing was interrupted, which count as absent."""

    def select(self, text: str, parameters: Mapping[str, Term] = NO_PARAMETERS) -> Sequence[Row]:
        """Return the solutions of a query of this package."""

    def count(self, graphs: Iterable[str]) -> dict[str, int]:
        """Return the number of statements of each of the graphs, 0 for a missing graph."""

    def read(self, graph: str) -> bytes | None:
        """Return a graph, None if there is none of that name."""

    def holds(self, graph: str, triples: Body) -> bool:
        """Return whether a graph holds exactly these statements."""

    def add(self, graph: str, triples: Body, *, source: str = "") -> bool:
        """Add a graph unless its name exists; return whether it was added."""

    def change(self, graph: str, triples: Body, before: bytes) -> bool:
        """Write the differences of a graph if it is still `before`; return whether it was."""

    def replace(self, graph: str, triples: Body, *, source: str = "") -> None:
        """Replace a graph; `source` is its file."""

    def drop(self, graph: str) -> bool:
        """Remove a graph; return whether it existed."""


@cache
def software() -> str:
    """Return the version of this package; another version may make other statements from the same file."""
    return version("checkpoint-ld")

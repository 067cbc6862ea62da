"""The backend of graph stores: named graphs in one place, a collection on disk or a server, and what is sent there."""

from __future__ import annotations

import hashlib
import io
import weakref
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from tempfile import TemporaryFile
from types import MappingProxyType
from typing import TYPE_CHECKING, BinaryIO, Protocol, TypeAlias, cast

import pyoxigraph

from checkpoint_ld.documents.files import packed
from checkpoint_ld.graph.emission import ntriples_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from checkpoint_ld.graph.store import StatementGraph
    from checkpoint_ld.sparql.result import Term


Row = tuple["Term | None", ...]
"""One solution of a query: a term or None for each of its columns."""
NO_PARAMETERS: Mapping[str, Term] = MappingProxyType({})


class Backend(Protocol):
    """Named graphs that can be listed, read, written and queried; every method raises StoreError where that fails.

    A graph is given by its IRI and its N-Triples. `embedded` and `server` have the implementations.
    """

    @property
    def where(self) -> str:
        """What the place is called in messages."""

    def working(self, *, writing: bool) -> AbstractContextManager[object]:
        """Keep the place as it is for others during several steps, as far as it can be; StoreBusyError if others do."""

    def checkpoints(self) -> list[str]:
        """Return the names of the graphs that hold a checkpoint of that name, sorted; there may be other graphs too."""

    def unfinished(self) -> frozenset[str]:
        """Return the names of graphs whose writing was interrupted, which are as good as absent."""

    def select(self, text: str, parameters: Mapping[str, Term] = NO_PARAMETERS) -> Sequence[Row]:
        """Return the solutions of a query of ours; `parameters` are bound as `sparql.parameters` does."""

    def count(self, graphs: Iterable[str]) -> dict[str, int]:
        """Return how many statements each of the graphs holds, 0 for one that is not there."""

    def read(self, graph: str) -> bytes | None:
        """Return the N-Triples of a graph, None where there is no such graph; of one that lost all, there are none."""

    def holds(self, graph: str, triples: Body) -> bool:
        """Return whether a graph is there and says exactly this, by value."""

    def add(self, graph: str, triples: Body, *, source: str = "") -> bool:
        """Make a graph unless there is one of its name; return whether it was made. `source` is its file's path."""

    def change(self, graph: str, triples: Body, before: bytes) -> bool:
        """Put a graph in the place of one that reads `before`; false if that has become another one meanwhile."""

    def replace(self, graph: str, triples: Body, *, source: str = "") -> None:
        """Make a graph hold this and nothing else, whatever it holds."""

    def drop(self, graph: str) -> bool:
        """Take a graph away; return whether it was there as a whole."""

    def renew(self) -> None:
        """Make a place that is damaged usable again; what can be kept of it is moved aside."""

    def close(self) -> None:
        """Let go of what is open; the next use opens it again."""


BLOCK = 1 << 20
"""Bytes that are handed on at a time."""
_END = b" .\n"


class Spooled:
    """Bytes in a temporary file, which goes when nobody refers to it any more. One reads at a time."""

    def __init__(self, parts: Iterable[bytes]) -> None:
        self.file = cast("BinaryIO", TemporaryFile(prefix="checkpoint-ld-"))  # noqa: SIM115 - it lives as long as this
        weakref.finalize(self, self.file.close)
        self.file.writelines(parts)
        self._size = self.file.tell()

    def __len__(self) -> int:
        return self._size


Body: TypeAlias = bytes | Spooled
"""What is sent."""


def opened(body: Body) -> BinaryIO:
    """Return a body as a file to be read from its start."""
    if not isinstance(body, Spooled):
        return io.BytesIO(body)
    body.file.seek(0)
    return body.file


def blocks(body: Body) -> Iterator[bytes]:
    """Yield a body in blocks, so that no more than one of them is there twice."""
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
    """Return statements as they stand between braces in SPARQL."""
    # The terms write themselves, escaped; a name that is no IRI cannot be made into one.
    return " ".join(f"{one} ." for one in statements)


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One graph to send: its name, its sorted N-Triples with how many there are and their SHA-256, and its source."""

    graph: str
    triples: Body = field(repr=False)
    count: int
    sha256: str
    source: str = ""


def outgoing(graph: StatementGraph, source: str = "") -> Outgoing:
    """Return the graph of a checkpoint as it is sent; `source` is what messages call it."""
    triples = ntriples_of(graph)
    return Outgoing(str(graph.root), triples, triples.count(b"\n"), hashlib.sha256(triples).hexdigest(), source)


def outgoing_of_quads(lines: Iterable[bytes], source: str = "") -> Outgoing:
    """Return the graph whose sorted N-Quads come line by line: what is too large to be held in memory.

    It stands in a temporary file, which goes when nobody refers to the graph any more. All lines name the same graph.
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
    return Outgoing(graph, spooled, count, hashed.hexdigest(), source)


def quads_of(graphs: Iterable[Outgoing]) -> Iterator[bytes]:
    """Yield the N-Quads of graphs, line by line."""
    for one in graphs:
        end = f" {pyoxigraph.NamedNode(one.graph)} .\n".encode()
        for line in opened(one.triples):
            yield line.removesuffix(_END) + end


@cache
def software() -> str:
    """Return the version of this package: another one may make other statements of the same file."""
    return version("checkpoint-ld")

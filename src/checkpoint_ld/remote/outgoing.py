"""Outgoing graphs: checkpoints as they are sent, under the IRI of their root."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pyoxigraph

from checkpoint_ld.emission import ntriples_of
from checkpoint_ld.remote.spooled import Body, Spooled, opened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checkpoint_ld.graph.statement_graph import StatementGraph


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
    reading = _Reading()
    spooled = Spooled(reading.triples(lines))
    return Outgoing(reading.graph, spooled, reading.count, reading.hashed.hexdigest(), source)


def quads_of(graphs: Iterable[Outgoing]) -> Iterator[bytes]:
    """Yield the N-Quads of graphs, line by line."""
    for one in graphs:
        end = f" {pyoxigraph.NamedNode(one.graph)} .\n".encode()
        for line in opened(one.triples):
            yield line.removesuffix(_END) + end


_END = b" .\n"


class _Reading:
    """What is known of a graph when all its lines have gone through."""

    def __init__(self) -> None:
        self.graph = ""
        self.count = 0
        self.hashed = hashlib.sha256()

    def triples(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """Yield N-Quads as N-Triples."""
        end = b""
        for line in lines:
            if not end:
                [quad] = pyoxigraph.parse(line, format=pyoxigraph.RdfFormat.N_QUADS)
                self.graph = getattr(quad.graph_name, "value", "")
                end = b" " + line.rsplit(b" ", 2)[1] + _END
            triple = line.removesuffix(end) + _END
            self.count += 1
            self.hashed.update(triple)
            yield triple

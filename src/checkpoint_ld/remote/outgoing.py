"""Outgoing graphs: checkpoints as they are sent, under the IRI of their root."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from checkpoint_ld.emission import ntriples_of

if TYPE_CHECKING:
    from checkpoint_ld.graph.checkpoint_graph import CheckpointGraph


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One graph to send: its name, its sorted N-Triples with how many there are and their SHA-256, and its source."""

    graph: str
    triples: bytes = field(repr=False)
    count: int
    sha256: str
    source: str = ""


def outgoing(graph: CheckpointGraph, source: str = "") -> Outgoing:
    """Return the graph of a checkpoint as it is sent; `source` is what messages call it."""
    triples = ntriples_of(graph)
    return Outgoing(str(graph.root), triples, triples.count(b"\n"), hashlib.sha256(triples).hexdigest(), source)

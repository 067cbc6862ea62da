"""Pulling: the graphs of a triple store as checkpoints again."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from checkpoint_ld import families
from checkpoint_ld.errors import LookupFailedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checkpoint_ld.families import Source
    from checkpoint_ld.remote.client import SparqlClient

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST = 60


def pull(client: SparqlClient, graphs: Iterable[str] = ()) -> Iterator[tuple[str, Source]]:
    """Yield the checkpoints that a store holds, or those of the given names, each with its name and as it was read.

    Raises LookupFailedError for a name that no graph has, ReadError for a graph that is no checkpoint, and StoreError
    for one that does not come whole.
    """
    for graph in list(graphs) or client.checkpoints():
        triples = client.read(graph)
        if triples is None:
            raise LookupFailedError(f"the store has no graph {graph}")
        yield graph, families.examine_bytes(triples, graph, syntax="nt")


def file_name(graph: str, extension: str) -> str:
    """Return a file's name for a graph: readable, safe in every file system, and different for different graphs."""
    stem = _UNSAFE.sub("-", graph.removeprefix("urn:uuid:")).strip("-.")[:_LONGEST] or "graph"
    return f"{stem}-{hashlib.sha256(graph.encode()).hexdigest()[:8]}{extension}"

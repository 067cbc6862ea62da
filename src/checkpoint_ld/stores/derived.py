"""The store of derived statements of a collection, for fast queries about them.

Its graphs hold the statements of the collection and those derived from them. It is made on request and updated with the
collection. It records the source of each graph, so that it can be deleted at any time.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Final

import pyoxigraph
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat
from rdflib import URIRef

from checkpoint_ld import families
from checkpoint_ld.graph import emission
from checkpoint_ld.stores.backend import software
from checkpoint_ld.stores.directory import collection_errors
from checkpoint_ld.stores.holdings import MANIFEST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from checkpoint_ld.stores.holdings import Holdings

FOLDER: Final = "derived"
_NOTE = NamedNode("urn:checkpoint-ld:collection#derivedFrom")
_BATCH = 100
"""The number of graphs that are written before they are recorded, which an interruption loses."""


def is_kept(holdings: Holdings) -> bool:
    """Return whether a collection keeps derived statements."""
    return (holdings.directory.folder / FOLDER).is_dir()


def keep(holdings: Holdings, progress: Callable[[str, int], None] | None = None) -> int:
    """Update the derived statements to the state of the collection, and return the number of changed graphs.

    `progress` is called with the name of each graph before its turn, and with their number.
    """
    wanted = _wanted(holdings)

    def statements(graphs: Iterable[str]) -> Iterator[bytes]:
        for graph in graphs:
            if progress is not None:
                progress(graph, len(missing))
            derived = families.inferred(holdings.graph_of(graph))
            derived.root = URIRef(graph)  # which is the name of the graph in N-Quads
            yield emission.nquads_of(derived)

    with collection_errors(holdings.directory.folder):
        store = pyoxigraph.Store(holdings.directory.folder / FOLDER)
        recorded = _recorded(store)
        stale = {graph for graph, origin in recorded.items() if wanted.get(graph) != origin}
        for graph in stale:
            name = NamedNode(graph)
            store.update(f"DELETE WHERE {{ GRAPH {MANIFEST} {{ {name} ?p ?o }} }} ; DROP SILENT GRAPH {name}")
        missing = [graph for graph in wanted if graph in stale or graph not in recorded]
        for batch in (missing[start : start + _BATCH] for start in range(0, len(missing), _BATCH)):
            for graph in batch:  # a part of it may remain after an interruption
                store.remove_graph(NamedNode(graph))
            store.flush()
            store.bulk_load(b"".join(statements(batch)), format=RdfFormat.N_QUADS)
            store.extend([Quad(NamedNode(graph), _NOTE, Literal(wanted[graph]), MANIFEST) for graph in batch])
        if missing:
            store.optimize()
        store.flush()
    return len(stale.union(missing))


def forget(holdings: Holdings) -> None:
    """Delete the derived statements."""
    shutil.rmtree(holdings.directory.folder / FOLDER, ignore_errors=True)


def current(holdings: Holdings) -> tuple[pyoxigraph.Store, Path] | None:
    """Return the store of derived statements and its path, None unless it is up to date."""
    if not is_kept(holdings):
        return None
    location = holdings.directory.folder / FOLDER
    with collection_errors(holdings.directory.folder):
        store = pyoxigraph.Store.read_only(str(location))
        return (store, location) if _recorded(store) == _wanted(holdings) else None


def _wanted(holdings: Holdings) -> dict[str, str]:
    # Another version of this package may derive other statements of the same graph.
    return {graph: f"{entry.sha256} {software()}" for graph, entry in holdings.entries.items() if entry.is_done}


def _recorded(store: pyoxigraph.Store) -> dict[str, str]:
    return {
        quad.subject.value: quad.object.value
        for quad in store.quads_for_pattern(None, _NOTE, None, MANIFEST)
        if isinstance(quad.subject, NamedNode) and isinstance(quad.object, Literal)
    }

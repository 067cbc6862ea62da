"""Graphs in a collection on disk, each with its entry in the manifest."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING

import pyoxigraph
from pyoxigraph import QuerySolutions, RdfFormat

from checkpoint_ld.collection import lexical_forms
from checkpoint_ld.collection.directory import explained
from checkpoint_ld.collection.entry import Entry, FileState
from checkpoint_ld.collection.holdings import Holdings, Load, digest
from checkpoint_ld.collection.preparation import software
from checkpoint_ld.errors import StoreError
from checkpoint_ld.sparql.guard import PREFIXES
from checkpoint_ld.sparql.parameters import bound

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from checkpoint_ld.remote.outgoing import Outgoing
    from checkpoint_ld.sparql.terms import Term
    from checkpoint_ld.stores.graphs.graphs import Row
    from checkpoint_ld.stores.graphs.sharing import LentCollection, SharedCollection

FAMILY, DIALECT = "agent", "agent-canonical"


class EmbeddedGraphs:
    """The graphs of one collection. What each method does is told by `Graphs`."""

    def __init__(self, collection: SharedCollection | LentCollection) -> None:
        self.where = str(collection.folder)
        self._collection = collection

    @contextmanager
    def working(self, *, writing: bool) -> Iterator[None]:
        """Keep other threads out, and other processes if it is `writing`."""
        with self._held(writing=writing):
            yield

    def select(self, text: str, parameters: Mapping[str, Term] = MappingProxyType({})) -> Sequence[Row]:
        """Return the solutions of a query; where there is no collection, there are none."""
        with self._held() as holdings:
            if holdings is None:
                return []
            found = holdings.directory.store.query(bound(text, parameters), prefixes=PREFIXES)
            assert isinstance(found, QuerySolutions)  # noqa: S101 - it is a SELECT
            return [tuple(row) for row in found]

    def read(self, graph: str) -> bytes | None:
        """Return the sorted N-Triples of a graph, to the letter as they were written."""
        with self._held() as holdings:
            if holdings is None or graph in _unfinished(holdings):
                return None
            triples = pyoxigraph.serialize(holdings.statements(graph), format=RdfFormat.N_TRIPLES) or b""
            return triples if triples or graph in holdings.entries else None

    def add(self, graph: Outgoing, title: str) -> bool:
        """Make a graph unless there is one."""
        with self._writable() as holdings:
            held = holdings.entries.get(graph.graph)
            if held is not None and held.is_done:
                return False
            self._load(holdings, load_of(graph, title))
            return True

    def change(self, graph: Outgoing, title: str, before: bytes) -> bool:  # noqa: ARG002 - it cannot have changed
        """Change what is different in a graph, in one transaction; nobody else can have changed it in the meantime."""
        with self._writable() as holdings:
            holdings.amend(_from_same_source(holdings, load_of(graph, title)))
            return True

    def replace(self, graph: Outgoing, title: str) -> None:
        """Write a graph anew."""
        with self._writable() as holdings:
            self._load(holdings, _from_same_source(holdings, load_of(graph, title)))

    def drop(self, graph: str) -> bool:
        """Take out a graph and its entry."""
        with self._held() as there:
            if there is None:
                return False
        with self._writable() as holdings:
            held = holdings.entries.get(graph)
            holdings.drop([graph])
            return held is not None and held.is_done

    def holds(self, graph: Outgoing) -> bool:
        """Tell whether a graph says this to the letter, and its entry and the merge of all graphs do so as well."""
        with self._held() as holdings:
            if holdings is None:
                return False
            wanted = load_of(graph, "").entry
            entry = holdings.entries.get(graph.graph)
            if entry is None or not entry.is_done or entry.sha256 != wanted.sha256:
                return False
            return digest(holdings.statements(graph.graph)) == wanted.sha256 and holdings.is_merged(graph.graph)

    def unfinished(self) -> frozenset[str]:
        """Return the names of graphs whose loading was interrupted."""
        with self._held() as holdings:
            return frozenset() if holdings is None else _unfinished(holdings)

    def listed(self) -> frozenset[str]:
        """Return the names of all graphs that the manifest says are done, those of benchmarks among them."""
        with self._held() as holdings:
            return frozenset(name for name, one in holdings.entries.items() if one.is_done) if holdings else frozenset()

    def renew(self) -> None:
        """Move a damaged collection aside."""
        self._collection.renew()

    def close(self) -> None:
        """Let other processes have the collection."""
        self._collection.let_go()

    @contextmanager
    def _held(self, *, writing: bool = False) -> Iterator[Holdings | None]:
        folder = self._collection.folder
        with self._collection.using(writing=writing) as holdings, explained(folder):
            yield holdings

    @contextmanager
    def _writable(self) -> Iterator[Holdings]:
        with self._held(writing=True) as holdings:
            assert holdings is not None  # noqa: S101 - who writes makes a collection
            yield holdings

    def _load(self, holdings: Holdings, load: Load) -> None:
        if holdings.load([load]):
            raise StoreError(f"{self.where}: {load.entry.graph} could not be written as a whole; try again")


def load_of(graph: Outgoing, title: str) -> Load:
    """Return what is to be loaded for the graph of an agent checkpoint."""
    assert isinstance(graph.triples, bytes)  # noqa: S101 - it was made in memory
    written = _parsed(graph.triples)
    held = lexical_forms.rewritten(written)
    entry = Entry(
        graph=graph.graph,
        root=graph.graph,
        name=title,
        source=graph.source,
        sha256=digest(written),
        triples=len(held),
        family=FAMILY,
        dialect=DIALECT,
        file=FileState("", 0, 0),
        loaded=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        software=software(),
    )
    return Load(entry, tuple(held), lexical_forms.kept(held))


def _from_same_source(holdings: Holdings, load: Load) -> Load:
    """Return what is to be loaded, from where the graph came before unless it says another place."""
    held = holdings.entries.get(load.entry.graph)
    source = load.entry.source or (held.source if held is not None else "")
    return replace(load, entry=replace(load.entry, source=source))


def _parsed(triples: bytes) -> list[pyoxigraph.Triple]:
    return [quad.triple for quad in pyoxigraph.parse(triples, format=RdfFormat.N_TRIPLES)]


def _unfinished(holdings: Holdings) -> frozenset[str]:
    return frozenset(one.graph for one in holdings.unfinished())

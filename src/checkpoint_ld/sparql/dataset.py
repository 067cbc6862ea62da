"""Checkpoints in memory, each in a graph of its own, to be queried together."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import pyoxigraph

from checkpoint_ld.emission import ntriples_of
from checkpoint_ld.sparql.running import MANIFEST, Engine, run
from checkpoint_ld.vocabulary import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from checkpoint_ld.graph.statement_graph import StatementGraph
    from checkpoint_ld.sparql.result import QueryResult

_MANIFEST = pyoxigraph.NamedNode(MANIFEST)
_DIALECT = pyoxigraph.NamedNode(SCHEMA + "encodingFormat")


class Dataset:
    """Graphs of checkpoints in an in-memory store of Oxigraph, whose default graph is their merge.

    Each graph is named by the IRI of its root. If another checkpoint with other content has that name already, such as
    another version of one benchmark, the name is that IRI, `#`, and 16 digits of the hash of the content.
    """

    def __init__(self) -> None:
        self.store = pyoxigraph.Store()
        self._hashes: dict[str, str] = {}

    @classmethod
    def of_graphs(cls, graphs: Iterable[StatementGraph]) -> Dataset:
        """Make a dataset of checkpoints; the same content twice counts once."""
        made = cls()
        for graph in graphs:
            made.add(graph)
        return made

    def add(self, graph: StatementGraph, *, dialect: str | None = None) -> str:
        """Add a checkpoint, as it is now; return the name of its graph.

        A `dialect`, if given, is told in the graph `MANIFEST`, as collections tell it.
        """
        data = ntriples_of(graph)
        content = hashlib.sha256(data).hexdigest()
        name = str(graph.root)
        if self._hashes.get(name, content) != content:
            name = f"{name}#{content[:16]}"
        if name not in self._hashes:
            self._hashes[name] = content
            target = pyoxigraph.NamedNode(name)
            for place in (target, pyoxigraph.DefaultGraph()):
                self.store.bulk_load(data, format=pyoxigraph.RdfFormat.N_TRIPLES, to_graph=place)
            if dialect is not None:
                self.store.add(pyoxigraph.Quad(target, _DIALECT, pyoxigraph.Literal(dialect), _MANIFEST))
        return name

    @property
    def graphs(self) -> tuple[str, ...]:
        """The names of the graphs, in the order in which they came."""
        return tuple(self._hashes)

    def query(  # noqa: PLR0913 - all but the first are named
        self,
        text: str,
        *,
        parameters: Mapping[str, Any] | None = None,
        engine: Engine = "oxigraph",
        timeout: float | None = None,
        max_rows: int | None = None,
        services: Collection[str] = (),
    ) -> QueryResult:
        """Return the result of a query; parameters and errors are those of `checkpoint_ld.sparql.run`."""
        limits: dict[str, Any] = {"timeout": timeout, "max_rows": max_rows, "services": services}
        return run(self.store, text, parameters=parameters, engine=engine, **limits)

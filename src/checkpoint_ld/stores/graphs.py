"""`GraphStore`: agent checkpoints as named graphs, in a collection on disk or behind a SPARQL service."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyoxigraph import Literal, NamedNode

from checkpoint_ld import rdf
from checkpoint_ld.agent.checkpoint import AgentCheckpoint
from checkpoint_ld.agent.graph import AgentGraph
from checkpoint_ld.agent.names import derived, iri
from checkpoint_ld.agent.text import sha256_of
from checkpoint_ld.arguments import CheckedMethods
from checkpoint_ld.documents.values import ABSENT, Absent, shown
from checkpoint_ld.emission import ntriples_of
from checkpoint_ld.errors import (
    CheckpointExists,
    CountMismatchError,
    FindingsError,
    IntegrityError,
    ReadError,
    StoreBusyError,
    WriteError,
)
from checkpoint_ld.findings import Place
from checkpoint_ld.rules import finding
from checkpoint_ld.stores import graph_queries
from checkpoint_ld.stores.embedded import LentGraphs, shared
from checkpoint_ld.stores.protocol import CAPABILITIES, EVERYTHING, RESET, Put, amended, not_found, store_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from checkpoint_ld.findings import Finding
    from checkpoint_ld.stores.backend import Backend
    from checkpoint_ld.stores.collection import Collection
    from checkpoint_ld.stores.protocol import Filter, Header

_PAGE = 500
"""Headers that one query returns."""
_TRIES = 5
"""How often something is tried again that others keep getting in the way of."""
_SERVERS = ("http://", "https://")


class GraphStore(CheckedMethods):
    """Agent checkpoints in a collection: given as such, by its path, or by the URL of a SPARQL service.

    Each is one named graph, called by the checkpoint's IRI, with what PROV-O says of it. Other graphs, such as those of
    benchmarks, are left alone. It is opened at first use, and a collection made if it is not there. One process at a
    time may write a collection: the methods wait ten seconds for others, and raise StoreBusyError then. All methods
    raise IntegrityError for a collection or a graph that is damaged, and StoreError for what else goes wrong.

    Credentials for a server come from where they do for a push: environment variables, or a netrc file. `stores.server`
    says what a server promises about two who write one id at once. Raises SettingsError for a text that is neither the
    path of a folder nor a URL of http. `path` is that of a collection that is named by it.
    """

    capabilities = CAPABILITIES | {RESET}

    def __init__(self, collection: Collection | str | os.PathLike[str]) -> None:
        self._given = collection
        self.path: Path | None = None
        is_served = isinstance(collection, str) and collection.lower().startswith(_SERVERS)
        if isinstance(collection, (str, os.PathLike)) and not is_served:
            self._given = self.path = store_path(collection, is_folder=True)
        self._opened: Backend | None = None
        self._guard = threading.Lock()

    def put(
        self,
        checkpoint: AgentCheckpoint,
        *,
        file_name: str | None = None,
        source_sha256: str | None = None,  # noqa: ARG002 - there is no place for it
    ) -> Put:
        """Add the checkpoint's graph; `file_name` becomes its source in the manifest.

        Raises CheckpointExists where the id is taken by other content.
        """
        name, triples, sha256 = iri("checkpoint", checkpoint.id), _triples(checkpoint), checkpoint.sha256
        for _ in range(_TRIES):
            with self._graphs.working(writing=True):
                created = self._graphs.add(name, triples, source=file_name or "")
                held = {sha256} if created else self._hashes(name)
            if held:
                break  # otherwise it was deleted by somebody else between the two steps, or is damaged
        if held != {sha256}:
            raise CheckpointExists(
                f"{self._graphs.where}: holds {checkpoint.id!r} already with other content: "
                f"its hash is {', '.join(sorted(held)) or 'not there'}, that of the new one {sha256}"
            )
        return Put(None, created=created)

    def replace(
        self,
        checkpoint: AgentCheckpoint,
        *,
        file_name: str | None = None,
        source_sha256: str | None = None,  # noqa: ARG002 - as for put
    ) -> None:
        """Put the checkpoint's graph in the place of what is there under its id, as a repair from its file."""
        with self._graphs.working(writing=True):
            self._make_hold(checkpoint, file_name or "")

    def get(self, checkpoint_id: str, /) -> AgentCheckpoint:
        """Return the checkpoint.

        Raises CheckpointNotFound, and IntegrityError where what is there does not fit the hash that was stored with it.
        """
        return self._restored(self._read(checkpoint_id), checkpoint_id)

    def headers(self, wanted: Filter = EVERYTHING, /) -> Iterator[Header]:
        """Yield the headers of all checkpoints that fit, some hundreds at a time, with their hashes."""
        if wanted.limit == 0:
            return
        with self._graphs.working(writing=False):
            rows = self._graphs.select(*graph_queries.keys_query(wanted))
            keys = graph_queries.keys_of(rows, wanted, self._graphs.unfinished())
        for start in range(0, len(keys), _PAGE):
            page = keys[start : start + _PAGE]
            yield from graph_queries.headers_of(self._graphs.select(graph_queries.headers_query(page)), page)

    def update_metadata(
        self,
        checkpoint_id: str,
        /,
        *,
        name: str | Absent | None = ABSENT,
        description: str | Absent | None = ABSENT,
        metadata: Mapping[str, Any] | Absent = ABSENT,
    ) -> AgentCheckpoint:
        """Change name, description or metadata of the checkpoint, nothing else of its graph; what is ABSENT stays."""
        for _ in range(_TRIES):
            with self._graphs.working(writing=True):
                read = self._read(checkpoint_id)
                before = self._restored(read, checkpoint_id)
                changed = amended(before, name=name, description=description, metadata=metadata)
                if self._graphs.change(iri("checkpoint", checkpoint_id), _triples(changed), read):
                    return changed
        raise StoreBusyError(f"{self._graphs.where}: others change {checkpoint_id!r} all the time; try again")

    def delete(self, checkpoint_id: str, /) -> bool:
        """Take the checkpoint's graph away; return whether it was there."""
        return self._graphs.drop(iri("checkpoint", checkpoint_id))

    def verify(self, *, repair: bool = False) -> Iterator[Finding]:
        """Yield what is wrong with graphs: unfinished, not fitting their hash, or with other derived statements.

        With `repair`, what is unfinished is taken out, and derived statements are made again from the checkpoints.
        """
        with self._graphs.working(writing=False):
            names = {term.value for (term,) in self._graphs.select(graph_queries.NAMES) if isinstance(term, NamedNode)}
            names |= {*self._graphs.checkpoints(), *self._graphs.unfinished()}
        for name in sorted(names):
            known = graph_queries.identifier_of(name)
            found = None if known is None else self._fault(name, known, repair=repair)
            if found is not None:
                yield replace(found, place=Place(self._graphs.where))

    def reset(self) -> None:
        """Take out all agent checkpoints, and nothing else; a collection that is damaged is moved aside first."""
        self._graphs.renew()
        for known in graph_queries.identifiers(self._graphs.select(graph_queries.NAMES)):
            self.delete(known)

    def close(self) -> None:
        """Close the collection, unless it was given open, or the connection."""
        if self._opened is not None:
            self._opened.close()

    @property
    def _graphs(self) -> Backend:
        with self._guard:
            if self._opened is None:
                self._opened = _backend_of(self._given)
            return self._opened

    def _read(self, checkpoint_id: str) -> bytes:
        found = self._graphs.read(iri("checkpoint", checkpoint_id))
        if found is None:
            known = graph_queries.identifiers(self._graphs.select(graph_queries.NAMES))
            raise not_found(checkpoint_id, known, self._graphs.where)
        return found

    def _hashes(self, name: str) -> set[str]:
        rows = self._graphs.select(graph_queries.HASHES, {"c": NamedNode(name)})
        return {term.value for (term,) in rows if isinstance(term, Literal)}

    def _make_hold(self, checkpoint: AgentCheckpoint, source: str = "") -> bool:
        """Make the store hold a checkpoint's graph; return whether it did so already."""
        name, triples = iri("checkpoint", checkpoint.id), _triples(checkpoint)
        if self._graphs.holds(name, triples):
            return True
        self._graphs.replace(name, triples, source=source)
        if not self._graphs.holds(name, triples):
            raise CountMismatchError(f"{name}: the store holds something else than was sent; try again", (name,))
        return False

    def _fault(self, name: str, known: str, *, repair: bool) -> Finding | None:
        subject = shown(known)
        with self._graphs.working(writing=repair):
            if name in self._graphs.unfinished():
                if repair:
                    self._graphs.drop(name)
                message = f"the writing of its graph was interrupted{', which was taken out' if repair else ''}"
                return finding("agent-graph-unfinished", message, subject=subject)
            triples = self._graphs.read(name)
            if triples is None:  # deleted meanwhile
                return None
            try:
                checkpoint = self._restored(triples, known)
            except IntegrityError as error:
                return finding("agent-graph-damaged", str(error), subject=subject)
            if self._make_hold(checkpoint) if repair else self._graphs.holds(name, _triples(checkpoint)):
                return None
        message = f"other statements than those that its checkpoint makes{', which were made again' if repair else ''}"
        return finding("agent-graph-statements", message, subject=subject)

    def _restored(self, triples: bytes, checkpoint_id: str) -> AgentCheckpoint:
        """Return the checkpoint that a graph states.

        Raises IntegrityError unless it is one of that id that fits the hash which is stored with it.
        """
        what = f"{self._graphs.where}: the graph of {shown(checkpoint_id)}"
        try:
            graph = AgentGraph.of_index(rdf.parse(triples, "nt"))
            tree = graph.tree()
            sha256 = sha256_of(tree)
            checkpoint = AgentCheckpoint.of_tree(tree)
        except (ReadError, FindingsError, WriteError) as error:
            raise IntegrityError(f"{what} is damaged: {error}") from error
        stored = sorted(map(str, graph.objects(graph.root, derived("sha256"))))
        if stored != [sha256]:
            raise IntegrityError(f"{what} does not fit its hash {', '.join(stored) or '(there is none)'}; reindex")
        if checkpoint.id != checkpoint_id:
            raise IntegrityError(f"{what} is that of {shown(checkpoint.id)}; reindex")
        return checkpoint


def _triples(checkpoint: AgentCheckpoint) -> bytes:
    """Return the graph of a checkpoint with its provenance layer, as N-Triples."""
    return ntriples_of(AgentGraph.of_tree(checkpoint.tree(), prov=True, sha256=checkpoint.sha256))


def _backend_of(given: Collection | str | os.PathLike[str]) -> Backend:
    if not isinstance(given, (str, os.PathLike)):
        return LentGraphs(given)
    if isinstance(given, str):
        from checkpoint_ld.stores.server import connect  # noqa: PLC0415 - a store on disk needs no client

        return connect(given)
    return shared(Path(given))

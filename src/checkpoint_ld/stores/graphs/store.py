"""`GraphStore`: agent checkpoints as named graphs, to be queried beside benchmarks."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyoxigraph import Literal

from checkpoint_ld.agent.names import iri
from checkpoint_ld.arguments import CheckedMethods
from checkpoint_ld.documents.values import ABSENT, Absent
from checkpoint_ld.errors import CheckpointExists, StoreBusyError
from checkpoint_ld.stores.amendment import amended
from checkpoint_ld.stores.graphs import checking, listing
from checkpoint_ld.stores.graphs.embedded import EmbeddedGraphs
from checkpoint_ld.stores.graphs.sharing import LentCollection, shared
from checkpoint_ld.stores.graphs.statements import graph_of, restored
from checkpoint_ld.stores.nearness import not_found
from checkpoint_ld.stores.protocol import CAPABILITIES, EVERYTHING, RESET, Put, store_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from checkpoint_ld.agent.checkpoint import AgentCheckpoint
    from checkpoint_ld.collection import Collection
    from checkpoint_ld.findings import Finding
    from checkpoint_ld.stores.filters import Filter
    from checkpoint_ld.stores.graphs.graphs import Graphs
    from checkpoint_ld.stores.header import Header

_PAGE = 500
"""Headers that are asked for at a time."""
_TRIES = 5
"""How often something is tried again that others keep getting in the way of."""
_SERVERS = ("http://", "https://")


class GraphStore(CheckedMethods):
    """Agent checkpoints in a collection: given as such, by its path, or by the URL of a SPARQL service.

    Each is one named graph, called by the checkpoint's IRI, with what PROV-O says of it. Other graphs, such as those of
    benchmarks, are left alone. It is opened at first use, and a collection made if it is not there. One process at a
    time may write a collection: the methods wait ten seconds for others, and raise StoreBusyError then. All methods
    raise IntegrityError for a collection or a graph that is damaged, and StoreError for what else goes wrong.

    Who a server has to do with is told as for pushing: by environment variables, or a netrc file. What a server
    promises about two who write one id at once is told by `served`. Raises SettingsError for a text that is neither the
    path of a folder nor a URL of http. `path` is that of a collection that is named by it.
    """

    capabilities = CAPABILITIES | {RESET}

    def __init__(self, collection: Collection | str | os.PathLike[str]) -> None:
        self._given = collection
        self.path: Path | None = None
        if isinstance(collection, os.PathLike) or (isinstance(collection, str) and not _is_served(collection)):
            self._given = self.path = store_path(collection, is_folder=True)
        self._opened: Graphs | None = None

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
        graph, sha256 = graph_of(checkpoint, file_name), checkpoint.sha256
        for _ in range(_TRIES):
            with self._graphs.working(writing=True):
                created = self._graphs.add(graph, checkpoint.name or "")
                held = {sha256} if created else self._hashes(checkpoint.id)
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
        graph = graph_of(checkpoint, file_name)
        with self._graphs.working(writing=True):
            if not self._graphs.holds(graph):
                self._graphs.replace(graph, checkpoint.name or "")

    def get(self, checkpoint_id: str, /) -> AgentCheckpoint:
        """Return the checkpoint.

        Raises CheckpointNotFound, and IntegrityError where what is there does not fit the hash that was stored with it.
        """
        return restored(self._read(checkpoint_id), checkpoint_id, self._graphs.where)

    def headers(self, wanted: Filter = EVERYTHING, /) -> Iterator[Header]:
        """Yield the headers of all checkpoints that fit, some hundreds at a time, with their hashes."""
        if wanted.limit == 0:
            return
        with self._graphs.working(writing=False):
            rows = self._graphs.select(*listing.keys_query(wanted))
            keys = listing.keys_of(rows, wanted, self._graphs.unfinished())
        for start in range(0, len(keys), _PAGE):
            page = keys[start : start + _PAGE]
            yield from listing.headers_of(self._graphs.select(listing.headers_query(page)), page)

    def update_metadata(
        self,
        checkpoint_id: str,
        /,
        *,
        name: str | Absent | None = ABSENT,
        description: str | Absent | None = ABSENT,
        metadata: Mapping[str, Any] | Absent = ABSENT,
    ) -> AgentCheckpoint:
        """Change what is told about the checkpoint, and nothing else of its graph; what is ABSENT stays."""
        for _ in range(_TRIES):
            with self._graphs.working(writing=True):
                read = self._read(checkpoint_id)
                before = restored(read, checkpoint_id, self._graphs.where)
                changed = amended(before, name=name, description=description, metadata=metadata)
                if self._graphs.change(graph_of(changed), changed.name or "", read):
                    return changed
        raise StoreBusyError(f"{self._graphs.where}: others change {checkpoint_id!r} all the time; try again")

    def delete(self, checkpoint_id: str, /) -> bool:
        """Take the checkpoint's graph away; tell whether it was there."""
        return self._graphs.drop(iri("checkpoint", checkpoint_id))

    def verify(self, *, repair: bool = False) -> Iterator[Finding]:
        """Yield what is wrong with graphs: unfinished, not fitting their hash, or with other derived statements.

        With `repair`, what is unfinished is taken out, and derived statements are made again from the checkpoints.
        """
        return checking.findings(self._graphs, repair=repair)

    def reset(self) -> None:
        """Take out all agent checkpoints, and nothing else; a collection that is damaged is moved aside first."""
        self._graphs.renew()
        for (found,) in self._graphs.select(listing.NAMES):
            if (known := listing.identifier(found)) is not None:
                self.delete(known)

    def close(self) -> None:
        """Close the collection, unless it was given open, or the connection."""
        if self._opened is not None:
            self._opened.close()

    @property
    def _graphs(self) -> Graphs:
        if self._opened is None:
            self._opened = _graphs_of(self._given)
        return self._opened

    def _read(self, checkpoint_id: str) -> bytes:
        found = self._graphs.read(iri("checkpoint", checkpoint_id))
        if found is None:
            known = (listing.identifier(name) for (name,) in self._graphs.select(listing.NAMES))
            raise not_found(checkpoint_id, (one for one in known if one is not None), self._graphs.where)
        return found

    def _hashes(self, checkpoint_id: str) -> set[str]:
        rows = self._graphs.select(*listing.hashes_query(checkpoint_id))
        return {term.value for (term,) in rows if isinstance(term, Literal)}


def _graphs_of(given: Collection | str | os.PathLike[str]) -> Graphs:
    if not isinstance(given, (str, os.PathLike)):
        return EmbeddedGraphs(LentCollection(given))
    if isinstance(given, str):
        from checkpoint_ld.stores.graphs.served import ServedGraphs  # noqa: PLC0415 - who asks no server has no client

        return ServedGraphs(given)
    return EmbeddedGraphs(shared(Path(given)))


def _is_served(place: str) -> bool:
    return place.lower().startswith(_SERVERS)

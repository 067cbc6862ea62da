"""Export: a collection as N-Quads or TriG, in one stream or in shards; and its store of derived statements.

One graph follows the other by name, the statements of each sorted and as they were written. Two collections hold the
same exactly if their exports are the same bytes.

Queries that look at derived statements are answered at once in a second store, whose graphs hold what follows from them
as well. It is made on request, follows the collection from then on, and can be thrown away: what each of its graphs was
derived from is noted in it.
"""

from __future__ import annotations

import shutil
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, BinaryIO, Final

import orjson
import pyoxigraph
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat
from rdflib import URIRef

from checkpoint_ld import families
from checkpoint_ld.batch.bulk import in_parts
from checkpoint_ld.documents.files import packed, replace_file
from checkpoint_ld.errors import SettingsError, StoreError, TargetUnwritableError, WriteError
from checkpoint_ld.graph import emission
from checkpoint_ld.graph.literals import renewed
from checkpoint_ld.stores.backend import Spooled, blocks, opened, software
from checkpoint_ld.stores.directory import collection_errors
from checkpoint_ld.stores.holdings import MANIFEST, in_graph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from checkpoint_ld.graph.store import StatementGraph
    from checkpoint_ld.stores.holdings import Holdings


_SHARDS = "shards.json"


@dataclass(frozen=True, slots=True)
class Shard:
    """One file of an export: its name, what it holds, its size in bytes and the SHA-256 of its content as it lies."""

    file: str
    graphs: int
    quads: int
    bytes: int
    sha256: str


def _nquads(holdings: Holdings, graph: str) -> bytes:
    quads = in_graph(holdings.statements(graph), NamedNode(graph))
    return pyoxigraph.serialize(quads, format=RdfFormat.N_QUADS) or b""


def graph_of(holdings: Holdings, graph: str) -> StatementGraph:
    """Return one graph with the name of its own root, to read and to change; the collection knows of no change."""
    entry = holdings.entries[graph]
    index = emission.parse(holdings.triples(graph), "nt")
    return families.restored(index, URIRef(renewed(entry.root)), entry.family)


def _trig(holdings: Holdings, graph: str) -> bytes:
    named = graph_of(holdings, graph)
    named.root = URIRef(graph)
    return emission.trig_of(named)


_WRITERS: dict[str, Callable[[Holdings, str], bytes]] = {"nq": _nquads, "trig": _trig}
"""What a collection can be written as: its graphs one by one, the statements of each sorted."""


def dump(holdings: Holdings, out: BinaryIO, syntax: str) -> None:
    """Write all checkpoints to a file that is open for bytes, without the manifest.

    Raises SettingsError for a syntax that is unknown, StoreError for a graph that was never finished.
    """
    if syntax not in _WRITERS:
        raise SettingsError(f"a collection cannot be written as {syntax!r}: use one of {', '.join(_WRITERS)}")
    out.writelines(_WRITERS[syntax](holdings, graph) for graph in whole(holdings))


def write_shards(holdings: Holdings, folder: Path, *, shards: int, compressed: bool) -> tuple[Shard, ...]:
    """Write N-Quads in up to `shards` files of about one size, the manifest in a file of its own, and their list.

    The list, `shards.json`, comes last: where it is, all are. Raises WriteError for what cannot be written, and for a
    folder that has files already.
    """
    graphs = whole(holdings)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise WriteError(f"{folder}: is there already and is not an empty folder; name a new one")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TargetUnwritableError(f"{folder}: cannot be made: {error.strerror}; choose another folder") from error
    extension = ".nq.gz" if compressed else ".nq"
    written = []
    for number, part in enumerate(in_parts({graph: holdings.entries[graph].triples for graph in graphs}, shards)):
        content = (_nquads(holdings, graph) for graph in part)
        written.append(_write(folder / f"part-{number:05}{extension}", content, len(part)))
    quads = holdings.directory.store.quads_for_pattern(None, None, None, MANIFEST)
    manifest = pyoxigraph.serialize(quads, format=RdfFormat.N_QUADS) or b""
    written.append(_write(folder / f"manifest{extension}", sorted(manifest.splitlines(keepends=True)), 1))
    listed = orjson.dumps([asdict(one) for one in written], option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    replace_file(folder / _SHARDS, listed)
    return tuple(written)


def whole(holdings: Holdings) -> list[str]:
    """Return the names of all graphs, sorted. Raises StoreError while one of them is unfinished."""
    unfinished = [one.graph for one in holdings.entries.values() if not one.is_done]
    if unfinished:
        message = f"{len(unfinished)} checkpoints were not loaded to their end, such as {unfinished[0]}"
        raise StoreError(f"{message}; run `checkpoint-ld store verify --repair` first")
    return sorted(holdings.entries)


def _write(path: Path, content: Iterable[bytes], graphs: int) -> Shard:
    quads = 0

    def counted() -> Iterator[bytes]:
        nonlocal quads
        for text in content:
            quads += text.count(b"\n")
            yield text

    body = Spooled(packed(counted()) if path.suffix == ".gz" else counted())
    hashed = sha256()
    for block in blocks(body):
        hashed.update(block)
    replace_file(path, opened(body))
    return Shard(path.name, graphs, quads, len(body), hashed.hexdigest())


FOLDER: Final = "derived"
_NOTE = NamedNode("urn:checkpoint-ld:collection#derivedFrom")
_BATCH = 100
"""Graphs that are written before they are noted: what an interruption loses."""


def is_kept(holdings: Holdings) -> bool:
    """Return whether a collection keeps derived statements."""
    return (holdings.directory.folder / FOLDER).is_dir()


def keep(holdings: Holdings, progress: Callable[[str, int], None] | None = None) -> int:
    """Bring the derived statements up to what the collection holds, and return how many graphs that concerned.

    `progress` is called with the name of each graph before its turn, and with how many there are.
    """
    wanted = _wanted(holdings)

    def statements(graphs: Iterable[str]) -> Iterator[bytes]:
        for graph in graphs:
            if progress is not None:
                progress(graph, len(missing))
            derived = families.inferred(graph_of(holdings, graph))
            derived.root = URIRef(graph)  # which is the name of the graph in N-Quads
            yield emission.nquads_of(derived)

    with collection_errors(holdings.directory.folder):
        store = pyoxigraph.Store(holdings.directory.folder / FOLDER)
        noted = _noted(store)
        stale = {graph for graph, origin in noted.items() if wanted.get(graph) != origin}
        for graph in stale:
            name = NamedNode(graph)
            store.update(f"DELETE WHERE {{ GRAPH {MANIFEST} {{ {name} ?p ?o }} }} ; DROP SILENT GRAPH {name}")
        missing = [graph for graph in wanted if graph in stale or graph not in noted]
        for batch in (missing[start : start + _BATCH] for start in range(0, len(missing), _BATCH)):
            for graph in batch:  # what an interruption left there
                store.remove_graph(NamedNode(graph))
            store.flush()
            store.bulk_load(b"".join(statements(batch)), format=RdfFormat.N_QUADS)
            store.extend([Quad(NamedNode(graph), _NOTE, Literal(wanted[graph]), MANIFEST) for graph in batch])
        if missing:
            store.optimize()
        store.flush()
    return len(stale.union(missing))


def forget(holdings: Holdings) -> None:
    """Keep no derived statements any more."""
    shutil.rmtree(holdings.directory.folder / FOLDER, ignore_errors=True)


def current(holdings: Holdings) -> tuple[pyoxigraph.Store, Path] | None:
    """Return the store of derived statements and where it is, None unless it fits what the collection holds."""
    if not is_kept(holdings):
        return None
    location = holdings.directory.folder / FOLDER
    with collection_errors(holdings.directory.folder):
        store = pyoxigraph.Store.read_only(str(location))
        return (store, location) if _noted(store) == _wanted(holdings) else None


def _wanted(holdings: Holdings) -> dict[str, str]:
    # Another version of this package may derive other statements of the same graph.
    return {graph: f"{entry.sha256} {software()}" for graph, entry in holdings.entries.items() if entry.is_done}


def _noted(store: pyoxigraph.Store) -> dict[str, str]:
    return {
        quad.subject.value: quad.object.value
        for quad in store.quads_for_pattern(None, _NOTE, None, MANIFEST)
        if isinstance(quad.subject, NamedNode) and isinstance(quad.object, Literal)
    }

"""`Collection`: many checkpoints in one folder, which are queried together, with a manifest of their sources.

`directory` opens the folder under a lock. `holdings` has the graphs and the manifest. `loading` loads files.

On request, a second store in the folder holds the statements of the collection and those derived from them, for fast
queries. It is updated with the collection. It records the source of each graph, so that it can be deleted at any time.
"""

from __future__ import annotations

import math
import os
import shutil
from collections import Counter
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, Self, TypeVar, runtime_checkable

import orjson
import pyoxigraph
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat
from rdflib import URIRef

from checkpoint_ld import families, sparql
from checkpoint_ld.batch import discovery
from checkpoint_ld.batch.bulk import in_parts
from checkpoint_ld.benchmark import Benchmark
from checkpoint_ld.documents.files import make_folder, packed, replace_file
from checkpoint_ld.errors import (
    LookupFailedError,
    ReadError,
    SettingsError,
    SourceMissingError,
    WriteError,
)
from checkpoint_ld.graph import emission
from checkpoint_ld.phrases import unknown
from checkpoint_ld.sparql import large_integers, queries
from checkpoint_ld.sparql.describing import TITLE, CollectionDescription, described
from checkpoint_ld.stores import loading
from checkpoint_ld.stores.backend import FileState, Spooled, blocks, opened, software
from checkpoint_ld.stores.directory import PREFIX, STORE, Directory, collection_errors
from checkpoint_ld.stores.holdings import MANIFEST, Holdings, in_graph
from checkpoint_ld.stores.loading import Checks, Kind, LoadReport, OnConflict, Options, Outcome
from checkpoint_ld.stores.manifest import Entry
from checkpoint_ld.stores.protocol import path_of
from checkpoint_ld.validation import profiles, validator

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from checkpoint_ld.graph.store import StatementGraph
    from checkpoint_ld.sparql import QueryResult
    from checkpoint_ld.validation.results import Checked, Report

__all__ = [
    "Checks",
    "Collection",
    "Entry",
    "ExportFile",
    "FileState",
    "Kind",
    "LoadReport",
    "ManifestProblem",
    "OnConflict",
    "Options",
    "Outcome",
    "Statistics",
]

PATIENCE_S = 60.0
"""The seconds that a reader waits for a writer."""
_DEFAULTS = Options()
_SHARDS = "shards.json"
_DERIVED = "derived"
"""The folder of the store of derived statements, in that of the collection."""
_NOTE = NamedNode("urn:checkpoint-ld:collection#derivedFrom")
_BATCH = 100
"""The number of graphs whose derived statements are written before they are recorded, which an interruption loses."""
Done = TypeVar("Done")


@dataclass(frozen=True, slots=True)
class Statistics:
    """The size of a collection; `bytes` is that of its folder on disk."""

    checkpoints: int
    triples: int
    unfinished: int
    dialects: dict[str, int]
    findings: dict[str, int]
    bytes: int

    def as_json(self) -> dict[str, Any]:
        """Return the statistics as a JSON object."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ExportFile:
    """A file of an export: its name, its numbers of graphs and quads, its size in bytes and its SHA-256."""

    file: str
    graphs: int
    quads: int
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class ManifestProblem:
    """A difference between the graph `graph` and the manifest; `repair` describes its repair.

    `repair` is empty if there was no repair.
    """

    graph: str
    message: str
    repair: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the problem as a JSON object."""
        return asdict(self)


class Collection:
    """Checkpoints in an embedded store on disk, one named graph each, and a manifest of their sources.

    Graphs are named by their IRIs. It is a context manager; other processes may use the folder when it is closed.
    """

    def __init__(self, holdings: Holdings) -> None:
        self.holdings = holdings
        """The graphs and their entries, for stores that write graphs themselves."""

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, read_only: bool = False, wait: float | None = None) -> Self:
        """Open the collection in the folder `path`; unless `read_only`, make one if there is none.

        One process may write or several may read; `wait` is the number of seconds to wait for others: unless given, a
        reader waits for `PATIENCE_S`, and a writer for nobody. If a process was
        killed while it loaded a graph, the next process that writes empties the graph; `unfinished` names it. Raises
        StoreBusyError when other processes use the folder, StoreError for a folder that is no collection,
        SettingsError for what is no path or no time.
        """
        wait = (PATIENCE_S if read_only else 0.0) if wait is None else wait
        if math.isnan(wait):
            raise SettingsError("wait is not a number of seconds: give 0 or more")
        return cls(Holdings.opened(Directory.open(path_of(path), read_only=read_only, wait=wait)))

    def close(self) -> None:
        """Write all changes and release the folder; closing it again does nothing.

        The collection cannot be used afterwards: what needs its content raises StoreError.
        """
        self.holdings.directory.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    @property
    def folder(self) -> Path:
        """The folder that the collection is in."""
        return self.holdings.directory.folder

    @property
    def entries(self) -> Mapping[str, Entry]:
        """The entries of the manifest, by the IRIs of their graphs."""
        return self.holdings.entries

    @property
    def unfinished(self) -> tuple[Entry, ...]:
        """The checkpoints whose loading was interrupted; add their files again, or `verify(repair=True)`."""
        return tuple(self.entries[graph] for graph in sorted(self.holdings.unfinished()))

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self.entries))

    def __contains__(self, graph: object) -> bool:
        return graph in self.entries

    def add(self, *paths: str | os.PathLike[str], options: Options = _DEFAULTS) -> LoadReport:
        """Load files, folders with all below them, and patterns; return the outcome of each file.

        A checkpoint that the collection has stays; one whose file has changed is replaced. A file that cannot be loaded
        is in the report and does not stop the others. Repeating an interrupted run completes it.
        """
        named = [str(path) for path in paths]
        if discovery.STANDARD in named:
            raise SettingsError("a collection is made of files: - for standard input cannot be one of them")
        found = discovery.discover(named)
        outcomes = loading.Loading(self.holdings, options, is_sync=False).of(found.files)
        return self._followed(_report(outcomes, found))

    def sync(self, folder: str | os.PathLike[str], *, prune: bool = False, options: Options = _DEFAULTS) -> LoadReport:
        """Load the new and changed files in a folder, and report vanished files; with `prune`, drop their graphs.

        A file that is there, but is broken, is refused, and its graph stays. Files with the same size and time as
        before are not opened. Raises SourceMissingError.
        """
        place = path_of(folder)
        if not place.is_dir():
            raise SourceMissingError(f"{place}: there is no such folder; check the path")
        below = loading.source_of(self.holdings, place)

        def inside() -> list[tuple[Entry, Path]]:
            entries = (one for one in self.entries.values() if below == "." or Path(below) in Path(one.source).parents)
            return [(one, loading.path_of(self.holdings, one)) for one in entries]

        # A file that no longer looks like a checkpoint may be half written: it is refused, and has not vanished.
        known = (str(path) for _, path in inside() if os.path.isfile(path))  # noqa: PTH113 - Path raises if a folder cannot be read
        found = discovery.discover([str(place), *known])
        present = set(map(os.path.realpath, found.files))
        unknown = [Path(os.path.realpath(folder)) for folder in found.unreadable]

        def vanished() -> list[Entry]:
            gone = [(entry, Path(os.path.realpath(path))) for entry, path in inside()]
            return [
                entry
                for entry, path in gone
                if str(path) not in present and not any(folder in path.parents for folder in unknown)
            ]

        outdated = frozenset(entry.source for entry in vanished()) if prune else frozenset()
        outcomes = loading.Loading(self.holdings, options, is_sync=True, outdated=outdated).of(found.files)
        kind, why = Kind.DROPPED if prune else Kind.VANISHED, "no checkpoint is there any more"
        gone = [
            Outcome(str(loading.path_of(self.holdings, entry)), kind, entry.graph, entry.triples, why)
            for entry in vanished()
        ]
        if prune:
            for outcome in gone:
                self.holdings.drop(outcome.graph)
        return self._followed(_report((*outcomes, *gone), found))

    def remove(self, *names: str) -> tuple[str, ...]:
        """Remove checkpoints, each given by its graph's IRI or by the path of its file; return their graphs' IRIs.

        Raises LookupFailedError for a missing one; then nothing is removed.
        """
        graphs = tuple(dict.fromkeys(graph for name in names for graph in self.find(name)))
        for graph in graphs:
            self.holdings.drop(graph)
        return self._followed(graphs)

    def derive(self, progress: Callable[[str, int], None] | None = None) -> int:
        """Keep derived statements from now on, in a separate store; return the number of updated graphs.

        Queries about them become fast, and changes of the collection take longer. `progress` is called with each graph
        before its turn, and with the number of graphs.
        """
        self.holdings.directory.check_writable()
        return _keep_derived(self.holdings, progress)

    @property
    def keeps_derived(self) -> bool:
        """Whether derived statements are kept, and up to date."""
        return self._current_derived() is not None

    def forget_derived(self) -> None:
        """Delete the derived statements and keep none from now on."""
        self.holdings.directory.check_writable()
        shutil.rmtree(self.folder / _DERIVED, ignore_errors=True)

    def find(self, name: str) -> tuple[str, ...]:
        """Return the IRIs of the graphs for a graph's IRI or a file's path; raise LookupFailedError for none."""
        if name in self.entries:
            return (name,)
        found = self.holdings.of_source(loading.source_of(self.holdings, Path(name)))
        if not found:
            raise LookupFailedError(_missing(name, self.entries))
        return tuple(entry.graph for entry in found)

    def get(self, graph: str) -> StatementGraph:
        """Return a copy of a graph of the collection, exactly as it was loaded.

        Raises LookupFailedError for a graph that is missing or unfinished.
        """
        self._whole(graph)
        return self.holdings.graph_of(graph)

    def benchmark(self, graph: str) -> Benchmark:
        """Return a checkpoint of the collection as a Benchmark, which is a copy.

        Raises LookupFailedError as `get` does, and for an agent checkpoint.
        """
        found = self.checkpoint(graph)
        if isinstance(found, Benchmark):
            return found
        raise LookupFailedError(f"{graph} is an agent checkpoint, no benchmark: take it with checkpoint(…)")

    def checkpoint(self, graph: str) -> Any:
        """Return a Benchmark or an AgentCheckpoint of the collection. Raises LookupFailedError as `get` does."""
        return families.load(self.get(graph))

    def source(self, graph: str) -> Path:
        """Return the path of the file that a graph came from. Raises LookupFailedError."""
        return loading.path_of(self.holdings, self._entry(graph))

    def query(
        self,
        text: str,
        /,
        *,
        timeout: float | None = None,
        max_rows: int | None = None,
        services: Sequence[str] = (),
        **parameters: Any,
    ) -> QueryResult:
        """Answer a query in SPARQL 1.1, or a named query, with values for its parameters.

        The default graph is the merge of all graphs except the manifest, whose name is `urn:checkpoint-ld:manifest`.
        Updates, FROM with a graph that the collection lacks, and SERVICE with a host that is not in `services` are
        refused. `timeout` is in seconds. With `max_rows`, the result states whether it is cut. A named query about
        derived statements is answered in memory, unless they are kept (`derive`). Raises QueryError for a refused
        query, QueryFailedError for one that takes too long.
        """
        return self.answer(queries.request(text, parameters), timeout=timeout, max_rows=max_rows, services=services)

    def answer(self, request: queries.QueryRequest, **limits: Any) -> QueryResult:
        """Answer a request; limits and errors are those of `query`."""
        directory, needs_derived = self.holdings.directory, request.needs_derived
        kept = self._current_derived() if needs_derived else (directory.store, directory.folder / STORE)
        if kept is None:
            data = sparql.Dataset.of_graphs(families.inferred(self.get(graph)) for graph in self)
            return data.query(request.text, parameters=request.parameters, **limits)
        store, place = kept
        # Another process may open a store only while it is not written.
        may_open = (needs_derived or directory.read_only) and limits.get("timeout") is not None
        with collection_errors(directory.folder):
            return sparql.run(
                store, request.text, parameters=request.parameters, location=place if may_open else None, **limits
            )

    def describe(self, *, base: str = "", title: str = TITLE, publisher: str = "") -> QueryResult:
        """Describe the collection in VoID and DCAT 3, with the statements that `store describe` writes.

        A catalogue has a dataset for each checkpoint with its metadata, size and file, and counts by class and by
        property. `base` is the IRI at which the folder of the collection is available, by default its `file:` IRI.
        `publisher` is the name of the publisher, which DCAT-AP requires. `graph` of the result is an rdflib graph.
        Raises SettingsError for a base that is no absolute IRI, StoreError while a graph is unfinished.

        VoID: https://www.w3.org/TR/void/, DCAT 3: https://www.w3.org/TR/vocab-dcat-3/.
        """
        self.holdings.whole()
        files = (base or self.folder.as_uri()).rstrip("/") + "/"
        wanted = CollectionDescription(f"{files}void", files=files, title=title, publisher=publisher)
        with collection_errors(self.folder):
            return described(self.holdings.directory.store, wanted)

    def validate(
        self,
        *graphs: str,
        profile: str = profiles.DEFAULT,
        shapes: Iterable[str | Path] = (),
        cache: Verdicts | None = None,
    ) -> Report:
        """Validate graphs, by default all, each by the profile of its family.

        A `cache` keeps verdicts by content; it must be made for this profile and these shapes.

        Findings name graph and node. A graph that cannot be read or is unfinished is a finding.

        Raises LookupFailedError, and SettingsError for a profile that does not exist or for invalid shapes.
        """
        chosen = families.Profiles(profile, tuple(shapes))
        found = [self._checked(graph, chosen, cache) for graph in graphs or self]
        return families.report_of(families.with_shapes(found, chosen), chosen)

    def dump(self, out: BinaryIO, syntax: str = "nq") -> None:
        """Write all checkpoints as N-Quads (`nq`) or TriG (`trig`), sorted; equal collections give equal bytes.

        The manifest, which holds times, is left out. Raises SettingsError, and StoreError while a graph is unfinished.
        """
        if syntax not in _WRITERS:
            raise SettingsError(f"a collection cannot be written as {syntax!r}: use one of {', '.join(_WRITERS)}")
        out.writelines(_WRITERS[syntax](self.holdings, graph) for graph in self.holdings.whole())

    def export(
        self, folder: str | os.PathLike[str], *, shards: int = 1, compressed: bool = False
    ) -> tuple[ExportFile, ...]:
        """Write N-Quads in shards, the manifest in a separate one, and `shards.json` with counts and hashes.

        Raises SettingsError for less than one shard, WriteError for files that cannot be written, StoreError while
        a graph is unfinished.
        """
        if shards < 1:
            raise SettingsError(f"{shards} shards cannot be: give 1 or more")
        graphs, target, extension = self.holdings.whole(), path_of(folder), ".nq.gz" if compressed else ".nq"
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise WriteError(f"{target}: is there already and is not an empty folder; name a new one")
        make_folder(target)
        written = []
        for number, part in enumerate(in_parts({graph: self.entries[graph].triples for graph in graphs}, shards)):
            content = (_nquads(self.holdings, graph) for graph in part)
            written.append(_write(target / f"part-{number:05}{extension}", content, len(part)))
        quads = self.holdings.directory.store.quads_for_pattern(None, None, None, MANIFEST)
        manifest = pyoxigraph.serialize(quads, format=RdfFormat.N_QUADS) or b""
        written.append(_write(target / f"manifest{extension}", sorted(manifest.splitlines(keepends=True)), 1))
        # The list is written last; if it exists, the export is complete.
        options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
        replace_file(target / _SHARDS, orjson.dumps([asdict(shard) for shard in written], option=options))
        return tuple(written)

    def verify(self, *, repair: bool = False) -> tuple[ManifestProblem, ...]:
        """Compare every graph with the manifest, statement by statement; with `repair`, load faulty graphs again.

        `repair` also removes unfinished graphs without a file, and graphs that are not in the manifest.
        """
        problems = [
            self._repaired(entry, message) if repair else ManifestProblem(entry.graph, message)
            for entry in list(self.entries.values())
            if (message := self.holdings.fault(entry.graph))
        ]
        is_damaged = any(not problem.repair for problem in problems)
        # Statements that a damaged graph lacks are surplus in the merge, and would be reported twice.
        strays = self.holdings.strays(in_merge=not is_damaged)
        for stray in strays if repair else ():
            self.holdings.remove_stray(stray)
        done = "taken out" if repair else ""
        problems += [
            ManifestProblem(stray.value, "is not in the manifest", done)
            if isinstance(stray, NamedNode)
            else ManifestProblem("", "the default graph holds statements that are in no checkpoint", done)
            for stray in strays
        ]
        return self._followed(tuple(problems)) if repair else tuple(problems)

    def _repaired(self, entry: Entry, message: str) -> ManifestProblem:
        outcome = loading.reload(self.holdings, entry)
        if outcome.kind is not Kind.REFUSED:
            return ManifestProblem(entry.graph, message, f"loaded again from {outcome.source}")
        if entry.is_done:
            return ManifestProblem(entry.graph, f"{message}, and cannot be loaded again: {outcome.message}")
        self.holdings.drop(entry.graph)
        return ManifestProblem(entry.graph, message, f"taken out, for it cannot be loaded again: {outcome.message}")

    def statistics(self) -> Statistics:
        """Return the size of the collection."""
        entries = self.entries.values()
        # A snapshot shares its files with the store, and may vanish at any time.
        tops = [path for path in self.folder.iterdir() if not path.name.startswith(PREFIX)]
        findings: Counter[str] = Counter()
        for entry in entries:
            findings.update({severity.label: count for severity, count in entry.findings.items()})
        return Statistics(
            checkpoints=len(entries),
            triples=sum(entry.triples for entry in entries if entry.is_done),
            unfinished=sum(not entry.is_done for entry in entries),
            dialects=dict(sorted(Counter(entry.dialect for entry in entries).items())),
            findings={name: findings[name] for name in ("violation", "warning", "info")},
            bytes=sum(_size_of(file) for top in tops for file in (top, *top.rglob("*"))),
        )

    def _followed(self, done: Done) -> Done:
        """Update the derived statements after a change of the collection, if they are kept."""
        if (self.folder / _DERIVED).is_dir():
            _keep_derived(self.holdings)
        return done

    def _current_derived(self) -> tuple[pyoxigraph.Store, Path] | None:
        """Return the store of derived statements and its path, None unless it is kept and up to date."""
        location = self.folder / _DERIVED
        if not location.is_dir():
            return None
        with collection_errors(self.folder):
            store = pyoxigraph.Store.read_only(str(location))
            return (store, location) if _recorded(store) == _origins(self.holdings) else None

    def _entry(self, graph: str) -> Entry:
        try:
            return self.entries[graph]
        except KeyError:
            raise LookupFailedError(_missing(graph, self.entries)) from None

    def _whole(self, graph: str) -> Entry:
        entry = self._entry(graph)
        if not entry.is_done:
            source = self.source(graph)
            raise LookupFailedError(f"{graph}: its loading was interrupted; add {source} again")
        return entry

    def _checked(self, graph: str, chosen: families.Profiles, cache: Verdicts | None) -> Checked:
        self._entry(graph)
        try:
            self._whole(graph)
            data = self.holdings.triples(graph)
            kept = None if cache is None else cache.get(graph, data)
            if kept is not None:
                return kept[0]
            found = families.check_source(families.of_statements(emission.parse(data, "nt"), "nt", graph), chosen)
            if cache is not None:
                cache.put(graph, data, found)
            return found
        except (LookupFailedError, ReadError) as error:
            return validator.unread(error, graph, chosen.first)


@runtime_checkable
class Verdicts(Protocol):
    """Verdicts that are kept by content, such as `batch.verdicts.VerdictCache`."""

    def get(self, name: str, data: bytes) -> tuple[Checked, Any] | None:
        """Return the verdict on the bytes of a source called `name`; None if it is not kept."""

    def put(self, name: str, data: bytes, checked: Checked) -> None:
        """Keep the verdict on the bytes of a source."""


def _size_of(file: Path) -> int:
    """Return the size of a file; 0 for a folder, and for a file that the store removes meanwhile."""
    with suppress(FileNotFoundError):
        if file.is_file():
            return file.stat().st_size
    return 0


def _missing(name: str, entries: Iterable[str]) -> str:
    return unknown("checkpoint", name, entries, "`checkpoint-ld store list` shows those of the collection")


def _nquads(holdings: Holdings, graph: str) -> bytes:
    quads = in_graph(holdings.statements(graph), NamedNode(graph))
    return pyoxigraph.serialize(quads, format=RdfFormat.N_QUADS) or b""


def _trig(holdings: Holdings, graph: str) -> bytes:
    named = holdings.graph_of(graph)
    named.root = URIRef(graph)
    return emission.trig_of(named)


_WRITERS: dict[str, Callable[[Holdings, str], bytes]] = {"nq": _nquads, "trig": _trig}
"""The syntaxes of a dump: each graph separately, with sorted statements."""


def _write(path: Path, content: Iterable[bytes], graphs: int) -> ExportFile:
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
    return ExportFile(path.name, graphs, quads, len(body), hashed.hexdigest())


def _keep_derived(holdings: Holdings, progress: Callable[[str, int], None] | None = None) -> int:
    """Update the derived statements to the state of the collection, and return the number of changed graphs.

    `progress` is called with the name of each graph before its turn, and with their number.
    """
    wanted = _origins(holdings)

    def statements(graphs: Iterable[str]) -> Iterator[bytes]:
        for graph in graphs:
            if progress is not None:
                progress(graph, len(missing))
            derived = families.inferred(holdings.graph_of(graph))
            derived.root = URIRef(graph)  # which is the name of the graph in N-Quads
            yield emission.nquads_of(derived)

    with collection_errors(holdings.directory.folder):
        store = pyoxigraph.Store(holdings.directory.folder / _DERIVED)
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
            quads = b"".join(statements(batch))
            store.bulk_load(quads, format=RdfFormat.N_QUADS)
            store.extend([Quad(NamedNode(graph), _NOTE, Literal(wanted[graph]), MANIFEST) for graph in batch])
            store.add(Quad(MANIFEST, large_integers.NOTE, Literal(large_integers.digits_in(quads)), MANIFEST))
        if missing:
            store.optimize()
        store.flush()
    return len(stale.union(missing))


def _origins(holdings: Holdings) -> dict[str, str]:
    # Another version of this package may derive other statements of the same graph.
    return {graph: f"{entry.sha256} {software()}" for graph, entry in holdings.entries.items() if entry.is_done}


def _recorded(store: pyoxigraph.Store) -> dict[str, str]:
    return {
        quad.subject.value: quad.object.value
        for quad in store.quads_for_pattern(None, _NOTE, None, MANIFEST)
        if isinstance(quad.subject, NamedNode) and isinstance(quad.object, Literal)
    }


def _report(outcomes: tuple[Outcome, ...], found: discovery.Discovery) -> LoadReport:
    return LoadReport(outcomes, found.unmatched, found.passed_over, tuple(found.unreadable.values()))

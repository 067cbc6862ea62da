"""Loading: files as graphs of a collection, in batches; repeating an interrupted run completes it.

`Loading` compares each file with the manifest and decides its outcome (`Kind`). `Holdings.load` writes the graphs.
"""

from __future__ import annotations

import os
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from checkpoint_ld import families
from checkpoint_ld.documents.files import extension_of, read_bytes, reading, recorded
from checkpoint_ld.errors import FindingsError, ReadError
from checkpoint_ld.findings import Severity
from checkpoint_ld.graph import emission
from checkpoint_ld.stores.backend import FileState, beside, software
from checkpoint_ld.stores.holdings import MANIFEST, Load
from checkpoint_ld.stores.manifest import DONE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from checkpoint_ld.families import Checkpoint, Profiles
    from checkpoint_ld.stores.holdings import Holdings
    from checkpoint_ld.stores.manifest import Entry
    from checkpoint_ld.validation.profiles import Profile

_BATCH = 512 << 20
"""The bytes of N-Triples that are collected in memory before they are loaded; an interruption loses them.

The files of a single bulk load are compressed and need no compaction, whose output takes half as much room again.
"""


class Kind(StrEnum):
    """The outcome of a file, or of the graph of a file that no longer exists."""

    ADDED = "added"
    REPLACED = "replaced"
    KEPT_BOTH = "kept-both"
    """It was loaded under another name, beside another checkpoint of the same IRI."""
    MOVED = "moved"
    """It holds the checkpoint of another file that no longer exists; only the manifest changed."""
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"
    """Another file's checkpoint of the same IRI stays."""
    REFUSED = "refused"
    """It could not be read, has findings that are too severe, or is in conflict with another file."""
    VANISHED = "vanished"
    """The file no longer exists; its graph stays."""
    DROPPED = "dropped"
    """The graph was removed."""


_LEFT_OUT = {Kind.REFUSED, Kind.SKIPPED}
"""The outcomes of checkpoints that are not loaded."""


class OnConflict(StrEnum):
    """The treatment of two files with different checkpoints of one IRI."""

    ERROR = "error"
    REPLACE = "replace"
    SKIP = "skip"
    KEEP_BOTH = "keep-both"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of `source`, a path; `graph` is its graph, if known, `message` the reason."""

    source: str
    kind: Kind
    graph: str = ""
    triples: int = 0
    message: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the outcome as a JSON object."""
        return {"source": self.source, "kind": str(self.kind), "graph": self.graph, "triples": self.triples} | (
            {"message": self.message} if self.message else {}
        )


@dataclass(frozen=True, slots=True)
class LoadReport:
    """The outcomes in the order of the files, the patterns without a match, and the number of other files.

    `unreadable` has the messages about folders that could not be read.
    """

    outcomes: tuple[Outcome, ...]
    unmatched: tuple[str, ...] = ()
    passed_over: int = 0
    unreadable: tuple[str, ...] = ()

    @property
    def counts(self) -> dict[Kind, int]:
        """The number of outcomes of each kind that occurs."""
        counted = Counter(outcome.kind for outcome in self.outcomes)
        return {kind: counted[kind] for kind in Kind if counted[kind]}

    @property
    def refused(self) -> tuple[Outcome, ...]:
        """The files that should have been loaded and were not."""
        return tuple(outcome for outcome in self.outcomes if outcome.kind is Kind.REFUSED)


@dataclass(frozen=True)
class Checks:
    """The findings for which a checkpoint is refused: those of severity `fail_on` or more (None: no findings).

    Unless it is None, checkpoints that reading refuses are refused, too. With a `profile` the checkpoint is validated
    by its rules. Without one, the findings are those of reading it, which is many times faster.
    """

    profile: Profile | Profiles | None = None
    fail_on: Severity | None = Severity.VIOLATION


@dataclass(frozen=True)
class Options:
    """The options of loading; `progress` is called with each file before its turn, and with their number."""

    on_conflict: OnConflict = OnConflict.ERROR
    checks: Checks = field(default_factory=Checks)
    progress: Callable[[str, int], None] | None = None


def reload(holdings: Holdings, entry: Entry) -> Outcome:
    """Load the graph of an entry again from its file, under its name."""
    path = path_of(holdings, entry)

    def refused(message: str) -> Outcome:
        return Outcome(str(path), Kind.REFUSED, entry.graph, message=message)

    try:
        found = prepare(*read_file(path), path, entry.source, Checks(fail_on=None))
    except (ReadError, FindingsError) as error:
        return refused(str(error))
    loads = [load for load in found if isinstance(load, Load)]
    if not loads:
        return refused("; ".join(map(str, found)))
    load = min(loads, key=lambda load: (load.entry.graph != entry.graph, load.entry.root != entry.root))
    if load.entry.root != entry.root:
        return refused(f"{path}: holds {load.entry.root} now, not {entry.root}")
    load = load.but(graph=entry.graph, findings=entry.findings)
    if holdings.load([load]):
        return refused(_miscounted(load))
    return Outcome(str(path), Kind.REPLACED, entry.graph, load.entry.triples)


def source_of(holdings: Holdings, path: Path) -> str:
    """Return the name of a file in the manifest: its path from the collection's folder. Raises ReadError."""
    found = os.fsencode(path.parent.resolve() / path.name if path.name else path.resolve())
    real = recorded(found.decode("utf-8", "surrogateescape"))  # names are in UTF-8, whatever the locale is
    try:
        return Path(os.path.relpath(real, holdings.directory.folder)).as_posix()
    except ValueError:  # on Windows there is no relative path to another drive
        return Path(real).as_posix()


def path_of(holdings: Holdings, entry: Entry) -> Path:
    """Return the path of the file of an entry, relative to the current folder."""
    return Path(os.path.relpath(os.fsdecode(str(holdings.directory.folder / entry.source).encode())))


def read_file(path: Path) -> tuple[bytes, FileState]:
    """Return the bytes of a file and its state. Raises SourceMissingError or ReadError."""
    with reading(str(path)):
        modified = path.stat().st_mtime_ns if path.exists() else 0
    data, _ = read_bytes(path)
    return data, FileState(sha256(data).hexdigest(), len(data), modified)


def prepare(
    data: bytes, file: FileState, path: Path, source: str, checks: Checks
) -> list[Load | ReadError | FindingsError]:
    """Return the loads for the checkpoints in `data`, the bytes of the file at `path`: several for a data set of them.

    All faults are found before anything is written. The error stands for a checkpoint that cannot be read or that
    `checks` refuse. Raises ReadError for data that cannot be parsed.
    """
    is_checked = checks.profile is None or checks.fail_on is not None
    loads: list[Load | ReadError | FindingsError] = []
    for graph, read in families.examine_each(data, str(path), checked=is_checked).items():
        if graph != MANIFEST.value:
            try:
                load = _load(read, file, source, checks)
                second = _beside(load)
                loads.append(second if graph == second.entry.graph else load)
            except (ReadError, FindingsError) as error:
                loads.append(error)
    return loads


def _load(read: Checkpoint | ReadError, file: FileState, source: str, checks: Checks) -> Load:
    if isinstance(read, ReadError):
        raise read
    findings = read.findings if checks.profile is None else families.check_source(read, checks.profile).findings
    if checks.fail_on is not None:
        heavy = [finding for finding in findings if finding.severity >= checks.fail_on]
        if heavy:
            raise FindingsError.of(heavy)
        families.refusing(read)
    held = families.graph_of(read)
    root = str(held.root)
    if root == MANIFEST.value:
        raise ReadError(
            f"{read.source}: the name {root} is that of a collection's own graph; give the checkpoint another @id"
        )
    return Load.of_triples(
        emission.ntriples_of(held),
        root,
        name=read.name,
        source=source,
        family=read.family,
        dialect=read.dialect,
        file=file,
        findings=Counter(finding.severity for finding in findings),
    )


def _beside(load: Load) -> Load:
    return load.but(graph=beside(load.entry.graph, load.entry.sha256))


class Loading:
    """One run over many files.

    In a `sync`, a file of the same size and time counts as unchanged. Graphs of `outdated` sources, files that no
    longer exist, are replaced by any graph of the same name.
    """

    def __init__(
        self, holdings: Holdings, options: Options, *, is_sync: bool, outdated: frozenset[str] = frozenset()
    ) -> None:
        self.holdings = holdings
        self.options = options
        self.is_sync = is_sync
        self.outdated = outdated
        self.outcomes: list[Outcome] = []
        self.pending: dict[str, tuple[int, Load]] = {}
        self.stale: set[str] = set()
        self.size = 0

    def of(self, files: Sequence[str]) -> tuple[Outcome, ...]:
        """Load `files`; return the outcome of each."""
        for file in files:
            if self.options.progress is not None:
                self.options.progress(file, len(files))
            try:
                self._take(file)
            except ReadError as error:
                self.outcomes.append(_refused(file, error))
            if self.size >= _BATCH:
                self._flush()
        self._flush()
        left_out = (one for one in self.outcomes if one.kind in _LEFT_OUT and one.graph)
        freed = dict.fromkeys(one.source for one in left_out if one.graph not in self.holdings.entries)
        if freed:  # by a later file, which no longer holds the checkpoint of the conflict
            options = replace(self.options, progress=None)
            again = Loading(self.holdings, options, is_sync=self.is_sync, outdated=self.outdated).of([*freed])
            kept = [one for one in self.outcomes if one.source not in freed]
            self.outcomes = sorted((*kept, *again), key=lambda one: files.index(one.source))
        self.holdings.settle()
        return tuple(self.outcomes)

    def _take(self, file: str) -> None:
        path = Path(file)
        source = source_of(self.holdings, path)
        # A data set is always read: of its checkpoints, some may have been refused.
        is_one = emission.EXTENSIONS.get(extension_of(file)) not in {"nq", "trig"}
        if any(entry.graph in self.pending for entry in self.holdings.of_source(source)):
            self._flush()  # another file replaces the checkpoint of this one
        held = self.holdings.of_source(source)
        known = [entry for entry in held if is_one and entry.is_done and entry.software == software()]
        same = _same_time(known, path) if self.is_sync else None
        if same is None:
            data, state = read_file(path)
            same = next((entry for entry in known if entry.file.sha256 == state.sha256), None)
        if same is not None:
            self.outcomes.append(Outcome(file, Kind.UNCHANGED, same.graph, same.triples))
            return
        found = prepare(data, state, path, source, self.options.checks)
        outcomes = []
        for load in found:
            outcomes.append(self._placed(file, load) if isinstance(load, Load) else _refused(file, load))
            self.outcomes.append(outcomes[-1])
        if self.options.on_conflict is not OnConflict.KEEP_BOTH and not _LEFT_OUT & {one.kind for one in outcomes}:
            # A file whose checkpoint has another name now no longer holds the previous checkpoint.
            roots = {load.entry.root for load in found if isinstance(load, Load)}
            gone = {entry.graph for entry in held if entry.root not in roots}
            self.stale |= gone - self.pending.keys()

    def _placed(self, file: str, load: Load) -> Outcome:
        """Queue a checkpoint, unless its name is in conflict with another one; return the outcome."""
        if load.entry.graph in self.pending or load.entry.graph in self.stale:
            self._flush()
        other = self.holdings.entries.get(load.entry.graph)
        on_conflict = self.options.on_conflict
        if other is None:
            return self._queued(file, Kind.ADDED, load)
        if other.is_done and other.sha256 == load.entry.sha256:
            return self._same_graph(file, load, other)
        is_outdated = other.source in self.outdated
        if on_conflict is OnConflict.KEEP_BOTH and other.is_done and not is_outdated:
            return self._kept_beside(file, load)
        # In a data set, two graphs can hold different checkpoints of one IRI.
        is_rival = (other.file, other.software, other.status) == (load.entry.file, load.entry.software, DONE)
        is_own = other.source == load.entry.source and not is_rival
        if is_own or on_conflict is OnConflict.REPLACE or is_outdated:
            return self._queued(file, Kind.REPLACED if other.is_done else Kind.ADDED, load)
        path = path_of(self.holdings, other)
        if on_conflict is OnConflict.SKIP:
            message = f"{path} has the same IRI, {other.graph}, and stays"
            return Outcome(file, Kind.SKIPPED, other.graph, message=message)
        message = f"{file}: has the same IRI as {path}, {other.graph}, and says something else; "
        message += "choose with --on-conflict replace, skip or keep-both"
        return Outcome(file, Kind.REFUSED, other.graph, message=message)

    def _same_graph(self, file: str, load: Load, other: Entry) -> Outcome:
        """Update the entry of a graph for another file, or another text of the file, with the same statements."""
        path = path_of(self.holdings, other)
        is_moved = other.source != load.entry.source
        if is_moved and _same_time((other,), path) is not None:
            return Outcome(file, Kind.UNCHANGED, other.graph, other.triples, f"the same as {path}")
        entry = replace(load.entry, status=other.status)
        if entry != replace(other, loaded=entry.loaded):
            self.holdings.replace_entry(entry)
        kind, message = (Kind.MOVED, f"from {path}") if is_moved else (Kind.UNCHANGED, "")
        return Outcome(file, kind, other.graph, other.triples, message)

    def _kept_beside(self, file: str, load: Load) -> Outcome:
        second = _beside(load)
        if second.entry.graph in self.pending:
            self._flush()
        other = self.holdings.entries.get(second.entry.graph)
        if other is not None and other.is_done and other.sha256 == load.entry.sha256:
            return Outcome(file, Kind.UNCHANGED, other.graph, other.triples)
        return self._queued(file, Kind.KEPT_BOTH, second)

    def _queued(self, file: str, kind: Kind, load: Load) -> Outcome:
        self.pending[load.entry.graph] = len(self.outcomes), load
        self.size += len(load.triples)
        return Outcome(file, kind, load.entry.graph, load.entry.triples)

    def _flush(self) -> None:
        loads = [load for _, load in self.pending.values()]
        failed = self.holdings.load(loads) if loads else set()
        for graph in failed:
            at, load = self.pending[graph]
            self.outcomes[at] = replace(self.outcomes[at], kind=Kind.REFUSED, triples=0, message=_miscounted(load))
        for graph in self.stale:
            self.holdings.drop(graph)
        self.pending, self.stale, self.size = {}, set(), 0


def _refused(file: str, error: ReadError | FindingsError) -> Outcome:
    message = str(error) if str(error).startswith(file) else f"{file}: {error}"
    return Outcome(file, Kind.REFUSED, message=message)


def _same_time(known: Sequence[Entry], path: Path) -> Entry | None:
    with suppress(OSError):
        state = path.stat()
        is_same = (state.st_size, state.st_mtime_ns)
        return next((entry for entry in known if (entry.file.size, entry.file.modified) == is_same), None)
    return None


def _miscounted(load: Load) -> str:
    return (
        f"{load.entry.graph}: {load.entry.triples} statements were written and the store holds another number; "
        "try again"
    )

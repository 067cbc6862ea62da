"""Loading: files as graphs of a collection, in batches, each file once, whatever was interrupted before."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from checkpoint_ld import discovery
from checkpoint_ld.collection.outcome import Kind, LoadReport, OnConflict, Outcome
from checkpoint_ld.collection.preparation import Checks, named, prepare, read_file, software
from checkpoint_ld.errors import FindingsError, ReadError, SettingsError, SourceMissingError
from checkpoint_ld.graph.naming import renewed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from checkpoint_ld.collection.entry import Entry
    from checkpoint_ld.collection.holdings import Holdings, Load

_BATCH = 50_000
"""Statements that are collected before they are loaded: what an interruption loses, and what is held in memory."""
_SHOWN_OF_HASH = 16


@dataclass(frozen=True)
class Options:
    """How files are loaded; `progress` is called with each before its turn, `total` is how many there are."""

    on_conflict: OnConflict = OnConflict.ERROR
    checks: Checks = field(default_factory=Checks)
    progress: Callable[[str, int], None] | None = None


def add(holdings: Holdings, paths: Iterable[str], options: Options) -> LoadReport:
    """Load the files that `paths` mean: files, folders with all below them, patterns.

    What is there already is left alone, what changed is replaced. A file that cannot be loaded keeps no other out.
    """
    named_paths = tuple(paths)
    if discovery.STANDARD in named_paths:
        raise SettingsError("a collection is made of files: - for standard input cannot be one of them")
    found = discovery.discover(named_paths)
    outcomes = _Loading(holdings, options, is_sync=False).of(found.files)
    return LoadReport(outcomes, found.unmatched, found.passed_over)


def sync(holdings: Holdings, folder: Path, options: Options, *, prune: bool) -> LoadReport:
    """Load what is new or changed in `folder`; tell the graphs of vanished files, and with `prune` drop them.

    A file of the same size and time of change as before is not opened. Raises SourceMissingError for a folder that is
    not there.
    """
    if not folder.is_dir():
        raise SourceMissingError(f"{folder}: there is no such folder; check the path")
    found = discovery.discover([str(folder)])
    present = {source_of(holdings, Path(file)) for file in found.files}
    below = source_of(holdings, folder)
    vanished = [
        one
        for one in holdings.entries.values()
        if one.source not in present and (below == "." or Path(below) in Path(one.source).parents)
    ]
    gone = tuple(_gone(holdings, one, prune=prune) for one in vanished)
    if prune:
        holdings.drop([one.graph for one in vanished])
    outcomes = _Loading(holdings, options, is_sync=True).of(found.files)
    return LoadReport((*outcomes, *gone), found.unmatched, found.passed_over)


def reload(holdings: Holdings, entry: Entry) -> Outcome:
    """Load the graph of an entry again from its file, under the name that it has."""
    path = path_of(holdings, entry)
    try:
        load = prepare(*read_file(path), path, entry.source, Checks(fail_on=None))
    except (ReadError, FindingsError) as error:
        return Outcome(str(path), Kind.REFUSED, entry.graph, message=str(error))
    if load.entry.root != renewed(entry.root):
        message = f"{path}: holds {load.entry.root} now, not {entry.root}"
        return Outcome(str(path), Kind.REFUSED, entry.graph, message=message)
    load = named(load, entry.graph)
    failed = holdings.load([replace(load, entry=replace(load.entry, findings=entry.findings))])
    if failed:
        return Outcome(str(path), Kind.REFUSED, entry.graph, message=_miscounted(load))
    return Outcome(str(path), Kind.REPLACED, entry.graph, load.entry.triples)


def source_of(holdings: Holdings, path: Path) -> str:
    """Return how the manifest calls a file: by its path from the collection's folder."""
    real = path.parent.resolve() / path.name if path.name else path.resolve()
    try:
        return Path(os.path.relpath(real, holdings.directory.folder)).as_posix()
    except ValueError:  # on another drive of Windows there is no way from the one to the other
        return real.as_posix()


def path_of(holdings: Holdings, entry: Entry) -> Path:
    """Return the path of the file that an entry came from, shown from the current folder."""
    return Path(os.path.relpath(holdings.directory.folder / entry.source))


class _Loading:
    """One run over many files. In a `sync`, size and time of a file are enough to tell that it is as it was."""

    def __init__(self, holdings: Holdings, options: Options, *, is_sync: bool) -> None:
        self.holdings = holdings
        self.options = options
        self.is_sync = is_sync
        self.outcomes: list[Outcome] = []
        self.pending: dict[str, tuple[int, Load]] = {}
        self.stale: set[str] = set()
        self.size = 0

    def of(self, files: Sequence[str]) -> tuple[Outcome, ...]:
        """Load `files`; return what became of each."""
        for file in files:
            if self.options.progress is not None:
                self.options.progress(file, len(files))
            try:
                self._take(file)
            except (ReadError, FindingsError) as error:
                self.outcomes.append(Outcome(file, Kind.REFUSED, message=_with_file(file, str(error))))
            if self.size >= _BATCH:
                self._flush()
        self._flush()
        self.holdings.settle()
        return tuple(self.outcomes)

    def _take(self, file: str) -> None:
        path = Path(file)
        source = source_of(self.holdings, path)
        known = [one for one in self.holdings.of_source(source) if one.is_done and one.software == software()]
        if self.is_sync and (same := _same_time(known, path)):
            self._tell(Outcome(file, Kind.UNCHANGED, same.graph, same.triples))
            return
        data, state = read_file(path)
        same = next((one for one in known if one.file.sha256 == state.sha256), None)
        if same is not None:
            self._tell(Outcome(file, Kind.UNCHANGED, same.graph, same.triples))
            return
        self._place(file, prepare(data, state, path, source, self.options.checks))

    def _place(self, file: str, load: Load) -> None:
        """Decide what becomes of a checkpoint beside the one that has its name."""
        if load.entry.graph in self.pending or load.entry.graph in self.stale:
            self._flush()
        other = self.holdings.entries.get(load.entry.graph)
        if other is None:
            self._queue(file, Kind.ADDED, load)
        elif other.is_done and other.sha256 == load.entry.sha256:
            self._same_graph(file, load, other)
        elif self.options.on_conflict is OnConflict.KEEP_BOTH and other.is_done:
            self._keep_both(file, load)
        elif other.source == load.entry.source or self.options.on_conflict is OnConflict.REPLACE:
            self._queue(file, Kind.REPLACED if other.is_done else Kind.ADDED, load)
        elif self.options.on_conflict is OnConflict.SKIP:
            message = f"{path_of(self.holdings, other)} has the same IRI, {other.graph}, and stays"
            self._tell(Outcome(file, Kind.SKIPPED, other.graph, message=message))
        else:
            message = f"{file}: has the same IRI as {path_of(self.holdings, other)}, {other.graph}, and says "
            message += "something else; choose with --on-conflict replace, skip or keep-both"
            self._tell(Outcome(file, Kind.REFUSED, other.graph, message=message))

    def _same_graph(self, file: str, load: Load, other: Entry) -> None:
        """Tell the manifest about another file, or another text of it, with the very statements that are there."""
        is_moved = other.source != load.entry.source
        if is_moved and _same_time((other,), path_of(self.holdings, other)) is not None:
            message = f"the same as {path_of(self.holdings, other)}"
            self._tell(Outcome(file, Kind.UNCHANGED, other.graph, other.triples, message))
            return
        self.holdings.retell(replace(load.entry, status=other.status))
        kind, message = (Kind.MOVED, f"from {path_of(self.holdings, other)}") if is_moved else (Kind.UNCHANGED, "")
        self._tell(Outcome(file, kind, other.graph, other.triples, message))

    def _keep_both(self, file: str, load: Load) -> None:
        beside = named(load, f"{load.entry.graph}#{load.entry.sha256[:_SHOWN_OF_HASH]}")
        if beside.entry.graph in self.pending:
            self._flush()
        other = self.holdings.entries.get(beside.entry.graph)
        if other is not None and other.is_done and other.sha256 == load.entry.sha256:
            self._tell(Outcome(file, Kind.UNCHANGED, other.graph, other.triples))
        else:
            self._queue(file, Kind.KEPT_BOTH, beside)

    def _queue(self, file: str, kind: Kind, load: Load) -> None:
        self.pending[load.entry.graph] = len(self.outcomes), load
        self.size += len(load.statements)
        if self.options.on_conflict is not OnConflict.KEEP_BOTH:
            # A file whose checkpoint has another name now no longer holds the one that it held.
            held = self.holdings.of_source(load.entry.source)
            self.stale.update(one.graph for one in held if one.root != load.entry.root)
        self._tell(Outcome(file, kind, load.entry.graph, load.entry.triples))

    def _tell(self, outcome: Outcome) -> None:
        self.outcomes.append(outcome)

    def _flush(self) -> None:
        loads = [load for _, load in self.pending.values()]
        failed = self.holdings.load(loads) if loads else set()
        for graph in failed:
            at, load = self.pending[graph]
            self.outcomes[at] = replace(self.outcomes[at], kind=Kind.REFUSED, triples=0, message=_miscounted(load))
        self.holdings.drop(self.stale)
        self.pending, self.stale, self.size = {}, set(), 0


def _same_time(known: Sequence[Entry], path: Path) -> Entry | None:
    try:
        state = path.stat()
    except OSError:
        return None
    is_same = (state.st_size, state.st_mtime_ns)
    return next((one for one in known if (one.file.size, one.file.modified) == is_same), None)


def _gone(holdings: Holdings, entry: Entry, *, prune: bool) -> Outcome:
    kind = Kind.DROPPED if prune else Kind.VANISHED
    return Outcome(str(path_of(holdings, entry)), kind, entry.graph, entry.triples, "no checkpoint is there any more")


def _miscounted(load: Load) -> str:
    sent = load.entry.triples
    return f"{load.entry.graph}: {sent} statements were written and the store holds another number; try again"


def _with_file(file: str, message: str) -> str:
    return message if message.startswith(file) else f"{file}: {message}"

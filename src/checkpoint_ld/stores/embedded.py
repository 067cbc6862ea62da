"""The backend on disk: the graphs of a collection, shared by the threads of a process, and by processes in turn.

Opening a collection to write is slow and keeps all other processes out. So it stays open while it is in use, for all
graph stores of the process together. It is released when it was not used for a moment, or as soon as another process
waits for it.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary, WeakValueDictionary

from pyoxigraph import Literal, NamedNode, QuerySolutions

from checkpoint_ld.errors import IntegrityError, SettingsError, StoreBusyError, StoreError
from checkpoint_ld.sparql.guard import PREFIXES, bound
from checkpoint_ld.stores.backend import NO_PARAMETERS, blocks
from checkpoint_ld.stores.directory import MARK, Directory, collection_errors
from checkpoint_ld.stores.folder import Lock
from checkpoint_ld.stores.holdings import FileState, Holdings, Load
from checkpoint_ld.vocabulary import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from checkpoint_ld.sparql.result import Term
    from checkpoint_ld.stores.backend import Body, Row
    from checkpoint_ld.stores.collection import Collection

PATIENCE_S: Final = 10.0
"""Seconds to wait for other processes, which take turns."""
_QUANTUM_S: Final = 0.1
"""The least number of seconds that it stays open, even if others wait."""
IDLE_S: Final = 0.5
"""The seconds after which an unused collection is released."""
_TURN_S: Final = 0.15
"""The seconds before the next use after others waited: longer than they sleep between two tries."""
_WAITING = "waiting"
"""The file on which waiting processes hold a lock, so that the process with the collection knows."""
_NAME = NamedNode(SCHEMA + "name")

_log = logging.getLogger(__name__)


class SharedGraphs:
    """The graphs of agents in the collection in a folder, each with its entry in the manifest.

    It is opened when it is used, and made where it is written first. `SparqlClient` has the same methods. They raise
    StoreBusyError if other processes do not let go within `PATIENCE_S`, and StoreError for what cannot be opened.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.where = str(folder)
        self._guard = threading.RLock()
        self._holdings: Holdings | None = None
        self._opened_at = self._last_used = 0.0
        self._uses = 0
        self._gives_way = False
        self._is_watched = False

    @contextmanager
    def working(self, *, writing: bool = False) -> Iterator[Holdings | None]:
        """Give exclusive use of the holdings; None where there is no collection and nothing is written."""
        if _user.get("pid", os.getpid()) != os.getpid():  # RocksDB would wait there for ever
            raise StoreError(
                "this process was forked from one that had used a collection, which cannot be used on both sides; "
                "start it by spawn (multiprocessing.set_start_method), or fork before the first use"
            )
        with self._guard:
            holdings = self._opened(writing=writing)
            self._uses += 1
            try:
                with collection_errors(self.folder):
                    yield holdings
            finally:
                self._uses -= 1
                self._last_used = time.monotonic()
                if not self._uses and self._last_used > self._opened_at + _QUANTUM_S and self._is_awaited():
                    self._gives_way = True
                    self.close()

    @contextmanager
    def _writing(self) -> Iterator[Holdings]:
        with self.working(writing=True) as holdings:
            assert holdings is not None  # noqa: S101 - who writes makes a collection
            yield holdings

    def checkpoints(self) -> list[str]:
        """Return the names of all graphs that are done, of both families."""
        with self.working() as holdings:
            return sorted(name for name, one in holdings.entries.items() if one.is_done) if holdings else []

    def unfinished(self) -> frozenset[str]:
        """Return the names of graphs whose loading was interrupted, which count as absent."""
        with self.working() as holdings:
            return frozenset(entry.graph for entry in holdings.unfinished()) if holdings else frozenset()

    def select(self, text: str, parameters: Mapping[str, Term] = NO_PARAMETERS) -> Sequence[Row]:
        """Return the solutions of a query; where there is no collection, there are none."""
        with self.working() as holdings:
            if holdings is None:
                return []
            found = holdings.directory.store.query(bound(text, parameters), prefixes=PREFIXES)
            assert isinstance(found, QuerySolutions)  # noqa: S101 - it is a SELECT
            return [tuple(row) for row in found]

    def count(self, graphs: Iterable[str]) -> dict[str, int]:
        """Return how many statements the store holds in each of the graphs."""
        with self.working() as holdings:
            return {graph: holdings.count(graph) if holdings else 0 for graph in graphs}

    def read(self, graph: str) -> bytes | None:
        """Return the sorted N-Triples of a graph, to the letter as they were written."""
        with self.working() as holdings:
            if holdings is None or graph in self.unfinished():
                return None
            triples = holdings.triples(graph)
            return triples if triples or graph in holdings.entries else None

    def holds(self, graph: str, triples: Body) -> bool:
        """Return whether a graph holds exactly these statements, and its entry and the merge of all graphs fit."""
        with self.working() as holdings:
            entry = holdings.entries.get(graph) if holdings else None
            if holdings is None or entry is None or entry.sha256 != _load_of(holdings, graph, triples).entry.sha256:
                return False
            return not holdings.fault(graph)

    def add(self, graph: str, triples: Body, *, source: str = "") -> bool:
        """Make a graph unless there is one of its name; return whether it was made. `source` is its file's path."""
        with self._writing() as holdings:
            held = holdings.entries.get(graph)
            if held is not None and held.is_done:
                return False
            self._load(holdings, _load_of(holdings, graph, triples).but(source=source))
            return True

    def change(self, graph: str, triples: Body, before: bytes) -> bool:  # noqa: ARG002 - it cannot have changed
        """Change what is different in a graph, in one transaction; nobody else can have changed it in the meantime."""
        with self._writing() as holdings:
            holdings.amend(_load_of(holdings, graph, triples))
            return True

    def replace(self, graph: str, triples: Body, *, source: str = "") -> None:
        """Write a graph anew, which comes from where it came before unless it has another `source`."""
        with self._writing() as holdings:
            self._load(holdings, _load_of(holdings, graph, triples, source))

    def drop(self, graph: str) -> bool:
        """Take out a graph and its entry; return whether it was there as a whole."""
        with self.working() as there:
            if there is None:
                return False
        with self._writing() as holdings:
            held = holdings.entries.get(graph)
            holdings.drop([graph])
            return held is not None and held.is_done

    def _load(self, holdings: Holdings, load: Load) -> None:
        if holdings.load([load]):
            raise StoreError(f"{self.where}: {load.entry.graph} could not be written as a whole; try again")

    def close(self) -> None:
        """Let other processes have the folder; the next use opens it again."""
        with self._guard:
            if self._holdings is not None and not self._uses:
                directory, self._holdings = self._holdings.directory, None
                directory.close()

    def renew(self) -> None:
        """Move a collection that is damaged aside, so that the next use makes another one."""
        with self._guard:
            self.close()
            try:
                self._opened(writing=True)
            except IntegrityError:
                self.folder.rename(self.folder.with_name(f"{self.folder.name}.corrupt-{time.time_ns() // 1_000_000}"))

    def forsake(self) -> None:
        """Give up the lock without releasing it, in a forked process: the store is its parent's."""
        if self._holdings is not None:
            self._holdings.directory.lock.release()

    def _opened(self, *, writing: bool) -> Holdings | None:
        held = self._holdings
        if held is not None and (not writing or not held.directory.read_only):
            return held
        # What is neither nothing nor a collection is refused when it is opened.
        is_there = (self.folder / MARK).is_file() or (
            self.folder.exists() and (not self.folder.is_dir() or any(self.folder.iterdir()))
        )
        if not writing and not is_there:
            return None
        self.close()
        if self._gives_way:
            self._gives_way = False
            time.sleep(_TURN_S)
        _user.setdefault("pid", os.getpid())
        try:
            directory = Directory.open(self.folder, read_only=not writing, wait=0)
        except StoreBusyError:
            with Lock(self.folder / _WAITING, shared=True, wait=PATIENCE_S):
                directory = Directory.open(self.folder, read_only=not writing, wait=PATIENCE_S)
        self._holdings = Holdings.opened(directory)
        self._opened_at = self._last_used = time.monotonic()
        if not self._is_watched:
            self._watch(IDLE_S)
        return self._holdings

    def _is_awaited(self) -> bool:
        if self._holdings is None:
            return False
        with suppress(OSError):  # a folder that may only be read, or is gone
            try:
                Lock(self.folder / _WAITING).release()
            except StoreBusyError:
                return True
        return False

    def _watch(self, seconds: float) -> None:
        self._is_watched = True
        timer = threading.Timer(seconds, self._close_if_idle)
        timer.daemon = True
        timer.start()

    def _close_if_idle(self) -> None:
        with self._guard:
            left = self._last_used + IDLE_S - time.monotonic()
            if self._holdings is not None and left > 0:
                self._watch(left)
                return
            self._is_watched = False
            try:
                self.close()
            except StoreError as error:
                _log.warning("%s", error)


def _load_of(holdings: Holdings, graph: str, triples: Body, source: str = "") -> Load:
    """Return the load for the graph of an agent checkpoint, with the name that it states."""
    held = holdings.entries.get(graph)
    load = Load.of_triples(
        b"".join(blocks(triples)),
        graph,
        name="",
        source=source or (held.source if held is not None else ""),
        family="agent",
        dialect="agent-canonical",
        file=FileState(),
    )
    root = NamedNode(graph)
    stated = (
        statement.object for statement in load.statements if statement.predicate == _NAME and statement.subject == root
    )
    return load.but(name=next((term.value for term in stated if isinstance(term, Literal)), ""))


class LentGraphs(SharedGraphs):
    """A collection that somebody else has open, and closes. Methods that write raise StoreError if it is read only."""

    def __init__(self, collection: Collection) -> None:
        super().__init__(collection.folder)
        self._lent = collection.holdings
        with _knowing:
            self._guard = _guards.setdefault(collection, threading.RLock())

    @contextmanager
    def working(self, *, writing: bool = False) -> Iterator[Holdings]:
        """Give the holdings, with no other graph store at them."""
        with self._guard, collection_errors(self.folder):
            if writing:
                self._lent.directory.check_writable()
            yield self._lent

    def close(self) -> None:
        """Leave the collection open, for whoever opened it."""

    def renew(self) -> None:
        """Raise SettingsError: what somebody else has open cannot be moved aside."""
        raise SettingsError(f"{self.folder}: give the path of the collection, so that it can be made anew")


_known: WeakValueDictionary[Path, SharedGraphs] = WeakValueDictionary()
_guards: WeakKeyDictionary[Collection, threading.RLock] = WeakKeyDictionary()
_knowing = threading.Lock()
_user: dict[str, int] = {}
"""The process that opened the first collection."""


def shared(path: Path) -> SharedGraphs:
    """Return the collection in a folder, the same one for everybody in this process."""
    folder = path.resolve()
    with _knowing:
        return _known.get(folder) or _known.setdefault(folder, SharedGraphs(folder))


def _forsake_all() -> None:
    for one in list(_known.values()):
        one.forsake()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forsake_all)

"""SQLite: connections that are opened at first use.

The tables and queries of `tables` also fit PostgreSQL. This module has the parts that are specific to SQLite:
addresses, settings of connections, the start of a transaction, and errors. A database that is not ours is never
changed: `foreign` tells which it is, and reads those of CAF.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
import threading
import time
import weakref
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, unquote
from uuid import uuid4

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, DBAPIError

from checkpoint_ld.documents.packed import PackedParts
from checkpoint_ld.errors import (
    IntegrityError,
    SettingsError,
    StoreBusyError,
    StoreError,
    StoreFull,
)
from checkpoint_ld.stores import foreign, tables
from checkpoint_ld.stores.protocol import store_path
from checkpoint_ld.stores.tables import executions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


_OLDEST: Final = (3, 37)
"""The first version with strict tables."""
_SMALLEST: Final = 512
"""The fewest bytes of a database: one page."""
_WRITING: Final = "checkpoint_ld_writing"
"""The option of connections whose transactions start with the lock for writing."""

_logger = logging.getLogger("checkpoint_ld.stores")

_PATIENCE_MS = 5000
_PAUSE_S = 0.01
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_FULL = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE})
"""The errors of a full disk; a failed write mostly exceeds a quota or a limit on the size of files."""
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def path_of(url: str | os.PathLike[str]) -> Path:
    """Return the path of the database of an SQLAlchemy URL, such as `sqlite:///checkpoints.db`.

    Any other text is a path. Raises SettingsError for other databases, one in memory, and the path of a folder.
    """
    if not isinstance(url, str) or "://" not in url:
        return store_path(url, is_folder=False)
    try:
        parsed = sa.make_url(url)
    except ArgumentError:
        raise SettingsError("the address of the database is no URL: write sqlite:///checkpoints.db") from None
    if parsed.drivername not in ("sqlite", "sqlite+pysqlite"):
        raise SettingsError(f"databases of the kind {parsed.drivername} cannot be used yet: write sqlite:///PATH")
    # SQLAlchemy decodes a path from 2.1 on, and takes the first folder after two slashes for a host.
    path = unquote(url.partition(":///")[2].partition("?")[0])
    if parsed.query or path in ("", ":memory:"):
        raise SettingsError("the address names no file to keep the database in: write sqlite:///checkpoints.db")
    return store_path(path, is_folder=False)


class Database:
    """The database at `path`. With `flushed`, every transaction of a new connection is flushed to the disk."""

    def __init__(self, path: Path, *, flushed: bool) -> None:
        self.path = path
        self.flushed = flushed
        self._guard = threading.RLock()
        self._turn = threading.RLock()
        self._opened: tuple[sa.Engine, int, int] | None = None
        self._known: PackedParts | None = None
        """The parts that are known to be there."""
        self._copied: tuple[int, ...] | None = None
        """The state of a database of CAF when it was read, None for one of ours."""
        self.unreadable: dict[str, IntegrityError] = {}
        """The errors about rows in a database of CAF that hold no checkpoint, by their ids."""
        self._disposal: weakref.finalize[..., Database] | None = None

    @property
    def exists(self) -> bool:
        """Whether there is a file."""
        return self.path.exists()

    @property
    def is_foreign(self) -> bool:
        """Whether it is a database of CAF, as far as it was opened."""
        return self._copied is not None

    @contextlib.contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Yield a connection that sees one state of the database."""
        with database_errors(self.path), self._engine().begin() as connection:
            yield connection

    @contextlib.contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """Yield the only connection that writes; its changes are committed unless an exception is raised.

        Threads wait for a lock, because SQLite's waiting sleeps far longer than a save takes.
        """
        is_mine = self._turn.acquire(timeout=_PATIENCE_MS / 1000)  # after that, SQLite raises the error
        try:
            engine = self._engine()
            if self.is_foreign:
                raise StoreError(
                    f"{self.path}: is a database of CAF, which is only read; import its checkpoints into another store"
                )
            known, self._known = self._known, None  # a transaction that fails leaves no parts behind
            with database_errors(self.path), _writer(engine).begin() as connection:
                connection.info[tables.PARTS] = known = known or PackedParts(packed=False)
                yield connection
            self._known = known
        finally:
            if is_mine:
                self._turn.release()

    def close(self) -> None:
        """Close all connections."""
        with self._guard:
            if self._disposal is not None:
                self._disposal()
                self._opened = self._disposal = self._known = None

    def reset(self) -> None:
        """Empty the database; a damaged database is renamed, and replaced by an empty one.

        Raises StoreError and UnsupportedVersion for a database of another program or version, which stays unchanged.
        """
        with self._guard:
            try:
                if self.exists:
                    with self.writing() as connection:
                        if faults(connection, quickly=True):
                            raise IntegrityError(f"{self.path}: the database is damaged")
                        connection.execute(sa.delete(executions))
                        tables.clear(connection)
                    return
            except IntegrityError:
                self.close()
                with database_errors(self.path):
                    _logger.warning("%s was damaged and is kept as %s", self.path, _move_aside(self.path))
            self.close()
            with self.writing():
                pass

    def _engine(self) -> sa.Engine:
        with self._guard:
            try:
                if (
                    self._opened is None
                    or self._opened[1:] != (os.getpid(), self.path.stat().st_ino)
                    or (self._copied is not None and self._copied != foreign.state_of(self.path))
                ):
                    self.close()
                    engine = self._open()
                    # Python 3.13 warns of connections that were not closed.
                    self._disposal = weakref.finalize(self, _dispose, engine, os.getpid())
                    self._opened = engine, os.getpid(), self.path.stat().st_ino
                return self._opened[0]
            except FileNotFoundError:
                raise StoreError(
                    f"{self.path}: the database has vanished; make it again from the files by reindex"
                ) from None

    def _open(self) -> sa.Engine:
        with contextlib.suppress(OSError):  # SQLite reports the error
            self.path.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            if 0 < self.path.stat().st_size < _SMALLEST:  # SQLite would treat it as empty
                raise IntegrityError(f"{self.path}: is no database, but a small file; name another file")
        with database_errors(self.path):
            kind = foreign.kind_of(self.path)
        self._copied = foreign.state_of(self.path) if kind == "caf" else None
        if kind == "caf":
            return self._copy()
        engine = _made_engine(self.path, flushed=self.flushed)
        try:
            if kind == "empty":
                with _writer(engine).begin() as connection:
                    if not connection.exec_driver_sql("PRAGMA user_version").scalar_one():  # nobody else made them
                        tables.create(connection)
        except BaseException:
            engine.dispose()
            raise
        return engine

    def _copy(self) -> sa.Engine:
        """Return the checkpoints in a database of CAF as tables of ours, in memory."""
        name = f"file:{uuid4().hex}"
        engine = sa.create_engine(
            sa.URL.create("sqlite", database=name, query={"uri": "true", "mode": "memory", "cache": "shared"}),
            poolclass=sa.QueuePool,  # it keeps the connection that keeps the tables
        )
        self.unreadable = {}
        with database_errors(self.path), engine.begin() as connection:
            tables.create(connection)
            for number, found in enumerate(foreign.checkpoints_in(self.path)):
                if isinstance(found, IntegrityError):
                    _logger.warning("%s", found)
                    self.unreadable[str(number)] = found
                elif tables.known(connection, found.id) is None:
                    tables.add(connection, found, file_name=None, source_sha256=None)
        return engine


def _writer(engine: sa.Engine) -> sa.Engine:
    return engine.execution_options(**{_WRITING: True})


def _dispose(engine: sa.Engine, process: int) -> None:
    # Closing a connection of a parent process would release its locks.
    engine.dispose(close=process == os.getpid())


def _made_engine(path: Path, *, flushed: bool) -> sa.Engine:
    """Return an engine for the database at `path`, which its first connection opens or makes.

    With `flushed`, a transaction survives a power cut; without it, the last transactions may be lost.
    """
    if sqlite3.sqlite_version_info < _OLDEST:
        raise StoreError(f"SQLite is {sqlite3.sqlite_version}; agent checkpoints need 3.37 or newer")
    is_read_only = path.exists() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))
    made = sa.create_engine(_read_only_url(path) if is_read_only else sa.URL.create("sqlite", database=str(path)))

    @sa.event.listens_for(made, "connect")
    def _set_up(driver: Any, _record: object) -> None:
        # The driver would begin transactions late and without the lock for writing.
        driver.isolation_level = None
        driver.execute(f"PRAGMA busy_timeout = {_PATIENCE_MS}")
        driver.execute("PRAGMA foreign_keys = ON")
        if is_read_only:
            return
        _log_ahead(driver, path)
        driver.execute(f"PRAGMA synchronous = {'FULL' if flushed else 'NORMAL'}")

    @sa.event.listens_for(made, "begin")
    def _begin(connection: sa.Connection) -> None:
        writing = connection.get_execution_options().get(_WRITING, False)
        # The driver executes it, because SQLAlchemy's overhead is larger than the statement.
        connection.connection.cursor().execute("BEGIN IMMEDIATE" if writing else "BEGIN")

    return made


def _read_only_url(path: Path) -> sa.URL:
    """Return the address of a database that may not be changed, or whose folder takes no file beside it.

    SQLite needs files for a write-ahead log beside a database that somebody may write to. Where there is no log,
    `immutable` says that nobody does.
    """
    query = {"uri": "true", "mode": "ro"}
    if not path.with_name(f"{path.name}-wal").exists():
        query["immutable"] = "1"
    return sa.URL.create("sqlite", database=f"file:{quote(str(path))}", query=query)


def _log_ahead(driver: Any, path: Path) -> None:
    """Switch permanently to a write-ahead log, with which readers and a writer do not wait for each other.

    While another process does the same, SQLite refuses at once, regardless of its timeout.
    """
    deadline = time.monotonic() + _PATIENCE_MS / 1000
    while driver.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            mode = driver.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in _BUSY or time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE_S)
            continue
        if mode != "wal":
            raise StoreError(f"{path}: SQLite cannot keep a write-ahead log there; put the database on a local disk")


def faults(connection: sa.Connection, *, quickly: bool = False) -> list[str]:
    """Return the faults of a database: of its pages and indexes, and dangling references of rows."""
    check = "quick_check" if quickly else "integrity_check"
    found = [str(row[0]) for row in connection.exec_driver_sql(f"PRAGMA {check}(20)") if row[0] != "ok"]
    orphans = connection.exec_driver_sql("PRAGMA foreign_key_check").all() if not quickly else ()
    return [*found, *(f"a row of {row[0]} belongs to no row of {row[2]}" for row in orphans)]


def _move_aside(path: Path) -> Path:
    """Rename a database and SQLite's files beside it; return the new path."""
    aside = path.with_name(f"{path.name}.corrupt-{time.time_ns() // 1_000_000}")
    for suffix in ("", "-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + suffix).rename(aside.with_name(aside.name + suffix))
    return aside


@contextlib.contextmanager
def database_errors(path: Path) -> Iterator[None]:
    """Turn the errors of SQLite into store errors: damaged, busy, full, or unusable."""
    try:
        yield
    except DBAPIError as error:
        raise _error_of(path, error.orig) from error
    except sqlite3.Error as error:
        raise _error_of(path, error) from error
    except UnicodeDecodeError as error:
        raise _error_of(path, error, is_damaged=True) from error
    except UnicodeEncodeError as error:
        raise StoreError(
            f"{path}: a text holds half a surrogate pair, which no database keeps; leave it out"
        ) from error


def _error_of(path: Path, error: object, *, is_damaged: bool = False) -> StoreError:
    exactly = getattr(error, "sqlite_errorcode", 0)
    code = exactly & 0xFF
    if code in _BUSY:
        seconds = _PATIENCE_MS // 1000
        return StoreBusyError(f"{path}: another process has been writing to the database for {seconds} s; try again")
    if is_damaged or code in _DAMAGED:
        return IntegrityError(f"{path}: the database is damaged, or none ({error}); make it again by reindex")
    if exactly in _FULL:
        return StoreFull(f"{path}: no room is left for the database ({error}), nothing was changed; free some space")
    return StoreError(f"{path}: the database cannot be used ({error}); check the folder and its permissions")

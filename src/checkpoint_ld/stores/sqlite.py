"""SQLite: connections that are opened at first use and brought to our schema, and whatever is special about it.

The tables and the queries are SQLAlchemy's and would do for PostgreSQL; what is here is what a second database would
need of its own: addresses, settings of connections, how a transaction begins, errors, migrations.

A migration is one transaction. The first schema is that of databases from before schemas were numbered: the same
tables, but looser ones. They state no version and no hash, and hold a thought under one checkpoint only, the first that
had it. In schema 1, what is unknown is NULL, and the parent of a thought need not be in the chain.
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

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, DBAPIError

from checkpoint_ld.agent.checkpoint import AgentCheckpoint
from checkpoint_ld.agent.text import sha256_of
from checkpoint_ld.errors import (
    IntegrityError,
    InvalidCheckpoint,
    ReadError,
    SettingsError,
    StoreBusyError,
    StoreError,
    StoreFull,
    UnsupportedVersion,
)
from checkpoint_ld.stores import tables
from checkpoint_ld.stores.protocol import Heading, store_path
from checkpoint_ld.stores.tables import NUMBER, STATUSES, UNKNOWN, checkpoints, executions, metadata, thoughts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from checkpoint_ld.stores.tables import Row, Tree


_OURS = frozenset(metadata.tables)
_OLD = "old_"
_PARENT = """CASE WHEN EXISTS (
  SELECT 1 FROM old_thoughts p WHERE p.checkpoint_id = o.checkpoint_id AND p.id = o.parent_id) THEN parent_id END"""
_VERSION = "0.0.1"
_FIRST_COLUMNS = frozenset({"id", "execution_id", "timestamp", "snapshot_json"})
_COUNTS = {"step_number": 0, "tokens_used": 0, "duration_ms": 0, "checkpoint_reason": "manual"}
"""What the metadata of a checkpoint have to say, and what is taken where neither they nor the columns say it."""


def is_current(connection: sa.Connection, path: Path) -> bool:
    """Return whether a database has the newest schema.

    Raises StoreError for a database of somebody else, and UnsupportedVersion for one of a newer checkpoint-ld.
    """
    inspected, number = sa.inspect(connection), _number(connection)
    names = frozenset(inspected.get_table_names())
    is_ours = names >= _OURS or not (number or names)
    if is_ours and names and not number:
        columns = {column["name"] for column in inspected.get_columns("checkpoints")}
        is_ours = columns >= _FIRST_COLUMNS and "sha256" not in columns
    if not is_ours:
        raise StoreError(f"{path}: is a database, but none of agent checkpoints; name another file")
    if number > NUMBER:
        raise UnsupportedVersion(
            f"{path}: the database has schema {number}, the newest that can be read is {NUMBER}; upgrade checkpoint-ld"
        )
    return number == NUMBER


def migrate(connection: sa.Connection, path: Path) -> None:
    """Bring a database to the newest schema, within the transaction of `connection`.

    Raises what `is_current` raises, and StoreError for rows that are no checkpoints; then nothing is changed.
    """
    if is_current(connection, path):  # another process was first
        return
    is_numbered, is_old = bool(_number(connection)), bool(sa.inspect(connection).get_table_names())
    if is_old:
        for table in metadata.sorted_tables:
            for index in table.indexes:
                connection.execute(sa.text(f"DROP INDEX IF EXISTS {index.name}"))
            connection.execute(sa.text(f"ALTER TABLE {table.name} RENAME TO {_OLD}{table.name}"))
    metadata.create_all(connection)
    if is_old:
        if is_numbered:
            _copy_tables(connection)
        else:
            _bring_rows(connection, path)
        for table in reversed(metadata.sorted_tables):
            connection.execute(sa.text(f"DROP TABLE {_OLD}{table.name}"))
    connection.exec_driver_sql(f"PRAGMA user_version = {NUMBER:d}")


def _number(connection: sa.Connection) -> int:
    """Return the number of the schema that a database has; 0 for a new one, and for those of others."""
    return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())


def _copy_tables(connection: sa.Connection) -> None:
    for table in metadata.sorted_tables:
        values = {column.name: column.name for column in table.columns}
        values |= {name: f"coalesce({name}, {UNKNOWN[name]!r})" for name in values.keys() & UNKNOWN.keys()}
        if table is thoughts:
            values["parent_id"] = _PARENT
        chosen = f"SELECT {', '.join(values.values())} FROM {_OLD}{table.name} o"  # noqa: S608 - names are ours
        connection.execute(sa.text(f"INSERT INTO {table.name} ({', '.join(values)}) {chosen}"))


def _bring_rows(connection: sa.Connection, path: Path) -> None:
    """Bring all rows of the first schema into the tables. Raises StoreError for a row that is no checkpoint."""
    for row in _old(connection, "executions"):
        status = row.get("status") if row.get("status") in STATUSES else "running"
        connection.execute(sa.insert(executions), [{**_row(row, executions), "status": status}])
    for row in _old(connection, "checkpoints"):
        try:
            _bring_checkpoint(connection, row)
        except (ReadError, InvalidCheckpoint, TypeError, ValueError) as error:
            raise StoreError(
                f"{path}: its checkpoint {row['id']!r} is of an older checkpoint-ld and cannot be brought to the "
                f"schema of today, so nothing was changed: {error}; export or delete that row with sqlite3"
            ) from error


def _bring_checkpoint(connection: sa.Connection, row: Row) -> None:
    execution = (
        connection.execute(sa.select(executions).where(executions.c.id == row["execution_id"])).mappings().first()
    )
    tree = _tree(row, execution or {})
    if execution is None:  # nothing kept them together, as foreign keys are off unless they are switched on
        tables.open_execution(connection, row["execution_id"], tree["agent_id"])
    made = tables.row_of(tree, Heading.model_validate(tree), sha256_of(tree))
    connection.execute(sa.insert(checkpoints), [{**made, "file_name": None, "source_sha256": None}])
    _bring_parts(connection, tree)
    if execution is None:
        tables.follow(connection, row["execution_id"])


def _tree(row: Row, execution: Mapping[Any, Any]) -> Tree:
    stated = tables.loaded(row.get("metadata_json") or "{}")
    counts = {name: row.get(name, none) for name, none in _COUNTS.items() if name not in stated}
    parent = {"checkpoint_id": row.get("parent_checkpoint_id"), "branch_reason": row.get("branch_reason")}
    tree = {
        "version": _VERSION,
        **{name: row[name] for name in ("id", "timestamp", "execution_id")},
        "agent_id": row.get("agent_id") or execution.get("agent_id") or "unknown",
        "snapshot": tables.loaded(row["snapshot_json"]),
        "metadata": {**stated, **counts},
        "parent": {name: value for name, value in parent.items() if value is not None} or None,
        "name": row.get("name"),
        "description": row.get("description"),
    }
    return {name: value for name, value in tree.items() if value is not None}


def _bring_parts(connection: sa.Connection, tree: Tree) -> None:
    """Insert the thoughts and calls of a checkpoint, and those that only the old tables know."""
    snapshot = None
    with contextlib.suppress(ReadError, InvalidCheckpoint):  # kept as it is; it can be read by its row, not restored
        snapshot = AgentCheckpoint.of_tree(tree).snapshot
    for table, made in tables.PARTS.items():
        found = [] if snapshot is None else made(tree["id"], snapshot)
        known = {one["id"] for one in found}
        mine = [one for one in _old(connection, table.name, tree["id"]) if one["id"] not in known]
        known |= {one["id"] for one in mine}
        for one in mine:
            row = {**_row(one, table), "seq": len(found)}
            if table is thoughts:
                row["parent_id"] = row["parent_id"] if row["parent_id"] in known else None
            elif not row["status"]:
                row["status"] = "pending" if one.get("success") is None else "completed" if one["success"] else "failed"
            found.append(row)
        if found:
            connection.execute(sa.insert(table), found)


def _row(old: Row, table: sa.Table) -> Row:
    """Return a row of the first schema as one of a table of today."""
    return tables.filled({column.name: old.get(column.name) for column in table.columns})


def _old(connection: sa.Connection, table: str, checkpoint_id: str | None = None) -> Iterator[Row]:
    found = sa.Table(_OLD + table, sa.MetaData(), autoload_with=connection)
    query = sa.select(found).order_by(sa.text("rowid"))
    if checkpoint_id is not None:
        query = query.where(found.c.checkpoint_id == checkpoint_id)
    yield from [dict(row) for row in connection.execute(query).mappings()]


_OLDEST: Final = (3, 37)
"""The first version that knows strict tables."""
_SMALLEST: Final = 512
"""Bytes that a database has at least: one page."""
_WRITING: Final = "checkpoint_ld_writing"
"""The option of connections whose transactions take the lock for writing at once."""

_logger = logging.getLogger("checkpoint_ld.stores")

_PATIENCE_MS = 5000
_PAUSE_S = 0.01
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_FULL = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE})
"""A write that fails is, by far most often, one beyond a quota or a limit on the size of files."""
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def path_of(url: str | os.PathLike[str]) -> Path:
    """Return the path of the database that an SQLAlchemy URL names, such as `sqlite:///checkpoints.db`.

    A text that is no URL is a path. Raises SettingsError for other databases, one in memory, and the path of a folder.
    """
    if not isinstance(url, str) or "://" not in url:
        return store_path(url, is_folder=False)
    try:
        parsed = sa.make_url(url)
    except ArgumentError:
        raise SettingsError("the address of the database is no URL: write sqlite:///checkpoints.db") from None
    if parsed.drivername not in ("sqlite", "sqlite+pysqlite"):
        raise SettingsError(f"databases of the kind {parsed.drivername} cannot be used yet: write sqlite:///PATH")
    if parsed.query or not parsed.database or parsed.database == ":memory:":
        raise SettingsError("the address names no file to keep the database in: write sqlite:///checkpoints.db")
    return store_path(parsed.database, is_folder=False)


class Database:
    """The database at `path`. With `flushed`, transactions of connections that are opened end on the disk."""

    def __init__(self, path: Path, *, flushed: bool) -> None:
        self.path = path
        self.flushed = flushed
        self._guard = threading.RLock()
        self._turn = threading.RLock()
        self._opened: tuple[sa.Engine, sa.Engine, int, int] | None = None
        self._disposal: weakref.finalize[..., Database] | None = None

    @property
    def exists(self) -> bool:
        """Whether there is a file at all."""
        return self.path.exists()

    @contextlib.contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Give a connection that sees one state of the database."""
        with database_errors(self.path), self._engine().begin() as connection:
            yield connection

    @contextlib.contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """Give a connection that is the only one that writes; what it wrote is kept if nothing is raised.

        Threads take turns here: SQLite would have them sleep and look again, for far longer than a save takes.
        """
        is_mine = self._turn.acquire(timeout=_PATIENCE_MS / 1000)  # after that, SQLite says who is in the way
        try:
            with database_errors(self.path), self._engine(writing=True).begin() as connection:
                yield connection
        finally:
            if is_mine:
                self._turn.release()

    def close(self) -> None:
        """Close all connections."""
        with self._guard:
            if self._disposal is not None:
                self._disposal()
                self._opened = self._disposal = None

    def reset(self) -> None:
        """Empty the database; one that is damaged is given another name, and an empty one takes its place.

        Raises StoreError and UnsupportedVersion for a database that is not ours, and leaves it as it is.
        """
        with self._guard:
            try:
                if self.exists:
                    with self.writing() as connection:
                        if faults(connection, quickly=True):
                            raise IntegrityError(f"{self.path}: the database is damaged")
                        connection.execute(sa.delete(executions))
                    return
            except IntegrityError:
                self.close()
                with database_errors(self.path):
                    _logger.warning("%s was damaged and is kept as %s", self.path, _move_aside(self.path))
            self.close()
            with self.writing():
                pass

    def _engine(self, *, writing: bool = False) -> sa.Engine:
        with self._guard:
            if self._opened is None or self._opened[2] != os.getpid() or self._opened[3] != self._inode():
                self.close()
                engine = self._open()
                # Also for those who do not close: Python 3.13 warned of connections that nobody closed.
                self._disposal = weakref.finalize(self, _dispose, engine, os.getpid())
                writer = engine.execution_options(**{_WRITING: True})
                self._opened = engine, writer, os.getpid(), self._inode()
            return self._opened[1] if writing else self._opened[0]

    def _inode(self) -> int:
        try:
            return self.path.stat().st_ino
        except FileNotFoundError:
            raise StoreError(
                f"{self.path}: the database has vanished; make it again from the files by reindex"
            ) from None

    def _open(self) -> sa.Engine:
        with contextlib.suppress(OSError):  # the database says better what is wrong with its folder
            self.path.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            if 0 < self.path.stat().st_size < _SMALLEST:  # SQLite would take it for an empty one
                raise IntegrityError(f"{self.path}: is no database, but a small file; name another file")
        engine = _made_engine(self.path, flushed=self.flushed)
        try:
            with engine.begin() as connection:
                is_newest = is_current(connection, self.path)
            if not is_newest:
                with engine.execution_options(**{_WRITING: True}).begin() as connection:
                    migrate(connection, self.path)
        except BaseException:
            engine.dispose()
            raise
        return engine


def _dispose(engine: sa.Engine, process: int) -> None:
    # What a parent process opened is its own: closing it here would take its locks away.
    engine.dispose(close=process == os.getpid())


def _made_engine(path: Path, *, flushed: bool) -> sa.Engine:
    """Return an engine for the database at `path`, which is opened, or made, by its first connection.

    With `flushed` every transaction is on the disk when it ends, rather than only whole after a power cut.
    """
    if sqlite3.sqlite_version_info < _OLDEST:
        raise StoreError(f"SQLite is {sqlite3.sqlite_version}; agent checkpoints need 3.37 or newer")
    made = sa.create_engine(f"sqlite:///{path}")

    @sa.event.listens_for(made, "connect")
    def _set_up(driver: Any, _record: object) -> None:
        # The driver would begin transactions by itself, late and without the lock for writing.
        driver.isolation_level = None
        driver.execute(f"PRAGMA busy_timeout = {_PATIENCE_MS}")
        driver.execute("PRAGMA foreign_keys = ON")
        _log_ahead(driver, path)
        driver.execute(f"PRAGMA synchronous = {'FULL' if flushed else 'NORMAL'}")

    @sa.event.listens_for(made, "begin")
    def _begin(connection: sa.Connection) -> None:
        writing = connection.get_execution_options().get(_WRITING, False)
        # By the driver itself: what SQLAlchemy does around a statement takes longer than beginning.
        connection.connection.cursor().execute("BEGIN IMMEDIATE" if writing else "BEGIN")

    return made


def _log_ahead(driver: Any, path: Path) -> None:
    """Switch to a write-ahead log, where readers and a writer do not wait for each other; it stays switched on.

    While others do the same, SQLite refuses at once, without the patience that it was given.
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
    """Return what is wrong with a database itself: its pages, its indexes, rows that refer to none."""
    check = "quick_check" if quickly else "integrity_check"
    found = [str(row[0]) for row in connection.exec_driver_sql(f"PRAGMA {check}(20)") if row[0] != "ok"]
    orphans = connection.exec_driver_sql("PRAGMA foreign_key_check").all() if not quickly else ()
    return [*found, *(f"a row of {row[0]} belongs to no row of {row[2]}" for row in orphans)]


def _move_aside(path: Path) -> Path:
    """Give a database, and what SQLite keeps beside it, another name, which is returned."""
    aside = path.with_name(f"{path.name}.corrupt-{time.time_ns() // 1_000_000}")
    for suffix in ("", "-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + suffix).rename(aside.with_name(aside.name + suffix))
    return aside


@contextlib.contextmanager
def database_errors(path: Path) -> Iterator[None]:
    """Raise the errors of SQLite as those of stores: damaged, busy, full, or not to be used at all."""
    try:
        yield
    except DBAPIError as error:
        raise _error_of(path, error.orig) from error
    except sqlite3.Error as error:
        raise _error_of(path, error) from error
    except UnicodeEncodeError as error:
        raise StoreError(
            f"{path}: a text holds half a surrogate pair, which no database keeps; leave it out"
        ) from error


def _error_of(path: Path, error: object) -> StoreError:
    exactly = getattr(error, "sqlite_errorcode", 0)
    code = exactly & 0xFF
    if code in _BUSY:
        seconds = _PATIENCE_MS // 1000
        return StoreBusyError(f"{path}: another process has been writing to the database for {seconds} s; try again")
    if code in _DAMAGED:
        return IntegrityError(f"{path}: the database is damaged, or none ({error}); make it again by reindex")
    if exactly in _FULL:
        return StoreFull(f"{path}: no room is left for the database ({error}), nothing was changed; free some space")
    return StoreError(f"{path}: the database cannot be used ({error}); check the folder and its permissions")

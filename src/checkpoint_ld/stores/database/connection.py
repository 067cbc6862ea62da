"""The connection to a database: opened at first use, brought to our schema, never one that is not ours."""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import weakref
from typing import TYPE_CHECKING

from checkpoint_ld.errors import IntegrityError, StoreError
from checkpoint_ld.stores.database import migrations, sqlite

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlalchemy import Connection, Engine

_logger = logging.getLogger("checkpoint_ld.stores")


class Database:
    """The database at `path`. `flushed` asks for every transaction to be on the disk when it ends."""

    def __init__(self, path: Path, *, flushed: bool) -> None:
        self.path = path
        self._flushed = flushed
        self._guard = threading.RLock()
        self._opened: tuple[Engine, int, int] | None = None
        self._disposal: weakref.finalize[..., Database] | None = None

    @property
    def flushed(self) -> bool:
        """Whether every transaction is on the disk when it ends."""
        return self._flushed

    @flushed.setter
    def flushed(self, wanted: bool) -> None:
        if wanted != self._flushed:
            self._flushed = wanted
            self.close()

    @property
    def exists(self) -> bool:
        """Whether there is a file at all."""
        return self.path.exists()

    @contextlib.contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give a connection that sees one state of the database."""
        with sqlite.explained(self.path), self._engine().begin() as connection:
            yield connection

    @contextlib.contextmanager
    def writing(self) -> Iterator[Connection]:
        """Give a connection that is the only one that writes; what it wrote is kept if nothing is raised."""
        with sqlite.explained(self.path):
            engine = self._engine().execution_options(**{sqlite.WRITING: True})
            with engine.begin() as connection:
                yield connection

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
                    self._empty()
                    return
            except IntegrityError:
                self.close()
                with sqlite.explained(self.path):
                    _logger.warning("%s was damaged and is kept as %s", self.path, sqlite.move_aside(self.path))
            self.close()
            with self.writing():
                pass

    def _empty(self) -> None:
        with self.writing() as connection:
            if sqlite.faults(connection, quickly=True):
                raise IntegrityError(f"{self.path}: the database is damaged")
            migrations.empty(connection)

    def _engine(self) -> Engine:
        with self._guard:
            if self._opened is not None and self._opened[1] == os.getpid():
                engine, _, inode = self._opened
                if inode == self._inode():
                    return engine
            self.close()
            engine = self._open()
            # Also for those who do not close: Python 3.13 warns of connections that nobody closed.
            self._disposal = weakref.finalize(self, _dispose, engine, os.getpid())
            self._opened = engine, os.getpid(), self._inode()
            return engine

    def _inode(self) -> int:
        try:
            return self.path.stat().st_ino
        except FileNotFoundError:
            raise StoreError(
                f"{self.path}: the database has vanished; make it again from the files by reindex"
            ) from None

    def _open(self) -> Engine:
        with contextlib.suppress(OSError):  # the database says better what is wrong with its folder
            self.path.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            if 0 < self.path.stat().st_size < sqlite.SMALLEST:  # SQLite would take it for an empty one
                raise IntegrityError(f"{self.path}: is no database, but a small file; name another file")
        engine = sqlite.engine(self.path, flushed=self._flushed)
        try:
            with engine.begin() as connection:
                is_current = migrations.is_current(connection, self.path)
            if not is_current:
                with engine.execution_options(**{sqlite.WRITING: True}).begin() as connection:
                    migrations.migrate(connection, self.path)
        except BaseException:
            engine.dispose()
            raise
        return engine


def _dispose(engine: Engine, process: int) -> None:
    # What a parent process opened is its own: closing it here would take its locks away.
    engine.dispose(close=process == os.getpid())

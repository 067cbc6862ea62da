"""`DatabaseStore`: agent checkpoints in an SQLite database, as an index of files or as an independent store.

`sqlite` has the connections, `tables` the schema and its queries, `foreign` reads databases of CAF.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import select, update

from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.documents.values import ABSENT, Absent
from checkpoint_ld.errors import IntegrityError, InvalidCheckpoint, ReadError
from checkpoint_ld.findings import Place
from checkpoint_ld.rules import finding
from checkpoint_ld.stores import tables
from checkpoint_ld.stores.protocol import (
    CAPABILITIES,
    EVERYTHING,
    NEIGHBOURS,
    RESET,
    Header,
    Put,
    amended,
    not_found,
    other_content,
)
from checkpoint_ld.stores.sqlite import Database, faults, path_of
from checkpoint_ld.stores.tables import checkpoints

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping

    from sqlalchemy import Connection, Select

    from checkpoint_ld.findings import Finding
    from checkpoint_ld.stores.protocol import Filter

_PAGE = 2000
"""The number of headers that are read at a time, so that a long list is no long transaction."""


class DatabaseStore:
    """Agent checkpoints in the database at `url`, such as `sqlite:///checkpoints.db`, or at a path.

    It is opened at first use, and made if it does not exist. With `follows_files` it is an index of files: the last
    changes may be lost in a power cut, and are restored from the files. Raises SettingsError for other databases than
    SQLite. All methods raise StoreBusyError if others write for more than five seconds, IntegrityError for a damaged
    database, UnsupportedVersion for one of a newer checkpoint-ld, and StoreError for a database of another program. A
    database that CAF's own program made is read, and never changed: what would write raises StoreError.
    """

    capabilities = CAPABILITIES | {RESET}

    def __init__(self, url: str | os.PathLike[str], *, follows_files: bool = False) -> None:
        self._database = Database(path_of(url), flushed=not follows_files)
        self.path = self._database.path
        self._has_room = False
        """Whether something was deleted, whose texts may be nobody's."""

    @property
    def follows_files(self) -> bool:
        """Whether the database is an index of files, whose transactions need not be flushed to the disk."""
        return not self._database.flushed

    @follows_files.setter
    def follows_files(self, follows: bool) -> None:
        if follows == self._database.flushed:
            self._database.flushed = not follows
            self._database.close()

    def put(
        self, checkpoint: AgentCheckpoint, *, file_name: str | None = None, source_sha256: str | None = None
    ) -> Put:
        """Insert the checkpoint, with the name of its file and the hash of the file that it was imported from.

        Raises CheckpointExists if the id has other content.
        """
        sha256 = checkpoint.sha256
        with self._database.writing() as connection:
            known = tables.known(connection, checkpoint.id)
            if known is None:
                tables.add(connection, checkpoint, file_name=file_name, source_sha256=source_sha256)
            elif known[0] != sha256:
                raise other_content(self.path, checkpoint, known[0])
            elif file_name is not None and known[2] != file_name:
                mine = update(checkpoints).where(checkpoints.c.id == checkpoint.id)
                connection.execute(mine.values(file_name=file_name))
        return Put(None, created=known is None)

    def replace(
        self, checkpoint: AgentCheckpoint, *, file_name: str | None = None, source_sha256: str | None = None
    ) -> None:
        """Insert the checkpoint, or replace the one of its id, as a repair from its file.

        File name and origin stay unless they are given.
        """
        with self._database.writing() as connection:
            known = tables.known(connection, checkpoint.id)
            if known is not None:
                file_name, source_sha256 = file_name or known[2], source_sha256 or known[1]
            tables.remove(connection, checkpoint.id)
            tables.add(connection, checkpoint, file_name=file_name, source_sha256=source_sha256)

    def get(self, checkpoint_id: str, /) -> AgentCheckpoint:
        """Return the checkpoint.

        Raises CheckpointNotFound, and IntegrityError if the row does not match its stored hash.
        """
        self._refuse_absent(checkpoint_id)
        with self._database.reading() as connection:
            return self._restored(connection, checkpoint_id)

    def headers(self, wanted: Filter = EVERYTHING, /) -> Iterator[Header]:
        """Yield the headers of all matching checkpoints with their hashes, by pages of some thousands."""
        left = wanted.limit
        while left != 0 and self._database.exists:
            size = _PAGE if left is None else min(left, _PAGE)
            page = list(self._headers(tables.headers(replace(wanted, limit=size))))
            yield from page
            if len(page) < size:
                return
            wanted = replace(wanted, cursor=page[-1].key)
            left = None if left is None else left - len(page)

    def ids(self, execution_id: str, start: str = "") -> Iterator[str]:
        """Yield the ids of the checkpoints of an execution that start so, in no order."""
        if self._database.exists:
            with self._database.reading() as connection:
                found = tables.ids(connection, execution_id, start)
            yield from found

    def children(self, checkpoint_id: str, /) -> Iterator[Header]:
        """Yield the headers of the children of a checkpoint, the oldest first."""
        return self._headers(tables.children(checkpoint_id))

    def update_metadata(
        self,
        checkpoint_id: str,
        /,
        *,
        name: str | Absent | None = ABSENT,
        description: str | Absent | None = ABSENT,
        metadata: Mapping[str, Any] | Absent = ABSENT,
    ) -> AgentCheckpoint:
        """Change name, description or metadata of the checkpoint, and return it; ABSENT leaves a value."""
        self._refuse_absent(checkpoint_id)
        with self._database.writing() as connection:
            before = self._restored(connection, checkpoint_id)
            changed = amended(before, name=name, description=description, metadata=metadata)
            tables.change(connection, changed)
        return changed

    def delete(self, checkpoint_id: str, /) -> bool:
        """Delete the checkpoint with its thoughts and calls; return whether it existed."""
        if not self._database.exists:
            return False
        with self._database.writing() as connection:
            removed = tables.remove(connection, checkpoint_id)
        self._has_room = self._has_room or removed
        return removed

    def verify(self, *, repair: bool = False) -> Iterator[Finding]:
        """Yield findings about the database, and about rows that do not match their hash or each other.

        With `repair`, thoughts and calls are made again from their checkpoints.
        """
        if not self._database.exists:
            return
        where = Place(str(self.path))
        try:
            with self._database.reading() as connection:
                found = faults(connection)
                ids = list(connection.scalars(select(checkpoints.c.id).order_by(checkpoints.c.id)))
        except IntegrityError as error:
            found, ids = [str(error)], []
        found += map(str, self._database.unreadable.values())
        for fault in found:
            yield replace(finding("agent-database-damaged", f"the database is damaged: {fault}"), place=where)
        for checkpoint_id in [] if found else ids:
            wrong = self._fault(checkpoint_id, repair=repair and not self._database.is_foreign)
            if wrong is not None:
                yield replace(wrong, place=where)

    def reset(self) -> None:
        """Empty the database. A damaged database is renamed, and replaced by an empty one."""
        self._database.reset()

    def close(self) -> None:
        """Close all connections; the texts of what was deleted are deleted before."""
        if self._has_room and self._database.exists:
            with self._database.writing() as connection:
                tables.clear(connection)
        self._has_room = False
        self._database.close()

    def _refuse_absent(self, checkpoint_id: str) -> None:
        if not self._database.exists:
            raise not_found(checkpoint_id, (), str(self.path))

    def _headers(self, query: Select[Any]) -> Iterator[Header]:
        if self._database.exists:
            with self._database.reading() as connection:
                found = connection.execute(query).mappings().all()
            yield from map(Header.of_members, found)

    def _restored(self, connection: Connection, checkpoint_id: str) -> AgentCheckpoint:
        row = tables.row(connection, checkpoint_id)
        if row is None:
            mine = checkpoints.c.id
            before = select(mine).where(mine < checkpoint_id).order_by(mine.desc()).limit(NEIGHBOURS)
            after = select(mine).where(mine > checkpoint_id).order_by(mine).limit(NEIGHBOURS)
            near = [*connection.scalars(before), *connection.scalars(after)]
            raise not_found(checkpoint_id, near, str(self.path))
        try:
            return self._checkpoint(connection, row)
        except (ReadError, InvalidCheckpoint, TypeError, ValueError) as error:
            raise IntegrityError(f"{self.path}: the row of {checkpoint_id!r} is damaged: {error}; reindex") from error

    def _checkpoint(self, connection: Connection, row: Mapping[Any, Any]) -> AgentCheckpoint:
        content = tables.content_of(connection, row)
        if hashlib.sha256(content).hexdigest() != row["sha256"]:
            raise ValueError(f"it does not fit its hash {row['sha256']}")
        checkpoint = AgentCheckpoint.of_json(tables.loaded(content))
        checkpoint.__dict__["sha256"] = row["sha256"]  # that of this text, which need not be made again
        if any(row[name] != value for name, value in tables.stated_columns(checkpoint).items()):
            raise ValueError("its columns do not fit its text")
        return checkpoint

    def _fault(self, checkpoint_id: str, *, repair: bool) -> Finding | None:
        with self._database.writing() if repair else self._database.reading() as connection:
            row = tables.row(connection, checkpoint_id)
            if row is None:  # deleted meanwhile
                return None
            try:
                checkpoint = self._checkpoint(connection, row)
            except (ReadError, InvalidCheckpoint, TypeError, ValueError) as error:
                return finding("agent-row-damaged", f"the row cannot be restored: {error}", subject=checkpoint_id)
            if tables.is_consistent(connection, row, checkpoint):
                return None
            if repair:
                tables.remove(connection, checkpoint_id)
                tables.add(connection, checkpoint, file_name=row["file_name"], source_sha256=row["source_sha256"])
        message = f"other thoughts or calls than those of its snapshot{', which were made again' if repair else ''}"
        return finding("agent-row-parts", message, subject=checkpoint_id)

"""`FileStore`: agent checkpoints as files in one folder, written once and atomically, older ones packed."""

from __future__ import annotations

import contextlib
import gzip
import logging
import sqlite3
import threading
import time
from collections import Counter, defaultdict
from contextlib import contextmanager, suppress
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Final

from checkpoint_ld.agents import values
from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.documents.files import flush
from checkpoint_ld.documents.packed import PACK, Pack, PackedText
from checkpoint_ld.documents.values import ABSENT, Absent
from checkpoint_ld.errors import (
    CheckpointExists,
    CheckpointLdError,
    CheckpointNotFound,
    IntegrityError,
    InvalidCheckpoint,
    ReadError,
    SettingsError,
    SourceMissingError,
    StoreBusyError,
    StoreError,
    StoreFull,
)
from checkpoint_ld.findings import Place
from checkpoint_ld.rules import finding
from checkpoint_ld.stores.folder import (
    PACKED,
    SUFFIX,
    TEMPORARY,
    file_name,
    folder_errors,
    hashed_name,
    locked,
    names,
    place,
)
from checkpoint_ld.stores.folder_index import FolderIndex, header_at
from checkpoint_ld.stores.protocol import (
    CAPABILITIES,
    EVERYTHING,
    Facts,
    Header,
    Put,
    amended,
    not_found,
    other_content,
    store_path,
)

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from checkpoint_ld.findings import Finding
    from checkpoint_ld.stores.protocol import Filter

__all__ = ["FileStore", "file_name"]

_logger = logging.getLogger("checkpoint_ld.stores")

STALE_S: Final = 3600.0
"""Seconds after which the save that made a temporary file has certainly ended."""

WHOLE: Final = 8
"""The newest checkpoints of an execution that are whole files."""
_BATCH: Final = 16
"""The number of new files of an execution after which older ones are packed together."""
_REMEDY: Final = "ask for permission, or choose another folder"
_LONG: Final = 1 << 16
"""The bytes above which a checkpoint is packed at once, after the first few of its execution, unless it is the last."""
_LARGE: Final = 1 << 20
"""The bytes above which it is no file at all."""
_MEMBERS = tuple(field.name for field in fields(Header))


class FileStore:
    """Agent checkpoints in `directory`, one file each; the first `put` makes the folder.

    Only `update_metadata` changes a file, and other files are never touched. A folder that vanished is not made again.
    Raises SettingsError for an invalid path; `get` raises ReadError or InvalidCheckpoint for a damaged file.
    """

    capabilities = CAPABILITIES

    def __init__(self, directory: str | os.PathLike[str] = "./checkpoints", *, whole: int | None = WHOLE) -> None:
        """Keep them in `directory`; of each execution at least the newest `whole` are files, all if it is None.

        Older ones are moved into the file `packed.db` there, which has what they share once. After as many files of an
        execution, its checkpoints above 64 KB are put there at once, so that a save takes nearly the same time however
        long a run is; the last one becomes a file when the store is closed. Those above a megabyte always go there.
        Nothing is deleted before it is safely there. Raises SettingsError for a negative number.
        """
        if whole is not None and whole < 1:
            raise SettingsError(f"whole is {whole}: give 1 or more, or None to pack nothing")
        self.directory = store_path(directory, is_folder=True)
        self.whole = whole
        self._pack = Pack(self.directory)
        self._since: dict[str, int] = {}
        """The number of files of each execution since the last packing, as far as this process knows."""
        self._files: Counter[str] = Counter()
        """The number of files that this process made of each execution."""
        self._last: dict[str, AgentCheckpoint] = {}
        """The last checkpoints of executions, where they were packed at once, and become files."""
        self._facts: dict[str, Facts] = {}
        """Facts about packed checkpoints, by the names in the pack."""
        self._index = FolderIndex(self.directory)
        self._guard = threading.RLock()
        self._was_there = self.directory.is_dir()

    def put(
        self,
        checkpoint: AgentCheckpoint,
        *,
        file_name: str | None = None,  # noqa: ARG002 - for stores that follow files
        source_sha256: str | None = None,  # noqa: ARG002 - for stores that have a place for it
        packed: bool = False,
    ) -> Put:
        """Write the checkpoint's file; nothing is done if the folder has an equal checkpoint.

        With `packed` it is put into the packed file at once, unless the store packs nothing. Raises CheckpointExists if
        the id has other content, StoreFull, and StoreError.
        """
        is_packed = self.whole is not None and (packed or self._is_packed_at_once(checkpoint, self.whole))
        with self._guard, folder_errors(self.directory):
            if not self._was_there:
                self.directory.mkdir(parents=True, exist_ok=True)
                flush(self.directory.resolve().parent)
                self._was_there = True
            self._index.refresh(again=False)
            held = self._existing(checkpoint.id)
            if held:
                return _same(held[0].read_bytes(), held[0], checkpoint)
            if is_packed and self._pack_now(checkpoint, becomes_file=not packed):
                return Put(None, created=True)
            known = self._packed(checkpoint.id)
            if known is not None:
                return _same(known, self._pack.path, checkpoint)
            first, second = names(checkpoint.id)[0], hashed_name(checkpoint.id)
            choices = (second,) if self._index.is_taken(first) else (first, second)
        return self._placed(checkpoint, choices)

    def get(self, checkpoint_id: str, /) -> AgentCheckpoint:
        """Return the checkpoint; see the class for what is raised."""
        with folder_errors(self.directory):
            first = file_name(checkpoint_id)  # the others are seldom needed
            found = _loaded(self.directory / first)
            for name in names(checkpoint_id) if found is None or found.id != checkpoint_id else ():
                found = _loaded(self.directory / name)
                if found is not None and found.id == checkpoint_id:
                    break
            if found is not None and found.id == checkpoint_id:
                return found
            packed = self._packed(checkpoint_id)
            return AgentCheckpoint.load(self.path(checkpoint_id) if packed is None else packed)

    def path(self, checkpoint_id: str, /) -> Path:
        """Return the path of the checkpoint's file. Raises CheckpointNotFound, for a packed one too."""
        with self._guard, folder_errors(self.directory):
            held = self._held(checkpoint_id)
            if not held:
                if self._packed(checkpoint_id) is not None:
                    where = self._pack.path
                    raise CheckpointNotFound(f"{where}: {checkpoint_id!r} is packed and no file of its own: export it")
                known = [*self._index.names, *(about["id"] for about in self._abouts().values())]
                raise not_found(checkpoint_id, known, str(self.directory))
            return held[0]

    def headers(self, wanted: Filter = EVERYTHING, /) -> Iterator[Header]:
        """Yield the headers of all matching checkpoints; files that cannot be read are left out, and logged."""
        with self._guard, folder_errors(self.directory):
            self._refresh()
            listed = [self._index.files(checkpoint_id)[0] for checkpoint_id in self._index.names]
            found = [entry.header for entry in listed if entry.header is not None and entry.matches(wanted)]
            for name, about in self._abouts().items():
                if about["id"] in self._index.names or not wanted.admits(header := Header(**about)):
                    continue
                if not wanted.needs_facts or wanted.admits_facts(self._facts_of(name)):
                    found.append(header)
        yield from wanted.arranged(found)

    def ids(self, execution_id: str, start: str = "") -> Iterator[str]:
        """Yield the ids of the checkpoints of an execution that start so, in no order.

        Files that cannot be read are left out.
        """
        with self._guard, folder_errors(self.directory):
            self._refresh()
            whole = [entry.header for entry in self._index.listed.values() if entry.header is not None]
            found = {header.id for header in whole if header.execution_id == execution_id}
            found.update(about["id"] for about in self._abouts().values() if about["execution_id"] == execution_id)
        yield from (id for id in found if id.startswith(start))

    def update_metadata(
        self,
        checkpoint_id: str,
        /,
        *,
        name: str | Absent | None = ABSENT,
        description: str | Absent | None = ABSENT,
        metadata: Mapping[str, Any] | Absent = ABSENT,
    ) -> AgentCheckpoint:
        """Rewrite the checkpoint's file with other metadata, and return the checkpoint; ABSENT leaves a value."""
        with self._guard, folder_errors(self.directory), contextlib.ExitStack() as stack:
            if not self.directory.is_dir():
                raise not_found(checkpoint_id, (), str(self.directory))
            stack.enter_context(locked(self.directory))
            packed = None if self._held(checkpoint_id) else self._packed(checkpoint_id)
            if packed is not None:
                changed = amended(AgentCheckpoint.load(packed), name=name, description=description, metadata=metadata)
                with pack_errors(self._pack.path):
                    self._pack.add([_text_of(changed)], replace=True)
                self._facts.clear()
                return changed
            path = self.path(checkpoint_id)
            changed = amended(AgentCheckpoint.load(path), name=name, description=description, metadata=metadata)
            data = changed.content()
            place(path, gzip.compress(data, mtime=0) if path.name.endswith(PACKED) else data, replace=True)
            self._index.add(path, Header.of(changed))
        return changed

    def delete(self, checkpoint_id: str, /) -> bool:
        """Delete all files that hold the checkpoint; return whether there were any."""
        with self._guard, folder_errors(self.directory):
            held, name = self._held(checkpoint_id), file_name(checkpoint_id)
            if not held and name not in self._abouts():
                return False
            with locked(self.directory):
                with pack_errors(self._pack.path):
                    deleted = self._pack.remove([name])
                for path in held:
                    with suppress(FileNotFoundError):  # deleted by another process meanwhile
                        path.unlink()
                        deleted = True
                flush(self.directory)
            for path in held:
                self._index.remove(path)
        return deleted

    def verify(self, *, repair: bool = False) -> Iterator[Finding]:
        """Yield the faults of the folder. `repair` only removes temporary files older than an hour."""
        with self._guard, folder_errors(self.directory):
            self._refresh()
            files = [self._index.listed[name].path for name in sorted(self._index.listed)]
        for path in self.sweep() if repair else self._temporaries(STALE_S):
            yield _at(path, "agent-temporary", f"{path.name} was left behind{' and is removed' if repair else ''}")
        yield from _of_files(files)
        yield from self._faults_of_pack(repair=repair)

    def sweep(self, older_than_s: float = STALE_S) -> tuple[Path, ...]:
        """Remove the temporary files of saves that did not end, and return them."""
        with folder_errors(self.directory):
            stale = self._temporaries(older_than_s)
            for path in stale:
                path.unlink(missing_ok=True)
        return stale

    def close(self) -> None:
        """Drop the index, and close the packed file, in which nothing stays of what was deleted.

        The last checkpoint of each execution becomes a file, as far as there is room for it.
        """
        with self._guard:
            for last in self._last.values():
                try:
                    held = self._packed(last.id)  # its metadata may have changed since, or it is deleted
                    if held is not None and len(held) <= _LARGE:
                        place(self.directory / file_name(last.id), held)
                except FileExistsError:  # it is there already
                    continue
                except (StoreError, OSError) as error:  # it is packed, and stays so
                    _logger.warning("%s: the last checkpoint stays packed: %s", self.directory, error)
            self._last.clear()
            self._index = FolderIndex(self.directory)
            if self.directory.exists():
                with pack_errors(self._pack.path):
                    self._pack.close()

    def _placed(self, checkpoint: AgentCheckpoint, choices: Iterable[str]) -> Put:
        """Write a checkpoint to a file with the first of these names that is free."""
        self._last.pop(checkpoint.execution_id, None)
        data = checkpoint.content()
        with folder_errors(self.directory):  # several threads may wait for the disk at once
            for name in choices:
                path = self.directory / name
                try:
                    place(path, data)
                except FileExistsError:  # made by another process or thread meanwhile, or no checkpoint
                    if _may_hold(path, checkpoint.id):
                        return _same(path.read_bytes(), path, checkpoint)
                    continue
                with self._guard:
                    self._files[checkpoint.execution_id] += 1
                    with suppress(FileNotFoundError):  # packed or deleted by another process
                        self._index.add(path, Header.of(checkpoint))
                    self._pack_older(checkpoint.execution_id)
                return Put(path, created=True)
        raise StoreError(f"{self.directory}: the names for {checkpoint.id!r} are taken by other files; move them away")

    def _pack_now(self, checkpoint: AgentCheckpoint, *, becomes_file: bool) -> bool:
        """Put a checkpoint into the packed file; return whether it was not there."""
        with pack_errors(self._pack.path):
            is_new = self._pack.add([_text_of(checkpoint)]) > 0
        if is_new and becomes_file:
            self._pack_older(checkpoint.execution_id)
            self._last[checkpoint.execution_id] = checkpoint
        return is_new

    def _is_packed_at_once(self, checkpoint: AgentCheckpoint, whole: int) -> bool:
        is_last = checkpoint.metadata.checkpoint_reason in values.FINAL
        is_one_of_few = self._files[checkpoint.execution_id] < whole
        return checkpoint.form.size > (_LARGE if is_last or is_one_of_few else _LONG)

    def _abouts(self) -> Mapping[str, Any]:
        """Return the headers of packed checkpoints, as JSON, by their names in the pack."""
        with pack_errors(self._pack.path):
            return self._pack.abouts()

    def _packed(self, checkpoint_id: str) -> bytes | None:
        with pack_errors(self._pack.path):
            return self._pack.text(file_name(checkpoint_id))

    def _facts_of(self, name: str) -> Facts:
        if name not in self._facts:
            from checkpoint_ld.agents import serialization  # noqa: PLC0415 - loads rdflib

            with pack_errors(self._pack.path):
                text = self._pack.text(name)
            empty = Facts(frozenset(), failed=False, confidence=None)  # deleted meanwhile
            self._facts[name] = Facts.of(serialization.examine_bytes(text).tree["snapshot"]) if text else empty
        return self._facts[name]

    def _pack_older(self, execution_id: str) -> None:
        """Move all but the newest files of an execution into the pack, some at a time.

        Where that is impossible, they stay as they are: the new checkpoint is kept already.
        """
        self._since[execution_id] = since = self._since.get(execution_id, _BATCH) + 1
        if self.whole is None or since < _BATCH:
            return
        self._since[execution_id] = 0
        entries = [
            (entry.header.key, entry.header, entry.path)
            for entry in self._index.listed.values()
            if entry.header is not None and entry.header.execution_id == execution_id and entry.path.suffix == SUFFIX
        ]
        older = sorted(entries)[: -self.whole]
        if not older:
            return
        try:
            with locked(self.directory, 0), pack_errors(self._pack.path):
                moved = [one for one in older if one[2].is_file() and not one[2].is_symlink()]
                texts = (PackedText.of(file_name(head.id), path.read_bytes(), _about(head)) for _, head, path in moved)
                self._pack.add(texts, replace=True)
                for _, _, path in moved:
                    path.unlink(missing_ok=True)
                    self._index.remove(path)
                flush(self.directory)
        except (StoreError, OSError) as error:
            _logger.warning("%s: older checkpoints stay whole files: %s", self.directory, error)

    def _faults_of_pack(self, *, repair: bool) -> Iterator[Finding]:
        where = self._pack.path
        try:
            faults, names_of = self._pack.faults(), list(self._abouts())
        except (sqlite3.Error, StoreError) as error:
            yield _at(where, "agent-file-damaged", f"{where.name} cannot be read: {error}")
            return
        for fault in faults:
            yield _at(where, "agent-file-damaged", f"{where.name} is damaged: {fault}")
        for name in names_of:
            try:
                text = self._pack.text(name)
                if text is not None:
                    AgentCheckpoint.load(text)
            except (ReadError, InvalidCheckpoint, sqlite3.Error, ValueError) as error:
                yield _at(where, "agent-file-damaged", f"{name} in {where.name} cannot be restored: {error}")
        if repair and not faults:
            with pack_errors(where):
                self._pack.clear()

    def _refresh(self) -> None:
        if self._was_there or self.directory.exists():
            self._was_there = True
            self._index.refresh()

    def _held(self, checkpoint_id: str) -> list[Path]:
        """Return the files of a checkpoint; if the index has none, every file is checked again.

        An unreadable file belongs to the checkpoint whose name it has.
        """
        if self._was_there:
            self._index.refresh(again=False)
        held = self._existing(checkpoint_id)
        if not held:
            self._refresh()
            held = self._existing(checkpoint_id)
        paths = (self.directory / name for name in names(checkpoint_id))
        return held or [path for path in paths if path.is_file() and _may_hold(path, checkpoint_id)]

    def _existing(self, checkpoint_id: str) -> list[Path]:
        return [file.path for file in self._index.files(checkpoint_id) if file.path.is_file()]

    def _temporaries(self, older_than_s: float) -> tuple[Path, ...]:
        found = []
        for path in self.directory.iterdir() if self.directory.is_dir() else ():
            if TEMPORARY.fullmatch(path.name):
                with suppress(FileNotFoundError):
                    if time.time() - path.lstat().st_mtime >= older_than_s:
                        found.append(path)
        return tuple(sorted(found))


def _loaded(path: Path) -> AgentCheckpoint | None:
    try:
        return AgentCheckpoint.load(path) if path.is_file() else None
    except SourceMissingError:
        if path.is_file():
            raise
        return None  # deleted meanwhile


def _may_hold(path: Path, checkpoint_id: str) -> bool:
    try:
        return header_at(path).id == checkpoint_id
    except ValueError:
        return path.is_file() and path.name in names(checkpoint_id)


@contextmanager
def pack_errors(path: Path) -> Iterator[None]:
    """Turn the errors of the packed file into store errors."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0)
        if code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise StoreBusyError(f"{path}: another process is writing to it; try again") from error
        if code & 0xFF in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
            raise StoreError(f"{path}: cannot be used: {error}; {_REMEDY}") from error
        if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE):
            raise StoreFull(f"{path}: no room is left ({error}), nothing was changed; free some space") from error
        raise IntegrityError(f"{path}: the packed checkpoints cannot be read ({error}); verify the folder") from error
    except ValueError as error:
        if isinstance(error, CheckpointLdError):
            raise
        raise IntegrityError(f"{error}; put it back from a backup") from error


def _about(header: Header) -> dict[str, Any]:
    return {name: getattr(header, name) for name in _MEMBERS}


def _text_of(checkpoint: AgentCheckpoint) -> PackedText:
    return PackedText(file_name(checkpoint.id), checkpoint.form.pieces, _about(Header.of(checkpoint)))


def _same(held: bytes, path: Path, checkpoint: AgentCheckpoint) -> Put:
    """Return the result for an equal checkpoint in a file. Raises CheckpointExists if it holds another one."""
    if held != checkpoint.content():
        try:
            other = AgentCheckpoint.load(held).sha256
        except (ReadError, InvalidCheckpoint) as error:
            raise CheckpointExists(f"{path}: holds {checkpoint.id!r} already, and is damaged: {error}") from error
        if other != checkpoint.sha256:
            raise other_content(path, checkpoint, other)
    return Put(None if path.name == PACK else path, created=False)


def _of_files(files: Iterable[Path]) -> Iterator[Finding]:
    """Yield findings about checkpoint files, and about conflicts between them."""
    by_id: dict[str, list[Path]] = defaultdict(list)
    by_name: dict[str, Path] = {}
    for path in files:
        try:
            checkpoint_id = AgentCheckpoint.load(path).id
        except (ReadError, InvalidCheckpoint) as error:
            if path.exists():  # it was not deleted meanwhile
                reason = error.findings[0] if error.findings else error
                yield _at(path, "agent-file-damaged", f"{path.name} cannot be restored: {reason}")
            continue
        if path.name not in names(checkpoint_id):
            message = f"{path.name} holds {checkpoint_id!r}, whose file is called {file_name(checkpoint_id)}"
            yield _at(path, "agent-file-name", message)
        other = by_name.setdefault(path.name.lower(), path)
        if other != path:
            yield _at(path, "agent-file-name", f"{path.name} and {other.name} are one name to disks that ignore case")
        by_id[checkpoint_id].append(path)
    for checkpoint_id, paths in by_id.items():
        for path in paths[1:]:
            yield _at(path, "agent-file-twice", f"{path.name} and {paths[0].name} both hold {checkpoint_id!r}")


def _at(path: Path, slug: str, message: str) -> Finding:
    return replace(finding(slug, message), place=Place(str(path)))

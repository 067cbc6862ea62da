"""`FileStore`: agent checkpoints as files in one folder, each written once, wholly or not at all."""

from __future__ import annotations

import contextlib
import gzip
import threading
import time
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from checkpoint_ld.agent.checkpoint import AgentCheckpoint
from checkpoint_ld.arguments import CheckedMethods
from checkpoint_ld.documents.files import flush
from checkpoint_ld.documents.values import ABSENT, Absent
from checkpoint_ld.errors import CheckpointExists, InvalidCheckpoint, ReadError, SourceMissingError, StoreError
from checkpoint_ld.findings import Place
from checkpoint_ld.rules import finding
from checkpoint_ld.stores.file_index import Index, header_at
from checkpoint_ld.stores.folder import PACKED, TEMPORARY, file_name, folder_errors, hashed_name, locked, names, place
from checkpoint_ld.stores.protocol import (
    CAPABILITIES,
    EVERYTHING,
    Put,
    amended,
    header_of_heading,
    not_found,
    store_path,
)

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from checkpoint_ld.findings import Finding
    from checkpoint_ld.stores.protocol import Filter, Header

__all__ = ["FileStore", "file_name"]

STALE_S: Final = 3600.0
"""Seconds after which a temporary file belongs to no save that may still go on."""


class FileStore(CheckedMethods):
    """Agent checkpoints in `directory`, one file for each, which is made with the first of them.

    Nothing but `update_metadata` changes a file, and what is no checkpoint's file is never touched. A folder that was
    there and has vanished is not made again. Raises SettingsError for what is no path of a folder; `get` raises
    ReadError or InvalidCheckpoint for a file that is damaged.
    """

    capabilities = CAPABILITIES

    def __init__(self, directory: str | os.PathLike[str] = "./checkpoints") -> None:
        self.directory = store_path(directory, is_folder=True)
        self._index = Index(self.directory)
        self._guard = threading.RLock()
        self._was_there = self.directory.is_dir()

    def put(
        self,
        checkpoint: AgentCheckpoint,
        *,
        file_name: str | None = None,  # noqa: ARG002 - for stores that follow files
        source_sha256: str | None = None,  # noqa: ARG002 - for stores that have a place for it
    ) -> Put:
        """Write the checkpoint's file; nothing is done if an equal one is there.

        Raises CheckpointExists where the id is taken by other content, StoreFull, and StoreError.
        """
        data = checkpoint.content()
        with self._guard, folder_errors(self.directory):
            if not self._was_there:
                self.directory.mkdir(parents=True, exist_ok=True)
                flush(self.directory.resolve().parent)
                self._was_there = True
            self._index.catch_up()
            held = self._index.existing(checkpoint.id)
            if held:
                return _same(held[0], checkpoint, data)
            for name in self._choices(checkpoint.id):
                path = self.directory / name
                try:
                    place(path, data)
                except FileExistsError:  # by another process meanwhile, or by something else than a checkpoint
                    if _may_hold(path, checkpoint.id):
                        return _same(path, checkpoint, data)
                    continue
                self._index.add(path, header_of_heading(checkpoint))
                return Put(path, created=True)
        raise StoreError(f"{self.directory}: the names for {checkpoint.id!r} are taken by other files; move them away")

    def get(self, checkpoint_id: str, /) -> AgentCheckpoint:
        """Return the checkpoint; see the class for what is raised."""
        with folder_errors(self.directory):
            for path in (self.directory / name for name in names(checkpoint_id)):
                found = _loaded(path)
                if found is not None and found.id == checkpoint_id:
                    return found
            return AgentCheckpoint.load(self.path(checkpoint_id))

    def path(self, checkpoint_id: str, /) -> Path:
        """Return where the checkpoint's file is. Raises CheckpointNotFound."""
        with self._guard, folder_errors(self.directory):
            held = self._held(checkpoint_id)
            if not held:
                raise not_found(checkpoint_id, self._index.ids(), str(self.directory))
            return held[0]

    def headers(self, wanted: Filter = EVERYTHING, /) -> Iterator[Header]:
        """Yield the headers of all checkpoints that fit; files that cannot be read are left out, and logged."""
        with self._guard, folder_errors(self.directory):
            self._refresh()
            found = self._index.fitting(wanted)
        yield from wanted.arranged(found)

    def update_metadata(
        self,
        checkpoint_id: str,
        /,
        *,
        name: str | Absent | None = ABSENT,
        description: str | Absent | None = ABSENT,
        metadata: Mapping[str, Any] | Absent = ABSENT,
    ) -> AgentCheckpoint:
        """Write the checkpoint's file anew with other metadata, and return it; what is ABSENT stays."""
        path = self.path(checkpoint_id)
        with self._guard, folder_errors(self.directory), locked(self.directory):
            changed = amended(AgentCheckpoint.load(path), name=name, description=description, metadata=metadata)
            data = changed.content()
            place(path, gzip.compress(data, mtime=0) if path.name.endswith(PACKED) else data, replace=True)
            self._index.add(path, header_of_heading(changed))
        return changed

    def delete(self, checkpoint_id: str, /) -> bool:
        """Delete all files that hold the checkpoint; return whether there was one."""
        with self._guard, folder_errors(self.directory):
            held = self._held(checkpoint_id)
            if not held:
                return False
            deleted = False
            with locked(self.directory):
                for path in held:
                    with contextlib.suppress(FileNotFoundError):  # deleted by another process meanwhile
                        path.unlink()
                        deleted = True
                flush(self.directory)
            for path in held:
                self._index.remove(path)
        return deleted

    def verify(self, *, repair: bool = False) -> Iterator[Finding]:
        """Yield what is wrong in the folder. `repair` removes temporary files older than an hour, and nothing else."""
        with self._guard, folder_errors(self.directory):
            self._refresh()
            files = self._index.files()
        for path in self.sweep() if repair else self._temporaries(STALE_S):
            yield _at(path, "agent-temporary", f"{path.name} was left behind{' and is removed' if repair else ''}")
        yield from _of_files(files)

    def sweep(self, older_than_s: float = STALE_S) -> tuple[Path, ...]:
        """Remove the temporary files of saves that did not end, and return them."""
        with folder_errors(self.directory):
            stale = self._temporaries(older_than_s)
            for path in stale:
                path.unlink(missing_ok=True)
        return stale

    def close(self) -> None:
        """Forget what is known about the files."""
        with self._guard:
            self._index = Index(self.directory)

    def _refresh(self) -> None:
        if self._was_there or self.directory.exists():
            self._was_there = True
            self._index.refresh()

    def _held(self, checkpoint_id: str) -> list[Path]:
        """Return the files of a checkpoint; only where there seem to be none, every file is looked at again.

        A file that nobody can read is that of the checkpoint whose name it has.
        """
        if self._was_there:
            self._index.catch_up()
        held = self._index.existing(checkpoint_id)
        if not held:
            self._refresh()
            held = self._index.existing(checkpoint_id)
        paths = (self.directory / name for name in names(checkpoint_id))
        return held or [path for path in paths if path.is_file() and _may_hold(path, checkpoint_id)]

    def _choices(self, checkpoint_id: str) -> tuple[str, ...]:
        first, second = file_name(checkpoint_id), hashed_name(checkpoint_id)
        return (second,) if self._index.is_taken(first) else (first, second)

    def _temporaries(self, older_than_s: float) -> tuple[Path, ...]:
        found = []
        for path in self.directory.iterdir() if self.directory.is_dir() else ():
            if TEMPORARY.fullmatch(path.name):
                with contextlib.suppress(FileNotFoundError):
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


def _same(path: Path, checkpoint: AgentCheckpoint, data: bytes) -> Put:
    """Return that nothing was done. Raises CheckpointExists where the file holds something else."""
    if path.read_bytes() != data:
        try:
            other = AgentCheckpoint.load(path).sha256
        except (ReadError, InvalidCheckpoint) as error:
            raise CheckpointExists(f"{path}: holds {checkpoint.id!r} already, and is damaged: {error}") from error
        if other != checkpoint.sha256:
            raise CheckpointExists(
                f"{path}: holds {checkpoint.id!r} already with other content: "
                f"its hash is {other}, that of the new one {checkpoint.sha256}"
            )
    return Put(path, created=False)


def _of_files(files: Iterable[Path]) -> Iterator[Finding]:
    """Yield what is wrong with checkpoint files, each by itself and beside the others."""
    by_id: dict[str, list[Path]] = defaultdict(list)
    by_name: dict[str, Path] = {}
    for path in files:
        try:
            checkpoint_id = AgentCheckpoint.load(path).id
        except (ReadError, InvalidCheckpoint) as error:
            if path.exists():  # what was deleted meanwhile is not damaged
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

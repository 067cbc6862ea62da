"""`FileStore`: agent checkpoints as files in a folder."""

from __future__ import annotations

import gzip
import threading
from typing import TYPE_CHECKING, Any

from checkpoint_ld.agent.checkpoint import AgentCheckpoint
from checkpoint_ld.arguments import CheckedMethods
from checkpoint_ld.documents.values import ABSENT, Absent
from checkpoint_ld.errors import CheckpointExists, InvalidCheckpoint, ReadError, SourceMissingError, StoreError
from checkpoint_ld.stores.amendment import amended
from checkpoint_ld.stores.files import checking, heading
from checkpoint_ld.stores.files.index import Index
from checkpoint_ld.stores.files.lock import locked
from checkpoint_ld.stores.files.names import PACKED, file_name, hashed_name, names
from checkpoint_ld.stores.files.placing import explained, flush, place
from checkpoint_ld.stores.header import header_of_heading
from checkpoint_ld.stores.nearness import not_found
from checkpoint_ld.stores.protocol import CAPABILITIES, EVERYTHING, Put, store_path

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from checkpoint_ld.findings import Finding
    from checkpoint_ld.stores.filters import Filter
    from checkpoint_ld.stores.header import Header


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
        with self._guard, explained(self.directory):
            self._make()
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
        with explained(self.directory):
            for path in (self.directory / name for name in names(checkpoint_id)):
                found = _loaded(path)
                if found is not None and found.id == checkpoint_id:
                    return found
            return AgentCheckpoint.load(self.path(checkpoint_id))

    def path(self, checkpoint_id: str, /) -> Path:
        """Return where the checkpoint's file is. Raises CheckpointNotFound."""
        with self._guard, explained(self.directory):
            held = self._held(checkpoint_id)
            if not held:
                raise not_found(checkpoint_id, self._index.ids(), str(self.directory))
            return held[0]

    def headers(self, wanted: Filter = EVERYTHING, /) -> Iterator[Header]:
        """Yield the headers of all checkpoints that fit; files that cannot be read are left out, and logged."""
        with self._guard, explained(self.directory):
            self._refresh()
            found = list(self._fitting(wanted))
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
        with self._guard, explained(self.directory), locked(self.directory):
            changed = amended(AgentCheckpoint.load(path), name=name, description=description, metadata=metadata)
            data = changed.content()
            place(path, gzip.compress(data, mtime=0) if path.name.endswith(PACKED) else data, replace=True)
            self._index.add(path, header_of_heading(changed))
        return changed

    def delete(self, checkpoint_id: str, /) -> bool:
        """Delete all files that hold the checkpoint; tell whether there was one."""
        with self._guard, explained(self.directory):
            held = self._held(checkpoint_id)
            if not held:
                return False
            with locked(self.directory):
                deleted = [_delete(path) for path in held]
                flush(self.directory)
            for path in held:
                self._index.remove(path)
        return any(deleted)

    def verify(self, *, repair: bool = False) -> Iterator[Finding]:
        """Yield what is wrong in the folder. `repair` removes temporary files older than an hour, and nothing else."""
        with self._guard, explained(self.directory):
            self._refresh()
            files = self._index.files()
        yield from checking.of_temporaries(self.directory, repair=repair)
        yield from checking.of_files(files)

    def sweep(self, older_than_s: float = checking.STALE_S) -> tuple[Path, ...]:
        """Remove the temporary files of saves that did not end, and return them."""
        with explained(self.directory):
            stale = checking.temporaries(self.directory, older_than_s)
            for path in stale:
                path.unlink(missing_ok=True)
        return stale

    def close(self) -> None:
        """Forget what is known about the files."""
        with self._guard:
            self._index = Index(self.directory)

    def _make(self) -> None:
        if not self._was_there:
            self.directory.mkdir(parents=True, exist_ok=True)
            flush(self.directory.resolve().parent)
            self._was_there = True

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

    def _fitting(self, wanted: Filter) -> Iterator[Header]:
        for listed, header in self._index.readable():
            if not wanted.admits(header):
                continue
            if wanted.asks_for_facts:
                try:
                    listed.facts = listed.facts or heading.facts_at(listed.path)
                except ValueError:
                    continue
                if not wanted.admits_facts(listed.facts):
                    continue
            yield header


def _delete(path: Path) -> bool:
    try:
        path.unlink()
    except FileNotFoundError:  # by another process meanwhile
        return False
    return True


def _loaded(path: Path) -> AgentCheckpoint | None:
    try:
        return AgentCheckpoint.load(path) if path.is_file() else None
    except SourceMissingError:
        if path.is_file():
            raise
        return None  # deleted meanwhile


def _may_hold(path: Path, checkpoint_id: str) -> bool:
    try:
        return heading.header_at(path).id == checkpoint_id
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

"""What every store of agent checkpoints does, and the paths at which one may be."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from checkpoint_ld.documents.values import ABSENT, Absent
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.stores.filters import Filter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from checkpoint_ld.agent.checkpoint import AgentCheckpoint
    from checkpoint_ld.findings import Finding
    from checkpoint_ld.stores.header import Header

CAPABILITIES: Final = frozenset({"put", "get", "list", "update", "delete", "verify"})
"""What every store should be able to do; one that cannot do all of it says so in its `capabilities`."""
RESET: Final = "reset"
"""The capability of a store that is made again from files: its `reset()` empties it, whatever state it is in."""

EVERYTHING: Final = Filter()


@dataclass(frozen=True, slots=True)
class Put:
    """What became of a checkpoint that was put into a store.

    `path` is that of its file, None in stores without files. `created` is false if an equal one was there already.
    """

    path: Path | None
    created: bool


@runtime_checkable
class CheckpointStore(Protocol):
    """Keeps agent checkpoints by their ids. A checkpoint is there wholly or not at all, whatever fails.

    All of it may be called from several threads, and by several processes on one store. Errors are of the family of
    `StoreError`; `StoreFull` and `StoreBusyError` leave the store as it was.
    """

    @property
    def capabilities(self) -> frozenset[str]:
        """Which of CAPABILITIES the store has."""

    def put(
        self, checkpoint: AgentCheckpoint, *, file_name: str | None = None, source_sha256: str | None = None
    ) -> Put:
        """Keep a checkpoint; nothing is done if an equal one is there.

        `file_name` is that of the checkpoint in the folder that the store follows, `source_sha256` the hash of a
        foreign file that it was taken from; a store that has no place for them leaves them out. Raises
        CheckpointExists where the id is taken by other content.
        """

    def get(self, checkpoint_id: str, /) -> AgentCheckpoint:
        """Return the checkpoint, as it was put. Raises CheckpointNotFound, whose message has ids that are near."""

    def headers(self, wanted: Filter = EVERYTHING, /) -> Iterator[Header]:
        """Yield the headers of all checkpoints that fit, in the order that the filter asks for.

        What cannot be read is left out; `verify` tells of it.
        """

    def update_metadata(
        self,
        checkpoint_id: str,
        /,
        *,
        name: str | Absent | None = ABSENT,
        description: str | Absent | None = ABSENT,
        metadata: Mapping[str, Any] | Absent = ABSENT,
    ) -> AgentCheckpoint:
        """Change what is told about a checkpoint, and return it: see `amendment.amended`."""

    def delete(self, checkpoint_id: str, /) -> bool:
        """Take a checkpoint away; tell whether it was there."""

    def verify(self, *, repair: bool = False) -> Iterator[Finding]:
        """Yield what is wrong in the store. `repair` puts right what can be without changing any checkpoint."""

    def close(self) -> None:
        """Let go of what the store holds open; it may be used again."""


def store_path(given: str | os.PathLike[str], *, is_folder: bool) -> Path:
    """Return the path of a store in a folder or in a file, which need not be there yet.

    Raises SettingsError for a text that is no path, and for a file in the place of a folder or the other way round.
    """
    text = os.fspath(given)
    wanted, other = ("folder", "file") if is_folder else ("file", "folder")
    if "://" in text:  # which may hold a password
        raise SettingsError(f"a URL of this kind is no path of a {wanted}: give a path")
    if not text or "\0" in text or not _is_encodable(text):
        raise SettingsError(f"{text!r} is no path of a {wanted}: give another one")
    path = Path(text)
    with suppress(OSError):  # whether it may be used is found out when it is
        if path.exists() and path.is_dir() is not is_folder:
            raise SettingsError(f"{text} is a {other}, not a {wanted}: give another path")
    return path


def _is_encodable(path: str) -> bool:
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return False
    return True

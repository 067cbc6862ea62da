"""What every store of agent checkpoints does, the changes that it allows, and the paths at which one may be."""

from __future__ import annotations

import os
from bisect import bisect_left
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from checkpoint_ld.documents.values import ABSENT, Absent
from checkpoint_ld.errors import CheckpointNotFound, SettingsError
from checkpoint_ld.stores.filters import Filter
from checkpoint_ld.suggestion import unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from checkpoint_ld.agent.checkpoint import AgentCheckpoint
    from checkpoint_ld.findings import Finding
    from checkpoint_ld.stores.filters import Header

CAPABILITIES: Final = frozenset({"put", "get", "list", "update", "delete", "verify"})
"""What every store should be able to do; one that cannot do all of it says so in its `capabilities`."""
RESET: Final = "reset"
"""The capability of a store that is made again from files: its `reset()` empties it, whatever state it is in."""
EVERYTHING: Final = Filter()
NEIGHBOURS: Final = 50
"""How many ids on either side of a missing one are compared with it: ids that are alike begin alike."""


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
        """Yield the headers of all checkpoints that fit, in the order of the filter.

        What cannot be read is left out; `verify` reports it.
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
        """Change name, description or metadata of a checkpoint, and return it: see `amended`."""

    def delete(self, checkpoint_id: str, /) -> bool:
        """Take a checkpoint away; return whether it was there."""

    def verify(self, *, repair: bool = False) -> Iterator[Finding]:
        """Yield what is wrong in the store. `repair` puts right what can be without changing any checkpoint."""

    def close(self) -> None:
        """Let go of what the store holds open; it may be used again."""


def amended(
    checkpoint: AgentCheckpoint,
    *,
    name: str | Absent | None = ABSENT,
    description: str | Absent | None = ABSENT,
    metadata: Mapping[str, Any] | Absent = ABSENT,
) -> AgentCheckpoint:
    """Return the checkpoint with another name, description or other metadata; its snapshot is the same.

    These are the only changes that a stored checkpoint may undergo. What is ABSENT stays; None takes a member away.
    The members of `metadata` are put over those that are there. Raises InvalidCheckpoint for values that a checkpoint
    may not have there.
    """
    tree = _with(checkpoint.tree(), {"name": name, "description": description})
    if not isinstance(metadata, Absent):
        tree["metadata"] = _with(tree["metadata"], metadata)
    return type(checkpoint).of_tree(tree)


def _with(members: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in members.items() if changes.get(name, ABSENT) is not None}
    return {**kept, **{name: value for name, value in changes.items() if value is not None and value is not ABSENT}}


def not_found(checkpoint_id: str, ids: Iterable[str], where: str) -> CheckpointNotFound:
    """Return the error for an id that is not in the store `where`, with those of its `ids` that are like it."""
    known = sorted(ids)
    at = bisect_left(known, checkpoint_id)
    near = known[max(0, at - NEIGHBOURS) : at + NEIGHBOURS]
    otherwise = "list shows those that are there" if near else "the store is empty"
    return CheckpointNotFound(f"{where}: {unknown('checkpoint', checkpoint_id, near, otherwise)}")


def store_path(given: str | os.PathLike[str], *, is_folder: bool) -> Path:
    """Return the path of a store in a folder or in a file, which need not be there yet.

    Raises SettingsError for a text that is no path, and for a file in the place of a folder or the other way round.
    """
    text = os.fspath(given)
    wanted, other = ("folder", "file") if is_folder else ("file", "folder")
    if "://" in text:  # which may hold a password
        raise SettingsError(f"a URL of this kind is no path of a {wanted}: give a path")
    try:
        is_path = bool(text) and b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        is_path = False
    if not is_path:
        raise SettingsError(f"{text!r} is no path of a {wanted}: give another one")
    path = Path(text)
    with suppress(OSError):  # whether it may be used is found out when it is
        if path.exists() and path.is_dir() is not is_folder:
            raise SettingsError(f"{text} is a {other}, not a {wanted}: give another path")
    return path

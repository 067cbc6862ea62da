"""Several stores of the same checkpoints: the others follow the first, and can be rebuilt from it."""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal

from checkpoint_ld.checkpointing.exchange import Loaded
from checkpoint_ld.errors import (
    CheckpointLdError,
    CheckpointNotFound,
    DatabaseSyncError,
    FindingsError,
    GraphSyncError,
    IntegrityError,
    ReadError,
    SettingsError,
    StoreError,
)
from checkpoint_ld.phrases import shown
from checkpoint_ld.rules import finding
from checkpoint_ld.stores.files import FileStore
from checkpoint_ld.stores.protocol import EVERYTHING, RESET, CheckpointStore, Filter, Put

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from checkpoint_ld.agents.checkpoint import AgentCheckpoint
    from checkpoint_ld.findings import Finding
    from checkpoint_ld.stores.protocol import Header


_logger = logging.getLogger("checkpoint_ld.checkpointing")

Kind = Literal["files", "database", "graph"]
"""The kinds of stores, in the order in which they are written."""
NOUNS: Final[Mapping[Kind, str]] = MappingProxyType({"files": "file", "database": "database", "graph": "graph"})
"""The words for the place of a checkpoint in each kind of store, in messages."""
SYNC_ERRORS: Final[Mapping[Kind, type[DatabaseSyncError | GraphSyncError]]] = MappingProxyType(
    {"database": DatabaseSyncError, "graph": GraphSyncError}
)
"""The error for a store of that kind that could not follow the first one."""
_DAMAGE: Final = (ReadError, FindingsError, IntegrityError)
"""The errors of a store whose copy of a checkpoint is damaged."""


@dataclass(frozen=True, slots=True)
class Reindexed:
    """The result of `reindex`.

    `checkpoints` is the number of checkpoints in the files. `removed` are the ids of those without a file. `kept` are
    the ids of those with a damaged file, whose copies in the other stores are left alone.
    """

    checkpoints: int
    removed: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


class CombinedStore:
    """Files, a database and a graph store that hold the same checkpoints; at least one of them.

    The first of these is the truth. What it refuses is written nowhere. If another store cannot follow,
    DatabaseSyncError or GraphSyncError is raised, and the first store has the checkpoint. Raises SettingsError if there
    is no store.
    """

    def __init__(
        self,
        files: CheckpointStore | None = None,
        database: CheckpointStore | None = None,
        graph: CheckpointStore | None = None,
    ) -> None:
        given: dict[Kind, CheckpointStore | None] = {"files": files, "database": database, "graph": graph}
        self.stores: dict[Kind, CheckpointStore] = {kind: one for kind, one in given.items() if one is not None}
        if not self.stores:
            raise SettingsError("there is nowhere to keep checkpoints: give files, a database or a graph store")
        (self.first, self.truth), *others = self.stores.items()
        self.followers: dict[Kind, CheckpointStore] = dict(others)
        self._behind: set[Kind] = set()
        """The stores that could not follow, and are not read until `reindex`."""

    @property
    def place(self) -> Path | None:
        """The path of the first store, None if it has none."""
        return getattr(self.truth, "directory", None) or getattr(self.truth, "path", None)

    @property
    def capabilities(self) -> frozenset[str]:
        """What all of the stores can do."""
        return frozenset.intersection(*(store.capabilities for store in self.stores.values()))

    def put(
        self,
        checkpoint: AgentCheckpoint,
        *,
        file_name: str | None = None,
        source_sha256: str | None = None,
        packed: bool = False,
    ) -> Put:
        """Store a checkpoint in all stores, the first one first; with `packed` not as a file of its own.

        Raises what the first store raises. Raises DatabaseSyncError or GraphSyncError if the first store has it, but
        another one could not follow.
        """
        given: dict[str, Any] = {"packed": True} if packed and isinstance(self.truth, FileStore) else {}
        done = self.truth.put(checkpoint, file_name=file_name, source_sha256=source_sha256, **given)
        given = {"file_name": done.path.name if done.path else file_name, "source_sha256": source_sha256}
        path = str(done.path) if done.path else None
        self._follow(lambda store: store.put(checkpoint, **given), checkpoint.id, path)
        return done

    def get(self, checkpoint_id: str, /) -> AgentCheckpoint:
        """Return a checkpoint from the first store that has it undamaged.

        Raises what the first store raises if none has.
        """
        return self.fetch(checkpoint_id).checkpoint

    def fetch(self, checkpoint_id: str) -> Loaded:
        """Return a checkpoint and, if it is not the first store's, a finding that says why. Raises as `get`."""
        try:
            return Loaded(self.truth.get(checkpoint_id))
        except (CheckpointNotFound, *_DAMAGE) as error:
            state = "missing" if isinstance(error, CheckpointNotFound) else "damaged"
            for kind, store in self.followers.items():
                message = f"the {NOUNS[self.first]} is {state}, so it was taken from the {NOUNS[kind]}"
                with suppress(CheckpointLdError):  # only the error of the first store is raised
                    found = finding("agent-other-store", message, subject=shown(checkpoint_id))
                    return Loaded(store.get(checkpoint_id), (found,))
            raise

    def headers(self, wanted: Filter = EVERYTHING, /) -> Iterator[Header]:
        """Yield headers as stores do, from the database if there is one, which need not read all files.

        An empty database is new, or was lost: then the first store gives the headers, as after a database could not
        follow, or if it cannot be read.
        """
        database = self.followers.get("database")
        if database is None or "database" in self._behind:
            return self.truth.headers(wanted)
        try:
            holds_any = next(iter(database.headers(Filter(limit=1))), None) is not None
        except StoreError as error:
            _logger.warning("the %ss are listed, for the database cannot be read: %s", NOUNS[self.first], error)
            holds_any = False
        return (database if holds_any else self.truth).headers(wanted)

    def ids(self, execution_id: str, start: str = "") -> Iterator[str]:
        """Yield the ids of the first store's checkpoints of an execution that start so, in no order."""
        found = getattr(self.truth, "ids", None)
        if found is not None:
            return iter(found(execution_id, start))
        all_of_it = (header.id for header in self.truth.headers(Filter(execution_id=execution_id)))
        return (id for id in all_of_it if id.startswith(start))

    def update_metadata(self, checkpoint_id: str, /, **changes: Any) -> AgentCheckpoint:
        """Change the metadata of a checkpoint in all stores, the first one first, and return it. Raises as `put`."""
        changed = self.truth.update_metadata(checkpoint_id, **changes)
        self._follow(lambda store: store.update_metadata(checkpoint_id, **changes), checkpoint_id, None)
        return changed

    def delete(self, checkpoint_id: str, /) -> bool:
        """Delete a checkpoint, from the first store last, so that no store refers to a missing file.

        Return whether any of them had it.
        """
        had = [store.delete(checkpoint_id) for store in reversed(self.stores.values())]
        return any(had)

    def verify(self, *, repair: bool = False) -> Iterator[Finding]:
        """Yield what is wrong in each store, and where they disagree; `repair` makes the others follow the first."""
        yield from self.truth.verify(repair=repair)
        for kind, store in self.followers.items():
            damaged = False
            for found in store.verify(repair=repair):
                damaged = True
                yield found
            try:
                yield from self._compared(kind, store, repair=repair and not damaged)
                if repair and damaged:
                    self._made_again(store)
            except IntegrityError:
                if repair and RESET in store.capabilities:  # otherwise its own findings report it
                    self._made_again(store)

    def reindex(self) -> Reindexed:
        """Make all stores that follow the first hold what it holds, and nothing else.

        Each checkpoint is replaced by itself, so that readers never see an empty store; only a damaged store is emptied
        first. Raises what the stores raise.
        """
        done = [self._made_again(store) for store in self.followers.values()]
        self._behind.clear()
        removed = dict.fromkeys(one for each in done for one in each.removed)
        kept = dict.fromkeys(one for each in done for one in each.kept)
        count = done[0].checkpoints if done else sum(1 for _ in self.truth.headers())
        return Reindexed(count, tuple(removed), tuple(kept))

    def close(self) -> None:
        """Close the stores."""
        for store in self.stores.values():
            store.close()

    def _follow(self, step: Callable[[CheckpointStore], Any], checkpoint_id: str, path: str | None) -> None:
        """Take a step in all other stores. Raises the error of the first one that cannot follow."""
        failed: dict[Kind, CheckpointLdError] = {}
        for kind, store in self.followers.items():
            try:
                step(store)
            except CheckpointLdError as error:
                failed[kind] = error
        self._behind.update(failed)
        for kind, reason in failed.items():
            kept = f"its {NOUNS[self.first]} is written" + (f" ({path})" if path else "")
            message = f"{shown(checkpoint_id)}: {kept}, but the {kind} could not follow: {reason}; run reindex"
            raise SYNC_ERRORS[kind](message, path) from reason

    def _compared(self, kind: Kind, store: CheckpointStore, *, repair: bool) -> Iterator[Finding]:
        unseen = {header.id: header.sha256 for header in store.headers()}
        for checkpoint in self._whole():
            name, sha256 = shown(checkpoint.id), None
            if checkpoint.id not in unseen:
                yield finding("agent-row-missing", f"{name} is not in the {NOUNS[kind]}", subject=name)
            else:
                with suppress(CheckpointNotFound, *_DAMAGE):
                    sha256 = unseen.pop(checkpoint.id) or store.get(checkpoint.id).sha256
                if sha256 == checkpoint.sha256:
                    continue
                message = f"what the {NOUNS[kind]} holds of {name} is not what the {NOUNS[self.first]} says"
                yield finding("agent-row-differs", message, subject=name)
            if repair:
                self._replace(store, checkpoint)
        if repair and unseen:
            self._refuse_missing()
        for one in unseen:
            if not self._is_damaged(one):
                message = f"{shown(one)} is in the {NOUNS[kind]}, but has no {NOUNS[self.first]}"
                yield finding("agent-row-orphan", message, subject=shown(one))
                if repair:
                    store.delete(one)

    def _made_again(self, store: CheckpointStore, *, may_reset: bool = True) -> Reindexed:
        try:
            unseen = dict.fromkeys(header.id for header in store.headers())
            count = 0
            for checkpoint in self._whole():
                unseen.pop(checkpoint.id, None)
                self._replace(store, checkpoint)
                count += 1
            if unseen:
                self._refuse_missing()
            kept = tuple(one for one in unseen if self._is_damaged(one))
            removed = tuple(one for one in unseen if one not in kept and store.delete(one))
        except IntegrityError:
            reset = getattr(store, RESET, None)
            if not may_reset or RESET not in store.capabilities or reset is None:
                raise
            reset()
            return self._made_again(store, may_reset=False)
        return Reindexed(count, removed, kept)

    def _refuse_missing(self) -> None:
        """Raise StoreError if there is no first store, perhaps by a slip in its path: the others would be emptied."""
        if self.place is not None and not self.place.exists():
            message = f"{self.place}: does not exist, so all checkpoints in the other stores would be deleted"
            raise StoreError(f"{message}; correct the path, or make an empty store there")

    def _whole(self) -> Iterator[AgentCheckpoint]:
        for header in list(self.truth.headers()):
            with suppress(CheckpointNotFound, *_DAMAGE):  # deleted meanwhile, or a finding of the store itself
                yield self.truth.get(header.id)

    def _is_damaged(self, checkpoint_id: str) -> bool:
        """Whether the first store has a damaged copy of a checkpoint, or one that was saved meanwhile."""
        try:
            self.truth.get(checkpoint_id)
        except CheckpointNotFound:
            return False
        except _DAMAGE:
            pass
        return True

    def _replace(self, store: CheckpointStore, checkpoint: AgentCheckpoint) -> None:
        path = getattr(self.truth, "path", None) if self.first == "files" else None
        name = None
        if path is not None:
            with suppress(CheckpointNotFound):  # it is packed with others
                name = path(checkpoint.id).name
        at_once = getattr(store, "replace", None)
        if at_once is not None:
            at_once(checkpoint, file_name=name)
        else:
            store.delete(checkpoint.id)
            store.put(checkpoint, file_name=name)

"""Whether all stores hold the same: found out, and brought about by making the others follow the first."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal

from checkpoint_ld.checkpointing.exchange import Loaded
from checkpoint_ld.documents.values import ABSENT, Absent
from checkpoint_ld.errors import (
    CheckpointLdError,
    CheckpointNotFound,
    DatabaseSyncError,
    FindingsError,
    GraphSyncError,
    IntegrityError,
    ReadError,
    SettingsError,
)
from checkpoint_ld.phrases import shown
from checkpoint_ld.rules import finding
from checkpoint_ld.stores.protocol import EVERYTHING, RESET, CheckpointStore, Filter, Put

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from checkpoint_ld.agent.checkpoint import AgentCheckpoint
    from checkpoint_ld.findings import Finding
    from checkpoint_ld.stores.protocol import CheckpointStore, Header


Kind = Literal["files", "database", "graph"]
"""What the stores are called, in the order in which they are written."""
NOUNS: Final[Mapping[Kind, str]] = MappingProxyType({"files": "file", "database": "database", "graph": "graph"})
"""What a checkpoint's place in them is called in messages."""
SYNC_ERRORS: Final[Mapping[Kind, type[DatabaseSyncError | GraphSyncError]]] = MappingProxyType(
    {"database": DatabaseSyncError, "graph": GraphSyncError}
)
"""What is raised where a store of that kind could not follow the first one."""
DAMAGE: Final = (ReadError, FindingsError, IntegrityError)
"""What a store raises whose own copy of a checkpoint is not what was saved."""


@dataclass(frozen=True, slots=True)
class Reindexed:
    """What `reindex` did to the stores that follow the files.

    `checkpoints` is how many the files hold, `removed` are the ids of those that had no file, `kept` of those whose
    file is damaged: what the other stores hold of them is left there.
    """

    checkpoints: int
    removed: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


def reindex(stores: CombinedStore) -> Reindexed:
    """Make all stores that follow the first hold what it holds, and nothing else.

    Each checkpoint is replaced by itself, so that readers never see an empty store; only one that is damaged is made
    anew from nothing. Raises what the stores raise.
    """
    done = [_made_again(stores, store) for store in stores.followers.values()]
    removed = dict.fromkeys(one for each in done for one in each.removed)
    kept = dict.fromkeys(one for each in done for one in each.kept)
    count = done[0].checkpoints if done else sum(1 for _ in stores.truth.headers())
    return Reindexed(count, tuple(removed), tuple(kept))


def _compared(stores: CombinedStore, kind: Kind, store: CheckpointStore, *, repair: bool) -> Iterator[Finding]:
    unseen = {header.id: header.sha256 for header in store.headers()}
    place = NOUNS[kind]
    for checkpoint in _whole(stores.truth):
        name = shown(checkpoint.id)
        if checkpoint.id not in unseen:
            yield finding("agent-row-missing", f"{name} is not in the {place}", subject=name)
        elif _hash(store, checkpoint.id, unseen.pop(checkpoint.id)) != checkpoint.sha256:
            said = f"what the {place} holds of {name} is not what the {NOUNS[stores.first]} says"
            yield finding("agent-row-differs", said, subject=name)
        else:
            continue
        if repair:
            _replace(stores, store, checkpoint)
    for one in unseen:
        if not _is_damaged(stores.truth, one):
            said = f"{shown(one)} is in the {place}, but has no {NOUNS[stores.first]}"
            yield finding("agent-row-orphan", said, subject=shown(one))
            if repair:
                store.delete(one)


def _hash(store: CheckpointStore, checkpoint_id: str, listed: str | None) -> str | None:
    with suppress(CheckpointNotFound, *DAMAGE):
        return listed or store.get(checkpoint_id).sha256
    return None


def _made_again(stores: CombinedStore, store: CheckpointStore) -> Reindexed:
    try:
        return _followed(stores, store)
    except IntegrityError:
        reset = getattr(store, RESET, None)
        if RESET not in store.capabilities or reset is None:
            raise
        reset()
        return _followed(stores, store)


def _followed(stores: CombinedStore, store: CheckpointStore) -> Reindexed:
    unseen = dict.fromkeys(header.id for header in store.headers())
    count = 0
    for checkpoint in _whole(stores.truth):
        unseen.pop(checkpoint.id, None)
        _replace(stores, store, checkpoint)
        count += 1
    kept = tuple(one for one in unseen if _is_damaged(stores.truth, one))
    removed = tuple(one for one in unseen if one not in kept and store.delete(one))
    return Reindexed(count, removed, kept)


def _whole(truth: CheckpointStore) -> Iterator[AgentCheckpoint]:
    for header in list(truth.headers()):
        with suppress(CheckpointNotFound, *DAMAGE):  # deleted meanwhile, or told of by the store itself
            yield truth.get(header.id)


def _is_damaged(truth: CheckpointStore, checkpoint_id: str) -> bool:
    try:
        truth.get(checkpoint_id)
    except CheckpointNotFound:
        return False
    except DAMAGE:
        return True
    return True  # saved meanwhile: not to be removed


def _replace(stores: CombinedStore, store: CheckpointStore, checkpoint: AgentCheckpoint) -> None:
    path = getattr(stores.truth, "path", None) if stores.first == "files" else None
    name = path(checkpoint.id).name if path else None
    at_once = getattr(store, "replace", None)
    if at_once is not None:
        at_once(checkpoint, file_name=name)
    else:
        store.delete(checkpoint.id)
        store.put(checkpoint, file_name=name)


class CombinedStore:
    """Files, a database and a graph store that hold the same checkpoints; at least one of them.

    The first that is there is the truth. What it refuses is written nowhere; where another one cannot follow,
    DatabaseSyncError or GraphSyncError says that the first has it. Raises SettingsError if there is none.
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

    @property
    def capabilities(self) -> frozenset[str]:
        """What all of the stores can do."""
        return frozenset.intersection(*(store.capabilities for store in self.stores.values()))

    def put(
        self, checkpoint: AgentCheckpoint, *, file_name: str | None = None, source_sha256: str | None = None
    ) -> Put:
        """Keep a checkpoint in all stores, the first one first.

        Raises what the first store raises, and DatabaseSyncError or GraphSyncError when it is kept there but the
        others could not follow.
        """
        done = self.truth.put(checkpoint, file_name=file_name, source_sha256=source_sha256)
        name = done.path.name if done.path else file_name
        path = str(done.path) if done.path else None

        def follow(store: CheckpointStore) -> None:
            store.put(checkpoint, file_name=name, source_sha256=source_sha256)

        self._follow(follow, checkpoint.id, path)
        return done

    def get(self, checkpoint_id: str, /) -> AgentCheckpoint:
        """Return a checkpoint, of the first store that has it whole. Raises what the first store raises, else."""
        return self.fetch(checkpoint_id).checkpoint

    def fetch(self, checkpoint_id: str) -> Loaded:
        """Return a checkpoint and, if it is not the first store's, a finding that says why. Raises as `get`."""
        try:
            return Loaded(self.truth.get(checkpoint_id))
        except (CheckpointNotFound, *DAMAGE) as error:
            state = "missing" if isinstance(error, CheckpointNotFound) else "damaged"
            for kind, store in self.followers.items():
                said = f"the {NOUNS[self.first]} is {state}, so it was taken from the {NOUNS[kind]}"
                with suppress(CheckpointLdError):  # what is wrong with the first store is told, not with the others
                    odd = finding("agent-other-store", said, subject=shown(checkpoint_id))
                    return Loaded(store.get(checkpoint_id), (odd,))
            raise

    def headers(self, wanted: Filter = EVERYTHING, /) -> Iterator[Header]:
        """Yield headers as stores do, by the database where there is one, which need not read all files.

        One that holds nothing at all is new, or was lost: the first store is asked then.
        """
        database = self.followers.get("database", self.truth)
        holds_any = next(iter(database.headers(Filter(limit=1))), None) is not None
        return (database if holds_any else self.truth).headers(wanted)

    def update_metadata(
        self,
        checkpoint_id: str,
        /,
        *,
        name: str | Absent | None = ABSENT,
        description: str | Absent | None = ABSENT,
        metadata: Mapping[str, Any] | Absent = ABSENT,
    ) -> AgentCheckpoint:
        """Change what is told about a checkpoint in all stores, the first one first, and return it. Raises as `put`."""

        def change(store: CheckpointStore) -> AgentCheckpoint:
            return store.update_metadata(checkpoint_id, name=name, description=description, metadata=metadata)

        changed = change(self.truth)
        self._follow(change, checkpoint_id, None)
        return changed

    def delete(self, checkpoint_id: str, /) -> bool:
        """Take a checkpoint away, from the first store last: nothing ever refers to a file that is gone.

        Tell whether any of them had it.
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
                yield from _compared(self, kind, store, repair=repair and not damaged)
                if repair and damaged:
                    _made_again(self, store)
            except IntegrityError:
                if repair and RESET in store.capabilities:  # otherwise its own findings have said so
                    _made_again(self, store)

    def close(self) -> None:
        """Let go of what the stores hold open."""
        for store in self.stores.values():
            store.close()

    def _follow(self, step: Callable[[CheckpointStore], Any], checkpoint_id: str, path: str | None) -> None:
        for kind, store in self.followers.items():
            try:
                step(store)
            except CheckpointLdError as error:
                kept = f"its {NOUNS[self.first]} is written" + (f" ({path})" if path else "")
                message = f"{shown(checkpoint_id)}: {kept}, but the {kind} could not follow: {error}; run reindex"
                raise SYNC_ERRORS[kind](message, path) from error

"""Whether all stores hold the same: found out, and brought about by making the others follow the first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from checkpoint_ld.checkpointing.kinds import DAMAGE, NOUNS
from checkpoint_ld.errors import CheckpointNotFound, IntegrityError
from checkpoint_ld.phrases import shown
from checkpoint_ld.rules import finding
from checkpoint_ld.stores.protocol import RESET

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checkpoint_ld.agent.checkpoint import AgentCheckpoint
    from checkpoint_ld.checkpointing.combined import CombinedStore
    from checkpoint_ld.checkpointing.kinds import Kind
    from checkpoint_ld.findings import Finding
    from checkpoint_ld.stores.protocol import CheckpointStore


@dataclass(frozen=True, slots=True)
class Reindexed:
    """What `reindex` did to the stores that follow the files.

    `checkpoints` is how many the files hold, `removed` are the ids of those that had no file, `kept` of those whose
    file is damaged: what the other stores hold of them is left there.
    """

    checkpoints: int
    removed: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


def verified(stores: CombinedStore, *, repair: bool) -> Iterator[Finding]:
    """Yield what is wrong in each store and where they disagree; with `repair`, put the others right."""
    yield from stores.truth.verify(repair=repair)
    for kind, store in stores.followers.items():
        damaged = False
        for found in store.verify(repair=repair):
            damaged = True
            yield found
        try:
            yield from _compared(stores, kind, store, repair=repair and not damaged)
            if repair and damaged:
                _made_again(stores, store)
        except IntegrityError:
            if not (repair and RESET in store.capabilities):
                continue  # its own findings have said so
            _made_again(stores, store)


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
    if listed is not None:
        return listed
    try:
        return store.get(checkpoint_id).sha256
    except (CheckpointNotFound, *DAMAGE):
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
        try:
            yield truth.get(header.id)
        except (CheckpointNotFound, *DAMAGE):  # deleted meanwhile, or told of by the store itself
            continue


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

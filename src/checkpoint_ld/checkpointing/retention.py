"""Retention: which checkpoints may be deleted, and why each of the others stays."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.documents.files import make_folder
from checkpoint_ld.errors import CheckpointNotFound, InvalidCheckpoint, ReadError, SettingsError, TargetExistsError
from checkpoint_ld.stores.folder import PACKED, SUFFIX, file_name

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping
    from datetime import timedelta

    from checkpoint_ld.checkpointing.combined import CombinedStore
    from checkpoint_ld.stores.protocol import Header


@dataclass(frozen=True, slots=True)
class Retention:
    """Which checkpoints stay: the newest `keep_last` of each execution, and those younger than `max_age`.

    Checkpoints that match either stay, and so do those made for one of `keep_reasons` and those whose ids are in
    `keep`. Always kept are those with a name, those that another execution or a branch continues from, the newest and
    the final one of each execution, and with `protect_linked` those that are about a benchmark. Raises SettingsError if
    neither `keep_last` nor `max_age` is given, or one of them is negative.
    """

    keep_last: int | None = None
    max_age: timedelta | None = None
    keep_reasons: frozenset[str] = frozenset()
    keep: frozenset[str] = frozenset()
    protect_linked: bool = True

    def __post_init__(self) -> None:
        for name in ("keep_reasons", "keep"):  # an iterator is read once
            given = getattr(self, name)
            if isinstance(given, str):  # which would be the set of its letters
                raise SettingsError(f"{name} is the text {given!r}: give a set, such as {{{given!r}}}")
            object.__setattr__(self, name, frozenset(given))
        if self.keep_last is None and self.max_age is None:
            raise SettingsError("it is not stated what stays: give keep_last or max_age")
        if (self.keep_last or 0) < 0 or (self.max_age is not None and self.max_age.total_seconds() < 0):
            raise SettingsError("keep_last and max_age are 0 or more")

    def decide(self, headers: Iterable[Header], now: int) -> tuple[Decision, ...]:
        """Decide about all checkpoints of a store, the newest first; `now` is in epoch milliseconds."""
        count = None if self.keep_last is None else f"not one of the newest {self.keep_last} of its execution"
        age = None if self.max_age is None else f"older than {self.max_age}"
        exceeded = "it is " + " and ".join(filter(None, (count, age)))
        ordered = sorted(headers, key=lambda header: header.key, reverse=True)
        known = {header.id: header for header in ordered}
        parents = {}
        for header in ordered:
            parent = known.get(header.parent_checkpoint_id or "")
            if parent is not None and header.is_branch:
                parents[parent.id] = f"the branch {header.id} continues from it"
            elif parent is not None and header.execution_id != parent.execution_id:
                parents[parent.id] = f"another execution continues from it ({header.execution_id})"
        ranks: dict[str, int] = defaultdict(int)
        decisions = []
        for header in ordered:
            why = self._stays(header, ranks[header.execution_id], now) or parents.get(header.id)
            ranks[header.execution_id] += 1
            decisions.append(Decision(header, not why, why or exceeded))
        return tuple(decisions)

    def _stays(self, header: Header, rank: int, now: int) -> str | None:
        """Return why a checkpoint stays; its execution has `rank` newer ones."""
        age = None if self.max_age is None else self.max_age.total_seconds() * 1000
        reasons = {
            f"it has the name {header.name!r}": header.name is not None,
            "it is the newest of its execution": rank == 0,
            f"it is the final one of its execution ({header.checkpoint_reason})": header.is_final,
            "it is about a benchmark": self.protect_linked and (header.about_benchmark or header.about_question),
            "its id is to be kept": header.id in self.keep,
            f"its reason is to be kept ({header.checkpoint_reason})": header.checkpoint_reason in self.keep_reasons,
            f"it is one of the newest {self.keep_last} of its execution": rank < (self.keep_last or 0),
            f"it is not older than {self.max_age}": age is not None and now - header.timestamp <= age,
        }
        return next((reason for reason, holds in reasons.items() if holds), None)


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a checkpoint is deleted, and the reason for that."""

    header: Header
    goes: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Pruned:
    """The decisions about all checkpoints, the newest first; `archived` are the files that were written before."""

    decisions: tuple[Decision, ...]
    archived: tuple[Path, ...] = ()

    @property
    def going(self) -> tuple[str, ...]:
        """The ids of those that are deleted, or would be."""
        return tuple(decision.header.id for decision in self.decisions if decision.goes)

    @property
    def staying(self) -> Mapping[str, str]:
        """The ids of all others, with the reasons."""
        return {decision.header.id: decision.reason for decision in self.decisions if not decision.goes}


def pruned(
    stores: CombinedStore, retention: Retention, now: int, *, dry_run: bool, archive: str | os.PathLike[str] | None
) -> Pruned:
    """Delete the checkpoints that need not stay, the oldest first; with `dry_run`, only report them.

    With `archive`, each is written to that folder first, compressed. Raises WriteError if that fails, SettingsError for
    the folder of the checkpoints, and what stores raise; checkpoints that were not deleted until then stay.
    """
    decisions = retention.decide(stores.truth.headers(), now)
    if dry_run:
        return Pruned(decisions)
    going = [decision.header.id for decision in reversed(decisions) if decision.goes]
    archived = []
    if archive is not None:
        make_folder(folder := Path(archive))
        held = getattr(stores.truth, "directory", None)
        if held is not None and held.exists() and folder.samefile(held):  # the archived files would be deleted, too
            raise SettingsError(f"{folder} is the folder of the checkpoints itself: give another one for the archive")
        for one in going:
            with suppress(CheckpointNotFound):  # another prune was faster
                archived.append(_written(stores.get(one), folder))
    for one in going:
        stores.delete(one)
    return Pruned(decisions, tuple(archived))


def _written(checkpoint: AgentCheckpoint, folder: Path) -> Path:
    path = folder / (file_name(checkpoint.id).removesuffix(SUFFIX) + PACKED)
    try:
        checkpoint.save(path)
    except TargetExistsError:
        # An interrupted prune may have written the same file before. A file with other content must not be lost.
        held = None
        with suppress(ReadError, InvalidCheckpoint):
            held = AgentCheckpoint.load(path).sha256
        if held != checkpoint.sha256:
            message = f"{path}: is there already and holds something else; move it away, or name another folder"
            raise TargetExistsError(message) from None
    return path

"""What a case is held against: a store of somebody's making in a folder of its own."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from checkpoint_ld.checkpointing import CheckpointManager
from checkpoint_ld.stores.protocol import CheckpointStore

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from checkpoint_ld.agent.checkpoint import AgentCheckpoint

StoreFactory: TypeAlias = Callable[[Path], CheckpointStore]
"""Opens the store that belongs to a folder; called again, it opens the same one."""
Damage: TypeAlias = Callable[[Path, str], None]
"""Does harm to the checkpoint of an id in the store that belongs to a folder, which nobody has open."""


class Subject:
    """A store that can be opened as often as a case needs it, by its factory and a folder that starts empty."""

    def __init__(self, factory: StoreFactory, folder: Path, damages: Mapping[str, Damage]) -> None:
        self.damages = damages
        self._factory = factory
        self._folder = folder

    @contextmanager
    def open(self, *, of: str = "") -> Iterator[CheckpointStore]:
        """Open the store; `of` names another one, which shares nothing with it."""
        folder = self._folder / f"store{of}"
        folder.mkdir(exist_ok=True)
        store = self._factory(folder)
        try:
            yield store
        finally:
            store.close()

    @contextmanager
    def manager(self) -> Iterator[CheckpointManager]:
        """Open the store under a manager, as the truth."""
        with self.open() as store, CheckpointManager(store) as manager:
            yield manager

    def holding(self, *checkpoints: AgentCheckpoint) -> Subject:
        """Put checkpoints into the store, and return this."""
        with self.open() as store:
            for one in checkpoints:
                store.put(one)
        return self

    def harm(self, kind: str, checkpoint_id: str) -> None:
        """Do harm of a kind to a checkpoint."""
        self.damages[kind](self._folder / "store", checkpoint_id)

    @property
    def folder(self) -> Path:
        """A folder for files of the case itself."""
        made = self._folder / "beside"
        made.mkdir(exist_ok=True)
        return made

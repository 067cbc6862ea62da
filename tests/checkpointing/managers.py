"""Managers and stores for tests."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from checkpoint_ld import Event, RuntimeState
from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.checkpointing import CheckpointManager
from checkpoint_ld.documents.values import ABSENT, Absent
from checkpoint_ld.errors import CheckpointExists, CheckpointNotFound, StoreError
from checkpoint_ld.findings import Finding
from checkpoint_ld.stores.protocol import CAPABILITIES, EVERYTHING, Filter, Header, Put, amended, header_of
from tests.agents.states import HandClock


class MemoryStore:
    """The smallest store; what `broken` names fails."""

    capabilities = CAPABILITIES

    def __init__(self) -> None:
        self.held: dict[str, AgentCheckpoint] = {}
        self.recorded: dict[str, tuple[str | None, str | None]] = {}
        self.broken: set[str] = set()

    def _step(self, name: str) -> None:
        if name in self.broken:
            raise StoreError(f"{name} fails")

    def put(
        self, checkpoint: AgentCheckpoint, *, file_name: str | None = None, source_sha256: str | None = None
    ) -> Put:
        self._step("put")
        other = self.held.get(checkpoint.id)
        if other is not None and other.sha256 != checkpoint.sha256:
            raise CheckpointExists(f"{other.sha256} {checkpoint.sha256}")
        self.held[checkpoint.id] = checkpoint
        self.recorded[checkpoint.id] = (file_name, source_sha256)
        return Put(None, other is None)

    def get(self, checkpoint_id: str, /) -> AgentCheckpoint:
        self._step("get")
        if checkpoint_id not in self.held:
            raise CheckpointNotFound(f"no {checkpoint_id}")
        return self.held[checkpoint_id]

    def headers(self, wanted: Filter = EVERYTHING, /) -> Iterator[Header]:
        return iter(wanted.arranged(header_of(one) for one in self.held.values() if wanted.matches(one)))

    def update_metadata(
        self,
        checkpoint_id: str,
        /,
        *,
        name: str | Absent | None = ABSENT,
        description: str | Absent | None = ABSENT,
        metadata: Mapping[str, Any] | Absent = ABSENT,
    ) -> AgentCheckpoint:
        self._step("update_metadata")
        changed = amended(self.get(checkpoint_id), name=name, description=description, metadata=metadata)
        self.held[checkpoint_id] = changed
        return changed

    def delete(self, checkpoint_id: str, /) -> bool:
        self._step("delete")
        return self.held.pop(checkpoint_id, None) is not None

    def verify(self, *, repair: bool = False) -> Iterator[Finding]:  # noqa: ARG002 - as stores have it
        return iter(())

    def close(self) -> None:
        self.broken = {"put", "get", "update_metadata", "delete"}


class Bench:
    """A manager of files, a database and a graph store in a folder, with a state whose clock is set by hand."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.folder = folder
        self.graph = MemoryStore()
        self.events: list[Event] = []
        self.clock = HandClock()
        self.state = RuntimeState("agent", "exec", clock=self.clock.clock())
        self.manager = CheckpointManager(
            folder / "files",
            f"sqlite:///{folder}/checkpoints.db",
            self.graph,
            on_event=self.events.append,
            clock=self.clock.clock(),
            **settings,
        )

    def think(self, text: str = "hm", **more: Any) -> None:
        self.clock.tick()
        self.state.thought_chain.add("reasoning", text, **more)

    def names(self) -> list[str]:
        return [event.name for event in self.events]

    def paths(self) -> list[str]:
        return sorted(path.name for path in (self.folder / "files").iterdir() if path.name[0] != ".")


def above(checkpoint: AgentCheckpoint) -> Any:
    """Return what a checkpoint says of its parent, None if it has none."""
    return None if checkpoint.parent is None else checkpoint.parent.tree()


def newest(manager: CheckpointManager, execution_id: str | None = None) -> AgentCheckpoint:
    header = manager.latest(execution_id)
    assert header is not None
    return manager.get(header.id)

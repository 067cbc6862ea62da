"""Where the commands of `agent` find checkpoints: the stores that options name, and what names mean in them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from checkpoint_ld.cli import options
from checkpoint_ld.errors import CheckpointNotFound, SettingsError
from checkpoint_ld.phrases import harmless, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from checkpoint_ld.agents.checkpoint import AgentCheckpoint
    from checkpoint_ld.agents.timeline import Timeline
    from checkpoint_ld.checkpointing import CheckpointManager

FOLDER: Final = "./checkpoints"
_NEWEST: Final = "latest"
"""What names the newest checkpoint, and its execution."""
_CANDIDATES: Final = 10
"""How many names a message has of those that begin alike."""

Done = TypeVar("Done")


@dataclass(frozen=True)
class Stores:
    """Where checkpoints are: a folder, a database, a graph store; the usual folder where none is named."""

    folder: str | None
    database: str | None
    graphs: str | None

    def manager(self, *sources: str, may_be_new: bool = False) -> CheckpointManager:
        """Return their manager. Close it after use.

        Raises SettingsError where there is no first store, unless it `may_be_new` or one of the `sources` that a
        command works on is a file.
        """
        from checkpoint_ld.checkpointing import CheckpointManager

        made = CheckpointManager(self.folder, self.database, self.graphs)
        truth = made.store.truth
        place: Path | None = getattr(truth, "directory", None) or getattr(truth, "path", None)
        may_be_new = may_be_new or any(Path(source).is_file() for source in sources)
        if may_be_new or place is None:
            return made
        is_empty = place.is_file() and not place.stat().st_size  # reading would make a database of it
        if is_empty or not place.exists():
            option = {"files": "--dir", "database": "--db", "graph": "--store"}[made.store.first]
            reason = "it is an empty file" if is_empty else "it does not exist"
            raise SettingsError(f"{place}: there are no checkpoints, as {reason}; name where they are by {option}")
        return made

    @property
    def files(self) -> list[str | None]:
        """The paths of the stores, which no output may replace."""
        usual = FOLDER if (self.folder, self.database, self.graphs) == (None, None, None) else self.folder
        return [usual, self.database and self.database.rpartition(":///")[2], self.graphs]


STORES: Any = options.Several(
    Stores,
    folder=options.value("--dir", help=f"The folder of the files; {FOLDER} where no store is named."),
    database=options.value("--db", metavar="URL", help="The database that mirrors them: sqlite:///FILE."),
    graphs=options.value("--store", metavar="DIR|URL", help="The collection or SPARQL service that mirrors them."),
)


def by_name(step: Callable[[str], Done], name: str, of: CheckpointManager, *, or_execution: bool = False) -> Done:
    """Take a step with the id that a name means, and return what it gives.

    It is taken with the name as it is and, if that is none, with the newest checkpoint for `latest`, or with the only
    one whose id begins so; `or_execution` looks among executions as well. Raises CheckpointNotFound, and SettingsError
    where several begin so.
    """
    try:
        return step(name)
    except CheckpointNotFound:
        newest = of.latest() if name == _NEWEST else None
        if newest is None:
            headers = of.list() if name else []
            executions = (header.execution_id for header in headers) if or_execution else ()
            meant = _only(name, (*executions, *(header.id for header in headers)), "executions or checkpoints")
        else:
            meant = newest.id
        if meant is None:
            raise
        return step(meant)


def found(name: str, of: CheckpointManager) -> AgentCheckpoint:
    """Return the checkpoint of that name: an id, the path of a file, or as `by_name`, which tells what is raised."""
    return by_name(lambda one: _exactly(one, of), name, of)


def _exactly(name: str, of: CheckpointManager) -> AgentCheckpoint:
    """Return the checkpoint of that very id, or else the one in that file. Raises CheckpointNotFound."""
    from checkpoint_ld.agents.checkpoint import AgentCheckpoint

    try:
        return of.get(name)
    except CheckpointNotFound:
        if not Path(name).is_file():
            raise
        return AgentCheckpoint.load(name)


def execution_of(name: str | None, of: CheckpointManager) -> str | None:
    """Return the id of the execution of that name: as it is, that of `latest`, or the only one that begins so.

    A name of none is given back. Raises SettingsError where several begin so.
    """
    if not name or of.list(execution_id=name, limit=1):
        return name
    newest = of.latest() if name == _NEWEST else None
    if newest is not None:
        return newest.execution_id
    return _only(name, (header.execution_id for header in of.list()), "executions") or name


def _only(name: str, known: Iterable[str], what: str) -> str | None:
    """Return the one that begins with `name`, None if none does. Raises SettingsError with those that do."""
    candidates = list(dict.fromkeys(one for one in known if one.startswith(name)))
    if len(candidates) > 1:
        listed = ", ".join(map(harmless, candidates[:_CANDIDATES]))
        others = len(candidates) - _CANDIDATES
        rest = f" and {others} more" if others > 0 else ""
        raise SettingsError(f"{shown(name)} is how {len(candidates)} {what} begin: {listed}{rest}; write more of it")
    return candidates[0] if candidates else None


def run_of(name: str, of: CheckpointManager) -> Timeline:
    """Return the timeline of an execution, or of the way to a checkpoint, and of what it goes on from.

    Raises CheckpointNotFound for what is neither, and what `by_name` raises.
    """
    from checkpoint_ld.agents.timeline import line_to, timeline_of

    def newest(name: str) -> AgentCheckpoint:
        headers = of.list(execution_id=name, limit=1)
        return of.get(headers[0].id) if headers else _exactly(name, of)

    checkpoint = by_name(newest, name, of, or_execution=True)
    return timeline_of([checkpoint], line_to(checkpoint.id, of.list(agent_id=checkpoint.agent_id, order="oldest")))

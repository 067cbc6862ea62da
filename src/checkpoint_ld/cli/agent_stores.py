"""What the commands of `agent` work on: stores that options name, and checkpoints and executions in them by name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from checkpoint_ld.errors import CheckpointNotFound, SettingsError
from checkpoint_ld.phrases import harmless, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from checkpoint_ld.agent.checkpoint import AgentCheckpoint
    from checkpoint_ld.checkpointing import CheckpointManager

FOLDER: Final = "./checkpoints"
LATEST: Final = "latest"
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
        may_be_new = may_be_new or any(Path(one).is_file() for one in sources)
        if not (may_be_new or place is None or place.exists()):
            option = {"files": "--dir", "database": "--db", "graph": "--store"}[made.store.first]
            raise SettingsError(
                f"{place}: there are no checkpoints, as it does not exist; name where they are by {option}"
            )
        return made

    @property
    def files(self) -> list[str | None]:
        """Their files and folders."""
        usual = FOLDER if (self.folder, self.database, self.graphs) == (None, None, None) else self.folder
        return [usual, self.database and self.database.rpartition(":///")[2], self.graphs]


def of_stores(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that name stores, which a command gets as one `Stores`."""

    @click.option("--dir", "folder", help=f"The folder of the files; {FOLDER} where no store is named.")
    @click.option("--db", "database", metavar="URL", help="The database that follows them: sqlite:///FILE.")
    @click.option("--store", "graphs", metavar="DIR|URL", help="The collection or SPARQL service that follows them.")
    @wraps(command)
    def run(folder: str | None, database: str | None, graphs: str | None, **values: Any) -> None:
        command(stores=Stores(folder, database, graphs), **values)

    return run


def by_name(step: Callable[[str], Done], name: str, of: CheckpointManager, *, or_execution: bool = False) -> Done:
    """Take a step with the id that a name means, and return what it gives.

    It is taken with the name as it is and, if that is none, with the newest checkpoint for `latest`, or with the only
    one whose id begins so; `or_execution` looks among executions as well. Raises CheckpointNotFound, and SettingsError
    where several begin so.
    """
    try:
        return step(name)
    except CheckpointNotFound:
        newest = of.latest() if name == LATEST else None
        if newest is None:
            headers = of.list() if name else []
            executions = (one.execution_id for one in headers) if or_execution else ()
            meant = _only(name, (*executions, *(one.id for one in headers)), "executions or checkpoints")
        else:
            meant = newest.id
        if meant is None:
            raise
        return step(meant)


def found(name: str, of: CheckpointManager) -> AgentCheckpoint:
    """Return the checkpoint of that name: an id, the path of a file, or as `by_name`, which tells what is raised."""
    return by_name(lambda one: exactly(one, of), name, of)


def exactly(name: str, of: CheckpointManager) -> AgentCheckpoint:
    """Return the checkpoint of that very id, or else the one in that file. Raises CheckpointNotFound."""
    from checkpoint_ld.agent.checkpoint import AgentCheckpoint

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
    newest = of.latest() if name == LATEST else None
    if newest is not None:
        return newest.execution_id
    return _only(name, (one.execution_id for one in of.list()), "executions") or name


def _only(name: str, known: Iterable[str], what: str) -> str | None:
    """Return the one that begins with `name`, None if none does. Raises SettingsError with those that do."""
    candidates = list(dict.fromkeys(one for one in known if one.startswith(name)))
    if len(candidates) > 1:
        listed = ", ".join(map(harmless, candidates[:_CANDIDATES]))
        others = len(candidates) - _CANDIDATES
        rest = f" and {others} more" if others > 0 else ""
        raise SettingsError(f"{shown(name)} is how {len(candidates)} {what} begin: {listed}{rest}; write more of it")
    return candidates[0] if candidates else None

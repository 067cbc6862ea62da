"""The stores of the commands of `agent`: those that options name, and names of checkpoints in them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final, TypeVar

from checkpoint_ld.cli import options, streams
from checkpoint_ld.errors import CheckpointNotFound, SettingsError
from checkpoint_ld.phrases import harmless, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from checkpoint_ld.agents.checkpoint import AgentCheckpoint
    from checkpoint_ld.agents.timeline import Timeline
    from checkpoint_ld.checkpointing import CheckpointManager
    from checkpoint_ld.stores.protocol import Header

FOLDER: Final = "./checkpoints"
_NEWEST: Final = "latest"
"""The name of the newest checkpoint, and of its execution."""
_CANDIDATES: Final = 10
"""The number of ids in a message about an ambiguous beginning."""

Done = TypeVar("Done")


@dataclass(frozen=True)
class Stores:
    """The stores that a command works on: a folder, a database, a graph store; the default folder if none is named."""

    folder: str | None
    database: str | None
    graphs: str | None

    def manager(self, *sources: str, may_be_new: bool = False, keep_secrets: bool = False) -> CheckpointManager:
        """Return the manager of the stores, which withholds secrets unless it is to keep them; close it after use.

        Raises SettingsError if the first store does not exist, unless it `may_be_new` or one of the `sources` of the
        command is a file.
        """
        from checkpoint_ld.checkpointing import CheckpointManager

        made = CheckpointManager(self._files, self.database, self.graphs, redact=None if keep_secrets else ())
        made.notice = streams.note
        place = made.store.place
        may_be_new = may_be_new or any(map(streams.is_file, sources))
        if may_be_new or place is None:
            return made
        is_empty = place.is_file() and not place.stat().st_size  # reading would turn it into a database
        if is_empty or not place.exists():
            option = {"files": "--dir", "database": "--db", "graph": "--store"}[made.store.first]
            reason = "it is an empty file" if is_empty else "it does not exist"
            files = "".join(f"{one}: there is no such file; " for one in sources if PurePath(one).suffix)
            raise SettingsError(
                f"{files}{place}: there are no checkpoints, as {reason}; name where they are by {option}"
            )
        return made

    @property
    def _files(self) -> str | None:
        return FOLDER if (self.folder, self.database, self.graphs) == (None, None, None) else self.folder

    @property
    def files(self) -> list[str | None]:
        """The paths of the stores, which no output may replace."""
        return [self._files, self.database and self.database.rpartition(":///")[2], self.graphs]


STORES: Any = options.CombinedOptions(
    Stores,
    folder=options.value("--dir", help=f"The folder of the files; {FOLDER} where no store is named."),
    database=options.value("--db", metavar="URL", help="The database that mirrors them: sqlite:///FILE."),
    graphs=options.value("--store", metavar="DIR|URL", help="The collection or SPARQL service that mirrors them."),
)


def by_name(step: Callable[[str], Done], name: str, of: CheckpointManager, *, or_execution: bool = False) -> Done:
    """Call a function with the id that a name means, and return its result.

    The name is tried as an id first. Otherwise it means the newest checkpoint (`latest`), or the only one whose id
    begins with it; with `or_execution`, executions count too. Raises CheckpointNotFound, and SettingsError if several
    ids begin with it.
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
    """Return the checkpoint of that name: an id, the path of a file, or as `by_name`, which states the exceptions."""
    return by_name(lambda meant: _exactly(meant, of), name, of)


def _exactly(name: str, of: CheckpointManager) -> AgentCheckpoint:
    """Return the checkpoint with that id, or else the one in that file. Raises CheckpointNotFound."""
    from checkpoint_ld.agents.checkpoint import AgentCheckpoint

    try:
        return of.get(name)
    except CheckpointNotFound:
        if not streams.is_file(name):
            raise
        return AgentCheckpoint.load(name)


def execution_of(name: str | None, of: CheckpointManager) -> str | None:
    """Return the id of the execution of that name: an id, `latest`, or the beginning of exactly one id.

    An unknown name is returned itself. Raises SettingsError if several ids begin with it.
    """
    if not name or of.list(execution_id=name, limit=1):
        return name
    newest = of.latest() if name == _NEWEST else None
    if newest is not None:
        return newest.execution_id
    return _only(name, (header.execution_id for header in of.list()), "executions") or name


def _only(name: str, known: Iterable[str], what: str) -> str | None:
    """Return the only id that begins with `name`, None if none does. Raises SettingsError with the candidates."""
    candidates = list(dict.fromkeys(each for each in known if each.startswith(name)))
    if len(candidates) > 1:
        listed = ", ".join(map(harmless, candidates[:_CANDIDATES]))
        others = len(candidates) - _CANDIDATES
        rest = f" and {others} more" if others > 0 else ""
        raise SettingsError(f"{shown(name)} is how {len(candidates)} {what} begin: {listed}{rest}; write more of it")
    return candidates[0] if candidates else None


def _line_of(name: str, of: CheckpointManager) -> tuple[AgentCheckpoint, list[Header]]:
    """Return the checkpoint that a name means, the newest of an execution, and the headers that lead to it.

    Raises CheckpointNotFound if it is neither, and what `by_name` raises.
    """
    from checkpoint_ld.agents.timeline import line_to

    def newest(name: str) -> AgentCheckpoint:
        headers = of.list(execution_id=name, limit=1)
        return of.get(headers[0].id) if headers else _exactly(name, of)

    checkpoint = by_name(newest, name, of, or_execution=True)
    return checkpoint, line_to(checkpoint.id, of.list(agent_id=checkpoint.agent_id, order="oldest"))


def run_of(name: str, of: CheckpointManager) -> Timeline:
    """Return the timeline of an execution, or of a checkpoint with what it continues from. Raises as `_line_of`."""
    from checkpoint_ld.agents.timeline import timeline_of

    checkpoint, line = _line_of(name, of)
    before = line if checkpoint.snapshot.is_partial else ()
    return timeline_of([*(of.get(header.id) for header in before), checkpoint], line)


def checkpoints_of(name: str, of: CheckpointManager) -> list[AgentCheckpoint]:
    """Return the checkpoints of an execution, or a checkpoint with those that it continues from. Raises as `run_of`."""
    checkpoint, line = _line_of(name, of)
    return [*(of.get(header.id) for header in line if header.id != checkpoint.id), checkpoint]

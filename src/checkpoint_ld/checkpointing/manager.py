"""`CheckpointManager`: checkpoints saved, found, restored, forked, compared and pruned, over one store or several."""

from __future__ import annotations

import os
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NoReturn, Self, get_args

from checkpoint_ld.agents.changes import Clock, ErrorHandler, Event, log_error, new_id
from checkpoint_ld.agents.difference import CheckpointDiff, diff_checkpoints
from checkpoint_ld.agents.state import RuntimeState
from checkpoint_ld.agents.values import COUNTERS, EXTENSIONS, LATEST_MS, ExportShape, ParentLink, members_of
from checkpoint_ld.agents.withholding import OF_LANGGRAPH, withheld
from checkpoint_ld.checkpointing import exchange
from checkpoint_ld.checkpointing.combined import NOUNS, SYNC_ERRORS, CombinedStore, Kind, Reindexed
from checkpoint_ld.checkpointing.exchange import Imported, Redaction, Restored, Run, Saved
from checkpoint_ld.checkpointing.retention import Pruned, Retention, pruned
from checkpoint_ld.documents.files import is_packed, kind_of, replace_file
from checkpoint_ld.documents.values import ABSENT, Absent
from checkpoint_ld.errors import (
    CheckpointLdError,
    CheckpointNotFound,
    CheckpointWarning,
    DatabaseSyncError,
    GraphSyncError,
    SettingsError,
    WrongTypeError,
    warn,
)
from checkpoint_ld.phrases import shown, unknown
from checkpoint_ld.stores.files import FileStore
from checkpoint_ld.stores.protocol import CheckpointStore, Filter, Header, header_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from checkpoint_ld.agents.checkpoint import AgentCheckpoint
    from checkpoint_ld.agents.values import About
    from checkpoint_ld.findings import Finding
    from checkpoint_ld.stores.collection import Collection


_FORMS: Final[Mapping[Kind, str]] = MappingProxyType(
    {
        "files": "the path of a folder",
        "database": "a path, a URL such as sqlite:///checkpoints.db",
        "graph": "the path of a collection, the URL of a SPARQL service, an open Collection",
    }
)
"""The types that are accepted in place of a store."""


def _opened(kind: Kind, given: Any, *, follows_files: bool = False) -> CheckpointStore | None:
    """Return the store that is given itself or by its place, None if none is given.

    A database that `follows_files` need not be flushed. Nothing is opened or made yet. Raises WrongTypeError and
    SettingsError for an invalid place of such a store.
    """
    if given is None or (isinstance(given, CheckpointStore) and not isinstance(given, type)):
        return given
    is_place = isinstance(given, (str, os.PathLike))
    if is_place and kind == "files":
        return FileStore(given)
    if is_place and kind == "database":
        from checkpoint_ld.stores.database import DatabaseStore  # noqa: PLC0415 - SQLAlchemy, which files do without

        return DatabaseStore(given, follows_files=follows_files)
    if kind == "graph":
        from checkpoint_ld.stores.collection import Collection  # noqa: PLC0415 - it takes long to import
        from checkpoint_ld.stores.graphs import GraphStore  # noqa: PLC0415 - as above

        if is_place or isinstance(given, Collection):
            return GraphStore(given)
    raise WrongTypeError(f"{kind} is of type {type(given).__name__}: give {_FORMS[kind]}, or a store")


def manager_of(given: CheckpointManager | None) -> CheckpointManager:
    """Return a given manager, by default one of the files in `./checkpoints`. Raises WrongTypeError."""
    if given is not None and not isinstance(given, CheckpointManager):
        raise WrongTypeError(f"a {type(given).__name__} is no manager: give CheckpointManager(…)")
    return CheckpointManager() if given is None else given


def _warn(text: str) -> None:
    warn(CheckpointWarning(text))


Headers = list[Header]


def _just_after(*those: AgentCheckpoint | Header) -> int:
    """Return the first moment after some checkpoints: what follows is newer, even if the clock was put back."""
    return min(max(one.timestamp for one in those) + 1, LATEST_MS)


class CheckpointManager:
    """Keeps the checkpoints of agents in files, a database, a graph store, or several of them. A context manager.

    The first of these that is given is the truth; the others follow it, and can be rebuilt from it at any time. It
    never runs an agent, and starts nothing. It is thread-safe. LangGraph compiles a graph with
    `integrations.langgraph.CheckpointSaver` of a manager.
    """

    def __init__(  # noqa: PLR0913 - all but the first three are named
        self,
        files: CheckpointStore | str | os.PathLike[str] | None = "./checkpoints",
        database: CheckpointStore | str | os.PathLike[str] | None = None,
        graph: CheckpointStore | Collection | str | os.PathLike[str] | None = None,
        *,
        redact: Redaction | None = (),
        on_event: Callable[[Event], None] | None = None,
        clock: Clock = Clock(),  # noqa: B008 - a frozen value
    ) -> None:
        """Use these stores; without `files`, the files are in `./checkpoints`. With None there are no files.

        `files` is the path of a folder, `database` a path or a URL such as `sqlite:///agents.db`, `graph` the path of a
        collection, the URL of a SPARQL service or an open `Collection`; each may be a store of any kind as well. Values
        that look like secrets are withheld before anything is stored, unless `redact` is None; the first gives a
        CheckpointWarning with its place. `redact` says what else is withheld. `on_event` is called after each save,
        failed save and restore. Raises WrongTypeError for an object that is no store, and SettingsError for an invalid
        place of such a store, for an invalid redaction and if there is no store.
        """
        if files is None and database is None and graph is None:
            raise SettingsError("there is no store: give files, database or graph")
        self.files = _opened("files", files)
        self.database = _opened("database", database, follows_files=self.files is not None)
        self.graph = _opened("graph", graph)
        self.store = CombinedStore(self.files, self.database, self.graph)
        self._redacted = exchange.redactor(redact)
        self._withholds = redact is not None
        self._redacts = callable(redact) or bool(redact)
        self._warned = False
        self.notice: Callable[[str], None] = _warn
        """What is called with the text of a warning."""
        self._on_event = on_event
        self._clock = clock

    def __reduce__(self) -> NoReturn:
        raise WrongTypeError(
            "a CheckpointManager is not pickled: give the places of its stores to the other process, and open one there"
        )

    @property
    def redacts(self) -> bool:
        """Whether more than secrets is withheld from checkpoints before they are kept."""
        return self._redacts

    def redacted(self, checkpoint: AgentCheckpoint) -> AgentCheckpoint:
        """Return a checkpoint as it is kept; the first secret that is withheld gives a CheckpointWarning."""
        checkpoint = self._redacted(checkpoint)
        if not self._withholds:
            return checkpoint
        checkpoint, places = withheld(checkpoint)
        if places and not self._warned:
            self._warned = True
            more = f" and {len(places) - 1} more" if len(places) > 1 else ""
            bytes_too = (
                "; the bytes of LangGraph hold it still: encrypt them"
                if OF_LANGGRAPH in (checkpoint.snapshot.model_extra or ())
                else ""
            )
            self.notice(
                f"{shown(checkpoint.id)}: the value at {places[0]}{more} looks like a secret and is withheld"
                f"{bytes_too}; give CheckpointManager(…, redact=None) to keep such values"
            )
        return checkpoint

    def save(
        self,
        state: RuntimeState,
        reason: str = "manual",
        *,
        name: str | None = None,
        description: str | None = None,
        about: About | None = None,
    ) -> Saved:
        """Save a checkpoint of the current state.

        Raises InvalidCheckpoint, WriteError, CheckpointExists, StoreFull and other StoreErrors if nothing was stored,
        DatabaseSyncError and GraphSyncError if the checkpoint is stored, but another store could not follow.
        """
        checkpoint = exchange.taken(state, reason, about=about, name=name, description=description)
        try:
            return self._kept(checkpoint, state)
        except (DatabaseSyncError, GraphSyncError):
            raise
        except Exception:
            with state.change():  # it was not kept, so the next one must not name it as parent
                if state.parent is not None and state.parent.checkpoint_id == checkpoint.id:
                    state.parent = checkpoint.parent
            raise

    def restore(  # noqa: PLR0913 - all but the first are named, and seldom given
        self,
        source: exchange.Source,
        *,
        continue_execution: bool = False,
        auto_step: bool = True,
        clock: Clock = Clock(),  # noqa: B008 - a frozen value
        on_error: ErrorHandler = log_error,
        schema_version: int | None = None,
        migrate: exchange.Migrate | None = None,
    ) -> Restored:
        """Return a state that continues from a checkpoint: its id, its file, its bytes, or the checkpoint itself.

        The state belongs to a new execution unless `continue_execution`. A checkpoint that the store does not know is
        imported first. `schema_version` is the version that the agent keeps its variables in; variables of an older one
        are given to `migrate` with that version, which is 0 if it is not stated. Raises SettingsError if they are
        newer, or older without `migrate`, CheckpointNotFound, ReadError, InvalidCheckpoint, CheckpointExists and what
        `save` raises.
        """
        fetched = self._fetched(source)
        checkpoint = fetched.checkpoint
        if fetched.sha256 is not None or not isinstance(source, str):
            checkpoint = self._kept(checkpoint, source_sha256=fetched.sha256).checkpoint
        newest = self.latest(checkpoint.execution_id)
        snapshot, metadata = checkpoint.snapshot, checkpoint.metadata
        # Of the two counters that a checkpoint has, the larger one counts.
        counted = {name: max(getattr(snapshot.progress, name) or 0, getattr(metadata, name)) for name in COUNTERS}
        state = RuntimeState(
            checkpoint.agent_id,
            checkpoint.execution_id if continue_execution else None,
            auto_step=auto_step,
            clock=clock,
            snapshot=exchange.migrated_variables(
                snapshot.but(progress=snapshot.progress.but(**counted)), schema_version, migrate
            ),
            on_error=on_error,
        )
        state.now(_just_after(checkpoint, newest or checkpoint))
        state.agent_name = metadata.agent_name
        state.about = checkpoint.about
        link = ParentLink(checkpoint_id=checkpoint.id)
        is_branch = newest is not None and newest.key > Header.of(checkpoint).key
        state.parent = link.but(is_branch=True) if is_branch else link
        interrupted = state.tool_state.in_flight
        self._tell("agent.restored", id=checkpoint.id, execution_id=state.execution_id, interrupted=interrupted)
        return Restored(state, checkpoint, interrupted, fetched.findings)

    def fork(
        self, id: str, execution_id: str | None = None, branch_reason: str | None = None, name: str | None = None
    ) -> Saved:
        """Save a checkpoint with the same state as that of the id, as the first of another execution.

        The original is not touched. Raises CheckpointNotFound, SettingsError for an execution that there is already,
        and what `save` raises.
        """
        origin = self.get(id)
        if execution_id is not None and self.latest(execution_id) is not None:
            raise SettingsError(f"there is an execution {shown(execution_id)} already: give another id, or none")
        why = {} if branch_reason is None else {"branch_reason": branch_reason}
        forked = exchange.new_checkpoint(
            origin.snapshot,
            "branch",
            metadata=origin.metadata.tree(),
            timestamp=max(self._clock.wall(), _just_after(origin)),
            execution_id=new_id("exec_") if execution_id is None else execution_id,
            agent_id=origin.agent_id,
            parent={"checkpoint_id": origin.id, "is_branch": True, **why},
            about=origin.about,
            name=name,
        )
        return self._kept(forked)

    def get(self, id: str) -> AgentCheckpoint:
        """Return a checkpoint. Raises CheckpointNotFound, and ReadError or InvalidCheckpoint for a damaged one."""
        return self.store.get(id)

    def latest(self, execution_id: str | None = None, *, unfinished: bool = False, **wanted: Any) -> Header | None:
        """Return the header of the newest checkpoint, of an execution or of all; None if there is none.

        Other keywords are members of a Filter, such as `agent_id`. With `unfinished`, the result is also None if the
        newest one is the last of a run that was completed or failed. The files decide, not the database, which may have
        missed the last one if a save was killed. Raises SettingsError as `list`.
        """
        filtered = Filter(execution_id=execution_id, limit=1, **wanted)
        newest = next(iter(self.store.truth.headers(filtered)), None)
        return None if newest is not None and unfinished and newest.is_final else newest

    def resume_or_start(  # noqa: PLR0913 - as above
        self,
        agent_id: str,
        *,
        about: About | None = None,
        auto_step: bool = True,
        clock: Clock = Clock(),  # noqa: B008 - a frozen value
        on_error: ErrorHandler = log_error,
        schema_version: int | None = None,
        migrate: exchange.Migrate | None = None,
    ) -> Run:
        """Return a state to work on: that of the agent's last run if it was cut off, else an empty one.

        The newest checkpoint of the agent decides. It is restored, in a new execution that continues from it, unless it
        is the last one of a run that was completed or failed. With `about`, only runs about that question (and that
        replicate, if given) count, and the new state is about it as well. A new run comes after the last one in time,
        even if the clock was put back. Two processes that work as one agent at a time need an `agent_id` each, or an
        `about`. Raises what `restore` raises: a checkpoint that cannot be restored is an error, no reason for a fresh
        start. Files that are no checkpoints are ignored as in `list`. `schema_version` and `migrate` are as for
        `restore`.
        """
        newest = self._newest_run(agent_id, about)
        settings: dict[str, Any] = {"auto_step": auto_step, "clock": clock, "on_error": on_error}
        settings["schema_version"] = schema_version
        if newest is not None and not newest.is_final:
            restored = self.restore(newest.id, migrate=migrate, **settings)
            if about is not None:
                restored.state.about = (restored.state.about or about).but(**members_of(about))
            return Run(restored.state, restored)
        state = RuntimeState(agent_id, **settings)
        state.about = about
        if newest is not None:
            state.now(_just_after(newest))
        return Run(state)

    def list(self, **wanted: Any) -> Headers:
        """Return the headers of checkpoints, the newest first; the keywords are members of a Filter.

        Raises SettingsError for invalid values.
        """
        return list(self.store.headers(Filter(**wanted)))

    def diff(
        self, before: exchange.Source, after: exchange.Source, *, allow_other_execution: bool = False
    ) -> CheckpointDiff:
        """Return the differences between two checkpoints, each given by its id or as `restore` takes it.

        Raises SettingsError for two executions unless that is allowed, and what `get` raises.
        """
        one, other = self._fetched(before).checkpoint, self._fetched(after).checkpoint
        return diff_checkpoints(one, other, allow_other_execution=allow_other_execution)

    def export(
        self, id: str, to: str | os.PathLike[str], shape: ExportShape | None = None, *, overwrite: bool = False
    ) -> Path:
        """Write a checkpoint to a file of its own, as a whole or not at all; return its path.

        Without a `shape` the extension decides; a second extension `.gz` packs the file. Raises what `get` raises,
        SettingsError for an unknown shape, TargetExistsError for an existing file unless `overwrite`, and WriteError if
        it cannot be written.
        """
        checkpoint, shapes = self.get(id), get_args(ExportShape)
        if shape is not None and shape not in shapes:
            raise SettingsError(unknown("shape", shape, shapes))
        content = checkpoint.content(kind_of(to, EXTENSIONS, "canonical") if shape is None else shape)
        replace_file(to, content, overwrite=overwrite, pack=is_packed(to))
        return Path(to)

    def import_(self, source: exchange.Source, *, as_new_id: bool = False) -> tuple[Imported, ...]:
        """Import checkpoints from elsewhere: a path, bytes, JSON, a checkpoint, or all files of a folder.

        With `as_new_id`, each is stored as a copy with a new id. A fault of a file in a folder is in its result;
        otherwise this raises ReadError, InvalidCheckpoint, CheckpointExists, and what `save` raises.
        """
        if not isinstance(source, (str, os.PathLike)) or not os.path.isdir(source):  # noqa: PTH112 - any text will do
            return (self._imported(source, as_new_id=as_new_id),)
        done = []
        for path in exchange.files_in(Path(source)):
            try:
                done.append(self._imported(path, as_new_id=as_new_id))
            except CheckpointLdError as error:
                done.append(Imported(path, None, error=error))
        return tuple(done)

    def update_metadata(
        self,
        id: str,
        *,
        name: str | Absent | None = ABSENT,
        description: str | Absent | None = ABSENT,
        metadata: Mapping[str, Any] | Absent = ABSENT,
    ) -> AgentCheckpoint:
        """Change the metadata of a checkpoint, and return it; its state is the same. None removes a member.

        New values are redacted as well. Raises CheckpointNotFound, InvalidCheckpoint for invalid values, and what
        `save` raises.
        """
        changes: dict[str, Any] = {"name": name, "description": description, "metadata": metadata}
        if self._withholds:
            changes = exchange.redacted_changes(self.get(id), changes, self.redacted)
        return self.store.update_metadata(id, **changes)

    def delete(self, id: str) -> bool:
        """Delete a checkpoint, from the first store last; return whether it existed."""
        return self.store.delete(id)

    def prune(
        self, retention: Retention, *, dry_run: bool = False, archive: str | os.PathLike[str] | None = None
    ) -> Pruned:
        """Delete the checkpoints that need not stay, and return the reason for each that is deleted or stays.

        With `dry_run` nothing is deleted. `archive` is a folder to which each is written first, compressed. Raises
        WriteError if that fails, SettingsError for the folder of the checkpoints, and what stores raise.
        """
        return pruned(self.store, retention, self._clock.wall(), dry_run=dry_run, archive=archive)

    def verify(self, *, repair: bool = False) -> tuple[Finding, ...]:
        """Return findings about the stores, and about their disagreements.

        With `repair`, rows and graphs are made again from the files, and what killed saves left behind is removed after
        an hour; no checkpoint file is changed.
        """
        return tuple(self.store.verify(repair=repair))

    def reindex(self) -> Reindexed:
        """Rebuild database and graph from the files alone. Raises what stores raise."""
        return self.store.reindex()

    def close(self) -> None:
        """Close the stores."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _newest_run(self, agent_id: str, about: About | None) -> Header | None:
        """Return the header of the newest checkpoint of an agent, or of its runs about a question; None if none is."""
        if about is None:
            return self.latest(agent_id=agent_id)
        others: set[str] = set()  # executions of other replicates, which headers do not tell
        wanted = Filter(agent_id=agent_id, question=about.question, benchmark=about.benchmark)
        for header in self.store.truth.headers(wanted):
            if header.about_question != about.question:
                continue  # it is about a question of the benchmark, not about the benchmark
            if about.replicate is None:
                return header
            if header.execution_id not in others:
                found = self.get(header.id).about
                if found is not None and found.replicate == about.replicate:
                    return header
                others.add(header.execution_id)
        return None

    def _kept(
        self, checkpoint: AgentCheckpoint, state: RuntimeState | None = None, source_sha256: str | None = None
    ) -> Saved:
        stage = "validate"
        try:
            checkpoint = self.redacted(checkpoint)
            if state is not None and checkpoint.about not in state.checked:
                state.checked = None, checkpoint.refusing().about
            stage = NOUNS[self.store.first]
            done = self.store.put(checkpoint, source_sha256=source_sha256)
        except Exception as error:
            stage = next((kind for kind, one in SYNC_ERRORS.items() if isinstance(error, one)), stage)
            self._tell("agent.checkpoint_failed", state, stage=stage, error=error, path=getattr(error, "path", None))
            raise
        if done.created and (self._on_event is not None or (state is not None and state.has_listeners)):
            self._tell(
                "agent.checkpoint",
                state,
                id=checkpoint.id,
                execution_id=checkpoint.execution_id,
                reason=checkpoint.metadata.checkpoint_reason,
                path=done.path,
                sha256=checkpoint.sha256,
            )
        return Saved(checkpoint, done.path, done.created)

    def _imported(self, source: exchange.Source, *, as_new_id: bool) -> Imported:
        found = exchange.loaded(source)
        checkpoint = found.checkpoint
        if as_new_id:
            checkpoint = checkpoint.but(id=new_id("ckpt_"), parent=ParentLink(checkpoint_id=checkpoint.id))
        saved = self._kept(checkpoint, source_sha256=found.sha256)
        path = Path(source) if isinstance(source, (str, os.PathLike)) else None
        return Imported(path, header_of(saved.checkpoint), saved.created, found.findings)

    def _fetched(self, source: exchange.Source) -> exchange.Loaded:
        """Return a checkpoint from the store or from elsewhere."""
        if isinstance(source, str):
            try:
                return self.store.fetch(source)
            except CheckpointNotFound:
                if not os.path.isfile(source):  # noqa: PTH113 - as above
                    raise
        return exchange.loaded(source)

    def _tell(self, name: str, state: RuntimeState | None = None, **payload: Any) -> None:
        event = Event(name, MappingProxyType(payload))
        if self._on_event is not None:
            try:
                self._on_event(event)
            except Exception as error:  # noqa: BLE001 - what is saved is saved, whatever a listener raises
                log_error(error, event)
        if state is not None:
            state.tell(name, **payload)

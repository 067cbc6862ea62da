"""Checkpoints made from a state, redacted, read from elsewhere, upgraded; and the results of these operations."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from checkpoint_ld.agents.changes import frozen, new_id
from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.agents.values import (
    COUNTERS,
    EXTENSIONS,
    NEWEST,
    SCHEMA_VERSION,
    SHAPES,
    About,
    CheckpointMetadata,
    ParentLink,
    Snapshot,
    SnapshotContext,
    SnapshotToolState,
)
from checkpoint_ld.documents.files import PACKED, is_packed, read_bytes, replace_file
from checkpoint_ld.documents.text import dump_json, steps_of
from checkpoint_ld.documents.values import ABSENT, copied
from checkpoint_ld.errors import SettingsError, SourceMissingError, WriteError, WrongTypeError
from checkpoint_ld.mapping.traits import faults_of
from checkpoint_ld.stores.protocol import Filter, amended

if TYPE_CHECKING:
    from collections.abc import Iterable

    from checkpoint_ld.agents.state import RuntimeState
    from checkpoint_ld.agents.values import ToolCall
    from checkpoint_ld.errors import CheckpointLdError
    from checkpoint_ld.findings import Finding
    from checkpoint_ld.stores.protocol import CheckpointStore, Header


def new_checkpoint(
    snapshot: Snapshot,
    reason: str,
    *,
    agent_name: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    **members: Any,
) -> AgentCheckpoint:
    """Return a checkpoint of a snapshot, with a new id unless one is given; members that are None are left out.

    Without `metadata`, they are taken from the progress. Raises WriteError for values that a checkpoint may not have.
    """
    counted = (
        {name: getattr(snapshot.progress, name) for name in (*COUNTERS, "total_steps_estimate")}
        if metadata is None
        else metadata
    )
    about = {"agent_name": agent_name, **counted, "checkpoint_reason": reason}
    given = {"version": NEWEST, "id": members.pop("id", None) or new_id("ckpt_"), "snapshot": snapshot, **members}
    try:
        return AgentCheckpoint(
            **{name: value for name, value in given.items() if value is not None},
            metadata=CheckpointMetadata(**{name: value for name, value in about.items() if value is not None}),
        )
    except ValidationError as error:
        raise WriteError(f"the checkpoint is refused: {faults_of(error)}") from None


def taken(state: RuntimeState, reason: str, *, about: About | None = None, **texts: Any) -> AgentCheckpoint:
    """Return a checkpoint of the current state, which the next one will name as its parent.

    `texts` are a name and a description. Raises WriteError for an invalid reason, name or description; then the state
    is unchanged.
    """
    with state.change():
        checkpoint = new_checkpoint(
            state.snapshot(),
            reason,
            agent_name=state.agent_name,
            timestamp=state.now(),
            execution_id=state.execution_id,
            agent_id=state.agent_id,
            parent=state.parent,
            about=about or state.about,
            **texts,
        )
        state.parent = ParentLink(checkpoint_id=checkpoint.id)
        return checkpoint


_INSIDE: Final = {*Snapshot.model_fields, *SnapshotContext.model_fields, *SnapshotToolState.model_fields}
"""The members of a snapshot and of two of its parts, none of which is a member of the root."""
REDACTED: Final = "[redacted]"
"""The text in place of a redacted value."""
Redaction = Sequence[str] | Callable[[dict[str, Any]], dict[str, Any]]
"""JSON Pointers (RFC 6901) in which `*` stands for every member, or a function from JSON to JSON."""
Redactor = Callable[[AgentCheckpoint], AgentCheckpoint]


Migrate = Callable[[dict[str, Any], int], Mapping[str, Any]]
"""Returns the variables of an agent in its newest version, given those of an older one, and that version."""


def migrated_variables(snapshot: Snapshot, schema_version: int | None, migrate: Migrate | None) -> Snapshot:
    """Return a snapshot whose variables have a version; one that states none has 0. None leaves it as it is.

    Raises SettingsError for variables of a newer version, or of an older one without a function, and WrongTypeError
    if that returns something else than JSON.
    """
    stated = (snapshot.model_extra or {}).get(SCHEMA_VERSION, 0)
    held = stated if type(stated) is int else 0
    if schema_version is None or held == schema_version:
        return snapshot
    what = f"the variables of this checkpoint have the schema_version {held}"
    if held > schema_version:
        raise SettingsError(f"{what}, which is newer than {schema_version}: upgrade the agent")
    if migrate is None:
        raise SettingsError(f"{what}, not {schema_version}: give migrate=, which returns them in that version")
    made = migrate(copied(snapshot.context.variables), held)
    if not isinstance(made, Mapping):
        raise WrongTypeError(f"migrate returned a {type(made).__name__}: it has to return the variables")
    context = snapshot.context.but(variables=frozen(made, "the migrated variables"))
    return snapshot.but(context=context, **{SCHEMA_VERSION: schema_version})


def redactor(redact: Redaction | None) -> Redactor:
    """Return a function that redacts a checkpoint by `redact`; if nothing matches, it returns the same checkpoint.

    The function raises InvalidCheckpoint if the redacted checkpoint breaks rules, and SettingsError if the redaction
    changes the checkpoint's identity. Raises SettingsError for an invalid JSON Pointer.
    """
    if redact is None:
        return lambda checkpoint: checkpoint
    if callable(redact):
        return lambda checkpoint: _of_redacted(checkpoint, redact(copied(checkpoint.tree())))
    pointers = tuple(redact)  # an iterator is read once
    for pointer in pointers:
        if not pointer.startswith("/"):
            raise SettingsError(f"{pointer!r} is no JSON Pointer to a part of a checkpoint: it begins with '/'")
        if steps_of(pointer)[0] in _INSIDE:  # it would fit nothing, and the secret would be saved
            way = "write the whole way, such as /snapshot/context/variables/password"
            raise SettingsError(f"{pointer!r} begins with a member of the snapshot, not of the checkpoint: {way}")
    paths = [*map(steps_of, pointers)]
    if not paths:
        return lambda checkpoint: checkpoint

    def by_pointers(checkpoint: AgentCheckpoint) -> AgentCheckpoint:
        tree = before = checkpoint.tree()
        for path in paths:
            tree = _masked(tree, path)
        return checkpoint if tree is before else _of_redacted(checkpoint, tree)

    return by_pointers


def redacted_changes(checkpoint: AgentCheckpoint, changes: Mapping[str, Any], redacted: Redactor) -> dict[str, Any]:
    """Return the `changes` for `update_metadata`, redacted.

    Raises InvalidCheckpoint for values that a checkpoint may not have there.
    """
    after = redacted(amended(checkpoint, **changes)).tree()
    became = {name: after.get(name) for name, value in changes.items() if value is not ABSENT and value is not None}
    if "metadata" in became:
        given = changes["metadata"]
        became["metadata"] = {key: None if given[key] is None else after["metadata"].get(key) for key in given}
    return {**changes, **became}


def _of_redacted(before: AgentCheckpoint, tree: object) -> AgentCheckpoint:
    if not isinstance(tree, dict):
        raise SettingsError(f"the function that redacts returned {type(tree).__name__}: it has to return the object")
    for name in ("id", "execution_id", "agent_id"):
        if tree.get(name) != getattr(before, name):
            raise SettingsError(f"redaction changed {name}, which checkpoints are found by: leave it out")
    return AgentCheckpoint.of_tree(tree)


def _masked(value: Any, path: Sequence[str]) -> Any:
    """Return `value` with the values at the path replaced; only containers on the way are copied."""
    if not path:
        return value if value == REDACTED else REDACTED
    step, rest = path[0], path[1:]
    keys: Iterable[Any] = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    masked = {key: _masked(value[key], rest) for key in keys if step in ("*", str(key))}
    changed = {key: one for key, one in masked.items() if one is not value[key]}
    if not changed:
        return value
    copy = value.copy()
    for key, one in changed.items():
        copy[key] = one
    return copy


Source = str | Path | bytes | Mapping[str, Any] | AgentCheckpoint
"""The sources of a checkpoint: a path, bytes, JSON, or a checkpoint."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A checkpoint from a store or from elsewhere, with findings about its place or its form.

    `sha256` is the hash of the bytes that it was read from, None for an object and from a store.
    """

    checkpoint: AgentCheckpoint
    findings: tuple[Finding, ...] = ()
    sha256: str | None = None


def loaded(source: Source) -> Loaded:
    """Return the checkpoint of a source.

    Raises ReadError if it cannot be read, InvalidCheckpoint if it breaks rules, WrongTypeError and WriteError for a
    value that is no JSON.
    """
    if isinstance(source, AgentCheckpoint):
        return Loaded(source.refusing())
    from checkpoint_ld.agents.serialization import examine_bytes  # noqa: PLC0415 - loads rdflib

    if isinstance(source, Mapping):
        reading = examine_bytes(dump_json(dict(source)))
        return Loaded(AgentCheckpoint.of_reading(reading), reading.findings)
    if not isinstance(source, (str, os.PathLike, bytes)):
        raise WrongTypeError(f"{type(source).__name__} is no source: give an id, a path, bytes, JSON or a checkpoint")
    data, name = read_bytes(source)
    reading = examine_bytes(data, name)
    return Loaded(AgentCheckpoint.of_reading(reading), reading.findings, hashlib.sha256(data).hexdigest())


def files_in(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder that may hold a checkpoint, by name. Raises SourceMissingError."""
    try:
        names = sorted(folder.iterdir())
    except OSError as error:
        raise SourceMissingError(f"{folder}: cannot be read: {error.strerror}") from error
    endings = tuple(extension + end for extension in EXTENSIONS for end in ("", PACKED))
    yield from (path for path in names if path.name.endswith(endings) and path.name[0] != "." and os.path.isfile(path))  # noqa: PTH113 - Path raises where the folder may not be entered


@dataclass(frozen=True, slots=True)
class Upgraded:
    """A file, the version that it had, and the newest, which it has now unless it was a dry run."""

    path: Path
    before: str
    after: str

    @property
    def changed(self) -> bool:
        """Whether there was anything to do."""
        return self.before != self.after


def upgrade(path: str | os.PathLike[str], *, dry_run: bool = False) -> Upgraded:
    """Convert a checkpoint's file to the newest version, in its shape; a file of that version is not touched.

    The old file is there until the new one is safely on the disk. Raises ReadError if it cannot be read,
    InvalidCheckpoint if it breaks rules, and WriteError if the file cannot be written.
    """
    from checkpoint_ld.agents.serialization import examine  # noqa: PLC0415 - loads rdflib

    reading = examine(path)
    done = Upgraded(Path(path), reading.version, NEWEST)
    if done.changed and not dry_run:
        if reading.document is None or reading.shape not in SHAPES:
            raise WriteError(f"{path}: only JSON files are upgraded; convert it to JSON first")
        content = AgentCheckpoint.of_reading(reading).content(reading.shape)
        replace_file(path, content, pack=is_packed(path))
    return done


@dataclass(frozen=True)
class Saved:
    """A checkpoint that all stores hold. `path` is that of its file, None if there are no files.

    `created` is false if an equal one was there already.
    """

    checkpoint: AgentCheckpoint
    path: Path | None
    created: bool

    @property
    def id(self) -> str:
        """The checkpoint's id."""
        return self.checkpoint.id

    @property
    def sha256(self) -> str:
        """The hash of the checkpoint's text, in hexadecimal digits."""
        return self.checkpoint.sha256

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of the rules about the checkpoint; they are computed on demand, so that saving is fast."""
        return self.checkpoint.validate().findings


@dataclass(frozen=True, slots=True)
class Restored:
    """A state that continues from a checkpoint. `interrupted` are the calls that had not ended then.

    They are in the state unchanged: cancel, fail or repeat each of them. `findings` are about a checkpoint that came
    from another store than the first, and about the form of a source from elsewhere.
    """

    state: RuntimeState
    checkpoint: AgentCheckpoint
    interrupted: tuple[ToolCall, ...]
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """A state to work on, and what it was restored from, which is None if it begins empty."""

    state: RuntimeState
    restored: Restored | None = None

    @property
    def interrupted(self) -> tuple[ToolCall, ...]:
        """The calls that had not ended when the run was cut off: cancel, fail or repeat each of them."""
        return () if self.restored is None else self.restored.interrupted


@dataclass(frozen=True, slots=True)
class Imported:
    """The result for one source: the header of the stored checkpoint, or the error.

    `created` is false if an equal one was there already. `source` is the path of a file, None for anything else.
    `findings` are about the form of the source.
    """

    source: Path | None
    checkpoint: Header | None
    created: bool = False
    findings: tuple[Finding, ...] = ()
    error: CheckpointLdError | None = None


def statistics(store: CheckpointStore, execution_id: str | None = None) -> Iterator[dict[str, Any]]:
    """Yield the usage and the work of one execution, or of all executions in a store, as JSON.

    The one with the newest checkpoint comes first; what LangGraph's tasks wrote is no execution. Numbers are those up
    to its newest checkpoint. `checkpoints` are those in the store; `started` and `latest` are milliseconds since 1970
    in UTC, of the oldest and the newest of them. `tools` counts calls by tool. A call failed if its success is false.
    """
    headers: dict[str, list[Header]] = {}
    for header in store.headers(Filter(execution_id=execution_id)):
        if header.is_of_writes and execution_id is None:
            continue
        headers.setdefault(header.execution_id, []).append(header)
    for name, those in headers.items():
        newest = those[0]
        held = [store.get(newest.id).snapshot]
        if held[0].is_partial:
            held = [*(store.get(one.id).snapshot for one in reversed(those[1:])), *held]
        thoughts = {thought.id for snapshot in held for thought in snapshot.thought_chain}
        calls = {call.id: call for snapshot in held for call in snapshot.tool_state.calls}.values()
        yield {
            "execution_id": name,
            "agent_id": newest.agent_id,
            "checkpoints": len(those),
            "started": those[-1].timestamp,
            "latest": newest.timestamp,
            "reason": newest.checkpoint_reason,
            "steps": newest.step_number,
            "tokens": newest.tokens_used,
            "duration_ms": newest.duration_ms,
            "thoughts": len(thoughts),
            "calls": len(calls),
            "failed_calls": sum(call.success is False for call in calls),
            "calls_in_flight": sum(call.is_in_flight for call in calls),
            "tools": dict(Counter(call.tool_id for call in calls if call.tool_id is not None).most_common()),
        }

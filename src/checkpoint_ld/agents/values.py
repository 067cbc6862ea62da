"""Values of agent checkpoints: their parts and headers, frozen, with all given members; their versions and text form.

Equal data gives equal texts, for hashes and for version control. The text form is UTF-8 with two spaces a level, no
needless escapes, and one line end at the end. Known members stand in a fixed order, then unknown ones by code point.
Inside JSON parts and unknown members, the given order is kept.
"""

from __future__ import annotations

import hashlib
import re
import sys
from dataclasses import dataclass
from operator import attrgetter, is_, itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple, Self, TypeVar

from annotated_types import Ge, Le, MinLen
from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr
from pydantic_core import core_schema

from checkpoint_ld.documents.text import Layout, dump_json
from checkpoint_ld.errors import SettingsError, UnsupportedVersion
from checkpoint_ld.frames import FrameLibrary, cell_of, data_frame
from checkpoint_ld.notebook import Rows
from checkpoint_ld.phrases import encodable, shown, unknown
from checkpoint_ld.rules import finding

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Tree = dict[str, Any]
"""An agent checkpoint as plain JSON, with unknown members and nulls as they were found."""
Shape = Literal["canonical", "second"]
"""The layout of an agent checkpoint in JSON."""
SHAPES: Final[tuple[Shape, ...]] = ("canonical", "second")
ExportShape = Literal["canonical", "second", "jsonld", "nquads", "turtle", "ntriples", "trig", "xml"]
"""The forms of an exported agent checkpoint: JSON of either shape, JSON-LD, and its graph in a syntax of RDF."""
EXTENSIONS: Final[Mapping[str, ExportShape]] = MappingProxyType(
    {
        ".json": "canonical",
        ".jsonld": "jsonld",
        ".nq": "nquads",
        ".nt": "ntriples",
        ".ttl": "turtle",
        ".n3": "turtle",
        ".trig": "trig",
        ".rdf": "xml",
    }
)
"""The forms of files by their extensions."""

NEWEST: Final = "0.0.1"
"""The version that is written."""
_NUMBERS = re.compile(r"\d{1,9}(?:\.\d{1,9})*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Migration:
    """One step from a version to the next.

    `migrate` is a pure function from a canonical tree to a new one. `summary` describes the change in one line.
    """

    old: str
    new: str
    summary: str
    migrate: Callable[[Tree], Tree]


MIGRATIONS: Final[list[Migration]] = []
"""The steps between released versions, in order. Every version that was ever released has a way to the newest."""


def released() -> tuple[str, ...]:
    """Return the versions that can be read, the oldest first."""
    return (*(step.old for step in MIGRATIONS), NEWEST)


def migrated(tree: Tree) -> Tree:
    """Return the same checkpoint in the newest version; `tree` is not changed.

    Raises UnsupportedVersion with the reason for a version that is missing, no text, newer than this package, or one
    that was never released.
    """
    version = checked_version(tree)
    for step in MIGRATIONS[released().index(version) :]:
        tree = {**step.migrate(tree), "version": step.new}
    return tree


def checked_version(tree: Tree) -> str:
    """Return the version that a checkpoint states, which is a released one. Raises UnsupportedVersion as `migrated`."""
    version = tree.get("version")
    if isinstance(version, str) and version in released():
        return version
    remedy = f"write the version that the file was made with, such as {shown(NEWEST)}"
    known = ", ".join(released())
    if "version" not in tree:
        message = "the checkpoint states no version"
    elif not isinstance(version, str):
        kind = "boolean" if isinstance(version, bool) else "number"
        is_scalar = isinstance(version, (bool, int, float))
        named = f"the {kind} {str(version).lower()}" if is_scalar else _KINDS[type(version)]
        message = f"the version is {named}, not a text"
    elif version.strip() in released():
        message, remedy = f"the version {shown(version)} has white space around it", f"write {shown(version.strip())}"
    elif not _NUMBERS.fullmatch(version):
        message = f"{shown(version)} is no version of the format; these are read: {known}"
    elif _numbers(version) > _numbers(NEWEST):
        message = f"version {shown(version)} is newer than {shown(NEWEST)}, the newest that can be read"
        remedy = "upgrade checkpoint-ld"
    else:
        message = f"there is no way from version {shown(version)} to {shown(NEWEST)}"
        remedy = f"write it anew with a program that knows it; these are read: {known}"
    raise UnsupportedVersion.of([finding("agent-version", message, pointer="/version", remedy=remedy)])


_KINDS = {type(None): "null", list: "an array", dict: "an object"}


def _numbers(version: str) -> list[int]:
    return [int(part) for part in re.sub(r"(\.0+)+$", "", version).split(".")]


def filled(tree: Tree) -> tuple[Tree, tuple[tuple[str, ...], ...]]:
    """Return a canonical tree with the members that have defaults, and the paths of those that were absent or null.

    `tree` is not changed. If the object that would hold a member is absent, nothing is added.
    """
    snapshot = tree.get("snapshot")
    if not isinstance(snapshot, dict):
        return tree, ()
    parts = {name: part for name, part in snapshot.items() if isinstance(part, dict)}
    thoughts, calls = snapshot.get("thought_chain"), parts.get("tool_state", {}).get("calls")
    needed: dict[str, dict[str, Any]] = {
        "context": {"variables": {}, "state": {}, "history": []},
        "tool_state": {"results": {}},
        "progress": {
            "total_thoughts": len(thoughts) if isinstance(thoughts, list) else None,
            "total_tool_calls": len(calls) if isinstance(calls, list) else None,
        },
    }
    missing = {
        part: {name: value for name, value in members.items() if value is not None and parts[part].get(name) is None}
        for part, members in needed.items()
        if part in parts
    }
    added = tuple(("snapshot", part, name) for part, members in missing.items() for name in members)
    completed = {part: {**parts[part], **members} for part, members in missing.items() if members}
    return {**tree, "snapshot": {**snapshot, **completed}} if added else tree, added


LONGEST_ID: Final = 1024
"""Characters that an identifier may have."""
LATEST_MS: Final = 253_402_300_799_999
"""The last millisecond of the year 9999, since 1970 in UTC."""
LARGEST_COUNT: Final = 2**53 - 1

THOUGHT_TYPES: Final = (
    *("planning", "reasoning", "tool_selection", "tool_execution", "reflection", "decision"),
    *("observation", "correction", "action"),
)
"""The known types of thoughts; others are kept."""
ENDS: Final[Mapping[str, Literal["completed", "failed", "paused"]]] = MappingProxyType(
    {"execution_completed": "completed", "execution_failed": "failed", "paused": "paused"}
)
"""How a run ended, by the reason for its last checkpoint."""
FINAL: Final = frozenset(ENDS) - {"paused"}
"""The reasons for the last checkpoint of an execution."""
COUNTERS: Final = ("step_number", "tokens_used", "duration_ms")
"""The members that the metadata of a checkpoint and the progress in its snapshot both have."""
STATUSES: Final = ("pending", "running", "completed", "failed", "cancelled")
"""The known statuses of a tool call."""


Text = Annotated[StrictStr, Field(min_length=0)]
"""Any text that has a form in UTF-8; pydantic looks at that where it counts characters."""
Id = Annotated[StrictStr, MinLen(1), Field(max_length=LONGEST_ID)]
"""Any text that is not empty, up to 1,024 characters."""
Milliseconds = Annotated[StrictInt, Ge(0), Le(LATEST_MS)]
"""Since 1970-01-01T00:00Z."""
Count = Annotated[StrictInt, Ge(0), Le(LARGEST_COUNT)]


@dataclass(frozen=True)
class _NumberFromZero:
    """Annotates a finite number that is not negative; 1 and 1.0 stay different. It is validated without Python."""

    most: int | None = None

    def __get_pydantic_core_schema__(self, *_: object) -> core_schema.CoreSchema:
        whole = core_schema.int_schema(strict=True, ge=0, le=self.most)
        other = core_schema.float_schema(strict=True, ge=0, le=self.most, allow_inf_nan=False)
        wanted = "a finite number that is not negative" if self.most is None else f"a number from 0 to {self.most}"
        return core_schema.custom_error_schema(
            core_schema.union_schema([whole, other]), "number", custom_error_message=f"Input should be {wanted}"
        )


Amount = Annotated[int | float, _NumberFromZero()]
Unit = Annotated[int | float, _NumberFromZero(1)]
Members = dict[str, Any]
"""A JSON object of any values."""
_NONE: Final[Mapping[str, Any]] = MappingProxyType({})


class Value(BaseModel):
    """A part of an agent checkpoint: frozen, compared by content, with all given members."""

    model_config = ConfigDict(frozen=True, extra="allow")

    def tree(self) -> Tree:
        """Return the value as JSON: the given members, known ones in their fixed order, then all others.

        The others are sorted by code point, as in the text form. JSON parts are not copied.
        """
        held, given = self.__dict__, self.__pydantic_fields_set__
        # Only members that may hold other values are converted; most are plain.
        tree = {
            name: _plain(held[name]) if isinstance(held[name], (Value, tuple)) else held[name]
            for name in self.__pydantic_fields__
            if name in given
        }
        if self.__pydantic_extra__:
            tree.update(sorted(self.__pydantic_extra__.items()))
        return tree

    def but(self, **changes: Any) -> Self:
        """Return the value with other members. Raises `pydantic.ValidationError` for members that it may not have."""
        return type(self).model_validate({**members_of(self), **changes})


def members_of(value: Value) -> dict[str, Any]:
    """Return the given members of a value."""
    return {**{name: getattr(value, name) for name in value.model_fields_set}, **(value.model_extra or {})}


def _plain(value: Any) -> Any:
    if isinstance(value, Value):
        return value.tree()
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


Kept = TypeVar("Kept")
_Part = TypeVar("_Part", bound=BaseModel)


class _SharedValue(Value):
    """A value that many snapshots share; its JSON is made once, and is not to be changed."""

    def tree(self) -> Tree:
        """Return the value as JSON, as `Value.tree`."""
        found: Tree | None = self.__dict__.get(_TREE)
        if found is None:
            found = self.__dict__[_TREE] = super().tree()
        return found

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy, with the members of `update`, which are not checked."""
        copied = super().model_copy(update=update, deep=deep)
        for name in _KEPT:
            copied.__dict__.pop(name, None)
        return copied


_TREE: Final = " tree"
"""The key of the JSON of a part among its values; no member is called so."""
TEXT: Final = " text"
"""The key of its text."""
CHECKED: Final = " checked"
"""The key of what was found when secrets were looked for."""
_KEPT: Final = (_TREE, TEXT, CHECKED)
_kept_with = attrgetter("__dict__")


def kept_with(parts: Sequence[_Part], key: str, make: Callable[[_Part], Kept]) -> list[Kept]:
    """Return what is kept under a key with each part; `make` makes and keeps it for those that lack it.

    Those are mostly the last ones, so that few steps are taken in Python however many parts there are.
    """
    for part in reversed(parts):
        if key in part.__dict__:
            break
        make(part)
    try:
        return [*map(itemgetter(key), map(_kept_with, parts))]
    except KeyError:
        return [part.__dict__[key] if key in part.__dict__ else make(part) for part in parts]


def kept_with_results(tools: SnapshotToolState, key: str, make: Callable[[str, Any], Kept]) -> list[Kept]:
    """Return what is kept under a key with each result of a call; `make` makes it for those that lack it.

    It is kept with the state of the tools, from which later ones are copied. A value that can be changed is not kept.
    """
    results = tools.results
    known: dict[str, tuple[Any, Kept]] = tools.__dict__.setdefault(key, {})
    for name in reversed(results):
        if name in known:
            break
        _keep(known, name, results[name], make)
    try:
        both = [*map(known.__getitem__, results)]
        if all(map(is_, map(itemgetter(0), both), results.values())):
            return [*map(itemgetter(1), both)]
    except KeyError:
        pass
    return [
        known[name][1] if name in known and known[name][0] is value else _keep(known, name, value, make)
        for name, value in results.items()
    ]


def _keep(known: dict[str, tuple[Any, Kept]], name: str, value: Any, make: Callable[[str, Any], Kept]) -> Kept:
    made = make(name, value)
    if not isinstance(value, (dict, list)) or type(value).__module__ == "checkpoint_ld.agents.changes":
        known[name] = value, made
    return made


class Thought(_SharedValue):
    """One thought. `confidence` is absent where it is unknown; `parent_id` need not be in the chain."""

    id: Id
    type: Text
    content: Text
    confidence: Unit | None = None
    parent_id: Id | None = None
    created_at: Milliseconds
    reasoning: Text | None = None
    alternatives: list[Any] | None = None
    children: tuple[Id, ...] | None = None
    metadata: Members | None = None


class ToolCall(_SharedValue):
    """One call of a tool; it is in flight as long as `success` is absent."""

    id: Id
    tool_id: Id | None = None
    args: Members | None = None
    success: StrictBool | None = None
    error: Text | None = None
    started_at: Milliseconds | None = None
    completed_at: Milliseconds | None = None
    status: Text | None = None
    duration_ms: Amount | None = None

    @property
    def is_in_flight(self) -> bool:
        """Whether the call has not ended; one that was cancelled has, without success."""
        return self.success is None


class SnapshotContext(Value):
    """The context of an agent: named variables, its state, the conversation, and its memory."""

    variables: Members
    state: Members
    history: list[Any]
    memory: list[Any] | None = None


class SnapshotToolState(Value):
    """The calls of tools in their order, and results by the ids of calls. An absent result is different from null."""

    calls: tuple[ToolCall, ...]
    results: Members
    last_tool_call_id: Id | None = None


class SnapshotProgress(Value):
    """The progress of the agent."""

    step_number: Count
    total_thoughts: Count
    total_tool_calls: Count
    total_steps_estimate: Count | None = None
    iterations_completed: Count | None = None
    tokens_used: Count | None = None
    duration_ms: Amount | None = None


SCHEMA_VERSION: Final = "schema_version"
"""The member of a snapshot that states the version of an agent's own variables."""
OF_FRAMEWORKS: Final = frozenset({"langgraph", "opentelemetry"})
"""The members with what a framework states beside the checkpoint, by the adapters that write them.

A snapshot with the first has the last messages of a long conversation only, one with the second only one of its runs.
"""


class Snapshot(Value):
    """The state of an agent at one instant."""

    thought_chain: tuple[Thought, ...]
    context: SnapshotContext
    tool_state: SnapshotToolState
    progress: SnapshotProgress
    current_step_id: Id | None = None

    @property
    def is_partial(self) -> bool:
        """Whether earlier checkpoints of the execution may hold thoughts and calls that this state lacks."""
        return not OF_FRAMEWORKS.isdisjoint(self.model_extra or ())

    def to_dataframe(self, table: str = "calls", *, library: FrameLibrary = "pandas") -> Any:
        """Return the calls of tools, or the thoughts, as `AgentCheckpoint.to_dataframe` does."""
        if table not in ("calls", "thoughts"):
            raise SettingsError(unknown("table", table, ("calls", "thoughts")))
        model = ToolCall if table == "calls" else Thought
        held = self.tool_state.calls if table == "calls" else self.thought_chain
        results = self.tool_state.results
        columns = [*model.model_fields, *(["result"] if table == "calls" else [])]
        rows = [{**one.model_dump(mode="json"), "result": results.get(one.id)} for one in held]
        return data_frame({name: [cell_of(row.get(name)) for row in rows] for name in columns}, library)

    def tables(self) -> list[Rows]:
        """Return the thoughts and the calls as tables for a notebook."""
        thoughts = ((thought.type, thought.content, thought.confidence) for thought in self.thought_chain)
        calls = ((call.tool_id, call.args, call.status, call.error) for call in self.tool_state.calls)
        return [
            Rows("Thoughts", ("type", "thought", "confidence"), thoughts, len(self.thought_chain)),
            Rows("Calls", ("tool", "arguments", "status", "error"), calls, len(self.tool_state.calls)),
        ]


def snapshot_of(
    thoughts: tuple[Thought, ...] = (),
    calls: tuple[ToolCall, ...] = (),
    results: Mapping[str, Any] = _NONE,
    variables: Mapping[str, Any] = _NONE,
    counts: Mapping[str, int] = MappingProxyType({"step_number": 0}),
    **more: Any,
) -> Snapshot:
    """Return a snapshot whose current step is the last thought.

    `counts` are steps, tokens and duration, `more` other members.
    """
    totals = {"total_thoughts": len(thoughts), "total_tool_calls": len(calls)}
    return Snapshot(
        thought_chain=thoughts,
        context=SnapshotContext(variables={**variables}, state={}, history=[]),
        tool_state=SnapshotToolState(calls=calls, results={**results}),
        progress=SnapshotProgress(**counts, **totals),
        **({"current_step_id": thoughts[-1].id} if thoughts else {}),
        **more,
    )


class CheckpointMetadata(Value):
    """The metadata of a checkpoint: its step, its usage of tokens and time, and its reason."""

    step_number: Count
    tokens_used: Count
    duration_ms: Amount
    checkpoint_reason: Annotated[Text, MinLen(1)]
    total_steps_estimate: Count | None = None
    agent_name: Text | None = None
    agent_id: Id | None = None


class ParentLink(Value):
    """The checkpoint that this one continues from."""

    checkpoint_id: Id
    is_branch: StrictBool | None = None
    branch_reason: Text | None = None


class About(Value):
    """The question of a benchmark that an agent worked on: `@id`s as in the benchmark's file, and its version."""

    benchmark: Text | None = None
    question: Text | None = None
    benchmark_version: Text | None = None
    benchmark_sha256: Text | None = None
    replicate: Count | None = None


class Heading(Value):
    """The members of an agent checkpoint that a header is made from, with a snapshot of any content."""

    version: Text
    id: Id
    timestamp: Milliseconds
    execution_id: Id
    agent_id: Id
    snapshot: Any = None
    metadata: CheckpointMetadata
    parent: ParentLink | None = None
    name: Text | None = None
    description: Text | None = None
    about: About | None = None


WRITES: Final = " (writes)"
"""The suffix of the execution with the writes of a thread of LangGraph; the thread's own has whole states only."""
_PARTS_OF_WRITES: Final = 4
"""The slashes in the id of such a checkpoint."""
Key = tuple[int, int, str]
"""The order of checkpoints: timestamp, step number, id."""


@dataclass(frozen=True, slots=True)
class AgentHeader:
    """The header of an agent checkpoint.

    `timestamp` is in milliseconds since 1970 in UTC, `duration_ms` in milliseconds. Absent values are None. `sha256` is
    the hash of the text form in hexadecimal digits; it is None from a store that would have to read the whole
    checkpoint for it.
    """

    id: str
    version: str
    timestamp: int
    execution_id: str
    agent_id: str
    step_number: int
    tokens_used: int
    duration_ms: float
    checkpoint_reason: str
    parent_checkpoint_id: str | None = None
    is_branch: bool = False
    branch_reason: str | None = None
    name: str | None = None
    description: str | None = None
    about_benchmark: str | None = None
    about_question: str | None = None
    sha256: str | None = None

    @property
    def key(self) -> Key:
        """The sort key of the checkpoint; as a cursor, the place after it."""
        return self.timestamp, self.step_number, self.id

    @property
    def is_of_writes(self) -> bool:
        """Whether it has writes of a task of LangGraph, which are kept beside the states of its thread."""
        return self.execution_id.endswith(WRITES) and self.id.count("/") == _PARTS_OF_WRITES

    @property
    def is_final(self) -> bool:
        """Whether it is the last one of a run that was completed or failed."""
        return self.checkpoint_reason in FINAL

    @classmethod
    def of(cls, heading: Heading, sha256: str | None = None) -> Self:
        """Return the header of a checkpoint; a hash is not computed."""
        metadata, parent, about = heading.metadata, heading.parent, heading.about
        return cls(
            id=heading.id,
            version=heading.version,
            timestamp=heading.timestamp,
            execution_id=heading.execution_id,
            agent_id=heading.agent_id,
            step_number=metadata.step_number,
            tokens_used=metadata.tokens_used,
            duration_ms=real(metadata.duration_ms),
            checkpoint_reason=metadata.checkpoint_reason,
            parent_checkpoint_id=parent.checkpoint_id if parent else None,
            is_branch=bool(parent and parent.is_branch),
            branch_reason=parent.branch_reason if parent else None,
            name=heading.name,
            description=heading.description,
            about_benchmark=about.benchmark if about else None,
            about_question=about.question if about else None,
            sha256=sha256,
        )

    @classmethod
    def of_members(cls, members: Mapping[Any, Any]) -> Self:
        """Return the header with these members, as a store holds them."""
        known = {name: members[name] for name in cls.__slots__}
        return cls(**{**known, "is_branch": bool(known["is_branch"]), "duration_ms": real(known["duration_ms"])})


def id_of(text: str) -> str:
    """Return a text as an id: without halves of surrogate pairs, and cut to the greatest length."""
    return encodable(text)[:LONGEST_ID]


def real(number: float) -> float:
    """Return a number as a float, the nearest one for integers that are too large."""
    try:
        return float(number)
    except OverflowError:
        return sys.float_info.max


ROOT: Final = (*Heading.model_fields, "diff")
"""The known members of the root, in their order."""
BEFORE_SNAPSHOT, AFTER_SNAPSHOT = ROOT[: ROOT.index("snapshot")], ROOT[ROOT.index("snapshot") + 1 :]


class _Order(NamedTuple):
    """The order of an object's members, and of those of the objects, or arrays of objects, inside it."""

    names: tuple[str, ...]
    inside: Mapping[str, _Order] = {}


def _of(value: type[Value], **inside: _Order) -> _Order:
    return _Order(tuple(value.model_fields), inside)


_SHARED = {"metadata": _of(CheckpointMetadata), "parent": _of(ParentLink), "about": _of(About)}
_SNAPSHOT = _of(
    Snapshot,
    thought_chain=_of(Thought),
    context=_of(SnapshotContext),
    tool_state=_of(SnapshotToolState, calls=_of(ToolCall)),
    progress=_of(SnapshotProgress),
)
_STEP = _Order(
    (
        *("id", "type", "content", "reasoning", "confidence"),
        *("parent_id", "children", "timestamp", "alternatives", "metadata"),
    )
)
_CALL = _Order(("id", "tool_id", "arguments", "status", "result", "error", "duration_ms", "timestamp"))
_SECOND_SNAPSHOT = _Order(
    ("thought_chain", "context", "tool_state", "progress"),
    {
        "thought_chain": _Order(("current_step_id", "steps"), {"steps": _STEP}),
        "context": _Order(("messages", "variables", "memory")),
        "tool_state": _Order(
            ("last_tool_call_id", "pending", "running", "completed", "failed"), {"completed": _CALL, "failed": _CALL}
        ),
        "progress": _Order(
            ("step_number", "total_steps_estimate", "iterations_completed", "tokens_used", "duration_ms")
        ),
    },
)
_ORDERS: dict[Shape, _Order] = {
    "canonical": _Order(ROOT, {**_SHARED, "snapshot": _SNAPSHOT}),
    "second": _Order((*ROOT, "canonical_patch"), {**_SHARED, "snapshot": _SECOND_SNAPSHOT}),
}


def ordered(tree: Mapping[str, Any], shape: Shape = "canonical") -> Tree:
    """Return a checkpoint of that shape with all members in the order of the text form; JSON parts are not copied."""
    return _arranged(tree, _ORDERS[shape])  # type: ignore[no-any-return]


def _arranged(value: Any, order: _Order) -> Any:
    if isinstance(value, (list, tuple)):
        return [_arranged(item, order) for item in value]
    if not isinstance(value, dict):
        return value
    members = {name: value[name] for name in order.names if name in value}
    for name, inner in order.inside.items():
        if name in members:
            members[name] = _arranged(members[name], inner)
    if len(members) < len(value):
        members.update((name, value[name]) for name in sorted(value.keys() - members.keys()))
    return members


def bytes_of(tree: Mapping[str, Any], shape: Shape = "canonical") -> bytes:
    """Return the text form in UTF-8. Raises WriteError for what is no JSON, such as NaN."""
    return bytes_of_ordered(ordered(tree, shape))


def bytes_of_ordered(tree: Mapping[str, Any]) -> bytes:
    """Return the text form, in UTF-8, of a tree whose members stand in order already. Raises as `bytes_of`."""
    return dump_json(tree, Layout(end="\n"))


def sha256_of(tree: Mapping[str, Any]) -> str:
    """Return the hash of a canonical tree: SHA-256 of its text form in UTF-8, in hexadecimal digits."""
    return hashlib.sha256(bytes_of(tree)).hexdigest()

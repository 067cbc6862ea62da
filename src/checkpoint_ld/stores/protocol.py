"""The interface of every store of agent checkpoints, and filters that select and order checkpoints.

A filter consists of conditions on members of headers and on facts about snapshots. This module evaluates them in
Python; `tables` and `graphs` translate the same conditions to SQL and SPARQL.
"""

from __future__ import annotations

import errno
import math
import operator
import os
from bisect import bisect_left
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, Self, TypeAlias, runtime_checkable

from checkpoint_ld.agents import values
from checkpoint_ld.documents.files import no_path
from checkpoint_ld.documents.values import ABSENT, Absent
from checkpoint_ld.errors import CheckpointExists, CheckpointNotFound, SettingsError
from checkpoint_ld.phrases import unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from checkpoint_ld.agents.checkpoint import AgentCheckpoint
    from checkpoint_ld.findings import Finding


Order = Literal["newest", "oldest"]
_LARGEST = 2**63 - 1
"""The range of integers that a database can compare."""


Heading = values.Heading
Header = values.AgentHeader
Key = values.Key


def header_of(checkpoint: AgentCheckpoint) -> Header:
    """Return the header of a checkpoint, with its hash."""
    return Header.of(checkpoint, checkpoint.sha256)


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts about a snapshot for filters: the tools that were called, whether a call failed, the lowest confidence.

    A call failed if its success is false, including cancelled calls. The confidence is None if no thought states one.
    """

    tools: frozenset[str]
    failed: bool
    confidence: float | None

    @classmethod
    def of(cls, snapshot: Mapping[str, Any]) -> Self:
        """Return the facts about a snapshot, given as canonical JSON."""
        calls = snapshot["tool_state"]["calls"]
        stated = [thought.get("confidence") for thought in snapshot["thought_chain"]]
        return cls(
            tools=frozenset(call["tool_id"] for call in calls if call.get("tool_id") is not None),
            failed=any(call.get("success") is False for call in calls),
            confidence=min((confidence for confidence in stated if confidence is not None), default=None),
        )


_EQUAL = {
    "execution_id": "execution_id",
    "agent_id": "agent_id",
    "reason": "checkpoint_reason",
    "name": "name",
    "question": "about_question",
    "benchmark": "about_benchmark",
    "branch_of": "parent_checkpoint_id",
}
"""The members of a filter that must equal a member of the header, with the name of the latter."""
Condition: TypeAlias = "tuple[str, Callable[[Any, Any], Any], Any]"
"""The name of a member of a header, the comparison, and the value to compare it with."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Selects the checkpoints that match all given members.

    `since` and `until` are milliseconds since 1970 in UTC, `since` inclusive, `until` exclusive. `tool` is the id of a
    called tool. `failed` is whether a call failed. A thought matches `confidence_below` if its stated confidence is
    lower. `question` and `benchmark` are those of `about`. `reason` and `name` are compared whole. `branch_of` is the
    parent of branches. `order` is by timestamp, step number and id. `cursor` is the key of the last header that was
    read, `limit` the greatest number of headers. Raises SettingsError for invalid values.
    """

    execution_id: str | None = None
    agent_id: str | None = None
    reason: str | None = None
    since: int | None = None
    until: int | None = None
    name: str | None = None
    tool: str | None = None
    failed: bool | None = None
    confidence_below: float | None = None
    question: str | None = None
    benchmark: str | None = None
    branch_of: str | None = None
    limit: int | None = None
    cursor: Key | None = None
    order: Order = "newest"
    conditions: tuple[Condition, ...] = field(init=False, repr=False, compare=False)
    """The conditions on a header."""

    def __post_init__(self) -> None:
        if self.order not in ("newest", "oldest"):
            raise SettingsError(unknown("order", self.order, ("newest", "oldest")))
        if self.limit is not None and self.limit < 0:
            raise SettingsError(f"the limit {self.limit} is negative: give 0 or more, or none")
        if self.cursor is not None:
            object.__setattr__(self, "cursor", tuple(self.cursor))
            if list(map(type, self.cursor)) != [int, int, str]:
                message = (
                    f"the cursor {self.cursor!r} is none: give the timestamp, step number and id of the last header"
                )
                raise SettingsError(message)
        if self.confidence_below is not None and math.isnan(values.real(self.confidence_below)):
            raise SettingsError("confidence_below is nan: give a number")
        for given in (self.since, self.until, *(self.cursor or ())[:2]):
            if given is not None and not -_LARGEST <= given <= _LARGEST:
                raise SettingsError(f"{given} is no time in milliseconds, and no step")
        for member, name in {**_EQUAL, "tool": "tool"}.items():
            text = getattr(self, member) or ""
            if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
                raise SettingsError(f"{name} {text!r} holds half a surrogate pair, which no checkpoint does")
        given = (
            *((name, operator.eq, getattr(self, member)) for member, name in _EQUAL.items()),
            ("is_branch", operator.eq, None if self.branch_of is None else 1),
            ("timestamp", operator.ge, self.since),
            ("timestamp", operator.lt, self.until),
            ("key", operator.lt if self.order == "newest" else operator.gt, self.cursor),
        )
        object.__setattr__(self, "conditions", tuple(condition for condition in given if condition[2] is not None))

    @property
    def needs_facts(self) -> bool:
        """Whether the filter has conditions on facts about snapshots."""
        return self.tool is not None or self.failed is not None or self.confidence_below is not None

    def matches(self, checkpoint: AgentCheckpoint) -> bool:
        """Return whether the checkpoint matches, regardless of order and limit."""
        return self.admits(header_of(checkpoint)) and (
            not self.needs_facts or self.admits_facts(Facts.of(checkpoint.snapshot.tree()))
        )

    def admits(self, header: Header) -> bool:
        """Return whether the header of a checkpoint matches."""
        return all(compare(getattr(header, name), value) for name, compare, value in self.conditions)

    def admits_facts(self, facts: Facts) -> bool:
        """Return whether the facts about a snapshot match."""
        lowest = facts.confidence
        return (
            (self.tool is None or self.tool in facts.tools)
            and (self.failed is None or self.failed == facts.failed)
            and (self.confidence_below is None or (lowest is not None and lowest < self.confidence_below))
        )

    def arranged(self, headers: Iterable[Header]) -> list[Header]:
        """Return matching headers in the order of the filter, up to the limit."""
        found = sorted(headers, key=lambda header: header.key, reverse=self.order == "newest")
        return found[: self.limit]


CAPABILITIES: Final = frozenset({"put", "get", "list", "update", "delete", "verify"})
"""The capabilities that every store should have; a store lists its own in `capabilities`."""
RESET: Final = "reset"
"""The capability of a store that can be made again from files: its `reset()` empties it in any state."""
EVERYTHING: Final = Filter()
NEIGHBOURS: Final = 50
"""The number of ids before and after a missing one that are compared with it; similar ids often begin alike."""


@dataclass(frozen=True, slots=True)
class Put:
    """The result of putting a checkpoint into a store.

    `path` is that of its file, None in stores without files. `created` is false if the store had an equal checkpoint.
    """

    path: Path | None
    created: bool


@runtime_checkable
class CheckpointStore(Protocol):
    """Keeps agent checkpoints by their ids. A failed operation never leaves a part of a checkpoint.

    Several threads and several processes may use a store at the same time. Errors are subclasses of `StoreError`;
    `StoreFull` and `StoreBusyError` leave the store unchanged.
    """

    @property
    def capabilities(self) -> frozenset[str]:
        """The CAPABILITIES that the store has."""

    def put(
        self, checkpoint: AgentCheckpoint, *, file_name: str | None = None, source_sha256: str | None = None
    ) -> Put:
        """Keep a checkpoint; nothing is done if the store has an equal one.

        `file_name` is that of the checkpoint in the folder that the store follows, `source_sha256` the hash of the
        foreign file that it was imported from; some stores ignore them. Raises CheckpointExists if the id has other
        content.
        """

    def get(self, checkpoint_id: str, /) -> AgentCheckpoint:
        """Return the checkpoint, as it was put. Raises CheckpointNotFound, whose message has similar ids."""

    def headers(self, wanted: Filter = EVERYTHING, /) -> Iterator[Header]:
        """Yield the headers of all matching checkpoints, in the order of the filter.

        Checkpoints that cannot be read are left out; `verify` reports them.
        """

    def update_metadata(
        self,
        checkpoint_id: str,
        /,
        *,
        name: str | Absent | None = ABSENT,
        description: str | Absent | None = ABSENT,
        metadata: Mapping[str, Any] | Absent = ABSENT,
    ) -> AgentCheckpoint:
        """Change name, description or metadata of a checkpoint, and return it: see `amended`."""

    def delete(self, checkpoint_id: str, /) -> bool:
        """Delete a checkpoint; return whether it existed."""

    def verify(self, *, repair: bool = False) -> Iterator[Finding]:
        """Yield findings about the store. `repair` corrects the faults that it can without changing a checkpoint."""

    def close(self) -> None:
        """Close the files and connections of the store; it may be used again."""


def amended(
    checkpoint: AgentCheckpoint,
    *,
    name: str | Absent | None = ABSENT,
    description: str | Absent | None = ABSENT,
    metadata: Mapping[str, Any] | Absent = ABSENT,
) -> AgentCheckpoint:
    """Return the checkpoint with another name, description or other metadata; its snapshot is the same.

    No other changes of a stored checkpoint are possible. ABSENT leaves a member unchanged; None removes it. The members
    of `metadata` replace existing ones of the same name. Raises InvalidCheckpoint for invalid values.
    """
    tree = {**checkpoint.tree()}
    changed = [(tree, {"name": name, "description": description})]
    if not isinstance(metadata, Absent):
        tree["metadata"] = {**tree["metadata"]}
        changed.append((tree["metadata"], dict(metadata)))
    for members, changes in changed:
        for key, value in changes.items():
            if value is None:
                members.pop(key, None)
            elif value is not ABSENT:
                members[key] = value
    return type(checkpoint).of_tree(tree)


def other_content(where: Path | str, checkpoint: AgentCheckpoint, held: str) -> CheckpointExists:
    """Return the error for an id that has other content, with the hash `held`, in the store `where`."""
    return CheckpointExists(
        f"{where}: holds {checkpoint.id!r} already with other content: "
        f"its hash is {held}, that of the new one {checkpoint.sha256}"
    )


def not_found(checkpoint_id: str, ids: Iterable[str], where: str) -> CheckpointNotFound:
    """Return the error for an id that is not in the store `where`, with similar ones of its `ids`."""
    known = sorted(ids)
    at = bisect_left(known, checkpoint_id)
    near = known[max(0, at - NEIGHBOURS) : at + NEIGHBOURS]
    otherwise = "list shows those that are there" if near else "the store is empty"
    return CheckpointNotFound(f"{where}: {unknown('checkpoint', checkpoint_id, near, otherwise)}")


def store_path(given: str | os.PathLike[str], *, is_folder: bool) -> Path:
    """Return the path of a store in a folder or in a file, which need not exist.

    Raises SettingsError for a text that is no path, and for a file instead of a folder or the reverse.
    """
    wanted, other = ("folder", "file") if is_folder else ("file", "folder")
    path = path_of(given, wanted)
    with suppress(OSError):  # using the store reports the error
        if path.exists() and path.is_dir() is not is_folder:
            raise SettingsError(f"{path} is a {other}, not a {wanted}: give another path")
    return path


def path_of(given: str | os.PathLike[str], wanted: str = "folder") -> Path:
    """Return a text as the path of a `wanted`, a file or a folder. Raises SettingsError for a text that is no path."""
    text = os.fspath(given)
    if "://" in text:  # which may hold a password
        raise SettingsError(f"a URL of this kind is no path of a {wanted}: give a path")
    try:
        os.lstat(text)
    except ValueError:  # U+0000, or half a surrogate pair
        is_path = False
    except OSError as error:
        is_path = bool(text) and error.errno != errno.ENAMETOOLONG
    else:
        is_path = True
    if not is_path:
        raise no_path(text, wanted)
    return Path(text)

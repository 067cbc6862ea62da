"""Filters: which checkpoints of a store are meant. Every store has to agree with what they say here in plain Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

from checkpoint_ld.arguments import CheckedMethods
from checkpoint_ld.errors import SettingsError
from checkpoint_ld.stores.header import Header, Key, header_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from checkpoint_ld.agent.checkpoint import AgentCheckpoint

Order = Literal["newest", "oldest"]

_LARGEST = 2**63 - 1
"""What a database can compare a time or a step with."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What filters ask about a snapshot: the tools that were called, whether a call failed, the lowest confidence.

    A call failed when its success is false, be it that it was cancelled. The confidence is None where none is stated.
    """

    tools: frozenset[str]
    failed: bool
    confidence: float | None

    @classmethod
    def of(cls, snapshot: Mapping[str, Any]) -> Self:
        """Return what there is to know about a snapshot, given as canonical JSON."""
        calls = snapshot["tool_state"]["calls"]
        stated = [one.get("confidence") for one in snapshot["thought_chain"]]
        return cls(
            tools=frozenset(one["tool_id"] for one in calls if one.get("tool_id") is not None),
            failed=any(one.get("success") is False for one in calls),
            confidence=min((one for one in stated if one is not None), default=None),
        )


@dataclass(frozen=True, slots=True)
class Filter(CheckedMethods):
    """Which checkpoints are meant: those that fit everything that is given.

    `since` and `until` are milliseconds since 1970 in UTC; `since` is the first that fits, `until` the first that does
    not. `tool` is the id of a tool that was called; `failed` asks for a failed call, or for none. A thought fits
    `confidence_below` if its confidence is stated and lower. `question` and `benchmark` are those of `about`, `reason`
    and `name` are compared whole. `branch_of` is the checkpoint that branches go on from. Then come the `order` by
    timestamp, step number and id, the `cursor`, which is the key of the last header that was seen, and the `limit`.
    Raises SettingsError for values that make no sense.
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

    def __post_init__(self) -> None:
        if self.order not in ("newest", "oldest"):
            raise SettingsError(f"there is no order {self.order!r}: use newest or oldest")
        if self.limit is not None and self.limit < 0:
            raise SettingsError(f"the limit {self.limit} is negative: give 0 or more, or none")
        if self.cursor is not None:
            object.__setattr__(self, "cursor", _key(self.cursor))
        for given in (self.since, self.until, *(self.cursor or ())[:2]):
            if given is not None and not -_LARGEST <= given <= _LARGEST:
                raise SettingsError(f"{given} is no time in milliseconds, and no step")
        for name, text in {**self.texts, "tool": self.tool or ""}.items():
            _check_text(name, text)

    @property
    def texts(self) -> Mapping[str, str]:
        """The names in headers of what has to be equal, with what it has to be equal to."""
        asked = {
            "execution_id": self.execution_id,
            "agent_id": self.agent_id,
            "checkpoint_reason": self.reason,
            "name": self.name,
            "about_question": self.question,
            "about_benchmark": self.benchmark,
            "parent_checkpoint_id": self.branch_of,
        }
        return {name: text for name, text in asked.items() if text is not None}

    @property
    def asks_for_facts(self) -> bool:
        """Whether a header is not enough to answer."""
        return self.tool is not None or self.failed is not None or self.confidence_below is not None

    def matches(self, checkpoint: AgentCheckpoint) -> bool:
        """Tell whether the checkpoint is one that is meant; order and limit are no part of that."""
        return self.admits(header_of(checkpoint)) and (
            not self.asks_for_facts or self.admits_facts(Facts.of(checkpoint.snapshot.tree()))
        )

    def admits(self, header: Header) -> bool:
        """Tell whether the header of a checkpoint fits."""
        return (
            all(getattr(header, name) == text for name, text in self.texts.items())
            and (self.branch_of is None or header.is_branch)
            and (self.since is None or header.timestamp >= self.since)
            and (self.until is None or header.timestamp < self.until)
            and (self.cursor is None or self._is_after(header.key, self.cursor))
        )

    def admits_facts(self, facts: Facts) -> bool:
        """Tell whether what is known about a snapshot fits."""
        return (
            (self.tool is None or self.tool in facts.tools)
            and (self.failed is None or self.failed == facts.failed)
            and (
                self.confidence_below is None
                or (facts.confidence is not None and facts.confidence < self.confidence_below)
            )
        )

    def arranged(self, headers: Iterable[Header]) -> list[Header]:
        """Return the headers of all that fit in the order that is asked for, no more of them than the limit."""
        found = sorted(headers, key=lambda header: header.key, reverse=self.order == "newest")
        return found[: self.limit]

    def _is_after(self, key: Key, cursor: Key) -> bool:
        return key < cursor if self.order == "newest" else key > cursor


def _key(given: Iterable[Any]) -> Key:
    parts = tuple(given)
    if list(map(type, parts)) != [int, int, str]:
        raise SettingsError(f"the cursor {parts!r} is none: give the timestamp, step number and id of the last header")
    return parts


def _check_text(name: str, text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise SettingsError(f"{name} {text!r} holds half a surrogate pair, which no checkpoint does") from None

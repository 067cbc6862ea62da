"""The ids of LangGraph's checkpoints as those of agent checkpoints, and the moments in them."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Final, NamedTuple, Self
from uuid import UUID

from checkpoint_ld.agents.values import LATEST_MS, LONGEST_ID, WRITES
from checkpoint_ld.errors import SettingsError

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

_GREGORIAN: Final = 0x01B21DD213814000
"""The time from 1582-10-15, where ids of version 6 count from, to 1970, in 100 nanoseconds."""


class ThreadAddress(NamedTuple):
    """The address of a checkpoint or write: the parts of its id. Only writes have a `task_id` and a `number`."""

    checkpoint_id: str
    thread_id: str
    checkpoint_ns: str
    task_id: str = ""
    number: str = ""

    @property
    def id(self) -> str:
        """The id of the agent checkpoint. Raises SettingsError if it would be too long."""
        parts = self if self.number else self[:3]
        found = "/".join(part.replace("%", "%25").replace("/", "%2F") for part in parts)
        if len(found) > LONGEST_ID:
            raise SettingsError(f"the ids of thread {self.thread_id[:40]!r}… are too long: shorten the thread_id")
        return found

    @property
    def execution_id(self) -> str:
        """The execution of the agent checkpoint."""
        return self.thread_id + WRITES if self.number else self.thread_id

    @property
    def config(self) -> RunnableConfig:
        """The address as a config of LangGraph."""
        return {
            "configurable": {
                "thread_id": self.thread_id,
                "checkpoint_ns": self.checkpoint_ns,
                "checkpoint_id": self.checkpoint_id,
            }
        }

    @classmethod
    def of_id(cls, id: str) -> Self | None:
        """Return the address that `id` was made from; None for any other id."""
        parts = id.split("/")
        if "%" in id:
            parts = [part.replace("%2F", "/").replace("%25", "%") for part in parts]
        return cls(*parts) if len(parts) in (3, 5) else None

    @classmethod
    def of_config(cls, config: RunnableConfig, checkpoint_id: str | None = None) -> Self:
        """Return the address in a config; an empty id means the newest checkpoint. Raises SettingsError."""
        given = config.get("configurable", {})
        if given.get("thread_id") in (None, ""):
            raise SettingsError('the config names no thread: give {"configurable": {"thread_id": "…"}}')
        return cls(
            checkpoint_id or given.get("checkpoint_id") or "",
            str(given["thread_id"]),
            given.get("checkpoint_ns") or "",
        )


def moment_of(checkpoint_id: str) -> int | None:
    """Return the millisecond before an id of version 6 (RFC 9562 §5.6), as LangGraph's are, was made."""
    with suppress(ValueError):
        found = UUID(checkpoint_id)
        if found.version == 6:
            ticks = (found.int >> 80) << 12 | (found.int >> 64) & 0xFFF
            return min(max((ticks - _GREGORIAN) // 10_000 - 1, 0), LATEST_MS) or None
    return None


def milliseconds_of(timestamp: object) -> int | None:
    """Return the milliseconds since 1970 of a text in ISO 8601, None for anything else."""
    try:
        return max(int(datetime.fromisoformat(str(timestamp)).timestamp() * 1000), 0)
    except (ValueError, OverflowError):
        return None

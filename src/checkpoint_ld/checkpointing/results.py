"""What the operations of a manager return, and statistics of executions from the newest checkpoint of each."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from checkpoint_ld.stores.protocol import Filter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from checkpoint_ld.agent.checkpoint import AgentCheckpoint
    from checkpoint_ld.agent.values import ToolCall
    from checkpoint_ld.errors import CheckpointLdError
    from checkpoint_ld.findings import Finding
    from checkpoint_ld.runtime.state import RuntimeState
    from checkpoint_ld.stores.protocol import CheckpointStore, Header


@dataclass(frozen=True, slots=True)
class ExecutionStatistics:
    """What one execution used and did up to its newest checkpoint.

    `checkpoints` are those in the store; `started` and `latest` are milliseconds since 1970 in UTC, of the oldest and
    the newest of them. `tools` counts calls by tool. A call failed when its success is false.
    """

    execution_id: str
    agent_id: str
    checkpoints: int
    started: int
    latest: int
    reason: str
    steps: int
    tokens: int
    duration_ms: float
    thoughts: int
    calls: int
    failed_calls: int
    calls_in_flight: int
    tools: Mapping[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Return the statistics as a JSON object."""
        return asdict(self)


def statistics(store: CheckpointStore, execution_id: str | None = None) -> Iterator[ExecutionStatistics]:
    """Yield the statistics of one execution or of all in a store, the one with the newest checkpoint first."""
    newest: dict[str, Header] = {}
    oldest: dict[str, Header] = {}
    counted: Counter[str] = Counter()
    for header in store.headers(Filter(execution_id=execution_id)):
        newest.setdefault(header.execution_id, header)
        oldest[header.execution_id] = header
        counted[header.execution_id] += 1
    for name, header in newest.items():
        snapshot = store.get(header.id).snapshot
        calls = snapshot.tool_state.calls
        yield ExecutionStatistics(
            execution_id=name,
            agent_id=header.agent_id,
            checkpoints=counted[name],
            started=oldest[name].timestamp,
            latest=header.timestamp,
            reason=header.checkpoint_reason,
            steps=header.step_number,
            tokens=header.tokens_used,
            duration_ms=header.duration_ms,
            thoughts=len(snapshot.thought_chain),
            calls=len(calls),
            failed_calls=sum(call.success is False for call in calls),
            calls_in_flight=sum(call.is_in_flight for call in calls),
            tools=dict(Counter(call.tool_id for call in calls if call.tool_id is not None).most_common()),
        )


@dataclass(frozen=True)
class Saved:
    """A checkpoint that is kept in all stores.

    `path` is that of its file, None where there are no files. `created` is false if an equal one was there already.
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
        """What is odd about the checkpoint; it is looked for when somebody asks, which saving need not wait for."""
        return self.checkpoint.validate().findings


@dataclass(frozen=True, slots=True)
class Restored:
    """A state that goes on from a checkpoint.

    `interrupted` are the calls that had not ended then. They are in the state as they were: cancel, fail or repeat each
    of them. `findings` say where the checkpoint was taken from, if not from where it should have been, and what was odd
    about the form of a source from elsewhere.
    """

    state: RuntimeState
    checkpoint: AgentCheckpoint
    interrupted: tuple[ToolCall, ...]
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """A state to work on, and what it was restored from, which is None where it begins empty."""

    state: RuntimeState
    restored: Restored | None = None

    @property
    def interrupted(self) -> tuple[ToolCall, ...]:
        """The calls that had not ended when the run was cut off: cancel, fail or repeat each of them."""
        return () if self.restored is None else self.restored.interrupted


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of one source: the header of the checkpoint that is kept now, or the error that says why it is not.

    `created` is false if an equal one was there already. `source` is the path of a file, None for anything else.
    `findings` say what was odd about the form in which it came.
    """

    source: Path | None
    checkpoint: Header | None
    created: bool = False
    findings: tuple[Finding, ...] = ()
    error: CheckpointLdError | None = None

"""Statistics: what executions used and did, from the newest checkpoint of each."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from checkpoint_ld.stores.protocol import Filter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
        yield _of_execution(store, header, counted[name], oldest[name].timestamp)


def _of_execution(store: CheckpointStore, header: Header, checkpoints: int, started: int) -> ExecutionStatistics:
    snapshot = store.get(header.id).snapshot
    calls = snapshot.tool_state.calls
    return ExecutionStatistics(
        execution_id=header.execution_id,
        agent_id=header.agent_id,
        checkpoints=checkpoints,
        started=started,
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

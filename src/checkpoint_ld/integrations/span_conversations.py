"""Conversations of agents in spans: what was seen in earlier runs is not said again, in this process or another one."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter, OrderedDict, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

from checkpoint_ld.agents.values import AgentHeader
from checkpoint_ld.documents.values import ABSENT
from checkpoint_ld.errors import CheckpointNotFound
from checkpoint_ld.integrations.span_calls import CallLedger, SpanCall
from checkpoint_ld.integrations.spans import MEMBER, Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence, Set

    from checkpoint_ld.agents.checkpoint import AgentCheckpoint
    from checkpoint_ld.agents.values import Snapshot, ToolCall
    from checkpoint_ld.checkpointing.manager import CheckpointManager
    from checkpoint_ld.integrations.span_messages import SpanMessage

_MOST_RUNS: Final = 16
"""The latest runs of an agent that are looked at, where no span names the conversation."""
_MOST: Final = 64
"""The conversations whose state is held between traces; others are read from the store again."""


class RunOfSpans(Protocol):
    """A run that belongs to a conversation."""

    id: str
    execution_id: str
    start: int

    @property
    def agent_id(self) -> str:
        """The agent that runs."""


@dataclass(slots=True)
class ConversationState:
    """What is known of a conversation after a checkpoint: how often each message was seen, the last one, the calls."""

    checkpoint_id: str | None = None
    seen: Counter[str] = field(default_factory=Counter)
    last: str = ""
    ledger: CallLedger = field(default_factory=CallLedger)

    def note(self, keys: Sequence[str]) -> None:
        """Count messages as seen, the last of them as the end of the conversation."""
        self.seen.update(keys)
        self.last = keys[-1] if keys else self.last

    def take_in(self, checkpoint: AgentCheckpoint) -> None:
        """Add what an earlier checkpoint of the conversation has."""
        snapshot = checkpoint.snapshot
        self.note(_stated_in(snapshot))
        for call in snapshot.tool_state.calls:
            self.ledger.put(_known(call, snapshot.tool_state.results))


def _known(call: ToolCall, results: Mapping[str, Any]) -> SpanCall:
    beside = (call.model_extra or {}).get(MEMBER)
    members = beside if isinstance(beside, dict) else {}
    span = None
    if "span_id" in members:
        span = Span(str(members.get("trace_id")), str(members["span_id"]), None, "", 0, call.completed_at, {}, {})
    return SpanCall(
        call.id,
        _given_id(call),
        call.tool_id or "unknown",
        call.args,
        call.started_at or 0,
        result=results.get(call.id, ABSENT),
        error=call.error,
        is_rejected=call.status == "cancelled",
        is_answer=members.get("is_answer") is True,
        is_requested=True,
        waits=call.status == "pending",
        ended=call.completed_at,
        span=span,
    )


def _is_repeated(snapshot: Snapshot, keys: Sequence[str], calls: Set[str]) -> bool:
    """Whether messages begin with all that was said in a run, up to its answer or to the calls that it waits for."""
    stated, thoughts, rest = _stated_in(snapshot), snapshot.thought_chain, iter(keys)
    is_answered = bool(thoughts) and (thoughts[-1].metadata or {}).get("role") == "assistant"
    is_known = is_answered or any(_given_id(call) in calls for call in snapshot.tool_state.calls)
    return is_known and bool(stated) and all(key in rest for key in stated)


def _stated_in(snapshot: Snapshot) -> list[str]:
    members = (snapshot.model_extra or {}).get(MEMBER)
    keys = members.get("messages") if isinstance(members, dict) else None
    return [key for key in keys if isinstance(key, str)] if isinstance(keys, list) else []


def _given_id(call: ToolCall) -> str:
    beside = (call.model_extra or {}).get(MEMBER)
    return str((beside.get("call_id") if isinstance(beside, dict) else None) or call.id)


class Conversations:
    """The conversations of a store, in which each run follows the one before it."""

    def __init__(self, manager: CheckpointManager, *, is_alone: bool = False) -> None:
        """Read earlier runs where `manager` keeps them.

        If this process `is_alone`, the headers are read once, and `add` is told of new ones; otherwise the store is
        asked for each run.
        """
        self.manager = manager
        self._states: OrderedDict[str, ConversationState] = OrderedDict()
        self._by_execution: dict[str, list[AgentHeader]] = defaultdict(list)
        self._by_agent: dict[str, list[AgentHeader]] = defaultdict(list)
        self._ids: set[str] | None = None
        if is_alone:
            self._ids = set()
            for header in manager.list(order="oldest"):
                self.add(header)

    def add(self, header: AgentHeader) -> None:
        """Note a checkpoint that is in the store."""
        if self._ids is not None and header.id not in self._ids:
            self._ids.add(header.id)
            insort(self._by_execution[header.execution_id], header, key=lambda entry: entry.key)
            insort(self._by_agent[header.agent_id], header, key=lambda entry: entry.key)

    def _before(self, start: int, most: int, **wanted: str) -> Iterable[AgentHeader]:
        """Return the last headers of an execution or of an agent that had ended at a moment, the newest first."""
        if self._ids is None:
            return self.manager.list(until=start + 1, limit=most, **wanted)
        [(name, value)] = wanted.items()
        headers = (self._by_execution if name == "execution_id" else self._by_agent).get(value, [])
        end = bisect_left(headers, start + 1, key=lambda entry: entry.timestamp)
        return reversed(headers[max(end - most, 0) : end])

    def parent(self, run: RunOfSpans) -> AgentHeader | None:
        """Return the checkpoint that a run follows: the last of its execution before it began, or the one it has."""
        kept = self._kept(run.id)
        if kept is not None and kept.execution_id == run.execution_id:
            before = None if kept.parent is None else self._kept(kept.parent.checkpoint_id or "")
            return None if before is None else AgentHeader.of(before)
        return next(iter(self._before(run.start, 1, execution_id=run.execution_id)), None)

    def continued(self, run: RunOfSpans, messages: Sequence[SpanMessage]) -> str | None:
        """Return the execution of the agent's earlier run that messages repeat in their order, None without one."""
        if not any(message.role == "assistant" for message in messages[:-1]):
            return None
        keys = [message.key for message in messages]
        calls = {call.id for message in messages for call in message.calls}
        for header in self._before(run.start, _MOST_RUNS, agent_id=run.agent_id):
            kept = None if header.id == run.id else self._kept(header.id)
            if kept is not None and _is_repeated(kept.snapshot, keys, calls):
                return header.execution_id
        return None

    def _kept(self, id: str) -> AgentCheckpoint | None:
        if self._ids is not None and id not in self._ids:
            return None
        try:
            return self.manager.get(id)
        except CheckpointNotFound:
            return None

    def state(self, execution_id: str, checkpoint_id: str | None) -> ConversationState:
        """Return what is known of a conversation after a checkpoint of it."""
        state = self._states.pop(execution_id, None)
        if state is None or state.checkpoint_id != checkpoint_id:
            state = self._read(execution_id, checkpoint_id)
        self._states[execution_id] = state
        if len(self._states) > _MOST:
            self._states.popitem(last=False)
        return state

    def _read(self, execution_id: str, checkpoint_id: str | None) -> ConversationState:
        way: dict[str, AgentCheckpoint] = {}
        identifier = checkpoint_id
        while identifier is not None and identifier not in way:
            checkpoint = self._kept(identifier)
            if checkpoint is None or checkpoint.execution_id != execution_id:
                break
            way[identifier] = checkpoint
            identifier = None if checkpoint.parent is None else checkpoint.parent.checkpoint_id
        state = ConversationState(checkpoint_id)
        for checkpoint in reversed(way.values()):
            state.take_in(checkpoint)
        return state

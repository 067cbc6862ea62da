"""What a LangGraph agent knows, as the state of an agent: messages as thoughts and calls, other channels as variables.

Everything is read from the values that LangGraph hands over in memory, never from bytes. Messages are those of
`langchain_core.messages` (https://docs.langchain.com/oss/python/langchain/messages).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import orjson

from checkpoint_ld.agent.values import (
    LONGEST_ID,
    Snapshot,
    SnapshotContext,
    SnapshotProgress,
    SnapshotToolState,
    Thought,
    ToolCall,
)
from checkpoint_ld.data import library
from checkpoint_ld.documents.values import ABSENT
from checkpoint_ld.errors import CheckpointLdError
from checkpoint_ld.phrases import encodable
from checkpoint_ld.runtime.frozen_json import frozen

library("langchain_core.messages", extra="langgraph")  # says what to install where it is absent

from langchain_core.messages import AIMessage, BaseMessage, RemoveMessage, ToolMessage  # noqa: E402 - as above

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

LARGEST: Final = 10_000
"""Bytes of JSON up to which the value of a channel is written out as a variable as well."""
WINDOW: Final = 8
"""Messages that a checkpoint tells at least, where there are so many."""
_TYPES: Final = {"human": "observation", "system": "planning", "developer": "planning"}
_STRICT: Final = (
    orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS
)  # what is no JSON by itself is not made JSON here


class Telling:
    """The state that channels tell of; `snapshot` gives it.

    Of a long list, the last messages are told: between WINDOW and twice as many, so that what a step costs does not
    grow with the steps before it. Thoughts and calls that `before` knows keep their times.
    """

    def __init__(self, before: Snapshot | None, now: int, thread: str) -> None:
        self._now = now
        self._thread = thread  # messages without an id are called after it
        self._known = {} if before is None else {one.id: one for one in before.thought_chain}
        self._known_calls = {} if before is None else {one.id: one for one in before.tool_state.calls}
        self._known_results = {} if before is None else before.tool_state.results
        self._thoughts: dict[str, Thought] = {}
        self._calls: dict[str, ToolCall] = {}
        self._results: dict[str, Any] = {}
        self._variables: dict[str, Any] = {}
        self._tokens = 0

    def channel(self, name: str, value: Any) -> None:
        """Take in what a channel holds. LangGraph's own channels say nothing about the agent."""
        if name.startswith(("__", "branch:")):
            return
        messages = list(_messages(value))
        self._tokens += sum(_tokens(one) for one in messages)
        first = max(len(messages) // WINDOW - 1, 0) * WINDOW
        for number, message in enumerate(messages[first:], first):
            self._message(message, f"{self._thread}/{name}/{number}")
        if not messages:
            value = readable(value)
            if value is not ABSENT:
                self._variables[encodable(name)] = value

    def snapshot(self, *, step: int, duration_ms: int, member: Mapping[str, Any]) -> Snapshot:
        """Return the state, with LangGraph's own bytes in the `member` called langgraph."""
        thoughts, calls = tuple(self._thoughts.values()), tuple(self._calls.values())
        given: dict[str, Any] = {
            "thought_chain": thoughts,
            "context": SnapshotContext(variables=self._variables, state={}, history=[]),
            "tool_state": SnapshotToolState(calls=calls, results=self._results),
            "progress": SnapshotProgress(
                step_number=step,
                total_thoughts=len(thoughts),
                total_tool_calls=len(calls),
                tokens_used=self._tokens,
                duration_ms=duration_ms,
            ),
        }
        if thoughts:
            given["current_step_id"] = thoughts[-1].id
        given["langgraph"] = member
        return Snapshot(**given)

    def _message(self, message: BaseMessage, otherwise: str) -> None:
        name = _id(message.id or otherwise)
        if isinstance(message, ToolMessage):
            self._ended(message)
            return
        calls = message.tool_calls if isinstance(message, AIMessage) else []
        text = text_of(message.content)
        if calls and not text:
            text = "calls " + ", ".join(encodable(one["name"]) for one in calls)
        kind = "tool_selection" if calls else _TYPES.get(message.type, "reasoning")
        before = self._known.get(name)
        if before is None or before.content != text or before.type != kind:
            since = self._now if before is None else before.created_at
            about = {"role": message.type, "name": message.name, "model": message.response_metadata.get("model_name")}
            told = {key: encodable(one) for key, one in about.items() if isinstance(one, str)}
            before = Thought(id=name, type=kind, content=text, created_at=since, metadata=told)
        self._thoughts[name] = before
        for number, call in enumerate(calls):
            self._started(_id(call["id"] or f"{name}/{number}"), call["name"], call["args"])

    def _started(self, name: str, tool: str, args: Any) -> None:
        if name in self._calls:
            return
        known = self._known_calls.get(name)
        if known is None:
            told = readable(args, largest=None)
            known = ToolCall(
                id=name,
                tool_id=_id(tool or "unknown"),
                args=told if isinstance(told, dict) else {},
                started_at=self._now,
                status="running",
            )
        self._calls[name] = known

    def _ended(self, message: ToolMessage) -> None:
        name, failed = _id(message.tool_call_id or "unknown"), message.status == "error"
        if name not in self._calls:  # its message is further back, or taken out
            self._started(name, message.name or "", {})
        call = self._calls[name]
        if call.success is not (not failed):
            changes: dict[str, Any] = {"success": not failed, "status": "failed" if failed else "completed"}
            changes["completed_at"] = self._now
            changes["duration_ms"] = self._now - (call.started_at or 0)
            if failed:
                changes["error"] = text_of(message.content)
            call = call.but(**changes)
        self._calls[name] = call
        if not failed:
            known = self._known_results.get(name, ABSENT)
            self._results[name] = known if known == message.content else _result(message)


def readable(value: Any, *, largest: int | None = LARGEST) -> Any:
    """Return a value as JSON that nobody can change, ABSENT where it is none or takes more than `largest` bytes."""
    try:
        if largest is not None and len(orjson.dumps(value, option=_STRICT)) > largest:
            return ABSENT
        return frozen(value)
    except (CheckpointLdError, orjson.JSONEncodeError, RecursionError):
        return ABSENT


def _result(message: ToolMessage) -> Any:
    told = readable(message.content, largest=None)
    return text_of(message.content) if told is ABSENT else told


def text_of(content: str | Iterable[Any]) -> str:
    """Return the text of a message; a block that has none is told by its type, such as [image]."""
    if isinstance(content, str):
        return encodable(content)
    return encodable("\n".join(_block(one) for one in content))


def _block(block: Any) -> str:
    if isinstance(block, str):
        return block
    found = block.get("text", block.get("reasoning")) if isinstance(block, dict) else None
    return found if isinstance(found, str) else f"[{block.get('type') if isinstance(block, dict) else 'block'}]"


def _messages(value: Any) -> Iterator[BaseMessage]:
    if isinstance(value, BaseMessage):
        value = (value,)
    if isinstance(value, (list, tuple)):
        yield from (one for one in value if isinstance(one, BaseMessage) and not isinstance(one, RemoveMessage))


def _tokens(message: BaseMessage) -> int:
    usage = message.usage_metadata if isinstance(message, AIMessage) else None
    return max(usage["total_tokens"], 0) if usage else 0


def _id(text: str) -> str:
    return encodable(text)[:LONGEST_ID]

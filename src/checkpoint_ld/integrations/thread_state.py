"""The state of a LangGraph thread: messages of LangChain as thoughts and calls, values of other channels as variables.

Messages: https://docs.langchain.com/oss/python/langchain/messages. They are read from the values that LangGraph passes
in memory, never from bytes. The module imports `langchain_core`, which the extra `langgraph` installs.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Final

import orjson

from checkpoint_ld.agents.changes import frozen
from checkpoint_ld.agents.values import LARGEST_COUNT, Snapshot, Thought, ToolCall, id_of, snapshot_of
from checkpoint_ld.data import library
from checkpoint_ld.documents.values import ABSENT
from checkpoint_ld.errors import CheckpointLdError
from checkpoint_ld.phrases import encodable

library("langchain_core.messages", extra="langgraph")  # raises SettingsError, with the extra, where it is absent

from langchain_core.messages import AIMessage, BaseMessage, RemoveMessage, ToolMessage  # noqa: E402 - after that

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

MEMBER: Final = "langgraph"
"""The member of a snapshot that holds LangGraph's own bytes, and their address."""
_LARGEST: Final = 10_000
"""The most bytes of JSON for which the value of a channel is written as a variable as well."""
_WINDOW: Final = 8
"""The least number of messages that a checkpoint keeps, where there are so many."""
_TYPES: Final = {"human": "observation", "system": "planning", "developer": "planning"}
_STRICT: Final = (
    orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS
)  # values of other types than those of JSON are refused


class ThreadState:
    """The state of an agent, made from the values of channels.

    Of a long list of messages, the last are kept: between _WINDOW and twice as many, so that the cost of a step does
    not grow with the steps before it. Thoughts and calls that are in `before` keep their times.
    """

    def __init__(self, before: Snapshot | None, now: int, thread: str) -> None:
        self.now = now
        self.thread = thread  # messages without an id are named after it
        before = before or snapshot_of()
        self.known = {thought.id: thought for thought in before.thought_chain}
        self.known_calls = {call.id: call for call in before.tool_state.calls}
        self.known_results = before.tool_state.results
        self.thoughts: dict[str, Thought] = {}
        self.calls: dict[str, ToolCall] = {}
        self.results: dict[str, Any] = {}
        self.variables: dict[str, Any] = {}
        self.waiting: dict[str, deque[str]] = {}  # calls without a result yet, by the ids that messages give them
        self.tokens = 0

    def add_channel(self, name: str, value: Any) -> None:
        """Add the value of a channel. LangGraph's own channels are not part of the agent's state."""
        if name.startswith(("__", "branch:")):
            return
        messages: Sequence[Any] = value if isinstance(value, (list, tuple)) else (value,)
        kinds = {*map(type, messages)}  # which are few, where messages are many
        if not all(map(_is_shown, kinds)):
            messages = [one for one in messages if _is_shown(type(one))]
        usages = [usage for message in messages if (usage := message.__dict__.get("usage_metadata"))]
        used = sum(max(usage["total_tokens"], 0) for usage in usages)
        self.tokens = min(self.tokens + used, LARGEST_COUNT)
        self.waiting.clear()
        first = max(len(messages) // _WINDOW - 1, 0) * _WINDOW
        while first and isinstance(messages[first], ToolMessage):  # its call is in a message before it
            first -= 1
        for number, message in enumerate(messages[first:], first):
            self._add_message(message, f"{self.thread}/{name}/{number}")
        if not messages and (found := _readable(value)) is not ABSENT:
            self.variables[encodable(name)] = found

    def snapshot(self, step: int, duration_ms: int, member: Mapping[str, Any]) -> Snapshot:
        """Return the state, with LangGraph's own bytes in the `member` called langgraph."""
        return snapshot_of(
            tuple(self.thoughts.values()),
            tuple(self.calls.values()),
            self.results,
            self.variables,
            {"step_number": step, "tokens_used": self.tokens, "duration_ms": duration_ms},
            **{MEMBER: member},
        )

    def _add_message(self, message: BaseMessage, otherwise: str) -> None:
        if isinstance(message, ToolMessage):
            self._end(message)
            return
        name = id_of(message.id or otherwise)
        calls = message.tool_calls if isinstance(message, AIMessage) else []
        invalid = message.invalid_tool_calls if isinstance(message, AIMessage) else []
        requests = [call["name"] or "unknown" for call in (*calls, *invalid)]
        calling = "calls " + ", ".join(map(encodable, requests)) if requests else ""
        text = _text_of(message.content) or calling
        kind = "tool_selection" if requests else _TYPES.get(message.type, "reasoning")
        before = self.known.get(name)
        if before is None or before.content != text or before.type != kind:
            since = self.now if before is None else before.created_at
            about = {"role": message.type, "name": message.name, "model": message.response_metadata.get("model_name")}
            metadata = {key: encodable(text) for key, text in about.items() if isinstance(text, str)}
            before = Thought(id=name, type=kind, content=text, created_at=since, metadata=metadata)
        self.thoughts[name] = before
        requested: dict[str, deque[str]] = {call["id"] or "": deque() for call in calls}
        for number, call in enumerate(calls):
            found = _readable(call["args"], largest=None)
            args = found if isinstance(found, dict) else {}
            key = self._key(call["id"] or f"{name}/{number}", name, args)
            if key in (of_id := requested[call["id"] or ""]):  # two calls of the message have one id
                key = id_of(f"{key}/{name}/{number}")
            self._start(key, call["name"], args)
            of_id.append(key)
        self.waiting.update(requested)
        for number, request in enumerate(invalid, len(calls)):
            key = id_of(request["id"] or f"{name}/{number}")
            if key in self.calls:
                key = id_of(f"{key}/{name}/{number}")
            self._refuse(key, request["name"] or "", request["args"] or "", request.get("error"))

    def _key(self, id: str, message: str, args: dict[str, Any]) -> str:
        """Return the id of a call, with that of its message where a model gives one id to several calls."""
        plain, other = id_of(id), id_of(f"{id}/{message}")
        before = None if message in self.known else self.known_calls.get(plain)
        is_other = before is not None and before.args and before.args != args
        return other if id in self.waiting or other in self.known_calls or is_other else plain

    def _start(self, name: str, tool: str, args: dict[str, Any]) -> None:
        if name not in self.calls:
            self.calls[name] = self.known_calls.get(name) or ToolCall(
                id=name, tool_id=id_of(tool or "unknown"), args=args, started_at=self.now, status="running"
            )

    def _refuse(self, name: str, tool: str, text: str, error: str | None) -> None:
        """Add a call whose arguments are no JSON, so that no tool ever ran; its arguments are that text."""
        self._start(name, tool, {"arguments": encodable(text)})
        call = self.calls[name]
        if call.success is None:
            self.calls[name] = call.but(
                success=False,
                status="failed",
                completed_at=self.now,
                error=encodable(error or "the arguments are no JSON"),
            )

    def _end(self, message: ToolMessage) -> None:
        waiting = self.waiting.get(message.tool_call_id)
        name = id_of(message.tool_call_id or "unknown")
        if waiting:
            name = waiting[0] if len(waiting) == 1 else waiting.popleft()
        success = message.status != "error"
        self._start(name, message.name or "", {})  # where its message is further back, or taken out
        call = self.calls[name]
        if call.success is not success:
            self.calls[name] = call.but(
                success=success,
                status="completed" if success else "failed",
                completed_at=self.now,
                duration_ms=self.now - (call.started_at or 0),
                **({} if success else {"error": _text_of(message.content)}),
            )
        if success:
            found = self.known_results.get(name, ABSENT)
            if found != message.content:
                found = _readable(message.content, largest=None)
            self.results[name] = _text_of(message.content) if found is ABSENT else found


def _is_shown(kind: type) -> bool:
    return issubclass(kind, BaseMessage) and not issubclass(kind, RemoveMessage)


def _readable(value: Any, *, largest: int | None = _LARGEST) -> Any:
    """Return a value as immutable JSON, ABSENT where it is no JSON or takes more than `largest` bytes."""
    try:
        if largest is not None and len(orjson.dumps(value, option=_STRICT)) > largest:
            return ABSENT
        return frozen(value)
    except (CheckpointLdError, orjson.JSONEncodeError, RecursionError):
        return ABSENT


def _text_of(content: str | Iterable[Any]) -> str:
    """Return the text of a message; a block without text is shown by its type, such as [image]."""
    return encodable(content if isinstance(content, str) else "\n".join(map(_text_of_block, content)))


def _text_of_block(block: Any) -> str:
    if isinstance(block, str):
        return block
    found = block.get("text", block.get("reasoning")) if isinstance(block, dict) else None
    return found if isinstance(found, str) else f"[{block.get('type') if isinstance(block, dict) else 'block'}]"

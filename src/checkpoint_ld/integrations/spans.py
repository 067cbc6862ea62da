"""Spans of OpenTelemetry as executions of agents: chats become thoughts, tools that are executed become calls.

The attributes are those of the semantic conventions for generative AI
(https://opentelemetry.io/docs/specs/semconv/gen-ai/), with messages as attributes or as events, and the earlier
spellings of both. What has no place in a checkpoint stands beside what it is about, in a member `opentelemetry`.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict, deque
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import orjson

from checkpoint_ld.agent.values import (
    LATEST_MS,
    LONGEST_ID,
    About,
    ParentLink,
    Snapshot,
    SnapshotContext,
    SnapshotProgress,
    SnapshotToolState,
    Thought,
    ToolCall,
)
from checkpoint_ld.checkpointing.checkpointer import new_checkpoint
from checkpoint_ld.phrases import encodable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from checkpoint_ld.agent.checkpoint import AgentCheckpoint

MEMBER: Final = "opentelemetry"
"""The member that holds what checkpoints have no words for."""
ABOUT: Final = ("checkpoint_ld.about.question", "checkpoint_ld.about.benchmark")
"""Attributes of ours, of a span or of its resource: which question of which benchmark the agent worked on."""
_OP: Final = "gen_ai.operation.name"
_CHATS: Final = frozenset(("chat", "text_completion", "generate_content"))
_TYPES: Final = {"system": "planning", "developer": "planning", "user": "observation"}
_INPUT: Final = ("gen_ai.input.messages", "gen_ai.prompt")
_OUTPUT: Final = ("gen_ai.output.messages", "gen_ai.completion")
_SYSTEM: Final = "gen_ai.system_instructions"
_USED: Final = (
    ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"),
    ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"),
)
_EVENTS: Final = {f"gen_ai.{role}.message": role for role in ("system", "user", "assistant", "tool")}
_CHOICE: Final = "gen_ai.choice"


@dataclass(slots=True)
class Span:
    """One span: ids in hexadecimal, moments in milliseconds since 1970, attributes as JSON.

    `error` says why it failed, None if it did not. `more` is what else is told of it: kind, links, scope.
    """

    trace_id: str
    span_id: str
    parent_id: str | None
    name: str
    start: int
    end: int | None
    attributes: dict[str, Any]
    resource: Mapping[str, Any]
    error: str | None = None
    events: list[tuple[str, int, dict[str, Any]]] = field(default_factory=list)
    more: dict[str, Any] = field(default_factory=dict)

    @property
    def operation(self) -> str:
        """What it is a span of, in the words of the conventions; an empty text for what is not about an agent."""
        told = self.attributes.get(_OP)
        if isinstance(told, str):
            return told
        return "execute_tool" if "gen_ai.tool.name" in self.attributes else ""

    def first(self, *names: str) -> Any:
        """Return the first of some attributes that is there."""
        return next((self.attributes[name] for name in names if self.attributes.get(name) not in (None, "")), None)

    def rest(self, told: Iterable[str] = ()) -> dict[str, Any]:
        """Return the span as JSON, without the attributes that are told elsewhere."""
        left = {name: value for name, value in self.attributes.items() if name not in set(told)}
        events = [{"name": name, "time": time, "attributes": held} for name, time, held in self.events]
        found: dict[str, Any] = {"trace_id": self.trace_id, "span_id": self.span_id, "parent_span_id": self.parent_id}
        found |= {"name": self.name, "attributes": left, "events": events, "error": self.error, **self.more}
        return {name: value for name, value in found.items() if value not in (None, [], {})}


def moment(nanoseconds: Any) -> int | None:
    """Return milliseconds since 1970 for nanoseconds, as a number or a text; None for what is neither."""
    with suppress(TypeError, ValueError, OverflowError):
        return min(max(int(nanoseconds), 0) // 1_000_000, LATEST_MS)
    return None


def checkpoints_of(spans: Sequence[Span], parents: dict[str, str]) -> Iterator[AgentCheckpoint]:
    """Yield a checkpoint for each run of an agent in the spans of one trace, in any order; of no agent, none.

    A run is a span `invoke_agent` and what is below it up to the next one, whose run is an execution of its own; spans
    without such a span above them are one run together. `parents` are the last checkpoints of executions, which new
    ones name as their parents; it is brought up to date. Raises WriteError for what no checkpoint can hold.
    """
    runs: dict[str | None, list[Span]] = defaultdict(list)
    by_id = {one.span_id: one for one in spans}
    owners: dict[str, str | None] = {}
    for one in sorted(by_id.values(), key=lambda one: (one.start, one.span_id)):
        runs[_owner(one, by_id, owners)].append(one)
    ids: dict[str | None, str] = {}
    for owner, those in runs.items():
        if not any(one.operation for one in those):
            continue
        run = _Run(by_id.get(owner or ""), those)
        above = None if run.root is None else ids.get(owners.get(run.root.parent_id or ""))
        ids[owner] = run.execution_id(above)
        checkpoint = run.checkpoint(ids[owner], above, parents.get(ids[owner]))
        parents[checkpoint.execution_id] = checkpoint.id
        yield checkpoint


def _owner(one: Span, by_id: Mapping[str, Span], known: dict[str, str | None]) -> str | None:
    """Return the id of the span of the agent that a span belongs to."""
    way: dict[str, None] = {}
    here: Span | None = one
    while here is not None and here.span_id not in known and here.span_id not in way:
        way[here.span_id] = None
        if here.operation == "invoke_agent":
            known[here.span_id] = here.span_id
        else:
            here = by_id.get(here.parent_id or "")
    found = None if here is None else known.get(here.span_id)
    known.update(dict.fromkeys((name for name in way if name not in known), found))
    return known[one.span_id]


class _Run:
    """What the spans of one run tell."""

    def __init__(self, root: Span | None, spans: Sequence[Span]) -> None:
        self.root = root
        self.spans = spans
        self.head = root or next(one for one in spans if one.operation)
        self.end = max(max(one.start, one.end or 0) for one in spans)
        self._thoughts: dict[str, Thought] = {}
        self._calls: dict[str, ToolCall] = {}
        self._asked: dict[str, deque[str]] = defaultdict(deque)  # keys of calls by their tools, in order
        self._results: dict[str, Any] = {}
        self._others: list[dict[str, Any]] = []
        self._seen: Counter[bytes] = Counter()
        self._tokens = self._steps = 0
        for one in spans:
            if one.operation in _CHATS:
                self._chat(one)
            elif one.operation == "execute_tool":
                self._tool(one)
            else:
                self._others.append(one.rest())
        self._steps = sum(one.operation in _CHATS or one.operation == "execute_tool" for one in spans)

    def _told(self, *names: str) -> Any:
        """Return the first of some attributes that the run's own span tells, or another one of its spans."""
        return next((found for one in (self.head, *self.spans) if (found := one.first(*names)) is not None), None)

    def execution_id(self, above: str | None) -> str:
        """Return the conversation, or the trace; what is called by another agent is a part of its execution."""
        if above is not None:
            return _id(f"{above}/{self.head.span_id}")
        return _id(str(self._told("gen_ai.conversation.id") or self.head.trace_id))

    def checkpoint(self, execution_id: str, above: str | None, parent: str | None) -> AgentCheckpoint:
        """Return what is known when the run has ended."""
        thoughts, calls = tuple(self._thoughts.values()), tuple(self._calls.values())
        start = min(one.start for one in self.spans)
        reason = "auto" if self.root is None or self.root.end is None else "execution_completed"
        if self.root is not None and self.root.error is not None:
            reason = "execution_failed"
        beside = {"resource": dict(self.head.resource), "called_by": above, "spans": self._others}
        more: dict[str, Any] = {MEMBER: {name: value for name, value in beside.items() if value}}
        if thoughts:
            more["current_step_id"] = thoughts[-1].id
        snapshot = Snapshot(
            thought_chain=thoughts,
            context=SnapshotContext(variables={}, state={}, history=[]),
            tool_state=SnapshotToolState(calls=calls, results=self._results),
            progress=SnapshotProgress(
                step_number=self._steps,
                total_thoughts=len(thoughts),
                total_tool_calls=len(calls),
                tokens_used=self._tokens,
                duration_ms=self.end - start,
            ),
            **more,
        )
        name = self._told("gen_ai.agent.name")
        agent = self._told("gen_ai.agent.id") or name or self.head.resource.get("service.name") or "agent"
        asked = [self._told(one) or self.head.resource.get(one) for one in ABOUT]
        question, benchmark = (one if isinstance(one, str) and one else None for one in asked)
        about: dict[str, Any] = {"question": question, "benchmark": benchmark}
        id = _id(f"otel_{self.head.trace_id}_{self.head.span_id}")
        return new_checkpoint(
            {
                "id": id,
                "timestamp": self.end,
                "execution_id": execution_id,
                "agent_id": _id(str(agent)),
                "snapshot": snapshot,
                "parent": None if parent in (None, id) else ParentLink(checkpoint_id=parent),
                "about": About(**{key: one for key, one in about.items() if one}) if any(about.values()) else None,
            },
            {
                "step_number": self._steps,
                "tokens_used": self._tokens,
                "duration_ms": self.end - start,
                "checkpoint_reason": reason,
                "agent_name": name if isinstance(name, str) else None,
            },
        )

    def _chat(self, span: Span) -> None:
        """Take in what a model was asked and what it said; what it was asked before is known."""
        used = [span.first(*names) for names in _USED]
        self._tokens += sum(one for one in used if isinstance(one, int) and one > 0)
        asked, said, told = _messages(span)
        present: Counter[bytes] = Counter()
        for number, message in enumerate(asked):
            key = message.key
            present[key] += 1
            if present[key] > self._seen[key]:
                self._message(message, f"{span.span_id}/in/{number}", span.start, {})
        for key, count in present.items():  # and not `|=`, which goes through all that was ever seen
            self._seen[key] = max(count, self._seen[key])
        about = {"model": span.first("gen_ai.response.model", "gen_ai.request.model"), MEMBER: span.rest(told)}
        if not said:
            text = f"{span.name} failed: {span.error}" if span.error else span.name
            said = [_Message("assistant", text)]
        else:
            self._seen.update(message.key for message in said)
        for number, message in enumerate(said):
            self._message(message, f"{span.span_id}/{number}", span.end or span.start, about if number == 0 else {})

    def _message(self, message: _Message, name: str, when: int, about: dict[str, Any]) -> None:
        for id, result in message.results:
            self._ended(id, result, when)
        if message.text or message.calls or message.reasoning or not message.results:
            calling = "calls " + ", ".join(one.tool for one in message.calls) if message.calls else ""
            text = message.text or calling
            kind = "tool_selection" if message.calls else _TYPES.get(message.role, "reasoning")
            given: dict[str, Any] = {"reasoning": message.reasoning} if message.reasoning else {}
            held = {"role": message.role, **{key: one for key, one in about.items() if one is not None}}
            self._thoughts[name] = Thought(
                id=_id(name), type=kind, content=encodable(text), created_at=when, metadata=held, **given
            )
        for number, call in enumerate(message.calls):
            key = call.id or f"{name}/{number}"
            if key not in self._calls:
                self._calls[key] = ToolCall(id=_id(key), tool_id=_id(call.tool), args=call.args, started_at=when)
                self._asked[_id(call.tool)].append(key)

    def _ended(self, name: str, result: Any, when: int) -> None:
        """Take in a result that a model was told; a call that has a span of its own has it already."""
        call = self._calls.get(name)
        if call is not None and call.success is None:
            took = max(when - (call.started_at or when), 0)
            self._calls[name] = call.but(success=True, status="completed", completed_at=when, duration_ms=took)
            self._results[call.id] = result

    def _tool(self, span: Span) -> None:
        tool = _id(str(span.first("gen_ai.tool.name") or span.name))
        named = span.first("gen_ai.tool.call.id")
        # A span that names no call is of the first call of its tool that a model asked for and that has no span yet.
        asked = self._asked[tool]
        while asked and self._calls[asked[0]].status is not None:
            asked.popleft()
        name = str(named) if named is not None else asked[0] if asked else span.span_id
        before = self._calls.get(name)
        if before is not None and before.status is not None:  # frameworks call the calls of each run alike
            name, before = f"{name}/{span.span_id}", None
        args = _json(span.first("gen_ai.tool.call.arguments"))
        told = ["gen_ai.tool.name", "gen_ai.tool.call.id", _OP]
        result = span.attributes.get("gen_ai.tool.call.result")
        given: dict[str, Any] = {"id": _id(name), "started_at": span.start}
        given["tool_id"] = tool
        if isinstance(args, dict):
            given["args"] = args
            told.append("gen_ai.tool.call.arguments")
        else:
            given["args"] = {} if before is None or before.args is None else before.args
        if span.end is None:
            given["status"] = "running"
        else:
            given |= {"completed_at": max(span.end, span.start), "duration_ms": max(span.end - span.start, 0)}
            given |= {"success": span.error is None, "status": "failed" if span.error else "completed"}
            given |= {"error": span.error} if span.error else {}
        if result is not None and not span.error:
            self._results[given["id"]] = _json(result)
            told.append("gen_ai.tool.call.result")
        given[MEMBER] = span.rest(told)
        self._calls[name] = ToolCall(**given)


@dataclass(frozen=True, slots=True)
class _Call:
    id: str
    tool: str
    args: dict[str, Any]


@dataclass(slots=True)
class _Message:
    """A message, in whichever way it was written: what it says, what it calls, and the results that it tells."""

    role: str
    text: str = ""
    reasoning: str = ""
    calls: list[_Call] = field(default_factory=list)
    results: list[tuple[str, Any]] = field(default_factory=list)

    @property
    def key(self) -> bytes:
        """What is the same for the same message, told again by a later span."""
        told = self.role, self.text, [(one.id, one.tool) for one in self.calls], [one for one, _ in self.results]
        return hashlib.blake2b(repr(told).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _messages(span: Span) -> tuple[list[_Message], list[_Message], list[str]]:
    """Return what a model was asked, what it said, and the attributes that tell it."""
    asked, told = [], []
    said: list[_Message] = []
    system = _json(span.attributes.get(_SYSTEM))
    if system:
        asked.append(_message({"parts": system} if isinstance(system, list) else system, "system"))
        told.append(_SYSTEM)
    sources = [span.attributes, *(held for _, _, held in span.events)]
    for names, found, role in ((_INPUT, asked, "user"), (_OUTPUT, said, "assistant")):
        for source in sources:
            name = next((one for one in names if isinstance(_json(source.get(one)), list)), None)
            if name is not None:
                found += [_message(one, role) for one in _json(source[name])]
                told.append(name)
                break
    for name, _, held in () if said or len(asked) > bool(system) else span.events:
        if name in _EVENTS:
            asked.append(_message(_body(held), _EVENTS[name]))
        elif name == _CHOICE:
            body = _body(held)
            message = body.get("message", body)
            said.append(_message(_json(message) if isinstance(_json(message), dict) else body, "assistant"))
    return asked, said, told


def _body(held: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body of an event, which some keep as JSON text in an attribute."""
    told = _json(held.get("gen_ai.event.content", held.get("event_body")))
    return told if isinstance(told, dict) else dict(held)


def _message(told: Any, role: str) -> _Message:
    """Read a message of the conventions (`parts`), or of OpenAI's API (`content`, `tool_calls`)."""
    if not isinstance(told, dict):
        return _Message(role, told if isinstance(told, str) else _text(told))
    found = _Message(str(told.get("role") or role))
    content = told.get("parts", told.get("content"))
    texts: list[str] = []
    id = told.get("tool_call_id") or (told.get("id") if found.role == "tool" else None)
    if found.role == "tool" and isinstance(id, str):
        found.results.append((id, _json(content)))
        return found
    for part in content if isinstance(content, list) else [] if content is None else [content]:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == "tool_call":
            found.calls.append(_call(part))
        elif kind == "tool_call_response":
            found.results.append((str(part.get("id")), part.get("response", part.get("result"))))
        elif kind in ("reasoning", "thinking"):
            found.reasoning += _text(part)
        else:
            texts.append(_text(part))
    found.text = "\n".join(texts)
    calls = _json(told.get("tool_calls"))
    found.calls += [_call(one) for one in calls if isinstance(one, dict)] if isinstance(calls, list) else []
    return found


def _call(told: Mapping[str, Any]) -> _Call:
    function = told.get("function")
    held = function if isinstance(function, dict) else told
    args = _json(held.get("arguments"))
    return _Call(str(told.get("id") or ""), str(held.get("name") or "unknown"), args if isinstance(args, dict) else {})


def _text(part: Any) -> str:
    if isinstance(part, str):
        return part
    found = part.get("content", part.get("text")) if isinstance(part, dict) else None
    if isinstance(found, str):
        return found
    return f"[{part.get('type')}]" if isinstance(part, dict) and isinstance(part.get("type"), str) else _written(part)


def _written(value: Any) -> str:
    try:
        return orjson.dumps(value).decode()
    except orjson.JSONEncodeError:
        return repr(value)


def _json(value: Any) -> Any:
    """Return what a text says in JSON, where it says an object, an array or nothing else than JSON; else itself."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        with suppress(orjson.JSONDecodeError):
            return orjson.loads(value)
    return value


def _id(text: str) -> str:
    return encodable(text)[:LONGEST_ID]

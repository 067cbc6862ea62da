"""Spans of OpenTelemetry as executions of agents: chats become thoughts, tools that are executed become calls.

The attributes are those of the semantic conventions for generative AI
(https://opentelemetry.io/docs/specs/semconv/gen-ai/), with messages as attributes or as events, and the earlier
spellings of both. Attributes without a place in a checkpoint are kept in a member `opentelemetry` of their object.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict, deque
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import orjson

from checkpoint_ld.agents.values import LARGEST_COUNT, LATEST_MS, AgentHeader, Thought, ToolCall, id_of, snapshot_of
from checkpoint_ld.checkpointing.exchange import new_checkpoint
from checkpoint_ld.phrases import encodable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from checkpoint_ld.agents.checkpoint import AgentCheckpoint

MEMBER: Final = "opentelemetry"
"""The member for attributes without a member of their own in a checkpoint."""
_ABOUT: Final = ("question", "benchmark")
"""Our attributes after `checkpoint_ld.about.`: the question and the benchmark that the agent worked on."""
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
_READ: Final = ("role", "parts", "content", "tool_calls")
"""The members of messages that are thoughts and calls."""

Event = tuple[str, int, dict[str, Any]]
"""The name, the moment and the attributes of an event."""


@dataclass(slots=True)
class Span:
    """One span: ids in hexadecimal, moments in milliseconds since 1970, attributes as JSON.

    `error` is the reason why it failed, None if it did not. `more` holds other members: kind, links, scope.
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
    events: list[Event] = field(default_factory=list)
    more: dict[str, Any] = field(default_factory=dict)

    @property
    def operation(self) -> str:
        """The operation in the words of the conventions; empty for a span that is not about an agent."""
        stated = self.attributes.get(_OP)
        if isinstance(stated, str):
            return stated
        return "execute_tool" if "gen_ai.tool.name" in self.attributes else ""

    def first(self, *names: str) -> Any:
        """Return the first of some attributes that is there."""
        return next((self.attributes[name] for name in names if self.attributes.get(name) not in (None, "")), None)

    def rest(self, used: Iterable[str] = ()) -> dict[str, Any]:
        """Return the span as JSON, without the attributes that are `used` elsewhere."""
        left = {name: value for name, value in self.attributes.items() if name not in set(used)}
        events = [{"name": name, "time": time, "attributes": held} for name, time, held in self.events]
        found: dict[str, Any] = {"trace_id": self.trace_id, "span_id": self.span_id, "parent_span_id": self.parent_id}
        found |= {"name": self.name, "attributes": left, "events": events, "error": self.error, **self.more}
        return {name: value for name, value in found.items() if value not in (None, [], {})}


def moment(nanoseconds: Any) -> int | None:
    """Return milliseconds since 1970 for nanoseconds, as a number or a text; None for other values."""
    with suppress(TypeError, ValueError, OverflowError):
        return min(max(int(nanoseconds), 0) // 1_000_000, LATEST_MS)
    return None


def error_of(message: str | None, events: list[Event]) -> str:
    """Return why a span failed: the message of its status, or the exception in an event."""
    if message:
        return message
    held = next((held for name, _, held in events if name == "exception"), {})
    found = [str(held[name]) for name in ("exception.type", "exception.message") if held.get(name)]
    return ": ".join(found) or "failed"


def checkpoints_of(spans: Sequence[Span], latest: Callable[[str], AgentHeader | None]) -> Iterator[AgentCheckpoint]:
    """Yield a checkpoint for each run of an agent in the spans of one trace, which may come in any order.

    A run is a span `invoke_agent` and the spans below it, up to the next `invoke_agent`, whose run is an execution of
    its own. Spans without such a span above them are one run together. `latest` returns the header of an execution's
    last checkpoint, the parent of a new one, whose counters go on from there. Raises WriteError for values that no
    checkpoint can hold.
    """
    runs: dict[str | None, list[Span]] = defaultdict(list)
    by_id = {span.span_id: span for span in spans}
    owners: dict[str, str | None] = {}
    for span in sorted(by_id.values(), key=lambda span: (span.start, span.span_id)):
        runs[_owner(span, by_id, owners)].append(span)
    ids: dict[str | None, str] = {}
    made: dict[str, AgentHeader] = {}
    for owner, those in runs.items():
        if not any(span.operation for span in those):
            continue
        run = _Run(by_id.get(owner or ""), those)
        above = None if run.root is None else ids.get(owners.get(run.root.parent_id or ""))
        ids[owner] = run.execution_id(above)
        checkpoint = run.checkpoint(ids[owner], above, made.get(ids[owner]) or latest(ids[owner]))
        made[ids[owner]] = AgentHeader.of(checkpoint)
        yield checkpoint


def _owner(span: Span, by_id: Mapping[str, Span], known: dict[str, str | None]) -> str | None:
    """Return the id of the `invoke_agent` span that a span belongs to."""
    way: dict[str, None] = {}
    at: Span | None = span
    while at is not None and at.span_id not in known and at.span_id not in way:
        way[at.span_id] = None
        if at.operation == "invoke_agent":
            known[at.span_id] = at.span_id
        else:
            at = by_id.get(at.parent_id or "")
    found = None if at is None else known.get(at.span_id)
    known.update(dict.fromkeys((name for name in way if name not in known), found))
    return known[span.span_id]


class _Run:
    """One run of an agent, made from its spans."""

    def __init__(self, root: Span | None, spans: Sequence[Span]) -> None:
        self.root = root
        self.spans = spans
        self.head = root or next(span for span in spans if span.operation)
        self.thoughts: dict[str, Thought] = {}
        self.calls: dict[str, ToolCall] = {}
        self.calls_of: dict[str, deque[str]] = defaultdict(deque)  # keys of requested calls by tool, in order
        self.keys: dict[str, str] = {}  # those of the last calls with an id that several have
        self.unnamed: deque[str] = deque()  # those of calls without an id, until a message has their result
        self.results: dict[str, Any] = {}
        self.others: list[dict[str, Any]] = []
        self.seen: Counter[bytes] = Counter()
        self.tokens = self.steps = 0
        for span in spans:
            if span.operation in _CHATS:
                self._add_chat(span)
            elif span.operation == "execute_tool":
                self._add_tool(span)
            else:
                self.others.append(span.rest())
                continue
            self.steps += 1

    def _first(self, *names: str) -> Any:
        """Return the first of some attributes that the run's own span has, or another one of its spans."""
        return next((found for span in (self.head, *self.spans) if (found := span.first(*names)) is not None), None)

    def execution_id(self, above: str | None) -> str:
        """Return the conversation, or the trace; the run of a called agent is a part of the caller's execution."""
        if above is not None:
            return id_of(f"{above}/{self.head.span_id}")
        return id_of(str(self._first("gen_ai.conversation.id") or self.head.trace_id))

    def checkpoint(self, execution_id: str, above: str | None, parent: AgentHeader | None) -> AgentCheckpoint:
        """Return the checkpoint at the end of the run."""
        id = id_of(f"otel_{self.head.trace_id}_{self.head.span_id}")
        if parent is not None and parent.id == id:
            parent = None
        start, end = min(span.start for span in self.spans), max(max(span.start, span.end or 0) for span in self.spans)
        reason = "auto" if self.root is None or self.root.end is None else "execution_completed"
        if self.root is not None and self.root.error is not None:
            reason = "execution_failed"
        counts = {"step_number": self.steps, "tokens_used": self.tokens, "duration_ms": end - start}
        before = {} if parent is None else {name: int(getattr(parent, name)) for name in counts}
        beside = {"resource": dict(self.head.resource), "called_by": above, "spans": self.others}
        snapshot = snapshot_of(
            tuple(self.thoughts.values()),
            tuple(self.calls.values()),
            self.results,
            counts={name: min(count + before.get(name, 0), LARGEST_COUNT) for name, count in counts.items()},
            opentelemetry={name: value for name, value in beside.items() if value},
        )
        name = self._first("gen_ai.agent.name")
        agent = self._first("gen_ai.agent.id") or name or self.head.resource.get("service.name") or "agent"
        keys = {name: f"checkpoint_ld.about.{name}" for name in _ABOUT}
        stated = {name: self._first(key) or self.head.resource.get(key) for name, key in keys.items()}
        about = {name: value for name, value in stated.items() if isinstance(value, str) and value}
        return new_checkpoint(
            snapshot,
            reason,
            agent_name=name if isinstance(name, str) else None,
            id=id,
            timestamp=end,
            execution_id=execution_id,
            agent_id=id_of(str(agent)),
            parent=None if parent is None else {"checkpoint_id": parent.id},
            about=about or None,
        )

    def _add_chat(self, span: Span) -> None:
        """Add the input and output messages of a model, but for input that earlier spans had."""
        used = [span.first(*names) for names in _USED]
        tokens = sum(count for count in used if isinstance(count, int) and count > 0)
        self.tokens = min(self.tokens + tokens, LARGEST_COUNT)
        inputs, outputs, names = _messages(span)
        present: Counter[bytes] = Counter()
        for number, message in enumerate(inputs):
            key = message.key
            present[key] += 1
            if present[key] > self.seen[key]:
                self._add_message(message, f"{span.span_id}/in/{number}", span.start, None)
        for key, count in present.items():  # `|=` would go through all keys of earlier spans
            self.seen[key] = max(count, self.seen[key])
        about = {"model": span.first("gen_ai.response.model", "gen_ai.request.model"), MEMBER: span.rest(names)}
        self.seen.update(message.key for message in outputs)
        if not outputs:
            outputs = [_Message("assistant", f"{span.name} failed: {span.error}" if span.error else span.name)]
        for number, message in enumerate(outputs):
            self._add_message(message, f"{span.span_id}/{number}", span.end or span.start, {} if number else about)

    def _add_message(self, message: _Message, name: str, when: int, about: dict[str, Any] | None) -> None:
        """Add a message, with what is known about the span that it is the output of."""
        for number, (id, result) in enumerate(message.results):
            self._end(id, result, when, f"{name}/result/{number}")
        if message.text or message.calls or message.reasoning or not message.results:
            calling = "calls " + ", ".join(call.tool for call in message.calls) if message.calls else ""
            given: dict[str, Any] = {"reasoning": message.reasoning} if message.reasoning else {}
            held: dict[str, Any] = {"role": message.role, **(about or {})}
            if message.more:
                held[MEMBER] = {**held.get(MEMBER, {}), "message": message.more}
            self.thoughts[name] = Thought(
                id=id_of(name),
                type="tool_selection" if message.calls else _TYPES.get(message.role, "reasoning"),
                content=encodable(message.text or calling),
                created_at=when,
                metadata={key: value for key, value in held.items() if value is not None},
                **given,
            )
        for number, call in enumerate(message.calls):
            key = call.id or f"{name}/{number}"
            before = self.calls.get(self.keys.get(key, key))
            # A message may repeat a call that an earlier span had; a model may use an id again.
            if before is not None and before.success is not None and (about is not None or before.args != call.args):
                self.keys[key] = key = f"{key}/{name}"
            if key not in self.calls:
                other: dict[str, Any] = {} if call.other in (None, "") else {MEMBER: {"arguments": call.other}}
                self.calls[key] = ToolCall(
                    id=id_of(key), tool_id=id_of(call.tool), args=call.args, started_at=when, **other
                )
                self.calls_of[id_of(call.tool)].append(key)
                self.unnamed.extend(() if call.id else (key,))

    def _end(self, id: str, result: Any, when: int, otherwise: str) -> None:
        """Add the result of a call from a message, unless a span of the call has given it.

        Results without an id are those of the calls without an id, in their order; one too many is of a call
        `otherwise`.
        """
        name = self.keys.get(id, id) or (self.unnamed.popleft() if self.unnamed else otherwise)
        if name not in self.calls:  # the message that requests it is in no span
            self.calls[name] = ToolCall(id=id_of(name), tool_id="unknown", args={}, started_at=when)
        call = self.calls[name]
        if call.success is None:
            took = max(when - (call.started_at or when), 0)
            self.calls[name] = call.but(success=True, status="completed", completed_at=when, duration_ms=took)
            self.results[call.id] = result

    def _add_tool(self, span: Span) -> None:
        tool = id_of(str(span.first("gen_ai.tool.name") or span.name or "unknown"))
        named = span.first("gen_ai.tool.call.id")
        # A span that names no call belongs to the first requested call of its tool that has no span yet.
        waiting = self.calls_of[tool]
        while waiting and self.calls[waiting[0]].status is not None:
            waiting.popleft()
        name = self.keys.get(str(named), str(named)) if named is not None else waiting[0] if waiting else span.span_id
        before = self.calls.get(name)
        if before is not None and before.status is not None:  # frameworks reuse the ids of calls in each run
            name, before = f"{name}/{span.span_id}", None
        args = _json(span.first("gen_ai.tool.call.arguments"))
        used = ["gen_ai.tool.name", "gen_ai.tool.call.id", _OP]
        given: dict[str, Any] = {"id": id_of(name), "started_at": span.start, "tool_id": tool}
        if isinstance(args, dict):
            given["args"] = args
            used.append("gen_ai.tool.call.arguments")
        else:
            given["args"] = {} if before is None or before.args is None else before.args
        if span.end is None:
            given["status"] = "running"
        else:
            given |= {"completed_at": max(span.end, span.start), "duration_ms": max(span.end - span.start, 0)}
            given |= {"success": span.error is None, "status": "failed" if span.error else "completed"}
            given |= {"error": span.error} if span.error else {}
        result = span.attributes.get("gen_ai.tool.call.result")
        if result is not None and not span.error:
            self.results[given["id"]] = _json(result)
            used.append("gen_ai.tool.call.result")
        given[MEMBER] = span.rest(used)
        self.calls[name] = ToolCall(**given)


class _Call(NamedTuple):
    id: str
    tool: str
    args: dict[str, Any]
    other: Any
    """The arguments, if they are no object."""


@dataclass(slots=True)
class _Message:
    """A message, however it was written: its text, the calls that it requests, and the results that it holds.

    `more` has its other members, and the parts that are no text.
    """

    role: str
    text: str = ""
    reasoning: str = ""
    calls: list[_Call] = field(default_factory=list)
    results: list[tuple[str, Any]] = field(default_factory=list)
    more: dict[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> bytes:
        """A hash by which a message is recognised when a later span repeats it."""
        parts = self.role, self.text, [call[:2] for call in self.calls], [name for name, _ in self.results]
        return hashlib.blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _messages(span: Span) -> tuple[list[_Message], list[_Message], list[str]]:
    """Return the input messages of a model, its output messages, and the names of the attributes that hold them."""
    inputs: list[_Message] = []
    outputs: list[_Message] = []
    names = []
    system = _json(span.attributes.get(_SYSTEM))
    if system:
        inputs.append(_message({"parts": system} if isinstance(system, list) else system, "system"))
        names.append(_SYSTEM)
    sources = [span.attributes, *(held for _, _, held in span.events)]
    for candidates, found, role in ((_INPUT, inputs, "user"), (_OUTPUT, outputs, "assistant")):
        for source in sources:
            name = next((candidate for candidate in candidates if isinstance(_json(source.get(candidate)), list)), None)
            if name is not None:
                found += [_message(item, role) for item in _json(source[name])]
                names.append(name)
                break
    for name, _, held in () if outputs or len(inputs) > bool(system) else span.events:
        # The body of an event, which some keep as JSON text in an attribute.
        body = _json(held.get("gen_ai.event.content", held.get("event_body")))
        body = body if isinstance(body, dict) else dict(held)
        if name in _EVENTS:
            inputs.append(replace(_message(body, _EVENTS[name]), more={}))  # events are kept whole
        elif name == _CHOICE:
            message = _json(body.get("message", body))
            made = _message(message if isinstance(message, dict) else body, "assistant")
            outputs.append(replace(made, more={}))
    return inputs, outputs, names


def _message(source: Any, role: str) -> _Message:
    """Read a message of the conventions (`parts`), or of OpenAI's API (`content`, `tool_calls`)."""
    if not isinstance(source, dict):
        return _Message(role, _text(source))
    found = _Message(str(source.get("role") or role))
    content = source.get("parts", source.get("content"))
    texts: list[str] = []
    id = source.get("tool_call_id") or (source.get("id") if found.role == "tool" else None)
    if found.role == "tool" and isinstance(id, str):
        found.results.append((id, _json(content)))
        return found
    for part in content if isinstance(content, list) else [] if content is None else [content]:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == "tool_call":
            found.calls.append(_call(part))
        elif kind == "tool_call_response":
            found.results.append((str(part.get("id") or ""), part.get("response", part.get("result"))))
        elif kind in ("reasoning", "thinking"):
            found.reasoning += _text(part)
        else:
            texts.append(_text(part))
            if isinstance(part, dict) and texts[-1] == f"[{kind}]":
                found.more.setdefault("parts", []).append(part)
    found.more |= {key: value for key, value in source.items() if key not in _READ and value not in (None, "", [], {})}
    found.text = "\n".join(texts)
    calls = _json(source.get("tool_calls"))
    found.calls += [_call(call) for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    return found


def _call(source: Mapping[str, Any]) -> _Call:
    function = source.get("function")
    held = function if isinstance(function, dict) else source
    args = _json(held.get("arguments"))
    name, is_object = str(held.get("name") or "unknown"), isinstance(args, dict)
    return _Call(str(source.get("id") or ""), name, args if is_object else {}, None if is_object else args)


def _text(part: Any) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, dict):
        found = part.get("content", part.get("text"))
        if isinstance(found, str):
            return found
        if isinstance(part.get("type"), str):
            return f"[{part['type']}]"
    try:
        return orjson.dumps(part).decode()
    except orjson.JSONEncodeError:
        return repr(part)


def _json(value: Any) -> Any:
    """Return the value of a text in JSON, and any other value as it is."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        with suppress(orjson.JSONDecodeError):
            return orjson.loads(value)
    return value

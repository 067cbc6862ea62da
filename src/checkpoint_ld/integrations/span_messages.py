"""Messages in spans of OpenTelemetry, wherever they stand and however their parts are written.

They stand in attributes, in events of the span, or in log records; as structures or as JSON text. Their parts are those
of the semantic conventions, or the blocks of an API: OpenAI's, Anthropic's, Bedrock's, Gemini's.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import orjson

from checkpoint_ld.integrations.spans import arguments, is_cut, parsed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from checkpoint_ld.integrations.spans import Span

INPUT: Final = ("gen_ai.input.messages", "gen_ai.prompt")
OUTPUT: Final = ("gen_ai.output.messages", "gen_ai.completion")
SYSTEM: Final = "gen_ai.system_instructions"
TRANSCRIPTS: Final = ("pydantic_ai.all_messages", "all_messages_events")
"""The attributes in which pydantic-ai states all messages of a run, with the results of its output tools."""
_EVENTS: Final = {f"gen_ai.{role}.message": role for role in ("system", "user", "assistant", "tool")}
_CHOICE: Final = "gen_ai.choice"
_BODIES: Final = ("gen_ai.event.content", "event_body")
_INDEXED: Final = re.compile(
    r"(?:gen_ai\.(?P<old>prompt|completion)\.|llm\.(?P<other>input|output)_messages\.)(?P<number>\d{1,4})\."
    r"(?:message\.)?(?:(?P<calls>tool_calls)\.(?P<place>\d{1,4})\.(?:tool_call\.)?(?:function\.)?)?(?P<member>.+)",
    re.ASCII,
)
"""One attribute for each member of a message, as in OpenLLMetry's earlier form and in OpenInference.

gen_ai.prompt.0.role, gen_ai.completion.0.tool_calls.0.name, llm.input_messages.0.message.content.
"""
_ROLES: Final = {"model": "assistant", "ai": "assistant", "human": "user", "function": "tool"}
_READ: Final = ("role", "parts", "content", "tool_calls", "message")
"""The members of messages that are thoughts and calls."""
_TEXTS: Final = frozenset(("text", "input_text", "output_text", "refusal"))
_REASONING: Final = frozenset(("reasoning", "thinking", "reasoningContent", "redacted_reasoning"))
_CALLS: Final = frozenset(("tool_call", "tool_use", "toolUse", "function_call", "functionCall"))
_RESULTS: Final = frozenset(
    ("tool_call_response", "tool_result", "toolResult", "function_call_output", "function_response", "functionResponse")
)
_SERVER_CALL: Final = "server_tool_call"
_SERVER_RESULT: Final = "server_tool_call_response"
_COMPACTION: Final = "compaction"
_BLOCKS: Final = frozenset(
    ("text", "toolUse", "toolResult", "reasoningContent", "image", "document", "video", "cachePoint", "guardContent")
) | {"functionCall", "functionResponse", "function_call", "function_response", "inlineData", "inline_data"}
"""The only members of blocks that have no type: Bedrock's and Gemini's."""
LARGEST_PART: Final = 4096
"""The longest text of a part that is no text; a longer one stands beside the thoughts, once for its content."""


class RequestedCall(NamedTuple):
    """A call in a message; `args` are None if it states none. `other` are arguments that are no object."""

    id: str
    tool: str
    args: dict[str, Any] | None
    other: Any = None


class GivenResult(NamedTuple):
    """A result in a message, of the call with the id, if there is one."""

    id: str
    tool: str
    value: Any
    is_error: bool = False


@dataclass(slots=True)
class SpanMessage:
    """A message: its text, the calls that it requests, and the results that it holds.

    `data` are its parts that are no text, `compactions` those in which a service replaces what was said before, which
    nobody says. `more` are its other members.
    """

    role: str
    texts: list[str] = field(default_factory=list)
    reasoning: str = ""
    calls: list[RequestedCall] = field(default_factory=list)
    results: list[GivenResult] = field(default_factory=list)
    data: list[dict[str, Any]] = field(default_factory=list)
    compactions: list[dict[str, Any]] = field(default_factory=list)
    more: dict[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """All texts, and the kinds of other parts in their places."""
        return "\n".join(self.texts)

    @property
    def is_mute(self) -> bool:
        """Whether it has no words, as a message that only calls, or one whose content is not captured."""
        return not (self.text.strip() or self.reasoning or self.data or self.compactions)

    @property
    def key(self) -> str:
        """A hash by which a message is recognised when a later span repeats it; the calls have their own identity."""
        return self._hash(self.text)

    @property
    def keys_of_texts(self) -> list[str]:
        """The hashes of the texts, if there are several: the history may have joined or parted them."""
        return [self._hash(text) for text in self.texts] if len(self.texts) > 1 else []

    def _hash(self, text: str) -> str:
        content = text.strip() or self.reasoning
        identity = repr((self.role, content, [digest_of(part) for part in (*self.data, *self.compactions)]))
        return hashlib.blake2b(identity.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


@dataclass(slots=True)
class SpanContent:
    """The messages of one span, the names of attributes and events that hold them, and those that are cut off."""

    inputs: list[SpanMessage] = field(default_factory=list)
    outputs: list[SpanMessage] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    events: set[str] = field(default_factory=set)
    cut: list[str] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether no message says, requests or answers anything."""
        messages = (*self.inputs, *self.outputs)
        return all(message.is_mute and not message.calls and not message.results for message in messages)

    @property
    def is_captured(self) -> bool:
        """Whether there are words, arguments or results in the messages: without content they are left out."""
        messages = (*self.inputs, *self.outputs)
        is_called = any(call.args or call.other for message in messages for call in message.calls)
        return is_called or any(not message.is_mute for message in messages)


def content_of(span: Span) -> SpanContent:
    """Return the messages of a span: in its attributes, in those of its events or log records, or as such events."""
    content = SpanContent()
    sources = list(span.sources())
    system = next((parsed(source[SYSTEM]) for source in sources if source.get(SYSTEM)), None)
    if system:
        content.inputs.append(message_of({"parts": system} if isinstance(system, list) else system, "system"))
        content.used.add(SYSTEM)
    indexed = _indexed(span.attributes, content.used)
    for names, role in ((INPUT, "user"), (OUTPUT, "assistant")):
        messages = content.inputs if role == "user" else content.outputs
        for source in sources:
            name = next((name for name in names if isinstance(_listed(source.get(name)), list)), None)
            if name is not None:
                messages += [message_of(item, role) for item in _listed(source[name])]
                content.used.add(name)
                break
        else:
            content.cut += [name for source in sources for name in names if is_cut(source.get(name))]
            messages += [message_of(item, role) for item in indexed[role]]
    _add_events(span, content, has_inputs=len(content.inputs) > bool(system))
    if len(content.inputs) > bool(system):
        content.events |= set(_EVENTS)
    if content.outputs:
        content.events.add(_CHOICE)
    return content


def transcript_of(span: Span) -> tuple[list[SpanMessage], str | None]:
    """Return all messages of a run, where its own span states them, and the name of the attribute."""
    for name in TRANSCRIPTS:
        messages = parsed(span.attributes.get(name))
        if isinstance(messages, list):
            return [message_of(item, "user") for item in messages], name
    return [], None


def _listed(value: Any) -> Any:
    """Return messages as a list: there may be one, or a plain text, as for a completion; other values as they are."""
    messages = parsed(value)
    is_one = isinstance(messages, dict) and ("role" in messages or "parts" in messages)
    is_text = isinstance(messages, str) and messages != "" and not is_cut(messages)
    return [messages] if is_one or is_text else messages


def _indexed(attributes: Mapping[str, Any], used: set[str]) -> dict[str, list[dict[str, Any]]]:
    members: dict[str, dict[int, dict[str, Any]]] = {"user": defaultdict(dict), "assistant": defaultdict(dict)}
    calls: dict[tuple[str, int], dict[str, dict[str, Any]]] = defaultdict(lambda: defaultdict(dict))
    for name, value in attributes.items():
        if (match := _INDEXED.fullmatch(name)) is None:
            continue
        side = "user" if match["old"] == "prompt" or match["other"] == "input" else "assistant"
        if match["calls"]:
            calls[side, int(match["number"])][match["place"]][match["member"]] = value
        else:
            members[side][int(match["number"])][match["member"]] = value
        used.add(name)
    for (side, number), numbered in calls.items():
        members[side][number]["tool_calls"] = list(numbered.values())
    return {side: [numbered[number] for number in sorted(numbered)] for side, numbered in members.items()}


def _add_events(span: Span, content: SpanContent, *, has_inputs: bool) -> None:
    """Add the messages that are events, one each, for the side that has none yet."""
    has_outputs = bool(content.outputs)
    for name, _, attributes in span.events:
        body: Any = next((parsed(attributes[key]) for key in _BODIES if attributes.get(key)), None)
        given = {**attributes, **body} if isinstance(body, dict) else attributes
        if name in _EVENTS and not has_inputs:
            content.inputs.append(message_of({"role": _EVENTS[name], **_of_event(given)}, _EVENTS[name]))
        elif name == _CHOICE and not has_outputs:
            message = parsed(given.get("message", given))
            made = message if isinstance(message, dict) else {"content": message}
            beside = {key: value for key, value in _of_event(given).items() if key != "message"}
            content.outputs.append(message_of({**beside, **made}, "assistant"))


def _of_event(attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in attributes.items() if key not in _BODIES and not key.startswith("gen_ai.")}


def message_of(source: Any, role: str) -> SpanMessage:
    """Read a message of the conventions (`parts`), or of OpenAI's API (`content`, `tool_calls`)."""
    if not isinstance(source, dict):
        return SpanMessage(role, [_text(source)])
    stated = str(source.get("role") or role)
    message = SpanMessage(_ROLES.get(stated, stated))
    content = source.get("parts", source.get("content"))
    blocks = _blocks(content)
    id = source.get("tool_call_id") or (source.get("id") if message.role == "tool" else None)
    if message.role == "tool" and isinstance(id, str) and not any(_kind(part) in _RESULTS for part in blocks or ()):
        message.results.append(GivenResult(id, str(source.get("name") or ""), parsed(content)))
        return message
    for part in blocks if blocks is not None else [] if content is None else [content]:
        _add_part(message, part)
    message.more |= {
        key: value for key, value in source.items() if key not in _READ and value not in (None, "", [], {})
    }
    calls = parsed(source.get("tool_calls"))
    message.calls += [_call(call) for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    return message


def _blocks(content: Any) -> list[Any] | None:
    """Return the parts of a message; a text is one part, unless it is the JSON of blocks."""
    if isinstance(content, list):
        return content
    blocks = parsed(content)
    if isinstance(blocks, dict) and isinstance(content, dict):
        return [blocks]
    is_blocks = isinstance(blocks, list) and blocks and all(_kind(part) is not None for part in blocks)
    return blocks if is_blocks else None


def _kind(part: Any) -> str | None:
    """Return the type of a part; that of a block without one is its only member."""
    if not isinstance(part, dict):
        return None
    stated = part.get("type")
    return stated if isinstance(stated, str) else next((name for name in part if name in _BLOCKS), None)


def _add_part(message: SpanMessage, part: Any) -> None:
    kind = _kind(part)
    inner = part.get(kind) if kind is not None and isinstance(part.get(kind), dict) else part
    if kind is None or kind in _TEXTS:
        message.texts += [text] if (text := _text(part)) else []
    elif kind in _REASONING:
        message.reasoning += _reasoning(part)
    elif kind in _CALLS:
        message.calls.append(_call(inner))
    elif kind in _RESULTS:
        message.results.append(_result(inner))
    elif kind == _SERVER_CALL:
        body = part.get(kind)
        args = {name: value for name, value in body.items() if name != "type"} if isinstance(body, dict) else {}
        name = part.get("name") or (body.get("type") if isinstance(body, dict) else None)
        message.calls.append(RequestedCall(str(part.get("id") or ""), str(name or "unknown"), args))
    elif kind == _SERVER_RESULT:
        message.results.append(GivenResult(str(part.get("id") or ""), str(part.get("name") or ""), part.get(kind)))
    elif kind == _COMPACTION:
        message.compactions.append(part)
    elif kind != "cachePoint":
        message.texts.append(f"[{kind}]")
        message.data.append(_with_media_type(part, kind))


def _with_media_type(part: dict[str, Any], kind: str) -> dict[str, Any]:
    """Return a part that is no text with its media type as `mime_type`, if any member of it states one."""
    if "mime_type" in part:
        return part
    holder = next((value for name in (kind, "content", "source") if isinstance(value := part.get(name), dict)), part)
    source = holder.get("source")
    inner = source if isinstance(source, dict) else holder
    stated = next((inner[name] for name in ("media_type", "mimeType", "mime_type") if inner.get(name)), None)
    if stated is None and isinstance(holder.get("format"), str) and kind in ("image", "video"):
        stated = f"{kind}/{holder['format']}"
    return part if stated is None else {**part, "mime_type": stated}


def _call(source: Mapping[str, Any]) -> RequestedCall:
    function = source.get("function")
    body = function if isinstance(function, dict) else source
    given = next((body[name] for name in ("arguments", "input", "args") if body.get(name) is not None), None)
    args = arguments(given)
    id = next((source[name] for name in ("id", "call_id", "toolUseId", "tool_call_id") if source.get(name)), "")
    name, is_object = str(body.get("name") or "unknown"), isinstance(args, dict)
    return RequestedCall(str(id), name, args if is_object else None, None if is_object else given)


def _result(source: Mapping[str, Any]) -> GivenResult:
    id = next((source[name] for name in ("id", "call_id", "toolUseId", "tool_use_id") if source.get(name)), "")
    names = ("response", "result", "output", "content")
    value = next((source[name] for name in names if name in source), None)
    is_error = source.get("status") == "error" or source.get("is_error") is True or source.get("outcome") == "failed"
    return GivenResult(str(id), str(source.get("name") or ""), value, is_error)


def _reasoning(part: Any) -> str:
    """Return the text of reasoning; Bedrock has it two levels deeper."""
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return ""
    names = ("content", "text", "thinking", "reasoningContent", "reasoningText", "reasoning")
    return next((_reasoning(part[name]) for name in names if part.get(name)), "")


def _text(part: Any) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, dict):
        text = part.get("content", part.get("text", part.get("refusal")))
        if isinstance(text, str):
            return text
        if isinstance(part.get("type"), str):
            return ""  # a part whose content is not captured
    try:
        return orjson.dumps(part).decode()
    except orjson.JSONEncodeError:
        return repr(part)


def digest_of(part: Mapping[str, Any]) -> str:
    """Return a hash of a part that is no text."""
    try:
        data = orjson.dumps(part, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:
        data = repr(part).encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest()


def set_apart(part: Mapping[str, Any], apart: dict[str, str]) -> dict[str, Any]:
    """Return a part whose large text is replaced by its hash; `apart` gets the text by the hash."""
    members: dict[str, Any] = {}
    for name, value in part.items():
        if isinstance(value, dict):
            members[name] = set_apart(value, apart)
        elif isinstance(value, str) and len(value) > LARGEST_PART:
            digest = hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()
            apart[digest] = value
            members[name] = {"sha256": digest, "length": len(value)}
        else:
            members[name] = value
    return members

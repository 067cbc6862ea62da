"""Spans of OpenTelemetry, from a file or from a process, and what they say by the conventions for generative AI.

The attributes are those of the semantic conventions (https://opentelemetry.io/docs/specs/semconv/gen-ai/), their
earlier spellings, those that OpenLLMetry writes beside them, and those of OpenInference.
"""

from __future__ import annotations

import ast
import re
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import orjson

from checkpoint_ld.agents.values import LATEST_MS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Set

MEMBER: Final = "opentelemetry"
"""The member for attributes without a member of their own in a checkpoint."""
OPERATION: Final = "gen_ai.operation.name"
CHATS: Final = frozenset(("chat", "text_completion", "generate_content"))
AGENT: Final = "invoke_agent"
WORKFLOW: Final = "invoke_workflow"
TOOL: Final = "execute_tool"
CONVERSATION: Final = (
    *("gen_ai.conversation.id", "session.id", "traceloop.association.properties.thread_id"),
    *("traceloop.association.properties.session_id",),
)
"""The attributes that name a conversation, the surest first: strands names the session, OpenLLMetry the thread."""
USED: Final = (
    (
        *("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"),
        *("gen_ai.aggregated_usage.input_tokens", "llm.token_count.prompt"),
    ),
    (
        *("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"),
        *("gen_ai.aggregated_usage.output_tokens", "llm.token_count.completion"),
    ),
)
_KINDS: Final = {
    "traceloop.span.kind": {"agent": AGENT, "workflow": WORKFLOW, "tool": TOOL},
    "openinference.span.kind": {"AGENT": AGENT, "TOOL": TOOL, "LLM": "chat"},
    "llm.request.type": {"chat": "chat", "completion": "text_completion"},
}
"""The attributes by which earlier and other conventions state an operation."""
TOOL_NAME: Final = ("gen_ai.tool.name", "tool.name")
_ANSWERED: Final = (
    "llm.output_messages.",
    "llm.token_count.",
    "gen_ai.response.",
    "gen_ai.usage.",
    "gen_ai.completion",
    "gen_ai.output.messages",
)
_CANCELLED: Final = re.compile(r"(?:\w+\.)*(?:CancelledError|KeyboardInterrupt|GeneratorExit)\b", re.ASCII)
"""An error's text that begins with the name of an exception by which work is given up."""

Event = tuple[str, int, dict[str, Any]]
"""The name, the moment and the attributes of an event. The body of a log record is the attribute `event_body`."""
BODY: Final = "event_body"


@dataclass(slots=True)
class Span:
    """One span: ids in small hexadecimal digits, moments in milliseconds since 1970, attributes as JSON.

    `error` is the reason why it failed, None if it did not. `events` are its own and the log records of the same span.
    `more` holds other members: kind, links, scope.
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
    is_ok: bool = False
    """Whether its status is OK, which few instrumentations set."""
    nanoseconds: int = 0
    """The moment of the start in nanoseconds: many spans of one agent may begin in one millisecond."""

    @property
    def order(self) -> tuple[int, int, str]:
        """The key by which spans are sorted in time."""
        return self.start, self.nanoseconds, self.span_id

    @property
    def operation(self) -> str:
        """The operation in the words of the conventions; empty for a span that is not about an agent."""
        stated = self.attributes.get(OPERATION)
        if isinstance(stated, str):
            return stated
        for name, kinds in _KINDS.items():
            kind = self.attributes.get(name)
            if isinstance(kind, str) and kind in kinds:
                return kinds[kind]
        if self.parent_id is None and self.attributes.get("openinference.span.kind") == "CHAIN":
            return WORKFLOW
        return TOOL if "gen_ai.tool.name" in self.attributes else ""

    @property
    def tokens(self) -> int:
        """The tokens that were used."""
        counts = (self.first(*names) for names in USED)
        return sum(count for count in counts if isinstance(count, int) and count > 0)

    @property
    def is_answered(self) -> bool:
        """Whether a model's response left any trace in the span."""
        sources = [self.attributes, *(attributes for _, _, attributes in self.events)]
        is_stated = any(name.startswith(_ANSWERED) for source in sources for name in source)
        return is_stated or any(name == "gen_ai.choice" for name, _, _ in self.events)

    @property
    def is_cancelled(self) -> bool:
        """Whether it was given up: its error, its event or its attribute is that of a task which was cancelled."""
        kinds = [self.attributes.get("error.type"), self.error]
        kinds += [attributes.get("exception.type") for name, _, attributes in self.events if name == "exception"]
        return any(isinstance(kind, str) and _CANCELLED.match(kind) for kind in kinds)

    @property
    def instrumentation(self) -> tuple[str, str]:
        """The name and the version of what made the span."""
        scope = self.more.get("scope")
        members = scope if isinstance(scope, dict) else {}
        return str(members.get("name") or "unknown"), str(members.get("version") or "")

    def first(self, *names: str) -> Any:
        """Return the first of some attributes that is there."""
        return next((self.attributes[name] for name in names if self.attributes.get(name) not in (None, "")), None)

    def sources(self) -> Iterator[Mapping[str, Any]]:
        """Yield the attributes of the span, then those of each event and those in its body."""
        yield self.attributes
        for _, _, attributes in self.events:
            yield attributes
            if isinstance(body := attributes.get(BODY), dict):
                yield body

    def rest(self, used: Iterable[str] = (), events: Iterable[str] = ()) -> dict[str, Any]:
        """Return the span as JSON, without the attributes that are `used` elsewhere and without some `events`."""
        names, left_out = set(used), set(events)
        kept = [
            {"name": name, "time": time, "attributes": rest}
            for name, time, attributes in self.events
            if name not in left_out and ((rest := _without(attributes, names)) or not attributes)
        ]
        left = _without(self.attributes, names)
        members: dict[str, Any] = {"trace_id": self.trace_id, "span_id": self.span_id, "parent_span_id": self.parent_id}
        members |= {"name": self.name, "attributes": left, "events": kept, "error": self.error, **self.more}
        return {name: value for name, value in members.items() if value not in (None, [], {})}


def _without(attributes: Mapping[str, Any], names: Set[str]) -> dict[str, Any]:
    """Return attributes without some of them, also in the body of a log record."""
    left = {name: value for name, value in attributes.items() if name not in names}
    body = left.get(BODY)
    if isinstance(body, dict):
        left[BODY] = {name: value for name, value in body.items() if name not in names}
    return {name: value for name, value in left.items() if name != BODY or value not in ({}, None)}


def moment(nanoseconds: Any) -> int | None:
    """Return milliseconds since 1970 for nanoseconds, as a number or a text; None for other values."""
    with suppress(TypeError, ValueError, OverflowError):
        return min(max(int(nanoseconds), 0) // 1_000_000, LATEST_MS)
    return None


def error_of(message: str | None, events: list[Event]) -> str:
    """Return why a span failed: the message of its status, or the exception in an event."""
    if message:
        return message
    exception = next((exception for name, _, exception in events if name == "exception"), {})
    parts = [str(exception[name]) for name in ("exception.type", "exception.message") if exception.get(name)]
    return ": ".join(parts) or "failed"


def parsed(value: Any) -> Any:
    """Return the value of a text that is a JSON object or array, and any other value as it is."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        with suppress(orjson.JSONDecodeError):
            return orjson.loads(value)
    return value


def is_cut(value: Any) -> bool:
    """Return whether a text begins as JSON and does not end so, as under a limit on the length of attributes."""
    return isinstance(value, str) and value[:1] in ("{", "[") and isinstance(parsed(value), str)


def arguments(value: Any) -> Any:
    """Return the arguments of a call: an object if they are one, in JSON or in a callback of LangChain.

    Its callback states `{"input_str": "{'city': 'Oslo'}", "inputs": {…}, "tags": …}`. A text in it that is no object
    gives None: the message that requests the call knows better.
    """
    args = parsed(value)
    if not isinstance(args, dict) or "input_str" not in args:
        return args
    if isinstance(args.get("inputs"), dict):
        return args["inputs"]
    text = args["input_str"]
    made = parsed(text)
    if isinstance(made, str):
        with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
            made = ast.literal_eval(text)
    return made if isinstance(made, dict) and all(isinstance(key, str) for key in made) and _is_json(made) else None


def _is_json(value: Any) -> bool:
    with suppress(orjson.JSONEncodeError):
        return bool(orjson.dumps(value))
    return False

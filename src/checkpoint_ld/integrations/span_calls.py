"""The calls of a conversation in spans: what messages request, what spans execute, and what later messages answer.

One call is stated up to three times: by the message that requests it, by the span of its execution, and by the message
with its result, which every later request repeats. Their ids may differ, be used again, or be absent.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

import orjson

from checkpoint_ld.agents.values import ToolCall, id_of
from checkpoint_ld.documents.values import ABSENT
from checkpoint_ld.integrations.span_messages import content_of
from checkpoint_ld.integrations.spans import BODY, MEMBER, OPERATION, TOOL_NAME, Span, arguments, parsed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from checkpoint_ld.integrations.span_messages import GivenResult, RequestedCall, SpanMessage

MERGED: Final = "(merged tools)"
"""The name in a span that ADK writes beside those of several calls at once; it is no call."""
_ID: Final = "gen_ai.tool.call.id"
ARGUMENTS: Final = ("gen_ai.tool.call.arguments", "traceloop.entity.input", "input.value")
RESULT: Final = ("gen_ai.tool.call.result", "traceloop.entity.output", "output.value")
_REJECTED: Final = re.compile(
    r"The tool call was denied\.|User rejected the tool call|(Error: )?Tool call invocation was rejected by user"
    r"|Tool execution was not approved",
)
"""The results by which pydantic-ai, LangChain, Agent Framework and OpenAI's agents say that a person refused a call."""
_ANSWER: Final = re.compile(r"final_result(_\w+)?|transfer_to_\w+|handoff_to_\w+|[A-Z][a-z]\w*", re.ASCII)
"""The tools that nothing executes: outputs of pydantic-ai, hand-offs, and the classes of LangChain's outputs."""


class CallHome(Protocol):
    """The run that a call is a part of."""

    @property
    def trace_id(self) -> str:
        """The trace of the run."""


@dataclass(slots=True, eq=False)
class SpanCall:
    """One call of a conversation, as far as it is known.

    `home` is the run whose checkpoint has it. `own_id` is unique in the conversation, `given_id` the one that messages
    and spans use. `result` is ABSENT as long as there is none.
    """

    own_id: str
    given_id: str
    tool: str
    args: dict[str, Any] | None
    started: int
    home: CallHome | None = None
    other: Any = None
    result: Any = ABSENT
    error: str | None = None
    is_rejected: bool = False
    is_answer: bool = False
    is_requested: bool = False
    waits: bool = False
    ended: int | None = None
    span: Span | None = None
    used: tuple[str, ...] = ()

    def move(self, home: CallHome) -> None:
        """Make it part of a run, unless it is one of another run in the same trace."""
        if self.home is None or self.home.trace_id != home.trace_id:
            self.home = home

    @property
    def has_result(self) -> bool:
        """Whether it ended well, with a result that is known."""
        return self.result is not ABSENT and self.error is None and not self.is_rejected

    @property
    def is_open(self) -> bool:
        """Whether neither a span nor a message has ended it."""
        is_executed = self.span is not None and self.span.end is not None and not self.waits
        return self.result is ABSENT and self.error is None and not (is_executed or self.is_rejected)

    def tool_call(self) -> ToolCall:
        """Return the call of a checkpoint."""
        members: dict[str, Any] = {"id": id_of(self.own_id), "tool_id": id_of(self.tool), "args": self.args or {}}
        beside: dict[str, Any] = {"call_id": self.given_id if self.given_id != members["id"] else ""}
        beside |= {"arguments": self.other, "is_answer": self.is_answer}
        beside = {name: value for name, value in beside.items() if value not in (None, "", False)}
        if self.span is not None:
            beside |= self.span.rest(self.used)
        if beside:
            members[MEMBER] = beside
        return ToolCall(**members, started_at=self.started, **self._ending())

    def _ending(self) -> dict[str, Any]:
        """Return how the call ended: a call that a person refused took no time of anybody's."""
        if self.is_rejected:
            times = {"completed_at": self.started, "duration_ms": 0}
            return {"success": False, "status": "cancelled", "error": self.error, **times}
        if self.error is not None:
            is_cancelled = self.span is not None and self.span.is_cancelled
            status = "cancelled" if is_cancelled else "failed"
            return {"success": False, "status": status, "error": self.error, **self._times()}
        if not self.is_open or self.is_answer:
            return {"success": True, "status": "completed", **self._times()}
        if self.waits:
            return {"status": "pending"}
        return {} if self.span is None else {"status": "running"}

    def _times(self) -> dict[str, int]:
        ended = max(self.started if self.ended is None else self.ended, self.started)
        return {"completed_at": ended, "duration_ms": ended - self.started}


class RequestsOfHistory(NamedTuple):
    """The calls of the request before a result, without those answered, and all calls that its history requests."""

    pending: list[SpanCall]
    repeated: Sequence[SpanCall]


@dataclass(slots=True)
class CallLedger:
    """The calls of a conversation, in their order."""

    calls: list[SpanCall] = field(default_factory=list)
    _by_id: dict[str, list[SpanCall]] = field(default_factory=lambda: defaultdict(list))
    _by_tool: dict[str, deque[SpanCall]] = field(default_factory=lambda: defaultdict(deque))
    _ids: set[str] = field(default_factory=set)

    def put(self, call: SpanCall) -> None:
        """Add a call of an earlier checkpoint, or what a later one knows of it."""
        if call.own_id not in self._ids:
            self._add(call)
            return
        before = next(earlier for earlier in self.calls if id_of(earlier.own_id) == call.own_id)
        for name in ("args", "started", "result", "error", "is_rejected", "is_answer", "waits", "ended", "span"):
            setattr(before, name, getattr(call, name))

    def _add(self, call: SpanCall) -> SpanCall:
        while id_of(call.own_id) in self._ids:  # one id twice in one message
            call.own_id = f"{call.own_id}+"
        self._ids.add(id_of(call.own_id))
        self.calls.append(call)
        if call.given_id:
            self._by_id[call.given_id].append(call)
        if _is_free(call):
            self._by_tool[call.tool].append(call)
        return call

    def request(self, given: RequestedCall, name: str, when: int, home: CallHome) -> SpanCall:
        """Add the call that a message requests; `name` is its own id if it has none."""
        own = given.id or name
        if given.id and id_of(own) in self._ids:
            own = f"{given.id}/{name}"
        return self._add(SpanCall(own, given.id, given.tool, given.args, when, home, given.other, is_requested=True))

    def repeated(self, messages: Sequence[SpanMessage]) -> list[list[SpanCall | None]]:
        """Return, for each message of a history, the known calls that its requests repeat, None for new ones.

        The calls with one id are repeated in their order, the last of them if the history has fewer. A request whose
        id is unknown, as in OpenLLMetry's spans of OpenAI's agents, repeats a call of its tool and arguments whose id
        is in no request, by the same rule.
        """
        given = [call for message in messages for call in message.calls]
        repeats: list[SpanCall | None] = [None] * len(given)
        by_id = Counter(call.id for call in given if call.id in self._by_id)
        self._align(repeats, [call.id if call.id in by_id else None for call in given], self._by_id)
        rest = [
            (call.tool, _canonical(call.args)) if known is None else None
            for call, known in zip(given, repeats, strict=True)
        ]
        if any(rest):
            free: dict[tuple[str, str], list[SpanCall]] = defaultdict(list)
            for call in self.calls:
                if call.given_id not in by_id:
                    free[call.tool, _canonical(call.args)].append(call)
            self._align(repeats, rest, free)
        each = iter(repeats)
        return [[next(each) for _ in message.calls] for message in messages]

    @staticmethod
    def _align(places: list[SpanCall | None], keys: Sequence[Any], known: Mapping[Any, list[SpanCall]]) -> None:
        """Fill the places of `found` by keys with the last of the calls that are known by them, in their order."""
        counts = Counter(key for key in keys if key is not None)
        nexts = {key: max(len(known.get(key, ())) - count, 0) for key, count in counts.items()}
        for place, key in enumerate(keys):
            if key is not None and nexts[key] < len(known.get(key, ())):
                places[place] = known[key][nexts[key]]
                nexts[key] += 1

    def answer(self, given: GivenResult, requests: RequestsOfHistory, name: str, when: int, home: CallHome) -> None:
        """Add a result from a message; a result of no call in its history is that of an earlier one."""
        pending, repeated = requests
        call = next((other for other in pending if given.id and other.given_id == given.id), None)
        if call is None and given.id and (known := self._by_id.get(given.id)):
            others = [other for other in known if other not in repeated] or known
            call = next((other for other in others if other.is_open), others[-1])
        if call is None:
            call = next((other for other in pending if not given.tool or other.tool == given.tool), None)
        if call is None and not given.id and any(other not in repeated for other in self.calls):
            return  # of a call that was seen, by its place in a history that is cut off before it
        if call is None:
            call = self._add(SpanCall(given.id or name, given.id, given.tool or "unknown", {}, when, home))
        if call in pending:
            pending.remove(call)
        finish(call, given, when, home)

    def execute(self, span: Span, home: CallHome) -> None:
        """Add the execution of a call: of a requested one, or of one that no message requests."""
        tool, id = str(span.first(*TOOL_NAME) or span.name or "unknown"), str(span.first(_ID) or "")
        args, used = _given_arguments(span)
        result, ending = _given_result(span)
        id = id or ending.id
        call = self._executed(tool, id, args)
        if call is None:
            own = id or span.span_id
            if id and id_of(id) in self._ids:  # frameworks reuse the ids of calls in each run
                own = f"{id}/{span.span_id}"
            call = self._add(SpanCall(own, id, tool, None, span.start, home, span=span))
        call.span, call.tool, call.waits, call.is_answer = span, tool, False, False
        call.move(home)
        call.started, call.ended = span.start, None if span.end is None else max(span.end, span.start)
        call.used = (*TOOL_NAME, _ID, OPERATION, *used, *ending.used)
        if isinstance(args, dict):
            call.args = args
        if span.error is not None or ending.is_error:
            call.error = span.error or _brief(result)
        elif result is not ABSENT:
            call.result = result

    def _executed(self, tool: str, id: str, args: Any) -> SpanCall | None:
        """Return the requested call that a span executes: by its id, else by its tool, arguments and order."""
        waiting = self._by_tool[tool]
        while waiting and not _is_free(waiting[0]):
            waiting.popleft()
        known = [call for call in self._by_id.get(id, ()) if _is_free(call)] if id else []
        known = known or [call for call in waiting if _is_free(call)]
        if not known:
            return None
        same = [call for call in known if isinstance(args, dict) and _canonical(call.args) == _canonical(args)]
        if same:
            return same[0]
        is_sure = known[0].given_id == id or not isinstance(args, dict)
        return known[0] if is_sure or not id else None

    def complete(self, messages: Sequence[SpanMessage], when: int, home: CallHome) -> None:
        """Give open calls the results in messages that a run states as a whole, as those of output tools."""
        if not any(call.home is home and call.is_open for call in self.calls):
            return
        pending: list[SpanCall] = []
        for message, known in zip(messages, self.repeated(messages), strict=True):
            if message.calls:
                pending = [call for call in known if call is not None]
            for result in message.results:
                call = next((open_call for open_call in pending if result.id in ("", open_call.given_id)), None)
                if call is not None:
                    pending.remove(call)
                    finish(call, result, when, home)

    def end(self, home: CallHome, after: int) -> bool:
        """Mark the calls that a finished run leaves open: answers are completed, others wait for somebody.

        So do calls whose spans have arguments and no result, if no model was asked `after` that moment: OpenAI's agents
        state a call that needs an approval so. Return whether any waits.
        """
        is_waiting = False
        for call in self.calls:
            if call.home is not home or not call.is_requested:
                continue
            if call.span is None and call.is_open:
                call.is_answer = _ANSWER.fullmatch(call.tool) is not None
                call.waits = not call.is_answer
            elif call.span is not None and call.result is ABSENT and call.error is None and call.span.start >= after:
                call.waits = not set(ARGUMENTS).isdisjoint(call.used)
                if call.waits:
                    self._by_tool[call.tool].append(call)
            is_waiting = is_waiting or call.waits
        return is_waiting


def finish(call: SpanCall, given: GivenResult, when: int, home: CallHome) -> None:
    """Give a call the result of a message, unless it has ended with one already."""
    if call.is_rejected or call.error is not None or call.result is not ABSENT:
        return
    call.waits, call.is_answer = False, False
    call.move(home)
    text = _brief(given.value)
    if _REJECTED.match(text):
        call.is_rejected, call.error = True, text
        return
    call.result = given.value
    if given.is_error and call.span is None:
        call.error, call.result = text, ABSENT
    if call.span is None:
        call.ended = when


def reject_unexecuted(waited: Iterable[SpanCall]) -> None:
    """Mark calls as rejected that waited for a person and were answered without a span, while others got spans."""
    calls = list(waited)
    executed = {call.tool for call in calls if call.span is not None}
    for call in calls:
        if call.span is None and call.result is not ABSENT and call.tool in executed:
            call.is_rejected, call.error, call.result = True, _brief(call.result), ABSENT


def _is_free(call: SpanCall) -> bool:
    """Whether a span may be its execution: it has none yet, or one that only waited for a person."""
    return call.waits if call.span is not None else call.is_open


@dataclass(frozen=True, slots=True)
class _Ending:
    """What a span states about the end of a call beside the result."""

    id: str = ""
    is_error: bool = False
    used: tuple[str, ...] = ()


def _given_arguments(span: Span) -> tuple[Any, tuple[str, ...]]:
    """Return the arguments in a span, and the attributes that are not needed any more."""
    for name in ARGUMENTS:
        if span.attributes.get(name) is not None:
            args = arguments(span.attributes[name])
            return args, (name,) if isinstance(args, dict) else ()
    for attributes in _events(span, "gen_ai.tool.message"):  # strands
        if isinstance(args := arguments(attributes.get("content")), dict):
            return args, ()
    requested = [call.args for message in content_of(span).inputs for call in message.calls]
    return (requested[0] if requested else None), ()


def _given_result(span: Span) -> tuple[Any, _Ending]:
    """Return the result in a span, ABSENT without one; LangChain's messages are unpacked."""
    for name in RESULT:
        if span.attributes.get(name) is not None:
            value = parsed(span.attributes[name])
            kwargs = _langchain_message(value)
            if kwargs is None:
                return value, _Ending(used=(name,))
            id, is_error = str(kwargs.get("tool_call_id") or ""), kwargs.get("status") == "error"
            return kwargs.get("content"), _Ending(id, is_error, (name,))
    for attributes in _events(span, "gen_ai.choice"):
        if "message" in attributes:
            return parsed(attributes["message"]), _Ending()
    given = [result for message in content_of(span).outputs for result in message.results]
    return (given[0].value, _Ending(given[0].id, given[0].is_error)) if given else (ABSENT, _Ending())


def _events(span: Span, wanted: str) -> Iterator[dict[str, Any]]:
    """Yield the attributes of events of one name, with the bodies of log records."""
    for name, _, attributes in span.events:
        if name == wanted:
            body = attributes.get(BODY)
            yield {**attributes, **body} if isinstance(body, dict) else attributes


def _langchain_message(value: Any) -> dict[str, Any] | None:
    """Return the members of a message that LangChain has serialised: OpenLLMetry and OpenInference state results so."""
    message = value.get("output", value) if isinstance(value, dict) else None
    kwargs = message.get("kwargs", message.get("data")) if isinstance(message, dict) else None
    return kwargs if isinstance(kwargs, dict) and "tool_call_id" in kwargs else None


def _canonical(args: Any) -> str:
    try:
        return orjson.dumps(args or {}, option=orjson.OPT_SORT_KEYS).decode()
    except orjson.JSONEncodeError:
        return repr(args)


def _brief(value: Any) -> str:
    if isinstance(value, str):
        return value
    parts = value if isinstance(value, list) else [value]
    texts = [part.get("text", part.get("content")) for part in parts if isinstance(part, dict)]
    text_of_parts = "\n".join(text for text in texts if isinstance(text, str))
    return text_of_parts or _canonical(value)

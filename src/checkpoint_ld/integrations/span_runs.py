"""Runs of agents in spans of OpenTelemetry: chats become thoughts, tools become calls, each run a checkpoint.

A run is a span `invoke_agent` with the spans below it. Runs of one conversation are one execution, and what was seen in
one of them is not said again in the next. Attributes without a place in a checkpoint are kept in a member
`opentelemetry` of their object.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from checkpoint_ld.agents.values import LARGEST_COUNT, AgentHeader, Thought, id_of, snapshot_of
from checkpoint_ld.checkpointing.exchange import new_checkpoint
from checkpoint_ld.integrations.span_calls import MERGED, RequestsOfHistory, reject_unexecuted
from checkpoint_ld.integrations.span_conversations import Conversations, ConversationState
from checkpoint_ld.integrations.span_messages import SpanContent, SpanMessage, content_of, set_apart, transcript_of
from checkpoint_ld.integrations.span_tree import SpanTree, agent_name
from checkpoint_ld.integrations.spans import AGENT, CHATS, CONVERSATION, MEMBER, TOOL, WORKFLOW, Span
from checkpoint_ld.phrases import encodable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from checkpoint_ld.agents.checkpoint import AgentCheckpoint

_ABOUT: Final = ("question", "benchmark")
"""Our attributes after `checkpoint_ld.about.`: the question and the benchmark that the agent worked on."""
_TYPES: Final = {"system": "planning", "developer": "planning", "user": "observation", "compaction": "observation"}
_CYCLE: Final = "execute_event_loop_cycle"
"""The operation of strands around a chat and its tools, which repeats all their messages."""


def checkpoints_of(spans: Sequence[Span], conversations: Conversations) -> Iterator[tuple[AgentCheckpoint, SpanRun]]:
    """Yield a checkpoint for each run of an agent in the spans of one trace, which may come in any order, and its run.

    Spans without a run above them are one run together. Raises WriteError for values that no checkpoint can hold, and
    as the stores do.
    """
    tree = SpanTree(spans)
    outer = tree.outer_steps()
    runs: dict[str | None, SpanRun] = {}
    last: dict[str, SpanRun] = {}
    for owner, members in tree.runs():
        if not any(span.operation not in ("", "create_agent") for span in members):
            continue
        run = SpanRun(tree.by_id.get(owner or ""), members, runs.get(tree.caller(owner)), tree.conversation(owner))
        run.join(conversations)
        run.follow(last.get(run.execution_id) or conversations.parent(run))
        state = conversations.state(run.execution_id, run.parent_id)
        run.read(state, outer)
        state.checkpoint_id = run.id
        runs[owner] = last[run.execution_id] = run
    for run in runs.values():  # when all are read: one run may have the results of another one's calls
        yield run.checkpoint(), run
    for run in runs.values():
        run.forget()


def _doubled(outer: Mapping[str, str], contents: Mapping[str, SpanContent]) -> set[str]:
    """Return the spans of steps that another span states as well, which counts: the one with content, or around it."""
    doubled = set(outer)
    for inner, around in outer.items():
        both = contents.get(inner), contents.get(around)
        if around not in doubled and both[0] is not None and both[1] is not None:
            doubled ^= {inner, around} if both[1].is_empty and not both[0].is_empty else set()
    return doubled


class SpanRun:
    """One run of an agent, made from its spans.

    `caller` is the run that calls it, `conversation` the one that it is a part of, unless its own spans state another.
    """

    def __init__(
        self, root: Span | None, spans: Sequence[Span], caller: SpanRun | None, conversation: str | None
    ) -> None:
        self.root = root
        self.spans = spans
        self.head = root or next(span for span in spans if span.operation)
        self.trace_id = self.head.trace_id
        self.caller = caller
        stated = next((value for name in CONVERSATION if (value := self._first(name)) is not None), None)
        self.conversation = conversation if stated is None else str(stated)
        self.execution_id = self._execution_id()
        self.id = id_of(f"otel_{self.head.trace_id}_{self.head.span_id}")
        self.start = min(span.start for span in spans)
        self.end = max(max(span.start, span.end or 0) for span in spans)
        self.parent_id: str | None = None
        self.counts = {"step_number": 0, "tokens_used": 0, "duration_ms": self.end - self.start}
        self.cut: list[tuple[Span, str]] = []
        self.silent: set[str] = set()
        self._before: dict[str, int] = {}
        self._thoughts: dict[str, Thought] = {}
        self._others: list[dict[str, Any]] = []
        self._apart: dict[str, str] = {}
        self._keys: list[str] = []
        self._is_waiting = self._is_cut_off = False
        self._state = ConversationState()

    def _first(self, *names: str) -> Any:
        """Return the first of some attributes that the run's own span has, or another one of its spans."""
        return next((value for span in (self.head, *self.spans) if (value := span.first(*names)) is not None), None)

    def _execution_id(self) -> str:
        """Return the conversation, or the trace; an agent that another one calls is a part of its caller's.

        It has the same execution in each turn. A conversation that its caller does not have is its own.
        """
        caller = self.caller
        if caller is None:
            return id_of(self.conversation or self.head.trace_id)
        if self.conversation is not None and self.conversation != caller.conversation:
            return id_of(self.conversation)
        return id_of(f"{caller.execution_id}/{agent_name(self.head) or self.head.span_id}")

    @property
    def agent_id(self) -> str:
        """The agent: its id, its name, or the service."""
        stated = self.head.first("gen_ai.agent.id", "gen_ai.agent.name") or self._first(
            "gen_ai.agent.name", "gen_ai.agent.id"
        )
        return id_of(str(stated or self.head.resource.get("service.name") or "agent"))

    def join(self, conversations: Conversations) -> None:
        """Find the conversation that the run goes on with, if no span names one: the one whose messages it repeats."""
        if self.conversation is None and self.caller is None:
            first = next((span for span in self.spans if span.operation in CHATS), None)
            continued = None if first is None else conversations.continued(self, content_of(first).inputs)
            self.execution_id = self.execution_id if continued is None else continued

    def follow(self, before: SpanRun | AgentHeader | None) -> None:
        """Count on from the run before it in its conversation."""
        if before is None or before.id == self.id:
            return
        self.parent_id = before.id
        counts = before.counts if isinstance(before, SpanRun) else {name: getattr(before, name) for name in self.counts}
        self._before = {name: int(count) for name, count in counts.items()}

    def read(self, state: ConversationState, outer: Mapping[str, str]) -> None:
        """Read the spans in their order, and what the run's own span states of the whole.

        `outer` are the spans that state the same chat or call as one inside them. Of two chats, the one with content
        counts, the outer one if both have it.
        """
        self._state, root = state, self.root
        waited = [call for call in state.ledger.calls if call.waits]
        contents = {span.span_id: content_of(span) for span in self.spans if span.operation in CHATS}
        doubled = _doubled(outer, contents)
        has_content = any(not content.is_empty for content in contents.values())
        own = SpanContent() if root is None else content_of(root)
        transcript, _ = ([], None) if root is None else transcript_of(root)
        if not own.is_captured:
            self.silent = {
                id for id, content in contents.items() if not (content.is_captured or content.cut or id in doubled)
            }
        if root is not None:
            self.cut += [(root, name) for name in own.cut]
            if not has_content:
                self._hear(own.inputs, f"{root.span_id}/in", root.start, is_first=True)
        steps, tokens, is_first = 0, 0, True
        for span in self.spans:
            is_chat = span.span_id in contents
            is_call = span.operation == TOOL and span.first("gen_ai.tool.name") != MERGED
            if span.span_id in doubled or not (is_chat or is_call):
                self._add_other(span, has_content=has_content)
                continue
            if is_call:
                state.ledger.execute(span, self)
            else:
                self._add_chat(span, contents[span.span_id], is_first=has_content and is_first)
                is_first = False
                tokens += span.tokens
            steps += 1
        if root is not None and not has_content:
            messages = own.outputs or transcript
            self._hear(messages, root.span_id, root.end or root.start, is_first=not own.inputs)
            steps += not contents and bool(own.outputs)
        tokens = tokens or (0 if root is None else root.tokens)
        self.counts |= {"step_number": steps, "tokens_used": tokens}
        self.counts = {
            name: min(count + self._before.get(name, 0), LARGEST_COUNT) for name, count in self.counts.items()
        }
        for messages in (own.outputs, transcript):
            state.ledger.complete(messages, self.end, self)
        reject_unexecuted(waited)
        self._is_cut_off = self._has_no_end(transcript, contents)
        if root is not None and root.end is not None and root.error is None and not self._is_cut_off:
            last_request = max((span.start for span in self.spans if span.operation in CHATS), default=0)
            self._is_waiting = state.ledger.end(self, last_request)

    def _has_no_end(self, transcript: Sequence[SpanMessage], contents: Mapping[str, SpanContent]) -> bool:
        """Whether it was given up: its last step was cancelled, or is a chat that a model never answered."""
        root = self.root
        steps = [span for span in self.spans if span.operation in CHATS or span.operation == TOOL]
        if root is None or root.is_cancelled or not steps:
            return root is not None and root.is_cancelled
        final = max(steps, key=lambda span: (span.end or span.start, span.order))
        if final.is_cancelled and root.error is None:
            return True
        is_silent = final.operation in CHATS and not (final.error or final.is_ok or final.is_answered)
        is_captured = final.operation in CHATS and bool(contents[final.span_id].inputs)
        is_known = is_captured or transcript_of(root)[1] is not None
        return is_silent and is_known and not (transcript and transcript[-1].role == "assistant")

    def _add_other(self, span: Span, *, has_content: bool) -> None:
        """Keep a span that is neither a chat nor a call, without the messages that are thoughts already."""
        used: set[str] = set()
        events: set[str] = set()
        if span is self.root or (has_content and span.operation in (AGENT, WORKFLOW, _CYCLE)):
            content = content_of(span)
            used, events = content.used, content.events
            name = transcript_of(span)[1]
            used |= set() if name is None else {name}
        self._others.append(span.rest(used, events))

    def _add_chat(self, span: Span, content: SpanContent, *, is_first: bool) -> None:
        """Add the input and output messages of a model, but for input that earlier spans had."""
        self.cut += [(span, name) for name in content.cut]
        self._hear(content.inputs, f"{span.span_id}/in", span.start, is_first=is_first)
        rest = span.rest(content.used, content.events)
        about = {"model": span.first("gen_ai.response.model", "gen_ai.request.model", "llm.model_name"), MEMBER: rest}
        outputs = content.outputs or [SpanMessage("assistant", [f"failed: {span.error}"] if span.error else [])]
        when = span.end or span.start
        for number, message in enumerate(outputs):
            name = f"{span.span_id}/{number}"
            calls = [
                self._state.ledger.request(call, f"{name}/{place}", when, self)
                for place, call in enumerate(message.calls)
            ]
            self._think(message, name, when, {} if number else about)
            requests = RequestsOfHistory([*calls], calls)
            for place, result in enumerate(message.results):
                self._state.ledger.answer(result, requests, f"{name}/result/{place}", when, self)

    def _hear(self, messages: Sequence[SpanMessage], name: str, when: int, *, is_first: bool) -> None:
        """Add those messages of a history that are new, and the results in it.

        A turn begins with what somebody says, even if the same was said before: if none of the messages after the last
        answer is new in the first history of a turn, all of them are, unless the conversation ended with them.
        """
        state, present = self._state, Counter[str]()
        news = []
        for message in messages:
            present[message.key] += 1
            parts = message.keys_of_texts
            is_known = bool(parts) and all(state.seen[part] for part in parts)
            news.append(present[message.key] > state.seen[message.key] and not is_known and not message.is_mute)
        answered = max((place for place, other in enumerate(messages) if other.role == "assistant"), default=-1)
        after = range(answered + 1, len(messages))
        trailing = [place for place in after if messages[place].role == "user" and not messages[place].is_mute]
        if is_first and trailing and not any(news) and messages[trailing[-1]].key != state.last:
            news = [place in trailing for place in range(len(messages))]
        every = state.ledger.repeated(messages)
        requested = [call for known in every for call in known if call is not None]
        requests = RequestsOfHistory([], requested)
        for number, (message, known) in enumerate(zip(messages, every, strict=True)):
            step = f"{name}/{number}"
            calls = []
            for place, (given, call) in enumerate(zip(message.calls, known, strict=True)):
                if call is None:
                    calls.append(state.ledger.request(given, f"{step}/{place}", when, self))
                    continue
                calls.append(call)
                if call.span is None and call.is_open and given.args is not None:  # a person may have edited them
                    call.args = given.args
            if message.calls:
                requests = RequestsOfHistory([*calls], requested)
            if news[number] or None in known:
                self._think(message, step, when, None)
            for place, result in enumerate(message.results):
                state.ledger.answer(result, requests, f"{step}/result/{place}", when, self)

    def _think(self, message: SpanMessage, name: str, when: int, about: dict[str, Any] | None) -> None:
        """Add a message as a thought, with what is known about the span that it is the output of."""
        keys = [] if message.is_mute else [*message.keys_of_texts, message.key]
        self._state.note(keys)
        self._keys += keys
        for number, part in enumerate(message.compactions):
            beside = {key: value for key, value in part.items() if key not in ("type", "content")}
            content = part.get("content")
            text = content if isinstance(content, str) else "[compaction]"
            self._think(SpanMessage("compaction", [text], more=beside), f"{name}/compaction/{number}", when, None)
        is_bare = not (message.text.strip() or message.reasoning or message.data or message.calls)
        if is_bare and (about is None or (message.compactions and not about)):
            return
        about_thought: dict[str, Any] = {"role": message.role, **(about or {})}
        parts = [set_apart(part, self._apart) for part in message.data]
        more = {**message.more, **({"parts": parts} if parts else {})}
        if more:
            about_thought[MEMBER] = {**about_thought.get(MEMBER, {}), "message": more}
        given: dict[str, Any] = {"reasoning": encodable(message.reasoning)} if message.reasoning else {}
        calling = "calls " + ", ".join(call.tool for call in message.calls) if message.calls else ""
        self._thoughts[name] = Thought(
            id=id_of(name),
            type="tool_selection" if message.calls else _TYPES.get(message.role, "reasoning"),
            content=encodable(message.text or calling),
            created_at=when,
            metadata={key: value for key, value in about_thought.items() if value is not None},
            **given,
        )

    def forget(self) -> None:
        """Let go of the run's calls, so that the state of the conversation does not hold its spans."""
        for call in self._state.ledger.calls:
            if call.home is self:
                call.home = None

    def checkpoint(self) -> AgentCheckpoint:
        """Return the checkpoint at the end of the run."""
        root = self.root
        reason = "paused" if self._is_waiting else "execution_completed"
        if root is not None and root.error is not None and not self._is_cut_off:
            reason = "execution_failed"
        elif root is None or root.end is None or self._is_cut_off:
            reason = "auto"
        caller = None if self.caller is None else self.caller.execution_id
        beside: dict[str, Any] = {"resource": dict(self.head.resource), "called_by": caller, "spans": self._others}
        beside |= {"messages": self._keys, "contents": self._apart}
        calls = [call for call in self._state.ledger.calls if call.home is self]
        snapshot = snapshot_of(
            tuple(self._thoughts.values()),
            tuple(call.tool_call() for call in calls),
            {id_of(call.own_id): call.result for call in calls if call.has_result},
            counts=self.counts,
            opentelemetry={name: value for name, value in beside.items() if value},
        )
        name = self._first("gen_ai.agent.name")
        keys = {name: f"checkpoint_ld.about.{name}" for name in _ABOUT}
        stated = {name: self._first(key) or self.head.resource.get(key) for name, key in keys.items()}
        about = {name: value for name, value in stated.items() if isinstance(value, str) and value}
        return new_checkpoint(
            snapshot,
            reason,
            agent_name=name if isinstance(name, str) else None,
            id=self.id,
            timestamp=self.end,
            execution_id=self.execution_id,
            agent_id=self.agent_id,
            parent=None if self.parent_id is None else {"checkpoint_id": self.parent_id},
            about=about or None,
        )

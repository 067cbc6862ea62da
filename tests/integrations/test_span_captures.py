"""A conversation is the same, however its spans were captured."""

import json
import tempfile
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.integrations.otlp_files import Trace, imported, said, text
from tests.trials import examples

from checkpoint_ld.agents.checkpoint import AgentCheckpoint

DETAILS = "gen_ai.client.inference.operation.details"


@dataclass(frozen=True)
class Capture:
    """How a framework writes its spans."""

    ids: str  # of calls in messages: unique, those of each turn again, one for all of a message, none
    span_ids: str  # of calls in spans: the same, others, none
    results: str  # in spans, or in messages only
    place: str  # of messages: attributes, events or log records
    history: str  # of earlier turns: all, the last messages, nothing
    conversation: bool  # whether spans name it


CAPTURES = st.builds(
    Capture,
    ids=st.sampled_from(["unique", "again", "one", "none"]),
    span_ids=st.sampled_from(["same", "other", "none"]),
    results=st.sampled_from(["spans", "messages", "no spans"]),
    place=st.sampled_from(["attributes", "events", "records"]),
    history=st.sampled_from(["all", "last", "none"]),
    conversation=st.booleans(),
)
TURNS = st.lists(
    st.tuples(
        st.sampled_from(["go on", "yes", "why?"]),
        st.lists(st.tuples(st.sampled_from(["look", "list"]), st.integers(0, 2)), max_size=3),
        st.sampled_from(["done", "so it is"]),
    ),
    min_size=1,
    max_size=4,
)
Turns = list[tuple[str, list[tuple[str, int]], str]]


class Agent:
    """Writes the spans of a conversation."""

    def __init__(self, capture: Capture) -> None:
        self.capture = capture
        self.history: list[Any] = []
        self.numbers = count()

    def turn(self, number: int, question: str, calls: list[tuple[str, int]], answer: str) -> Trace:
        """Return a turn, in which all calls are asked for at once."""
        is_named = self.capture.conversation or self.capture.history != "all"
        trace = Trace(number + 1, **({"gen_ai.conversation.id": "c1"} if is_named else {}))
        root = trace.agent()
        cut = {"all": 0, "last": max(len(self.history) - 2, 0), "none": len(self.history)}[self.capture.history]
        self.history = [*self.history[cut:], text(question)]
        if calls:
            requests, results = [], []
            made = [(tool, {"n": given}, f"{tool} {given}: {next(self.numbers)}") for tool, given in calls]
            for place, (tool, args, result) in enumerate(made):
                id = {"unique": f"{number}-{place}", "again": f"call-{place}", "one": "call", "none": ""}[
                    self.capture.ids
                ]
                requests.append({"type": "tool_call", "id": id, "name": tool, "arguments": args})
                results.append({"type": "tool_call_response", "id": id, "response": result})
            request = {"role": "assistant", "parts": requests}
            self.chat(trace, root, request)
            for (tool, args, result), part in zip(made, requests, strict=True):
                span_id: Any = {"same": part["id"], "other": f"span-{result}", "none": None}[self.capture.span_ids]
                has_result = self.capture.results == "spans"
                if self.capture.results != "no spans":
                    trace.tool(root, tool, span_id or None, args, result if has_result else None)
            self.history += [request, {"role": "tool", "parts": results}]
        self.chat(trace, root, said(answer))
        self.history.append(said(answer))
        return trace

    def chat(self, trace: Trace, root: str, output: Any) -> None:
        """Add a chat with what was said so far."""
        held = {"gen_ai.input.messages": json.dumps(self.history), "gen_ai.output.messages": json.dumps([output])}
        if self.capture.place == "attributes":
            trace.add("chat", root, **held)
        elif self.capture.place == "events":
            trace.add("chat", root, events=[(DETAILS, {name: one}) for name, one in held.items()])
        else:
            trace.record(trace.add("chat", root), DETAILS, **held)


def wanted(turns: Turns) -> tuple[list[list[str]], list[list[tuple[Any, ...]]]]:
    numbers = count()
    contents, calls = [], []
    for question, asked, answer in turns:
        calling = ["calls " + ", ".join(tool for tool, _ in asked)] if asked else []
        contents.append([question, *calling, answer])
        calls.append([(tool, {"n": given}, f"{tool} {given}: {next(numbers)}") for tool, given in asked])
    return contents, calls


def found(checkpoints: list[AgentCheckpoint]) -> tuple[list[list[str]], list[list[tuple[Any, ...]]]]:
    contents = [[one.content for one in run.snapshot.thought_chain] for run in checkpoints]
    states = [run.snapshot.tool_state for run in checkpoints]
    return contents, [[(one.tool_id, one.args, state.results.get(one.id)) for one in state.calls] for state in states]


@given(capture=CAPTURES, turns=TURNS)
@settings(max_examples=examples(60), deadline=None)
def test_a_conversation_is_the_same_however_it_is_captured(capture: Capture, turns: Turns) -> None:
    agent = Agent(capture)
    traces = [agent.turn(number, *turn) for number, turn in enumerate(turns)]
    with tempfile.TemporaryDirectory() as folder:
        assert found(imported(Path(folder), *traces)) == wanted(turns)


WORDS = st.sampled_from(["", "t1", "text", "assistant", "tool", "user", "blob", '{"a": 1}', '[{"text": "x"}]'])
NAMES = st.sampled_from(
    [
        *("type", "role", "parts", "content", "text", "id", "name", "arguments", "response", "result", "tool_calls"),
        *("function", "toolUse", "toolResult", "toolUseId", "reasoningContent", "image", "source", "format", "status"),
        *("server_tool_call", "server_tool_call_response", "mime_type", "kwargs", "output", "input_str", "inputs"),
    ]
)
TYPES = st.sampled_from(["tool_call", "tool_call_response", "server_tool_call", "compaction", "reasoning", "blob"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 2**70) | WORDS | TYPES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)
PLACES = [
    *("gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions", "gen_ai.tool.call.arguments"),
    *("gen_ai.tool.call.result", "gen_ai.prompt.0.content", "gen_ai.completion.0.tool_calls.0.name", "error.type"),
    *("gen_ai.usage.input_tokens", "gen_ai.tool.call.id", "gen_ai.conversation.id", "message", "content"),
]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["invoke_agent", "invoke_workflow", "chat", "execute_tool", "other"]),
            st.integers(0, 5),
            st.dictionaries(st.sampled_from(PLACES), JSON, max_size=4),
            st.booleans(),
            st.sampled_from(["", "gen_ai.choice", "gen_ai.tool.message", "gen_ai.user.message", "exception", DETAILS]),
        ),
        min_size=1,
        max_size=6,
    )
)
@settings(max_examples=examples(150), deadline=None)
def test_any_json_may_stand_where_messages_do(steps: list[tuple[str, int, dict[str, Any], bool, str]]) -> None:
    trace = Trace(1, **{"gen_ai.agent.name": "coat"})
    trace.agent()
    for operation, parent, held, is_text, event in steps:
        found = {name: json.dumps(one) if is_text else whole(one) for name, one in held.items()}
        above = trace.spans[parent % len(trace.spans)]["spanId"]
        if event:
            trace.add(operation, above, events=[(event, found)])
        else:
            trace.add(operation, above, **found)
    with tempfile.TemporaryDirectory() as folder:
        assert imported(Path(folder), trace)


def whole(value: Any) -> Any:
    """Return JSON without numbers that OTLP does not have."""
    if isinstance(value, list):
        return [whole(one) for one in value]
    if isinstance(value, dict):
        return {name: whole(one) for name, one in value.items()}
    return str(value) if isinstance(value, int) and value > 2**63 else value

"""Files of OTLP/JSON for tests: spans as frameworks emit them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.checkpointing import CheckpointManager
from checkpoint_ld.checkpointing.exchange import Imported
from checkpoint_ld.integrations.otlp import import_spans

START = 1_700_000_000_000_000_000


def value(found: Any) -> dict[str, Any]:
    """Return a value as OTLP/JSON has it."""
    if isinstance(found, bool):
        return {"boolValue": found}
    if isinstance(found, int):
        return {"intValue": str(found)}
    if isinstance(found, dict):
        return {"kvlistValue": {"values": attributes(found)}}
    if isinstance(found, list):
        return {"arrayValue": {"values": [value(one) for one in found]}}
    return {} if found is None else {"stringValue": found}


def attributes(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Return attributes as OTLP/JSON has them."""
    return [{"key": name, "value": value(one)} for name, one in found.items()]


def text(content: str, role: str = "user") -> dict[str, Any]:
    """Return a message of one text."""
    return {"role": role, "parts": [{"type": "text", "content": content}]}


def said(content: str) -> dict[str, Any]:
    """Return an answer of a model."""
    return text(content, "assistant")


def asked(*calls: tuple[str, str, Any]) -> dict[str, Any]:
    """Return a message that requests calls, each an id, a tool and arguments."""
    parts = [{"type": "tool_call", "id": id, "name": tool, "arguments": args} for id, tool, args in calls]
    return {"role": "assistant", "parts": parts}


def given(*results: tuple[str, Any]) -> dict[str, Any]:
    """Return a message with results, each with the id of its call."""
    return {"role": "tool", "parts": [{"type": "tool_call_response", "id": id, "response": one} for id, one in results]}


class Trace:
    """A trace that is written step by step; each span takes a millisecond."""

    def __init__(self, number: int = 1, **shared: Any) -> None:
        self.id = f"{number:032x}"
        self.spans: list[dict[str, Any]] = []
        self.records: list[dict[str, Any]] = []
        self.shared = shared
        self._steps = count(number * 1000)

    def add(self, operation: str, parent: str | None = None, **found: Any) -> str:
        """Add a span; `error`, `events` and `code` are its own, the others attributes."""
        at = next(self._steps)
        start = START + at * 2_000_000
        error, events, code = found.pop("error", None), found.pop("events", []), found.pop("code", None)
        status = {"code": 2, "message": error} if error else {"code": code} if code else {}
        held = {"gen_ai.operation.name": operation, **self.shared, **found}
        span = {
            "traceId": self.id,
            "spanId": f"{at:016x}",
            **({"parentSpanId": parent} if parent else {}),
            "name": f"the span of {operation}",
            "startTimeUnixNano": str(start),
            "endTimeUnixNano": str(start + 1_000_000),
            "attributes": attributes({name: one for name, one in held.items() if one is not None}),
            "events": [
                {"timeUnixNano": str(start), "name": name, "attributes": attributes(one)} for name, one in events
            ],
            "status": status,
        }
        self.spans.append(span)
        return str(span["spanId"])

    def agent(self, name: str = "coat", parent: Any = None, **found: Any) -> str:
        """Add an agent, which lasts as long as the whole trace."""
        id = self.add("invoke_agent", parent, **{"gen_ai.agent.name": name, **found})
        self.spans[-1]["endTimeUnixNano"] = str(int(self.spans[-1]["startTimeUnixNano"]) + 500_000_000)
        return id

    def chat(self, parent: str | None, inputs: Sequence[Any], *outputs: Any, **found: Any) -> str:
        """Add a chat, with its messages as JSON text."""
        held = {"gen_ai.input.messages": json.dumps(list(inputs))}
        held |= {"gen_ai.output.messages": json.dumps(outputs)} if outputs else {}
        return self.add("chat", parent, **{**held, **found})

    def tool(
        self, parent: str | None, name: str, id: str | None = None, args: Any = None, result: Any = None, **more: Any
    ) -> str:
        """Add the execution of a tool."""
        found = {"gen_ai.tool.name": name, "gen_ai.tool.call.id": id, "gen_ai.tool.call.result": result}
        found["gen_ai.tool.call.arguments"] = None if args is None else json.dumps(args)
        return self.add("execute_tool", parent, **found, **more)

    def record(self, span: str, name: str, body: Any = None, **found: Any) -> None:
        """Add a log record about a span."""
        held = {"timeUnixNano": str(START), "eventName": name, "traceId": self.id, "spanId": span}
        self.records.append(
            {**held, "attributes": attributes(found), **({} if body is None else {"body": value(body)})}
        )

    def lines(self, scope: str = "lib") -> list[str]:
        """Return the spans and the records as lines."""
        spans = {"scopeSpans": [{"scope": {"name": scope, "version": "1"}, "spans": self.spans}]}
        logs = {"scopeLogs": [{"scope": {"name": scope}, "logRecords": self.records}]}
        found = [json.dumps({"resourceSpans": [spans]})]
        return [*found, json.dumps({"resourceLogs": [logs]})] if self.records else found


def imported(folder: Path, *traces: Trace) -> list[AgentCheckpoint]:
    """Return the checkpoints of some traces in one file, which is imported twice: the second time adds nothing."""
    file = folder / "spans.jsonl"
    file.write_text("\n".join(line for trace in traces for line in trace.lines()), encoding="utf-8")
    with CheckpointManager(folder / "kept") as manager:
        done = list(import_spans(manager, file))
        again = list(import_spans(manager, file))
        assert [one.error for one in (*done, *again)] == [None] * len(done) * 2, done
        assert not any(one.created for one in again)
        assert manager.verify() == ()
        return [manager.get(one.checkpoint.id) for one in done if one.checkpoint is not None]


def findings(done: Sequence[Imported]) -> list[str]:
    """Return the messages about files, without those about the checkpoints themselves."""
    return [one.message for result in done for one in result.findings if one.rule == ""]


def thoughts(checkpoint: AgentCheckpoint) -> list[tuple[str, str]]:
    """Return the types and the contents of thoughts."""
    return [(one.type, one.content) for one in checkpoint.snapshot.thought_chain]


def calls(checkpoint: AgentCheckpoint) -> list[tuple[Any, ...]]:
    """Return tools, arguments, statuses and results of calls, which are "-" if there is none."""
    state = checkpoint.snapshot.tool_state
    return [(one.tool_id, one.args, one.status, state.results.get(one.id, "-")) for one in state.calls]

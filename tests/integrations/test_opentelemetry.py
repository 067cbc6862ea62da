"""Spans of OpenTelemetry as checkpoints: of a framework as it runs, and of files in OTLP/JSON."""

import asyncio
import gc
import gzip
import json
import logging
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from tests.cli.conftest import Run, run

from checkpoint_ld.checkpointing import CheckpointManager
from checkpoint_ld.errors import ReadError, WrongTypeError
from checkpoint_ld.findings import Severity
from checkpoint_ld.integrations.otlp import import_spans
from checkpoint_ld.secrets import WITHHELD

__all__ = ["run"]

pytest.importorskip("opentelemetry.sdk", reason="OpenTelemetry is not installed: make .venv/.integrations-group")

from opentelemetry import trace
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from checkpoint_ld.integrations.opentelemetry import CheckpointSpanExporter

QUESTION = "What is the weather in Oslo?"
WHAT_WAS_DONE = """
PREFIX caf: <urn:caf:vocab:>
PREFIX cafd: <urn:caf:derived:>
SELECT ?tool ?args ?result ?tokens
WHERE {
  ?checkpoint cafd:hasToolCall ?call ; caf:metadata/caf:tokensUsed ?tokens .
  ?call caf:tool ?tool ; caf:arguments ?args ; cafd:result ?result .
}
"""


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[CheckpointManager]:
    with CheckpointManager(tmp_path / "kept") as made:
        yield made


@pytest.fixture
def provider(manager: CheckpointManager) -> Iterator[TracerProvider]:
    made = TracerProvider()
    made.add_span_processor(SimpleSpanProcessor(CheckpointSpanExporter(manager)))
    yield made
    made.shutdown()
    gc.collect()  # what a framework leaves open is reported here, not in a test after this one


def pydantic_ai(provider: TracerProvider) -> None:
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel
    from pydantic_ai.models.instrumented import InstrumentationSettings

    def answer(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        if len(messages) == 1:
            return ModelResponse([ToolCallPart("forecast", {"city": "Oslo"}, tool_call_id="call_1")])
        return ModelResponse([TextPart("Sunny.")])

    agent = Agent(FunctionModel(answer), name="weather", system_prompt="Be brief")
    agent.instrument = InstrumentationSettings(tracer_provider=provider)

    @agent.tool_plain
    def forecast(city: str) -> str:
        """Return the weather."""
        return f"sunny in {city}"

    asyncio.run(agent.run(QUESTION))  # run_sync leaves a loop open


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the framework
def test_a_run_of_a_framework_shows_what_was_done(manager: CheckpointManager, provider: TracerProvider) -> None:
    pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed: make .venv/.integrations-group")
    pydantic_ai(provider)
    [header] = manager.list()
    kept = manager.get(header.id)
    assert (kept.agent_id, kept.metadata.checkpoint_reason) == ("weather", "execution_completed")
    assert [(one.type, one.content) for one in kept.snapshot.thought_chain] == [
        ("planning", "Be brief"),
        ("observation", QUESTION),
        ("tool_selection", "calls forecast"),
        ("reasoning", "Sunny."),
    ]
    rows: list[Any] = list(kept.to_graph().query(WHAT_WAS_DONE))
    assert [str(one.tool).endswith("forecast") for one in rows] == [True]
    assert json.loads(rows[0].args) == {"city": "Oslo"}
    assert json.loads(rows[0].result) == "sunny in Oslo"
    assert int(rows[0].tokens) > 0
    report = kept.validate()
    assert report.at_least(Severity.VIOLATION) == ()
    assert "agent-key-unknown" not in {one.rule for one in report.findings}
    assert manager.verify() == ()


def test_a_failed_run_states_so_and_nothing_that_was_reported_is_lost(
    manager: CheckpointManager, provider: TracerProvider
) -> None:
    tracer = provider.get_tracer("mine", "1")
    found = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.id": "a1", "checkpoint_ld.about.question": "q1"}
    with suppress(KeyError), tracer.start_as_current_span("run", attributes=found):
        with tracer.start_as_current_span("GET", attributes={"http.url": "http://x", "ok": (True, False)}):
            pass
        chat: dict[str, Any] = {"gen_ai.operation.name": "chat", "gen_ai.request.temperature": 0.5, "odd": "\ud800"}
        with tracer.start_as_current_span("chat m", attributes=chat) as span:
            span.add_event("gen_ai.user.message", {"content": "Hi"})
            span.add_event("gen_ai.choice", {"message": '{"content": "Hello"}', "finish_reason": "stop"})
        with tracer.start_as_current_span("t", attributes={"gen_ai.operation.name": "execute_tool"}):
            raise KeyError("x")
    [header] = manager.list(question="q1")
    kept = manager.get(header.id)
    assert (header.agent_id, header.checkpoint_reason) == ("a1", "execution_failed")
    assert [one.content for one in kept.snapshot.thought_chain] == ["Hi", "Hello"]
    [call] = kept.snapshot.tool_state.calls
    assert (call.tool_id, call.status, call.success) == ("t", "failed", False)
    assert "KeyError" in (call.error or "")
    text = kept.dumps()
    for one in ("http.url", "gen_ai.request.temperature", "\\\\ud800", "finish_reason", "exception.stacktrace"):
        assert one in text, one


def test_log_records_are_taken_in_and_a_conversation_goes_on_in_another_process(manager: CheckpointManager) -> None:
    for number in range(2):
        exporter = CheckpointSpanExporter(manager)
        spans, records = TracerProvider(), LoggerProvider()
        spans.add_span_processor(SimpleSpanProcessor(exporter))
        records.add_log_record_processor(SimpleLogRecordProcessor(exporter.logs()))
        tracer, logger = spans.get_tracer("mine"), records.get_logger("mine")
        said: Any = [{"role": "user", "parts": [{"type": "text", "content": f"q{at}"}]} for at in range(number + 1)]
        root = {"gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": "c1"}
        with (
            tracer.start_as_current_span("run", attributes=root),
            tracer.start_as_current_span("chat", attributes={"gen_ai.operation.name": "chat"}),
        ):
            logger.emit(
                event_name="gen_ai.client.inference.operation.details",
                attributes={"gen_ai.input.messages": said, "gen_ai.output.messages": json.dumps([{"content": "a"}])},
            )
        logger.emit(event_name="of no span", body={"odd": b"\x00"})
        spans.shutdown()
        records.shutdown()
    first, second = (manager.get(one.id) for one in manager.list(order="oldest"))
    assert [[one.content for one in found.snapshot.thought_chain] for found in (first, second)] == [
        ["q0", "a"],
        ["q1", "a"],
    ]
    assert second.parent is not None
    assert second.parent.checkpoint_id == first.id


def test_what_has_not_ended_is_kept_at_the_end(manager: CheckpointManager, provider: TracerProvider) -> None:
    tracer = provider.get_tracer("mine")
    root = tracer.start_span("run", attributes={"gen_ai.operation.name": "invoke_agent"})
    inner = tracer.start_span(
        "chat", trace.set_span_in_context(root), attributes={"gen_ai.operation.name": "chat", "gen_ai.prompt": "[]"}
    )
    inner.end()
    assert not manager.list()
    provider.shutdown()
    assert [one.checkpoint_reason for one in manager.list()] == ["auto"]


def test_what_cannot_be_kept_is_logged_and_the_agent_goes_on(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    exporter = CheckpointSpanExporter(CheckpointManager(tmp_path / "kept"))
    (tmp_path / "kept").write_text("no folder")
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with caplog.at_level(logging.WARNING), provider.get_tracer("x").start_as_current_span("run") as span:
        span.set_attribute("gen_ai.operation.name", "invoke_agent")
    assert "could not be kept" in caplog.text
    with pytest.raises(WrongTypeError, match="give CheckpointManager"):
        CheckpointSpanExporter("checkpoints")  # type: ignore[arg-type] # that is the point


def span(number: int, parent: int | None = None, trace_id: str = "t1", **found: Any) -> dict[str, Any]:
    """Return a span in OTLP/JSON."""
    attributes = found.pop("attributes", {})
    start = 1_700_000_000_000_000_000 + number * 1_000_000
    return {
        "traceId": trace_id,
        "spanId": f"s{number}",
        **({} if parent is None else {"parentSpanId": f"s{parent}"}),
        "name": f"span {number}",
        "kind": 1,
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(start + 5_000_000),
        "attributes": [{"key": key, "value": value} for key, value in attributes.items()],
        **found,
    }


def op(name: str) -> dict[str, Any]:
    return {"gen_ai.operation.name": {"stringValue": name}}


def otlp(*spans: dict[str, Any]) -> str:
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "shop"}}]}
    held = {"resource": resource, "scopeSpans": [{"scope": {"name": "lib"}, "spans": list(spans)}]}
    return json.dumps({"resourceSpans": [held]})


RUN = (
    span(2, 1, attributes={**op("execute_tool"), "gen_ai.tool.name": {"stringValue": "bash"}, "n": {"intValue": "7"}}),
    span(3, 2, attributes={"a": {"arrayValue": {"values": [{"doubleValue": 0.5}]}}, "k": {"kvlistValue": {}}}),
    span(1, attributes={**op("invoke_agent"), "gen_ai.conversation.id": {"stringValue": "c1"}}),
    span(5, 4, attributes=op("chat")),
    span(4, 1, attributes={**op("invoke_agent"), "gen_ai.agent.name": {"stringValue": "helper"}}),
)


def test_a_run_whose_spans_came_late_does_not_stop_other_runs_of_its_trace(tmp_path: Path, run: Run) -> None:
    for name, spans in (("early", RUN[2:3]), ("late", RUN)):
        (tmp_path / name).write_text(otlp(*spans), encoding="utf-8")
    run("agent", "import", "--from", "otlp", tmp_path / "early", "--dir", tmp_path / "kept")
    late = run("agent", "import", "--from", "otlp", tmp_path / "late", "--dir", tmp_path / "kept")
    assert (late.code, late.out.startswith(b"added: otel_t1_s4 ")) == (1, True)
    assert "with other content" in late.err

    ended, exporter = InMemorySpanExporter(), CheckpointSpanExporter(CheckpointManager(tmp_path / "exported"))
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(ended))
    tracer = provider.get_tracer("x")
    with tracer.start_as_current_span("outer", attributes={"gen_ai.operation.name": "invoke_agent"}):
        for name in ("chat", "invoke_agent"):
            tracer.start_span(name, attributes={"gen_ai.operation.name": name}).end()
    spans_ended = ended.get_finished_spans()
    assert exporter.export(spans_ended[2:]) is SpanExportResult.SUCCESS
    assert exporter.export(spans_ended) is SpanExportResult.FAILURE
    assert len(exporter.manager.list()) == 2


def test_a_file_of_spans_in_any_order_is_kept_once(tmp_path: Path, run: Run) -> None:
    file = tmp_path / "spans.json.gz"
    file.write_bytes(gzip.compress(otlp(*RUN).encode()))
    for stated in ("added", "unchanged"):
        done = run("agent", "import", "--from", "otlp", file, "--dir", tmp_path / "kept")
        assert done.code == 0, done.err
        assert done.out.decode().count(stated) == 2
    with CheckpointManager(tmp_path / "kept") as manager:
        outer, inner = (manager.get(one.id) for one in manager.list(order="oldest"))
        if outer.agent_id == "helper":
            outer, inner = inner, outer
        assert (outer.execution_id, outer.agent_id) == ("c1", "shop")
        assert (inner.execution_id, inner.agent_id) == ("c1/helper", "helper")
        [call] = outer.snapshot.tool_state.calls
        assert (call.tool_id, call.duration_ms) == ("bash", 5)
        found = outer.tree()["snapshot"]["opentelemetry"]
        assert found["resource"] == {"service.name": "shop"}
        assert [one["attributes"] for one in found["spans"] if one["span_id"] == "s3"] == [{"a": [0.5], "k": {}}]
        assert [one.content for one in inner.snapshot.thought_chain] == [""]
        assert manager.verify() == ()


def test_what_looks_like_a_secret_is_withheld_from_thoughts_calls_and_attributes(tmp_path: Path, run: Run) -> None:
    keys = [f"sk-{'b' * 20}{number}" for number in range(5)]
    message = [{"role": "assistant", "parts": [{"type": "text", "content": f"the key is {keys[0]}"}]}]
    attributes = {
        **op("execute_tool"),
        "gen_ai.tool.name": {"stringValue": "http"},
        "gen_ai.tool.call.arguments": {"stringValue": json.dumps({"token": keys[1]})},
        "gen_ai.tool.call.result": {"stringValue": json.dumps({"body": keys[2]})},
        "http.request.header": {"kvlistValue": {"values": [{"key": "x", "value": {"stringValue": keys[3]}}]}},
    }
    spans = (
        span(1, attributes={**op("invoke_agent"), "note": {"stringValue": f"with {keys[4]}"}}),
        span(2, 1, attributes=attributes),
        span(3, 1, attributes={**op("chat"), "gen_ai.output.messages": {"stringValue": json.dumps(message)}}),
    )
    (tmp_path / "spans.json").write_text(otlp(*spans), encoding="utf-8")
    done = run("agent", "import", "--from", "otlp", tmp_path / "spans.json", "--dir", tmp_path / "kept")
    assert done.code == 0, done.err
    assert "looks like a secret and is withheld" in done.err
    [file] = (tmp_path / "kept").glob("*.json")
    assert [key for key in keys if key in file.read_text()] == []
    assert file.read_text().count(WITHHELD) >= 5
    kept = run(
        "agent", "import", "--from", "otlp", tmp_path / "spans.json", "--keep-secrets", "--dir", tmp_path / "all"
    )
    assert kept.code == 0, kept.err
    [file] = (tmp_path / "all").glob("*.json")
    assert [key for key in keys if key not in file.read_text()] == []


@pytest.mark.parametrize("way", ["file", "exporter"])
def test_the_runs_of_a_conversation_are_counted_and_drawn_together(tmp_path: Path, run: Run, way: str) -> None:
    conversation = {"gen_ai.conversation.id": {"stringValue": "c1"}}
    used = {**op("chat"), "gen_ai.usage.output_tokens": {"intValue": "10"}}
    spans = [
        one
        for number in (10, 20, 30)
        for one in (
            span(number, None, f"t{number}", attributes={**op("invoke_agent"), **conversation}),
            span(number + 1, number, f"t{number}", attributes=used),
            span(number + 2, number, f"t{number}", attributes=op("execute_tool")),
        )
    ]
    if way == "file":
        (tmp_path / "spans.json").write_text(otlp(*spans), encoding="utf-8")
        assert run("agent", "import", "--from", "otlp", tmp_path / "spans.json", "--dir", tmp_path / "kept").code == 0
    for _ in range(3 if way == "exporter" else 0):  # in a process each
        exporter = CheckpointSpanExporter(CheckpointManager(tmp_path / "kept"))
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        tracer = provider.get_tracer("x")
        attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": "c1"}
        with tracer.start_as_current_span("run", attributes=attributes):
            for name, tokens in (("chat", 10), ("execute_tool", 0)):
                found: Any = {"gen_ai.operation.name": name, "gen_ai.usage.output_tokens": tokens}
                tracer.start_span("span", attributes=found).end()
    with CheckpointManager(tmp_path / "kept") as manager:
        headers = manager.list(order="oldest")
    assert [(one.step_number, one.tokens_used) for one in headers] == [(2, 10), (4, 20), (6, 30)]
    assert [one.parent_checkpoint_id for one in headers] == [None, *(one.id for one in headers[:2])]
    [usage] = json.loads(run("agent", "stats", "--dir", tmp_path / "kept", "--json").out)
    assert [usage[name] for name in ("steps", "tokens", "thoughts", "calls")] == [6, 30, 3, 3]
    drawn = run("agent", "timeline", "latest", "--dir", tmp_path / "kept").out.decode()
    assert drawn.count(" ● reasoning: ") == 3
    assert drawn.count(" ◆ otel_") == 3


def test_half_written_lines_and_lost_parents_are_named_and_the_rest_is_kept(tmp_path: Path, run: Run) -> None:
    file = tmp_path / "spans.jsonl"
    lost = span(9, 8, "t2", attributes={**op("chat"), "odd": {"stringValue": "\u2028 is no end of a line"}})
    lines = [otlp(*RUN), otlp(lost, span(10, 9, "t2")), otlp(span(11, None, "t3", attributes=op("chat")))[:-40]]
    file.write_text("\r\n".join(lines).replace("\\u2028", "\u2028"), encoding="utf-8")
    done = run("agent", "import", "--from", "otlp", file, "--dir", tmp_path / "kept")
    assert done.code == 1
    assert "spans.jsonl:3:" in done.err
    assert "half written" in done.err
    assert "1 of 2 spans of trace t2 name parents that are not in the file" in done.err
    assert done.out.decode().count("added: ") == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "x.json:1:2: is no JSON, perhaps half written"),
        ("[]", "is not OTLP/JSON"),
        ('{"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "x"}]}]}]}', "is not OTLP/JSON"),
        (otlp(span(1)), "has 1 spans, none about an agent"),
        ("", "is no JSON"),
        ("\udcff", "x.json: byte 1 is no UTF-8"),
    ],
)
def test_bad_files_state_what_is_wrong(text: str, message: str, tmp_path: Path, run: Run) -> None:
    file = tmp_path / "x.json"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    done = run("agent", "import", "--from", "otlp", file, "--dir", tmp_path / "kept")
    assert done.code == 1
    assert message in done.err
    with CheckpointManager(tmp_path / "kept") as manager, pytest.raises(ReadError, match="no such file"):
        list(import_spans(manager, tmp_path / "none.json"))


@pytest.mark.parametrize(
    "fault",
    [
        {"attributes": 5},
        {"attributes": [{"key": "k", "value": {"intValue": "many"}}]},
        {"attributes": [{"key": "k", "value": {"arrayValue": [1]}}]},
        {"attributes": [{"key": "k", "value": {"kvlistValue": 5}}]},
        {"events": [None]},
        {"events": True},
        {"events": [{"attributes": 1.5}]},
        {"status": "failed"},
        {"traceId": ""},
        {"spanId": ""},
        {"spanId": None, "attributes": op("execute_tool")},
    ],
)
def test_a_span_of_another_form_is_reported_and_the_others_are_kept(
    fault: dict[str, Any], tmp_path: Path, run: Run
) -> None:
    whole = span(1, attributes=op("invoke_agent")), span(2, 1, attributes=op("chat"))
    lines = otlp(*whole), otlp({**span(3, 1), **fault})
    (tmp_path / "spans.jsonl").write_text("\n".join(lines), encoding="utf-8")
    done = run("agent", "import", "--from", "otlp", tmp_path / "spans.jsonl", "--dir", tmp_path / "kept")
    assert (done.code, done.out.decode().count("added: ")) == (1, 1)
    assert "spans.jsonl:2: this span is not OTLP/JSON" in done.err


@pytest.mark.parametrize("name", ["", None])
def test_a_tool_without_a_name_is_an_unknown_one(name: str | None, tmp_path: Path, run: Run) -> None:
    tool = span(2, 1, attributes=op("execute_tool"))
    nameless = {key: value for key, value in {**tool, "name": name}.items() if value is not None}
    (tmp_path / "spans.json").write_text(otlp(span(1, attributes=op("invoke_agent")), nameless), encoding="utf-8")
    done = run("agent", "import", "--from", "otlp", tmp_path / "spans.json", "--dir", tmp_path / "kept")
    assert done.code == 0, done.err
    with CheckpointManager(tmp_path / "kept") as manager:
        (header,) = manager.list()
        assert [call.tool_id for call in manager.get(header.id).snapshot.tool_state.calls] == ["unknown"]


def test_empty_lists_may_be_left_out_and_a_span_without_a_trace_stops_no_other(tmp_path: Path, run: Run) -> None:
    scopes: list[Any] = [{}, {"scope": {}}, {"spans": []}, {"spans": [{"spanId": "s9"}, None, *RUN]}]
    resources = [{}, {"resource": {}}, {"scopeSpans": None}, {"scopeSpans": scopes}]
    (tmp_path / "spans.json").write_text(json.dumps({"resourceSpans": resources}, indent=1), encoding="utf-8")
    done = run("agent", "import", "--from", "otlp", tmp_path / "spans.json", "--dir", tmp_path / "kept")
    assert (done.code, done.out.decode().count("added: ")) == (1, 2)
    assert re.findall(r"spans.json:(\d+): this span is not OTLP/JSON: it names no trace", done.err) == ["21", "24"]


@pytest.mark.parametrize("template", ["call_{}", "call", ""])
@pytest.mark.parametrize("has_spans", [True, False])
def test_each_call_has_its_own_result_even_if_ids_are_missing_or_used_again(
    template: str, has_spans: bool, tmp_path: Path
) -> None:
    spans, said = [span(1, attributes=op("invoke_agent"))], list[Any]()
    for number in (10, 20, 30, 40):
        id = {"id": template.format(number)} if template else {}
        request = {"role": "assistant", "parts": [{"type": "tool_call", "name": "w", "arguments": {"n": number}, **id}]}
        written = {"gen_ai.input.messages": said, "gen_ai.output.messages": [request]}
        found = {key: {"stringValue": json.dumps(value)} for key, value in written.items()}
        spans.append(span(number, 1, attributes={**op("chat"), **found}))
        said += [request, {"role": "tool", "parts": [{"type": "tool_call_response", "response": number, **id}]}]
        called = {"gen_ai.tool.name": "w", "gen_ai.tool.call.id": template.format(number)}
        attributes = {key: {"stringValue": value} for key, value in called.items()}
        if has_spans:
            attributes["gen_ai.tool.call.result"] = {"intValue": str(number)}
            spans.append(span(number + 5, 1, attributes={**op("execute_tool"), **attributes}))
    last = [*said, {"role": "tool", "parts": [{"type": "tool_call_response", "id": "early", "response": "kept"}]}]
    attributes = {"gen_ai.input.messages": {"stringValue": json.dumps(last)}}
    (tmp_path / "spans.json").write_text(otlp(*spans, span(50, 1, attributes={**op("chat"), **attributes})))
    with CheckpointManager(tmp_path / "kept") as manager:
        assert [one.error for one in import_spans(manager, tmp_path / "spans.json")] == [None]
        [header] = manager.list()
        state = manager.get(header.id).snapshot.tool_state
    results = [(call.tool_id, call.args, state.results.get(call.id)) for call in state.calls]
    assert results == [*(("w", {"n": number}, number) for number in (10, 20, 30, 40)), ("unknown", {}, "kept")]


def test_messages_may_have_the_form_of_openais_api(tmp_path: Path) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "w", "arguments": '{"city": "Oslo"}'}}
    said = [
        {"role": "user", "content": "where?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "sunny"},
    ]
    written = {"gen_ai.input.messages": said, "gen_ai.output.messages": [{"role": "assistant", "content": "Oslo"}]}
    attributes = {key: {"stringValue": json.dumps(value)} for key, value in written.items()}
    (tmp_path / "spans.json").write_text(otlp(span(1, attributes={**op("chat"), **attributes})))
    with CheckpointManager(tmp_path / "kept") as manager:
        [done] = import_spans(manager, tmp_path / "spans.json")
        assert done.checkpoint is not None
        snapshot = manager.get(done.checkpoint.id).snapshot
    assert [thought.content for thought in snapshot.thought_chain] == ["where?", "calls w", "Oslo"]
    [shown] = snapshot.tool_state.calls
    assert (shown.tool_id, shown.args, snapshot.tool_state.results) == ("w", {"city": "Oslo"}, {"call_1": "sunny"})


def test_what_a_message_has_beside_texts_and_calls_is_kept(tmp_path: Path) -> None:
    picture = {"type": "uri", "modality": "image", "uri": "https://example.org/oslo.png"}
    calls = [{"type": "tool_call", "id": "c1", "name": "w", "arguments": '{"city": "Os'}]
    written = {
        "gen_ai.input.messages": [{"role": "user", "parts": [{"type": "text", "content": "where?"}, picture]}],
        "gen_ai.output.messages": [{"role": "assistant", "parts": calls, "finish_reason": "length"}],
    }
    attributes = {key: {"stringValue": json.dumps(value)} for key, value in written.items()}
    (tmp_path / "spans.json").write_text(otlp(span(1, attributes={**op("chat"), **attributes})))
    with CheckpointManager(tmp_path / "kept") as manager:
        [done] = import_spans(manager, tmp_path / "spans.json")
        assert done.checkpoint is not None
        snapshot = manager.get(done.checkpoint.id).snapshot
    kept: list[Any] = [(thought.metadata or {})["opentelemetry"]["message"] for thought in snapshot.thought_chain]
    assert kept == [{"parts": [picture]}, {"finish_reason": "length"}]
    [call] = snapshot.tool_state.calls
    assert (call.args, call.tree()["opentelemetry"]) == ({}, {"arguments": '{"city": "Os'})


def test_ids_and_counts_beyond_what_a_checkpoint_holds_are_no_error(tmp_path: Path) -> None:
    many = {**op("chat"), "gen_ai.usage.input_tokens": {"intValue": str(2**60)}}
    unusual = {**span(2, attributes=many), "parentSpanId": {"id": 1}}
    unusual["status"] = {"code": 2, "message": {"bytesValue": "?"}}
    (tmp_path / "spans.json").write_text(otlp(span(1, attributes=op("invoke_agent")), unusual), encoding="utf-8")
    with CheckpointManager(tmp_path / "kept") as manager:
        assert [one.error for one in import_spans(manager, tmp_path / "spans.json")] == [None, None]
        assert max(header.tokens_used for header in manager.list()) == 2**53 - 1


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells the most memory of a process")
def test_very_many_spans_take_little_memory(tmp_path: Path) -> None:
    count, most = 10_000, 100
    file = tmp_path / "spans.jsonl"
    chat = {**op("chat"), "gen_ai.usage.input_tokens": {"intValue": "5"}}
    with file.open("w", encoding="utf-8") as target:
        for number in range(0, count, 1000):
            spans = [span(number, attributes=op("invoke_agent"), trace_id=f"t{number}")]
            spans += [span(at, number, f"t{number}", attributes=chat) for at in range(number + 1, number + 1000)]
            print(otlp(*spans), file=target)
    code = (
        "from checkpoint_ld.checkpointing import CheckpointManager\n"
        "from checkpoint_ld.integrations.otlp import import_spans\n"
        f"with CheckpointManager({str(tmp_path / 'kept')!r}) as manager:\n"
        f"    print(sum(one.created for one in import_spans(manager, {str(file)!r})))\n"
        "[peak] = [line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')]\n"
        "print(int(peak) // 1024)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    created, megabytes = map(int, done.stdout.split())
    assert created == count // 1000
    assert megabytes < most


def steps(job: Callable[[], object]) -> int:
    """Return how many instructions of Python a job runs."""
    count = 0

    def traced(frame: FrameType, *_: object) -> Any:
        nonlocal count
        count += 1
        frame.f_trace_opcodes = True
        return traced

    before = sys.gettrace()
    sys.settrace(traced)
    try:
        job()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.slow
def test_work_grows_as_a_run_does(tmp_path: Path) -> None:
    def kept(chats: int) -> int:
        stated = [json.dumps([{"role": "assistant", "content": f"step {at}"}]) for at in range(chats)]
        found = [{**op("chat"), "gen_ai.output.messages": {"stringValue": one}} for one in stated]
        file = tmp_path / f"{chats}.json"
        spans = (span(at, 0, attributes=one) for at, one in enumerate(found, 1))
        file.write_text(otlp(span(0, attributes=op("invoke_agent")), *spans), encoding="utf-8")
        with CheckpointManager(tmp_path / str(chats)) as manager:
            return steps(lambda: list(import_spans(manager, file)))

    kept(8)
    small, middle, large = map(kept, (100, 200, 400))
    assert large - middle < 2.3 * (middle - small), (small, middle, large)

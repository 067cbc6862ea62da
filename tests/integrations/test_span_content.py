"""Where the content of spans is, what is no text, and what an import says of what it read."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run, run
from tests.integrations.otlp_files import Trace, asked, calls, findings, imported, said, text, thoughts

from checkpoint_ld.checkpointing import CheckpointManager
from checkpoint_ld.errors import ReadError
from checkpoint_ld.integrations.otlp import import_spans
from checkpoint_ld.integrations.span_report import SpanReport

__all__ = ["run"]
DETAILS = "gen_ai.client.inference.operation.details"


def bedrock(*blocks: dict[str, Any]) -> str:
    return json.dumps(blocks)


def test_blocks_in_events_are_read(tmp_path: Path) -> None:
    trace = Trace(1)
    root = trace.agent()
    use = {"toolUse": {"toolUseId": "t1", "name": "weather", "input": {"city": "Oslo"}}}
    thinking = {"reasoningContent": {"reasoningText": {"text": "hm"}}}
    result = {"toolResult": {"toolUseId": "t1", "status": "success", "content": [{"text": "7 °C"}]}}
    asking = [
        ("gen_ai.system.message", {"content": bedrock({"text": "be brief"})}),
        ("gen_ai.user.message", {"content": bedrock({"text": "q"}, {"image": {"format": "png", "source": {}}})}),
        ("gen_ai.choice", {"finish_reason": "tool_use", "message": bedrock(thinking, use)}),
    ]
    trace.add("chat", root, events=asking)
    stated = [
        ("gen_ai.tool.message", {"role": "tool", "content": '{"city": "Oslo"}', "id": "t1"}),
        ("gen_ai.choice", {"message": bedrock({"text": "7 °C"}), "id": "t1"}),
    ]
    trace.tool(root, "weather", "t1", events=stated)
    then = [*asking[:2], ("gen_ai.assistant.message", {"content": bedrock(thinking, use)})]
    then += [("gen_ai.tool.message", {"content": bedrock(result)}), ("gen_ai.choice", {"message": "a\n"})]
    trace.add("chat", root, events=then)
    [found] = imported(tmp_path, trace)
    assert [(one.content, one.reasoning) for one in found.snapshot.thought_chain] == [
        ("be brief", None),
        ("q\n[image]", None),
        ("calls weather", "hm"),
        ("a\n", None),
    ]
    held = (found.snapshot.thought_chain[1].metadata or {})["opentelemetry"]["message"]["parts"]
    assert held == [{"image": {"format": "png", "source": {}}, "mime_type": "image/png"}]
    assert calls(found) == [("weather", {"city": "Oslo"}, "completed", [{"text": "7 °C"}])]
    assert "tool_use" in found.dumps()


def test_a_failure_that_only_a_block_states_is_one(tmp_path: Path) -> None:
    trace = Trace(1)
    root, request = trace.agent(), asked(("t1", "weather", {}))
    trace.chat(root, [text("q")], request)
    failed = {"toolResult": {"toolUseId": "t1", "status": "error", "content": [{"text": "no Rome"}]}}
    trace.chat(root, [text("q"), request, {"role": "user", "parts": [failed]}], said("a"))
    [found] = imported(tmp_path, trace)
    [call] = found.snapshot.tool_state.calls
    assert (call.status, call.error, found.snapshot.tool_state.results) == ("failed", "no Rome", {})


def test_a_completion_may_be_of_plain_texts(tmp_path: Path) -> None:
    trace = Trace(1)
    trace.add("text_completion", trace.agent(), **{"gen_ai.prompt": "Once", "gen_ai.completion": "upon a time"})
    assert thoughts(imported(tmp_path, trace)[0]) == [("observation", "Once"), ("reasoning", "upon a time")]


def test_what_is_cut_in_an_attribute_is_read_in_the_body_of_a_log_record(tmp_path: Path) -> None:
    trace = Trace(1)
    span = trace.add("chat", trace.agent(), **{"gen_ai.output.messages": '[{"role": "assis'})
    trace.record(span, DETAILS, {"gen_ai.output.messages": [said("a")]})
    [found] = imported(tmp_path, trace)
    assert thoughts(found) == [("reasoning", "a")]


@pytest.mark.parametrize("is_structure", [True, False])
def test_content_may_be_in_several_events_of_a_span_or_in_log_records(is_structure: bool, tmp_path: Path) -> None:
    stated: dict[str, Any] = {
        "gen_ai.system_instructions": [{"type": "text", "content": "be brief"}],
        "gen_ai.input.messages": [text("q")],
        "gen_ai.output.messages": [said("a")],
    }
    parts = [{name: one if is_structure else json.dumps(one)} for name, one in stated.items()]
    by_events, by_records, by_messages = (Trace(number) for number in (1, 2, 3))
    by_events.add("chat", by_events.agent(), events=[(DETAILS, part) for part in parts])
    span = by_records.add("chat", by_records.agent())
    for part in parts:
        by_records.record(span.upper(), DETAILS, **part)
    span = by_messages.add("chat", by_messages.agent())
    by_messages.record(span, "gen_ai.system.message", {"content": "be brief"})
    by_messages.record(span, "gen_ai.user.message", {"content": "q"})
    by_messages.record(span, "gen_ai.choice", {"index": 0, "message": {"role": "assistant", "content": "a"}})
    found = imported(tmp_path, by_events, by_records, by_messages)
    wanted = [("planning", "be brief"), ("observation", "q"), ("reasoning", "a")]
    assert [thoughts(one) for one in found] == [wanted] * 3


def test_log_records_may_be_in_another_file_and_other_signals_are_passed_over(tmp_path: Path, run: Run) -> None:
    trace = Trace(1)
    span = trace.add("chat", trace.agent(), **{"gen_ai.response.model": "m"})
    trace.record(span, DETAILS, **{"gen_ai.output.messages": [said("a")]})
    trace.record("0123456789abcdef", DETAILS, **{"gen_ai.output.messages": [said("lost")]})
    spans, logs = trace.lines("opentelemetry.instrumentation.genai.openai")
    (tmp_path / "day").mkdir()
    for name, content in (("spans", spans), ("logs", logs), ("metrics", '{"resourceMetrics": []}')):
        (tmp_path / "day" / f"{name}.jsonl").write_text(content, encoding="utf-8")
    alone = run("agent", "import", "--from", "otlp", tmp_path / "day" / "spans.jsonl", "--dir", tmp_path / "alone")
    assert "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY" in "".join(alone.out.decode().split())
    done = run("agent", "import", "--from", "otlp", tmp_path / "day", "--dir", tmp_path / "kept")
    assert done.code == 0, done.err
    lines = done.out.decode().splitlines()
    assert lines[-4].split() == ["instrumentation", "version", "spans", "read", "passed", "over"]
    assert lines[-3].split() == ["opentelemetry.instrumentation.genai.openai", "1", "2", "0"]
    assert lines[-2:] == [
        "1 of 2 log records are about no span that was read",
        "1 document of metrics or profiles passed over",
    ]
    with CheckpointManager(tmp_path / "kept") as manager:
        [header] = manager.list()
        assert thoughts(manager.get(header.id)) == [("reasoning", "a")]
        with pytest.raises(ReadError, match="has 2 log records and no spans: import the file with their spans with it"):
            list(import_spans(manager, tmp_path / "day" / "logs.jsonl"))


def test_what_was_read_is_a_table_and_json(tmp_path: Path, run: Run) -> None:
    trace, other = Trace(1), Trace(2)
    root = trace.agent()
    trace.add("chat", root, **{"gen_ai.usage.output_tokens": 4})
    trace.tool(root, "w")
    other.add("", None, **{"http.url": "http://x"})
    other.spans[0]["attributes"] = []
    lines = [*trace.lines("strands.telemetry.tracer"), *other.lines("http")]
    (tmp_path / "spans.jsonl").write_text("\n".join(lines), encoding="utf-8")
    done = run("agent", "import", "--from", "otlp", tmp_path, "--dir", tmp_path / "kept", "--json")
    found = json.loads(done.out)
    assert [one["created"] for one in found["results"]] == [True]
    assert found["instrumentations"] == [
        {
            "instrumentation": "strands.telemetry.tracer",
            "version": "1",
            "read": 3,
            "passed_over": 0,
            "missing": [
                "content of 1 of 1 chats is not captured: strands writes content to events: export the events of spans"
            ],
        },
        {"instrumentation": "http", "version": "1", "read": 0, "passed_over": 1, "missing": []},
    ]


@pytest.mark.parametrize(
    "part",
    [
        {"type": "blob", "modality": "image", "mime_type": "image/png", "content": "iVBORw0KGgo="},
        {"type": "uri", "modality": "video", "mime_type": "video/mp4", "uri": "https://example.org/v.mp4"},
        {"type": "file", "modality": "document", "file_id": "f1"},
        {"type": "hologram", "content": "words of a type of tomorrow"},
        {"type": "hologram", "content": {"text": "deep"}},
    ],
    ids=["blob", "uri", "file", "text", "deep"],
)
def test_a_part_that_is_no_text_is_kept_as_data(part: dict[str, Any], tmp_path: Path) -> None:
    trace = Trace(1)
    message = {"role": "user", "parts": [{"type": "text", "content": "look"}, part]}
    trace.chat(trace.agent(), [message], said("a"))
    trace.chat(trace.agent(), [message, said("a"), text("more")], said("b"))
    first, second = imported(tmp_path, trace)
    assert thoughts(first) == [("observation", f"look\n[{part['type']}]"), ("reasoning", "a")]
    held: Any = first.snapshot.thought_chain[0].metadata
    assert held["opentelemetry"]["message"]["parts"] == [part]
    assert thoughts(second) == [("observation", "more"), ("reasoning", "b")]


def test_a_large_part_stands_beside_the_thoughts_once(tmp_path: Path) -> None:
    content = "QUJD" * 2000
    part = {"type": "blob", "mime_type": "image/png", "content": content}
    trace = Trace(1)
    parts = [{"type": "text", "content": "the same twice"}, part, part]
    trace.chat(trace.agent(), [{"role": "user", "parts": parts}], said("a"))
    [found] = imported(tmp_path, trace)
    digest = hashlib.sha256(content.encode()).hexdigest()
    held: Any = found.snapshot.thought_chain[0].metadata
    apart = {"type": "blob", "mime_type": "image/png", "content": {"sha256": digest, "length": len(content)}}
    assert held["opentelemetry"]["message"]["parts"] == [apart, apart]
    assert found.tree()["snapshot"]["opentelemetry"]["contents"] == {digest: content}
    assert found.dumps().count(content) == 1


def test_messages_that_a_limit_has_cut_are_a_finding(tmp_path: Path) -> None:
    trace = Trace(1)
    cut = {"gen_ai.input.messages": '[{"role": "user", "par', "gen_ai.output.messages": json.dumps([said("a")])}
    trace.add("chat", trace.agent(), **cut)
    trace.spans[-1]["droppedEventsCount"] = 2
    file = tmp_path / "spans.jsonl"
    file.write_text("\n".join(trace.lines()), encoding="utf-8")
    with CheckpointManager(tmp_path / "kept") as manager:
        report = SpanReport()
        done = list(import_spans(manager, file, report=report))
        found = findings(done)
        assert [one.split(" of ")[0] for one in found] == ["1", "gen_ai.input.messages"]
        assert "have lost attributes or events" in found[0]
        assert "is cut off" in found[1]
        assert done[0].checkpoint is not None
        kept = manager.get(done[0].checkpoint.id)
        assert '[{\\"role\\": \\"user\\", \\"par' in kept.dumps()
        assert [one.missing for one in report.rows()] == [()]


def test_a_span_of_another_convention_keeps_everything(tmp_path: Path) -> None:
    trace = Trace(1)
    root = trace.agent()
    held = {"gen_ai.memory.kind": "long", "gen_ai.input.messages": json.dumps([text("of another operation")])}
    trace.add("search_memory", root, events=[("gen_ai.user.message", {"content": "kept"})], **held)
    trace.chat(root, [text("q")], said("a"))
    [found] = imported(tmp_path, trace)
    for one in ("search_memory", "gen_ai.memory.kind", "of another operation", "kept"):
        assert one in found.dumps(), one


def test_spans_of_openinference_are_read(tmp_path: Path) -> None:
    trace = Trace(1, **{"session.id": "s1"})
    kind = "openinference.span.kind"
    root = trace.add("", **{kind: "CHAIN"})
    asked_for = "llm.output_messages.0.message.tool_calls.0.tool_call"
    call = {f"{asked_for}.id": "c1", f"{asked_for}.function.name": "weather"}
    call |= {f"{asked_for}.function.arguments": '{"city": "Oslo"}', "llm.output_messages.0.message.role": "assistant"}
    heard: dict[str, Any] = {"llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": "q"}
    used = {"llm.token_count.prompt": 5, "llm.token_count.completion": 3, "llm.model_name": "m"}
    trace.add("", root, **{kind: "LLM"}, **heard, **call, **used)
    packed = {"type": "tool", "data": {"content": "7 °C", "tool_call_id": "c1", "status": "success"}}
    trace.add(
        "", root, **{kind: "TOOL", "tool.name": "weather", "input.value": "Oslo", "output.value": json.dumps(packed)}
    )
    trace.add("", root, **{kind: "LLM", "llm.output_messages.0.message.content": "a"}, **heard, **used)
    for span in trace.spans:
        span["attributes"] = [one for one in span["attributes"] if one["key"] != "gen_ai.operation.name"]
    [found] = imported(tmp_path, trace)
    assert thoughts(found) == [("observation", "q"), ("tool_selection", "calls weather"), ("reasoning", "a")]
    assert calls(found) == [("weather", {"city": "Oslo"}, "completed", "7 °C")]
    assert (found.execution_id, found.metadata.tokens_used) == ("s1", 16)
    assert (found.snapshot.thought_chain[1].metadata or {})["model"] == "m"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"status": {"code": "STATUS_CODE_ERROR"}}, "STATUS_CODE_ERROR is a name where the number"),
        ({"kind": "SPAN_KIND_CLIENT"}, "SPAN_KIND_CLIENT is a name where the number"),
    ],
)
def test_names_of_enumerations_are_refused(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    trace = Trace(1)
    trace.agent()
    trace.spans[0] |= change
    (tmp_path / "spans.jsonl").write_text(trace.lines()[0], encoding="utf-8")
    with CheckpointManager(tmp_path / "kept") as manager:
        [done] = import_spans(manager, tmp_path / "spans.jsonl")
    assert message in str(done.error)
    assert "spans.jsonl:1: " in str(done.error)


def test_ids_in_digits_of_either_case_are_one(tmp_path: Path) -> None:
    trace = Trace(0xABC)
    root = trace.agent()
    trace.chat(root, [text("q")], said("a"))
    trace.spans[0] |= {name: trace.spans[0][name].upper() for name in ("traceId", "spanId")}
    [found] = imported(tmp_path, trace)
    assert (found.id, len(thoughts(found))) == (f"otel_{0xABC:032x}_{root}", 2)


def test_members_in_snake_case_are_refused_with_their_true_names(tmp_path: Path) -> None:
    (tmp_path / "spans.json").write_text('{"resource_spans": []}', encoding="utf-8")
    with CheckpointManager(tmp_path / "kept") as manager:
        [done] = import_spans(manager, tmp_path / "spans.json")
    assert "spans.json:1: is not OTLP/JSON: resource_spans has to be written resourceSpans" in str(done.error)

#!/bin/sh
# openai-agents 0.24.0 with opentelemetry-instrumentation-genai-openai-agents 1.3b0: a tool that needs an approval leaves a
# span execute_tool that has ended with the status UNSET before anybody was asked. The approved call leaves a second one in
# the next run, without an id that joins them; a rejected call keeps the first. Only the absent result tells them apart, and
# a tool whose content is not captured has none either.
# A good guess is wrong: a span execute_tool that has ended without an error is a tool that was executed.
# It hurts whoever audits what agents did: a deletion that a person has refused is in the trace as an executed one.
set -eu
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check openai-agents==0.24.0 opentelemetry-sdk==1.45.2 \
  opentelemetry-instrumentation-genai-openai-agents==1.3b0
export OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental
export OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY
venv/bin/python -W ignore - 2> errors <<'PYTHON' || { cat errors; exit 1; }
import asyncio

from agents import Agent, Model, ModelResponse, Runner, Usage, function_tool
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText
from opentelemetry.instrumentation.genai.openai_agents import OpenAIAgentsInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

spans, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(spans))
OpenAIAgentsInstrumentor().instrument(tracer_provider=provider)
deleted = []


class Fake(Model):
    async def get_response(self, system_instructions, input, *_, **__):
        if isinstance(input, str) or all(one.get("type") != "function_call_output" for one in input):
            calls = [
                ResponseFunctionToolCall(arguments=f'{{"path": "{path}"}}', call_id=path, name="delete", type="function_call")
                for path in ("a", "b")
            ]
            return ModelResponse(output=calls, usage=Usage(), response_id=None)
        text = ResponseOutputText(annotations=[], text="done", type="output_text")
        said = ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")
        return ModelResponse(output=[said], usage=Usage(), response_id=None)

    def stream_response(self, *_, **__):
        raise NotImplementedError


@function_tool(needs_approval=True)
def delete(path: str) -> str:
    deleted.append(path)
    return f"deleted {path}"


def tools():
    found = [one for one in spans.get_finished_spans() if one.attributes.get("gen_ai.operation.name") == "execute_tool"]
    spans.clear()
    return [
        (one.attributes["gen_ai.tool.call.arguments"], one.status.status_code.name, one.attributes.get("gen_ai.tool.call.result"))
        for one in found
    ]


async def main():
    agent = Agent(name="careful", model=Fake(), tools=[delete])
    first = await Runner.run(agent, "delete both")
    before = tools()
    print("before anybody was asked:", *before, f"deleted: {deleted}", sep="\n  ")
    assert [(status, result) for _, status, result in before] == [("UNSET", None)] * 2
    assert deleted == []
    state, (yes, no) = first.to_state(), first.interruptions
    state.approve(yes)
    state.reject(no)
    await Runner.run(agent, state)
    after = tools()
    print("after one was approved and one rejected:", *after, f"deleted: {deleted}", sep="\n  ")
    assert [result for *_, result in after] == ["deleted a"]
    assert deleted == ["a"]


asyncio.run(main())
PYTHON

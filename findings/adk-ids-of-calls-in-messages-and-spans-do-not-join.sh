#!/bin/sh
# google-adk 2.13.0 names one call of a tool twice: in gen_ai.input.messages and gen_ai.output.messages by the tool and its
# place in the message (weather_0), in gen_ai.tool.call.id of the span execute_tool by an id of its own (adk-…). The first
# is given again in each turn. Beside the spans of several calls stands one of a tool "(merged tools)", which is none.
# A good guess is wrong: gen_ai.tool.call.id of a span is the id of the tool_call part that asked for it.
# It hurts whoever joins what was asked with what was executed: all calls are asked for and never executed, all executions
# are unasked for, and in the second turn the results of the first are found under the same ids.
set -eu
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check google-adk==2.13.0
export OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental
export OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY
venv/bin/python -W ignore - <<'PYTHON'
import asyncio
import json
import logging

logging.disable()
from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai.types import Content, FunctionCall, Part
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

spans, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(spans))
trace.set_tracer_provider(provider)


class Model(BaseLlm):
    async def generate_content_async(self, request, stream=False):
        is_answered = any(part.function_response for part in request.contents[-1].parts)
        calls = [Part(function_call=FunctionCall(name="weather", args={"city": city})) for city in ("Oslo", "Rome")]
        yield LlmResponse(content=Content(role="model", parts=[Part(text="7")] if is_answered else calls))


def weather(city: str) -> str:
    """Return the weather."""
    return "7"


async def main():
    runner = InMemoryRunner(LlmAgent(name="coat", model=Model(model="m"), tools=[weather]), app_name="a")
    session = await runner.session_service.create_session(app_name="a", user_id="u")
    for text in ("Coat?", "Again?"):
        message = Content(role="user", parts=[Part(text=text)])
        async for _ in runner.run_async(user_id="u", session_id=session.id, new_message=message):
            pass


asyncio.run(main())
held = [span.attributes for span in spans.get_finished_spans()]
asked = [
    part["id"]
    for one in held
    for message in json.loads(one.get("gen_ai.output.messages", "[]"))
    for part in message["parts"]
    if part["type"] == "tool_call"
]
executed = [(one["gen_ai.tool.name"], one["gen_ai.tool.call.id"]) for one in held if "gen_ai.tool.call.id" in one]
print("ids of the calls that are asked for:", asked)
print("tools and ids of executions:        ", *executed, sep="\n  ")
assert asked == ["weather_0", "weather_1"] * 2
assert not set(asked) & {id for _, id in executed}
assert [name for name, _ in executed].count("(merged tools)") == 2
PYTHON

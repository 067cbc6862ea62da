#!/bin/sh
# A run of pydantic-ai 2.68.0 or agent-framework-core 1.23.0 that is cancelled while its model works leaves spans of the
# status UNSET, with an end and without an exception, as a run that was completed does. OpenTelemetry's own context manager
# records what is an Exception; asyncio.CancelledError is none. All that tells is what is absent: no response in the chat.
# A good guess is wrong: a span that was left by an exception has the status ERROR, as one that was left by TimeoutError has.
# It hurts whoever counts successes by status: runs that a user or a shutdown has given up count as completed, and the
# tokens of their last request are in no span.
set -eu
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check \
  pydantic-ai-slim==2.68.0 agent-framework-core==1.23.0 opentelemetry-sdk==1.45.2
venv/bin/python -W ignore - <<'PYTHON'
import asyncio

from agent_framework import Agent as OtherAgent
from agent_framework import BaseChatClient, ChatResponse, Message
from agent_framework.observability import ChatTelemetryLayer, enable_instrumentation
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.instrumented import InstrumentationSettings

spans, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(spans))
trace.set_tracer_provider(provider)
enable_instrumentation(enable_sensitive_data=True)
seconds = 0.0


async def answer(messages, info):
    await asyncio.sleep(seconds)
    return ModelResponse([TextPart("Take a coat.")])


class Client(ChatTelemetryLayer, BaseChatClient):
    OTEL_PROVIDER_NAME = "m"

    def _inner_get_response(self, *, messages, **_):
        async def respond():
            await asyncio.sleep(seconds)
            return ChatResponse(messages=[Message("assistant", ["Take a coat."])])

        return respond()


async def statuses(start, timeout):
    spans.clear()
    task = asyncio.ensure_future(start())
    done, _ = await asyncio.wait([task], timeout=timeout)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    held = [(one.attributes["gen_ai.operation.name"], one.status.status_code.name) for one in spans.get_finished_spans()]
    return sorted(held)


async def main():
    global seconds
    one = Agent(FunctionModel(answer), name="coat")
    one.instrument = InstrumentationSettings(tracer_provider=provider)
    other = OtherAgent(client=Client(), name="coat")
    for name, start in (("pydantic-ai", lambda: one.run("Coat?")), ("agent-framework", lambda: other.run("Coat?"))):
        seconds = 0.0
        completed = await statuses(start, 20)
        seconds = 30.0
        cancelled = await statuses(start, 0.5)
        print(f"{name}: completed {completed}, cancelled {cancelled}")
        assert completed == cancelled == [("chat", "UNSET"), ("invoke_agent", "UNSET")]


asyncio.run(main())
PYTHON

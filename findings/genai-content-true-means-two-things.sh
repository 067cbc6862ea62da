#!/bin/sh
# opentelemetry-util-genai 1.3b0, which the official instrumentations share, and google-adk 2.13.0 read one variable,
# OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT. Its value `true`, which all earlier releases and most guides name,
# is an error to the first, which then captures nothing, and EVENT_ONLY to the second: log records get all messages.
# A good guess is wrong: an older value is taken by all readers of a variable or by none of them.
# It hurts teams with several frameworks in one service: half of the prompts are missing, and the other half go to a place
# that nobody meant, a store of logs, with all personal data in them.
set -eu
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check google-adk==2.13.0 opentelemetry-util-genai==1.3b0
export OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true
venv/bin/python -W ignore - <<'PYTHON'
import asyncio
import logging

logging.disable()
from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai.types import Content, Part
from opentelemetry import _logs
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.util.genai.utils import get_content_capturing_mode

records, provider = InMemoryLogRecordExporter(), LoggerProvider()
provider.add_log_record_processor(SimpleLogRecordProcessor(records))
_logs.set_logger_provider(provider)


class Model(BaseLlm):
    async def generate_content_async(self, request, stream=False):
        yield LlmResponse(content=Content(role="model", parts=[Part(text="Take a coat.")]))


async def main():
    runner = InMemoryRunner(LlmAgent(name="coat", model=Model(model="m")), app_name="a")
    session = await runner.session_service.create_session(app_name="a", user_id="u")
    message = Content(role="user", parts=[Part(text="Coat?")])
    async for _ in runner.run_async(user_id="u", session_id=session.id, new_message=message):
        pass


asyncio.run(main())
mode = get_content_capturing_mode().name
captured = [name for one in records.get_finished_logs() for name in one.log_record.attributes if name.endswith(".messages")]
print("opentelemetry-util-genai 1.3b0 reads `true` as:", mode)
print("google-adk 2.13.0 writes to log records:", captured)
assert mode == "NO_CONTENT", mode
assert captured == ["gen_ai.input.messages", "gen_ai.output.messages"], captured
PYTHON

#!/bin/sh
# strands-agents 1.62.0 puts on the span of each turn, invoke_agent, the tokens of all turns so far of the agent object.
# The chats below the span have those of the turn. Nothing tells that the numbers of spans with one name mean two things.
# A good guess is wrong: gen_ai.usage.* of a span are the tokens that its operation used, and those of a parent are the sum
# of those of its children; so says the convention, and so it is for the first turn.
# It hurts whoever adds up costs from agents' spans: ten equal turns cost 55 times one turn instead of ten times.
set -eu
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check strands-agents==1.62.0
venv/bin/python -W ignore - <<'PYTHON'
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from strands import Agent
from strands.models.model import Model as AnyModel

spans, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(spans))
trace.set_tracer_provider(provider)


class Model(AnyModel):
    def update_config(self, **_):
        pass

    def get_config(self):
        return {"model_id": "m"}

    async def structured_output(self, *_, **__):
        yield {}

    async def stream(self, *_, **__):
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockStart": {"start": {}}}
        yield {"contentBlockDelta": {"delta": {"text": "Take a coat."}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn"}}
        used = {"inputTokens": 5, "outputTokens": 3, "totalTokens": 8}
        yield {"metadata": {"usage": used, "metrics": {"latencyMs": 1}}}


agent = Agent(model=Model(), callback_handler=None)
for text in ("Coat?", "Again?", "And now?"):
    agent(text)
used = {"chat": [], "invoke_agent": []}
for span in spans.get_finished_spans():
    used.setdefault(span.attributes["gen_ai.operation.name"], []).append(span.attributes.get("gen_ai.usage.total_tokens"))
print("tokens of the chats of three turns: ", used["chat"])
print("tokens of the spans around them:    ", used["invoke_agent"])
assert used["chat"] == [8, 8, 8]
assert used["invoke_agent"] == [8, 16, 24]
PYTHON

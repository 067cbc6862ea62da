"""Two turns with strands."""

from collections.abc import AsyncIterator
from typing import Any

from recording import ANSWER, CITIES, record
from strands import Agent, tool
from strands.models.model import Model as AnyModel


class Model(AnyModel):
    """Answers as a model."""

    def update_config(self, **_: Any) -> None:
        """Do nothing."""

    def get_config(self) -> dict[str, Any]:
        """Return the name."""
        return {"model_id": "m"}

    async def structured_output(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        """Return nothing."""
        yield {}

    async def stream(self, messages: Any, *_: Any, **__: Any) -> AsyncIterator[Any]:
        """Answer."""
        is_answered = any("toolResult" in block for block in messages[-1]["content"])
        yield {"messageStart": {"role": "assistant"}}
        for city in ("",) if is_answered else CITIES:
            use = {"toolUseId": f"{city}-{len(messages)}", "name": "weather"}
            yield {"contentBlockStart": {"start": {} if is_answered else {"toolUse": use}}}
            given = {"text": ANSWER} if is_answered else {"toolUse": {"input": f'{{"city": "{city}"}}'}}
            yield {"contentBlockDelta": {"delta": given}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn" if is_answered else "tool_use"}}
        used = {"inputTokens": 5, "outputTokens": 3, "totalTokens": 8}
        yield {"metadata": {"usage": used, "metrics": {"latencyMs": 1}}}


@tool
def weather(city: str) -> str:
    """Return the weather."""
    return f"7 °C in {city}"


record()
agent = Agent(
    model=Model(),
    tools=[weather],
    system_prompt="Be brief",
    name="coat",
    callback_handler=None,
    trace_attributes={"session.id": "s1"},
)
agent("Coat?")
agent("Again?")

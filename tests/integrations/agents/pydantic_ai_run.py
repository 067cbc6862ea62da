"""Two turns with pydantic-ai."""

import asyncio
import os

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.instrumented import InstrumentationSettings
from recording import ANSWER, CITIES, provider, record


def answer(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
    """Answer as a model."""
    if any(isinstance(part, ToolReturnPart) for part in messages[-1].parts):
        return ModelResponse([TextPart(ANSWER)])
    return ModelResponse([ToolCallPart("weather", {"city": city}, tool_call_id=f"call_{city}") for city in CITIES])


async def main() -> None:
    """Run the agent."""
    agent = Agent(FunctionModel(answer), name="coat", system_prompt="Be brief")
    agent.instrument = InstrumentationSettings(
        tracer_provider=provider, include_content="WITHOUT_CONTENT" not in os.environ
    )

    @agent.tool_plain
    def weather(city: str) -> str:
        return f"7 °C in {city}"

    first = await agent.run("Coat?")
    await agent.run("Again?", message_history=first.all_messages())


record()
asyncio.run(main())

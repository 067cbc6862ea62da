"""Two turns with OpenAI's Agents SDK and the official instrumentations."""

import asyncio

from openai import AsyncOpenAI
from opentelemetry.instrumentation.genai.openai import OpenAIInstrumentor
from opentelemetry.instrumentation.genai.openai_agents import OpenAIAgentsInstrumentor
from recording import logger_provider, openai_address, provider, record

from agents import Agent, OpenAIChatCompletionsModel, RunConfig, Runner, SQLiteSession, function_tool


@function_tool
def weather(city: str) -> str:
    """Return the weather."""
    return f"7 °C in {city}"


async def main() -> None:
    """Run the agent."""
    model = OpenAIChatCompletionsModel("m", AsyncOpenAI(base_url=openai_address(), api_key="none"))
    agent, session = Agent(name="coat", instructions="Be brief", tools=[weather], model=model), SQLiteSession("s1")
    for text in ("Coat?", "Again?"):
        await Runner.run(agent, text, session=session, run_config=RunConfig(group_id="c1"))


record()
OpenAIInstrumentor().instrument(tracer_provider=provider, logger_provider=logger_provider)
OpenAIAgentsInstrumentor().instrument(tracer_provider=provider, logger_provider=logger_provider)
asyncio.run(main())

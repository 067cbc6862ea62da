"""Two turns with Microsoft's Agent Framework."""

import asyncio
import os
from typing import Any

from agent_framework import Agent, BaseChatClient, ChatResponse, Content, FunctionInvocationLayer, Message, tool
from agent_framework.observability import ChatTelemetryLayer, enable_instrumentation
from recording import ANSWER, CITIES, record


class Model(FunctionInvocationLayer, ChatTelemetryLayer, BaseChatClient):
    """Answers as a model."""

    OTEL_PROVIDER_NAME = "m"

    def _inner_get_response(self, *, messages: Any, **_: Any) -> Any:
        async def answer() -> ChatResponse:
            is_answered = any(content.type == "function_result" for content in messages[-1].contents)
            calls = [
                Content.from_function_call("call", "weather", arguments=f'{{"city": "{city}"}}') for city in CITIES
            ]
            message = Message("assistant", [ANSWER] if is_answered else calls)
            return ChatResponse(messages=[message], usage_details={"input_token_count": 5, "output_token_count": 3})

        return answer()


@tool(approval_mode="never_require")
def weather(city: str) -> str:
    """Return the weather."""
    return f"7 °C in {city}"


async def main() -> None:
    """Run the agent."""
    agent = Agent(client=Model(), name="coat", instructions="Be brief", tools=[weather])
    session = agent.create_session()
    await agent.run("Coat?", session=session)
    await agent.run("Again?", session=session)


record()
if "WITHOUT_CONTENT" in os.environ:
    enable_instrumentation()
else:
    enable_instrumentation(enable_sensitive_data=True)
asyncio.run(main())

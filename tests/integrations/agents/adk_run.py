"""Two turns with Google's Agent Development Kit."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai.types import Content, FunctionCall, GenerateContentResponseUsageMetadata, Part
from recording import ANSWER, CITIES, record


class Model(BaseLlm):
    """Answers as a model."""

    async def generate_content_async(self, request: Any, stream: bool = False) -> AsyncIterator[LlmResponse]:  # noqa: ARG002 - ADK's signature
        """Answer."""
        calls = [Part(function_call=FunctionCall(name="weather", args={"city": city})) for city in CITIES]
        is_answered = any(part.function_response for part in request.contents[-1].parts)
        used = GenerateContentResponseUsageMetadata(prompt_token_count=5, candidates_token_count=3)
        content = Content(role="model", parts=[Part(text=ANSWER)] if is_answered else calls)
        yield LlmResponse(content=content, usage_metadata=used)


def weather(city: str) -> dict[str, str]:
    """Return the weather."""
    return {"weather": f"7 °C in {city}"}


async def main() -> None:
    """Run the agent."""
    runner = InMemoryRunner(
        LlmAgent(name="coat", model=Model(model="m"), tools=[weather], instruction="Be brief"), app_name="a"
    )
    session = await runner.session_service.create_session(app_name="a", user_id="u")
    for text in ("Coat?", "Again?"):
        message = Content(role="user", parts=[Part(text=text)])
        async for _ in runner.run_async(user_id="u", session_id=session.id, new_message=message):
            pass


record()
asyncio.run(main())

"""Two turns with LangGraph and the official instrumentation, or that of OpenLLMetry."""

import os

from langchain.agents import create_agent
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from recording import logger_provider, openai_address, provider, record


@tool
def weather(city: str) -> str:
    """Return the weather."""
    return f"7 °C in {city}"


record()
if os.environ.get("INSTRUMENTATION") == "openllmetry":
    from opentelemetry.instrumentation.langchain import LangchainInstrumentor

    LangchainInstrumentor().instrument(tracer_provider=provider)
else:
    from opentelemetry.instrumentation.genai.langchain import LangChainInstrumentor

    LangChainInstrumentor().instrument(tracer_provider=provider, logger_provider=logger_provider)

model = ChatOpenAI(model="m", base_url=openai_address(), api_key="none")
graph = create_agent(model, [weather], system_prompt="Be brief", checkpointer=InMemorySaver(), name="coat")
for text in ("Coat?", "Again?"):
    graph.invoke({"messages": [("user", text)]}, {"configurable": {"thread_id": "c1"}})

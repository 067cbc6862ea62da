"""`python benchmarks/langgraph_steps.py`: what a step of a graph takes with our checkpointer and LangGraph's own.

Each checkpointer runs the same graph in turn, after a first run that counts for nothing. It prints medians of the time
that a step takes, that of the first and of the last quarter of steps, that of `get_state`, and the room on the disk.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from rich.console import Console
from rich.table import Table
from typing_extensions import TypedDict

from checkpoint_ld import CheckpointManager
from checkpoint_ld.integrations.langgraph import CheckpointSaver

if TYPE_CHECKING:
    from collections.abc import Iterator

OWN = "SqliteSaver"


class State(TypedDict, total=False):
    """What the agent knows."""

    messages: Annotated[list[AnyMessage], add_messages]
    rounds: int


def agent(steps: int) -> StateGraph[Any, Any, Any, Any]:
    """Return a graph that asks a tool in every other step."""

    def model(state: State) -> Any:
        number = state.get("rounds", 0)
        call = {"name": "weather", "args": {"city": "Oslo", "day": number}, "id": f"call_{number}"}
        return {"messages": [AIMessage(f"{number} " + "x" * 150, tool_calls=[call])], "rounds": number + 1}

    def tools(state: State) -> Any:
        call: Any = state["messages"][-1].tool_calls[0]  # type: ignore[union-attr] # of the model
        return {"messages": [ToolMessage("y" * 150, tool_call_id=call["id"], name=call["name"])]}

    builder = StateGraph(State)
    builder.add_node("model", model)
    builder.add_node("tools", tools)
    builder.add_edge(START, "model")
    builder.add_edge("model", "tools")
    builder.add_conditional_edges("tools", lambda state: END if state["rounds"] >= steps // 2 else "model")
    return builder


@contextmanager
def saver(name: str, folder: Path) -> Iterator[Any]:
    """Give a new checkpointer."""
    if name == OWN:
        with SqliteSaver.from_conn_string(str(folder / "own.db")) as own:
            yield own
    else:
        place: Any = {"files": None, name: folder / name}
        with CheckpointManager(**place) as manager:
            yield CheckpointSaver(manager)


def taken(name: str, steps: int) -> tuple[list[float], float, float]:
    """Return the milliseconds from the start at which the steps of a run were done, those of `get_state`, and MB."""
    config: Any = {"configurable": {"thread_id": "run"}, "recursion_limit": steps + 10}
    with tempfile.TemporaryDirectory() as folder:
        with saver(name, Path(folder)) as checkpointer:
            graph = agent(steps).compile(checkpointer=checkpointer)
            start = time.perf_counter()
            said: Any = {"messages": [HumanMessage("what is the weather like?")], "rounds": 0}
            moments = [(time.perf_counter() - start) * 1000 for _ in graph.stream(said, config, durability="sync")]
            reads = []
            for _ in range(5):
                start = time.perf_counter()
                graph.get_state(config)
                reads.append((time.perf_counter() - start) * 1000)
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file()) / 1e6
    return moments, statistics.median(reads), size


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--turns", type=int, default=5)
    names = (OWN, "files", "database", "graph")
    parser.add_argument("--stores", nargs="*", default=names, choices=names)
    given = parser.parse_args()
    names = (OWN, *(name for name in given.stores if name != OWN))
    for name in names:
        taken(name, 20)
    found: dict[str, list[tuple[list[float], float, float]]] = {name: [] for name in names}
    for _ in range(given.turns):
        for name in names:
            found[name].append(taken(name, given.steps))
    table = Table("checkpointer", "ms a step", "first quarter", "last quarter", "times its own", "ms get_state", "MB")
    own = statistics.median(one[0][-1] for one in found[OWN])
    quarter = given.steps // 4
    for name, runs in found.items():
        moments = [one[0] for one in runs]
        whole = statistics.median(one[-1] for one in moments)
        first = statistics.median(one[quarter - 1] for one in moments) / quarter
        last = statistics.median(one[-1] - one[-1 - quarter] for one in moments) / quarter
        read, size = statistics.median(one[1] for one in runs), statistics.median(one[2] for one in runs)
        figures = (whole / given.steps, first, last, whole / own, read, size)
        table.add_row(name, *(f"{one:.2f}" for one in figures))
    Console().print(table)


if __name__ == "__main__":
    main()

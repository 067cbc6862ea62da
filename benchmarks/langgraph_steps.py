"""`python benchmarks/langgraph_steps.py`: what a step of a graph takes with our checkpointer and LangGraph's own.

All checkpointers run the same graph, one step of each in turn, so that a busy moment of the machine is that of all;
a short run before counts for nothing. It prints the mean time of a step, of the first and of the last quarter of steps,
the median of `get_state`, both beside LangGraph's own, and the room on the disk.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
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
    from collections.abc import Callable, Iterator, Sequence

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


@dataclass
class GraphRun:
    """What the steps of a run took, in milliseconds, and `get_state` after it; and the room of all in MB."""

    steps: list[float] = field(default_factory=list)
    reads: list[float] = field(default_factory=list)
    size: float = 0.0


def timed(job: Callable[[], object], into: list[float]) -> object:
    """Do something, and add its time."""
    start = time.perf_counter()
    done = job()
    into.append((time.perf_counter() - start) * 1000)
    return done


def taken(names: Sequence[str], steps: int) -> dict[str, GraphRun]:
    """Return what a run of so many steps takes with each checkpointer."""
    config: Any = {"configurable": {"thread_id": "run"}, "recursion_limit": steps + 10}
    said: Any = {"messages": [HumanMessage("what is the weather like?")], "rounds": 0}
    found = {name: GraphRun() for name in names}
    with tempfile.TemporaryDirectory() as folder:
        with ExitStack() as stack:
            graphs = {}
            for name in names:
                (Path(folder) / name).mkdir()
                made = stack.enter_context(saver(name, Path(folder) / name))
                graphs[name] = agent(steps).compile(checkpointer=made)
            runs = {name: graph.stream(said, config, durability="sync") for name, graph in graphs.items()}
            for _ in range(steps):
                for name, run in runs.items():
                    timed(lambda run=run: next(run), found[name].steps)  # type: ignore[misc] # it is called at once
            for run in runs.values():
                next(run, None)
            for _ in range(20):
                for name, graph in graphs.items():
                    timed(lambda graph=graph: graph.get_state(config), found[name].reads)  # type: ignore[misc]
        for name in names:
            files = (path for path in (Path(folder) / name).rglob("*") if path.is_file())
            found[name].size = sum(path.stat().st_size for path in files) / 1e6
    return found


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=200)
    names = (OWN, "files", "database", "graph")
    parser.add_argument("--stores", nargs="*", default=names, choices=names)
    given = parser.parse_args()
    names = (OWN, *(name for name in given.stores if name != OWN))
    taken(names, 20)
    found = taken(names, given.steps)
    table = Table(
        "checkpointer", "ms a step", "first quarter", "last quarter", "times own", "get_state", "times own", "MB"
    )
    quarter = given.steps // 4
    own = found[OWN]
    for name, run in found.items():
        step, read = statistics.mean(run.steps), statistics.median(run.reads)
        ends = statistics.mean(run.steps[:quarter]), statistics.mean(run.steps[-quarter:])
        beside = step / statistics.mean(own.steps), read, read / statistics.median(own.reads)
        table.add_row(name, *(f"{one:.2f}" for one in (step, *ends, *beside, run.size)))
    Console().print(table)


if __name__ == "__main__":
    main()

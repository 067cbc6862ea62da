"""`python benchmarks/agents.py`: what agent checkpoints cost in each store, and what a long state costs to keep.

It prints the CPU time of this process, medians over several runs. `agent_growth.py` has the room that a run takes up.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from checkpoint_ld import AgentCheckpoint, CheckpointManager, RuntimeState, diff_checkpoints
from checkpoint_ld.stores.database import DatabaseStore
from checkpoint_ld.stores.files import FileStore
from checkpoint_ld.stores.protocol import Filter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

START = 1_738_790_400_000
THOUGHTS, CALLS, EXECUTIONS = 20, 5, 200
TOOLS = ("read_file", "grep", "bash", "write_file", "test")


def checkpoint(number: int) -> AgentCheckpoint:
    """Return one checkpoint of about 10 KB; the same number gives the same one."""
    drawn = random.Random(f"agent/{number}")  # noqa: S311 - no secret, and the same every time
    step, execution = divmod(number, EXECUTIONS)
    now = START + number * 1000
    thoughts = [
        {
            "id": f"thought_{execution}_{step + at}",
            "type": "reasoning",
            "content": " ".join(drawn.choices(TOOLS, k=25)),
            "confidence": round(drawn.uniform(0.3, 1), 2),
            "created_at": now - 900 + at,
        }
        for at in range(THOUGHTS)
    ]
    calls = [
        {
            "id": f"call_{step}_{at}",
            "tool_id": drawn.choice(TOOLS),
            "args": {"path": f"src/{drawn.randrange(1000)}.py", "text": "x" * 200},
            "success": drawn.random() > 0.1,
            "started_at": now - 500 + at,
        }
        for at in range(CALLS)
    ]
    return AgentCheckpoint.of_tree(
        {
            "version": "0.0.1",
            "id": f"ckpt_{number:08}",
            "timestamp": now,
            "execution_id": f"exec_{execution}",
            "agent_id": f"agent_{execution % 7}",
            "snapshot": {
                "thought_chain": thoughts,
                "context": {"variables": {"task": "measure"}, "state": {}, "history": []},
                "tool_state": {"calls": calls, "results": {one["id"]: ["y" * 200] for one in calls}},
                "progress": {"step_number": step, "total_thoughts": THOUGHTS, "total_tool_calls": CALLS},
            },
            "metadata": {
                "step_number": step,
                "tokens_used": 250 * step,
                "duration_ms": 1000 * step,
                "checkpoint_reason": "thought_completed",
            },
            "about": {"benchmark": "urn:benchmark", "question": f"q{execution % 50}"},
        }
    )


def timed(work: Callable[[], Any], turns: int = 5) -> tuple[float, int]:
    """Return the median of what `work` takes, in milliseconds of CPU time, and how much came out."""
    taken, found = [], 0
    for _ in range(turns):
        start = time.process_time()
        result = work()
        found = len(result) if isinstance(result, list) else 1
        taken.append((time.process_time() - start) * 1000)
    return statistics.median(taken), found


def asked(middle: int) -> Iterator[tuple[str, Filter]]:
    """Yield what stores are asked for; `middle` is the number of a checkpoint in their midst."""
    yield "all headers", Filter()
    yield "a page of 50", Filter(limit=50, cursor=(START + middle * 1000, 0, ""))
    yield "newest of an execution", Filter(execution_id="exec_3", limit=1)
    yield "of an agent, newer half", Filter(agent_id="agent_3", since=START + middle * 1000)
    yield "about a question", Filter(question="q7")
    yield "that used a tool", Filter(tool="bash")
    yield "with a failed call", Filter(failed=True)
    yield "with an unsure thought", Filter(confidence_below=0.31)


def of_stores(count: int, folder: Path) -> Table:
    """Return the table of what `count` checkpoints cost in files and in a database."""
    files, database = FileStore(folder / "files"), DatabaseStore(folder / "index.db", follows_files=True)
    table = Table("", "files, ms", "database, ms", "found", title=f"{count:,} checkpoints of 10 KB, CPU time")
    saved: dict[str, list[float]] = {"files": [], "database": []}
    for number in range(count):
        one = checkpoint(number)
        for name, store in (("files", files), ("database", database)):
            start = time.process_time()
            store.put(one)
            saved[name].append((time.process_time() - start) * 1000)
    table.add_row("save one", *(f"{statistics.median(taken):.2f}" for taken in saved.values()), "1")
    middle = f"ckpt_{count // 2:08}"
    loaded = [timed(lambda store=store: store.get(middle))[0] for store in (files, database)]  # type: ignore[misc]
    table.add_row("load one", *(f"{one:.2f}" for one in loaded), "1")
    cold = timed(lambda: list(FileStore(folder / "files").headers()), 1)
    table.add_row("all headers, first time", f"{cold[0]:,.1f}", "", f"{cold[1]:,}")
    for name, wanted in asked(count // 2):
        listed = list(files.headers(wanted)), [replace(one, sha256=None) for one in database.headers(wanted)]
        if listed[0] != listed[1]:
            raise AssertionError(f"{name}: the stores do not agree")
        of_files, found = timed(lambda wanted=wanted: list(files.headers(wanted)))  # type: ignore[misc]
        of_database, _ = timed(lambda wanted=wanted: list(database.headers(wanted)))  # type: ignore[misc]
        table.add_row(name, f"{of_files:,.1f}", f"{of_database:,.2f}", f"{found:,}")
    database.close()
    return table


def of_long_states(thoughts: int, folder: Path) -> Table:
    """Return the table of what a state with so many thoughts costs to keep, restore and compare."""
    state = RuntimeState("agent", "exec_long")
    for number in range(thoughts):
        state.thought_chain.add("reasoning", f"thought {number} " + "x" * 150, confidence=0.5)
    table = Table("", "ms", title=f"a state with {thoughts:,} thoughts, CPU time")
    with CheckpointManager(files=folder / "long") as manager:

        def saved() -> str:
            state.thought_chain.add("reasoning", "one more")
            return manager.save(state).id

        first = saved()
        table.add_row("save", f"{timed(saved)[0]:,.1f}")
        before, after = manager.get(first), manager.get(saved())
        table.add_row("load", f"{timed(lambda: manager.get(first))[0]:,.1f}")
        table.add_row("restore", f"{timed(lambda: manager.restore(first))[0]:,.1f}")
        table.add_row("diff", f"{timed(lambda: diff_checkpoints(before, after))[0]:,.1f}")
    return table


def of_restoring(folder: Path) -> Table:
    """Return the table of what it takes to restore 200 thoughts, beside pydantic alone."""
    state = RuntimeState("agent", "exec_restored")
    for number in range(200):
        state.thought_chain.add("reasoning", f"thought {number} " + "x" * 100, confidence=0.5)
    table = Table("", "ms", "times pydantic", title="200 thoughts restored, CPU time")
    with CheckpointManager(files=folder / "restored") as manager:
        saved = manager.save(state)
        assert saved.path is not None  # noqa: S101 - it is a file
        path = saved.path
        jobs: dict[str, Callable[[], object]] = {
            "pydantic alone, of the file": lambda: AgentCheckpoint.model_validate_json(path.read_bytes()),
            "load the file": lambda: AgentCheckpoint.load(path),
            "restore a state": lambda: manager.restore(saved.id),
        }
        taken: dict[str, list[float]] = {name: [] for name in jobs}
        for _ in range(100):  # in turn, so that a busy moment is that of all
            for name, job in jobs.items():
                taken[name].append(timed(job, 1)[0])
    medians = {name: statistics.median(found) for name, found in taken.items()}
    for name, found in medians.items():
        table.add_row(name, f"{found:.2f}", f"{found / medians[next(iter(medians))]:.2f}")
    return table


def main() -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(prog="python benchmarks/agents.py", description=__doc__)
    parser.add_argument("count", nargs="?", type=int, default=10_000, help="how many checkpoints the stores hold")
    parser.add_argument("--thoughts", type=int, default=10_000, help="how many thoughts a long state has")
    given = parser.parse_args()
    console = Console()
    with tempfile.TemporaryDirectory() as folder:
        console.print(of_stores(given.count, Path(folder)))
        console.print(of_long_states(given.thoughts, Path(folder)))
        console.print(of_restoring(Path(folder)))


if __name__ == "__main__":
    main()

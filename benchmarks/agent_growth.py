"""`python benchmarks/agent_growth.py`: the room and the time that the run of an agent takes up as it grows.

An agent makes thoughts and calls, and a checkpoint is saved after each. It prints the room on the disk, and medians of
the time of a save among the first and the last of them; then the same for few calls with large results.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from checkpoint_ld import CheckpointManager, RuntimeState
from checkpoint_ld.stores.files import FileStore

if TYPE_CHECKING:
    from collections.abc import Callable

STORES: dict[str, Callable[[Path], dict[str, Any]]] = {
    "files, packed": lambda folder: {"files": FileStore(folder)},
    "files, all whole": lambda folder: {"files": FileStore(folder, whole=None)},
    "database": lambda folder: {"files": None, "database": folder / "agents.db"},
}


def grown(manager: CheckpointManager, steps: int, size: int, *, thinks: bool) -> list[float]:
    """Run an agent for so many steps, with results of so many bytes; return the seconds of each save."""
    drawn = random.Random(7)  # noqa: S311 - no secret, and the same every time
    state, taken = RuntimeState("agent"), []

    def save() -> None:
        start = time.perf_counter()
        manager.save(state)
        taken.append(time.perf_counter() - start)

    for number in range(steps):
        if thinks:
            state.thought_chain.add("reasoning", f"thought {number} " + "x" * 150, confidence=0.5)
            save()
        call = state.tool_state.start("read", {"number": number})
        save()
        state.tool_state.complete(call.id, drawn.randbytes(size // 2).hex())
        save()
    return taken


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--stores", nargs="*", default=[*STORES], choices=[*STORES])
    chosen = parser.parse_args()
    table = Table("run", "store", "saves", "MB", "ms, first 100", "ms, last 100")
    for name in chosen.stores:
        for steps, size, thinks in ((chosen.steps, 100, True), (6, 5_000_000, False)):
            with tempfile.TemporaryDirectory() as folder:
                with CheckpointManager(**STORES[name](Path(folder))) as manager:
                    taken = grown(manager, steps, size, thinks=thinks)
                room = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file()) / 1e6
            ends = [f"{statistics.median(part) * 1000:.1f}" for part in (taken[:100], taken[-100:])]
            what = f"{steps} steps" if thinks else f"{steps} results of 5 MB"
            table.add_row(what, name, str(len(taken)), f"{room:.1f}", *ends)
    Console().print(table)


if __name__ == "__main__":
    main()

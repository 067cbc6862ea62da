"""An agent that looks through a folder, and can be stopped at any moment without losing or repeating what it did.

    python folder_agent.py FOLDER CHECKPOINTS [sqlite:///DATABASE]

It needs no model and no network: its thoughts follow from what its tools find. Every step leaves a checkpoint in the
folder CHECKPOINTS. Started again, it goes on where it was; when it is done, the report stands in the last checkpoint.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from checkpoint_ld import Checkpointer, CheckpointManager, RuntimeState

AGENT = "folder-agent"
ENOUGH = 3
"""How many lines a file has to have to be worth a second look."""


def list_files(folder: str) -> list[str]:
    """Return the paths of all files below a folder, relative to it."""
    root = Path(folder)
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())


def measure(folder: str, path: str) -> dict[str, Any]:
    """Return how long a text file is, and what it is known by; raise UnicodeDecodeError for another file."""
    text = (Path(folder) / path).read_text(encoding="utf-8")
    digest = hashlib.sha256(text.encode()).hexdigest()
    return {"lines": len(text.splitlines()), "words": len(text.split()), "sha256": digest}


def longest_line(folder: str, path: str) -> int:
    """Return the number of the longest line of a file, from 1."""
    lines = (Path(folder) / path).read_text(encoding="utf-8").splitlines()
    return max(range(len(lines)), key=lambda number: len(lines[number])) + 1


TOOLS: dict[str, Callable[..., Any]] = {"list_files": list_files, "measure": measure, "longest_line": longest_line}


class Agent:
    """Thinks, calls tools and remembers; all that it knows is in its state."""

    def __init__(self, state: RuntimeState) -> None:
        self.state = state
        self.known = state.context.variables

    def run(self) -> dict[str, Any]:
        """Go on until everything is looked at, and return the report."""
        if "waiting" not in self.known:
            self.use("list_files", {}, "which files are there?", lambda found: {"waiting": found, "seen": {}})
        while self.known["waiting"]:
            self.look_at(self.known["waiting"][0])
        report = self.report()
        self.state.thought_chain.add("decision", f"all {len(self.known['seen'])} files are looked at", confidence=1)
        return report

    def look_at(self, path: str) -> None:
        """Measure a file; look again at one that is long. It is done when it is in `seen`, and not before."""
        found = dict(self.known["seen"].get(path, {}))
        if not found:
            self.use("measure", {"path": path}, f"how long is {path}?", lambda size: self.noted(path, size))
        elif found.get("lines", 0) >= ENOUGH and "longest" not in found:
            question = f"{path} is long: which line most of all?"
            self.use("longest_line", {"path": path}, question, lambda line: self.noted(path, found | {"longest": line}))
        else:
            self.known["waiting"] = self.known["waiting"][1:]

    def noted(self, path: str, found: dict[str, Any]) -> dict[str, Any]:
        """Return what is known when this is known about a file."""
        return {"seen": {**self.known["seen"], path: found}}

    def use(self, tool: str, args: dict[str, Any], why: str, learn: Callable[[Any], dict[str, Any]]) -> None:
        """Think, call a tool, and learn from what it gives.

        A thought and the call that it leads to are one change, and so are a result and what is learned from it: no
        checkpoint has one without the other.
        """
        state, last = self.state, self.state.thought_chain.current_step_id
        with state.change():
            state.thought_chain.add("tool_selection", why, parent_id=last)
            call = state.tool_state.start(tool, args)
        try:
            result = TOOLS[tool](self.known["folder"], **args)
        except (OSError, UnicodeDecodeError) as error:
            with state.change():
                state.tool_state.fail(call.id, str(error))
                self.known.update(learn({"unreadable": type(error).__name__}))
            return
        with state.change():
            state.tool_state.complete(call.id, result)
            self.known.update(learn(result))

    def report(self) -> dict[str, Any]:
        """Return what was found out."""
        seen = self.known["seen"]
        by_content: dict[str, list[str]] = {}
        for path, found in seen.items():
            by_content.setdefault(found.get("sha256", path), []).append(path)
        return {
            "files": len(seen),
            "words": sum(found.get("words", 0) for found in seen.values()),
            "unreadable": [path for path, found in seen.items() if "unreadable" in found],
            "same": [paths for paths in by_content.values() if len(paths) > 1],
        }


def work(folder: str, checkpoints: str, database: str | None = None) -> dict[str, Any]:
    """Look through a folder, going on from the newest checkpoint if there is one; return the report."""
    with CheckpointManager(checkpoints, database) as manager:
        newest = manager.latest()
        if newest is None:
            state = RuntimeState(AGENT)
            state.context.variables.update({"task": "look through a folder", "folder": folder})
        else:
            restored = manager.restore(newest.id, continue_execution=True)
            state = restored.state
            if newest.checkpoint_reason == "execution_completed":
                return dict(state.context.variables["report"])
            for call in restored.interrupted:
                state.tool_state.cancel(call.id)  # tools of this agent only look: asking again is safe
        checkpointer = Checkpointer(state, manager)
        report = Agent(state).run()
        with state.change():
            state.context.variables["report"] = report
        checkpointer.complete()
        return report


if __name__ == "__main__":
    for name, value in work(*sys.argv[1:]).items():
        print(f"{name}: {value}")

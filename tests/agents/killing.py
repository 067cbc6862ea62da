"""Runs the example agent again and again, kills it at random moments, and looks at its files after each kill.

python killing.py EXAMPLE FOLDER STORES KILLS SEED: writes a JSON object about each run that came to its end.
"""

import importlib.util
import json
import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

MEAN_SECONDS = 0.05


def main(example: str, folder: str, stores: str, kills: int) -> None:
    agent = _module(example)
    left = kills
    ended: list[dict[str, Any]] = []
    while left > 0 or not ended:
        store = Path(stores, str(len(ended)))
        store.mkdir(parents=True)
        killed = _until_the_end(agent, folder, store, left)
        left -= killed
        ended.append({"store": str(store), "kills": killed})
    sys.stdout.write(json.dumps(ended))


def _until_the_end(agent: Any, folder: str, store: Path, kills: int) -> int:
    killed = 0
    seen: set[str] = set()
    while True:
        child = os.fork()
        if child == 0:
            _work(agent, folder, store)
        if killed < kills:
            time.sleep(random.expovariate(1 / MEAN_SECONDS))
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        for file in (store / "checkpoints").glob("*.json"):
            if file.name not in seen:
                json.loads(file.read_bytes())
                seen.add(file.name)
        if status == 0:
            return killed
        if not os.WIFSIGNALED(status):
            sys.exit(f"the agent failed with {status}")
        killed += 1


def _work(agent: Any, folder: str, store: Path) -> None:
    journal = os.open(store / "journal", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def noted(name: str) -> Any:
        tool = agent.TOOLS[name]

        def run(folder: str, **arguments: Any) -> Any:
            os.write(journal, f"{name} {json.dumps(arguments)}\n".encode())
            return tool(folder, **arguments)

        return run

    agent.TOOLS = {name: noted(name) for name in agent.TOOLS}
    code = 1
    try:
        agent.work(folder, str(store / "checkpoints"), f"sqlite:///{store}/agents.db")
        code = 0
    finally:
        os._exit(code)


def _module(path: str) -> Any:
    spec = importlib.util.spec_from_file_location("folder_agent", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    _, example, folder, stores, kills, seed = sys.argv
    random.seed(seed)
    main(example, folder, stores, int(kills))

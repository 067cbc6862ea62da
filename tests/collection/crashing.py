"""Processes that are killed while they load a collection, to be run as a program of its own.

It opens no store itself and so may fork: each kill costs no start of Python. It prints one line of JSON for each.
"""

import json
import os
import random
import signal
import sys
from pathlib import Path
from typing import Any

from checkpoint_ld.stores import holdings, loading
from checkpoint_ld.stores.collection import Collection
from tests.collection.conftest import checkpoint
from tests.forking import forked

CHECKPOINTS = 24
CHANGES = frozenset(("update", "remove_graph", "extend", "bulk_load", "flush"))


class Fragile:
    """A store of which the process is killed when it is to be changed for the `last` time."""

    def __init__(self, store: Any, last: int) -> None:
        self.store = store
        self.left = last

    def __getattr__(self, name: str) -> Any:
        if name in CHANGES:
            self.left -= 1
            if not self.left:
                os.kill(os.getpid(), signal.SIGKILL)
        return getattr(self.store, name)


def write_files(folder: Path, version: int) -> None:
    folder.mkdir(exist_ok=True)
    for number in range(CHECKPOINTS):
        document = checkpoint(number, f"What is {number} in version {version}?", f"And what is {version}?")
        document["dataFeedElement"][1]["@id"] = "urn:uuid:question-of-all"
        (folder / f"{number:02}.jsonld").write_text(json.dumps(document), encoding="utf-8")


def load(store: Path, files: Path, last: int | None = None) -> None:
    with Collection.open(store) as collection:
        if last is not None:
            directory = collection.holdings.directory
            directory.opened = Fragile(directory.store, last)  # type: ignore[assignment]
        collection.add(files)
        if last is not None:
            directory.opened = directory.store.store  # type: ignore[attr-defined]


def check(store: Path) -> None:
    """Print what is wrong with a collection after a kill, beside what it says itself."""
    with Collection.open(store) as collection:
        unfinished = {one.graph for one in collection.unfinished}
        problems = [one.as_json() for one in collection.verify() if one.graph not in unfinished]
        half = [graph for graph in unfinished if collection.holdings.count([graph])[graph]]
        done = len(collection) - len(unfinished)
    found = {"unfinished": len(unfinished), "half": half, "problems": problems, "done": done}
    sys.stdout.write(json.dumps(found) + "\n")
    sys.stdout.flush()


def main(store: Path, files: Path, rounds: int) -> None:
    loading._BATCH = 60_000  # noqa: SLF001 - several batches of a few files each
    chance = random.Random(rounds)
    for turn in range(1, rounds + 1):
        holdings._BULK = chance.choice((100, 10_000))  # noqa: SLF001 - in bulk and as transactions
        write_files(files, turn)
        end = forked(lambda: load(store, files, last=chance.randint(1, 60)))
        assert end in {0, -signal.SIGKILL}, end
        if (store / "collection.json").exists():
            assert forked(lambda: check(store)) == 0
        if turn % 6 == 0:
            assert forked(lambda: load(store, files)) == 0
    assert forked(lambda: load(store, files)) == 0
    assert forked(lambda: check(store)) == 0


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))

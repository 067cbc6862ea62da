"""Many processes on one collection, and processes that are killed while they write a graph.

Called as a program, this module is such a process.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld.errors import CheckpointExists, CheckpointNotFound, StoreError
from checkpoint_ld.stores import embedded
from checkpoint_ld.stores.graphs import GraphStore
from checkpoint_ld.stores.holdings import Holdings
from checkpoint_ld.stores.protocol import Filter
from tests.stores.documents import checkpoint
from tests.trials import some

EACH = 15
STEPS = (("put", "_write"), *(("replace", f"_{step}") for step in ("replace_entries", "empty", "write", "finish")))
WHEN = ("before", "after")
ROOT = Path(__file__).parents[2]


def start(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.stores.test_graph_store_processes", *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def ended(process: subprocess.Popen[str]) -> list[str]:
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    return out.split()


@pytest.mark.slow
def test_processes_take_turns_and_nothing_is_lost(tmp_path: Path) -> None:
    folder = tmp_path / "collection"
    for one in [start("save", folder, name) for name in "abc"]:
        ended(one)

    store = GraphStore(folder)
    assert {one.id for one in store.headers()} == {f"{name}-{at}" for name in "abc" for at in range(EACH)}
    assert list(store.verify()) == []
    store.close()


@pytest.mark.slow
def test_one_of_several_writers_of_an_id_wins(tmp_path: Path) -> None:
    folder = tmp_path / "collection"
    won = [ended(one) for one in [start("race", folder, name) for name in "abc"]]

    assert sorted(at for each in won for at in each) == sorted(map(str, range(EACH)))
    store = GraphStore(folder)
    for name, each in zip("abc", won, strict=True):
        assert all(store.get(f"ckpt-{at}").name == name for at in each)
    store.close()


@pytest.mark.slow
@pytest.mark.parametrize(("way", "step", "when"), some([(*step, when) for step in STEPS for when in WHEN], 3))
def test_a_kill_leaves_a_checkpoint_there_as_a_whole_or_not_at_all(
    tmp_path: Path, way: str, step: str, when: str
) -> None:
    folder = tmp_path / "collection"
    store = GraphStore(folder)
    store.put(checkpoint("old"))
    if way == "replace":
        store.put(checkpoint("new", name="before"))
    store.close()

    process = start("die", folder, way, step, when)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL

    assert store.get("old").content() == checkpoint("old").content()
    try:
        whole = (checkpoint("new").content(), checkpoint("new", name="before").content())
        assert store.get("new").content() in whole
        assert [one.id for one in store.headers()] == ["old", "new"]
    except CheckpointNotFound:
        assert [one.id for one in store.headers()] == ["old"]
    assert {one.rule for one in store.verify(repair=True)} <= {"agent-graph-unfinished"}
    assert list(store.verify()) == []
    store.replace(checkpoint("new"))
    assert store.get("new").content() == checkpoint("new").content()
    store.close()


@pytest.mark.slow
@pytest.mark.parametrize("when", WHEN)
def test_a_kill_while_a_name_is_changed_leaves_the_old_or_the_new_one(tmp_path: Path, when: str) -> None:
    folder = tmp_path / "collection"
    store = GraphStore(folder)
    store.put(checkpoint("old", name="old"))
    store.close()

    process = start("die_changing", folder, when)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL

    assert store.get("old").name == "new"
    assert {one.rule for one in store.verify(repair=True)} <= {"agent-graph-statements"}
    assert list(store.verify()) == []
    store.close()


@pytest.mark.slow
def test_a_forked_process_is_refused_and_takes_nothing_from_its_parent(tmp_path: Path) -> None:
    assert ended(start("fork", tmp_path / "collection")) == ["refused", "before", "parent"]


def save(folder: str, name: str) -> None:
    """Save checkpoints of its own."""
    store = GraphStore(folder)
    for at in range(EACH):
        store.put(checkpoint(f"{name}-{at}", at, execution_id=f"exec_{name}"))
    store.close()


def race(folder: str, name: str) -> None:
    """Save checkpoints whose ids others save as well; say which were ours."""
    store = GraphStore(folder)
    for at in range(EACH):
        try:
            store.put(checkpoint(f"ckpt-{at}", at, name=name))
            print(at, flush=True)  # noqa: T201 - what the test reads
        except CheckpointExists:
            continue
    store.close()


def die(folder: str, way: str, step: str, when: str) -> None:
    """Save a checkpoint, and die before or after a step of that."""
    setattr(Holdings, step, dying(getattr(Holdings, step), when))
    getattr(GraphStore(folder), way)(checkpoint("new"))


def die_changing(folder: str, when: str) -> None:
    """Change a name, and die between the graph and its entry, or after both."""
    Holdings._replace_entries = dying(Holdings._replace_entries, when)  # type: ignore[method-assign] # noqa: SLF001 - dies there
    GraphStore(folder).update_metadata("old", name="new")


def fork(folder: str) -> None:
    """Use a store before and after a fork, in both processes; the child outlives its parent's turn."""
    store = GraphStore(folder)
    store.put(checkpoint("before"))
    child = os.fork()
    if child == 0:
        try:
            store.put(checkpoint("child"))
        except StoreError as error:
            print("refused" if "spawn" in str(error) else error, flush=True)  # noqa: T201 - what the test reads
        time.sleep(2 * embedded.IDLE_S)
        os._exit(0)
    store.close()
    store.put(checkpoint("parent", 2))
    found = [one.id for one in store.headers(Filter(order="oldest"))]
    store.close()
    os.waitpid(child, 0)
    print(*found)  # noqa: T201 - what the test reads


def dying(call: Callable[..., Any], when: str) -> Callable[..., Any]:
    """Return a call that is the last one of this process."""

    def dies(*given: Any, **named: Any) -> Any:
        if when == "after":
            call(*given, **named)
        os.kill(os.getpid(), signal.SIGKILL)

    return dies


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])

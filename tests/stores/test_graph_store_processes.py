"""Many processes on one collection, and processes that are killed while they write a graph."""

from __future__ import annotations

import os
import signal
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
from tests.forking import SERVER, begun_together
from tests.stores.documents import checkpoint
from tests.trials import some

EACH = 15
STEPS = (("put", "_write"), *(("replace", f"_{step}") for step in ("replace_entries", "empty", "write", "finish")))
WHEN = ("before", "after")


@pytest.mark.slow
def test_processes_take_turns_and_nothing_is_lost(tmp_path: Path) -> None:
    folder = tmp_path / "collection"
    with SERVER.Pool(3) as pool:
        pool.starmap(save, [(folder, name) for name in "abc"], 1)

    store = GraphStore(folder)
    assert {one.id for one in store.headers()} == {f"{name}-{at}" for name in "abc" for at in range(EACH)}
    assert list(store.verify()) == []
    store.close()


@pytest.mark.slow
def test_one_of_several_writers_of_an_id_wins(tmp_path: Path) -> None:
    folder = tmp_path / "collection"
    with SERVER.Pool(3) as pool:
        won = pool.starmap(race, [(folder, name) for name in "abc"], 1)

    assert sorted(at for each in won for at in each) == list(range(EACH))
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

    assert exit_code(die, folder, way, step, when) == -signal.SIGKILL

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

    assert exit_code(die_changing, folder, when) == -signal.SIGKILL

    assert store.get("old").name == "new"
    assert {one.rule for one in store.verify(repair=True)} <= {"agent-graph-statements"}
    assert list(store.verify()) == []
    store.close()


@pytest.mark.slow
def test_a_forked_process_is_refused_and_takes_nothing_from_its_parent(tmp_path: Path) -> None:
    with SERVER.Pool(1) as pool:
        assert pool.apply(fork, (tmp_path / "collection",)) == (True, ["before", "parent"])


def exit_code(work: Callable[..., None], *arguments: object) -> int | None:
    """Do something in a process of its own; return how that ended."""
    process = SERVER.Process(target=work, args=arguments)
    process.start()
    process.join(60)
    return process.exitcode


def save(folder: Path, name: str) -> None:
    """Save checkpoints of its own."""
    store = GraphStore(folder)
    for at in range(EACH):
        store.put(checkpoint(f"{name}-{at}", at, execution_id=f"exec_{name}"))
    store.close()


def race(folder: Path, name: str) -> list[int]:
    """Save checkpoints whose ids others save as well; return which were ours."""
    won = []
    begun_together(folder.parent, name, 3)
    store = GraphStore(folder)
    for at in range(EACH):
        try:
            store.put(checkpoint(f"ckpt-{at}", at, name=name))
            won.append(at)
        except CheckpointExists:
            continue
    store.close()
    return won


def die(folder: Path, way: str, step: str, when: str) -> None:
    """Save a checkpoint, and die before or after a step of that."""
    setattr(Holdings, step, dying(getattr(Holdings, step), when))
    getattr(GraphStore(folder), way)(checkpoint("new"))


def die_changing(folder: Path, when: str) -> None:
    """Change a name, and die between the graph and its entry, or after both."""
    Holdings._replace_entries = dying(Holdings._replace_entries, when)  # type: ignore[method-assign] # noqa: SLF001 - dies there
    GraphStore(folder).update_metadata("old", name="new")


def fork(folder: Path) -> tuple[bool, list[str]]:
    """Use a store before and after a fork, in both processes; the child outlives its parent's turn.

    Return whether the child was refused, and what the store holds at the end.
    """
    store = GraphStore(folder)
    store.put(checkpoint("before"))
    child = os.fork()
    if child == 0:
        refused = False
        try:
            store.put(checkpoint("child"))
        except StoreError as error:
            refused = "spawn" in str(error)
        time.sleep(2 * embedded.IDLE_S)
        os._exit(not refused)
    store.close()
    store.put(checkpoint("parent", 2))
    found = [one.id for one in store.headers(Filter(order="oldest"))]
    store.close()
    return os.waitpid(child, 0)[1] == 0, found


def dying(call: Callable[..., Any], when: str) -> Callable[..., Any]:
    """Return a call that is the last one of this process."""

    def dies(*given: Any, **named: Any) -> Any:
        if when == "after":
            call(*given, **named)
        os.kill(os.getpid(), signal.SIGKILL)

    return dies

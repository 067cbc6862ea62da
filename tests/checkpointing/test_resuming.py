"""A run that was cut off is resumed, one that ended is not."""

from __future__ import annotations

import random
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld import About, Checkpointer, CheckpointManager, InvalidCheckpoint
from checkpoint_ld.checkpointing import Run
from tests.agents.states import HandClock
from tests.checkpointing.managers import newest
from tests.forking import forked

END: dict[str, Callable[[Checkpointer], object] | None] = {
    "cut off": None,
    "paused": Checkpointer.pause,
    "completed": Checkpointer.complete,
    "failed": lambda keeper: keeper.fail("no"),
}


@pytest.fixture
def manager(tmp_path: Path) -> CheckpointManager:
    return CheckpointManager(tmp_path / "files", tmp_path / "agents.db")


def worked(manager: CheckpointManager, how: str, *, agent: str = "reader", **settings: Any) -> Run:
    """Work for one thought and one call, and end in some way."""
    run = manager.resume_or_start(agent, **settings)
    keeper = Checkpointer(run.state, manager)
    run.state.thought_chain.add("reasoning", "hm")
    run.state.tool_state.start("ask", {})
    end = END[how]
    if end is not None:
        end(keeper)
    return run


@pytest.mark.parametrize("how", END)
def test_a_run_is_resumed_unless_it_ended(manager: CheckpointManager, how: str) -> None:
    first = worked(manager, how)
    assert (first.restored, first.interrupted) == (None, ())
    is_over = how in ("completed", "failed")
    header, again = manager.latest(), manager.resume_or_start("reader")
    assert header is not None
    assert (header.is_final, again.restored is None) == (is_over, is_over)
    assert [one.tool_id for one in again.interrupted] == ([] if is_over else ["ask"])
    assert len(again.state.thought_chain) == (0 if is_over else 1)
    assert again.state.execution_id != first.state.execution_id
    assert (manager.latest(unfinished=True) is None) is is_over
    assert (manager.save(again.state).checkpoint.parent is None) is is_over
    assert manager.verify() == ()


def test_neither_runs_of_other_agents_nor_those_that_were_resumed_and_ended_are_resumed(
    manager: CheckpointManager,
) -> None:
    worked(manager, "cut off", agent="writer")
    worked(manager, "cut off")
    assert worked(manager, "completed").restored is not None
    for agent, is_there in (("reader", False), ("writer", True), ("nobody", False)):
        assert (manager.resume_or_start(agent).restored is not None) is is_there
        assert (manager.latest(agent_id=agent, unfinished=True) is not None) is is_there


def test_questions_are_worked_on_by_themselves(manager: CheckpointManager) -> None:
    one, other = (About(benchmark="urn:b", question=f"urn:q{n}") for n in (1, 2))
    second = one.but(replicate=2)

    def resumed(about: About) -> bool:
        run = manager.resume_or_start("reader", about=about)
        assert run.state.about == about
        return run.restored is not None

    worked(manager, "cut off", about=one)
    worked(manager, "completed", about=other)
    assert (resumed(one), resumed(other)) == (True, False)
    worked(manager, "cut off", about=second)
    worked(manager, "completed", about=one.but(replicate=3))
    assert resumed(second)


def test_a_new_run_comes_after_the_last_one_even_if_the_clock_was_put_back(manager: CheckpointManager) -> None:
    clock = HandClock()
    worked(manager, "completed", clock=clock.clock())
    clock.wall -= 60_000
    cut_off = worked(manager, "cut off", clock=clock.clock())
    resumed = manager.resume_or_start("reader", clock=clock.clock())
    assert resumed.restored is not None
    assert resumed.restored.checkpoint.execution_id == cut_off.state.execution_id


def test_what_cannot_be_restored_is_an_error_and_no_fresh_start(tmp_path: Path) -> None:
    manager = CheckpointManager(tmp_path)
    worked(manager, "cut off")
    file = tmp_path / f"{newest(manager).id}.json"
    file.write_text(file.read_text().replace('"reasoning"', "5"))
    with pytest.raises(InvalidCheckpoint, match="thought_chain/0/type"):
        manager.resume_or_start("reader")


def _worker(folder: Path, calls: int) -> None:
    """Make one call after the other; each writes a line, after it was noted that it starts."""
    with CheckpointManager(folder / "kept") as manager:
        run = manager.resume_or_start("worker")
        state, keeper = run.state, Checkpointer(run.state, manager)
        for call in run.interrupted:
            is_done = f"{(call.args or {})['n']}\n" in _lines(folder)
            (state.tool_state.complete if is_done else state.tool_state.cancel)(call.id)
        while (n := sum(bool(one.success) for one in state.tool_state)) < calls:
            with state.tool("write", n=n), (folder / "out").open("a") as out:
                out.write(f"{n}\n")
        keeper.complete()


def _lines(folder: Path) -> list[str]:
    file = folder / "out"
    return file.read_text().splitlines(keepends=True) if file.exists() else []


@pytest.mark.slow
def test_a_worker_that_is_killed_again_and_again_does_everything_once(tmp_path: Path) -> None:
    moments, kills = random.Random(5), 0
    while (ended := forked(lambda: _worker(tmp_path, 40), kill_after=moments.uniform(0.0, 0.1 + kills / 1000))) != 0:
        assert ended == -signal.SIGKILL
        kills += 1
        assert kills < 500
    assert _lines(tmp_path) == [f"{n}\n" for n in range(40)]
    manager = CheckpointManager(tmp_path / "kept")
    assert manager.latest(unfinished=True) is None
    assert len({one.execution_id for one in manager.list()}) <= kills + 1
    assert forked(lambda: _worker(tmp_path, 1)) == 0
    assert len(_lines(tmp_path)) == 41  # another run

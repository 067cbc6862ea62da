"""Checkpoints that are made by themselves."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from checkpoint_ld import Event, RuntimeState
from checkpoint_ld.agents.values import About
from checkpoint_ld.checkpointing import TRIGGERS, Checkpointer, CheckpointManager, Policy
from checkpoint_ld.errors import CheckpointWarning, SettingsError, StoreError, StoreFull
from tests.agents.states import heard
from tests.checkpointing.managers import Bench, above, newest
from tests.checkpointing.test_room import room_for


def reasons(bench: Bench) -> list[str]:
    return [one.checkpoint_reason for one in bench.manager.list(order="oldest")]


def test_each_kind_of_change_has_its_reason(bench: Bench) -> None:
    Checkpointer(bench.state, bench.manager, Policy(confidence_threshold=0.5))
    bench.think()
    bench.think(confidence=0.9)
    bench.think(confidence=0.4)
    unsure = bench.state.thought_chain[1]
    bench.state.thought_chain.add("decision", "go")
    good, bad, odd = (bench.state.tool_state.start("ls", {}) for _ in range(3))
    bench.state.tool_state.complete(good.id)
    bench.state.tool_state.fail(bad.id, "exit 1")
    bench.state.tool_state.cancel(odd.id)
    bench.state.context.variables["x"] = 1
    bench.state.thought_chain.update(unsure.id, confidence=0.1)
    bench.state.thought_chain.update(unsure.id, confidence=0.2)
    assert reasons(bench) == [
        *("thought_completed", "thought_completed", "low_confidence", "decision"),
        *("tool_started", "tool_started", "tool_started"),
        *("tool_completed", "tool_error", "tool_error", "low_confidence"),
    ]
    assert newest(bench.manager).snapshot.thought_chain[1].confidence == 0.1


def test_several_triggers_in_one_change_make_one_checkpoint_and_none_after_one_that_was_requested(bench: Bench) -> None:
    keeper = Checkpointer(bench.state, bench.manager, Policy(confidence_threshold=0.5))
    bench.state.thought_chain.add("decision", "", confidence=0.1)
    with bench.state.change():
        bench.state.thought_chain.add("decision", "")
        call = bench.state.tool_state.start("ls", {})
        bench.state.tool_state.fail(call.id, "no")
        bench.state.context.variables["x"] = 1
    assert newest(bench.manager).snapshot.context.variables == {"x": 1}

    def save(_: Event) -> None:
        keeper.save("seen")

    bench.state.on("thought.created", save)
    bench.think()
    assert reasons(bench) == ["low_confidence", "tool_error", "seen"]


def test_the_policy_chooses(bench: Bench) -> None:
    policy = Policy(triggers=["thought_completed", "tool_error"], every_thoughts=3)  # type: ignore[arg-type] # any collection
    with Checkpointer(bench.state, bench.manager, policy):
        for number in range(7):
            bench.state.thought_chain.add("decision", str(number), confidence=0.0)
        bench.state.tool_state.complete(bench.state.tool_state.start("ls", {}).id)
    assert reasons(bench) == ["thought_completed"] * 2
    for _ in range(9):
        bench.think()
    assert len(reasons(bench)) == 2
    Checkpointer(bench.state, bench.manager, Policy(triggers=frozenset(TRIGGERS) - {"tool_started"}))
    bench.state.tool_state.complete(bench.state.tool_state.start("rm", {}).id)
    assert reasons(bench)[2:] == ["tool_completed"]


def test_between_two_checkpoints_goes_the_least_interval(bench: Bench) -> None:
    keeper = Checkpointer(bench.state, bench.manager, Policy(min_interval_ms=2500))
    for _ in range(7):
        bench.think()
    keeper.save()
    bench.think()
    assert reasons(bench) == ["thought_completed"] * 3 + ["manual"]
    assert [one.step_number for one in bench.manager.list(order="oldest")] == [1, 4, 7, 7]


def test_what_is_requested_is_saved_even_if_nothing_changed(bench: Bench) -> None:
    keeper = Checkpointer(bench.state, bench.manager, about=About(question="q"))
    saved = [keeper.pause(), keeper.save(name="n", description="d"), keeper.save("mine"), keeper.complete()]
    bench.think()
    assert reasons(bench) == ["paused", "manual", "mine", "execution_completed"]
    assert (saved[1].checkpoint.name, saved[1].checkpoint.description) == ("n", "d")
    assert {one.checkpoint.about for one in saved} == {About(question="q")}


def test_a_failure_is_given_in_the_last_checkpoint(bench: Bench) -> None:
    found = {
        "ValueError: no such folder": ValueError("no such folder"),
        "gave up": "gave up",
        "OSError: no file caf\\udce9": OSError(b"no file caf\xe9".decode("utf-8", "surrogateescape")),
    }
    for description, failure in found.items():
        with Checkpointer(bench.state, bench.manager) as keeper:
            assert keeper.fail(failure).checkpoint.description == description  # type: ignore[arg-type]
            bench.think()
    bench.think()
    assert reasons(bench) == ["execution_failed"] * 3


@pytest.mark.parametrize("settings", [{"triggers": {"thought"}}, {"every_thoughts": 0}, {"min_interval_ms": -1}])
def test_a_policy_that_makes_no_sense_is_refused(settings: dict[str, object]) -> None:
    with pytest.raises(SettingsError):
        Policy(**settings)  # type: ignore[arg-type]


def test_each_failed_save_is_reported_and_the_first_one_of_a_row_warns(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The folder cannot be made at first, then it can, then nothing fits into a file any more."""
    blocked = tmp_path / "blocked"
    blocked.write_text("a file, where a folder should be")
    errors: list[Exception] = []
    state = RuntimeState("agent", on_error=lambda error, _: errors.append(error))
    failures = heard(state, "agent.checkpoint_failed")
    manager = CheckpointManager(blocked / "checkpoints")
    keeper = Checkpointer(state, manager)
    with pytest.warns(CheckpointWarning, match="give the path of a folder") as first:
        state.thought_chain.add("reasoning", "one")
    state.thought_chain.add("reasoning", "two")
    with pytest.raises(StoreError, match="give the path of a folder"):
        keeper.complete()
    blocked.unlink()
    state.thought_chain.add("reasoning", "three")
    no_room = r"agent at step 4 .thought_completed. is not saved: .*no room is left .* free some space"
    with room_for(100), pytest.warns(CheckpointWarning, match=no_room) as second:
        state.thought_chain.add("reasoning", "four")
    with room_for(100), pytest.raises(StoreFull):
        keeper.complete()
    assert [Path(str(one.filename)).name for one in (*first, *second)] == [Path(__file__).name] * 2
    assert [type(error) for error in errors] == [StoreError, StoreError, StoreFull]
    assert [one["stage"] for one in failures] == ["file"] * 5
    logged = [one.message for one in caplog.records if one.name == "checkpoint_ld.checkpointing"]
    assert [" ".join(one.split()[2:7]) for one in logged] == [f"of agent at step {n}" for n in (1, 2, 4)]
    three, four = manager.list(order="oldest")[0], keeper.complete()
    assert (three.parent_checkpoint_id, above(four.checkpoint)) == (None, {"checkpoint_id": three.id})


def test_a_store_that_cannot_follow_is_reported_as_such(bench: Bench) -> None:
    bench.graph.broken = {"put"}
    Checkpointer(bench.state, bench.manager)
    with pytest.warns(CheckpointWarning, match=r"is not in every store: .*its file is written .*run reindex"):
        bench.think()


RUN = """
import os, signal, sys
from checkpoint_ld import Checkpointer, CheckpointManager, RuntimeState

state = RuntimeState("reader")
manager = CheckpointManager(sys.argv[1])
checkpointer = Checkpointer(state, manager)
state.thought_chain.add("reasoning", "the file first", confidence=0.9)
if len(sys.argv) == 2:
    state.tool_state.start("delete_file", {"path": "a.txt"})
    os.kill(os.getpid(), signal.SIGKILL)
"""
"""The set-up of the first page; with one argument, the process dies while a tool runs."""


def test_a_call_under_way_when_the_process_is_killed_is_interrupted_after_the_restore(tmp_path: Path) -> None:
    killed = subprocess.run([sys.executable, "-c", RUN, str(tmp_path)], check=False)
    assert killed.returncode not in (0, 1)
    with CheckpointManager(tmp_path) as manager:
        kept = newest(manager)
        assert kept.metadata.checkpoint_reason == "tool_started"
        interrupted = manager.restore(kept.id).interrupted
        assert [(one.tool_id, one.args) for one in interrupted] == [("delete_file", {"path": "a.txt"})]
        assert kept.validate().findings == ()


@pytest.mark.slow
def test_a_run_that_can_save_nothing_states_so_on_standard_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    command = [sys.executable, "-c", RUN, str(tmp_path / "file" / "inner"), ""]
    result = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    step = "CheckpointWarning: the checkpoint of reader at step 1 (thought_completed) is not saved"
    assert f"{step}: {tmp_path}/file" in result


@pytest.mark.slow
def test_an_asynchronous_agent_saves_in_threads(bench: Bench) -> None:
    keeper = Checkpointer(bench.state, bench.manager)

    async def agent(name: str) -> None:
        for _ in range(5):
            call = await asyncio.to_thread(bench.state.tool_state.start, name, {})
            await asyncio.to_thread(bench.state.tool_state.complete, call.id, name)

    async def run() -> None:
        await asyncio.gather(*(agent(name) for name in "abc"))
        await asyncio.to_thread(keeper.complete)

    asyncio.run(run())
    line = bench.manager.list(order="oldest")
    assert [one.parent_checkpoint_id for one in line] == [None, *(one.id for one in line[:-1])]
    assert len(bench.manager.get(line[-1].id).snapshot.tool_state.results) == 15
    assert bench.manager.verify() == ()


def test_another_call_at_the_end_saves_one_more_checkpoint(bench: Bench) -> None:
    keeper = Checkpointer(bench.state, bench.manager)
    keeper.complete()
    keeper.complete()
    keeper.fail("afterwards")
    assert reasons(bench) == ["execution_completed", "execution_completed", "execution_failed"]

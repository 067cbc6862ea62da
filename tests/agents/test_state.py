"""A state as a whole: snapshots, time, identity."""

import asyncio
import threading
import time
from functools import partial

import pytest

from checkpoint_ld import Clock, RuntimeState
from checkpoint_ld.agents.changes import new_id
from checkpoint_ld.agents.values import Snapshot
from checkpoint_ld.errors import WriteError, WrongTypeError
from tests.agents.states import START, HandClock, heard, state, together


def test_a_snapshot_never_changes_and_shares_what_did_not() -> None:
    of = state()
    of.context.variables.update(a={"x": 1}, b={"y": 2})
    of.thought_chain.add("a", "one")
    call = of.tool_state.start("ls", {})
    first = of.snapshot()
    frozen = first.model_dump_json()
    of.context.variables["b"] = 3
    of.thought_chain.add("a", "two")
    second = of.snapshot()
    of.tool_state.complete(call.id, [1])
    third = of.snapshot()
    assert first.model_dump_json() == frozen
    assert second.thought_chain[0] is first.thought_chain[0]
    assert second.context.variables["a"] is first.context.variables["a"]
    assert second.tool_state is first.tool_state
    assert third.thought_chain is second.thought_chain
    assert third.context is second.context
    assert third.tool_state.calls != second.tool_state.calls


def test_a_snapshot_holds_all_four_parts() -> None:
    clock = HandClock()
    of = state(clock=clock.clock())
    of.thought_chain.add("reasoning", "hm", id="t")
    of.context.state["phase"] = "reading"
    of.progress.add_tokens(12)
    of.progress.total_steps_estimate = 5
    clock.tick(250)
    counts = {"step_number": 1, "total_thoughts": 1, "total_tool_calls": 0}
    assert of.snapshot().tree() == {
        "thought_chain": [{"id": "t", "type": "reasoning", "content": "hm", "created_at": START}],
        "context": {"variables": {}, "state": {"phase": "reading"}, "history": []},
        "tool_state": {"calls": [], "results": {}},
        "progress": {**counts, "total_steps_estimate": 5, "tokens_used": 12, "duration_ms": 250},
        "current_step_id": "t",
    }


def test_a_state_goes_on_from_a_snapshot_with_all_that_is_in_it() -> None:
    of = state()
    of.thought_chain.add("a", "", note=1)
    of.tool_state.start("ls", {})
    of.progress.add_tokens(5)
    before = Snapshot.model_validate(
        {**of.snapshot().tree(), "thought_chain_extra": {"kept": None}, "context": {
            "variables": {"v": [1]}, "state": {}, "history": [1], "memory": [], "unknown": [2]}}
    )  # fmt: skip
    resumed = state(snapshot=before, clock=HandClock().clock())
    expected = before.tree() | {"progress": before.progress.tree() | {"duration_ms": before.progress.duration_ms}}
    assert resumed.snapshot().tree() == expected
    with pytest.raises(WrongTypeError):
        resumed.context.variables["v"].append(2)
    resumed.progress.add_tokens(1)
    resumed.thought_chain.add("a", "")
    assert (resumed.progress.tokens_used, resumed.progress.step_number) == (6, 2)


def test_durations_follow_the_running_clock_and_moments_never_go_back() -> None:
    clock = HandClock()
    of = state(clock=clock.clock())
    clock.tick(100)
    first = of.thought_chain.add("a", "")
    clock.wall -= 3_600_000
    clock.running += 50
    second = of.thought_chain.add("a", "", parent_id=first.id)
    assert of.progress.duration_ms == 150
    assert second.created_at == first.created_at
    of.thought_chain.add("a", "", created_at=START + 9000)
    assert (of.now(), of.now(START + 10_000)) == (START + 9000, START + 10_000)
    clock.running -= 155
    assert of.snapshot().progress.duration_ms == 0


@pytest.mark.parametrize(
    ("change", "error"), [(-1, WriteError), (True, WrongTypeError), (1.5, WrongTypeError), (2**53, WriteError)]
)
def test_counters_only_rise(change: int, error: type[Exception]) -> None:
    of = state()
    of.progress.add_tokens(1)
    with pytest.raises(error, match="tokens"):
        of.progress.add_tokens(change)
    with pytest.raises(error, match="step"):
        of.progress.advance(change)
    with pytest.raises(error, match="iterations_completed"):
        of.progress.iterations_completed = change
    assert (of.progress.tokens_used, of.progress.step_number, of.progress.iterations_completed) == (1, 0, None)


@pytest.mark.parametrize("given", ["", "x" * 1025, "\ud800", 7])
def test_identifiers_are_checked_and_an_execution_that_is_not_named_gets_its_own(given: str) -> None:
    with pytest.raises(WriteError, match="agent_id is"):
        RuntimeState(given)
    with pytest.raises(WriteError, match="execution_id is"):
        RuntimeState("a", given)
    one, other = RuntimeState("a").execution_id, RuntimeState("a").execution_id
    assert one.startswith("exec_")
    assert one != other


def test_ids_sort_by_time_and_never_repeat() -> None:
    made: list[str] = []
    together(*[lambda: made.extend([new_id("x_") for _ in range(5000)])] * 4)
    later = [new_id("x_") for _ in range(10_000)]
    assert len({*made, *later}) == 30_000
    assert later == sorted(later)
    assert later[0] > max(made)
    digits = later[0].removeprefix("x_")
    assert (len(digits), digits[12], digits[16] in "89ab") == (32, "7", True)


def test_changes_and_snapshots_of_many_threads_fit_together() -> None:
    of, torn, done = state(), list[str](), threading.Event()

    def work(name: str) -> None:
        for number in range(300):
            with of.change():
                of.thought_chain.add("a", "", id=f"{name}-{number}")
                of.context.variables[name] = number

    def watch() -> None:
        while not done.is_set():
            one = of.snapshot()
            ids = {thought.id for thought in one.thought_chain}
            torn.extend(name for name, number in one.context.variables.items() if f"{name}-{number}" not in ids)
            if {one.progress.step_number, one.progress.total_thoughts} != {len(one.thought_chain)}:
                torn.append("counts")

    watcher = threading.Thread(target=watch)
    watcher.start()
    together(*(partial(work, name) for name in "abcd"))
    done.set()
    watcher.join()
    assert torn == []
    assert len(of.thought_chain) == 1200


def test_calls_are_safe_inside_asyncio() -> None:
    of = state()
    events = heard(of, "thought.created")

    async def agent(name: str) -> None:
        for number in range(50):
            await asyncio.to_thread(of.thought_chain.add, "a", "", id=f"{name}{number}")
            await asyncio.to_thread(of.snapshot)

    async def run() -> None:
        await asyncio.gather(*(agent(name) for name in "abc"))

    asyncio.run(run())
    assert [one["thought"].id for one in events] == [one.id for one in of.thought_chain]
    assert [one["index"] for one in events] == list(range(150))


@pytest.mark.slow
def test_the_last_thought_of_many_costs_what_the_first_did() -> None:
    of = state()

    def cost() -> float:
        times = []
        for _ in range(300):
            start = time.process_time_ns()
            of.thought_chain.add("reasoning", "some text")
            times.append(time.process_time_ns() - start)
        return sorted(times)[150]

    first = cost()
    while len(of.thought_chain) < 10_000:
        of.thought_chain.add("reasoning", "some text")
    assert cost() < 3 * first


def test_the_clock_of_the_machine_is_the_usual_one() -> None:
    clock = Clock()
    assert abs(clock.wall() - time.time() * 1000) < 60_000
    assert clock.monotonic() <= clock.monotonic()

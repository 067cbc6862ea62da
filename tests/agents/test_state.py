"""A state as a whole: snapshots, time, identity."""

import asyncio
import threading
import time
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld import Checkpointer, CheckpointManager, Clock, Event, RuntimeState
from checkpoint_ld.agents.changes import new_id
from checkpoint_ld.agents.values import Snapshot, Thought, ToolCall
from checkpoint_ld.documents.values import ABSENT
from checkpoint_ld.errors import CheckpointWarning, LookupFailedError, SettingsError, WriteError, WrongTypeError
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


def test_what_is_set_to_none_is_absent_and_no_null() -> None:
    of = state(snapshot=state().snapshot().but(current_step_id="gone"))
    of.thought_chain.add("a", "", id="t")
    of.progress.total_steps_estimate = of.progress.iterations_completed = 5
    of.snapshot()
    of.thought_chain.remove("t")
    of.progress.total_steps_estimate = of.progress.iterations_completed = None
    assert of.snapshot().tree().keys() == {"thought_chain", "context", "tool_state", "progress"}
    assert None not in of.snapshot().progress.tree().values()


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


# --- Events of a state.


def test_subscribers_choose_by_name_or_prefix_and_hear_until_they_unsubscribe() -> None:
    of = state()
    named, thoughts, everything = heard(of, "thought.created"), heard(of, "thought.*"), heard(of)
    lengths: list[int] = []
    settled: list[object] = []
    off = of.on("thought.created", lambda _: lengths.append(len(of.snapshot().thought_chain)))
    quiet = of.on_settled(settled.append)
    thought = of.thought_chain.add("a", "")
    off()
    quiet()
    of.thought_chain.update(thought.id, content="b")
    of.context.variables["x"] = 1
    assert [one.name for one in named] == ["thought.created"]
    assert [one.name for one in thoughts] == ["thought.created", "thought.updated"]
    created, *others = [one.name for one in everything]
    assert (created, *others) == ("thought.created", "progress.changed", "thought.updated", "context.variables")
    assert dict(everything[1].payload) == {"field": "step_number", "before": 0, "after": 1}
    of.thought_chain.add("a", "")
    assert (lengths, len(settled)) == ([1], 1)  # after the change, and before they unsubscribed


@pytest.mark.parametrize("pattern", ["", "*.created", "th*ught"])
def test_a_pattern_that_is_none_is_refused(pattern: str) -> None:
    with pytest.raises(SettingsError, match="pattern"):
        state().on(pattern, print)


def test_changes_of_a_subscriber_queue_behind_the_current_event() -> None:
    of = state()
    order: list[str] = []

    def react(event: Event) -> None:
        if event["thought"].content == "first":
            of.thought_chain.add("a", "reaction")

    of.on("thought.created", react)
    of.on("thought.created", lambda event: order.append(event["thought"].content))
    of.on("progress.changed", lambda event: order.append(str(event["after"])))
    of.thought_chain.add("a", "first")
    assert order == ["first", "1", "reaction", "2"]


def test_a_subscriber_that_fails_neither_stops_the_agent_nor_undoes_the_change(
    caplog: pytest.LogCaptureFixture,
) -> None:
    errors: list[tuple[Exception, Event]] = []
    for of in (state(on_error=lambda error, event: errors.append((error, event))), state()):
        of.on("thought.*", lambda _: 1 / 0)  # type: ignore[arg-type]
        after = heard(of)
        thought = of.thought_chain.add("a", "")
        assert (of.thought_chain[0], after[0]["thought"]) == (thought, thought)
    assert [(type(error), event.name) for error, event in errors] == [(ZeroDivisionError, "thought.created")]
    assert caplog.text.count('a subscriber to "thought.created" failed') == 1  # where nobody takes it
    assert "ZeroDivisionError" in caplog.text


def test_several_changes_can_be_made_one_and_those_before_an_exception_stay() -> None:
    of = state()
    settled: list[tuple[str, ...]] = []
    of.on_settled(lambda events: settled.append(tuple(one.name for one in events)))
    events = heard(of)
    with suppress(InterruptedError), of.change():
        of.context.variables["x"] = 1
        with of.change():
            of.tool_state.start("ls", {})
        assert events == []
        raise InterruptedError
    assert settled == [("context.variables", "tool.started")]
    assert [one.name for one in events] == ["context.variables", "tool.started"]
    assert of.context.variables == {"x": 1}


def test_a_monitor_takes_snapshots_while_a_subscriber_is_busy() -> None:
    of = state()
    lengths: list[int] = []
    of.on("thought.created", lambda _: together(lambda: lengths.append(len(of.snapshot().thought_chain))))
    of.thought_chain.add("a", "")
    assert lengths == [1]


def test_a_call_returns_when_its_own_events_were_delivered() -> None:
    of = state()
    delivered: list[str] = []
    early: list[str] = []
    of.on("thought.created", lambda event: delivered.append(event["thought"].id))

    def work(name: str) -> None:
        for number in range(200):
            thought = of.thought_chain.add("a", "", id=f"{name}{number}")
            if thought.id not in delivered:
                early.append(thought.id)

    together(*(partial(work, name) for name in "abc"))
    assert early == []
    assert delivered == [one.id for one in of.thought_chain]


def test_an_error_hook_that_raises_stops_the_call_but_not_the_state() -> None:
    def stop(error: Exception, _: Event) -> None:
        raise error

    of = state(on_error=stop)
    off = of.on("thought.created", lambda _: 1 / 0)  # type: ignore[arg-type]
    with pytest.raises(ZeroDivisionError):
        of.thought_chain.add("a", "")
    off()
    events = heard(of, "thought.created")
    of.thought_chain.add("a", "")
    assert [event["index"] for event in events] == [1]
    assert of.progress.step_number == 2


def test_a_change_that_takes_long_and_a_subscriber_who_looks_do_not_wait_for_each_other() -> None:
    of = state()
    found, changing = threading.Event(), threading.Event()

    def look(_: Event) -> None:
        found.set()
        changing.wait(5)
        of.snapshot()

    def change() -> None:
        found.wait(5)
        with of.change():
            changing.set()
            of.context.variables["x"] = 1

    of.on("thought.created", look)
    together(lambda: of.thought_chain.add("a", ""), change)


# --- The calls of tools in a state.


def test_a_call_goes_from_running_to_completed_failed_or_cancelled() -> None:
    clock = HandClock()
    of = state(clock=clock.clock())
    events = heard(of)
    calls = [of.tool_state.start(tool, {"n": 1}) for tool in ("good", "bad", "given up", "slow")]
    clock.tick(7)
    ended = [
        of.tool_state.complete(calls[0].id, None),
        of.tool_state.fail(calls[1].id, "exit 1"),
        of.tool_state.cancel(calls[2].id),
    ]
    started = {"args": {"n": 1}, "started_at": START}
    assert [one.tree() for one in of.tool_state] == [
        {"id": calls[0].id, "tool_id": "good", "success": True, "completed_at": START + 7}
        | {"status": "completed"} | started,
        {"id": calls[1].id, "tool_id": "bad", "success": False, "error": "exit 1", "completed_at": START + 7}
        | {"status": "failed"} | started,
        {"id": calls[2].id, "tool_id": "given up", "success": False, "completed_at": START + 7, "status": "cancelled"}
        | started,
        {"id": calls[3].id, "tool_id": "slow", "status": "running"} | started,
    ]  # fmt: skip
    assert [(one.name, one["call"], one["result"]) for one in events] == [
        *(("tool.started", call, ABSENT) for call in calls),
        ("tool.completed", ended[0], None),
        ("tool.failed", ended[1], ABSENT),
        ("tool.cancelled", ended[2], ABSENT),
    ]
    assert of.tool_state.in_flight == (calls[3],)
    assert of.tool_state.results == {calls[0].id: None}
    assert of.tool_state[-1] == calls[3]
    assert of.snapshot().tool_state.last_tool_call_id == calls[3].id
    assert of.snapshot().progress.total_tool_calls == 4


def test_a_call_ends_once() -> None:
    tools = state().tool_state
    call = tools.start("ls", {})
    tools.fail(call.id, "no", {"partial": 1})
    with pytest.raises(WriteError, match="has ended already"):
        tools.complete(call.id)
    with pytest.raises(LookupFailedError, match='no tool call "x"'):
        tools.cancel("x")
    assert tools.results == {call.id: {"partial": 1}}


def test_what_is_no_call_is_refused_and_nothing_changes() -> None:
    of = state()
    of.tool_state.start("ls", {}, id="1")
    before = of.snapshot()
    with pytest.raises(WriteError, match='a tool call "1" already'):
        of.tool_state.start("ls", {}, id="1")
    with pytest.raises(WriteError, match="tool_id"):
        of.tool_state.start("", {})
    with pytest.raises(WrongTypeError, match="args of the tool call is of type list"):
        of.tool_state.start("ls", ["a"])  # type: ignore[arg-type]
    for unusual in ({"success": True}, {"status": "completed"}, {"status": "asleep"}):
        with pytest.raises(WriteError, match="starts pending or running"):
            of.tool_state.start("ls", {}, **unusual)
    with pytest.raises(WriteError, match="follow from how it ended"):
        of.tool_state.complete("1", status="failed")
    with pytest.raises(WriteError, match="error"):
        of.tool_state.fail("1", 7)  # type: ignore[arg-type]
    assert of.snapshot().tool_state is before.tool_state


def test_a_call_that_was_read_without_its_tool_wants_it_to_end() -> None:
    base = state().snapshot()
    stub = base.tool_state.but(calls=(ToolCall(id="1", status="running"),))
    tools = state(snapshot=base.but(tool_state=stub)).tool_state
    with pytest.raises(WriteError, match="was read without tool_id, args, started_at: give them"):
        tools.cancel("1")
    ended = tools.cancel("1", tool_id="ls", args={}, started_at=5)
    assert (ended.tool_id, ended.started_at, ended.success) == ("ls", 5, False)
    assert tools.in_flight == ()


# --- A call of a tool as a block: recorded whatever happens in it, with and without asyncio.


class Cancelled(BaseException):
    """What a loop other than that of asyncio cancels by."""


ENDS: list[tuple[BaseException, str, str | None]] = [
    (OSError(2, "no such city"), "failed", "FileNotFoundError: [Errno 2] no such city"),
    (TimeoutError(), "failed", "TimeoutError"),
    (ValueError("\udcff"), "failed", "ValueError: \\udcff"),
    (asyncio.CancelledError(), "cancelled", None),
    (CancelledError(), "cancelled", None),
    (KeyboardInterrupt(), "cancelled", None),
    (Cancelled(), "cancelled", None),
]


def only(of: RuntimeState) -> ToolCall:
    (call,) = of.tool_state
    return call


def use(of: RuntimeState, result: Any = ABSENT, error: BaseException | None = None, *, is_async: bool = False) -> None:
    """Use a tool, which gives a result or raises, in one way or the other."""

    def body() -> Any:
        if error is not None:
            raise error
        return result

    async def run() -> None:
        async with of.tool("weather", city="Oslo") as call:
            call.result = body()

    if is_async:
        asyncio.run(run())
    else:
        with of.tool("weather", city="Oslo") as call:
            call.result = body()


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("result", [{"celsius": 7}, None, ABSENT])
def test_a_block_that_ends_completes_its_call(result: Any, *, is_async: bool) -> None:
    of = state()
    events = heard(of, "tool.*")
    use(of, result, is_async=is_async)
    call = only(of)
    assert (call.tool_id, call.args, call.status, call.success) == ("weather", {"city": "Oslo"}, "completed", True)
    assert of.tool_state.results == ({} if result is ABSENT else {call.id: result})
    assert [one.name for one in events] == ["tool.started", "tool.completed"]


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize(("error", "status", "expected"), ENDS)
def test_a_block_that_raises_fails_or_cancels_its_call_and_the_error_goes_on(
    error: BaseException, status: str, expected: str | None, *, is_async: bool
) -> None:
    of = state()
    with pytest.raises(type(error)):
        use(of, error=error, is_async=is_async)
    assert (only(of).status, only(of).success, only(of).error) == (status, False, expected)
    assert of.tool_state.in_flight == ()


@pytest.mark.parametrize(("result", "kept"), [({"status": 500}, [{"status": 500}]), (None, [None]), ({1}, [[1]])])
def test_a_block_that_raises_after_its_result_keeps_the_result(result: object, kept: list[Any]) -> None:
    of = state()

    def body() -> None:
        with of.tool("weather") as call:
            call.result = result
            raise ValueError("bad")

    with pytest.raises(ValueError, match="bad"):
        body()
    assert (only(of).status, only(of).error) == ("failed", "ValueError: bad")
    assert [*of.tool_state.results.values()] == kept


class Answer(str, Enum):  # noqa: UP042 - as many programs have it
    """A text that is a member."""

    OK = "ok"


@dataclass
class Found:
    """A result of a tool."""

    where: Path
    when: datetime
    what: Answer = Answer.OK


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize(
    ("result", "kept"),
    [
        (Answer.OK, "ok"),
        ([{"a": Answer.OK}], [{"a": "ok"}]),
        (Decimal("1.5"), "1.5"),
        (Path("a/b"), "a/b"),
        ({1}, [1]),
        ({1: 2}, {"1": 2}),
        (b"\xff", "_w=="),
        (
            Found(Path("a"), datetime(2026, 1, 31, tzinfo=UTC)),
            {"where": "a", "when": "2026-01-31T00:00:00Z", "what": "ok"},
        ),
        (Thought(id="t", type="x", content="y", created_at=1), None),
    ],
)
def test_a_result_that_is_no_json_is_kept_as_pydantic_writes_it(
    result: object, kept: object, *, is_async: bool
) -> None:
    of = state()
    use(of, result, is_async=is_async)
    assert only(of).status == "completed"
    found = of.tool_state.results[only(of).id]
    assert found == kept or (kept is None and found["content"] == "y")


class Odd:
    """A value that cannot even be shown."""

    def __repr__(self) -> str:
        raise ValueError("no")


@pytest.mark.parametrize("result", [object(), Odd(), float("nan"), "\ud800", [object()]])
def test_any_other_result_is_its_repr_with_a_warning(result: object) -> None:
    of = state()
    with pytest.warns(CheckpointWarning, match="only the repr is kept"):
        use(of, result, is_async=False)
    assert only(of).status == "completed"
    assert of.tool_state.results


def test_a_default_makes_something_simpler_of_other_values() -> None:
    of = state()
    of.tool_state.default = lambda value: {"kind": type(value).__name__}
    use(of, [object()], is_async=False)
    assert list(of.tool_state.results.values()) == [[{"kind": "object"}]]


def test_arguments_may_have_any_name_and_are_checked_before_the_tool_runs() -> None:
    of = state()
    with of.tool("t", self=1, tool_id=2, id=3, args=4, **{"no name": 5}) as call:
        pass
    assert only(of).args == {"self": 1, "tool_id": 2, "id": 3, "args": 4, "no name": 5} == call.args
    with pytest.raises(WrongTypeError, match="args of the tool call"), of.tool("t", when={1}):
        pytest.fail("the tool ran")
    with pytest.raises(WriteError, match="tool_id"), of.tool(5):  # type: ignore[arg-type]
        pytest.fail("the tool ran")
    assert len(of.tool_state) == 1


def test_a_block_is_of_one_use_and_ends_a_call_that_it_has_not_ended_itself() -> None:
    of = state()
    use = of.tool("t")
    with use as call, of.change():
        of.tool_state.fail(call.id, "no")
        of.context.variables["known"] = False
    assert only(of).error == "no"
    with pytest.raises(WriteError, match="already"), use:
        pass


def test_a_generator_that_is_given_up_cancels_its_call_and_without_asyncio_the_block_works_as_well() -> None:
    of, other = state(), state()

    def lines() -> Any:
        with of.tool("read"):
            yield 1

    async def run() -> None:
        async with other.tool("t"):
            pass

    running = lines()
    next(running)
    running.close()
    with pytest.raises(StopIteration):
        run().send(None)
    assert (only(of).status, only(other).status) == ("cancelled", "completed")


def test_a_task_that_is_cancelled_at_any_moment_leaves_no_call_behind() -> None:
    """Cancelled while the call starts, while the tool runs, and while the end is recorded; sometimes twice."""

    async def one(of: RuntimeState, slow: str, times: int) -> None:
        reached, go_on = threading.Event(), threading.Event()

        def wait(_: object) -> None:
            reached.set()
            go_on.wait(5)

        of.on(f"tool.{slow}", wait)

        async def work() -> None:
            async with of.tool("t") as call:
                call.result = 1

        task = asyncio.ensure_future(work())
        while not reached.is_set():
            await asyncio.sleep(0.001)
        for _ in range(times):
            task.cancel()
            await asyncio.sleep(0.001)
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await task

    for slow, status in (("started", "cancelled"), ("completed", "completed")):
        for times in (1, 2):
            of = state()
            asyncio.run(one(of, slow, times))
            assert only(of).status == status


def test_many_tasks_use_tools_while_the_loop_goes_on(tmp_path: Path) -> None:
    of = RuntimeState("agent")
    with CheckpointManager(tmp_path) as manager:
        keeper = Checkpointer(of, manager)

        async def ask(city: str) -> None:
            async with of.tool("weather", city=city) as call:
                newest = manager.latest()
                assert newest is not None
                assert call.id in {one.id for one in manager.get(newest.id).snapshot.tool_state.calls}
                call.result = city.upper()

        async def run() -> None:
            await asyncio.gather(*map(ask, "abc"))
            with of.change():
                async with of.tool("inner"):  # whose lock another thread would wait for
                    pass

        asyncio.run(asyncio.wait_for(run(), 20))
        last = manager.get(keeper.complete().id)
    assert sorted(last.snapshot.tool_state.results.values()) == ["A", "B", "C"]
    assert {one.status for one in last.snapshot.tool_state.calls} == {"completed"}

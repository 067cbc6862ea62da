"""A call of a tool as a block: recorded whatever happens in it, with and without asyncio."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld import Checkpointer, CheckpointManager, RuntimeState, ToolCall
from checkpoint_ld.documents.values import ABSENT
from checkpoint_ld.errors import WriteError, WrongTypeError
from tests.agents.states import heard, state


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


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize(("result", "error"), [(float("nan"), WriteError), ({1}, WrongTypeError)])
def test_a_result_that_is_no_json_fails_the_call_and_is_reported(
    result: object, error: type[Exception], *, is_async: bool
) -> None:
    of = state()
    with pytest.raises(error, match="result"):
        use(of, result, is_async=is_async)
    assert only(of).status == "failed"


def test_arguments_may_have_any_name_and_are_checked_before_the_tool_runs() -> None:
    of = state()
    with of.tool("t", self=1, tool_id=2, id=3, args=4, **{"no name": 5}) as call:
        pass
    assert only(of).args == {"self": 1, "tool_id": 2, "id": 3, "args": 4, "no name": 5} == call.args
    with pytest.raises(WrongTypeError, match="args of the tool call"), of.tool("t", when={1}):
        pytest.fail("the tool ran")
    with pytest.raises(WrongTypeError, match="tool_id is 5"):
        of.tool(5)  # type: ignore[arg-type]
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

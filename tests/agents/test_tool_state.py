"""The calls of tools in a state."""

import pytest

from checkpoint_ld.agents.values import ToolCall
from checkpoint_ld.documents.values import ABSENT
from checkpoint_ld.errors import LookupFailedError, WriteError, WrongTypeError
from tests.agents.states import START, HandClock, heard, state


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
    with pytest.raises(WrongTypeError, match="args is of type list"):
        of.tool_state.start("ls", ["a"])  # type: ignore[arg-type]
    for unusual in ({"success": True}, {"status": "completed"}, {"status": "asleep"}):
        with pytest.raises(WriteError, match="starts pending or running"):
            of.tool_state.start("ls", {}, **unusual)
    with pytest.raises(WriteError, match="follow from how it ended"):
        of.tool_state.complete("1", status="failed")
    with pytest.raises(WrongTypeError, match="no JSON"):
        of.tool_state.complete("1", object())
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

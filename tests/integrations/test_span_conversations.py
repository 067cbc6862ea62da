"""Conversations in spans: what was seen is not said again, whose run it is, and what became of each call."""

from pathlib import Path
from typing import Any

import pytest
from tests.integrations.otlp_files import Trace, asked, calls, given, imported, said, text, thoughts

from checkpoint_ld.checkpointing import CheckpointManager
from checkpoint_ld.integrations.otlp import import_spans

CONVERSATION = {"gen_ai.conversation.id": "c1"}


def turn(number: int, history: list[Any], question: str, **shared: Any) -> Trace:
    """Return a turn with one call; `history` gets what is said in it."""
    trace = Trace(number, **shared)
    root = trace.agent()
    history.append(text(question))
    request = asked(("call_1", "weather", {"city": "Oslo"}))  # the same id in each turn
    trace.chat(root, history, request, **{"gen_ai.usage.output_tokens": 3})
    trace.tool(root, "weather", "call_1", {"city": "Oslo"}, f"{number} °C")
    history += [request, given(("call_1", f"{number} °C"))]
    trace.chat(root, history, said("Take a coat."), **{"gen_ai.usage.output_tokens": 3})
    history.append(said("Take a coat."))
    return trace


TURN = [("observation", "again?"), ("tool_selection", "calls weather"), ("reasoning", "Take a coat.")]


@pytest.mark.parametrize("shared", [CONVERSATION, {"session.id": "c1"}, {}], ids=["conversation", "session", "none"])
def test_a_turn_that_repeats_the_history_says_only_what_is_new(shared: dict[str, Any], tmp_path: Path) -> None:
    history: list[Any] = [text("be brief", "system")]
    turns = imported(tmp_path, *(turn(number, history, "again?", **shared) for number in (1, 2, 3)))
    assert [thoughts(one) for one in turns] == [[("planning", "be brief"), *TURN], TURN, TURN]
    assert [calls(one) for one in turns] == [
        [("weather", {"city": "Oslo"}, "completed", f"{number} °C")] for number in (1, 2, 3)
    ]
    assert len({call.id for one in turns for call in one.snapshot.tool_state.calls}) == 3
    assert len({one.execution_id for one in turns}) == 1
    assert [one.metadata.tokens_used for one in turns] == [6, 12, 18]
    assert [one.parent and one.parent.checkpoint_id for one in turns] == [None, turns[0].id, turns[1].id]


def test_a_conversation_goes_on_in_files_of_another_day(tmp_path: Path) -> None:
    history: list[Any] = []
    for number in (1, 2):
        file = tmp_path / f"{number}.jsonl"
        file.write_text("\n".join(turn(number, history, "again?", **CONVERSATION).lines()), encoding="utf-8")
    with CheckpointManager(tmp_path / "kept") as manager:
        for number in (1, 2, 1, 2):
            list(import_spans(manager, tmp_path / f"{number}.jsonl"))
        first, second = (manager.get(one.id) for one in manager.list(order="oldest"))
    assert (thoughts(second), calls(second)) == (TURN, [("weather", {"city": "Oslo"}, "completed", "2 °C")])
    assert second.parent is not None
    assert second.parent.checkpoint_id == first.id


def test_the_same_words_in_the_next_turn_are_new_where_no_history_is_repeated(tmp_path: Path) -> None:
    traces = [Trace(number, **CONVERSATION) for number in (1, 2)]
    for trace in traces:
        trace.chat(trace.agent(), [text("be brief", "system"), text("go on")], said("done"))
    first, second = imported(tmp_path, *traces)
    assert thoughts(first)[1:] == thoughts(second) == [("observation", "go on"), ("reasoning", "done")]


def test_a_history_that_joins_or_cuts_what_was_said_adds_nothing(tmp_path: Path) -> None:
    parts = {"role": "user", "parts": [{"type": "text", "content": "one"}, {"type": "text", "content": "two"}]}
    first, second = Trace(1, **CONVERSATION), Trace(2, **CONVERSATION)
    first.chat(first.agent(), [parts], said("three "))
    second.chat(second.agent(), [text("two"), {"role": "model", "content": "three"}, text("four")], said("five"))
    assert thoughts(imported(tmp_path, first, second)[1]) == [("observation", "four"), ("reasoning", "five")]


def test_an_agent_in_a_workflow_is_the_run_of_the_conversation(tmp_path: Path) -> None:
    traces = [Trace(number, **CONVERSATION) for number in (1, 2)]
    for number, trace in enumerate(traces):
        flow = trace.add("invoke_workflow", **{"gen_ai.workflow.name": "coat"})
        root = trace.agent("coat", flow)
        trace.chat(root, [text(f"q{number}")], asked(("t", "helper", {})))
        inner = trace.agent("helper", trace.tool(root, "helper", "t", result="ok"))
        trace.chat(inner, [text("help")], said("helped"))
    found = imported(tmp_path, *traces)
    assert [(one.execution_id, one.agent_id) for one in found] == [("c1", "coat"), ("c1/helper", "helper")] * 2
    assert [one.parent and one.parent.checkpoint_id for one in found] == [None, None, found[0].id, found[1].id]
    assert thoughts(found[3]) == [("observation", "help"), ("reasoning", "helped")]
    spans = found[0].tree()["snapshot"]["opentelemetry"]["spans"]
    assert [one["attributes"]["gen_ai.operation.name"] for one in spans] == ["invoke_workflow", "invoke_agent"]


def test_agents_in_turn_are_runs_of_one_conversation_that_has_no_empty_run(tmp_path: Path) -> None:
    trace = Trace(1)
    flow = trace.add("invoke_workflow", **{"gen_ai.workflow.name": "trip", **CONVERSATION})
    around = trace.agent("both", flow)
    for name in ("one", "two"):
        trace.chat(trace.agent(name, around), [text("go"), text(f"for {name}")], said(f"{name} is done"))
    found = imported(tmp_path, trace)
    assert [(one.execution_id, one.agent_id) for one in found] == [("c1", "one"), ("c1", "two")]
    assert thoughts(found[1]) == [("observation", "for two"), ("reasoning", "two is done")]


def test_an_agent_that_is_stated_twice_is_one_run(tmp_path: Path) -> None:
    trace = Trace(1, **CONVERSATION)
    inner = trace.agent("coat", trace.agent("coat"), **{"gen_ai.agent.id": "another in each run"})
    trace.chat(inner, [text("q")], said("a"))
    [found] = imported(tmp_path, trace)
    assert (found.agent_id, thoughts(found)) == ("coat", [("observation", "q"), ("reasoning", "a")])


def test_messages_of_an_agent_without_chats_are_its_thoughts_and_its_tokens(tmp_path: Path) -> None:
    trace = Trace(1)
    stated: dict[str, Any] = {
        "gen_ai.input.messages": [text("q")],
        "gen_ai.system_instructions": [{"type": "text", "content": "brief"}],
    }
    answers = [asked(("t", "look", {"x": 1})), given(("t", "seen")), said("a")]
    stated |= {"gen_ai.output.messages": answers, "gen_ai.usage.input_tokens": 5, "gen_ai.usage.output_tokens": 2}
    trace.agent("far away", **stated)
    [found] = imported(tmp_path, trace)
    assert thoughts(found) == [
        ("planning", "brief"),
        ("observation", "q"),
        ("tool_selection", "calls look"),
        ("reasoning", "a"),
    ]
    assert calls(found) == [("look", {"x": 1}, "completed", "seen")]
    assert (found.metadata.tokens_used, found.metadata.step_number) == (7, 1)


def test_the_name_of_a_span_is_no_thought(tmp_path: Path) -> None:
    trace = Trace(1)
    trace.chat(trace.agent(), [text("q")], **{"gen_ai.usage.output_tokens": 5})
    assert thoughts(imported(tmp_path, trace)[0]) == [("observation", "q"), ("reasoning", "")]


@pytest.mark.parametrize("has_span", [True, False])
@pytest.mark.parametrize("id", ["t1", ""])
def test_a_result_that_only_the_next_messages_have_is_the_calls(has_span: bool, id: str, tmp_path: Path) -> None:
    trace = Trace(1)
    root, request = trace.agent(), asked((id, "weather", {"city": "Oslo"}))
    trace.chat(root, [text("q")], request)
    if has_span:
        trace.tool(root, "weather", id or None)
    trace.chat(root, [text("q"), request, given((id, "7 °C"))], said("a"))
    assert calls(imported(tmp_path, trace)[0]) == [("weather", {"city": "Oslo"}, "completed", "7 °C")]


def test_calls_whose_ids_do_not_join_are_found_by_tool_arguments_and_order(tmp_path: Path) -> None:
    history: list[Any] = []
    traces = [Trace(number, **CONVERSATION) for number in (1, 2)]
    for number, trace in enumerate(traces):
        root, request = trace.agent(), asked(("w_0", "w", {"n": number}), ("w_1", "w", {"n": number + 10}))
        history.append(text(f"q{number}"))
        trace.chat(root, history, request)
        trace.tool(root, "w", f"adk-{number}-b", {"n": number + 10})
        trace.tool(root, "w", f"adk-{number}-a", {"n": number})
        trace.tool(root, "(merged tools)", "m", result=[1, 2])
        history += [request, given(("w_0", number), ("w_1", number + 10))]
        trace.chat(root, history, said(f"a{number}"))
        history.append(said(f"a{number}"))
    assert [calls(one) for one in imported(tmp_path, *traces)] == [
        [("w", {"n": number}, "completed", number), ("w", {"n": number + 10}, "completed", number + 10)]
        for number in (0, 1)
    ]


def test_two_calls_with_one_id_in_one_message_are_two(tmp_path: Path) -> None:
    trace = Trace(1)
    root, request = trace.agent(), asked(("s", "search", {"q": "A"}), ("s", "search", {"q": "B"}))
    trace.chat(root, [text("q")], request)
    trace.chat(root, [text("q"), request, given(("s", "rA"), ("s", "rB"))], said("a"))
    found = calls(imported(tmp_path, trace)[0])
    assert found == [("search", {"q": "A"}, "completed", "rA"), ("search", {"q": "B"}, "completed", "rB")]


def test_arguments_of_a_callback_do_not_replace_those_of_the_message(tmp_path: Path) -> None:
    trace = Trace(1)
    root = trace.agent()
    trace.chat(root, [text("q")], asked(("t1", "w", {"city": "Oslo"}), ("t2", "v", {"a": 1})))
    trace.tool(root, "w", "t1", {"input_str": "Oslo, I think", "tags": []}, "7")
    packed = {"lc": 1, "type": "constructor", "kwargs": {"content": "8", "tool_call_id": "t2", "status": "success"}}
    trace.tool(root, "v", None, {"input_str": "{'a': 2}", "inputs": None}, {"output": packed})
    found = calls(imported(tmp_path, trace)[0])
    assert found == [("w", {"city": "Oslo"}, "completed", "7"), ("v", {"a": 2}, "completed", "8")]


@pytest.mark.parametrize("tool", ["final_result", "transfer_to_helper", "Forecast"])
def test_calls_that_nothing_executes_are_answers(tool: str, tmp_path: Path) -> None:
    trace = Trace(1)
    trace.chat(trace.agent(), [text("q")], asked(("t", tool, {"coat": True})))
    [found] = imported(tmp_path, trace)
    assert calls(found) == [(tool, {"coat": True}, "completed", "-")]
    assert found.metadata.checkpoint_reason == "execution_completed"


def test_the_messages_of_a_whole_run_complete_the_calls_of_its_output(tmp_path: Path) -> None:
    trace = Trace(1)
    request = asked(("t", "final_result", {"coat": True}))
    whole = [text("q"), request, {**given(("t", "Final result processed.")), "role": "user"}]
    trace.chat(trace.agent("coat", **{"pydantic_ai.all_messages": whole}), [text("q")], request)
    [found] = imported(tmp_path, trace)
    assert calls(found) == [("final_result", {"coat": True}, "completed", "Final result processed.")]
    assert "all_messages" not in found.dumps()


def test_the_result_of_a_hand_off_is_in_the_run_that_asked_for_it(tmp_path: Path) -> None:
    trace = Trace(1, **CONVERSATION)
    flow, request = trace.add("invoke_workflow"), asked(("h", "transfer_to_helper", {}))
    trace.chat(trace.agent("front", flow), [text("q")], request)
    trace.chat(trace.agent("helper", flow), [text("q"), request, given(("h", "helper"))], said("a"))
    front, helper = imported(tmp_path, trace)
    assert calls(front) == [("transfer_to_helper", {}, "completed", "helper")]
    assert (calls(helper), thoughts(helper)) == ([], [("reasoning", "a")])


def test_parts_of_a_server_are_calls_and_a_compaction_is_no_answer(tmp_path: Path) -> None:
    trace = Trace(1)
    searched = {"type": "web_search", "results": ["7 °C"]}
    parts = [
        {
            "type": "server_tool_call",
            "id": "s",
            "name": "web_search",
            "server_tool_call": {"type": "x", "query": "Oslo"},
        },
        {"type": "server_tool_call_response", "id": "s", "server_tool_call_response": searched},
        {"type": "text", "content": "7 °C"},
    ]
    summary = {"role": "assistant", "parts": [{"type": "compaction", "id": "k", "content": "all before"}]}
    trace.chat(trace.agent(), [summary, text("q")], {"role": "assistant", "parts": parts})
    [found] = imported(tmp_path, trace)
    assert thoughts(found) == [("observation", "all before"), ("observation", "q"), ("tool_selection", "7 °C")]
    assert found.snapshot.thought_chain[0].metadata == {
        "role": "compaction",
        "opentelemetry": {"message": {"id": "k"}},
    }
    assert calls(found) == [("web_search", {"query": "Oslo"}, "completed", searched)]


WORDS = ["The tool call was denied.", "User rejected the tool call for `delete` with reason: no", "in my own words"]


@pytest.mark.parametrize("words", WORDS)
def test_a_person_edits_and_rejects_calls_without_their_time_in_them(words: str, tmp_path: Path) -> None:
    first, second = Trace(1, **CONVERSATION), Trace(900, **CONVERSATION)
    request = asked(("d1", "delete", {"path": "a"}), ("d2", "delete", {"path": "b"}))
    first.chat(first.agent(), [text("q")], request)
    root = second.agent()
    second.tool(root, "delete", "d2", {"path": "c"}, "deleted c")
    second.chat(root, [text("q"), request, given(("d1", words), ("d2", "deleted c"))], said("a"))
    before, after = imported(tmp_path, first, second)
    assert before.metadata.checkpoint_reason == "paused"
    assert [one.status for one in before.snapshot.tool_state.calls] == ["pending", "pending"]
    assert calls(after) == [
        ("delete", {"path": "a"}, "cancelled", "-"),
        ("delete", {"path": "c"}, "completed", "deleted c"),
    ]
    assert [(one.error, one.duration_ms) for one in after.snapshot.tool_state.calls] == [(words, 0), (None, 1)]
    ids = [[call.id for call in one.snapshot.tool_state.calls] for one in (before, after)]
    assert ids[0] == ids[1]


def test_a_run_that_was_cancelled_is_not_completed(tmp_path: Path) -> None:
    cancelled = [("exception", {"exception.type": "asyncio.exceptions.CancelledError"})]
    by_tool, by_chat, silent, fine = (Trace(number) for number in (1, 2, 3, 4))
    root = by_tool.agent()
    by_tool.chat(root, [text("q")], asked(("t", "slow", {})))
    by_tool.tool(root, "slow", "t", {}, events=cancelled, error="asyncio.exceptions.CancelledError: given up")
    by_chat.chat(by_chat.agent(), [text("q")])
    silent.add("chat", silent.agent(**{"pydantic_ai.all_messages": "[]"}))
    fine.chat(fine.agent(), [text("q")], code=1)
    found = imported(tmp_path, by_tool, by_chat, silent, fine)
    assert [one.metadata.checkpoint_reason for one in found] == ["auto", "auto", "auto", "execution_completed"]
    assert calls(found[0]) == [("slow", {}, "cancelled", "-")]


@pytest.mark.parametrize("has_content", [(True, True), (True, False), (False, True)])
def test_a_step_that_two_instrumentations_state_is_one(has_content: tuple[bool, bool], tmp_path: Path) -> None:
    trace = Trace(1)
    root, request = trace.agent(), asked(("t", "look", {"x": 1}))
    for outputs in ([request], [said("a")]):
        around = root
        for captured in has_content:
            used = {"gen_ai.usage.output_tokens": 4}
            chat = trace.chat(around, [text("q")], *outputs, **used) if captured else trace.add("chat", around, **used)
            around = chat
        if outputs == [request]:
            outer = trace.tool(root, "look", "t", {"x": 1}, "seen")
            trace.tool(outer, "look", None, {"x": 1}, "by another protocol")
    [found] = imported(tmp_path, trace)
    assert thoughts(found) == [("observation", "q"), ("tool_selection", "calls look"), ("reasoning", "a")]
    assert calls(found) == [("look", {"x": 1}, "completed", "seen")]
    assert (found.metadata.tokens_used, found.metadata.step_number) == (8, 3)


def test_arguments_and_results_of_a_span_may_be_in_its_events(tmp_path: Path) -> None:
    details = "gen_ai.client.inference.operation.details"
    first, second = Trace(1), Trace(2)
    request = {"role": "tool", "parts": [{"type": "tool_call", "id": "t", "name": "look", "arguments": {"x": 1}}]}
    stated = [(details, {"gen_ai.input.messages": [request]}), (details, {"gen_ai.output.messages": [given(("t", 7))]})]
    first.tool(first.agent(), "look", events=stated)
    span = second.tool(second.agent(), "look")
    second.record(span, "gen_ai.tool.message", {"content": '{"x": 1}', "id": "t"})
    second.record(span, "gen_ai.choice", {"message": "7"})
    found = imported(tmp_path, first, second)
    assert [calls(one) for one in found] == [
        [("look", {"x": 1}, "completed", 7)],
        [("look", {"x": 1}, "completed", "7")],
    ]

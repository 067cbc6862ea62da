"""LangGraph's graphs with their checkpoints in our stores: the official suite, what a thread tells, what is refused."""

import asyncio
import base64
import dataclasses
import hashlib
import itertools
import json
import operator
import random
import signal
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("langgraph.graph", reason="LangGraph is not there: make .venv/.integrations-group")

import ormsgpack
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage, SystemMessage, ToolMessage
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Command, interrupt
from tests.checkpointing.managers import MemoryStore
from tests.cli.conftest import Run, run
from tests.forking import forked
from tests.trials import examples
from typing_extensions import TypedDict

from checkpoint_ld import AgentCheckpoint, CheckpointManager, diff_checkpoints
from checkpoint_ld.errors import (
    CheckpointLdError,
    IntegrityError,
    SettingsError,
    StoreError,
    WriteError,
    WrongTypeError,
)
from checkpoint_ld.integrations.langgraph import CheckpointSaver, StrictSerializer
from checkpoint_ld.stores.files import FileStore, file_name

__all__ = ["run"]

THREAD: Any = {"configurable": {"thread_id": "coat"}}


class State(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]
    city: str
    steps: Annotated[list[int], operator.add]


def agent(rounds: int = 1, usage: int = 10) -> StateGraph[Any, Any, Any, Any]:
    """Return a graph of a model that asks a tool so many times, and then answers."""

    def model(state: State) -> Any:
        invoked = sum(isinstance(one, ToolMessage) for one in state["messages"])
        counted: Any = {"input_tokens": usage, "output_tokens": 1, "total_tokens": usage + 1}
        if invoked == rounds:
            return {"messages": [AIMessage("take a coat", usage_metadata=counted)]}
        call = {"name": "weather", "args": {"city": "Oslo", "day": invoked}, "id": f"call_{invoked}"}
        return {"messages": [AIMessage("", tool_calls=[call], usage_metadata=counted)], "city": "Oslo"}

    def tools(state: State) -> Any:
        call: Any = state["messages"][-1].tool_calls[0]  # type: ignore[union-attr] # of the model
        return {"messages": [ToolMessage("7 °C", tool_call_id=call["id"], name=call["name"])]}

    builder = StateGraph(State)
    builder.add_node("model", model)
    builder.add_node("tools", tools)
    builder.add_edge(START, "model")
    builder.add_conditional_edges("model", lambda state: "tools" if state["messages"][-1].tool_calls else END)
    builder.add_edge("tools", "model")
    return builder


def invoked(graph: Any, thread: Any = THREAD, **settings: Any) -> Any:
    return graph.invoke({"messages": [HumanMessage("do I need a coat?", id="q")]}, thread, **settings)


def whole(manager: CheckpointManager) -> AgentCheckpoint:
    newest = manager.latest()
    assert newest is not None
    return manager.get(newest.id)


def taken_out(manager: CheckpointManager) -> tuple[dict[str, Any], Path]:
    """Return the newest checkpoint as JSON, and the path of a file for it; it is packed no more."""
    newest = whole(manager)
    manager.delete(newest.id)
    assert isinstance(manager.files, FileStore)
    return json.loads(newest.dumps()), manager.files.directory / file_name(newest.id)


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[CheckpointManager]:
    with CheckpointManager(tmp_path / "kept") as made:
        yield made


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["files", "database", "graph"])
def test_it_passes_the_official_suite_in_full(kind: str, tmp_path: Path) -> None:
    number = itertools.count()

    async def factory() -> AsyncGenerator[CheckpointSaver]:
        place: Any = {"files": None, kind: tmp_path / f"{next(number)}"}
        with CheckpointManager(**place) as manager:
            yield CheckpointSaver(manager)

    report = asyncio.run(validate(checkpointer_test(name=kind)(factory)))
    assert {name: (one.passed, one.failures) for name, one in report.results.items()} == dict.fromkeys(
        ("put", "put_writes", "get_tuple", "list", "delete_thread", "delete_for_runs", "copy_thread", "prune"),
        (True, []),
    )


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
def test_a_thread_is_an_execution_with_thoughts_calls_and_variables(
    durability: str, manager: CheckpointManager
) -> None:
    invoked(agent().compile(checkpointer=CheckpointSaver(manager)), durability=durability)
    newest = whole(manager)
    assert newest.execution_id == "coat"
    thoughts = [(one.type, one.content) for one in newest.snapshot.thought_chain]
    assert thoughts == [
        ("observation", "do I need a coat?"),
        ("tool_selection", "calls weather"),
        ("reasoning", "take a coat"),
    ]
    (call,) = newest.snapshot.tool_state.calls
    assert (call.tool_id, call.args, call.status) == ("weather", {"city": "Oslo", "day": 0}, "completed")
    assert newest.snapshot.tool_state.results == {"call_0": "7 °C"}
    assert newest.snapshot.context.variables == {"city": "Oslo"}
    assert newest.metadata.tokens_used == 22
    assert {one.rule for one in newest.validate().findings} == {"confidence-unknown"}  # messages state none
    assert not manager.verify()


def test_more_tokens_than_a_checkpoint_counts_are_its_greatest_count(manager: CheckpointManager) -> None:
    invoked(agent(usage=2**60).compile(checkpointer=CheckpointSaver(manager)))
    assert manager.list(limit=1)[0].tokens_used == 2**53 - 1


def test_both_kinds_of_calls_see_one_thread(manager: CheckpointManager) -> None:
    graph = agent().compile(checkpointer=CheckpointSaver(manager))

    async def talk() -> Any:
        await graph.ainvoke({"messages": [HumanMessage("hello")]}, THREAD)
        return [one async for one in graph.aget_state_history(THREAD)]

    history = asyncio.run(talk())
    assert [one.values for one in history] == [one.values for one in graph.get_state_history(THREAD)]
    assert graph.get_state(THREAD).values["messages"][-1].content == "take a coat"
    after, before, *_ = (manager.get(one.id) for one in manager.list(execution_id="coat"))
    assert "take a coat" in diff_checkpoints(before, after).to_text()


def test_a_long_run_shows_the_last_messages_and_keeps_all(manager: CheckpointManager, run: Run, tmp_path: Path) -> None:
    saver = CheckpointSaver(manager)
    end = invoked(agent(rounds=20).compile(checkpointer=saver), {**THREAD, "recursion_limit": 100})
    checkpoints = [manager.get(one.id) for one in manager.list(execution_id="coat")]
    assert max(len(one.snapshot.thought_chain) for one in checkpoints) <= 16
    times: dict[str, set[int]] = {}
    for one in checkpoints:
        for thought in one.snapshot.thought_chain:
            times.setdefault(thought.id, set()).add(thought.created_at)
    assert len(times) == 22
    assert all(len(found) == 1 for found in times.values())  # no thought is another one in another checkpoint
    starts = {(call.id, call.started_at) for one in checkpoints for call in one.snapshot.tool_state.calls}
    assert len(starts) == 20
    kept = saver.get_tuple(THREAD)
    assert kept is not None
    assert kept.checkpoint["channel_values"]["messages"] == end["messages"]
    drawn = run("agent", "timeline", "coat", "--dir", tmp_path / "kept").out.decode()
    assert [drawn.count(f" ● {kind}: ") for kind in ("observation", "tool_selection", "reasoning")] == [1, 20, 1]
    assert drawn.count("  ✓ weather") == 20
    usage = json.loads(run("agent", "stats", "--execution", "coat", "--dir", tmp_path / "kept", "--json").out)
    assert [usage[0][name] for name in ("thoughts", "calls", "tools")] == [22, 20, {"weather": 20}]


@pytest.mark.parametrize("template", ["call_{1}", "call_{0}_{1}", ""])
@pytest.mark.parametrize("ids", [True, False])
def test_each_call_has_its_own_result_even_if_ids_are_empty_or_used_again(
    template: str, ids: bool, manager: CheckpointManager
) -> None:
    saver = CheckpointSaver(manager)
    found: dict[str, Any] = {}
    messages: list[AnyMessage] = [HumanMessage("hello", id="q")]
    config: Any = {"configurable": {"thread_id": "coat"}}
    for number in range(12):
        calls = [{"name": "w", "args": {"n": [number, at]}, "id": template.format(number, at)} for at in range(2)]
        messages.append(AIMessage("", tool_calls=calls, id=f"m{number}" if ids else None))
        for answers in ([], [ToolMessage(f"{call['args']}", tool_call_id=call["id"]) for call in calls]):
            messages += answers
            checkpoint = empty_checkpoint()
            checkpoint["channel_values"] = {"messages": [*messages]}
            config = saver.put(config, checkpoint, {"source": "loop", "step": len(messages)}, {})
            state = whole(manager).snapshot.tool_state
            found |= {call.id: (call.args, state.results.get(call.id)) for call in state.calls}
    assert [args for args, _ in found.values()] == [{"n": [number, at]} for number in range(12) for at in range(2)]
    assert [result for _, result in found.values()] == [str(args) for args, _ in found.values()]


def test_two_calls_of_a_message_with_one_id_are_two_and_each_has_its_result(manager: CheckpointManager) -> None:
    calls: Any = [{"name": "weather", "args": {"city": city}, "id": "call_0"} for city in ("Oslo", "Rome")]
    answers = [ToolMessage(degrees, tool_call_id="call_0", name="weather") for degrees in ("7", "20")]
    saver, config = CheckpointSaver(manager), THREAD
    for messages in ([AIMessage("", tool_calls=calls, id="m")], [AIMessage("", tool_calls=calls, id="m"), *answers]):
        checkpoint = empty_checkpoint()
        checkpoint["channel_values"] = {"messages": messages}
        config = saver.put(config, checkpoint, {"source": "loop", "step": 1}, {})
    tools = whole(manager).snapshot.tool_state
    assert [(call.args or {})["city"] for call in tools.calls] == ["Oslo", "Rome"]
    assert [tools.results[call.id] for call in tools.calls] == ["7", "20"]


def test_calls_whose_arguments_are_no_json_are_shown_as_failed(manager: CheckpointManager) -> None:
    invalid: Any = [{"name": "weather", "args": "{city", "id": "call_0", "error": None, "type": "invalid_tool_call"}]
    checkpoint = empty_checkpoint()
    checkpoint["channel_values"] = {"messages": [AIMessage("", invalid_tool_calls=invalid, id="m")]}
    CheckpointSaver(manager).put(THREAD, checkpoint, {"source": "loop", "step": 1}, {})
    newest = whole(manager)
    [call] = newest.snapshot.tool_state.calls
    assert (call.tool_id, call.args, call.success) == ("weather", {"arguments": "{city"}, False)
    assert call.error == "the arguments are no JSON"
    assert newest.snapshot.thought_chain[0].type == "tool_selection"


def test_a_mixed_retry_replaces_special_writes_and_keeps_the_first_of_the_others(manager: CheckpointManager) -> None:
    checkpoint = empty_checkpoint()
    mine, theirs = CheckpointSaver(manager), InMemorySaver()
    for saver in (mine, theirs):
        config = saver.put({"configurable": {"thread_id": "coat", "checkpoint_ns": ""}}, checkpoint, {"step": 1}, {})
        saver.put_writes(config, [("__error__", "old"), ("log", "first")], "task")
        saver.put_writes(config, [("__error__", "new"), ("log", "second")], "task")
        saver.put_writes(config, [("log", "third"), ("__interrupt__", "wait")], "task")
    found, expected = mine.get_tuple(config), theirs.get_tuple(config)
    assert found is not None
    assert expected is not None
    assert sorted(found.pending_writes or []) == sorted(expected.pending_writes or [])


def test_blocks_are_shown_by_their_texts_or_types(manager: CheckpointManager) -> None:
    blocks: list[Any] = ["is it", {"type": "text", "text": "cold?"}, {"type": "image", "url": "oslo.png"}]
    checkpoint = empty_checkpoint()
    failed = ToolMessage(blocks, tool_call_id="call_1", status="error")
    checkpoint["channel_values"] = {"messages": [HumanMessage(blocks), failed]}
    CheckpointSaver(manager).put(THREAD, checkpoint, {"source": "loop", "step": 0}, {})
    snapshot = whole(manager).snapshot
    assert [thought.content for thought in snapshot.thought_chain] == ["is it\ncold?\n[image]"]
    assert [call.error for call in snapshot.tool_state.calls] == ["is it\ncold?\n[image]"]


def test_messages_without_an_id_are_not_those_of_another_thread(manager: CheckpointManager) -> None:
    checkpoint = empty_checkpoint()
    checkpoint["channel_values"] = {"said": [HumanMessage("hello")], "last": AIMessage("hi")}
    saver, found = CheckpointSaver(manager), set()
    for name in ("one", "two"):
        saver.put({"configurable": {"thread_id": name}}, checkpoint, {"source": "input", "step": -1}, {})
        kept = manager.get(f"{checkpoint['id']}/{name}/")
        found |= {thought.id for thought in kept.snapshot.thought_chain}
    assert found == {"one//said/0", "one//last/0", "two//said/0", "two//last/0"}


def test_an_interrupted_graph_goes_on_in_another_process(tmp_path: Path) -> None:
    def ask(state: State) -> Any:  # noqa: ARG001 - LangGraph requests the name
        return {"city": interrupt("which city?")}

    builder = StateGraph(State)
    builder.add_node("ask", ask)
    builder.add_edge(START, "ask")
    with CheckpointManager(None, tmp_path / "a.db") as manager:
        builder.compile(checkpointer=CheckpointSaver(manager)).invoke({"steps": [1]}, THREAD)
    with CheckpointManager(None, tmp_path / "a.db") as manager:
        graph = builder.compile(checkpointer=CheckpointSaver(manager))
        assert graph.get_state(THREAD).interrupts[0].value == "which city?"
        assert graph.invoke(Command(resume="Lima"), THREAD)["city"] == "Lima"


def test_a_thread_is_forked_in_the_past(manager: CheckpointManager) -> None:
    graph = agent().compile(checkpointer=CheckpointSaver(manager))
    invoked(graph)
    old = next(one for one in graph.get_state_history(THREAD) if one.next == ("tools",))
    forked_at = graph.update_state(old.config, {"messages": [HumanMessage("and in Lima?")]}, as_node="tools")
    assert graph.get_state(forked_at).values["messages"][-1].content == "and in Lima?"
    assert whole(manager).snapshot.thought_chain[-1].content == "and in Lima?"


def test_a_graph_in_a_graph_has_its_checkpoints_in_the_same_execution(manager: CheckpointManager) -> None:
    outer = StateGraph(State)
    outer.add_node("inner", agent().compile(checkpointer=True))
    outer.add_edge(START, "inner")
    invoked(outer.compile(checkpointer=CheckpointSaver(manager)))
    inside = [one for one in manager.list(execution_id="coat") if not one.id.endswith("/coat/")]
    assert inside
    roots = {one.id for one in manager.list(execution_id="coat")} - {one.id for one in inside}
    assert {one.parent_checkpoint_id for one in inside} & roots
    CheckpointSaver(manager).delete_thread("coat")
    assert manager.list() == []


def test_checkpoints_of_others_are_left_alone(manager: CheckpointManager) -> None:
    other = manager.resume_or_start("a/b/c").state
    other.thought_chain.add("reasoning", "not of LangGraph")
    kept = manager.save(other).id
    saver = CheckpointSaver(manager)
    invoked(agent().compile(checkpointer=saver))
    assert len(list(saver.list(None))) == len(list(saver.list(THREAD)))
    saver.prune(["coat"], strategy="delete")
    assert [one.id for one in manager.list()] == [kept]


def test_pruning_keeps_what_a_channel_of_differences_is_made_from(manager: CheckpointManager) -> None:
    saver = CheckpointSaver(manager)
    config: Any = {"configurable": {"thread_id": "coat", "checkpoint_ns": ""}}
    for step in range(5):
        checkpoint = empty_checkpoint()
        checkpoint["channel_values"] = {"log": ["begun"]} if step == 1 else {}
        metadata: Any = {"source": "loop", "step": step, "counters_since_delta_snapshot": {"log": (1, 1)}}
        config = saver.put(config, checkpoint, metadata, {})
        saver.put_writes(config, [("log", step)], f"task_{step}")
    saver.prune(["coat"])
    assert len(list(saver.list(THREAD))) == 4
    history = saver.get_delta_channel_history(config=config, channels=["log"])["log"]
    assert history["seed"] == ["begun"]
    assert [value for _, _, value in history["writes"]] == [1, 2, 3]
    assert history == asyncio.run(saver.aget_delta_channel_history(config=config, channels=["log"]))["log"]


def test_langgraphs_bytes_stand_beside_exactly(manager: CheckpointManager) -> None:
    serde = JsonPlusSerializer()
    checkpoint = empty_checkpoint()
    checkpoint["channel_values"] = {"tuple": (1, {2, 3}), "bytes": b"\x00\xff", "nan": float("nan")}
    CheckpointSaver(manager).put(THREAD, checkpoint, {"source": "input", "step": -1}, {})
    kept: Any = whole(manager).snapshot.model_extra
    packed = kept["langgraph"]["checkpoint"]
    assert (packed["type"], base64.b64decode(packed["base64"])) == serde.dumps_typed(checkpoint)
    assert whole(manager).snapshot.context.variables == {}  # none of them is JSON


class Cipher:
    """A cipher that hides nothing from those who look twice."""

    def encrypt(self, plaintext: bytes) -> tuple[str, bytes]:
        return "not", bytes(255 - one for one in plaintext)

    def decrypt(self, _: str, ciphertext: bytes) -> bytes:
        return bytes(255 - one for one in ciphertext)


CALLS: list[Any] = []


def marker(*args: Any, **named: Any) -> str:
    """Note that something was called."""
    CALLS.append((args, named))
    return "called"


@dataclasses.dataclass
class Plan:
    """A class of a state; making one is noted too."""

    city: str = ""

    def __post_init__(self) -> None:
        CALLS.append(self.city)


def _stored_calls() -> list[tuple[str, bytes]]:
    """Return bytes that call `marker` in each of the ways that LangGraph's serializer knows."""
    name = (__name__, "marker")
    made = {0: (*name, 1), 1: (*name, (1,)), 2: (*name, {"a": 1}), 3: (*name, 1, "__call__"), 4: (*name, {"a": 1})}
    made[5] = (*name, {"a": 1}, "model_validate_json")
    packed = [("msgpack", ormsgpack.packb(ormsgpack.Ext(code, ormsgpack.packb(one)))) for code, one in made.items()]
    # Within a channel of differences, and within a list of plain values.
    packed += [("msgpack", ormsgpack.packb(ormsgpack.Ext(7, data))) for _, data in packed]
    packed += [("msgpack", b"\x92\x01" + data) for _, data in packed]
    revived = {"lc": 2, "type": "constructor", "id": [*__name__.split("."), "marker"], "kwargs": {"a": 1}}
    message = {"lc": 1, "type": "constructor", "id": ["langchain_core", "prompts", "PromptTemplate"], "kwargs": {}}
    return [*packed, ("json", json.dumps(revived).encode()), ("json", json.dumps(message).encode())]


@pytest.mark.parametrize("stored", _stored_calls())
@pytest.mark.parametrize("encrypted", [False, True])
def test_stored_bytes_call_nothing(stored: tuple[str, bytes], encrypted: bool, manager: CheckpointManager) -> None:
    invoked(agent().compile(checkpointer=CheckpointSaver(manager)))
    tree, path = taken_out(manager)
    kind, data = stored
    hashed = hashlib.sha256(data).hexdigest()
    packed = {"type": kind, "base64": base64.b64encode(data).decode(), "sha256": hashed}
    tree["snapshot"]["langgraph"] |= {"checkpoint": packed, "metadata": packed, "lists": {}, "blocks": []}
    path.write_text(json.dumps(tree))
    serde = EncryptedSerializer(Cipher(), StrictSerializer()) if encrypted else None
    CALLS.clear()
    if kind == "json":
        with pytest.raises(IntegrityError, match="name constructors"):
            CheckpointSaver(manager, serde=serde).get_tuple(THREAD)
    else:
        CheckpointSaver(manager, serde=serde).get_tuple(THREAD)
    assert CALLS == []


def test_the_permissive_serializer_calls_and_is_warned_of(manager: CheckpointManager) -> None:
    with pytest.warns(RuntimeWarning, match="can run code"):
        saver = CheckpointSaver(manager, permissive=True)
    with pytest.warns(RuntimeWarning, match="can run code"):
        CheckpointSaver(manager, serde=EncryptedSerializer(Cipher()), permissive=True)
    CALLS.clear()
    assert saver.serde.loads_typed(_stored_calls()[0]) == "called"  # the markers above do call
    assert CALLS


@pytest.mark.parametrize("allowed", [[], [Plan]])
def test_classes_of_a_state_come_back_where_they_are_listed(
    allowed: list[type], manager: CheckpointManager, caplog: pytest.LogCaptureFixture
) -> None:
    checkpoint = empty_checkpoint()
    checkpoint["channel_values"] = {"plan": Plan("Oslo")}
    CheckpointSaver(manager).put(THREAD, checkpoint, {"source": "input", "step": -1}, {})
    CALLS.clear()
    found = CheckpointSaver(manager, serde=StrictSerializer(allowed)).get_tuple(THREAD)
    assert found is not None
    assert found.checkpoint["channel_values"]["plan"] == (Plan("Oslo") if allowed else {"city": "Oslo"})
    assert len(CALLS) == (2 if allowed else 0)
    assert ("Plan" in caplog.text) is not bool(allowed)


def test_nothing_is_in_the_clear_where_bytes_are_encrypted(tmp_path: Path) -> None:
    serde = EncryptedSerializer(Cipher(), StrictSerializer())
    with CheckpointManager(tmp_path) as manager:
        graph = agent().compile(checkpointer=CheckpointSaver(manager, serde=serde))
        invoked(graph)
        assert graph.get_state(THREAD).values["city"] == "Oslo"
    for path in tmp_path.iterdir():
        assert b"Oslo" not in path.read_bytes()
        assert base64.b64encode(b"Oslo") not in path.read_bytes()


def _put(path: Path, config: Any, **values: Any) -> Any:
    checkpoint = empty_checkpoint()
    checkpoint["channel_values"] = values
    return CheckpointSaver(CheckpointManager(path)).put(config, checkpoint, {}, {})


@pytest.mark.parametrize(
    ("made", "error", "words"),
    [
        (CheckpointSaver, WrongTypeError, "give CheckpointManager"),
        (lambda path: CheckpointSaver(CheckpointManager(path, redact=["/name"])), SettingsError, "redact"),
        (lambda _: CheckpointSaver(serde=JsonPlusSerializer(pickle_fallback=True)), SettingsError, "pickle"),
        (lambda path: CheckpointSaver(CheckpointManager(path)).get_tuple({}), SettingsError, "names no thread"),
        (lambda path: CheckpointSaver(CheckpointManager(path)).prune(["a"], strategy="some"), SettingsError, "delete"),
        (lambda path: _put(path, {"configurable": {"thread_id": "x" * 2000}}), SettingsError, "shorten the thread_id"),
        (
            lambda path: _put(path, THREAD, open=object()),
            WriteError,
            "StrictSerializer cannot serialize the value of channel 'open', a object",
        ),
        (lambda _: CheckpointSaver(serde=JsonPlusSerializer()), SettingsError, "calls whatever"),
        (lambda _: CheckpointSaver(serde=EncryptedSerializer(Cipher())), SettingsError, "calls whatever"),
    ],
)
def test_what_makes_no_sense_is_refused(
    made: Callable[[Path], Any], error: type[CheckpointLdError], words: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=words):
        made(tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_thread_that_nobody_knows_is_empty(tmp_path: Path) -> None:
    saver = CheckpointSaver(CheckpointManager(tmp_path / "new"))
    assert saver.get_tuple(THREAD) is None
    assert list(saver.list(THREAD)) == []
    saver.delete_thread("nobody")
    assert not (tmp_path / "new").exists()


def test_a_thread_has_nothing_of_another_one_with_a_similar_name(manager: CheckpointManager) -> None:
    saver = CheckpointSaver(manager)
    other: Any = {"configurable": {"thread_id": "coat (writes)"}}
    for thread in (THREAD, other):
        config = saver.put(thread, empty_checkpoint(), {"source": "input", "step": -1}, {})
        saver.put_writes(config, [("city", "Lima")], "task")
        assert [(len(one.pending_writes or ()), one.config) for one in saver.list(thread)] == [(1, config)]
    saver.delete_thread("coat")
    assert saver.get_tuple(THREAD) is None
    found = saver.get_tuple(other)
    assert found is not None
    assert found.pending_writes
    saver.put(THREAD, empty_checkpoint(), {"source": "input", "step": -1}, {})
    saver.delete_thread("coat (writes)")
    assert len(list(saver.list(None))) == 1


@pytest.mark.parametrize(
    ("wanted", "count"),
    [({"limit": 0}, 0), ({"limit": -1}, 0), ({"before": {}}, 1), ({"before": {"configurable": {}}}, 1)],
)
def test_empty_limits_and_ids_of_a_list_are_those_of_langgraph(
    wanted: Any, count: int, manager: CheckpointManager
) -> None:
    newest: Any = {"configurable": {"thread_id": "coat", "checkpoint_id": ""}}
    for saver in (CheckpointSaver(manager), InMemorySaver()):
        config: Any = {"configurable": {"thread_id": "coat", "checkpoint_ns": ""}}
        saver.put(config, empty_checkpoint(), {"source": "input", "step": -1}, {})
        assert len(list(saver.list(newest, **wanted))) == count


def test_writes_of_a_checkpoint_that_was_never_kept_do_not_hide_the_others(manager: CheckpointManager) -> None:
    saver = CheckpointSaver(manager)
    kept = saver.put(THREAD, empty_checkpoint(), {"source": "input", "step": -1}, {})
    never: Any = {"configurable": {"thread_id": "coat", "checkpoint_id": empty_checkpoint()["id"]}}
    saver.put_writes(never, [("city", "Lima")], "task")
    found = saver.get_tuple(THREAD)
    assert found is not None
    assert found.config == kept
    assert len(list(saver.list(THREAD))) == 1
    saver.prune(["coat"])
    assert [one.id for one in manager.list()] == [f"{kept['configurable']['checkpoint_id']}/coat/"]


def test_a_database_of_langgraphs_own_saver_is_refused_and_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "theirs.db"
    with SqliteSaver.from_conn_string(str(path)) as theirs:
        invoked(agent().compile(checkpointer=theirs))
    before = path.read_bytes()
    with CheckpointManager(None, path) as manager, pytest.raises(StoreError, match="none of agent checkpoints"):
        CheckpointSaver(manager).get_tuple(THREAD)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("name", "damaged"),
    [
        ("base64", lambda old: old[:-8]),
        ("base64", lambda old: "?" + old),
        ("sha256", lambda _: None),
        ("type", lambda _: "pickle"),
    ],
)
def test_damaged_bytes_are_reported_and_nothing_is_unpickled(
    name: str, damaged: Callable[[str], str | None], manager: CheckpointManager
) -> None:
    invoked(agent().compile(checkpointer=CheckpointSaver(manager)))
    tree, path = taken_out(manager)
    packed = tree["snapshot"]["langgraph"]["checkpoint"]
    packed |= {name: damaged(packed[name])}
    if packed[name] is None:
        del packed[name]
    path.write_text(json.dumps(tree))
    with pytest.raises(IntegrityError, match="LangGraph's bytes cannot be read"):
        CheckpointSaver(manager).get_tuple(THREAD)


class SlowStore(MemoryStore):
    """Takes its time for each checkpoint."""

    def put(self, checkpoint: AgentCheckpoint, **given: Any) -> Any:
        time.sleep(0.02)
        return super().put(checkpoint, **given)


@pytest.mark.parametrize("is_async", [False, True])
def test_a_slow_store_is_only_a_few_steps_behind(is_async: bool) -> None:
    kept, behind = SlowStore(), []

    def node(state: State) -> Any:
        whole_states = [one for one in kept.held.values() if "(writes)" not in one.execution_id]
        behind.append(len(state["steps"]) + 2 - len(whole_states))  # two before the first step
        return {"steps": [len(state["steps"])]}

    builder = StateGraph(State)
    builder.add_node("node", node)
    builder.add_edge(START, "node")
    builder.add_conditional_edges("node", lambda state: END if len(state["steps"]) == STEPS else "node")
    graph: Any = builder.compile(checkpointer=CheckpointSaver(CheckpointManager(kept)))
    if is_async:
        asyncio.run(graph.ainvoke({"steps": []}, THREAD, durability="async"))
    else:
        graph.invoke({"steps": []}, THREAD, durability="async")
    assert len(behind) == STEPS
    assert max(behind) <= 4  # two, unless the machine is late to begin a save; without a bound it would be all


def test_a_message_that_is_changed_in_place_is_stored_as_it_is(manager: CheckpointManager) -> None:
    saver, config = CheckpointSaver(manager), THREAD
    message = AIMessage("a", id="m", additional_kwargs={"n": 1})
    for value in (1, 1.0, True, datetime(2026, 1, 1, tzinfo=UTC), "1"):
        message.additional_kwargs["n"] = value
        checkpoint = empty_checkpoint()
        checkpoint["channel_values"] = {"messages": [HumanMessage("q", id="q")] * 9 + [message], "other": 1}
        config = saver.put(config, checkpoint, {}, {})
        for _ in range(3):
            found = saver.get_tuple(config)
            assert found is not None
            assert repr(found.checkpoint["channel_values"]) == repr(checkpoint["channel_values"])
            found.checkpoint["channel_values"]["messages"][-1].additional_kwargs["n"] = "changed by its reader"


STEPS, KILLS = 12, 14


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "durability"), [("database", "sync"), ("files", "async")])
def test_killed_at_any_moment_it_goes_on_with_nothing_lost_and_nothing_twice(
    kind: str, durability: Any, tmp_path: Path
) -> None:
    begun, place = tmp_path / "begun", {"files": None, kind: tmp_path / "kept"}
    begun.touch()
    drawn = random.Random(kind)

    def node(state: State) -> Any:
        number = len(state["steps"])
        with begun.open("a") as log:  # whoever is queried to take a step has all before it kept
            log.write(f"{number}\n")
        return {"steps": [number], "messages": [AIMessage(f"step {number}", id=f"m{number}")]}

    builder = StateGraph(State)
    builder.add_node("node", node)
    builder.add_edge(START, "node")
    builder.add_conditional_edges("node", lambda state: END if len(state["steps"]) == STEPS else "node")

    def work() -> None:
        with CheckpointManager(**place) as manager:  # type: ignore[arg-type] # by its name
            graph = builder.compile(checkpointer=CheckpointSaver(manager))
            known = graph.get_state(config).values
            graph.invoke(None if known else {"steps": []}, config, durability=durability)

    def steps_begun() -> list[int]:
        return [int(one) for one in begun.read_text().split("\n")[:-1]]

    kills = cut_off = ended = before = 0
    config: Any = {"configurable": {"thread_id": "0"}}
    while kills < KILLS or ended < 2 or cut_off < 6:
        enough = len(steps_begun()) + drawn.randint(0, 4)
        status = forked(
            work,
            kill_after=drawn.uniform(0, 0.02),
            kill_when=lambda: len(steps_begun()) >= enough,  # noqa: B023 - now
        )
        assert status in (0, -signal.SIGKILL)
        kills += 1
        with CheckpointManager(**place) as manager:  # type: ignore[arg-type] # as above
            found = CheckpointSaver(manager).get_tuple(config)
            kept = [] if found is None else found.checkpoint["channel_values"].get("steps", [])
            assert kept == list(range(len(kept)))
            before = max([before, *steps_begun()]) if durability == "sync" else before
            assert len(kept) >= before
            before = len(kept)
            cut_off += 0 < len(kept) < STEPS
            if found is not None and len(kept) == STEPS:
                thoughts = [
                    one.content for one in manager.get(f"{found.checkpoint['id']}/{ended}/").snapshot.thought_chain
                ]
                assert thoughts[-8:] == [f"step {number}" for number in range(STEPS)][-8:]
                ended += 1
                config = {"configurable": {"thread_id": str(ended)}}
                begun.write_text("")
                before = 0


texts = st.text(max_size=8)
calls = st.builds(
    lambda name, id, args: {"name": name, "id": id, "args": args},
    texts,
    st.none() | texts,
    st.dictionaries(texts, st.integers(-(2**63), 2**63) | st.floats() | texts | st.binary(), max_size=2),
)
blocks = st.lists(texts | st.just({"type": "image"}) | st.builds(lambda one: {"type": "text", "text": one}, texts))
ids = st.none() | st.sampled_from(["a", "b"]) | texts
messages = st.one_of(
    st.builds(lambda content, id: HumanMessage(content, id=id), texts | blocks, ids),
    st.builds(lambda content, id: SystemMessage(content, id=id), texts, ids),
    st.builds(lambda content, id, made: AIMessage(content, id=id, tool_calls=made), texts, ids, st.lists(calls)),
    st.builds(
        lambda content, id, status: ToolMessage(content, tool_call_id=id, status=status),
        texts | blocks,
        texts,
        st.sampled_from(["success", "error"]),
    ),
    st.builds(lambda id: RemoveMessage(id=id), texts),
)


@pytest.mark.slow
@settings(deadline=None, max_examples=examples(50), suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.dictionaries(texts, messages | st.lists(messages, max_size=20) | texts, max_size=3), max_size=4))
def test_whatever_messages_state_the_checkpoint_can_be_read(steps: list[dict[str, Any]]) -> None:
    kept = MemoryStore()
    saver, config = CheckpointSaver(CheckpointManager(kept)), THREAD
    for number, values in enumerate(steps):
        checkpoint = empty_checkpoint()
        checkpoint["channel_values"] = values
        config = saver.put(config, checkpoint, {"source": "loop", "step": number}, {})
        found = saver.get_tuple(config)
        assert found is not None
        assert repr(found.checkpoint["channel_values"]) == repr(values)
    assert [AgentCheckpoint.load(one.content()) for one in kept.held.values()] == [*kept.held.values()]

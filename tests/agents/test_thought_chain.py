"""The thoughts of a state."""

import copy
import json
import pickle

import orjson
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from checkpoint_ld.agents.changes import DEEPEST, JsonArray, JsonObject, frozen
from checkpoint_ld.agents.values import Snapshot, Thought
from checkpoint_ld.documents.values import ABSENT
from checkpoint_ld.errors import LookupFailedError, WriteError, WrongTypeError
from tests.agents.states import START, HandClock, heard, state


def test_a_thought_has_an_id_and_the_time_at_which_it_was_added() -> None:
    clock = HandClock()
    chain = state(clock=clock.clock()).thought_chain
    first = chain.add("reasoning", "look around")
    clock.tick(5)
    second = chain.add("decision", "go", confidence=0.4, parent_id=first.id, id="mine", metadata={"a": [1]}, extra=None)
    assert first.id.startswith("thought_")
    assert "confidence" not in first.tree()
    given = {"id": "mine", "type": "decision", "content": "go", "confidence": 0.4, "parent_id": first.id}
    assert second.tree() == {**given, "created_at": START + 5, "metadata": {"a": [1]}, "extra": None}
    assert list(chain) == [first, second] == [chain[0], chain[1]]
    assert chain[1:] == (second,)
    assert second in chain


def test_each_thought_is_a_step_unless_steps_are_counted_by_hand() -> None:
    counting, by_hand = state(), state(auto_step=False)
    for one in (counting, by_hand):
        one.thought_chain.add("reasoning", "a")
        one.thought_chain.add("reasoning", "b")
    by_hand.progress.advance(5)
    assert (counting.progress.step_number, by_hand.progress.step_number) == (2, 5)


def test_an_update_replaces_members_and_none_takes_one_away() -> None:
    of = state()
    thought = of.thought_chain.add("reasoning", "a", confidence=0.5, reasoning="why")
    events = heard(of)
    after = of.thought_chain.update(thought.id, confidence=None, content="b")
    kept = {"id": thought.id, "type": "reasoning", "created_at": thought.created_at, "reasoning": "why"}
    assert after.tree() == {**kept, "content": "b"}
    assert [(one.name, one["before"], one["after"]) for one in events] == [("thought.updated", thought, after)]
    assert of.thought_chain.get(thought.id) is after


def test_a_removed_thought_is_gone_and_the_others_keep_their_order() -> None:
    of = state()
    ids = [of.thought_chain.add("reasoning", text).id for text in "abcd"]
    events = heard(of)
    of.thought_chain.remove(ids[1])
    of.thought_chain.remove(ids[3])
    assert [one.content for one in of.thought_chain] == ["a", "c"]
    assert of.thought_chain.current_step_id == ids[2]
    assert [(one.name, one["thought"].content) for one in events] == [
        ("thought.removed", "b"),
        ("thought.removed", "d"),
    ]
    assert of.thought_chain.update(ids[2], content="C") == of.thought_chain[1]
    with pytest.raises(LookupFailedError, match="there is no thought"):
        of.thought_chain.get(ids[1])


def test_children_and_ancestors_follow_the_parents() -> None:
    chain = state().thought_chain
    chain.add("a", "", id="1")
    chain.add("a", "", id="2", parent_id="1")
    chain.add("a", "", id="3", parent_id="2")
    chain.add("a", "", id="4", parent_id="pruned")
    chain.update("4", parent_id="1")
    assert [one.id for one in chain.children("1")] == ["2", "4"]
    assert [one.id for one in chain.ancestors("3")] == ["2", "1"]
    chain.remove("2")
    assert [one.id for one in chain.children("1")] == ["4"]
    assert not chain.ancestors("3")
    assert [one.id for one in chain.children("2")] == ["3"]


def test_listed_children_stay_true() -> None:
    listing = Thought(id="1", type="a", content="", created_at=0, children=("2",), metadata={"k": 1})
    child = Thought(id="2", type="a", content="", created_at=0, parent_id="1")
    base = state().snapshot().but(thought_chain=(listing, child), current_step_id="2")
    of = state(snapshot=base)
    events = heard(of, "thought.*")
    of.thought_chain.add("a", "", id="3", parent_id="1")
    assert of.thought_chain[0].children == ("2", "3")
    of.thought_chain.update("2", parent_id=None)
    assert of.thought_chain[0].tree() == {**listing.tree(), "children": ["3"]}
    of.thought_chain.remove("3")
    assert of.thought_chain.get("1").tree()["children"] == []
    assert [one.name.removeprefix("thought.") for one in events] == [
        "created", "updated", "updated", "updated", "removed", "updated",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"id": "1"}, 'a thought "1" already'),
        ({"id": ""}, "id: String should have at least 1"),
        ({"id": "x" * 1025}, "at most 1024"),
        ({"confidence": 1.5}, "confidence"),
        ({"confidence": float("nan")}, "confidence"),
        ({"confidence": "0.8"}, "confidence"),
        ({"content": "\ud800"}, "surrogate"),
        ({"content": None}, "content: Field required"),
        ({"metadata": {"x": float("inf")}}, "finite"),
        ({"mood": "\ud800"}, "surrogate"),
        ({"mood": 10**5000}, "more digits"),
        ({"created_at": 1.0}, "created_at"),
        ({"alternatives": [{"option": "wait"}]}, "an option and a reason_rejected"),
        ({"alternatives": [{"option": "a", "reason_rejected": "b", "confidence": 2}]}, "perhaps a confidence"),
        ({"id": "self", "parent_id": "self"}, "own ancestor"),
        ({"id": "top", "parent_id": "1"}, "own ancestor"),
    ],
)
def test_what_is_no_thought_is_refused_and_nothing_changes(members: dict[str, object], message: str) -> None:
    of = state()
    of.thought_chain.add("reasoning", "a", id="1", parent_id="top")
    before, events = of.snapshot(), heard(of)
    with pytest.raises(WriteError, match=message):
        of.thought_chain.add(**{"type": "reasoning", "content": "b", **members})  # type: ignore[arg-type]
    assert of.snapshot().thought_chain is before.thought_chain
    assert not events
    assert of.progress.step_number == 1


def test_an_update_keeps_the_id_and_makes_no_cycle() -> None:
    chain = state().thought_chain
    chain.add("a", "", id="1")
    chain.add("a", "", id="2", parent_id="1")
    with pytest.raises(WriteError, match="keeps its id"):
        chain.update("1", id="3")
    with pytest.raises(WriteError, match="own ancestor"):
        chain.update("1", parent_id="2")
    with pytest.raises(WrongTypeError, match="no JSON"):
        chain.update("1", metadata={"x": object()})
    assert [one.id for one in chain.children("1")] == ["2"]


def test_the_current_step_can_be_set_to_any_thought() -> None:
    of = state()
    one, two = of.thought_chain.add("a", ""), of.thought_chain.add("a", "")
    assert of.snapshot().current_step_id == two.id
    events = heard(of)
    of.thought_chain.current_step_id = one.id
    assert of.snapshot().current_step_id == one.id
    assert dict(events[0].payload) == {"field": "current_step_id", "before": two.id, "after": one.id}
    with pytest.raises(LookupFailedError):
        of.thought_chain.current_step_id = "none"


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["add", "update", "remove"]), st.integers(0, 9), st.integers(0, 9))))
def test_any_changes_leave_what_a_plain_list_would_hold(steps: list[tuple[str, int, int]]) -> None:
    of, expected = state(), dict[str, str]()
    snapshots: list[tuple[Snapshot, list[str]]] = []
    for kind, number, other in steps:
        name = str(number)
        if kind == "add" and name not in expected:
            of.thought_chain.add("a", str(other), id=name)
            expected[name] = str(other)
        elif kind == "update" and name in expected:
            of.thought_chain.update(name, content=str(other))
            expected[name] = str(other)
        elif kind == "remove" and name in expected:
            of.thought_chain.remove(name)
            del expected[name]
        snapshots.append((of.snapshot(), list(expected.values())))
        assert {one.id: one.content for one in of.thought_chain} == expected
        assert [of.thought_chain.get(one).content for one in expected] == list(expected.values())
    for snapshot, contents in snapshots:
        assert [one.content for one in snapshot.thought_chain] == contents


# --- What an agent knows.


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text('aä"\\/~漢'),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab/~"), inner, max_size=3),
    max_leaves=10,
)


def nested(depth: int) -> list[object]:
    value: list[object] = []
    for _ in range(depth - 1):
        value = [value]
    return value


ENDLESS: list[object] = []
ENDLESS.append(ENDLESS)


@pytest.mark.parametrize("part", ["variables", "state"])
def test_each_change_of_a_variable_is_reported(part: str) -> None:
    of = state()
    events = heard(of)
    values = getattr(of.context, part)
    values["a"] = None
    values["a"] = {"b": [1]}
    del values["a"]
    assert [(one.name, *one.payload.values()) for one in events] == [
        (f"context.{part}", "a", ABSENT, None),
        (f"context.{part}", "a", None, {"b": [1]}),
        (f"context.{part}", "a", {"b": [1]}, ABSENT),
    ]
    assert dict(values) == {}
    with pytest.raises(LookupFailedError, match=f'context.{part} has no "a"'):
        values["a"]


def test_later_edits_by_the_caller_change_nothing() -> None:
    of = state()
    given, spoken, args, result = {"deep": [1, {"x": 2}]}, {"role": "user"}, {"path": ["a"]}, ["b"]
    of.context.variables["v"] = given
    of.context.history.append(spoken)
    call = of.tool_state.start("ls", args)
    of.tool_state.complete(call.id, result)
    given["deep"].append(3)
    spoken["role"] = "nobody"
    args["path"].append("b")
    result.append("c")
    assert of.context.variables["v"] == {"deep": [1, {"x": 2}]}
    assert of.context.history[0] == {"role": "user"}
    assert of.tool_state.get(call.id).args == {"path": ["a"]}
    assert of.tool_state.results[call.id] == ["b"]


def test_values_cannot_be_changed_in_place() -> None:
    of = state()
    of.context.variables["v"] = {"list": [2, 1], "object": {"a": 1}}
    value = of.context.variables["v"]
    for change in (
        lambda: value.update(a=1),
        lambda: value["object"].__setitem__("a", 2),
        lambda: value["object"].pop("a"),
        lambda: value["list"].append(3),
        value["list"].sort,
        lambda: value["list"].__delitem__(0),
        value.clear,
        value.popitem,
    ):
        with pytest.raises(WrongTypeError, match="cannot be changed in place"):
            change()
    with pytest.raises(WrongTypeError):
        value |= {}
    assert of.context.variables["v"] == {"list": [2, 1], "object": {"a": 1}}
    snapshot = of.snapshot()
    with pytest.raises(WrongTypeError):
        snapshot.context.variables["v"] = 1
    with pytest.raises(WrongTypeError):
        snapshot.context.history.append(1)


@given(JSON)
@example([10**40, 1, 1.0, -0.0, True])
def test_frozen_json_is_equal_to_what_was_given_for_every_reader(value: object) -> None:
    cold = frozen(value)
    assert json.dumps(cold) == json.dumps(value)
    assert frozen(cold) is cold or not isinstance(cold, (dict, list))
    assert pickle.loads(pickle.dumps(cold)) == cold
    warm = copy.deepcopy(cold)
    assert json.dumps(warm) == json.dumps(value)
    assert not isinstance(warm, (JsonObject, JsonArray))
    assert orjson.dumps(frozen({"a": (1, {"b": None})})) == b'{"a":[1,{"b":null}]}'


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (object(), WrongTypeError, "holds a object, which is no JSON"),
        ({1: 2}, WrongTypeError, "has the key 1, which is no text"),
        ([{"x": b""}], WrongTypeError, "holds a bytes"),
        (float("nan"), WriteError, "holds nan, which JSON has no form for"),
        ("\udc00", WriteError, r"holds \\udc00, half a surrogate pair"),
        ({"\ud800": 1}, WriteError, "half a surrogate pair"),
        (nested(DEEPEST), WriteError, "nested too deeply"),
        (ENDLESS, WriteError, "nested too deeply"),
    ],
)
def test_what_is_no_json_is_refused_and_nothing_changes(value: object, error: type[Exception], message: str) -> None:
    of = state()
    events = heard(of)
    with pytest.raises(error, match=message):
        of.context.variables["v"] = value
    with pytest.raises(error):
        of.context.history.extend([1, nested(2), value, [value]])
    assert not of.context.variables
    assert not of.context.history
    assert not events


def test_history_and_memory_only_grow() -> None:
    clock = HandClock()
    of = state(clock=clock.clock())
    events = heard(of)
    assert "memory" not in of.snapshot().context.tree()
    of.context.history.extend(["a", None])
    of.context.remember("city", ["Ulm"], importance=0.5)
    assert of.context.history[1:] == (None,)
    assert of.context.memory[0] == {"key": "city", "value": ["Ulm"], "importance": 0.5, "timestamp": START}
    assert [(one.name, one["elements"]) for one in events] == [
        ("context.history", ("a", None)),
        ("context.memory", ({"key": "city", "value": ["Ulm"], "importance": 0.5, "timestamp": START},)),
    ]
    for unusual in ({}, {"key": "a", "value": 1, "importance": -1, "timestamp": 1}, "text"):
        with pytest.raises(WriteError, match="use remember"):
            of.context.memory.append(unusual)
    with pytest.raises(WriteError, match="importance"):
        of.context.remember("a", 1, importance=-1)
    assert len(of.context.memory) == 1
    assert not hasattr(of.context.history, "clear")
    assert list(of.snapshot().context.tree()) == ["variables", "state", "history", "memory"]

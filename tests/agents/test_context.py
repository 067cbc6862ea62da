"""What an agent knows."""

import copy
import json
import pickle

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from checkpoint_ld.agents.changes import DEEPEST, JsonArray, JsonObject, frozen
from checkpoint_ld.documents.values import ABSENT
from checkpoint_ld.errors import LookupFailedError, WriteError, WrongTypeError
from tests.agents.states import START, HandClock, heard, state

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

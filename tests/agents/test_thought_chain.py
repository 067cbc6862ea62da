"""The thoughts of a state."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld.agents.values import Snapshot, Thought
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
        ({"content": None}, "content is None"),
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

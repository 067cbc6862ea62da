"""Events of a state."""

import threading
from contextlib import suppress
from functools import partial

import pytest

from checkpoint_ld import Event
from checkpoint_ld.errors import SettingsError
from tests.agents.states import heard, state, together


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

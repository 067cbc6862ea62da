"""Events of a state."""

import logging
import threading

import pytest

from checkpoint_ld.errors import SettingsError
from checkpoint_ld.runtime import Event
from tests.runtime.states import heard, state


def test_subscribers_choose_by_name_or_prefix() -> None:
    of = state()
    named, thoughts, everything = heard(of, "thought.created"), heard(of, "thought.*"), heard(of)
    thought = of.thought_chain.add("a", "")
    of.thought_chain.update(thought.id, content="b")
    of.context.variables["x"] = 1
    assert [one.name for one in named] == ["thought.created"]
    assert [one.name for one in thoughts] == ["thought.created", "thought.updated"]
    assert [one.name for one in everything] == [
        "thought.created", "progress.changed", "thought.updated", "context.variables",
    ]  # fmt: skip
    assert dict(everything[1].payload) == {"field": "step_number", "before": 0, "after": 1}


def test_who_unsubscribed_hears_no_more() -> None:
    of = state()
    events: list[Event] = []
    off = of.on("*", events.append)
    settled: list[object] = []
    quiet = of.on_settled(settled.append)
    of.progress.advance()
    off()
    quiet()
    of.progress.advance()
    assert len(events) == len(settled) == 1


@pytest.mark.parametrize("pattern", ["", "*.created", "th*ught"])
def test_a_pattern_that_is_none_is_refused(pattern: str) -> None:
    with pytest.raises(SettingsError, match="pattern"):
        state().on(pattern, print)


def test_events_come_after_the_change() -> None:
    of = state()
    seen: list[int] = []
    of.on("thought.created", lambda _: seen.append(len(of.snapshot().thought_chain)))
    of.thought_chain.add("a", "")
    of.thought_chain.add("a", "")
    assert seen == [1, 2]


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


def test_a_subscriber_that_fails_neither_stops_the_agent_nor_undoes_the_change() -> None:
    errors: list[tuple[Exception, Event]] = []
    of = state(on_error=lambda error, event: errors.append((error, event)))
    of.on("thought.*", lambda _: 1 / 0)  # type: ignore[arg-type]
    after = heard(of)
    thought = of.thought_chain.add("a", "")
    assert [(type(error), event.name) for error, event in errors] == [(ZeroDivisionError, "thought.created")]
    assert of.thought_chain[0] == thought
    assert after[0]["thought"] == thought


def test_what_a_subscriber_raises_is_logged_unless_somebody_takes_it(caplog: pytest.LogCaptureFixture) -> None:
    of = state()
    of.on("*", lambda _: 1 / 0)  # type: ignore[arg-type]
    with caplog.at_level(logging.ERROR):
        of.progress.advance()
    assert 'a subscriber to "progress.changed" failed' in caplog.text
    assert "ZeroDivisionError" in caplog.text


def test_several_changes_can_be_made_one() -> None:
    of = state()
    settled: list[tuple[str, ...]] = []
    of.on_settled(lambda events: settled.append(tuple(one.name for one in events)))
    events = heard(of)
    with of.change():
        of.context.variables["x"] = 1
        with of.change():
            of.tool_state.start("ls", {})
        assert events == []
    assert settled == [("context.variables", "tool.started")]
    assert [one.name for one in events] == ["context.variables", "tool.started"]


def test_changes_before_an_exception_stay_and_are_told() -> None:
    of = state()
    events = heard(of)

    def interrupted() -> None:
        with of.change():
            of.context.variables["x"] = 1
            raise InterruptedError

    with pytest.raises(InterruptedError):
        interrupted()
    assert [one.name for one in events] == ["context.variables"]
    assert of.context.variables == {"x": 1}


def test_a_monitor_takes_snapshots_while_a_subscriber_is_busy() -> None:
    of = state()
    lengths: list[int] = []

    def slow(_: Event) -> None:
        monitor = threading.Thread(target=lambda: lengths.append(len(of.snapshot().thought_chain)))
        monitor.start()
        monitor.join(10)

    of.on("thought.created", slow)
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

    threads = [threading.Thread(target=work, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
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
    told, changing = threading.Event(), threading.Event()

    def look(_: Event) -> None:
        told.set()
        changing.wait(5)
        of.snapshot()

    def change() -> None:
        told.wait(5)
        with of.change():
            changing.set()
            of.context.variables["x"] = 1

    of.on("thought.created", look)
    threads = [
        threading.Thread(target=of.thought_chain.add, args=("a", ""), daemon=True),
        threading.Thread(target=change, daemon=True),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert not any(thread.is_alive() for thread in threads)

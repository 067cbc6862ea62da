"""Checkpoints that are made by themselves."""

import asyncio

import pytest

from checkpoint_ld.agent.values import About
from checkpoint_ld.checkpointing import Checkpointer, Policy
from checkpoint_ld.errors import SettingsError, StoreFull
from checkpoint_ld.runtime import Event
from tests.checkpointing.managers import Bench
from tests.runtime.states import heard


def reasons(bench: Bench) -> list[str]:
    return [one.checkpoint_reason for one in bench.manager.list(order="oldest")]


def test_each_kind_of_change_has_its_reason(bench: Bench) -> None:
    Checkpointer(bench.state, bench.manager, Policy(confidence_threshold=0.5))
    bench.think()
    bench.think(confidence=0.9)
    bench.think(confidence=0.4)
    unsure = bench.state.thought_chain[1]
    bench.state.thought_chain.add("decision", "go")
    good, bad, odd = (bench.state.tool_state.start("ls", {}) for _ in range(3))
    bench.state.tool_state.complete(good.id)
    bench.state.tool_state.fail(bad.id, "exit 1")
    bench.state.tool_state.cancel(odd.id)
    bench.state.context.variables["x"] = 1
    bench.state.thought_chain.update(unsure.id, confidence=0.1)
    bench.state.thought_chain.update(unsure.id, confidence=0.2)
    assert reasons(bench) == [
        *("thought_completed", "thought_completed", "low_confidence", "decision"),
        *("tool_completed", "tool_error", "tool_error", "low_confidence"),
    ]
    newest = bench.manager.latest()
    assert newest is not None
    assert bench.manager.get(newest.id).snapshot.thought_chain[1].confidence == 0.1


def test_several_triggers_in_one_change_make_one_checkpoint(bench: Bench) -> None:
    Checkpointer(bench.state, bench.manager, Policy(confidence_threshold=0.5))
    bench.state.thought_chain.add("decision", "", confidence=0.1)
    with bench.state.change():
        bench.state.thought_chain.add("decision", "")
        call = bench.state.tool_state.start("ls", {})
        bench.state.tool_state.fail(call.id, "no")
        bench.state.context.variables["x"] = 1
    assert reasons(bench) == ["low_confidence", "tool_error"]
    newest = bench.manager.latest()
    assert newest is not None
    assert bench.manager.get(newest.id).snapshot.context.variables == {"x": 1}


def test_the_policy_chooses(bench: Bench) -> None:
    policy = Policy(triggers=frozenset({"thought_completed", "tool_error"}), every_thoughts=3)
    keeper = Checkpointer(bench.state, bench.manager, policy)
    for number in range(7):
        bench.state.thought_chain.add("decision", str(number), confidence=0.0)
    call = bench.state.tool_state.start("ls", {})
    bench.state.tool_state.complete(call.id)
    assert reasons(bench) == ["thought_completed"] * 2
    keeper.close()
    for _ in range(9):
        bench.think()
    assert len(reasons(bench)) == 2


def test_between_two_checkpoints_goes_the_least_interval(bench: Bench) -> None:
    keeper = Checkpointer(bench.state, bench.manager, Policy(min_interval_ms=2500))
    for _ in range(7):
        bench.think()
    keeper.save()
    bench.think()
    assert reasons(bench) == ["thought_completed"] * 3 + ["manual"]
    steps = [one.step_number for one in bench.manager.list(order="oldest")]
    assert steps == [1, 4, 7, 7]


def test_what_is_asked_for_is_saved_even_if_nothing_changed(bench: Bench) -> None:
    keeper = Checkpointer(bench.state, bench.manager, about=About(question="q"))
    saved = [keeper.pause(), keeper.save(name="n", description="d"), keeper.save("mine"), keeper.complete()]
    bench.think()
    assert reasons(bench) == ["paused", "manual", "mine", "execution_completed"]
    assert (saved[1].checkpoint.name, saved[1].checkpoint.description) == ("n", "d")
    assert {one.checkpoint.about for one in saved} == {About(question="q")}


def test_a_failure_is_told_in_the_last_checkpoint(bench: Bench) -> None:
    with Checkpointer(bench.state, bench.manager) as keeper:
        saved = keeper.fail(ValueError("no such folder"))
        bench.think()
    with Checkpointer(bench.state, bench.manager) as keeper:
        other = keeper.fail("gave up")
    bench.think()
    assert saved.checkpoint.description == "ValueError: no such folder"
    assert other.checkpoint.description == "gave up"
    assert reasons(bench) == ["execution_failed"] * 2


def test_a_failure_about_a_file_with_an_odd_name_is_told(bench: Bench) -> None:
    error = OSError(b"no file caf\xe9".decode("utf-8", "surrogateescape"))
    saved = Checkpointer(bench.state, bench.manager).fail(error)
    assert saved.checkpoint.description == "OSError: no file caf\\udce9"


def test_a_checkpoint_that_cannot_be_saved_does_not_stop_the_agent(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    keeper = Checkpointer(bench.state, bench.manager)
    failures = heard(bench.state, "agent.checkpoint_failed")
    with monkeypatch.context() as patch:
        patch.setattr(bench.manager.store.truth, "put", _full)
        bench.think("one")
        with pytest.raises(StoreFull):
            keeper.pause()
    assert [one["stage"] for one in failures] == ["file", "file"]
    assert "no room is left" in caplog.text
    bench.think("two")
    assert reasons(bench) == ["thought_completed"]
    assert bench.manager.get(bench.manager.list()[0].id).parent is None


def _full(*_: object, **__: object) -> None:
    raise StoreFull("no room is left")


@pytest.mark.parametrize("settings", [{"triggers": {"thought"}}, {"every_thoughts": 0}, {"min_interval_ms": -1}])
def test_a_policy_that_makes_no_sense_is_refused(settings: dict[str, object]) -> None:
    with pytest.raises(SettingsError):
        Policy(**settings)  # type: ignore[arg-type]


def test_what_a_subscriber_has_saved_already_is_not_saved_again(bench: Bench) -> None:
    checkpointer = Checkpointer(bench.state, bench.manager)

    def save(_: Event) -> None:
        checkpointer.save("seen")

    bench.state.on("thought.created", save)
    bench.think()
    assert [one.checkpoint_reason for one in bench.manager.list()] == ["seen"]


def test_triggers_may_be_any_collection(bench: Bench) -> None:
    with Checkpointer(bench.state, bench.manager, Policy(triggers=["decision"])):  # type: ignore[arg-type]
        bench.think()
        bench.state.thought_chain.add("decision", "go")
    assert [one.checkpoint_reason for one in bench.manager.list()] == ["decision"]


def test_a_saved_call_is_in_flight_where_the_agent_asks_for_that(bench: Bench) -> None:
    def save(_: Event) -> None:
        bench.manager.save(bench.state, "tool_started")

    bench.state.on("tool.started", save)
    bench.state.tool_state.start("rm", {}, id="c")
    restored = bench.manager.restore(bench.manager.list()[0].id)
    assert [one.id for one in restored.interrupted] == ["c"]


def test_an_asynchronous_agent_saves_in_threads(bench: Bench) -> None:
    keeper = Checkpointer(bench.state, bench.manager)

    async def agent(name: str) -> None:
        for _ in range(5):
            call = await asyncio.to_thread(bench.state.tool_state.start, name, {})
            await asyncio.to_thread(bench.state.tool_state.complete, call.id, name)

    async def run() -> None:
        await asyncio.gather(*(agent(name) for name in "abc"))
        await asyncio.to_thread(keeper.complete)

    asyncio.run(run())
    line = bench.manager.list(order="oldest")
    assert [one.parent_checkpoint_id for one in line] == [None, *(one.id for one in line[:-1])]
    assert len(bench.manager.get(line[-1].id).snapshot.tool_state.results) == 15
    assert bench.manager.verify() == ()

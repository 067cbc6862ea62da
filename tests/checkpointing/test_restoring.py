"""Restoring states, resuming runs, forking."""

import json
import random
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from checkpoint_ld import Checkpointer, CheckpointManager, RuntimeState
from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.agents.values import About
from checkpoint_ld.checkpointing import Run
from checkpoint_ld.checkpointing.exchange import taken
from checkpoint_ld.errors import (
    CheckpointExists,
    CheckpointLdError,
    CheckpointNotFound,
    InvalidCheckpoint,
    ReadError,
    SettingsError,
    WrongTypeError,
)
from tests.agents.states import HandClock
from tests.checkpointing.managers import Bench, above, newest
from tests.forking import forked
from tests.trials import examples


@pytest.fixture
def full(bench: Bench) -> Bench:
    """Return a bench whose state has something in all of its parts."""
    state = bench.state
    bench.think("look", confidence=0.5, metadata={"a": [1]})
    state.context.variables["task"] = "count"
    state.context.state["phase"] = {"n": 1.0}
    state.context.history.append({"role": "user", "content": "go"})
    state.context.remember("k", "v")
    done, running = state.tool_state.start("ls", {"p": "."}), state.tool_state.start("rm", {}, id="call_rm")
    state.tool_state.complete(done.id, None)
    state.progress.add_tokens(40)
    assert running.is_in_flight
    return bench


def test_the_whole_state_comes_back(full: Bench) -> None:
    saved = full.manager.save(full.state)
    full.clock.tick(60_000)
    restored = full.manager.restore(saved.id, clock=full.clock.clock())
    assert restored.checkpoint == saved.checkpoint
    assert restored.state.snapshot().tree() == saved.checkpoint.snapshot.tree()
    assert [one.id for one in restored.interrupted] == ["call_rm"]
    assert restored.state.tool_state.in_flight == restored.interrupted
    assert restored.findings == ()
    last = full.events[-1]
    assert (last.name, last["id"], last["interrupted"]) == ("agent.restored", saved.id, restored.interrupted)
    assert last["execution_id"] == restored.state.execution_id


def test_a_resumed_run_is_another_execution_and_goes_on_from_its_parent(full: Bench) -> None:
    saved = full.manager.save(full.state, about=About(benchmark="b"))
    state = full.manager.restore(saved.id, auto_step=False).state
    state.thought_chain.add("a", "")
    resumed = full.manager.save(state).checkpoint
    assert resumed.execution_id not in ("exec", "")
    assert (above(resumed), resumed.about) == ({"checkpoint_id": saved.id}, About(benchmark="b"))
    assert resumed.metadata.step_number == saved.checkpoint.metadata.step_number


def test_counters_go_on_from_the_larger_of_what_a_checkpoint_states(full: Bench) -> None:
    tree = full.manager.save(full.state).checkpoint.tree()
    tree["id"] = "odd"
    tree["metadata"] |= {"step_number": 9, "tokens_used": 3}
    del tree["snapshot"]["progress"]["duration_ms"]
    state = full.manager.restore(AgentCheckpoint.of_tree(tree), clock=full.clock.clock()).state
    assert (state.progress.step_number, state.progress.tokens_used, state.progress.duration_ms) == (9, 40, 1000)


def test_what_the_store_does_not_know_is_kept_first(full: Bench, tmp_path: Path) -> None:
    saved = full.manager.save(full.state)
    path = full.manager.export(saved.id, tmp_path / "second.json", "second")
    elsewhere = Bench(tmp_path / "elsewhere")
    for source in (saved.checkpoint, saved.path, str(saved.path), saved.checkpoint.content(), path):
        restored = elsewhere.manager.restore(source)  # type: ignore[arg-type]
        assert restored.checkpoint.tree() == saved.checkpoint.tree()
        assert elsewhere.manager.get(saved.id).sha256 == saved.sha256
    assert elsewhere.names() == ["agent.checkpoint", *["agent.restored"] * 5]
    elsewhere.manager.close()
    with pytest.raises(CheckpointExists):
        full.manager.restore(saved.checkpoint.but(name="edited"))


def test_an_id_that_is_not_there_names_those_that_are_near(full: Bench) -> None:
    saved = full.manager.save(full.state)
    for wanted, words in ((saved.id[:-1], saved.id), ("x" * 5000, "xxx"), ("\0", "no")):
        with pytest.raises(CheckpointNotFound, match=words):
            full.manager.restore(wanted)
    with pytest.raises(ReadError, match="no such file"):
        full.manager.restore(Path("nothing.json"))


@pytest.mark.parametrize(
    ("harm", "state"),
    [
        (lambda path: path.unlink(), "missing"),
        (lambda path: path.write_bytes(b'{"id": '), "damaged"),
        (lambda path: path.write_bytes(b""), "damaged"),
        (lambda path: path.write_text(json.dumps({"snapshot": {}})), "damaged"),
        (lambda path: path.write_text(path.read_text().replace('"confidence": 0.5', '"confidence": 85')), "damaged"),
    ],
)
def test_a_file_that_is_lost_is_replaced_by_its_row(full: Bench, harm: object, state: str) -> None:
    saved = full.manager.save(full.state)
    harm(saved.path)  # type: ignore[operator]
    restored = full.manager.restore(saved.id, clock=full.clock.clock())
    assert restored.checkpoint.tree() == saved.checkpoint.tree()
    assert [(one.rule, one.message) for one in restored.findings] == [
        ("agent-other-store", f"the file is {state}, so it was taken from the database")
    ]
    full.manager.database.delete(saved.id)  # type: ignore[union-attr]
    assert "taken from the graph" in full.manager.restore(saved.id).findings[0].message
    full.graph.delete(saved.id)
    with pytest.raises(CheckpointNotFound if state == "missing" else (ReadError, InvalidCheckpoint)):
        full.manager.restore(saved.id)


def test_what_goes_on_from_a_checkpoint_is_newer_even_if_the_clock_was_put_back(full: Bench) -> None:
    full.clock.tick()
    parent = full.manager.import_(full.manager.save(full.state).checkpoint.but(id="zzz"))[0].checkpoint
    assert parent is not None
    full.clock.wall -= 60_000
    state = full.manager.restore(parent.id, clock=full.clock.clock()).state
    resumed = full.manager.save(state)  # its id is smaller, and its step the same
    assert resumed.checkpoint.timestamp == parent.timestamp + 1
    assert newest(full.manager).id == resumed.id
    fork = full.manager.fork(resumed.id)
    assert newest(full.manager).id == fork.id


def test_the_newest_is_no_branch_if_its_file_is_damaged(full: Bench) -> None:
    full.manager.save(full.state)
    full.think()
    last = full.manager.save(full.state)
    last.path.write_bytes(b"{")  # type: ignore[union-attr]
    assert full.manager.restore(last.id).state.parent.tree() == {"checkpoint_id": last.id}  # type: ignore[union-attr]


def test_a_fork_has_the_metadata_of_its_origin_and_is_no_branch_of_itself(full: Bench) -> None:
    full.state.agent_name = "Agnes"
    origin = full.manager.save(full.state, name="named", about=About(question="q"))
    fork = full.manager.fork(origin.id)
    assert fork.checkpoint.metadata.tree() == origin.checkpoint.metadata.tree() | {"checkpoint_reason": "branch"}
    assert (fork.checkpoint.name, fork.checkpoint.about) == (None, About(question="q"))
    assert full.names() == ["agent.checkpoint"] * 2
    assert full.manager.restore(fork.id).state.parent.is_branch is None  # type: ignore[union-attr]


def test_two_checkpoints_are_compared_by_id_and_by_file(full: Bench) -> None:
    first = full.manager.save(full.state)
    full.think("more")
    second = full.manager.save(full.state)
    for one, other in ((first.id, second.id), (str(first.path), second.checkpoint)):
        diff = full.manager.diff(one, other)
        assert [thought.content for thought in diff.thoughts_added] == ["more"]
        assert diff.steps == 1


def test_the_newest_is_recognised_by_the_files_even_if_the_database_missed_it(full: Bench) -> None:
    full.manager.save(full.state)
    second = full.manager.save(full.state)
    full.manager.database.delete(second.id)  # type: ignore[union-attr]
    assert newest(full.manager, "exec").id == second.id
    assert full.manager.latest("nobody") is None


# --- A run that was cut off is resumed, one that ended is not.


END: dict[str, Callable[[Checkpointer], object] | None] = {
    "cut off": None,
    "paused": Checkpointer.pause,
    "completed": Checkpointer.complete,
    "failed": lambda keeper: keeper.fail("no"),
}


@pytest.fixture
def manager(tmp_path: Path) -> CheckpointManager:
    return CheckpointManager(tmp_path / "files", tmp_path / "agents.db")


def worked(manager: CheckpointManager, how: str, *, agent: str = "reader", **settings: Any) -> Run:
    """Work for one thought and one call, and end in some way."""
    run = manager.resume_or_start(agent, **settings)
    keeper = Checkpointer(run.state, manager)
    run.state.thought_chain.add("reasoning", "hm")
    run.state.tool_state.start("ask", {})
    end = END[how]
    if end is not None:
        end(keeper)
    return run


@pytest.mark.parametrize("how", END)
def test_a_run_is_resumed_unless_it_ended(manager: CheckpointManager, how: str) -> None:
    first = worked(manager, how)
    assert (first.restored, first.interrupted) == (None, ())
    is_over = how in ("completed", "failed")
    header, again = manager.latest(), manager.resume_or_start("reader")
    assert header is not None
    assert (header.is_final, again.restored is None) == (is_over, is_over)
    assert [one.tool_id for one in again.interrupted] == ([] if is_over else ["ask"])
    assert len(again.state.thought_chain) == (0 if is_over else 1)
    assert again.state.execution_id != first.state.execution_id
    assert (manager.latest(unfinished=True) is None) is is_over
    assert (manager.save(again.state).checkpoint.parent is None) is is_over
    assert manager.verify() == ()


def test_neither_runs_of_other_agents_nor_those_that_were_resumed_and_ended_are_resumed(
    manager: CheckpointManager,
) -> None:
    worked(manager, "cut off", agent="writer")
    worked(manager, "cut off")
    assert worked(manager, "completed").restored is not None
    for agent, is_there in (("reader", False), ("writer", True), ("nobody", False)):
        assert (manager.resume_or_start(agent).restored is not None) is is_there
        assert (manager.latest(agent_id=agent, unfinished=True) is not None) is is_there


def test_questions_are_worked_on_by_themselves(manager: CheckpointManager) -> None:
    one, other = (About(benchmark="urn:b", question=f"urn:q{n}") for n in (1, 2))
    second = one.but(replicate=2)

    def resumed(about: About) -> bool:
        run = manager.resume_or_start("reader", about=about)
        assert run.state.about == about
        return run.restored is not None

    worked(manager, "cut off", about=one)
    worked(manager, "completed", about=other)
    assert (resumed(one), resumed(other)) == (True, False)
    worked(manager, "cut off", about=second)
    worked(manager, "completed", about=one.but(replicate=3))
    assert resumed(second)
    assert not resumed(About(benchmark="urn:b"))
    assert resumed(second.but(benchmark_version="2", benchmark_sha256="0" * 64))


def test_a_new_run_comes_after_the_last_one_even_if_the_clock_was_put_back(manager: CheckpointManager) -> None:
    clock = HandClock()
    worked(manager, "completed", clock=clock.clock())
    clock.wall -= 60_000
    cut_off = worked(manager, "cut off", clock=clock.clock())
    resumed = manager.resume_or_start("reader", clock=clock.clock())
    assert resumed.restored is not None
    assert resumed.restored.checkpoint.execution_id == cut_off.state.execution_id


def test_what_cannot_be_restored_is_an_error_and_no_fresh_start(tmp_path: Path) -> None:
    manager = CheckpointManager(tmp_path)
    worked(manager, "cut off")
    file = tmp_path / f"{newest(manager).id}.json"
    file.write_text(file.read_text().replace('"reasoning"', "5"))
    with pytest.raises(InvalidCheckpoint, match="thought_chain/0/type"):
        manager.resume_or_start("reader")


def _worker(folder: Path, calls: int) -> None:
    """Make one call after the other; each writes a line, after it was noted that it starts."""
    with CheckpointManager(folder / "kept") as manager:
        run = manager.resume_or_start("worker")
        state, keeper = run.state, Checkpointer(run.state, manager)
        for call in run.interrupted:
            is_done = f"{(call.args or {})['n']}\n" in _lines(folder)
            (state.tool_state.complete if is_done else state.tool_state.cancel)(call.id)
        while (n := sum(bool(one.success) for one in state.tool_state)) < calls:
            with state.tool("write", n=n), (folder / "out").open("a") as out:
                out.write(f"{n}\n")
        keeper.complete()


def _lines(folder: Path) -> list[str]:
    file = folder / "out"
    return file.read_text().splitlines(keepends=True) if file.exists() else []


@pytest.mark.slow
def test_a_worker_that_is_killed_again_and_again_does_everything_once(tmp_path: Path) -> None:
    moments, kills = random.Random(5), 0
    while (ended := forked(lambda: _worker(tmp_path, 40), kill_after=moments.uniform(0.0, 0.1 + kills / 1000))) != 0:
        assert ended == -signal.SIGKILL
        kills += 1
        assert kills < 500
    assert _lines(tmp_path) == [f"{n}\n" for n in range(40)]
    manager = CheckpointManager(tmp_path / "kept")
    assert manager.latest(unfinished=True) is None
    assert len({one.execution_id for one in manager.list()}) <= kills + 1
    assert forked(lambda: _worker(tmp_path, 1)) == 0
    assert len(_lines(tmp_path)) == 41  # another run


# --- Whatever a state takes can be saved, and comes back the same.


TEXT = st.text(max_size=8) | st.sampled_from(
    ["", "a b", "<x>", 'a"b', "../x", "_:b0", "@id", "\0", "漢", "\ud800", "é"]
)
NUMBERS = st.integers() | st.floats() | st.booleans() | st.none()
JSON = st.recursive(
    NUMBERS | TEXT, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3), max_leaves=6
)
KNOWN = st.sampled_from(["a", "b", "c"])
EXTRAS = st.dictionaries(
    st.sampled_from(["reasoning", "metadata", "alternatives", "odd", "children", "created_at"]), JSON, max_size=2
)
PARTS = st.dictionaries(
    st.sampled_from(["tool_id", "args", "started_at", "completed_at", "error", "duration_ms"]),
    JSON | st.just(1),
    max_size=2,
)
CALLS = ("start", "complete", "fail", "cancel")


def steps() -> st.SearchStrategy[Callable[[RuntimeState], Any]]:
    """Yield calls of the interface with arguments that are good, odd, or wrong."""
    return st.one_of(
        st.builds(
            lambda kind, text, confidence, parent, name, more: (
                lambda of: of.thought_chain.add(kind, text, confidence=confidence, parent_id=parent, id=name, **more)
            ),
            *(TEXT, TEXT, NUMBERS, KNOWN | TEXT | st.none(), KNOWN | TEXT | st.none(), EXTRAS),
        ),
        st.builds(lambda name, more: lambda of: of.thought_chain.update(name, **more), KNOWN, EXTRAS),
        st.builds(lambda name, parent: lambda of: of.thought_chain.update(name, parent_id=parent), KNOWN, KNOWN | TEXT),
        st.builds(lambda name: lambda of: of.thought_chain.remove(name), KNOWN),
        st.builds(lambda key, value: lambda of: of.context.variables.update({key: value}), TEXT, JSON),
        st.builds(lambda key, value: lambda of: of.context.state.update({key: value}), TEXT, JSON),
        st.builds(lambda value: lambda of: of.context.history.append(value), JSON),
        st.builds(lambda value: lambda of: of.context.memory.append(value), JSON),
        st.builds(lambda key, value, weight: lambda of: of.context.remember(key, value, weight), TEXT, JSON, NUMBERS),
        st.builds(
            lambda tool, args, name, more: lambda of: of.tool_state.start(tool, args, id=name, **more),
            *(
                TEXT,
                JSON | st.just({}),
                KNOWN | TEXT,
                st.dictionaries(st.sampled_from(["status", "error", "odd"]), JSON),
            ),
        ),
        st.builds(
            lambda name, result, more: lambda of: of.tool_state.complete(name, result, **more), KNOWN, JSON, PARTS
        ),
        st.builds(lambda name, error: lambda of: of.tool_state.fail(name, error), KNOWN, TEXT),
        st.builds(lambda name, more: lambda of: of.tool_state.cancel(name, **more), KNOWN, EXTRAS),
        st.builds(lambda n: lambda of: of.progress.add_tokens(n), NUMBERS),
        st.builds(lambda n: lambda of: setattr(of.progress, "total_steps_estimate", n), NUMBERS),
        st.builds(lambda name: lambda of: setattr(of.thought_chain, "current_step_id", name), KNOWN | st.none()),
    )


def after(calls: list[Callable[[RuntimeState], Any]]) -> RuntimeState:
    """Return a state after these calls; what it refuses leaves it as it was."""
    state = RuntimeState("agent", "exec", clock=HandClock().clock())
    for call in calls:
        with suppress(CheckpointLdError):
            call(state)
    return state


@pytest.mark.filterwarnings("ignore:.*only the repr is kept")
@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(steps(), max_size=12))
def test_what_a_state_takes_makes_a_checkpoint_that_can_be_read(calls: list[Callable[[RuntimeState], Any]]) -> None:
    checkpoint = taken(after(calls), "manual").refusing()
    again = AgentCheckpoint.load(checkpoint.content())
    assert again.content() == checkpoint.content()
    state = RuntimeState("agent", "exec", snapshot=again.snapshot, clock=HandClock().clock())
    state.parent = again.parent
    assert state.snapshot().tree() == checkpoint.snapshot.tree()


def test_variables_of_an_older_version_are_migrated(tmp_path: Path) -> None:
    def migrate(variables: dict[str, Any], version: int) -> dict[str, Any]:
        seen.append(version)
        variables["names"] = [variables.pop("name")]
        return variables

    seen: list[int] = []
    with CheckpointManager(tmp_path) as manager:
        for version in (None, 1):
            state = RuntimeState("agent", schema_version=version)
            state.context.variables["name"] = "a"
            saved = manager.save(state)
            assert manager.get(saved.id).snapshot.tree().get("schema_version") == version
            restored = manager.restore(saved.id, schema_version=2, migrate=migrate).state
            assert dict(restored.context.variables) == {"names": ["a"]}
            assert dict(state.context.variables) == {"name": "a"}
            again = manager.save(restored)
            assert manager.restore(again.id, schema_version=2).state.schema_version == 2
            assert manager.restore(again.id).state.schema_version == 2
            assert manager.resume_or_start("agent", schema_version=2, migrate=migrate).state.schema_version == 2
            assert [one.rule for one in again.findings] == [one.rule for one in saved.findings]
            with pytest.raises(SettingsError, match="schema_version 2, which is newer than 1: upgrade the agent"):
                manager.restore(again.id, schema_version=1, migrate=migrate)
            with pytest.raises(SettingsError, match="give migrate="):
                manager.restore(saved.id, schema_version=2)
            with pytest.raises(WrongTypeError, match="returned a NoneType"):
                manager.restore(saved.id, schema_version=2, migrate=lambda *_: None)  # type: ignore[arg-type]
    assert seen == [0, 1]
    assert RuntimeState("agent", schema_version=3).schema_version == 3

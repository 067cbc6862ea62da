"""Restoring states, resuming runs, forking."""

import json
from pathlib import Path

import pytest

from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.agents.values import About
from checkpoint_ld.errors import CheckpointExists, CheckpointNotFound, InvalidCheckpoint, ReadError
from tests.checkpointing.managers import Bench, above, newest


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
    state = full.manager.restore(saved.id).state
    state.thought_chain.add("a", "")
    next_one, before = full.manager.save(state).checkpoint, saved.checkpoint.metadata.step_number
    assert next_one.execution_id not in ("exec", "")
    assert (above(next_one), next_one.about) == ({"checkpoint_id": saved.id}, About(benchmark="b"))
    assert (next_one.metadata.step_number, next_one.metadata.tokens_used) == (before + 1, 40)
    assert next_one.timestamp >= saved.checkpoint.timestamp
    continued = full.manager.restore(next_one.id, continue_execution=True, auto_step=False).state
    continued.thought_chain.add("a", "")
    last = full.manager.save(continued).checkpoint
    assert (last.execution_id, last.metadata.step_number) == (next_one.execution_id, before + 1)
    assert above(last) == {"checkpoint_id": next_one.id}


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


def test_no_child_is_older_than_its_parent_even_if_the_clock_was_put_back(full: Bench) -> None:
    full.clock.tick()
    parent = full.manager.save(full.state).checkpoint
    full.clock.wall -= 60_000
    state = full.manager.restore(parent.id, clock=full.clock.clock()).state
    assert full.manager.save(state).checkpoint.timestamp == parent.timestamp
    assert full.manager.fork(parent.id).checkpoint.timestamp == parent.timestamp


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

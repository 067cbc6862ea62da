"""Whatever a state takes can be saved, and comes back the same."""

import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from checkpoint_ld import RuntimeState
from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.agents.serialization import written
from checkpoint_ld.checkpointing import CheckpointManager
from checkpoint_ld.checkpointing.exchange import taken
from checkpoint_ld.errors import CheckpointLdError
from tests.agents.states import HandClock
from tests.trials import examples

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


@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(steps(), max_size=12))
def test_what_a_state_takes_makes_a_checkpoint_that_can_be_read(calls: list[Callable[[RuntimeState], Any]]) -> None:
    checkpoint = taken(after(calls), "manual").refusing()
    again = AgentCheckpoint.load(checkpoint.content())
    assert again.content() == checkpoint.content()
    state = RuntimeState("agent", "exec", snapshot=again.snapshot, clock=HandClock().clock())
    state.parent = again.parent
    assert state.snapshot().tree() == checkpoint.snapshot.tree()


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(steps(), max_size=12))
def test_a_state_comes_back_from_files_databases_and_graphs(calls: list[Callable[[RuntimeState], Any]]) -> None:
    state = after(calls)
    with tempfile.TemporaryDirectory() as folder:
        for stores in ({"files": f"{folder}/files"}, {"database": f"sqlite:///{folder}/c.db"}):
            with CheckpointManager(**stores) as manager:  # type: ignore[arg-type]
                saved = manager.save(state)
                restored = manager.restore(saved.id, clock=HandClock().clock())
                assert restored.checkpoint.content() == saved.checkpoint.content()
                assert restored.state.snapshot().tree() == state.snapshot().tree()
        path = Path(folder) / "c.nq"
        path.write_bytes(written(saved.checkpoint.tree(), "nq"))
        assert AgentCheckpoint.load(path).content() == saved.checkpoint.content()

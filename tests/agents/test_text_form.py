"""The text form in pieces is the text form, whatever a checkpoint holds."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld import AgentCheckpoint, RuntimeState
from checkpoint_ld.checkpointing.exchange import taken
from checkpoint_ld.documents.packed import cut
from checkpoint_ld.errors import WriteError
from tests.agents import documents
from tests.trials import examples

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=examples(100), deadline=None)
@given(
    st.lists(st.tuples(st.text(), values, st.booleans()), max_size=5), st.dictionaries(st.text(), values, max_size=2)
)
def test_pieces_are_the_text_form(steps: list[tuple[str, Any, bool]], variables: dict[str, Any]) -> None:
    state = RuntimeState("agent")
    for name, value in variables.items():
        state.context.variables[name] = value
    for content, value, ends in steps:
        state.thought_chain.add("reasoning", content)
        call = state.tool_state.start("tool", {"value": value})
        if ends:
            state.tool_state.complete(call.id, value)
        checkpoint = taken(state, "manual")
        text = checkpoint.content()
        assert text == json.dumps(checkpoint.tree(), indent=2, ensure_ascii=False).encode() + b"\n"
        assert b"".join(one if isinstance(one, bytes) else b",\n".join(one) for one in cut(text)) == text
        assert AgentCheckpoint.load(text) == checkpoint
        for one, part in zip(checkpoint.form.calls, checkpoint.snapshot.tool_state.calls, strict=True):
            assert json.loads(one) == part.tree()


def test_an_error_names_the_place_in_the_checkpoint() -> None:
    tree: Any = documents.checkpoint(calls=[documents.call("c", args={})], results={})
    checkpoint = AgentCheckpoint.of_tree(tree)
    checkpoint.snapshot.tool_state.calls[0].args["x"] = float("nan")  # type: ignore[index] # against what its class says
    with pytest.raises(WriteError, match="/snapshot/tool_state/calls/0/args/x"):
        checkpoint.content()

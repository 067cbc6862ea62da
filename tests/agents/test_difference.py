"""Differences between checkpoints of an agent: as data, as a JSON Patch, as text."""

from __future__ import annotations

import json
from typing import Any

import jsonpatch
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.agents.difference import diff_checkpoints
from checkpoint_ld.documents.values import moved, same
from checkpoint_ld.errors import SettingsError
from tests.agents.runs import call, checkpoint, thought, tree

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([1.0, 0.5, "", "a", "a/b", "~"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("ab/~"), inner, max_size=3),
    max_leaves=12,
)
_OBJECTS = st.dictionaries(st.sampled_from(["a", "a/b", "~x", "", "id"]), _JSON, max_size=4)


@st.composite
def _things(draw: st.DrawFn, make: Any) -> list[dict[str, Any]]:
    numbers = draw(st.lists(st.integers(0, 8), unique=True, max_size=7))
    return [make(number, **({"confidence": 0.5} if draw(st.booleans()) else {})) for number in numbers]


@st.composite
def _checkpoints(draw: st.DrawFn) -> AgentCheckpoint:
    return checkpoint(
        draw(st.sampled_from(["k1", "k2"])),
        thoughts=draw(_things(thought)),
        calls=draw(_things(lambda number, **_: call(number))),
        variables=draw(_OBJECTS),
        results=draw(_OBJECTS),
        step=draw(st.integers(0, 3)),
        **draw(st.fixed_dictionaries({}, optional={"name": st.just("n"), "unknown": _JSON})),
    )


def test_what_changed_elsewhere_is_recognised_by_its_place() -> None:
    before = checkpoint("k1", results={"c1": 1})
    other = tree("k2", results={"c1": True}, name="n")
    other["snapshot"] |= {"current_step_id": "t1", "later": [1]}
    other["snapshot"]["tool_state"]["last_tool_call_id"] = "c1"
    other["snapshot"]["progress"]["tokens_used"] = 7
    found = diff_checkpoints(before, AgentCheckpoint.model_validate(other)).to_dict()
    assert found["results_changed"] == {"/snapshot/tool_state/results/c1": {"before": 1, "after": True}}
    assert found["header_changes"] == {
        "/name": {"after": "n"},
        "/snapshot/current_step_id": {"after": "t1"},
        "/snapshot/tool_state/last_tool_call_id": {"after": "c1"},
        "/snapshot/later": {"after": [1]},
    }
    assert found["progress_changes"] == {"/snapshot/progress/tokens_used": {"after": 7}}


def test_equal_checkpoints_have_no_differences() -> None:
    one = checkpoint("k1", thoughts=[thought(1, confidence=1)], variables={"a": 1})
    other = checkpoint("k2", thoughts=[thought(1, confidence=1.0)], variables={"a": 1.0})
    diff = diff_checkpoints(one, other)
    assert diff.is_empty
    assert not diff
    assert str(diff).splitlines()[1:] == ["no differences"]


def test_two_executions_are_compared_on_request_only() -> None:
    one = checkpoint("k1")
    other = AgentCheckpoint.model_validate({**tree("k2"), "execution_id": "exec_2"})
    with pytest.raises(SettingsError, match=r"exec_1, k2 to exec_2.*ask for it"):
        diff_checkpoints(one, other)
    assert not diff_checkpoints(one, other, allow_other_execution=True).same_execution
    linked = AgentCheckpoint.model_validate({**other.tree(), "parent": {"checkpoint_id": "k1", "is_branch": True}})
    assert diff_checkpoints(one, linked).header_changes
    assert diff_checkpoints(linked, one).header_changes


@given(_checkpoints(), _checkpoints(), st.booleans())
def test_the_patch_turns_one_document_into_the_other(
    before: AgentCheckpoint, after: AgentCheckpoint, tests: bool
) -> None:
    diff = diff_checkpoints(before, after)
    patched = jsonpatch.apply_patch(before.tree(), json.dumps(diff.to_json_patch(tests=tests)))
    assert same(patched, after.tree())
    assert diff.is_empty == same({**before.tree(), "id": ""}, {**after.tree(), "id": ""})


def test_a_patch_is_short() -> None:
    thoughts = [*map(thought, range(50))]
    before, after = checkpoint(thoughts=thoughts, variables={"a": 1}), checkpoint(thoughts=thoughts[1:])
    diff = diff_checkpoints(before, after.but(snapshot=after.snapshot.but(context=before.snapshot.context)))
    assert {"op": "remove", "path": "/snapshot/thought_chain/0"} in diff.to_json_patch()
    assert len(diff.to_json_patch()) == 2  # and the count of thoughts


@given(st.lists(st.sampled_from("abcdefgh"), unique=True), st.lists(st.sampled_from("abcdefgh"), unique=True))
def test_as_much_as_can_be_stays_in_its_place(before: list[str], after: list[str]) -> None:
    common = [one for one in before if one in after]
    kept = {*common}.difference(moved(before, after))
    assert [one for one in before if one in kept] == [one for one in after if one in kept]
    lengths = [0] * len(common)
    for end, one in enumerate(common):
        runs = [lengths[at] for at in range(end) if after.index(common[at]) < after.index(one)]
        lengths[end] = 1 + max(runs, default=0)
    assert len(kept) == max(lengths, default=0)


def test_secrets_and_control_characters_stay_out_of_the_text() -> None:
    before = checkpoint("k1", variables={"api_key": "hunter2-hunter2"})
    after = checkpoint("k2", variables={"api_key": "hunter3-hunter3", "said": "\x1b[31mred"})
    text = diff_checkpoints(before, after).to_text()
    assert "hunter" not in text
    assert "(withheld: it looks like a secret)" in text
    assert "\x1b" not in text


def test_the_text_names_what_happened() -> None:
    before = checkpoint("k1", thoughts=[thought(1, confidence=0.9)], calls=[call(1, success=None, completed_at=None)])
    after = checkpoint("k2", thoughts=[thought(1, confidence=0.4), thought(2)], calls=[call(1)], step=2)
    assert diff_checkpoints(before, after).to_text().splitlines()[:6] == [
        "k1 → k2: +1 steps, +100 tokens, +10.0 s",
        "thoughts",
        '  + t2 reasoning: "thought 2"',
        "  ~ t1 confidence: 0.9 → 0.4",
        "tool calls",
        "  ~ c1 success: null → true",
    ]

"""Differences between checkpoints of an agent: as data, as a JSON Patch, as text."""

import copy
import json
from typing import Any

import jsonpatch
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.agents.difference import diff_checkpoints
from checkpoint_ld.agents.json_patch import applied, patch, reordered
from checkpoint_ld.documents.values import moved, same
from checkpoint_ld.errors import ReadError, SettingsError
from tests.agents.documents import Json, ids, values
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
    with pytest.raises(SettingsError, match=r"exec_1, k2 to exec_2.*give allow_other_execution"):
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
    before = checkpoint("k1", variables={"api_key": "hunter2-hunter2", "tokens": {"token": ["hunter2"]}})
    tokens = {"token": ["hunter3", "hunter4"]}
    after = checkpoint("k2", variables={"api_key": "hunter3-hunter3", "said": "\x1b[31mred", "tokens": tokens})
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


# --- JSON Patch: made, and applied as RFC 6902 says.


_arrays = st.lists(ids, max_size=6, unique=True).flatmap(
    lambda found: st.tuples(*(st.fixed_dictionaries({"id": st.just(one)}, optional={"v": values}) for one in found))
)
documents = values | _arrays.map(list) | st.fixed_dictionaries({"things": _arrays.map(list), "more": values})


@given(documents, documents)
def test_what_the_patch_makes_is_the_other_document(before: Json, after: Json) -> None:
    kept = copy.deepcopy(before)
    assert same(applied(before, patch(before, after)), after, exact=True)
    assert same(before, kept, exact=True)
    assert patch(before, kept) == []


def test_things_with_identifiers_are_matched_by_these() -> None:
    before = [{"id": "a", "n": 1}, {"id": "b"}, {"id": "c"}, {"id": "gone"}]
    after = [{"id": "c"}, {"id": "a", "n": 2}, {"id": "new"}, {"id": "b"}]
    assert patch(before, after) == [
        {"op": "remove", "path": "/3"},
        {"op": "move", "from": "/2", "path": "/0"},
        {"op": "replace", "path": "/1/n", "value": 2},
        {"op": "add", "path": "/2", "value": {"id": "new"}},
    ]


@pytest.mark.parametrize(
    ("before", "after"), [(1, 1.0), (True, 1), (0, False), (0.0, -0.0), (None, 0), ("1", 1), ([], {})]
)
def test_values_that_look_alike_are_distinguished(before: Json, after: Json) -> None:
    assert patch({"v": before}, {"v": after}) == [{"op": "replace", "path": "/v", "value": after}]


ALIKE: list[Json] = [(1, 1.0), (0.0, -0.0), ({"a": 1}, {"a": 1.0})]
OTHERS: list[Json] = [(True, 1), (False, 0), (None, False), ("1", 1), ([], {}), ([1], [1, 2]), ({"a": 1}, {"b": 1})]


@pytest.mark.parametrize(
    ("one", "other", "are_same", "are_exactly"),
    [
        *((*pair, True, False) for pair in ALIKE),
        *((*pair, False, False) for pair in OTHERS),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True, True),
    ],
)
def test_numbers_are_equal_by_value_unless_it_is_to_be_exact_and_other_kinds_never(
    one: Json, other: Json, are_same: bool, are_exactly: bool
) -> None:
    assert (same(one, other), same(other, one)) == (are_same, are_same)
    assert same(one, other, exact=True) is are_exactly


def test_members_are_brought_into_an_order() -> None:
    document = {"r": {"a": 1, "b": 2, "c": 3}}
    wanted = {"a": 1, "c": 3, "b": 2}
    operations = reordered(["a", "b", "c"], wanted, "/r")
    assert operations == [{"op": "remove", "path": "/r/b"}, {"op": "add", "path": "/r/b", "value": 2}]
    assert list(applied(document, operations)["r"]) == ["a", "c", "b"]
    assert reordered(["a", "c", "b"], wanted, "/r") == []


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "add", "path": "/baz/bat", "value": 1},
        {"op": "test", "path": "/a", "value": True},
        {"op": "test", "path": "/none", "value": None},
        {"op": "remove", "path": "/list/01"},
        {"op": "replace", "path": "/none", "value": 1},
        {"op": "move", "from": "/list", "path": "/list/0"},
        {"op": "copy", "path": "/b"},
        {"op": "remove", "path": 5},
        {"op": "add", "path": "/b"},
        {"op": "spam", "path": "/a", "value": 1},
        {"path": "/a"},
        ["remove"],
    ],
)
def test_what_cannot_be_done_is_refused(operation: Json) -> None:
    with pytest.raises(ReadError, match="operation 2 of the patch cannot be applied"):
        applied({"a": 1, "list": [0, 1]}, [{"op": "remove", "path": "/list/0"}, operation])


def test_values_of_a_patch_are_not_changed_by_what_follows() -> None:
    operations: list[Json] = [{"op": "add", "path": "/a", "value": []}, {"op": "add", "path": "/a/0", "value": 1}]
    assert applied({}, operations) == {"a": [1]}
    assert operations[0]["value"] == []

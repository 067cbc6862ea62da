"""The text form: equal data is equal bytes."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld.agents.checkpoint import AgentCheckpoint
from checkpoint_ld.agents.values import ROOT, bytes_of, ordered, sha256_of
from checkpoint_ld.errors import WriteError
from tests.agents.documents import Json, checkpoint, checkpoints, second, thought


def shuffled(value: Json, seed: int, parts: tuple[str, ...] = ()) -> Json:
    """Return a checkpoint with the members of its own objects, and not those of JSON parts, in another order."""
    if isinstance(value, list):
        return [shuffled(one, seed, parts) for one in value]
    if not isinstance(value, dict):
        return value
    known = {
        (): ("snapshot", "metadata", "parent", "about"),
        ("snapshot",): ("thought_chain", "context", "tool_state", "progress"),
        ("snapshot", "tool_state"): ("calls",),
    }
    names = list(value)
    random.Random(seed).shuffle(names)
    inside = known.get(parts, ())
    return {name: shuffled(value[name], seed, (*parts, name)) if name in inside else value[name] for name in names}


def test_known_members_come_in_their_order_then_unknown_ones_by_code_point() -> None:
    tree = checkpoint([{"zeta": 1, "Alpha": 2, "content": "", "type": "x", "ångström": 3, "id": "t", "created_at": 0}])
    names = list(ordered({"note": 1, "Apart": 2, **dict(reversed(tree.items()))}))
    assert names == ["version", "id", "timestamp", "execution_id", "agent_id", "snapshot", "metadata", "Apart", "note"]
    chain = ordered(tree)["snapshot"]["thought_chain"]
    assert list(chain[0]) == ["id", "type", "content", "created_at", "Alpha", "zeta", "ångström"]


def test_json_parts_and_unknown_objects_keep_the_order_that_they_have() -> None:
    tree = checkpoint([thought(metadata={"z": 1, "a": 2})], note={"y": 1, "b": 2})
    tree["snapshot"]["context"]["variables"] = {"z": {"b": 1, "a": 2}, "a": 1}
    tree["snapshot"]["tool_state"]["results"] = {"c2": 1, "c1": 2}
    found = json.loads(bytes_of(tree).decode())
    assert json.dumps(found["snapshot"]["context"]["variables"]) == '{"z": {"b": 1, "a": 2}, "a": 1}'
    assert list(found["snapshot"]["tool_state"]["results"]) == ["c2", "c1"]
    assert list(found["snapshot"]["thought_chain"][0]["metadata"]) == ["z", "a"]
    assert list(found["note"]) == ["y", "b"]


def test_text_is_indented_by_two_not_escaped_and_hashed_in_utf8() -> None:
    text = bytes_of(checkpoint(name="naïve 漢字")).decode()
    assert text.startswith('{\n  "version": "0.0.1",\n  "id": "ckpt_1",\n')
    assert text.endswith('  "name": "naïve 漢字"\n}\n')
    assert '"history": []' in text
    assert '"state": {}' in text
    # sha256sum of the file that holds the text
    tree = {"id": "é", "version": "0.0.1"}
    assert bytes_of(tree).decode() == '{\n  "version": "0.0.1",\n  "id": "é"\n}\n'
    assert sha256_of(tree) == "6ae106d15d886b6cf5e68685d7f48ceb5459ada2fa766c9d305c348ba98d4a7d"
    assert tuple(AgentCheckpoint.model_fields) == ROOT


@pytest.mark.slow
@given(checkpoints, st.integers())
def test_equal_data_is_equal_bytes_and_comes_back(tree: Json, seed: int) -> None:
    text = bytes_of(tree).decode()
    assert bytes_of(shuffled(tree, seed)).decode() == text
    assert bytes_of(json.loads(text)).decode() == text
    assert json.loads(text) == tree


@pytest.mark.parametrize("number", ["1", "1.0", "-0.0", "12345678901234567890123", "1e+21", "0.30000000000000004"])
def test_numbers_keep_their_kind(number: str) -> None:
    assert f'"name": {number}\n' in bytes_of(checkpoint(name=json.loads(number))).decode()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800"])
def test_what_is_no_json_has_no_text(value: Json) -> None:
    tree = checkpoint()
    tree["snapshot"]["context"]["variables"]["v"] = value
    with pytest.raises(WriteError, match="/snapshot/context/variables/v"):
        bytes_of(tree).decode()


def test_second_shape_has_an_order_of_its_own() -> None:
    tree = second()
    assert bytes_of(shuffled(tree, 3), "second").decode() == json.dumps(tree, indent=2, ensure_ascii=False) + "\n"

"""Amendment: an edit brought into the JSON that a document has."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld.dialects.amendment import amended
from checkpoint_ld.graph.literals import same
from tests.trials import examples

Json = Any

scalars = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.0, -0.0, 1.5, "a", "b", ""])
values: st.SearchStrategy[Json] = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["@id", "name", "a", "b", "c"]), inner, max_size=4)
    ),
    max_leaves=12,
)


def ordered(value: Json) -> Json:
    """Return a value with the members of its objects as pairs, so that their order counts."""
    if isinstance(value, dict):
        return [[key, ordered(one)] for key, one in value.items()]
    return [ordered(one) for one in value] if isinstance(value, list) else value


@settings(deadline=None, max_examples=examples(400))
@given(source=values, after=values)
def test_a_document_in_the_words_of_the_writer_becomes_what_is_written(source: Json, after: Json) -> None:
    assert same(amended(source, source, after), after)


@given(source=values, before=values)
def test_what_was_not_edited_stays_the_very_same(source: Json, before: Json) -> None:
    assert amended(source, before, before) is source


@pytest.mark.parametrize(
    ("source", "before", "after", "expected"),
    [
        # members stay in the order of the document, new ones come where the writer has them
        ({"b": 1, "a": 2}, {"a": 2, "b": 1}, {"a": 3, "b": 1}, {"b": 1, "a": 3}),
        ({"c": 1, "a": 2}, {"a": 2, "c": 1}, {"a": 2, "b": 0, "c": 1}, {"b": 0, "c": 1, "a": 2}),
        ({"a": 2}, {"a": 2}, {"a": 2, "z": 1}, {"a": 2, "z": 1}),
        # what the writer makes up stays out, what it drops stays in
        ({"a": 1}, {"a": 1, "made": 0}, {"a": 2, "made": 0}, {"a": 2}),
        ({"a": 1, "odd": 0}, {"a": 1}, {"a": 2}, {"a": 2, "odd": 0}),
        # another spelling of the same stays
        ({"a": 1, "n": 1}, {"a": 1, "n": 1.0}, {"a": 2, "n": 1.0}, {"a": 2, "n": 1}),
        # what was taken away goes
        ({"a": 1, "b": 2}, {"a": 1, "b": 2}, {"a": 1}, {"a": 1}),
        # of what the document leaves out only the change comes in
        ({}, {"m": {"a": 1, "b": 2}}, {"m": {"a": 1, "b": 3}}, {"m": {"b": 3}}),
        ({}, {"m": [1, 2]}, {"m": [1, 2, 3]}, {"m": [3]}),
        ({"m": "text"}, {"m": {"a": 1}}, {"m": {"a": 2}}, {"m": {"a": 2}}),
    ],
)
def test_members_are_amended_one_by_one(source: Json, before: Json, after: Json, expected: Json) -> None:
    assert ordered(amended(source, before, after)) == ordered(expected)


def named(name: str, **members: Json) -> Json:
    return {"name": name, **members}


@pytest.mark.parametrize(
    ("source", "before", "after", "expected"),
    [
        # entries are known by name, whatever their place
        (
            [named("a", x=1), named("b")],
            [named("a", x=1), named("b")],
            [named("b"), named("a", x=2)],
            [named("b"), named("a", x=2)],
        ),
        ([named("a"), named("b")], [named("a"), named("b")], [named("b")], [named("b")]),
        # an entry that the writer drops stays where it stood
        (
            [named("a"), named("odd"), named("b")],
            [named("a"), named("b")],
            [named("a"), named("b"), named("c")],
            [named("a"), named("odd"), named("b"), named("c")],
        ),
        # an entry that the writer makes up stays out, unless the edit is in it
        (
            [named("a")],
            [named("made", x=1), named("a")],
            [named("made", x=1), named("a"), named("b")],
            [named("a"), named("b")],
        ),
        (
            [named("a")],
            [named("made", x=1), named("a")],
            [named("made", x=2), named("a")],
            [named("made", x=2), named("a")],
        ),
        # an identifier that only the writer has makes no difference
        (
            [named("a"), named("b")],
            [named("a", **{"@id": "1"}), named("b", **{"@id": "2"})],
            [named("b", **{"@id": "2"})],
            [named("b")],
        ),
        # without names the place tells
        (["a", "b"], ["a", "b"], ["a", "b", "c"], ["a", "b", "c"]),
        (["a", "b"], ["a", "b"], ["x", "b"], ["x", "b"]),
        ([[1.0]], [[1]], [[1], [2]], [[1.0], [2]]),
    ],
)
def test_arrays_are_amended_entry_by_entry(source: Json, before: Json, after: Json, expected: Json) -> None:
    assert same(amended(source, before, after), expected)

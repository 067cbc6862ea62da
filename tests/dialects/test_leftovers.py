"""What a translation cannot say, taken apart and put back."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld.dialects.leftovers import missing_from, restored
from tests.dialects import lacking, named, prop

SCALARS = st.none() | st.booleans() | st.integers(0, 3) | st.text(max_size=2)
PROPERTIES = st.lists(
    st.builds(prop, st.sampled_from(["a", "b", "c"]), SCALARS) | st.builds(prop, st.sampled_from(["a", "d"])),
    min_size=1,
    max_size=4,
)
INNER = st.fixed_dictionaries({}, optional={"text": SCALARS, "@id": SCALARS, "additionalProperty": PROPERTIES})
OBJECTS = st.fixed_dictionaries({}, optional={"@id": SCALARS, "item": INNER | SCALARS, "foo": SCALARS})


@given(OBJECTS, OBJECTS)
def test_a_translation_with_its_leftovers_states_everything(have: dict[str, Any], want: dict[str, Any]) -> None:
    whole = restored(have, missing_from(have, want))

    assert not list(lacking(named(want), named(whole)))


@given(OBJECTS)
def test_nothing_is_left_over_of_what_was_stated(expected: dict[str, Any]) -> None:
    assert missing_from(expected, expected) == {}
    assert restored(expected, {}) == expected


def test_what_only_the_translation_states_is_no_leftover() -> None:
    assert missing_from({"a": 1, "additionalProperty": [prop("x", 1)]}, {}) == {}


def test_only_the_properties_that_differ_are_left_over() -> None:
    have = {"additionalProperty": [prop("same", 1), prop("other", 1), prop("extra", 1)]}
    want = {"additionalProperty": [prop("other", 2), prop("same", 1), prop("new")]}

    assert missing_from(have, want) == {"additionalProperty": [prop("other", 2), prop("new")]}


def test_a_cleared_author_states_no_more_than_none_at_all() -> None:
    assert missing_from({}, {"additionalProperty": [prop("author"), prop("custom_x")]}) == {
        "additionalProperty": [prop("custom_x")]
    }


def test_of_a_name_that_stands_twice_all_is_kept_in_order() -> None:
    have = {"additionalProperty": [prop("x", 2)]}
    want = {"additionalProperty": [prop("x", 1), prop("x", 2)]}

    assert restored(have, missing_from(have, want)) == want


def test_ratings_are_added() -> None:
    assert restored({"rating": [{"name": "a"}]}, {"rating": [{"name": "b"}]})["rating"] == [
        {"name": "a"},
        {"name": "b"},
    ]

"""JSON Patch: made, and applied as RFC 6902 says."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld.agents.json_patch import applied, patch, reordered
from checkpoint_ld.documents.values import same
from checkpoint_ld.errors import ReadError
from tests.agents.documents import Json, ids, values

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


# RFC 6902, Appendix A
@pytest.mark.parametrize(
    ("document", "operation", "outcome"),
    [
        ({"foo": "bar"}, {"op": "add", "path": "/baz", "value": "qux"}, {"baz": "qux", "foo": "bar"}),
        ({"foo": ["bar", "baz"]}, {"op": "add", "path": "/foo/1", "value": "q"}, {"foo": ["bar", "q", "baz"]}),
        ({"baz": "qux", "foo": "bar"}, {"op": "remove", "path": "/baz"}, {"foo": "bar"}),
        ({"foo": ["bar", "qux", "baz"]}, {"op": "remove", "path": "/foo/1"}, {"foo": ["bar", "baz"]}),
        ({"baz": "qux"}, {"op": "replace", "path": "/baz", "value": "boo"}, {"baz": "boo"}),
        ({"a": {"b": 1}, "c": {}}, {"op": "move", "from": "/a/b", "path": "/c/d"}, {"a": {}, "c": {"d": 1}}),
        ({"a": [1, 2, 3, 4]}, {"op": "move", "from": "/a/1", "path": "/a/3"}, {"a": [1, 3, 4, 2]}),
        ({"foo": ["a", 2]}, {"op": "test", "path": "/foo/1", "value": 2.0}, {"foo": ["a", 2]}),
        ({"a": 1}, {"op": "add", "path": "/b", "value": {"g": {}}}, {"a": 1, "b": {"g": {}}}),
        ({"a": 1}, {"op": "add", "path": "/b", "value": "qux", "xyz": 123}, {"a": 1, "b": "qux"}),
        ({"/": 9, "~1": 10}, {"op": "test", "path": "/~01", "value": 10}, {"/": 9, "~1": 10}),
        ({"a": ["b"]}, {"op": "add", "path": "/a/-", "value": ["c", "d"]}, {"a": ["b", ["c", "d"]]}),
        ({"a": 1}, {"op": "replace", "path": "", "value": [1]}, [1]),
        ({"a": 1}, {"op": "add", "path": "", "value": 5}, 5),
        ({"a": {"b": 1}}, {"op": "move", "from": "/a/b", "path": "/a"}, {"a": 1}),
    ],
)
def test_operations_do_what_the_standard_states(document: Json, operation: Json, outcome: Json) -> None:
    assert applied(document, [operation]) == outcome


def test_a_copy_and_what_is_copied_are_two() -> None:
    operations = [{"op": "copy", "from": "/a", "path": "/c"}, {"op": "add", "path": "/c/b/0", "value": 0}]
    assert applied({"a": {"b": [1]}}, operations) == {"a": {"b": [1]}, "c": {"b": [0, 1]}}


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        ({"op": "add", "path": "/baz/bat", "value": 1}, "leads nowhere"),
        ({"op": "test", "path": "/a", "value": True}, 'test of "/a"'),
        ({"op": "test", "path": "/none", "value": None}, "leads nowhere"),
        ({"op": "remove", "path": "/list/2"}, "leads nowhere"),
        ({"op": "remove", "path": "/list/-"}, "leads nowhere"),
        ({"op": "remove", "path": "/list/01"}, "leads nowhere"),
        ({"op": "remove", "path": "/a/0"}, "leads nowhere"),
        ({"op": "add", "path": "/list/3", "value": 1}, "leads nowhere"),
        ({"op": "replace", "path": "/none", "value": 1}, "leads nowhere"),
        ({"op": "move", "from": "/list", "path": "/list/0"}, "into itself"),
        ({"op": "copy", "path": "/b"}, "no JSON Pointer"),
        ({"op": "remove", "path": "a"}, "no JSON Pointer"),
        ({"op": "remove", "path": 5}, "no JSON Pointer"),
        ({"op": "add", "path": "/b"}, "has no value"),
        ({"op": "spam", "path": "/a", "value": 1}, '"spam"'),
        ({"path": "/a"}, "no operation"),
        (["remove"], "no object"),
    ],
)
def test_what_cannot_be_done_is_refused(operation: Json, message: str) -> None:
    with pytest.raises(ReadError, match=message):
        applied({"a": 1, "list": [0, 1]}, [operation])


def test_values_of_a_patch_are_not_changed_by_what_follows() -> None:
    operations: list[Json] = [{"op": "add", "path": "/a", "value": []}, {"op": "add", "path": "/a/0", "value": 1}]
    assert applied({}, operations) == {"a": [1]}
    assert operations[0]["value"] == []

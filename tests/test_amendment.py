"""Amendment: an edit brought into the JSON that a document has, and into its text, whose layout stays."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld.dialects.amendment import amended, patched
from checkpoint_ld.documents.document import read_json
from checkpoint_ld.errors import WriteError
from checkpoint_ld.graph.literals import same
from tests.trials import examples

Json = Any

scalars = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.0, -0.0, 1.5, "a", "b", ""])
keys = st.sampled_from(["@id", "name", "a", "b", "c"])
values: st.SearchStrategy[Json] = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4), max_leaves=12
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


A1, A2 = {"name": "a", "x": 1}, {"name": "a", "x": 2}
A, B, C, ODD = ({"name": name} for name in ("a", "b", "c", "odd"))
MADE1, MADE2 = {"name": "made", "x": 1}, {"name": "made", "x": 2}


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
        # another spelling of the same stays, what was taken away goes
        ({"a": 1, "n": 1}, {"a": 1, "n": 1.0}, {"a": 2, "n": 1.0}, {"a": 2, "n": 1}),
        ({"a": 1, "b": 2}, {"a": 1, "b": 2}, {"a": 1}, {"a": 1}),
        # of what the document leaves out only the change comes in
        ({}, {"m": {"a": 1, "b": 2}}, {"m": {"a": 1, "b": 3}}, {"m": {"b": 3}}),
        ({}, {"m": [1, 2]}, {"m": [1, 2, 3]}, {"m": [3]}),
        ({"m": "text"}, {"m": {"a": 1}}, {"m": {"a": 2}}, {"m": {"a": 2}}),
        # entries are known by name, whatever their place
        ([A1, B], [A1, B], [B, A2], [B, A2]),
        ([A, B], [A, B], [B], [B]),
        # an entry that the writer drops stays where it stood; one that it makes up stays out, unless the edit is in it
        ([A, ODD, B], [A, B], [A, B, C], [A, ODD, B, C]),
        ([A], [MADE1, A], [MADE1, A, B], [A, B]),
        ([A], [MADE1, A], [MADE2, A], [MADE2, A]),
        # an identifier that only the writer has makes no difference
        ([A, B], [{**A, "@id": "1"}, {**B, "@id": "2"}], [{**B, "@id": "2"}], [B]),
        # without names the place tells
        (["a", "b"], ["a", "b"], ["a", "b", "c"], ["a", "b", "c"]),
        (["a", "b"], ["a", "b"], ["x", "b"], ["x", "b"]),
        ([[1.0]], [[1]], [[1], [2]], [[1.0], [2]]),
    ],
)
def test_members_and_entries_are_amended_one_by_one(source: Json, before: Json, after: Json, expected: Json) -> None:
    found = amended(source, before, after)
    assert same(found, expected)
    assert ordered(found) == ordered(expected)


# --- the text

LAYOUTS: list[dict[str, Json]] = [
    {"indent": 2, "ensure_ascii": False},
    {"indent": "\t"},
    {"indent": 1, "separators": (" ,", " : ")},
    {"separators": (",", ":")},
    {},
]


def changed(text: str, after: Json) -> str:
    document = read_json(text.encode())
    return patched(document, amended(document.value, document.value, after)).decode()


@settings(deadline=None, max_examples=examples(300))
@given(source=values, after=values, layout=st.sampled_from(LAYOUTS), newline=st.sampled_from(["\n", "\r\n"]))
def test_the_text_states_the_value_and_its_layout_stays(
    source: Json, after: Json, layout: dict[str, Json], newline: str
) -> None:
    text = "\ufeff" + json.dumps({"root": source}, **layout).replace("\n", newline) + newline
    result = changed(text, {"root": after})
    assert same(json.loads(result.removeprefix("\ufeff")), {"root": after})
    assert result.startswith("\ufeff")
    assert result.endswith(newline)
    assert newline == "\n" or "\n" not in result.replace("\r\n", "")


@settings(deadline=None)
@given(source=values, layout=st.sampled_from(LAYOUTS))
def test_an_unchanged_value_keeps_every_character(source: Json, layout: dict[str, Json]) -> None:
    text = f" \n{json.dumps(source, **layout)}\t"
    document = read_json(text.encode())
    assert patched(document, document.value) == text.encode()


BY_HAND = """{
  "numbers": [1.50, 1e2,-0.0],
  "texts": ["\\u00e9\\/", "é"],

  "items": [
    {"name": "a", "x": [ ]},
    { "name": "b" }
    ]  }
"""
FIRST, SECOND = '{"name": "a", "x": [ ]}', '{ "name": "b" }'
THIRD = """{
      "name": "c",
      "y": [
        1,
        2
      ]
    }"""


@pytest.mark.parametrize(
    ("change", "old", "new"),
    [
        (lambda tree: tree["items"].append({"name": "c", "y": [1, 2]}), SECOND, f"{SECOND},\n    {THIRD}"),
        (lambda tree: tree["items"].pop(0), f"{FIRST},\n    ", ""),
        (lambda tree: tree["items"].pop(), f",\n    {SECOND}", ""),
        (lambda tree: tree["items"].reverse(), f"{FIRST},\n    {SECOND}", f"{SECOND},\n    {FIRST}"),
        (lambda tree: tree["items"][0].update(z=None), '"x": [ ]}', '"x": [ ], "z": null}'),
        (lambda tree: tree["items"][0]["x"].append(True), '"x": [ ]}', '"x": [true]}'),
        (lambda tree: tree["items"][1].update(n={"k": 1}), SECOND, '{ "name": "b", "n": {"k": 1} }'),
        (lambda tree: tree["numbers"].append(3), "-0.0]", "-0.0, 3]"),
        (lambda tree: tree["texts"].__setitem__(1, "ö"), '"é"', '"ö"'),
        (lambda tree: tree.update(more="m"), "]  }", '],\n  "more": "m"  }'),
        (lambda tree: tree.pop("texts"), '"texts": ["\\u00e9\\/", "é"],\n\n  ', ""),
    ],
)
def test_a_text_that_was_laid_out_by_hand_keeps_its_hand(change: Json, old: str, new: str) -> None:
    after = json.loads(BY_HAND)
    change(after)
    assert changed(BY_HAND, after) == BY_HAND.replace(old, new)
    assert json.loads(BY_HAND.replace(old, new)) == after


def test_what_cannot_be_written_is_refused() -> None:
    with pytest.raises(WriteError, match="nan is not a JSON number"):
        changed('{"a": 1}', {"a": float("nan")})

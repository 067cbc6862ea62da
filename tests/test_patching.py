"""Patching: a JSON text with another value, in which whatever stayed the same stands as it stood."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld.dialects.amendment import amended, patched
from checkpoint_ld.documents.document import read_json
from checkpoint_ld.errors import WriteError
from checkpoint_ld.graph.literals import same
from tests.test_amendment import values
from tests.trials import examples

Json = Any

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
def test_the_text_says_the_value_and_its_layout_stays(
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
A, B = '{"name": "a", "x": [ ]}', '{ "name": "b" }'
C = """{
      "name": "c",
      "y": [
        1,
        2
      ]
    }"""


@pytest.mark.parametrize(
    ("change", "old", "new"),
    [
        (lambda tree: tree["items"].append({"name": "c", "y": [1, 2]}), B, f"{B},\n    {C}"),
        (lambda tree: tree["items"].pop(0), f"{A},\n    ", ""),
        (lambda tree: tree["items"].pop(), f",\n    {B}", ""),
        (lambda tree: tree["items"].reverse(), f"{A},\n    {B}", f"{B},\n    {A}"),
        (lambda tree: tree["items"][0].update(z=None), '"x": [ ]}', '"x": [ ], "z": null}'),
        (lambda tree: tree["items"][0]["x"].append(True), '"x": [ ]}', '"x": [true]}'),
        (lambda tree: tree["items"][1].update(n={"k": 1}), B, '{ "name": "b", "n": {"k": 1} }'),
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

"""Places: every JSON Pointer leads to the line and column where its value starts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld.documents.document import read_json
from checkpoint_ld.documents.text import pointer
from checkpoint_ld.findings import Place

SPREAD = """\
{
  "name": "Größe",
  "rating": [
    {"@type": "Rating", "name": "tone"},
    [],
    "two\\nlines"
  ],
  "a/b": {"m~n": true, "": {"": null}},
  "\\u0041\\"": 1, "tricky": "{\\"name\\": [1, 2]}"
}
"""


@pytest.mark.parametrize(
    ("text", "places"),
    [
        (
            SPREAD,
            [
                *(("", 1, 1), ("/name", 2, 11), ("/rating", 3, 13), ("/rating/0", 4, 5), ("/rating/0/name", 4, 33)),
                *(("/rating/1", 5, 5), ("/rating/2", 6, 5), ("/a~1b", 8, 10), ("/a~1b/m~0n", 8, 18)),
                *(("/a~1b//", 8, 33), ('/A"', 9, 15), ("/tricky", 9, 28)),
                # what is not there has the place of the nearest value above
                *(("/rating/0/bestRating", 4, 5), ("/rating/7/name", 3, 13), ("/rating/00", 3, 13)),
                *(("/rating/-", 3, 13), ("/rating/1/0", 5, 5), ("/name/0", 2, 11), ("/A", 1, 1)),
                *(("/nothing/at/all", 1, 1), ("/tricky/name", 9, 28)),
            ],
        ),
        # columns count characters, not bytes or halves; lines end with line feeds only
        ('["é😀𝄞", 1]', [("/1", 1, 9)]),
        ('{\r\n"a": "\u2028\u0085", \r "b": 1,\r\n "c": 2}', [("/b", 2, 19), ("/c", 3, 7)]),
        # keys that look alike, and escapes of escapes
        (
            '{"name": 1, "Name": 2, "name ": 3, "n": {"name": 4}, "0": [5], "\\u006eames": 6}',
            [
                *(("/name", 1, 10), ("/Name", 1, 21), ("/name ", 1, 33), ("/n/name", 1, 50), ("/0/0", 1, 60)),
                ("/names", 1, 78),
            ],
        ),
        (
            '{"~1": 1, "/": 2, "~0": 3, "~": 4, "~01": 5}',
            [("/~01", 1, 8), ("/~1", 1, 16), ("/~00", 1, 25), ("/~0", 1, 33), ("/~001", 1, 43)],
        ),
    ],
)
def test_values_are_found_by_pointer(text: str, places: list[tuple[str, int, int]]) -> None:
    document = read_json(text.encode(), "metals.json")
    found = [document.place(wanted) for wanted, _, _ in places]
    assert found == [Place("metals.json", *place) for place in places]


def test_keys_are_found_by_pointer() -> None:
    document = read_json(SPREAD.encode())
    places = [
        *(("/name", 2, 3), ("/rating/0/name", 4, 25), ("/a~1b//", 8, 29), ('/A"', 9, 3), ("/rating/1", 5, 5)),
        *(("", 1, 1), ("/rating/0/nme", 4, 5), ("/a~1b/nothing", 8, 10)),
    ]
    found = [document.key_place(wanted) for wanted, _, _ in places]
    assert found == [Place(None, *place) for place in places]


def test_pointers_escape_what_they_are_made_of() -> None:
    assert pointer([]) == ""
    assert pointer(["a/b", 0, "m~n", "~1", ""]) == "/a~1b/0/m~0n/~01/"


def paths(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    yield path, value
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in members:
        yield from paths(inner, (*path, step))


def text_from(text: str, place: Place) -> str:
    assert place.line
    assert place.column
    lines = text.split("\n")
    return "\n".join([lines[place.line - 1][place.column - 1 :], *lines[place.line :]])


def check_all_places(text: str) -> None:
    document = read_json(text.encode())
    decoder = json.JSONDecoder()
    for path, value in paths(document.value):
        there, _ = decoder.raw_decode(text_from(text, document.place(pointer(path))))
        assert repr(there) == repr(value)
        if path and isinstance(path[-1], str):
            key, end = decoder.raw_decode(rest := text_from(text, document.key_place(pointer(path))))
            assert key == path[-1]
            assert rest[end:].lstrip().startswith(":")


TEXT = st.text(st.characters(codec="utf-8") | st.sampled_from('"\\/~\n\r\t\u2028\x7f\0{}[]:,'), max_size=8)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4), max_leaves=20
)


@settings(deadline=None)
@given(
    VALUES,
    st.sampled_from([None, 0, 1, 2, "\t"]),
    st.booleans(),
    st.sampled_from([(",", ":"), (", ", ": "), (" ,\r", "\n :\t")]),
)
def test_every_pointer_leads_to_the_text_of_its_value(
    value: Any, indent: int | str | None, escaped: bool, separators: tuple[str, str]
) -> None:
    check_all_places(json.dumps(value, indent=indent, ensure_ascii=escaped, separators=separators))


def test_every_pointer_of_a_real_document_leads_to_the_text_of_its_value(corpus: Path) -> None:
    check_all_places((corpus / "datafeed-ns-v3" / "gen-simple-10.jsonld").read_text(encoding="utf-8"))

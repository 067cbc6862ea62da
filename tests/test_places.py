"""Places: every JSON Pointer leads to the line and column where its value starts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld.documents.document import read_json
from checkpoint_ld.documents.text import pointer
from checkpoint_ld.findings import Place

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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


def spot(place: Place) -> tuple[int | None, int | None]:
    return place.line, place.column


@pytest.mark.parametrize(
    ("asked", "line", "column"),
    [
        ("", 1, 1),
        ("/name", 2, 11),
        ("/rating", 3, 13),
        ("/rating/0", 4, 5),
        ("/rating/0/name", 4, 33),
        ("/rating/1", 5, 5),
        ("/rating/2", 6, 5),
        ("/a~1b", 8, 10),
        ("/a~1b/m~0n", 8, 18),
        ("/a~1b//", 8, 33),
        ('/A"', 9, 15),
        ("/tricky", 9, 28),
    ],
)
def test_values_are_found_by_pointer(asked: str, line: int, column: int) -> None:
    assert read_json(SPREAD.encode(), "metals.json").place(asked) == Place("metals.json", asked, line, column)


@pytest.mark.parametrize(
    ("asked", "line", "column"),
    [
        ("/name", 2, 3),
        ("/rating/0/name", 4, 25),
        ("/a~1b//", 8, 29),
        ('/A"', 9, 3),
        ("/rating/1", 5, 5),
        ("", 1, 1),
        ("/rating/0/nme", 4, 5),
        ("/a~1b/nothing", 8, 10),
    ],
)
def test_keys_are_found_by_pointer(asked: str, line: int, column: int) -> None:
    assert read_json(SPREAD.encode()).key_place(asked) == Place(None, asked, line, column)


@pytest.mark.parametrize(
    ("asked", "nearest"),
    [
        ("/rating/0/bestRating", "/rating/0"),
        ("/rating/7/name", "/rating"),
        ("/rating/00", "/rating"),
        ("/rating/-", "/rating"),
        ("/rating/1/0", "/rating/1"),
        ("/name/0", "/name"),
        ("/A", ""),
        ("/nothing/at/all", ""),
        ("/tricky/name", "/tricky"),
    ],
)
def test_what_is_not_there_gets_the_place_of_the_nearest_value_above(asked: str, nearest: str) -> None:
    document = read_json(SPREAD.encode())
    assert document.place(asked).pointer == asked
    assert spot(document.place(asked)) == spot(document.place(nearest))


def test_columns_count_characters_not_bytes_or_halves() -> None:
    assert spot(read_json('["é😀𝄞", 1]'.encode()).place("/1")) == (1, 9)


def test_lines_end_with_line_feeds_only() -> None:
    text = '{\r\n"a": "\u2028\u0085", \r "b": 1,\r\n "c": 2}'
    document = read_json(text.encode())
    assert spot(document.place("/b")) == (2, 19)
    assert spot(document.place("/c")) == (3, 7)


def test_keys_that_look_alike_are_told_apart() -> None:
    document = read_json(b'{"name": 1, "Name": 2, "name ": 3, "n": {"name": 4}, "0": [5], "\\u006eames": 6}')
    places = ["/name", "/Name", "/name ", "/n/name", "/0/0", "/names"]
    assert [spot(document.place(asked)) for asked in places] == [(1, 10), (1, 21), (1, 33), (1, 50), (1, 60), (1, 78)]


def test_escapes_of_escapes_are_told_apart() -> None:
    document = read_json(b'{"~1": 1, "/": 2, "~0": 3, "~": 4, "~01": 5}')
    places = ["/~01", "/~1", "/~00", "/~0", "/~001"]
    assert [spot(document.place(asked)) for asked in places] == [(1, 8), (1, 16), (1, 25), (1, 33), (1, 43)]


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

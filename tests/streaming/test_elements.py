"""The elements of a file are found as they stand, however little of it is read at a time."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld.batch import outline
from checkpoint_ld.batch.outline import Element, Elements, UnusualFileError
from checkpoint_ld.documents.document import read_json
from tests.trials import examples

Json = Any

TEXTS = st.text(st.sampled_from('aé☉😀"\\\n{}[],: '), max_size=8)
VALUES: st.SearchStrategy[Json] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.just(-12), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=6,
)
OBJECTS = st.dictionaries(TEXTS, st.one_of(VALUES, st.lists(st.dictionaries(TEXTS, VALUES, max_size=2))), max_size=3)
LAYOUTS: st.SearchStrategy[dict[str, Json]] = st.sampled_from(
    [{}, {"indent": 2}, {"indent": "\t", "ensure_ascii": False}, {"separators": (" ,", ":  ")}]
)


@pytest.fixture(params=[1, 2, 3, 7, 1 << 22])
def chunk(request: pytest.FixtureRequest) -> int:
    return int(request.param)


def scanned(data: bytes, chunk: int) -> tuple[Elements, list[Element]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outline, "_CHUNK", chunk)
        found = Elements(io.BytesIO(data), "list")
        return found, list(found)


STARTS = st.sampled_from([b"", b"\xef\xbb\xbf", b" \r\n"])
CHUNKS = st.sampled_from([1, 2, 3, 7, 30, 1 << 22])


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(VALUES, max_size=4), st.dictionaries(TEXTS, VALUES, max_size=2), LAYOUTS, STARTS, CHUNKS)
def test_elements_have_the_values_and_places_that_reading_gives_them(
    entries: list[Json], others: dict[str, Json], layout: dict[str, Json], start: bytes, chunk: int
) -> None:
    hold(start + json.dumps({**others, "list": entries, "after": others}, **layout).encode(), chunk)


@pytest.mark.slow
@settings(max_examples=examples(150), deadline=None)
@given(st.lists(OBJECTS, max_size=6), LAYOUTS, STARTS, CHUNKS, st.booleans())
def test_objects_have_the_values_and_places_that_reading_gives_them(
    entries: list[Json], layout: dict[str, Json], start: bytes, chunk: int, windows: bool
) -> None:
    text = json.dumps({"before": entries, "list": entries, "after": entries}, **layout)
    hold(start + (text.replace("\n", "\r\n") if windows else text).encode(), chunk)


def hold(data: bytes, chunk: int) -> None:
    """Hold the elements of a file against what reading all of it gives."""
    document = read_json(data)
    found, seen = scanned(data, chunk)
    assert [json.loads(data[one.start.offset : one.end]) for one in seen] == document.value["list"]
    assert [one.text for one in seen] == [data[one.start.offset : one.end] for one in seen]
    for at, one in enumerate(seen):
        place = document.place(f"/list/{at}")
        assert (place.line, place.column) == (one.start.line, one.start.column)
    assert read_json(data[: found.opened.offset] + data[found.closed.offset :]).value == {**document.value, "list": []}
    before = data[: found.closed.offset].decode("utf-8-sig")
    assert found.closed.line == before.count("\n") + 1
    assert found.closed.column == len(before) - before.rfind("\n")


IN_LINES = """{
  "list": [
    {
      "a": 1
    },
    {
      "é": [
    {
      "looks": "like an element"
    },
    {
      "and": "another one"
    }
      ]
    },
    {
      "a": 1}, {"a": 2
    },
    {
      "last": true
    }
  ]
}
"""


def test_what_only_looks_like_elements_is_none(chunk: int) -> None:
    hold(IN_LINES.encode(), chunk)


def test_elements_in_lines_are_found(chunk: int) -> None:
    value = {"before": [{"a": 1}, {"a": 2}], "list": [{"é": at, "b": [{}, {"c": [{}]}]} for at in range(20)]}
    for indent in (1, 2, "\t"):
        hold(json.dumps(value, indent=indent).encode(), chunk)
        hold(json.dumps({**value, "after": value["list"]}, indent=indent).encode(), chunk)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "no JSON"),
        (b"[]", "no JSON"),
        (b'{"list"', "no JSON"),
        (b'{"list": [1, 2', "no JSON"),
        (b'{"list": [1 2]}', "no JSON"),
        (b'{"list": [1,]}', "no JSON"),
        (b'{"list": [\n {\n "a": 1\n },\n {\n "a": tru\n },\n {\n "a": 1\n }\n]}', "no JSON"),
        (b'{"list": [\n {\n "a": 1\n },\n {\n "a": "\xff"\n },\n {\n "a": 1\n }\n]}', "UTF-8"),
        (b'{"list": [\n {\n "a": 1\n },\n {\n "a": 1\n },\n {\n "a": 1', "no JSON"),
        (b'{"list": {}}', "no array list"),
        (b'{"other": []}', "no array list"),
        (b'{"list": ["\xff"]}', "UTF-8"),
        (b'{"list": ["\xc3', "UTF-8"),
        (b'{"list": [' + b"[" * 100_000 + b"]}", "nested"),
    ],
)
def test_what_is_unusual_is_reported(data: bytes, why: str, chunk: int) -> None:
    with pytest.raises(UnusualFileError, match=why):
        scanned(data, chunk)


def test_a_value_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outline, "_LARGEST", 100)
    monkeypatch.setattr(outline, "_CHUNK", 16)
    data = b'{"list": ["' + b"a" * 10_000
    file = io.BytesIO(data)
    with pytest.raises(UnusualFileError, match="longer than 100 characters"):
        list(Elements(file, "list"))
    assert file.tell() < 1000

"""Layout and writing: a value becomes the very text that `json.dumps` makes of it, or an error before any text."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from enum import IntEnum, StrEnum
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from checkpoint_ld.documents.document import read_json
from checkpoint_ld.documents.text import CANONICAL, Layout, dump_json
from checkpoint_ld.documents.values import Limits
from checkpoint_ld.errors import WriteError

SAMPLE = {"name": "Größe", "empty": [{}, []], "rating": [{"worst": 0, "best": 1.0}], "end": "\u007f\u2028\\u00e9"}

TEXT = st.text(st.characters(codec="utf-8") | st.sampled_from('"\\/\n\r\t\u2028\x7f\0\b\f\x1f{}[]:, '), max_size=8)
NUMBERS = st.integers() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=20,
)
INDENTS = st.sampled_from([None, 0, 1, 2, 4, "\t", " \t"])
LAYOUTS = st.builds(
    Layout,
    indent=INDENTS,
    separators=st.sampled_from([None, (",", ":"), (", ", ": "), (" ,", " : ")]),
    ascii=st.booleans(),
    newline=st.sampled_from(["\n", "\r\n"]),
    end=st.sampled_from(["", "\n", "\r\n", "\n\n"]),
    bom=st.booleans(),
)


def test_the_canonical_layout_is_that_of_karenina() -> None:
    assert dump_json(SAMPLE) == json.dumps(SAMPLE, indent=2, ensure_ascii=False).encode()
    assert Layout.of(json.dumps(SAMPLE, indent=2, ensure_ascii=False)) == CANONICAL


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        ('{"a": [1, "é"]}', Layout(indent=None)),
        ('{"a":[1,"\\u00e9"]}\n', Layout(indent=None, separators=(",", ":"), ascii=True, end="\n")),
        ('\ufeff{\r\n    "a": 1\r\n}\r\n', Layout(indent=4, newline="\r\n", end="\r\n", bom=True)),
        ('[\n\t{\n\t\t"a":1\n\t}\n]', Layout(indent="\t", separators=(",", ":"))),
        ("[1,2]", Layout(indent=None, separators=(",", ":"))),
        ("[1, 2]", Layout(indent=None)),
        ("[1]", Layout(indent=None)),
        ("[\n1\n]", Layout(indent=0)),
        ('["a{",":"]', Layout(indent=None, separators=(",", ":"))),
        ('["\\\\u00e9"]', Layout(indent=None)),
        ('["\\\\\\u00e9"]', Layout(indent=None, ascii=True)),
        ('["\\u00e9", "ö"]', Layout(indent=None)),
        ('["\\u007f"]', Layout(indent=None, ascii=True)),
        ("[\n  1,\n  2\n]", CANONICAL),
        ('{\n  "a": [1, 2],\n  "b": 3\n}', CANONICAL),
        ('{\n  "a": 1, \n  "b": 3\n}', Layout(separators=(", ", ": "))),
        ('["\\u001f\\n"]', Layout(indent=None)),
        ("{}", CANONICAL),
        ('"text"\n', Layout(end="\n")),
        ("", CANONICAL),
    ],
)
def test_the_layout_of_a_text_is_seen(text: str, layout: Layout) -> None:
    assert Layout.of(text) == layout


@settings(deadline=None)
@given(
    VALUES,
    INDENTS,
    st.booleans(),
    st.sampled_from([None, (",", ":"), (", ", ": ")]),
    st.sampled_from(["", "\n", "\r\n"]),
)
@example(1e16, 2, False, None, "")
@example(1e-05, 2, False, None, "")
@example(1e-07, 2, False, None, "")
@example([2**64 - 1, -(2**63)], 2, False, None, "")
@example([2**64, -(2**63) - 1, -(2**63), 123456789012345680.0, 0.0001, -0.0], 2, False, None, "")
@example({"": [[], {}], "\x7f": "\ud7ff\ue000"}, 2, True, None, "")
def test_what_json_writes_is_written_again_byte_for_byte(
    value: Any, indent: int | str | None, escaped: bool, separators: tuple[str, str] | None, end: str
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=escaped, separators=separators) + end
    assert dump_json(value, Layout.of(text)) == text.encode()


@settings(deadline=None)
@given(VALUES, LAYOUTS)
def test_what_is_written_is_read_as_the_same_value(value: Any, layout: Layout) -> None:
    data = dump_json(value, layout)
    document = read_json(data)
    assert repr(document.value) == repr(value)  # tells 1, 1.0 and True apart, and -0.0 from 0.0
    assert dump_json(document.value, document.layout) == data


@pytest.mark.parametrize(
    ("layout", "data"),
    [
        (Layout(bom=True), b'\xef\xbb\xbf{\n  "a": [\n    "\xc3\xa9\\n"\n  ]\n}'),
        (Layout(newline="\r\n", end="\n"), b'{\r\n  "a": [\r\n    "\xc3\xa9\\n"\r\n  ]\r\n}\n'),
        (Layout(indent=None, ascii=True, end="\r\n"), b'{"a": ["\\u00e9\\n"]}\r\n'),
        (Layout(indent="\t", separators=(",", ":")), b'{\n\t"a":[\n\t\t"\xc3\xa9\\n"\n\t]\n}'),
    ],
)
def test_a_layout_shows_in_the_bytes(layout: Layout, data: bytes) -> None:
    assert dump_json({"a": ["é\n"]}, layout) == data


@pytest.mark.parametrize("layout", [CANONICAL, Layout(indent=None), Layout(indent=4, ascii=True)])
@pytest.mark.parametrize(
    ("value", "place", "words"),
    [
        ({"a": [0, math.nan]}, '"/a/1"', "nan is not a JSON number"),
        (math.inf, '""', "inf is not"),
        ([-math.inf], '"/0"', "-inf is not"),
        ({"a/b": {"c": "x\ud800"}}, '"/a~1b/c"', "half a surrogate pair"),
        ({"a": {"\udfff": 1}}, '"/a"', "half a surrogate pair"),
        ({"a": {1: 2}}, '"/a"', "key 1 is not text"),
        ([{None: 2}], '"/0"', "key None is not text"),
        ({"a": datetime(2026, 1, 1, tzinfo=UTC)}, '"/a"', "datetime is not a JSON type"),
        ([b"bytes"], '"/0"', "bytes is not a JSON type"),
        ([{1, 2}], '"/0"', "set is not a JSON type"),
        ([10**5000], '"/0"', "more digits"),
    ],
)
def test_what_json_cannot_hold_is_refused_by_its_pointer(value: Any, place: str, words: str, layout: Layout) -> None:
    with pytest.raises(WriteError) as caught:
        dump_json(value, layout)
    assert f"the value at {place} cannot be written" in str(caught.value)
    assert words in str(caught.value)
    str(caught.value).encode()


def test_the_content_of_a_foreign_object_stays_out_of_the_message() -> None:
    class Secret:
        def __repr__(self) -> str:
            return "hunter2"

    with pytest.raises(WriteError) as caught:
        dump_json({"key": Secret()})
    assert "hunter2" not in str(caught.value)


def test_what_is_nested_too_deeply_to_be_read_again_is_not_written() -> None:
    value: list[Any] = []
    for _ in range(199):
        value = [value]
    assert read_json(dump_json(value)).value == value
    with pytest.raises(WriteError, match="200 levels"):
        dump_json([value])
    assert dump_json([[]], limits=Limits(depth=2)) == b"[\n  []\n]"


def test_a_limit_deeper_than_python_goes_ends_in_an_error_all_the_same() -> None:
    value: list[Any] = []
    for _ in range(20_000):
        value = [value]
    with pytest.raises(WriteError, match="deeper than Python can go"):
        dump_json(value, limits=Limits(depth=1_000_000))


def test_nesting_beyond_the_fast_writer_is_written_alike() -> None:
    value: list[Any] = ["deep"]
    for _ in range(259):
        value = [value]
    assert dump_json(value, limits=Limits(depth=300)) == json.dumps(value, indent=2).encode()


def test_a_value_that_contains_itself_is_refused() -> None:
    value: dict[str, Any] = {}
    value["self"] = [value]
    with pytest.raises(WriteError, match="contains itself"):
        dump_json(value)


class Colour(StrEnum):
    RED = "red"


class Level(IntEnum):
    HIGH = 3


class Pair(NamedTuple):
    left: int
    right: float


class Length(float):
    pass


@pytest.mark.parametrize("layout", [CANONICAL, Layout(indent=None)])
@pytest.mark.parametrize("value", [(1, (2,)), [Colour.RED, Level.HIGH], {Colour.RED: 1}, Pair(1, 2.5), [Length(2.5)]])
def test_tuples_and_kinds_of_text_and_number_are_written_as_json_writes_them(value: Any, layout: Layout) -> None:
    assert dump_json(value, layout) == json.dumps(value, indent=layout.indent).encode()


def test_nothing_that_is_written_is_changed() -> None:
    value = {"b": [1, {"a": "é"}], "a": ()}
    dump_json(value)
    assert value == {"b": [1, {"a": "é"}], "a": ()}
    assert list(value) == ["b", "a"]


def test_documents_of_the_corpus_that_json_wrote_come_back_byte_for_byte(corpus: Path) -> None:
    same = 0
    for file in sorted((corpus / "datafeed-ns-v3").glob("gen-*.jsonld")):
        document = read_json(file.read_bytes(), file.name)
        assert dump_json(document.value, document.layout) == document.data, file.name
        same += 1
    assert same

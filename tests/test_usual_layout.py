"""Documents in the usual layout are read in a quick way, which says exactly what the thorough one says."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld.documents import document
from checkpoint_ld.documents.document import parse, read_json
from checkpoint_ld.documents.values import Limits
from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph.literals import same
from tests.trials import examples

DEPTH = 200

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner, max_size=3)),
    max_leaves=12,
)


def nested(depth: int) -> bytes:
    """Return an object with arrays in it, `depth` of both inside one another."""
    value: Any = 1
    for _ in range(depth - 1):
        value = [value]
    return json.dumps({"a": value}, indent=2).encode()


@settings(max_examples=examples(300), deadline=None)
@given(st.dictionaries(st.text(), VALUES, min_size=1, max_size=4), st.booleans())
def test_what_is_read_quickly_is_what_the_parser_reads(value: Any, is_ascii: bool) -> None:
    data = json.dumps(value, indent=2, ensure_ascii=is_ascii).encode("utf-8", "surrogatepass")
    found = document.value_of(data, DEPTH)
    assert found is None or same(found, parse(data.decode()))


@pytest.mark.parametrize("end", ["", "\n", " \r\n"])
def test_documents_as_karenina_writes_them_are_read_quickly(end: str) -> None:
    value: dict[str, Any] = {"name": "Größe", "n": [1, -2.5, True, None, {}], "e": [], "x": {"y": 'a "quoted"\n line'}}
    text = json.dumps(value, indent=2, ensure_ascii=False) + end
    assert document.value_of(text.encode(), DEPTH) == value


@pytest.mark.parametrize(
    "member",
    [
        '"a": 1,\n  "a": 1',
        '"a": 1e400',
        '"a": NaN',
        '"a": -0',
        '"a": 1.50',
        '"a": 123456789012345678901234567890',
        f'"a": {"9" * 5000}',
        r'"a": "\ud800"',
        r'"a": "\u0041"',
        '"a": "\x01"',
        '"a": 1,',
        '"a":1',
    ],
)
def test_what_might_be_bent_is_left_to_the_parser(member: str) -> None:
    assert document.value_of(f"{{\n  {member}\n}}".encode(), DEPTH) is None


@pytest.mark.parametrize(
    "data", [b"", b"{}", b"[\n  1\n]", b"\xef\xbb\xbf{\n}", b'{\n  "a": "\xff"\n}', b'{\n  "a": 1\n}\x00']
)
def test_other_texts_are_left_to_the_parser(data: bytes) -> None:
    assert document.value_of(data, DEPTH) is None


@pytest.mark.parametrize("depth", [2, 3, 10, 200])
def test_the_limit_of_depth_is_the_same(depth: int) -> None:
    assert read_json(nested(depth), limits=Limits(depth=depth)).value == orjson.loads(nested(depth))
    for shape in (nested(depth + 1), nested(depth).replace(b" 1\n", b" []\n"), nested(depth + 40)):
        with pytest.raises(ReadError, match="nested deeper"):
            read_json(shape, limits=Limits(depth=depth))

"""JSON inside text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld.dialects.dialect import container, decoded, encoded, gui_encoded
from tests.dialects import Json

LEAVES = st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False, allow_infinity=False)
CONTAINERS = st.recursive(
    st.lists(LEAVES) | st.dictionaries(st.text(), LEAVES),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@pytest.mark.slow
@given(CONTAINERS)
def test_what_is_encoded_can_be_decoded(value: Any) -> None:
    assert decoded(encoded(value)) == value
    assert decoded(gui_encoded(value)) == value
    assert encoded(gui_encoded(value)) == encoded(value)


def test_karenina_escapes_and_the_gui_does_not() -> None:
    assert encoded({"a": ["ü", 1]}) == '{"a": ["\\u00fc", 1]}'
    assert gui_encoded({"a": ["ü", 1]}) == '{"a":["ü",1]}'


@pytest.mark.parametrize("value", [None, 1, True, "text", "123", '"quoted"', "{oops", "", "null"])
def test_what_is_no_container_stays_as_it_is(value: Json) -> None:
    assert encoded(value) is value
    assert gui_encoded(value) is value
    assert decoded(value) is value


@pytest.mark.parametrize(
    "text",
    ['{"a": 1, "a": 2}', "[NaN]", "[Infinity]", "[1e999]", "[" * 100_000, '[{"a": 1, "a": 1}]'],
)
def test_text_that_would_not_come_back_whole_counts_as_no_json(text: str) -> None:
    assert container(text) is None


def test_a_container_is_read() -> None:
    assert container('{"a": [1, null]}') == {"a": [1, None]}
    assert json.loads(encoded([1])) == [1]

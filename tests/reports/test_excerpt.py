"""Excerpts: the place stays in sight, whatever the line looks like."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld.phrases import cells
from checkpoint_ld.validation.reports.text import Excerpt, Source


def excerpt(text: str, line: int = 1, column: int = 1, width: int = 80) -> Excerpt:
    shown = Source(text).excerpt(line, column, width)
    assert shown is not None
    return shown


@pytest.mark.parametrize(
    ("text", "column", "token"),
    [
        ('{"a": "b c", "d": 1}', 7, '"b c"'),
        ('{"a": "b \\" c", "d": 1}', 7, '"b \\" c"'),
        ('{"a": "never closed', 7, '"never closed'),
        ('{"a": -1.5e3, "d": 1}', 7, "-1.5e3"),
        ('{"a": null}', 7, "null"),
        ('{"a": [1]}', 7, "["),
        ('{"a": x}', 99, ""),
    ],
)
def test_the_whole_token_is_marked(text: str, column: int, token: str) -> None:
    shown = excerpt(text, column=column)

    assert shown.token == token
    assert shown.text == text


def test_the_line_is_found_and_its_indentation_left_out() -> None:
    shown = excerpt('{\r\n    "a": "b",\r\n  \t "c": 1\r\n}', line=3, column=10)

    assert shown == Excerpt(3, '"c": ', "1", "")


def test_only_a_line_feed_ends_a_line() -> None:
    assert excerpt("[1,\u2028\x0b\x0c 2,\n3]", line=2).text == "3]"


@pytest.mark.parametrize("line", [0, 3, 99])
def test_there_is_no_excerpt_of_a_line_that_the_text_does_not_have(line: int) -> None:
    assert Source("{\n}").excerpt(line, 1, 80) is None
    assert Source("{\n}").end_column(line, 1) is None


def test_control_characters_are_shown_as_pictures() -> None:
    assert excerpt('"a\tb\x1b[31m\x00\x7f\u202e\u2028"').text == '"a b␛[31m␀␡��"'


def test_wide_and_combining_characters_are_counted_in_cells() -> None:
    shown = excerpt('["日本", "e\u0301", 1]', column=14)

    assert shown.token == "1"
    assert shown.indent == cells(shown.before) == len('["日本", "e", ') + 2


@pytest.mark.parametrize("column", [1, 10, 5_000, 9_990, 10_000])
def test_a_long_line_is_cut_around_the_place(column: int) -> None:
    line = "0123456789" * 1000

    shown = excerpt(line, column=column, width=40)

    assert cells(shown.text) <= 40
    assert shown.before.endswith(line[:column][-6:-1])
    assert shown.token[:1] == line[column - 1]
    assert (shown.before[:1] == "…") == (column > 10)
    assert (shown.text[-1:] == "…") == (column < 9_990)


@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\n") | st.sampled_from('\t\r日"\u0301 {'), max_size=300),
    st.integers(1, 320),
    st.integers(20, 120),
)
def test_an_excerpt_fits_and_prints_on_one_line(text: str, column: int, width: int) -> None:
    shown = excerpt(text, column=column, width=width)

    assert cells(shown.text) <= width
    assert shown.indent < width
    assert len(shown.text.splitlines()) <= 1
    assert shown.extent >= 1


class Watched(str):
    """A text that remembers the longest part that was taken out of it."""

    longest = 0

    def __getitem__(self, key: Any) -> str:
        part = super().__getitem__(key)
        self.longest = max(self.longest, len(part))
        return part


def test_of_a_line_of_megabytes_only_the_neighbourhood_is_examined() -> None:
    text = Watched('{"a": "' + "b" * 1_000_000 + '"}')

    assert Source(text).excerpt(1, 500_000, 80) is not None
    assert 0 < text.longest <= 80
    assert Source(text).end_column(1, 7) == 7 + 10_000

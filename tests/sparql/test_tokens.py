"""Strings of a query mean the same to every parser, however they are written."""

from __future__ import annotations

import pyoxigraph
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from checkpoint_ld.errors import QueryError
from checkpoint_ld.sparql import run
from checkpoint_ld.sparql.guard import checked
from checkpoint_ld.sparql.result import quoted
from checkpoint_ld.sparql.running import ENGINES

EMPTY = pyoxigraph.Store()
TEXTS = st.text(st.one_of(st.sampled_from("\\\"'un0U \n\r\t{}#<>?$@^"), st.characters(exclude_categories=["Cs"])))


def values_of(text: str) -> list[str]:
    return [run(EMPTY, text, engine=engine).as_dicts()[0]["x"] for engine in ENGINES]


@example("\\u0022 } # ")
@example("\\\\u0022")
@given(TEXTS)
def test_a_text_that_is_written_comes_back_from_both_engines(text: str) -> None:
    assert values_of(f"SELECT ({quoted(text)} AS ?x) {{}}") == [text, text]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (r"'a\'b'", "a'b"),
        ("'a\"b'", 'a"b'),
        ('"""a "quoted" word"""', 'a "quoted" word'),
        ("'''two\r\nlines'''", "two\r\nlines"),
        (r'"\u0041\U00000042"', "AB"),
        (r'"\u0022"', '"'),
        (r'"\\u0041"', r"\u0041"),
        (r'"\u00000022"', "\x000022"),
        ('"tab\there"', "tab\there"),
        ('"# no comment"', "# no comment"),
    ],
)
def test_every_way_to_write_a_string_is_read_alike(written: str, meant: str) -> None:
    assert values_of(f"SELECT ({written} AS ?x) {{}} # it's a comment") == [meant, meant]


def test_messages_count_the_lines_of_the_query_as_given() -> None:
    with pytest.raises(QueryError, match=r"line 4, column 3"):
        checked("SELECT * { # one\n ?s ?p '''two\nthree''' .\n  oops }")


def test_names_may_be_escaped_and_have_escaped_signs() -> None:
    assert values_of(r"SELECT (STR(<urn:\u0041>) AS ?x) {}") == ["urn:A"] * 2
    # Only Oxigraph: rdflib keeps the backslash.
    assert run(EMPTY, r"PREFIX ex: <urn:> SELECT (STR(ex:it\'s) AS ?x) {}").as_dicts() == [{"x": "urn:it's"}]


@pytest.mark.parametrize("wrong", [r'"\x"', r'"\uD800"', r'"\U00110000"', r"<urn:\u003E>", '"\ud800"', "'''a''"])
def test_what_is_no_token_is_refused(wrong: str) -> None:
    with pytest.raises(QueryError):
        checked(f"SELECT ({wrong} AS ?x) {{}}")
    with pytest.raises(QueryError):
        quoted("\ud800")

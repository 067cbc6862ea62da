"""Literals: numbers with all their digits, dates where they are dates, and any other JSON as one literal."""

from __future__ import annotations

import json
import logging
import math
from typing import Any

import pyoxigraph
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import Literal, URIRef

from checkpoint_ld.graph.literals import (
    DATETIME,
    DOUBLE,
    RDF_JSON,
    XSD_BOOLEAN,
    XSD_DECIMAL,
    XSD_DOUBLE,
    XSD_INTEGER,
    double_text,
    is_datetime,
    is_language,
    json_of,
    json_text,
    literal,
    literal_of,
    same,
    typed,
)

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
SCALARS = st.one_of(st.booleans(), st.integers(), FLOATS, TEXTS)
VALUES = st.recursive(
    st.one_of(st.none(), SCALARS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=8,
)
OF_TEXTS = st.recursive(
    st.text(max_size=6),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=8,
)
DATES = st.one_of(
    st.datetimes().map(lambda one: one.isoformat()),
    st.sampled_from(["2026-01-01T24:00:00", "x", "-0044-03-15T12:00:00"]),
)


def key_orders(value: Any) -> Any:
    if isinstance(value, dict):
        return [(key, key_orders(one)) for key, one in value.items()]
    return [key_orders(one) for one in value] if isinstance(value, list) else None


@given(SCALARS)
def test_a_scalar_comes_back_as_it_was_and_its_literal_from_its_parts(value: Any) -> None:
    one = literal_of(value)
    if type(value) is not int or abs(value) <= 10**20:  # larger ones are JSON literals
        assert same(json_of(one), value)
    again = literal(str(one), one.datatype, one.language)
    assert (again, str(again)) == (one, str(one))


@given(FLOATS)
def test_a_float_is_a_double_in_canonical_form_with_every_digit(value: float) -> None:
    one = literal_of(value)
    assert one.datatype == XSD_DOUBLE
    assert repr(float(one)) == repr(value)
    mantissa, _, exponent = str(one).partition("E")
    assert len(mantissa.removeprefix("-").partition(".")[0]) == 1
    assert str(int(exponent)) == exponent


@pytest.mark.parametrize(
    ("value", "text", "datatype"),
    [
        (1, "1", XSD_INTEGER),
        (2**64 + 1, "18446744073709551617", XSD_INTEGER),
        (-(10**400), "-1" + "0" * 400, XSD_INTEGER),
        (True, "true", XSD_BOOLEAN),
        ("1", "1", None),
        (1.0, "1.0E0", XSD_DOUBLE),
        (-0.0, "-0.0E0", XSD_DOUBLE),
        (0.0, "0.0E0", XSD_DOUBLE),
        (0.1 + 0.2, "3.0000000000000004E-1", XSD_DOUBLE),
        (1 / 7, "1.4285714285714285E-1", XSD_DOUBLE),
        (1e21, "1.0E21", XSD_DOUBLE),
        (1e-7, "1.0E-7", XSD_DOUBLE),
        (1770332819.237824, "1.770332819237824E9", XSD_DOUBLE),
        (5e-324, "5.0E-324", XSD_DOUBLE),
        (1.7976931348623157e308, "1.7976931348623157E308", XSD_DOUBLE),
        (120.0, "1.2E2", XSD_DOUBLE),
    ],
)
def test_the_kind_of_a_scalar_is_its_datatype_and_doubles_have_the_canonical_form(
    value: Any, text: str, datatype: URIRef | None
) -> None:
    one = literal_of(value)
    assert (str(one), one.datatype) == (text, datatype)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_in_json_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="no number"):
        double_text(value)
    for held in (value, [value], {"a": value}, [[["a", value]]]):
        with pytest.raises(ValueError, match="not JSON compliant"):
            json_text(held)


@given(VALUES)
def test_any_json_is_one_literal_that_keeps_the_order_of_its_keys(value: Any) -> None:
    one = literal_of(value, "@json")
    assert one.datatype == RDF_JSON
    back = json_of(one, "@json")
    assert same(back, value)
    assert key_orders(back) == key_orders(value)


NINES = "9" * 5000


@pytest.mark.parametrize(
    ("given", "coercion", "expected"),
    [
        # numbers under keys for doubles are doubles always
        (literal_of(5, DOUBLE), DOUBLE, 5.0),
        (typed("5", XSD_INTEGER), DOUBLE, 5.0),
        (typed("5.0", XSD_DECIMAL), DOUBLE, 5.0),
        # a number where a date should stand stays a number
        *((literal_of(value, DATETIME), DATETIME, value) for value in (5, 1.5, True)),
        # what another key has, and what JSON has no scalar for, is a value object
        (typed("1.0", XSD_DECIMAL), None, {"@value": "1.0", "@type": str(XSD_DECIMAL)}),
        (literal_of([1], "@json"), None, {"@value": [1], "@type": "@json"}),
        (literal_of("2026-01-01T00:00:00", DATETIME), None, {"@value": "2026-01-01T00:00:00", "@type": DATETIME}),
        *((typed(text, XSD_INTEGER), None, {"@value": text, "@type": str(XSD_INTEGER)}) for text in ("abc", "1e5")),
        *((typed(text, XSD_DOUBLE), None, {"@value": text, "@type": str(XSD_DOUBLE)}) for text in ("INF", "NaN")),
        (typed("yes", XSD_BOOLEAN), None, {"@value": "yes", "@type": str(XSD_BOOLEAN)}),
        # more digits than Python reads
        (typed(NINES, XSD_INTEGER), None, {"@value": NINES, "@type": str(XSD_INTEGER)}),
    ],
)
def test_a_literal_is_json_by_its_datatype_and_by_its_key(given: Literal, coercion: str | None, expected: Any) -> None:
    found = json_of(given, coercion)
    assert same(found, expected)
    json.dumps(found, allow_nan=False)


DATETIMES = [
    *("2026-01-01T00:00:00", "2026-01-02T03:04:05.123456", "2026-01-02T03:04:05.1", "2026-01-02T03:04:05Z"),
    *("2026-01-02T03:04:05+05:30", "2026-01-02T03:04:05-14:00", "2024-02-29T00:00:00", "2000-02-29T00:00:00"),
    *("0000-02-29T00:00:00", "-0004-02-29T00:00:00", "0000-01-01T00:00:00", "-0001-12-31T23:59:59Z"),
    *("12026-01-01T00:00:00", "2026-01-01T24:00:00", "2026-01-01T24:00:00.000", "2026-12-31T23:59:59"),
]
NO_DATETIMES = [
    *("", "yesterday", "2026-01-01", "2026-01-01 00:00:00", "2026-01-01T00:00", "2026-13-01T00:00:00"),
    *("2026-00-01T00:00:00", "2026-01-32T00:00:00", "2026-04-31T00:00:00", "2025-02-29T00:00:00"),
    *("1900-02-29T00:00:00", "2026-02-30T00:00:00", "2026-01-01T24:00:01", "2026-01-01T25:00:00"),
    *("2026-01-01T00:60:00", "2026-01-01T00:00:60", "2026-01-01T00:00:00.", "2026-01-01T00:00:00z"),
    *("2026-01-01T00:00:00+14:01", "2026-01-01T00:00:00+15:00", "2026-01-01T00:00:00+0530"),
    *("02026-01-01T00:00:00", "226-01-01T00:00:00", "+2026-01-01T00:00:00", " 2026-01-01T00:00:00"),
    *("2026-01-01T00:00:00\n", "٢٠٢٦-01-01T00:00:00"),
]


@pytest.mark.parametrize("text", DATETIMES)
def test_a_valid_date_is_typed_and_keeps_its_text_without_a_word(text: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        one = literal_of(text, DATETIME)
        typed("no number", XSD_INTEGER)
    assert not caplog.records
    assert (str(one.datatype), json_of(one, DATETIME)) == (DATETIME, text)


@pytest.mark.parametrize("text", NO_DATETIMES)
def test_what_is_no_date_stays_plain_text(text: str) -> None:
    assert not is_datetime(text)
    assert literal_of(text, DATETIME) == Literal(text)


@given(st.datetimes(timezones=st.none()))
def test_every_date_of_python_is_valid(moment: Any) -> None:
    assert is_datetime(moment.isoformat())


@pytest.mark.parametrize("tag", ["en", "en-GB", "zh-Hant-TW", "de-CH-1996"])
def test_a_language_tag_is_kept_in_small_letters(tag: str) -> None:
    one = literal_of("x", None, tag)
    assert one.language == tag.lower()
    assert json_of(one) == {"@value": "x", "@language": tag.lower()}


@pytest.mark.parametrize("tag", ["", "x-", "12", "abcdefghi", "en_GB", "en GB"])
def test_what_is_no_language_tag_is_left_out(tag: str) -> None:
    assert not is_language(tag)
    assert literal_of("x", None, tag) == Literal("x")


@given(TEXTS)
def test_every_language_tag_that_we_take_is_taken_by_pyoxigraph(tag: str) -> None:
    if is_language(tag):
        assert pyoxigraph.Literal("x", language=tag.lower()).language == tag.lower()


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, 1.0), (True, 1), (0.0, -0.0), ("1", 1), (None, False), ([1], [1.0]), ({"a": 1}, {"a": 1, "b": 2})],
)
def test_values_that_python_calls_equal_may_differ(one: Any, other: Any) -> None:
    assert (same(one, one), same(other, other), same(one, other)) == (True, True, False)


def test_the_order_of_keys_does_not_distinguish_objects() -> None:
    assert same({"a": 1, "b": [2]}, {"b": [2], "a": 1})


@given(st.one_of(SCALARS, DATES), st.sampled_from([None, DATETIME, DOUBLE]))
def test_literals_are_all_that_rdflib_makes_of_them(value: Any, datatype: str | None) -> None:
    made = literal_of(value, datatype)
    is_like(made, Literal(str(made)) if made.datatype is None else typed(str(made), made.datatype))


@given(st.one_of(VALUES, OF_TEXTS))
def test_json_is_written_as_python_writes_it(value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert json_text(value) == text
    is_like(literal_of(value, "@json"), typed(text, RDF_JSON))


def is_like(made: Literal, by_rdflib: Literal) -> None:
    assert made == by_rdflib
    assert hash(made) == hash(by_rdflib)
    assert (made.value, type(made.value)) == (by_rdflib.value, type(by_rdflib.value))
    assert (made.ill_typed, made.language) == (by_rdflib.ill_typed, by_rdflib.language)


@pytest.mark.parametrize("value", [{1: "a"}, {"a": {None: "b"}}, ["\ud800"], {"\udfff": "a"}, ["a", ["b"], "\ud800"]])
def test_what_only_python_writes_as_json_is_written(value: Any) -> None:
    assert json_text(value) == json.dumps(value, ensure_ascii=False, separators=(",", ":"))

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
from checkpoint_ld.vocabulary import XSD

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
SCALARS = st.one_of(st.booleans(), st.integers(), FLOATS, TEXTS)
VALUES = st.recursive(
    st.one_of(st.none(), SCALARS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=8,
)


def key_orders(value: Any) -> Any:
    if isinstance(value, dict):
        return [(key, key_orders(one)) for key, one in value.items()]
    return [key_orders(one) for one in value] if isinstance(value, list) else None


@given(SCALARS.filter(lambda one: type(one) is not int or abs(one) <= 10**20))  # larger ones are JSON literals
def test_a_scalar_comes_back_as_it_was(value: Any) -> None:
    assert same(json_of(literal_of(value)), value)


@given(FLOATS)
def test_a_float_is_a_double_in_canonical_form_with_every_digit(value: float) -> None:
    one = literal_of(value)
    assert one.datatype == XSD_DOUBLE
    assert repr(float(one)) == repr(value)
    mantissa, _, exponent = str(one).partition("E")
    assert len(mantissa.removeprefix("-").partition(".")[0]) == 1
    assert str(int(exponent)) == exponent


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1.0E0"),
        (-0.0, "-0.0E0"),
        (0.0, "0.0E0"),
        (0.1 + 0.2, "3.0000000000000004E-1"),
        (1 / 7, "1.4285714285714285E-1"),
        (1e21, "1.0E21"),
        (1e-7, "1.0E-7"),
        (1770332819.237824, "1.770332819237824E9"),
        (5e-324, "5.0E-324"),
        (1.7976931348623157e308, "1.7976931348623157E308"),
        (120.0, "1.2E2"),
    ],
)
def test_doubles_are_written_in_the_canonical_form_of_xml_schema(value: float, text: str) -> None:
    assert double_text(value) == text


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_in_json_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="no number"):
        double_text(value)


@pytest.mark.parametrize(
    ("value", "text", "datatype"),
    [
        (1, "1", XSD_INTEGER),
        (1.0, "1.0E0", XSD_DOUBLE),
        (True, "true", XSD_BOOLEAN),
        (2**64 + 1, "18446744073709551617", XSD_INTEGER),
        (-(10**400), "-1" + "0" * 400, XSD_INTEGER),
        ("1", "1", None),
    ],
)
def test_the_kind_of_a_scalar_is_its_datatype(value: Any, text: str, datatype: URIRef | None) -> None:
    one = literal_of(value)
    assert (str(one), one.datatype) == (text, datatype)


def test_numbers_under_keys_for_doubles_are_doubles_always() -> None:
    assert str(literal_of(5, DOUBLE)) == "5.0E0"
    assert same(json_of(literal_of(5, DOUBLE), DOUBLE), 5.0)
    assert same(json_of(typed("5", XSD_INTEGER), DOUBLE), 5.0)
    assert same(json_of(typed("5.0", URIRef(XSD + "decimal")), DOUBLE), 5.0)


def test_a_decimal_of_another_key_stays_what_it_is() -> None:
    decimal = URIRef(XSD + "decimal")
    assert json_of(typed("1.0", decimal)) == {"@value": "1.0", "@type": XSD + "decimal"}


@given(VALUES)
def test_any_json_is_one_literal_that_keeps_the_order_of_its_keys(value: Any) -> None:
    one = literal_of(value, "@json")
    assert one.datatype == RDF_JSON
    back = json_of(one, "@json")
    assert same(back, value)
    assert key_orders(back) == key_orders(value)


def test_a_json_literal_of_another_key_is_a_value_object() -> None:
    assert json_of(literal_of([1], "@json")) == {"@value": [1], "@type": "@json"}


DATETIMES = [
    "2026-01-01T00:00:00",
    "2026-01-02T03:04:05.123456",
    "2026-01-02T03:04:05.1",
    "2026-01-02T03:04:05Z",
    "2026-01-02T03:04:05+05:30",
    "2026-01-02T03:04:05-14:00",
    "2024-02-29T00:00:00",
    "2000-02-29T00:00:00",
    "0000-02-29T00:00:00",
    "-0004-02-29T00:00:00",
    "0000-01-01T00:00:00",
    "-0001-12-31T23:59:59Z",
    "12026-01-01T00:00:00",
    "2026-01-01T24:00:00",
    "2026-01-01T24:00:00.000",
    "2026-12-31T23:59:59",
]
NO_DATETIMES = [
    "",
    "yesterday",
    "2026-01-01",
    "2026-01-01 00:00:00",
    "2026-01-01T00:00",
    "2026-13-01T00:00:00",
    "2026-00-01T00:00:00",
    "2026-01-32T00:00:00",
    "2026-04-31T00:00:00",
    "2025-02-29T00:00:00",
    "1900-02-29T00:00:00",
    "2026-02-30T00:00:00",
    "2026-01-01T24:00:01",
    "2026-01-01T25:00:00",
    "2026-01-01T00:60:00",
    "2026-01-01T00:00:60",
    "2026-01-01T00:00:00.",
    "2026-01-01T00:00:00z",
    "2026-01-01T00:00:00+14:01",
    "2026-01-01T00:00:00+15:00",
    "2026-01-01T00:00:00+0530",
    "02026-01-01T00:00:00",
    "226-01-01T00:00:00",
    "+2026-01-01T00:00:00",
    " 2026-01-01T00:00:00",
    "2026-01-01T00:00:00\n",
    "٢٠٢٦-01-01T00:00:00",
]


@pytest.mark.parametrize("text", DATETIMES)
def test_a_valid_date_is_typed_and_keeps_its_text(text: str) -> None:
    one = literal_of(text, DATETIME)
    assert str(one.datatype) == DATETIME
    assert json_of(one, DATETIME) == text


@pytest.mark.parametrize("text", NO_DATETIMES)
def test_what_is_no_date_stays_plain_text(text: str) -> None:
    assert not is_datetime(text)
    assert literal_of(text, DATETIME) == Literal(text)


@pytest.mark.parametrize("value", [5, 1.5, True])
def test_a_number_where_a_date_should_stand_stays_a_number(value: float) -> None:
    assert same(json_of(literal_of(value, DATETIME), DATETIME), value)


def test_a_date_of_another_key_is_a_value_object() -> None:
    assert json_of(literal_of("2026-01-01T00:00:00", DATETIME)) == {"@value": "2026-01-01T00:00:00", "@type": DATETIME}


@given(st.datetimes(timezones=st.none()))
def test_every_date_of_python_is_valid(moment: Any) -> None:
    assert is_datetime(moment.isoformat())


@pytest.mark.parametrize("text", DATETIMES)
def test_dates_that_python_has_no_value_for_are_kept_without_a_word(
    text: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        literal_of(text, DATETIME)
        typed("no number", XSD_INTEGER)
    assert not caplog.records


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
    ("text", "datatype"),
    [("abc", XSD_INTEGER), ("1e5", XSD_INTEGER), ("INF", XSD_DOUBLE), ("NaN", XSD_DOUBLE), ("yes", XSD_BOOLEAN)],
)
def test_a_literal_that_json_has_no_scalar_for_is_a_value_object(text: str, datatype: URIRef) -> None:
    assert json_of(typed(text, datatype)) == {"@value": text, "@type": str(datatype)}
    json.dumps(json_of(typed(text, datatype)), allow_nan=False)


def test_an_integer_with_more_digits_than_python_reads_stays_text() -> None:
    digits = "9" * 5000
    assert json_of(typed(digits, XSD_INTEGER)) == {"@value": digits, "@type": str(XSD_INTEGER)}


@given(SCALARS)
def test_a_literal_is_the_same_again_from_its_parts(value: Any) -> None:
    one = literal_of(value)
    again = literal(str(one), one.datatype, one.language)
    assert again == one
    assert str(again) == str(one)


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, 1.0), (True, 1), (0.0, -0.0), ("1", 1), (None, False), ([1], [1.0]), ({"a": 1}, {"a": 1, "b": 2})],
)
def test_values_that_python_calls_equal_may_differ(one: Any, other: Any) -> None:
    assert same(one, one)
    assert same(other, other)
    assert not same(one, other)


def test_the_order_of_keys_does_not_tell_objects_apart() -> None:
    assert same({"a": 1, "b": [2]}, {"b": [2], "a": 1})


DATES = st.one_of(
    st.datetimes().map(lambda one: one.isoformat()),
    st.sampled_from(["2026-01-01T24:00:00", "x", "-0044-03-15T12:00:00"]),
)


@given(st.one_of(SCALARS, DATES), st.sampled_from([None, DATETIME, DOUBLE]))
def test_literals_are_all_that_rdflib_makes_of_them(value: Any, datatype: str | None) -> None:
    made = literal_of(value, datatype)
    by_rdflib = Literal(str(made)) if made.datatype is None else typed(str(made), made.datatype)
    assert made == by_rdflib
    assert hash(made) == hash(by_rdflib)
    assert (made.value, type(made.value)) == (by_rdflib.value, type(by_rdflib.value))
    assert (made.ill_typed, made.language) == (by_rdflib.ill_typed, by_rdflib.language)


OF_TEXTS = st.recursive(
    st.text(max_size=6),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=8,
)


@given(st.one_of(VALUES, OF_TEXTS))
def test_json_is_written_as_python_writes_it(value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert json_text(value) == text
    made, by_rdflib = literal_of(value, "@json"), typed(text, RDF_JSON)
    assert (made, hash(made)) == (by_rdflib, hash(by_rdflib))
    assert (made.value, made.ill_typed, made.language) == (by_rdflib.value, by_rdflib.ill_typed, by_rdflib.language)


@pytest.mark.parametrize("value", [{1: "a"}, {"a": {None: "b"}}, ["\ud800"], {"\udfff": "a"}, ["a", ["b"], "\ud800"]])
def test_what_only_python_writes_as_json_is_written(value: Any) -> None:
    assert json_text(value) == json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@pytest.mark.parametrize("value", [math.nan, [math.inf], {"a": -math.inf}, [[["a", math.nan]]]])
def test_what_json_has_no_number_for_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_text(value)

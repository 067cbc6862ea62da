"""Primitives that compare dates."""

from __future__ import annotations

import logging
import time
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from checkpoint_ld.entities import DateMatch, DateRange, DateTolerance, VerificationPrimitive
from checkpoint_ld.entities.primitives import read_date

ALL: list[VerificationPrimitive] = [DateMatch(), DateTolerance(tolerance=10**9), DateRange()]


@pytest.mark.parametrize(
    ("text", "year", "month", "day"),
    [
        ("2020-01-02", 2020, 1, 2),
        ("2020-01-02T23:59:59-05:00", 2020, 1, 2),
        ("20200102", 2020, 1, 2),
        ("Jan 2, 2020", 2020, 1, 2),
        ("2nd of January 2020", 2020, 1, 2),
        ("Thu, 02 Jan 2020 10:00:00 GMT", 2020, 1, 2),
        ("05/01/2020", 2020, 5, 1),
        ("13/01/2020", 2020, 1, 13),
        ("02/29/2020", 2020, 2, 29),
        ("31.12.99", 1999, 12, 31),
        ("01/02/68", 2068, 1, 2),
        ("01/02/69", 1969, 1, 2),
    ],
)
def test_usual_forms_of_dates_are_read_with_the_month_first(text: str, year: int, month: int, day: int) -> None:
    assert read_date(text).date() == date(year, month, day)


def test_a_number_with_too_many_digits_is_no_date() -> None:
    assert DateRange().remarks(10**5000, None) == ("a huge number is no date",)


def test_a_date_of_python_is_one() -> None:
    assert DateMatch().check(date(2020, 1, 2), "2020-01-02")


@pytest.mark.parametrize("text", ["2020", "March 2020", "5 March", "Friday", "10:00", "5", 5, "1.0", "3.14"])
@pytest.mark.parametrize("primitive", ALL)
def test_an_incomplete_date_is_none(primitive: VerificationPrimitive, text: object) -> None:
    assert not primitive.check(text, text)
    assert primitive.score(text, text) == 0
    assert "incomplete" in primitive.remarks(text, text)[0]


@pytest.mark.parametrize(
    "value",
    [
        None,
        "",
        "not a date",
        "2020-02-30",
        "today",
        True,
        [],
        {},
        "1" * 40,
        "2020-01-02" + " " * 100,
        "9" * 5000,
        "2020-01-02T10:00+99:00",
    ],
)
@pytest.mark.parametrize("primitive", ALL)
def test_junk_does_not_pass_and_is_told(
    primitive: VerificationPrimitive, value: object, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        assert not primitive.check(value, value)
    assert primitive.remarks(value, value) != ()
    assert [record.message for record in caplog.records if "does not pass" in record.message]


def test_a_date_that_can_be_compared_is_no_matter_of_remark(caplog: pytest.LogCaptureFixture) -> None:
    for primitive in ALL:
        assert primitive.check("2020-01-02", "2020-01-02")
        assert primitive.remarks("2020-01-02", "2020-01-02") == ()
    assert caplog.records == []


def test_neither_the_clock_nor_the_zone_of_the_machine_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["01/02/20", "01/02/75", "2020-01-02 10:00 EST", "2020-01-02 10:00 CET", "2020-01-02 10:00Z"]
    before = [read_date(text) for text in texts]
    monkeypatch.setattr(time, "tzname", ("CET", "CEST"))
    monkeypatch.setattr(time, "localtime", lambda *_: time.struct_time((2090, 6, 7, 8, 9, 10, 0, 1, 0)))
    assert [read_date(text) for text in texts] == before
    assert [one.tzinfo is not None for one in before] == [False, False, False, False, True]


# DateMatch


@pytest.mark.parametrize(
    ("form", "extracted", "expected", "passed"),
    [
        (None, "2020-01-02T23:00:00+02:00", "Jan 2, 2020", True),
        (None, "2020-01-02", "2020-01-03", False),
        ("%d/%m/%Y", "02/01/2020", "02/01/2020", True),
        ("%d/%m/%Y", "2020-01-02", "02/01/2020", False),
        ("%d/%m/%Y", " 02/01/2020 x", "02/01/2020", False),
        ("%d/%m", "02/01", "02/01", True),
        ("%Y", 2020, "2020", True),
        ("%Q", "2020", "2020", False),
        ("%d%d", "11", "11", False),
        ("%Y" + " " * 100, "2020 ", "2020 ", False),
    ],
)
def test_date_match(form: str | None, extracted: object, expected: object, passed: bool) -> None:
    assert DateMatch(format=form).check(extracted, expected) is passed


# DateTolerance


@pytest.mark.parametrize(
    ("tolerance", "unit", "extracted", "expected", "passed"),
    [
        (1, "days", "2020-01-02", "2020-01-03", True),
        (1, "days", "2020-01-02", "2020-01-03T00:01", False),
        (36, "hours", "2020-01-02", "2020-01-03T12:00", True),
        (36, "hours", "2020-01-02", "2020-01-03T12:01", False),
        (90, "minutes", "10:00 2020-01-02", "11:30 2020-01-02", True),
        (0, "days", "2020-01-02", "2020-01-02", True),
        (-1, "days", "2020-01-02", "2020-01-02", False),
        (60, "minutes", "2020-01-02T10:00+02:00", "2020-01-02T07:00Z", True),
        (10**30, "days", "0001-01-01", "9999-12-31", True),
        (1, "days", "2020-01-02T10:00Z", "2020-01-02T10:00", False),
    ],
)
def test_date_tolerance(tolerance: int, unit: Any, extracted: str, expected: str, passed: bool) -> None:
    assert DateTolerance(tolerance=tolerance, unit=unit).check(extracted, expected) is passed


# DateRange


@pytest.mark.parametrize(
    ("least", "most", "value", "passed"),
    [
        ("2020-01-01", "2020-12-31", "2020-01-01", True),
        ("2020-01-01", "2020-12-31", "2020-12-31", True),
        ("2020-01-01", "2020-12-31", "2020-12-31T10:00", False),
        ("2020-01-01", "2020-12-31", "2019-12-31", False),
        ("2020-01-01", None, "2120-12-31", True),
        (None, "2020-12-31", "1020-12-31", True),
        ("2020", None, "2020-12-31", False),
        (None, "junk", "2020-12-31", False),
        ("2020-01-01", None, "2020-12-31T10:00Z", False),
    ],
)
def test_date_range(least: str | None, most: str | None, value: str, passed: bool) -> None:
    assert DateRange(min=least, max=most).check(value, "whatever") is passed


@pytest.mark.parametrize(
    ("cls", "members"),
    [
        (DateMatch, {"format": 1}),
        (DateTolerance, {}),
        (DateTolerance, {"tolerance": 1.5}),
        (DateTolerance, {"tolerance": 1, "unit": "weeks"}),
        (DateRange, {"min": 2020}),
    ],
)
def test_parameters_that_make_no_sense_are_refused(cls: type[VerificationPrimitive], members: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        cls.model_validate(members)


@given(
    st.dates(date(1000, 1, 1)),
    st.sampled_from(["%Y-%m-%d", "%d %B %Y", "%b %d, %Y", "%m/%d/%Y", "%Y%m%d", "%A, %d %b %Y"]),
)
def test_dates_that_were_written_are_read(day: date, form: str) -> None:
    assert read_date(day.strftime(form)).date() == day


PIECES = [
    "2020",
    "1",
    "12",
    "31",
    "99",
    "/",
    "-",
    " ",
    ".",
    ",",
    ":",
    "T",
    "Z",
    "Jan",
    "Friday",
    "pm",
    "EST",
    "+02",
    "²",
    "٣",
]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=10).map("".join))
def test_any_text_is_a_date_or_none(text: str) -> None:
    primitive = DateRange()
    assert primitive.check(text, None) is (primitive.remarks(text, None) == ())

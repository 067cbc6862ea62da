"""What each primitive says of values, and which parameters and values it refuses."""

import logging
import time
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from checkpoint_ld.entities import (
    PRIMITIVES,
    BooleanMatch,
    ContainsAll,
    ContainsAny,
    DateMatch,
    DateRange,
    DateTolerance,
    ExactMatch,
    LiteralMatch,
    NumericExact,
    NumericGraded,
    NumericMaximum,
    NumericMinimum,
    NumericRange,
    NumericRangeGraded,
    NumericThresholdGraded,
    NumericTolerance,
    OrderedMatch,
    RegexMatch,
    SemanticMatch,
    SetContainment,
    SynonymMap,
    TraceContains,
    TraceLength,
    TracePrimitive,
    TraceRegex,
    VerificationPrimitive,
    apply_normalizers,
)
from checkpoint_ld.entities.conversion import read_date
from checkpoint_ld.errors import EvaluationError

P53 = SynonymMap(mapping={"p53": "tp53"})
NUMERIC: list[VerificationPrimitive] = [
    *(NumericExact(), NumericTolerance(tolerance=1), NumericRange(min=0), NumericMinimum(), NumericMaximum()),
    *(NumericGraded(cutoff=1), NumericRangeGraded(min=0, max=1, margin=1)),
    NumericThresholdGraded(direction="max", margin=1),
]
DATES: list[VerificationPrimitive] = [DateMatch(), DateTolerance(tolerance=10**9), DateRange()]
TRACES: list[TracePrimitive] = [TraceRegex(pattern="a"), TraceContains(substring="a"), TraceLength()]

PASSING: list[Any] = [
    (
        ExactMatch(),
        [(" bcl2 ", "BCL2"), (1, "1"), (True, "true"), (None, None), (["A"], "['a']")],
        [("BCL-2", "BCL2"), (1.0, "1"), (None, "None"), ("none", None), ("", None)],
    ),
    (ExactMatch(normalize=[]), [("a ", "a ")], [("a ", "a")]),
    (ExactMatch(normalize=["lowercase", P53]), [("P53", "TP53"), ("TP53", "P53")], []),
    (ContainsAny(substrings=["ab", "cd"]), [("xabx", 0), ("cdab", 0)], [("AB", 0)]),
    (ContainsAll(substrings=["ab", "cd"]), [("cdab", None)], [("xabx", None), ("AB", None)]),
    (ContainsAny(substrings=[]), [], [("a", 0), (None, 0)]),
    (ContainsAll(substrings=[]), [("a", 0), (None, 0)], []),
    (ContainsAny(substrings=[""]), [("", 0)], []),
    (ContainsAll(substrings=[""]), [("", 0)], []),
    (ContainsAny(substrings=["1"]), [(21, 0)], []),
    (ContainsAny(substrings=["None", ""]), [], [(None, 0)]),
    (ContainsAll(substrings=["None", ""]), [], [(None, 0)]),
    (ContainsAny(substrings=[" AB "], normalize=["lowercase", "strip"]), [("xaBx", None)], []),
    (ContainsAny(substrings=[" AB "], normalize=["lowercase"]), [], [("xaBx", None)]),
    (RegexMatch(pattern="b+"), [("abba", 0)], []),
    (RegexMatch(pattern="^b"), [], [("ab", 0)]),
    (RegexMatch(pattern="^B", flags=["IGNORECASE"]), [("bcl", 0)], []),
    (RegexMatch(pattern="^b$", flags=["M"]), [("a\nb", 0)], []),
    (RegexMatch(pattern="a.b", flags=["S"]), [("a\nb", 0)], []),
    (RegexMatch(pattern="a  b  # both", flags=["VERBOSE"]), [("ab", 0)], []),
    (RegexMatch(pattern=r"^\w$", flags=["A"]), [], [("é", 0)]),
    (RegexMatch(pattern=r"^\d+$"), [(12, 0)], []),
    (RegexMatch(pattern=""), [("", 0)], []),
    (RegexMatch(pattern="None|"), [], [(None, 0)]),
    (
        BooleanMatch(),
        [
            *((True, True), (False, False), (1, True), (0.0, False), (2.5, True), (None, None), ("false", False)),
            *(("No", False), (" yes ", True)),
        ],
        [(True, False), (None, False), (True, None), ("0", True)],
    ),
    (
        LiteralMatch(),
        [("a", "a"), (1, 1.0), (True, True), (None, None), (["a"], ["a"])],
        [("A", "a"), ("a ", "a"), (1, "1"), (True, 1), (0, False), (None, "None")],
    ),
    (
        OrderedMatch(),
        [(["A ", " b"], ["a", "B"]), ([], []), ([1, True], ["1", "true"]), ([None], [None]), ("ab", "AB")],
        [(["b", "a"], ["a", "b"]), (["a"], ["a", "a"]), ([None], ["None"]), ("ab", ["a", "b"])],
    ),
    (OrderedMatch(normalize=[]), [], [(["A"], ["a"])]),
    *(
        (SetContainment(mode="overlap", min_overlap=least), [(["a", "b", "c"], ["b", "c", "d"])], [(["a"], ["b"])])
        for least in (None, 0, 1, 2)
    ),
    (SetContainment(mode="overlap", min_overlap=3), [], [(["a", "b", "c"], ["b", "c", "d"])]),
    (NumericExact(), [(one, 1) for one in (1, 1.0, True, "1", " 1.0 ", "1e0", "0_1")] + [(1, "1e0")], [("1e0", 2)]),
    (
        NumericTolerance(tolerance=0.05),
        [(105, 100), (-105, -100), (0, 0)],
        [(106, 100), (1e-9, 0)],
    ),
    (NumericTolerance(tolerance=0.5), [], [("nan", 1)]),
    (NumericTolerance(tolerance=0.5, mode="absolute"), [(0.5, 0)], [(10.6, 10), ("inf", "inf")]),
    (NumericTolerance(tolerance=-1, mode="absolute"), [], [(1, 1)]),
    (NumericTolerance(tolerance=-1), [], [(1, 1)]),
    (NumericRange(), [(0, ""), (-1e300, ""), ("nan", "")], []),
    (NumericRange(min=1, max=2), [(1, ""), (1.5, ""), (2, ""), ("nan", "")], [(0.9, None), (2.1, None)]),
    (NumericRange(min=1, max=2, exclusive_min=True), [(1.1, ""), (2, "")], [(1, None)]),
    (NumericRange(min=1, max=2, exclusive_max=True), [(1, ""), (1.9, "")], [(2, None)]),
    (NumericRange(max=2, exclusive_min=True), [(-5, ""), (2, "")], [(3, None)]),
    (NumericRange(min=2, max=1), [], [(1, None), (1.5, None), (2, None)]),
    (NumericMinimum(), [(2, 2), (3, 2)], [(1, 2)]),
    (NumericMinimum(exclusive=True), [(3, 2)], [(1, 2), (2, 2)]),
    (NumericMaximum(), [(1, 2), (2, 2)], [(3, 2)]),
    (NumericMaximum(exclusive=True), [(1, 2)], [(2, 2), (3, 2)]),
    (
        DateMatch(),
        [("2020-01-02T23:00:00+02:00", "Jan 2, 2020"), (date(2020, 1, 2), "2020-01-02")],
        [("2020-01-02", "2020-01-03")],
    ),
    (
        DateMatch(format="%d/%m/%Y"),
        [("02/01/2020", "02/01/2020")],
        [("2020-01-02", "02/01/2020"), (" 02/01/2020 x", "02/01/2020")],
    ),
    (DateMatch(format="%d/%m"), [("02/01", "02/01")], []),
    (DateMatch(format="%Y"), [(2020, "2020")], []),
    (DateMatch(format="%Q"), [], [("2020", "2020")]),
    (DateMatch(format="%d%d"), [], [("11", "11")]),
    (DateMatch(format="%Y" + " " * 100), [], [("2020 ", "2020 ")]),
    (
        DateTolerance(tolerance=1),
        [("2020-01-02", "2020-01-03")],
        [("2020-01-02", "2020-01-03T00:01"), ("2020-01-02T10:00Z", "2020-01-02T10:00")],
    ),
    (
        DateTolerance(tolerance=36, unit="hours"),
        [("2020-01-02", "2020-01-03T12:00")],
        [("2020-01-02", "2020-01-03T12:01")],
    ),
    (DateTolerance(tolerance=90, unit="minutes"), [("10:00 2020-01-02", "11:30 2020-01-02")], []),
    (DateTolerance(tolerance=60, unit="minutes"), [("2020-01-02T10:00+02:00", "2020-01-02T07:00Z")], []),
    (DateTolerance(tolerance=0), [("2020-01-02", "2020-01-02")], []),
    (DateTolerance(tolerance=-1), [], [("2020-01-02", "2020-01-02")]),
    (DateTolerance(tolerance=10**30), [("0001-01-01", "9999-12-31")], []),
    (
        DateRange(min="2020-01-01", max="2020-12-31"),
        [("2020-01-01", 0), ("2020-12-31", 0)],
        [("2020-12-31T10:00", 0), ("2019-12-31", 0)],
    ),
    (DateRange(min="2020-01-01"), [("2120-12-31", 0)], [("2020-12-31T10:00Z", 0)]),
    (DateRange(max="2020-12-31"), [("1020-12-31", 0)], []),
    (DateRange(min="2020"), [], [("2020-12-31", 0)]),
    (DateRange(max="junk"), [], [("2020-12-31", 0)]),
]


@pytest.mark.parametrize(("primitive", "passing", "failing"), PASSING)
def test_a_primitive_passes_what_it_should(primitive: VerificationPrimitive, passing: Any, failing: Any) -> None:
    for extracted, expected in passing:
        assert primitive.check(extracted, expected) is True, (extracted, expected)
        assert primitive.score(extracted, expected) == 1.0
    for extracted, expected in failing:
        assert primitive.check(extracted, expected) is False, (extracted, expected)
        assert primitive.score(extracted, expected) == 0.0


@pytest.mark.parametrize(
    ("extracted", "expected", "modes"),
    [
        (["a", "b"], ["b", "a", "a"], {"exact", "subset", "superset", "overlap"}),
        (["a"], ["a", "b"], {"subset", "overlap"}),
        (["a", "b"], ["a"], {"superset", "overlap"}),
        (["a", "c"], ["a", "b"], {"overlap"}),
        (["A"], ["a"], set()),
        ([], [], {"exact", "subset", "superset"}),
        ([], ["a"], {"subset"}),
        ("ab", ["a", "b"], set()),
        ("ab", ["ab"], {"exact", "subset", "superset", "overlap"}),
        (("a",), {"a"}, {"exact", "subset", "superset", "overlap"}),
    ],
)
def test_set_containment(extracted: object, expected: object, modes: set[str]) -> None:
    every: tuple[Any, ...] = ("exact", "subset", "superset", "overlap")
    assert {mode for mode in every if SetContainment(mode=mode).check(extracted, expected)} == modes


@pytest.mark.parametrize(
    ("primitive", "passing", "failing"),
    [
        (NumericGraded(cutoff=0.1), {(100, 100): 1.0, (105, 100): 0.5, (110, 100): 0.0}, {(111, 100): 0.0}),
        (
            NumericGraded(cutoff=0.1, full_credit=0.02, decay="quadratic"),
            {(102, 100): 1.0},
            {(105, 100): 0.8594, (110, 100): 0.0},
        ),
        (NumericGraded(cutoff=0.1, full_credit=0), {(100, 100): 1.0}, {(101, 100): 0.9}),
        (NumericGraded(cutoff=2, mode="absolute"), {(1, 0): 0.5}, {}),
        (NumericGraded(cutoff=2), {(0, 0): 1.0}, {(1, 0): 0.0, ("nan", 1): 0.0, ("inf", 1): 0.0}),
        (
            NumericRangeGraded(min=10, max=20, margin=5),
            {(10, None): 1.0},
            {(22.5, None): 0.5, (25, None): 0.0, (7.5, None): 0.5, ("nan", None): 0.0, ("-inf", None): 0.0},
        ),
        (NumericRangeGraded(min=10, max=20, margin=0.5, mode="relative"), {}, {(22.5, None): 0.5}),
        (NumericRangeGraded(min=10, max=20, margin=5, decay="quadratic"), {}, {(22.5, None): 0.75}),
        (NumericRangeGraded(min=10, max=20, margin=5, exclusive_min=True), {}, {(10, None): 1.0}),
        (NumericRangeGraded(min=10, max=20, margin=5, exclusive_max=True), {}, {(20, None): 1.0}),
        (
            NumericThresholdGraded(direction="max", margin=0.1),
            {(0, 100): 1.0, (-0.1, 0): 1.0, ("inf", "inf"): 1.0},
            {(105, 100): 0.5, (110, 100): 0.0, (0.1, 0): 0.0, ("nan", 1): 0.0},
        ),
        (NumericThresholdGraded(direction="max", margin=0.1, exclusive=True), {}, {(100, 100): 1.0}),
        (NumericThresholdGraded(direction="min", margin=0.1), {(100, 100): 1.0}, {(95, 100): 0.5}),
        (NumericThresholdGraded(direction="min", margin=10, mode="absolute", decay="quadratic"), {}, {(95, 100): 0.75}),
    ],
)
def test_graded_primitives_give_credit_to_what_passes_and_to_what_fails(
    primitive: VerificationPrimitive, passing: dict[Any, float], failing: dict[Any, float]
) -> None:
    for rows, passed in ((passing, True), (failing, False)):
        found = {pair: (primitive.check(*pair), round(primitive.score(*pair), 4)) for pair in rows}
        assert found == {pair: (passed, score) for pair, score in rows.items()}


@given(st.sampled_from([one for one in NUMERIC if one.graded]), *[st.floats(-1e6, 1e6)] * 3)
def test_what_is_farther_off_never_earns_more(
    primitive: VerificationPrimitive, expected: float, first: float, second: float
) -> None:
    right = 0.5 if isinstance(primitive, NumericRangeGraded) else expected
    near, far = sorted((abs(first), abs(second)))
    for side in (1, -1):
        scores = [primitive.score(right + side * gap, expected) for gap in (near, far)]
        assert 1 >= scores[0] >= scores[1] >= 0


@pytest.mark.parametrize(
    ("primitives", "values", "message"),
    [
        (NUMERIC, [None, "", "abc", "1,000", [1], {}, 10**400], "is no number"),
        ([SetContainment(), OrderedMatch()], [None, 1, True, {"a": 1}], "is no list"),
        ([SetContainment()], [[["a"]]], "cannot be items"),
        ([BooleanMatch()], ["", "maybe", "2", [], [True], {}], "neither true nor false"),
        ([ExactMatch()], [10**5000], "cannot be compared as text"),
        ([SemanticMatch()], ["a"], "needs an embedding stage"),
        (TRACES, ["a"], "call check_trace"),
    ],
)
def test_what_cannot_be_compared_is_an_error(
    primitives: list[VerificationPrimitive], values: list[object], message: str
) -> None:
    for primitive in primitives:
        for value in values:
            usual: Any = [] if message == "is no list" else True
            for use in (primitive.check, primitive.score):
                with pytest.raises(EvaluationError, match=message):
                    use(value, usual)
            if message in ("is no list", "neither true nor false"):
                with pytest.raises(EvaluationError, match=message):
                    primitive.check(usual, value)


@pytest.mark.slow
def test_values_that_are_nested_too_deeply_are_not_comparable() -> None:
    values = []
    for _ in range(2):
        value: list[object] = []
        for _ in range(200_000):
            value = [value]
        values.append(value)
    with pytest.raises(EvaluationError, match="too deeply"):
        LiteralMatch().check(*values)


REFUSED: dict[str, list[Any]] = {
    "ExactMatch": [
        *({"normalize": ["nope"]}, {"normalize": ["Lowercase"]}, {"normalize": [{}]}, {"normalize": ["strip", 1]}),
        *({"normalize": "strip"}, {"normalize": None}),
    ],
    "ContainsAny": [
        *({}, {"substrings": "ab"}, {"substrings": [1]}, {"substrings": None}),
        {"substrings": [], "normalize": [{"mapping": {"a": 1}}]},
    ],
    "ContainsAll": [{}, {"substrings": "ab"}, {"substrings": [1]}, {"substrings": None}],
    "RegexMatch": [
        *({}, {"pattern": None}, {"pattern": "("}, {"pattern": "(?P<a>x)(?P<a>y)"}, {"pattern": "a{99999999999}"}),
        *({"pattern": "a", "flags": one} for one in (["NOPE"], ["ignorecase"], ["compile"], "I")),
        {"pattern": "(# not closed)", "flags": ["X"]},
    ],
    "SetContainment": [{"mode": "zzz"}, {"mode": None}, {"min_overlap": "two"}, {"min_overlap": 1.5}],
    "NumericTolerance": [
        *({}, {"tolerance": None}, {"tolerance": "much"}, {"tolerance": float("nan")}),
        {"tolerance": 1, "mode": "Relative"},
    ],
    "NumericRange": [{"min": "low"}, {"exclusive_min": None}],
    "NumericMinimum": [{"exclusive": "perhaps"}],
    "NumericGraded": [
        *({}, {"cutoff": 0}, {"cutoff": -1}, {"cutoff": 1, "full_credit": -0.1}, {"cutoff": 1, "full_credit": 1}),
        {"cutoff": 1, "decay": "cubic"},
    ],
    "NumericRangeGraded": [{"min": 1, "max": 2}, {"min": 2, "max": 2, "margin": 1}, {"min": 1, "max": 2, "margin": 0}],
    "NumericThresholdGraded": [{"margin": 1}, {"direction": "up", "margin": 1}, {"direction": "max", "margin": -1}],
    "DateMatch": [{"format": 1}],
    "DateTolerance": [{}, {"tolerance": 1.5}, {"tolerance": 1, "unit": "weeks"}],
    "DateRange": [{"min": 2020}],
    "TraceRegex": [{}, {"pattern": "["}, {"pattern": "a", "count_min": "many"}],
    "TraceContains": [{}, {"substring": None}],
    "TraceLength": [{"unit": "tokens"}, {"min": 1.5}],
}


@pytest.mark.parametrize("name", REFUSED)
def test_parameters_that_make_no_sense_are_refused(name: str) -> None:
    for members in REFUSED[name]:
        with pytest.raises(ValidationError):
            PRIMITIVES[name].model_validate(members)


def test_a_pattern_is_checked_when_assigned_too() -> None:
    primitive = RegexMatch(pattern="a")
    with pytest.raises(ValidationError, match="unterminated"):
        primitive.pattern = "("
    assert primitive.pattern == "a"


def test_semantic_match_states_what_it_needs() -> None:
    assert (SemanticMatch().threshold, SemanticMatch().needs) == (0.85, "an embedding stage")


@pytest.mark.parametrize(
    ("normalizers", "text", "result"),
    [
        ([], " A ", " A "),
        (["lowercase"], "STRAẞE Straße", "straße straße"),
        (["strip"], "\t a b \n", "a b"),
        (["remove_punctuation"], "a.b-c_d“e”…—'", "abcd“e”…—"),
        (["collapse_whitespace"], "  a \t\n b ", "a b"),
        (["strip", "remove_punctuation"], " ! a", " a"),
        (["remove_punctuation", "strip"], " ! a", "a"),
        ([P53], "p53", "tp53"),
        ([P53], "the p53", "the p53"),
        (["lowercase", P53], "P53", "tp53"),
        ([P53, "lowercase"], "P53", "p53"),
    ],
)
def test_normalisers_work_from_left_to_right(normalizers: list[Any], text: str, result: str) -> None:
    assert apply_normalizers(normalizers, text) == result


def test_a_normaliser_that_does_not_exist_is_refused_with_a_suggestion() -> None:
    with pytest.raises(EvaluationError, match="lowercase"):
        apply_normalizers(["lower_case"], "A")  # type: ignore[list-item]


# Primitives that look at the whole response


@pytest.mark.parametrize(
    ("primitive", "text", "passed"),
    [
        *((TraceRegex(pattern=r"\[\d+\]", count_min=least), "see [1] and [22]", least != 3) for least in (None, 2, 3)),
        (TraceRegex(pattern=r"(\[)(\d)", count_min=2), "see [1] and [22]", True),
        (TraceRegex(pattern="x"), "see", False),
        (TraceRegex(pattern="x", count_min=0), "see", True),
        (TraceRegex(pattern="SEE"), "see", False),
        (TraceRegex(pattern="(?i)SEE"), "see", True),
        (TraceContains(substring="bcl"), "a bcl2", True),
        (TraceContains(substring="BCL"), "a bcl2", False),
        (TraceContains(substring=""), "", True),
        (TraceLength(), "two \n é", True),
        (TraceLength(min=7), "two \n é", True),
        (TraceLength(min=8), "two \n é", False),
        (TraceLength(max=7), "two \n é", True),
        (TraceLength(max=6), "two \n é", False),
        (TraceLength(min=2, max=2, unit="words"), "two \n é", True),
        (TraceLength(min=3, unit="words"), "two \n é", False),
    ],
)
def test_a_trace_primitive_looks_at_the_response(primitive: TracePrimitive, text: str, passed: bool) -> None:
    assert primitive.check_trace(text) is passed


@pytest.mark.parametrize("primitive", TRACES)
@pytest.mark.parametrize("value", [None, 1, ["a"]])
def test_a_response_is_a_text(primitive: TracePrimitive, value: Any) -> None:
    with pytest.raises(EvaluationError, match="is no response"):
        primitive.check_trace(value)


# Dates


@pytest.mark.parametrize(
    ("text", "day"),
    [
        *((text, date(2020, 1, 2)) for text in ("2020-01-02", "2020-01-02T23:59:59-05:00", "20200102", "Jan 2, 2020")),
        *((text, date(2020, 1, 2)) for text in ("2nd of January 2020", "Thu, 02 Jan 2020 10:00:00 GMT")),
        ("05/01/2020", date(2020, 5, 1)),
        ("13/01/2020", date(2020, 1, 13)),
        ("02/29/2020", date(2020, 2, 29)),
        ("31.12.99", date(1999, 12, 31)),
        ("01/02/68", date(2068, 1, 2)),
        ("01/02/69", date(1969, 1, 2)),
    ],
)
def test_usual_forms_of_dates_are_read_with_the_month_first(text: str, day: date) -> None:
    assert read_date(text).date() == day


def test_a_number_with_too_many_digits_is_no_date() -> None:
    assert DateRange().remarks(10**5000, None) == ("a huge number is no date",)


@pytest.mark.parametrize("text", ["2020", "March 2020", "5 March", "Friday", "10:00", "5", 5, "1.0", "3.14"])
@pytest.mark.parametrize("primitive", DATES)
def test_an_incomplete_date_is_none(primitive: VerificationPrimitive, text: object) -> None:
    assert not primitive.check(text, text)
    assert primitive.score(text, text) == 0
    assert "incomplete" in primitive.remarks(text, text)[0]


JUNK: list[object] = [None, "", "not a date", "2020-02-30", "today", True, [], {}, "1" * 40, "9" * 5000]


@pytest.mark.parametrize("value", [*JUNK, "2020-01-02" + " " * 100, "2020-01-02T10:00+99:00"])
@pytest.mark.parametrize("primitive", DATES)
def test_junk_does_not_pass_and_is_reported(
    primitive: VerificationPrimitive, value: object, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        assert not primitive.check(value, value)
    assert primitive.remarks(value, value) != ()
    assert [record.message for record in caplog.records if "does not pass" in record.message]


def test_a_date_that_can_be_compared_is_no_matter_of_remark(caplog: pytest.LogCaptureFixture) -> None:
    for primitive in DATES:
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

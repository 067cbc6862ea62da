"""Models compared: against statsmodels, against tables of the literature, and against tables worked by hand."""

import csv
import io
import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint_ld import Benchmark, SettingsError
from checkpoint_ld.assessment import RecordedAnswer, assess, read_answers
from checkpoint_ld.assessment.assessing import line_of
from checkpoint_ld.assessment.comparing import (
    Distinct,
    ModelComparison,
    as_recorded,
    compare,
    groups_of,
    question_pairs,
    rates,
)
from checkpoint_ld.assessment.comparison_tables import FORMATS, conclusions
from checkpoint_ld.assessment.statistics import alpha, estimate, holm, kappa, paired_test, pass_all, pass_at
from tests.trials import examples

np = pytest.importorskip("numpy", reason="statistics need the extra statistics")
linear = pytest.importorskip("statsmodels.regression.linear_model", reason="statistics need the extra statistics")

TEMPLATE = """class Answer(BaseAnswer):
    value: str = VerifiedField(description="The value", ground_truth="yes", verify_with=ExactMatch())
"""


def benchmark(questions: int = 4) -> Benchmark:
    made = Benchmark("Numbers")
    for number in range(questions):
        made.add_question(
            f"Is {number} a number?",
            "yes",
            answer_template=TEMPLATE,
            question_id=f"urn:q:{number}",
            keywords=["even" if number % 2 == 0 else "odd"],
            custom_metadata={"level": 1 + number // 2, "origin": f"page {number}"},
        )
    return made


def record(question: int, model: str, passed: bool, **more: Any) -> dict[str, Any]:
    return {"question_id": f"urn:q:{question}", "model": model, "answer": {"value": "yes" if passed else "no"}, **more}


def compared(table: dict[str, list[str]], questions: int = 4, **more: Any) -> ModelComparison:
    """Compare models of which each question has a word of + and -, a sign for each replicate."""
    records = [
        record(question, model, sign == "+", replicate=number)
        for model, words in table.items()
        for question, word in enumerate(words)
        for number, sign in enumerate(word)
    ]
    made = benchmark(questions)
    return compare(assess(made, records), groups=groups_of(made), **more)


def test_replicates_are_no_independent_questions() -> None:
    often = compared({"m": ["+" * 500, "-" * 500]}, 2).rates[0]
    once = compared({"m": ["+", "-"]}, 2).rates[0]
    assert often.estimate == once.estimate
    assert (often.estimate.value, often.estimate.low, often.estimate.high) == (0.5, 0.0, 1.0)
    assert (often.decided, often.estimate.questions) == (1000, 2)


@settings(max_examples=examples(30))
@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=6), min_size=2, max_size=80))
def test_standard_errors_are_those_of_statsmodels_clustered_by_question(answers: list[list[bool]]) -> None:
    found = estimate([sum(each) / len(each) for each in answers])
    values = np.array([float(value) for each in answers for value in each])
    groups = np.repeat(np.arange(len(answers)), [len(each) for each in answers])
    weights = np.repeat([1 / len(each) for each in answers], [len(each) for each in answers])
    fitted = linear.WLS(values, np.ones_like(values), weights=weights).fit(
        cov_type="cluster", cov_kwds={"groups": groups}
    )
    assert found.value == pytest.approx(fitted.params[0])
    assert found.standard_error == pytest.approx(fitted.bse[0], abs=1e-12)
    if found.method == "clustered":
        low, high = fitted.conf_int()[0]
        assert (found.low, found.high) == pytest.approx((max(low, 0.0), min(high, 1.0)))
    assert 0.0 <= found.low <= found.value <= found.high <= 1.0  # type: ignore[operator]


@pytest.mark.parametrize(
    ("passed", "count", "low", "high"),
    [(10, 10, 0.7225, 1.0), (0, 10, 0.0, 0.2775), (1, 1, 0.2065, 1.0), (0, 20, 0.0, 0.1611), (1, 29 * 2, None, None)],
)
def test_questions_that_agree_are_no_certainty(passed: int, count: int, low: float | None, high: float | None) -> None:
    """The score interval of R. G. Newcombe, Statistics in Medicine 17 (1998), table I: 0 of 20 is up to 0.1611."""
    found = estimate([1.0] * passed + [0.0] * (count - passed))
    assert found.method == "wilson"
    if low is not None:
        assert (found.low, found.high) == pytest.approx((low, high), abs=1e-4)


def test_nothing_has_the_widest_interval() -> None:
    assert estimate([]) == (None, None, 0.0, 1.0, 0, "none")


@pytest.mark.parametrize(
    ("more", "less", "p"),
    [(1, 8, 0.0390625), (0, 5, 0.0625), (4, 4, 1.0), (0, 0, 1.0), (3, 0, 0.25), (1100, 1000, None)],
)
def test_pairs_of_single_answers_have_mcnemar_s_exact_test(more: int, less: int, p: float | None) -> None:
    found = paired_test([1.0] * more + [-1.0] * less + [0.0] * 3)
    assert found.p_value == pytest.approx(p) if p is not None else 0.02 < found.p_value < 0.05


def test_few_pairs_of_replicates_are_permuted() -> None:
    """The sum is 0.8. Of the 16 ways to give 0.2, 0.4, 0.1 and 0.3 a sign, two sum up to 0.8 or more."""
    found = paired_test([0.2, 0.4, -0.1, 0.3])
    assert found.p_value == pytest.approx(4 / 16)
    assert found.test == "permutation"


def test_holm_is_that_of_its_example() -> None:
    """S. Holm, Scandinavian Journal of Statistics 6 (1979), in the example that textbooks repeat."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


def test_attempts_are_unbiased() -> None:
    assert pass_at(5, 2, 3) == pytest.approx(1 - 1 / 10)  # of the ten threes among five, one has no pass
    assert pass_all(5, 3, 2) == pytest.approx(3 / 10)
    draws = [*itertools.combinations([True, True, False, False, False], 3)]
    assert pass_at(5, 2, 3) == pytest.approx(sum(map(any, draws)) / len(draws))


KRIPPENDORFF = [
    *([1, 1, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4], [4, 4, 4, 4], [1, 1, 2, 1]),
    *([2, 2, 2, 2], [5, 5, 5], [1, 1], [3]),
]
"""K. Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), table D: 12 units, four observers, gaps."""


def test_alpha_is_that_of_krippendorff_s_own_table() -> None:
    units = [[float(value) for value in unit] for unit in KRIPPENDORFF]
    assert alpha(units) == pytest.approx(0.743, abs=5e-4)
    assert alpha(units, "ordinal") == pytest.approx(0.815, abs=5e-4)
    assert alpha([[1.0, 1.0]]) is None


def test_kappa_is_that_of_tables_worked_by_hand() -> None:
    """Of 50, 20 and 15 agree: (0.7 - 0.5) / (1 - 0.5)."""
    assert kappa([(1, 1)] * 20 + [(1, 0)] * 5 + [(0, 1)] * 10 + [(0, 0)] * 15) == pytest.approx(0.4)
    pairs = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (2, 2)]
    expected = sum((first - second) ** 2 for first, _ in pairs for _, second in pairs) / len(pairs)
    assert kappa(pairs, "ordinal") == pytest.approx(1 - (1 + 4) / expected)
    assert kappa([(1, 1), (1, 1)]) is None


def test_three_models_by_hand() -> None:
    """Four questions, two replicates. Rates: a 1, 1, ½, ½; b 1, ½, 0, 0; c as b, but for its last question."""
    found = compared({"b": ["++", "+-", "--", "--"], "a": ["++", "++", "+-", "+-"], "c": ["++", "+-", "--", "+-"]})
    assert [(rate.name, rate.passed, rate.estimate.value) for rate in found.rates] == [
        ("a", 6, 0.75),
        ("c", 4, 0.5),
        ("b", 3, 0.375),
    ]
    pair = found.differences[1]
    assert (pair.first, pair.second, pair.better, pair.worse, pair.same) == ("a", "b", 3, 0, 1)
    assert pair.estimate.value == pytest.approx(0.375)
    assert pair.estimate.standard_error == pytest.approx(0.125)  # the differences are 0, ½, ½, ½
    assert pair.test == (0.25, "mcnemar")  # three signs that agree: 2 · ½³
    assert pair.adjusted == pytest.approx(0.75)
    assert not pair.is_significant
    assert found.rates[0].pass_at[2].value == 1.0
    assert found.rates[0].pass_all[2].value == pytest.approx(0.5)
    groups = {(group.kind, group.name): group for group in found.groups}
    assert set(groups) == {("keyword", "even"), ("keyword", "odd"), ("level", "1"), ("level", "2")}
    odd = groups["keyword", "odd"]
    assert [(rate.name, rate.estimate.value) for rate in odd.rates] == [("a", 0.75), ("c", 0.5), ("b", 0.25)]
    assert odd.questions == 2


def test_many_questions_tell_what_few_do_not() -> None:
    table = {"good": ["+"] * 45 + ["-"] * 15, "bad": ["+"] * 20 + ["-"] * 40}
    found = compared(table, 60)
    assert found.differences[0].is_significant
    assert found.differences[0].estimate.method == "clustered"
    assert "good is significantly better than bad: by 0.42" in conclusions(found)[0]
    few = conclusions(compared({"good": ["+", "+", "-", "-"], "bad": ["+", "-", "-", "-"]}))[0]
    assert few.startswith("good and bad do not differ significantly: 0.25")
    assert "would often be missed" in few


def test_the_same_answers_given_twice_count_once(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    plain = [record(0, "m", True), record(0, "m", True), record(1, "m", False)]
    named = [record(2, "m", True, replicate=1)] * 2
    file.write_text("\n".join(json.dumps(each) for each in plain + named), encoding="utf-8")
    distinct = Distinct()
    once = [answer for _ in range(2) for answer in distinct.of(read_answers(file), str(file))]
    assert [answer.question_id for answer in once] == ["urn:q:0", "urn:q:0", "urn:q:1", "urn:q:2"]
    assert [(each.code, each.place.line) for each in distinct.findings] == [("KA003", 5), ("KA003", 1)]
    assert "1 answer was given before" in distinct.findings[0].message
    assert "5 answers were given before" in distinct.findings[1].message


def test_judges_agree_by_answer() -> None:
    both = ((True, True), (True, False), (False, False), (False, False))
    verdicts = [[{"value": value, "judge": judge} for value, judge in zip(pair, "xy", strict=True)] for pair in both]
    records = [record(number, "m", True, traits={"clear": each}) for number, each in enumerate(verdicts)]
    found = compare(assess(benchmark(), records)).agreements[0]
    assert (found.trait, found.judges, found.units, found.equal) == ("clear", ("x", "y"), 4, 3)
    assert found.kappa == pytest.approx(0.5)  # 3 of 4 agree, ½ by chance
    assert found.alpha == pytest.approx(1 - (8 - 1) * 1 / (3 * 5))  # one pair of eight values differs; n = 3, 5


def test_results_of_verify_are_compared_without_a_benchmark(tmp_path: Path) -> None:
    records = [record(number, model, model == "a") for number in range(4) for model in "ab"]
    file = tmp_path / "results.jsonl"
    file.write_bytes(b"".join(line_of(each) for each in assess(benchmark(), records)))
    found = compare(as_recorded(read_answers(file)))
    assert [(rate.name, rate.passed, rate.decided) for rate in found.rates] == [("a", 4, 4), ("b", 0, 4)]
    again = [*assess(benchmark(), read_answers(file))]
    assert [each.status.value for each in again] == ["passed", "failed"] * 4
    assert not any(each.differences for each in again)


def test_every_format_has_all_figures() -> None:
    found = compared({"a": ["++", "+-", "--", "--"], "=b": ["++", "++", "+-", "+-"]})
    rows = [*csv.DictReader(io.StringIO(FORMATS["csv"](found)))]
    assert {row["table"] for row in rows} == {"rate", "pass@2", "pass^2", "difference"}
    assert rows[0]["first"] == "'=b"
    assert json.loads(FORMATS["json"](found))["differences"][0]["p_holm"] == 0.25
    for text in (FORMATS["markdown"](found), FORMATS["html"](found), found._repr_html_()):
        assert "Differences of all pairs" in text
        assert "do not differ significantly" in text


def test_two_runs_are_paired_by_question() -> None:
    made = benchmark()
    first = [*assess(made, [record(number, "a", number < 3) for number in range(4)])]
    second = [*assess(made, [record(number, "a", number < 1) for number in range(3)])]
    pairs, found = question_pairs(first, second)
    assert [share for _, *share in pairs] == [[1.0, 0.0], [1.0, 0.0], [1.0, 1.0]]
    assert (found.better, found.worse, found.same) == (2, 0, 1)
    assert [rate.name for rate in rates(first, by="question")][:1] == ["Is 0 a number?"]


def test_what_cannot_be_compared_is_reported() -> None:
    undecided = [RecordedAnswer.of(record(0, "a", True))]
    with pytest.raises(SettingsError, match="no answer is decided"):
        compare(as_recorded(undecided))
    with pytest.raises(SettingsError, match=r"no question has 'topic' to group by: the questions have keyword, level"):
        groups_of(benchmark(), ["topic"])
    with pytest.raises(SettingsError, match="no rates by 'neither'"):
        rates([], by="neither")  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="no comparison by 'neither'"):
        compare([], by="neither")  # type: ignore[arg-type]

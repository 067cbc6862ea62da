"""`assess`: what comes out for each answer, that nothing about one answer hides another, and counts of it."""

import csv
import gc
import io
import json
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import RdfFormat

from checkpoint_ld.assessment import (
    Assessment,
    RecordedAnswer,
    Status,
    Tally,
    TraitResult,
    TraitStatus,
    assess,
    earl,
    read_answers,
)
from checkpoint_ld.assessment.assessing import line_of
from checkpoint_ld.benchmark import Benchmark
from checkpoint_ld.documents.text import dump_json
from checkpoint_ld.errors import StoredCodeWarning
from checkpoint_ld.identifiers import question_object_id
from checkpoint_ld.templates import read_template
from checkpoint_ld.workers.trusted import Trust
from tests.documents import canonical, item, rating, scenario

QUESTION = "urn:uuid:question-metal-1"
TEXT = "Which metal is liquid at 20 °C?"
VERIFIED = """class Answer(BaseAnswer):
    metal: str = VerifiedField(description="the metal", ground_truth="mercury", verify_with=ExactMatch())
"""
CLASSIC = """class Answer(BaseAnswer):
    metal: str

    def verify(self) -> bool:
        return self.metal == "mercury"
"""
FAILING = CLASSIC.replace('return self.metal == "mercury"', 'raise ValueError("no metal today")')


def tree(template: str = VERIFIED, *ratings: Any, **changes: Any) -> dict[str, Any]:
    one = item()
    one["item"]["hasPart"]["text"] = template
    one["item"]["rating"] = list(ratings)
    return {**canonical(one), **changes}


def benchmark(*arguments: Any, **changes: Any) -> Benchmark:
    return Benchmark.load(dump_json(tree(*arguments, **changes)))


def one(made: Benchmark, record: Any, trust: Trust | None = None) -> Assessment:
    return next(assess(made, [record], trust=trust))


def record(metal: Any = "mercury", **members: Any) -> dict[str, Any]:
    return {"question_id": QUESTION, "answer": {"metal": metal}, **members}


RESPONSE = {"question_id": QUESTION, "trace": "Mercury"}
ON_TRACE = VERIFIED.replace("ExactMatch()", 'TraceContains(substring="Mercury")').replace('"mercury"', "True")
CONDITIONAL = VERIFIED.replace(
    '"mercury"',
    'ConditionalGroundTruth(source="turn", cases={"2": GroundTruthCase(value="tin")}, '
    'default=GroundTruthCase(value="mercury"))',
)
NO_ANSWER = "there is neither an answer nor a trace"


@pytest.mark.parametrize(
    ("template", "given", "status", "score", "reason"),
    [
        (VERIFIED, record("Mercury"), "passed", 1.0, "all fields pass"),
        (VERIFIED, record("gallium"), "failed", 0.0, "1 of 1 fields do not pass: metal"),
        (VERIFIED, record(question_id=question_object_id(TEXT)), "passed", 1.0, "all fields pass"),
        (VERIFIED, RecordedAnswer(QUESTION, {"metal": "mercury"}, model="m"), "passed", 1.0, "all fields pass"),
        (CONDITIONAL, record("tin", context={"turn": 2}), "passed", 1.0, "all fields pass"),
        (CONDITIONAL, record("tin"), "failed", 0.0, "1 of 1 fields do not pass: metal"),
        (ON_TRACE, RESPONSE, "passed", 1.0, "all fields pass"),
        (VERIFIED, RESPONSE, "undecided", None, "no values were taken from the response: give them as answer"),
        (VERIFIED, {"question_id": QUESTION, "answer": {}}, "failed", 0.0, "metal"),
        (CLASSIC, record(), "undecided", None, "trust"),
        ("", record(), "undecided", None, "no template"),
        ("class Answer(", record(), "undecided", None, "the template is no Python: correct it"),
        ("x = 1", record(), "undecided", None, "no class"),
        ("class Answer(BaseAnswer):\n    metal: str\n", record(), "undecided", None, "verif"),
        (VERIFIED, [1], "error", None, "[1] is no recorded answer"),
        (VERIFIED, "text", "error", None, '"text" is no recorded answer'),
        (VERIFIED, {"answer": {}}, "error", None, "there is no question_id"),
        (VERIFIED, record(question_id=None), "error", None, "there is no question_id"),
        (VERIFIED, record(question_id=7), "error", None, "question_id is 7: write a text"),
        (VERIFIED, record(answer=["mercury"]), "error", None, 'answer is ["mercury"]: write an object'),
        (VERIFIED, record(answer="mercury"), "error", None, 'answer is "mercury": write an object'),
        (VERIFIED, record(trace=1), "error", None, "trace is 1: write a text"),
        (VERIFIED, record(context=[]), "error", None, "context is []: write an object"),
        (VERIFIED, {"question_id": QUESTION}, "error", None, NO_ANSWER),
        *(
            (VERIFIED, {"question_id": QUESTION, "traits": {"clarity": verdict}}, "error", None, NO_ANSWER)
            for verdict in (None, list[Any](), {"value": None})
        ),
    ],
)
def test_each_answer_has_a_status_a_score_and_a_reason(
    template: str, given: Any, status: str, score: float | None, reason: str
) -> None:
    found = one(benchmark(template), given)
    assert (found.status, found.score) == (status, score)
    assert reason in found.reason
    assert found.question is None or found.question.identifier == QUESTION


def test_an_identifier_goes_before_the_hash_of_a_text() -> None:
    document = canonical(item(), item("Which metal is lightest?", question_object_id(TEXT)))
    found = one(Benchmark.load(dump_json(document)), record(question_id=question_object_id(TEXT)))
    assert found.question is not None
    assert found.question.text == "Which metal is lightest?"


def test_a_hash_that_two_questions_share_is_refused_with_both_identifiers() -> None:
    made = Benchmark.load(dump_json(canonical(item(), item(identifier="urn:uuid:question-metal-2"))))
    found = one(made, record(question_id=question_object_id(TEXT)))
    assert found.status is Status.ERROR
    assert QUESTION in found.reason
    assert "urn:uuid:question-metal-2" in found.reason


def test_an_identifier_that_there_is_not_gets_a_row_and_the_rest_goes_on() -> None:
    found = list(assess(benchmark(), [record(question_id="urn:uuid:nowhere"), record()]))
    assert [each.status for each in found] == [Status.ERROR, Status.PASSED]
    assert 'there is no question "urn:uuid:nowhere"' in found[0].reason
    assert found[0].question is None


@pytest.mark.parametrize("wanted", [Benchmark.load(dump_json(scenario())), Benchmark("Empty")], ids=["turns", "none"])
def test_a_benchmark_without_questions_has_none_to_answer(wanted: Benchmark) -> None:
    found = one(wanted, record())
    assert found.status is Status.ERROR
    assert "the benchmark has none, and turns of scenarios have no answers" in found.reason


@pytest.mark.slow
def test_a_template_with_code_of_its_own_is_run_when_it_is_trusted() -> None:
    made = benchmark(CLASSIC)
    for metal, status in (("mercury", Status.PASSED), ("tin", Status.FAILED)):
        with pytest.warns(StoredCodeWarning):
            found = one(made, record(metal), Trust())
        assert found.status is status
        assert found.result is not None
        assert found.result.executed
    with pytest.warns(StoredCodeWarning):
        found = one(benchmark(FAILING), record(), Trust())
    assert (found.status, "no metal today" in found.reason) == (Status.ERROR, True)


def test_members_that_nobody_knows_are_kept() -> None:
    found = one(benchmark(), record(answer_id=7, model={"name": "m"}, replicate=2, cost=0.5, status="mine"))
    held = found.as_json()
    assert (held["answer_id"], held["model"], held["replicate"]) == (7, {"name": "m"}, 2)
    assert held["extra"] == {"cost": 0.5, "status": "mine"}
    assert held["status"] == "passed"


CITES = rating("cites")


def other(name: str, type_: str, **members: Any) -> Any:
    return {**rating(name, **members), "additionalType": f"karenina:QuestionSpecific{type_}"}


SHORT = other("short", "CallableTrait", callable_code="def short(text):\n    return len(text) < 9\n", kind="boolean")


def traits(found: Assessment) -> dict[str, tuple[str, Any]]:
    return {each.name: (each.status.value, each.value) for each in found.traits}


CLARITY = other("clarity", "LLMRubricTrait", kind="boolean", higher_is_better=True)
UNITS = other("units", "DynamicRubricTrait", pattern="K", dynamic_trait_type="regex")
ENDLESS = rating("endless", pattern="(a+)+$")


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    ("ratings", "members", "expected", "reason"),
    [
        ([CITES], {"trace": "Mercury [1]"}, {"tone": ("evaluated", True), "cites": ("evaluated", True)}, ""),
        ([CITES], {"trace": "9"}, {"tone": ("evaluated", False), "cites": ("evaluated", False)}, ""),
        ([CITES], {}, {"tone": ("not_run", None), "cites": ("not_run", None)}, "the answer has no trace"),
        ([SHORT], {"trace": "Mercury"}, {"tone": ("evaluated", True), "short": ("not_run", None)}, ""),
        (
            [CLARITY, UNITS],
            {"trace": "Mercury"},
            {"tone": ("evaluated", True), "clarity": ("needs_judge", None), "units": ("needs_judge", None)},
            "",
        ),
        (
            [CLARITY],
            {"traits": {"clarity": {"valu": True}}},
            {"tone": ("not_run", None), "clarity.valu": ("error", None)},
            '"valu": true was recorded',
        ),
        (
            [other("e.g. style", "LLMRubricTrait", kind="boolean", higher_is_better=True)],
            {"traits": {"e.g. style": True}},
            {"tone": ("not_run", None), "e.g. style": ("judged", True)},
            "",
        ),
        ([ENDLESS], {"trace": "a" * 40 + "b"}, {"tone": ("evaluated", True), "endless": ("error", None)}, "(a+)+$"),
        ([rating("tone", pattern="x")], {"trace": "x"}, {"tone": ("error", None)}, "regex:tone"),
    ],
)
def test_traits_of_the_benchmark_and_of_the_question_are_evaluated_on_the_trace(
    ratings: list[Any], members: Any, expected: Any, reason: str
) -> None:
    found = one(benchmark(VERIFIED, *ratings), record(**members))
    assert traits(found) == expected
    assert {each.scope for each in found.traits} == {"global", "question_specific"}
    assert reason in " ".join(each.reason for each in found.traits)
    assert not found.differences
    assert found.status is Status.PASSED, "traits do not change the status"


def test_stored_code_of_a_trait_runs_only_when_it_is_trusted() -> None:
    made = benchmark(VERIFIED, SHORT, rating=[])
    assert traits(one(made, record(trace="Mercury"))) == {"short": ("not_run", None)}
    with pytest.warns(StoredCodeWarning):
        found = one(made, record(trace="Mercury"), Trust())
    assert traits(found) == {"short": ("evaluated", True)}


def test_a_question_is_read_once_for_all_its_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str | None] = []

    def counted(source: str | None) -> Any:
        read.append(source)
        return read_template(source)

    monkeypatch.setattr("checkpoint_ld.assessment.assessing.read_template", counted)
    assert all(found.status is Status.PASSED for found in assess(benchmark(), [record()] * 50))
    assert read == [VERIFIED]


def test_answers_are_taken_as_they_come() -> None:
    taken = 0

    def endless() -> Iterator[dict[str, Any]]:
        nonlocal taken
        while True:
            taken += 1
            yield record()

    assert len(list(islice(assess(benchmark(), endless()), 3))) == 3
    assert taken == 3


@pytest.mark.slow
def test_nothing_is_kept_of_answers_that_have_gone_by() -> None:
    tally, lines, most = Tally(), 0, 0

    def counted() -> Iterator[Assessment]:
        nonlocal lines, most
        for lines, found in enumerate(assess(benchmark(), (record(answer_id=at) for at in range(300))), start=1):
            tally.add(found)
            yield found
            if lines % 100 == 0:
                most = max(most, sum(isinstance(each, Assessment) for each in gc.get_objects()))

    earl.write(counted(), io.BytesIO(), earl.Form(pyoxigraph.RdfFormat.TURTLE, "urn:x:"))
    assert lines == tally.total.answers == 300
    assert 0 < most < 5


# Counts


def assessment(status: Status, *traits: TraitResult, model: object = None) -> Assessment:
    return Assessment(RecordedAnswer("nowhere", model=model), status, traits=traits)


def trait(status: TraitStatus, value: bool | float | None = None) -> TraitResult:
    return TraitResult("short", "callable", "global", status, value)


def test_nothing_counts_as_nothing() -> None:
    held = Tally().as_json()
    assert held["total"] == {"answers": 0, "passed": 0, "failed": 0, "undecided": 0, "error": 0, "mean_score": None}
    assert (held["questions"], held["models"], held["traits"]) == ([], [], [])


def test_answers_to_no_known_question_take_no_room_of_their_own() -> None:
    tally = Tally()
    for number in range(1000):
        tally.add(Assessment(RecordedAnswer(f"nowhere {number}", model="m"), Status.ERROR))
    assert tally.total.answers == tally.models["m"].answers == 1000
    assert not tally.questions


def test_at_least_counts_what_is_as_serious() -> None:
    tally = Tally()
    for number, status in enumerate(Status, start=1):
        for _ in range(number):
            tally.add(assessment(status))
    assert [tally.at_least(status) for status in Status] == [10, 9, 7, 4]


def test_models_of_any_kind_are_distinguished() -> None:
    tally = Tally()
    for model in ("m", {"name": "m"}, {"name": "m"}, ["m"], 1, None):
        tally.add(assessment(Status.PASSED, model=model))
    counts = {name: count.answers for name, count in tally.models.items()}
    assert counts == {"m": 1, '{"name": "m"}': 2, '["m"]': 1, "1": 1}


def test_the_mean_of_a_trait_counts_what_was_evaluated() -> None:
    tally = Tally()
    results = [trait(TraitStatus.EVALUATED, value) for value in (True, False, 3.5)]
    for result in [*results, trait(TraitStatus.NOT_RUN), trait(TraitStatus.ERROR)]:
        tally.add(assessment(Status.PASSED, result))
    (held,) = tally.as_json()["traits"]
    assert (held["evaluated"], held["not_run"], held["needs_judge"], held["error"]) == (3, 1, 0, 1)
    assert held["mean_value"] == 1.5


# --- The 200 recorded answers of the documentation, against a table that was filled in by hand.


EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
TABLE = Path(__file__).with_name("elements.tsv")


@cache
def expected() -> list[dict[str, str]]:
    lines = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


@cache
def answers() -> tuple[RecordedAnswer, ...]:
    return tuple(read_answers(EXAMPLES / "answers.jsonl"))


@cache
def documented_benchmark() -> Benchmark:
    return Benchmark.load(EXAMPLES / "elements.jsonld")


@cache
def assessed() -> tuple[Assessment, ...]:
    return tuple(assess(documented_benchmark(), answers()))


def test_the_table_is_about_the_answers() -> None:
    assert len(expected()) == len(answers()) == 200
    for row, answer in zip(expected(), answers(), strict=True):
        stated: Mapping[str, Any] | str | None = answer.values or answer.trace
        assert stated == (row["answer"] if isinstance(stated, str) else json.loads(row["answer"]))
        held = (str(answer.place.line), answer.model, str(answer.replicate))
        assert held == (row["line"], row["model"], row["replicate"])


def test_each_answer_has_the_status_and_the_score_of_the_table_and_cites_as_it_states() -> None:
    stated = {True: "yes", False: "no", None: "-"}
    for row, one in zip(expected(), assessed(), strict=True):
        (cites,) = (stated[trait.value] for trait in one.traits if trait.name == "cites")  # type: ignore[index]
        held = (str(one.answer.place.line), one.status.value, cites)
        assert held == (row["line"], row["status"], row["cites"])
        assert one.score == (pytest.approx(float(row["score"])) if row["score"] else None), row


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
names = st.sampled_from(
    ("symbol", "number", "celsius", "gases", "state", "day", "year", "metal", "id", "regex", "verify")
)
members = {
    "question_id": st.sampled_from([one.question_id for one in answers()]) | values,
    "answer": st.dictionaries(names, values) | values,
    "trace": st.text(max_size=30) | values,
    "context": values,
    "answer_id": values,
    "model": values,
    "date": values,
}


@given(st.lists(st.fixed_dictionaries({}, optional=members) | values, max_size=5))
def test_whatever_is_recorded_gets_a_row_in_every_report(records: list[Any]) -> None:
    tally, file = Tally(), io.BytesIO()
    found = list(assess(documented_benchmark(), records))
    for each in found:
        tally.add(each)
        assert json.loads(line_of(each))["status"] == each.status
        assert each.reason or each.status is Status.PASSED
    earl.write(found, file, earl.Form(RdfFormat.N_TRIPLES, "urn:x:"))
    assert tally.total.answers == len(records)
    assert sum(b"earl#outcome" in line for line in file.getvalue().splitlines()) >= len(tally.questions)


def test_the_tally_counts_what_the_table_has() -> None:
    tally = Tally()
    for one in assessed():
        tally.add(one)
    for status in ("passed", "failed", "undecided", "error"):
        assert tally.as_json()["total"][status] == sum(row["status"] == status for row in expected())
    for model in ("aurum-1", "borealis-2"):
        rows = [row for row in expected() if row["model"] == model]
        scores = [float(row["score"]) for row in rows if row["score"]]
        assert tally.models[model].answers == 100
        assert tally.models[model].as_json()["passed"] == sum(row["status"] == "passed" for row in rows)
        assert tally.models[model].mean_score == pytest.approx(sum(scores) / len(scores))

"""`assess`: what comes out for each answer, and that nothing about one answer hides another."""

from __future__ import annotations

import gc
import io
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, cast

import pyoxigraph
import pytest

from checkpoint_ld.assessment import Assessment, RecordedAnswer, Status, Tally, TraitStatus, assess, earl, read_answers
from checkpoint_ld.benchmark import Benchmark
from checkpoint_ld.documents.text import dump_json
from checkpoint_ld.errors import SettingsError, StoredCodeWarning, WrongTypeError
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


@pytest.mark.parametrize(("metal", "status", "score"), [("Mercury", "passed", 1.0), ("gallium", "failed", 0.0)])
def test_an_answer_passes_or_fails_with_a_score(metal: str, status: str, score: float) -> None:
    found = one(benchmark(), record(metal))
    assert (found.status, found.score) == (status, score)


def test_a_question_is_found_by_its_identifier_and_by_the_hash_of_its_text() -> None:
    made = benchmark()
    for name in (QUESTION, question_object_id(TEXT)):
        found = one(made, record(question_id=name))
        assert found.status is Status.PASSED
        assert found.question is not None
        assert found.question.identifier == QUESTION


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


@pytest.mark.parametrize("asked", [Benchmark.load(dump_json(scenario())), Benchmark("Empty")], ids=["turns", "none"])
def test_a_benchmark_without_questions_has_none_to_answer(asked: Benchmark) -> None:
    found = one(asked, record())
    assert found.status is Status.ERROR
    assert "the benchmark has none, and turns of scenarios have no answers" in found.reason


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ([1], "[1] is no recorded answer"),
        ("text", '"text" is no recorded answer'),
        ({"answer": {}}, "there is no question_id"),
        ({"question_id": None, "answer": {}}, "there is no question_id"),
        ({"question_id": 7, "answer": {}}, "question_id is 7: write a text"),
        ({"question_id": QUESTION, "answer": ["mercury"]}, 'answer is ["mercury"]: write an object'),
        ({"question_id": QUESTION, "answer": "mercury"}, 'answer is "mercury": write an object'),
        ({"question_id": QUESTION, "answer": {}, "trace": 1}, "trace is 1: write a text"),
        ({"question_id": QUESTION, "answer": {}, "context": []}, "context is []: write an object"),
        ({"question_id": QUESTION}, "there is neither an answer nor a trace"),
    ],
)
def test_a_record_that_cannot_be_used_says_why(given: Any, reason: str) -> None:
    found = one(benchmark(), given)
    assert found.status is Status.ERROR
    assert reason in found.reason
    assert found.result is None


def test_a_template_with_code_of_its_own_is_undecided_and_the_reason_names_the_way_out() -> None:
    found = one(benchmark(CLASSIC), record())
    assert (found.status, found.score) == (Status.UNDECIDED, None)
    assert "trust" in found.reason


@pytest.mark.slow
def test_a_template_with_code_of_its_own_is_run_when_it_is_trusted() -> None:
    made = benchmark(CLASSIC)
    for metal, status in (("mercury", Status.PASSED), ("tin", Status.FAILED)):
        with pytest.warns(StoredCodeWarning):
            found = one(made, record(metal), Trust())
        assert found.status is status
        assert found.result is not None
        assert found.result.executed


def test_code_that_fails_is_an_error_of_that_answer() -> None:
    with pytest.warns(StoredCodeWarning):
        found = one(benchmark(FAILING), record(), Trust())
    assert found.status is Status.ERROR
    assert "no metal today" in found.reason


@pytest.mark.parametrize("template", ["", "class Answer(", "x = 1", "class Answer(BaseAnswer):\n    metal: str\n"])
def test_what_is_no_template_is_undecided(template: str) -> None:
    found = one(benchmark(template), record())
    assert found.status is Status.UNDECIDED
    assert found.reason


def test_a_missing_value_is_told_and_stops_nothing() -> None:
    found = one(benchmark(), {"question_id": QUESTION, "answer": {}})
    assert found.status in {Status.FAILED, Status.UNDECIDED}
    assert found.result is not None
    assert "metal" in found.result.fields[0].name


def test_members_that_nobody_knows_are_kept() -> None:
    found = one(benchmark(), record(answer_id=7, model={"name": "m"}, replicate=2, cost=0.5, status="mine"))
    told = found.as_json()
    assert (told["answer_id"], told["model"], told["replicate"]) == (7, {"name": "m"}, 2)
    assert told["extra"] == {"cost": 0.5, "status": "mine"}
    assert told["status"] == "passed"


CITES = rating("cites", pattern=r"\[\d+\]", case_sensitive=True, invert_result=False, higher_is_better=True)
SHORT = rating("short", callable_code="def short(text):\n    return len(text) < 9\n", kind="boolean")
SHORT["additionalType"] = "karenina:QuestionSpecificCallableTrait"


def traits(found: Assessment) -> dict[str, tuple[str, Any]]:
    return {each.name: (each.status.value, each.value) for each in found.traits}


def test_traits_of_the_benchmark_and_of_the_question_are_evaluated_on_the_trace() -> None:
    found = one(benchmark(VERIFIED, CITES), record(trace="Mercury [1]"))
    assert traits(found) == {"tone": ("evaluated", True), "cites": ("evaluated", True)}
    assert [each.scope for each in found.traits] == ["global", "question_specific"]
    assert traits(one(benchmark(VERIFIED, CITES), record(trace="9"))) == {
        "tone": ("evaluated", False),
        "cites": ("evaluated", False),
    }


def test_traits_do_not_change_the_status() -> None:
    assert one(benchmark(VERIFIED, CITES), record(trace="no source")).status is Status.PASSED


def test_without_a_trace_no_trait_is_evaluated() -> None:
    found = one(benchmark(VERIFIED, CITES), record())
    assert traits(found) == {"tone": ("not_run", None), "cites": ("not_run", None)}
    assert found.traits[0].reason == "the answer has no trace"


def test_stored_code_of_a_trait_runs_only_when_it_is_trusted() -> None:
    made = benchmark(VERIFIED, SHORT, rating=[])
    assert traits(one(made, record(trace="Mercury"))) == {"short": ("not_run", None)}
    with pytest.warns(StoredCodeWarning):
        found = one(made, record(trace="Mercury"), Trust())
    assert traits(found) == {"short": ("evaluated", True)}


def test_traits_that_a_model_judges_are_left_to_a_judge() -> None:
    clarity = rating("clarity", kind="boolean", higher_is_better=True)
    clarity["additionalType"] = "karenina:QuestionSpecificLLMRubricTrait"
    dynamic = rating("units", pattern="K", case_sensitive=True, invert_result=False, higher_is_better=True)
    dynamic["additionalType"] = "karenina:QuestionSpecificDynamicRubricTrait"
    dynamic["additionalProperty"].append({"@type": "PropertyValue", "name": "dynamic_kind", "value": "regex"})
    found = one(benchmark(VERIFIED, clarity, rating=[]), record(trace="Mercury"))
    assert traits(found) == {"clarity": ("needs_judge", None)}


@pytest.mark.slow
def test_a_trait_that_cannot_be_evaluated_says_why() -> None:
    endless = rating("endless", pattern="(a+)+$", case_sensitive=True, invert_result=False, higher_is_better=True)
    found = one(benchmark(VERIFIED, endless, rating=[]), record(trace="a" * 40 + "b"))
    assert found.traits[0].status is TraitStatus.ERROR
    assert "(a+)+$" in found.traits[0].reason
    assert found.status is Status.PASSED


def test_traits_of_one_name_in_both_rubrics_are_not_evaluated() -> None:
    shared = rating("tone", pattern="x", case_sensitive=True, invert_result=False, higher_is_better=True)
    found = one(benchmark(VERIFIED, shared), record(trace="x"))
    assert [(each.name, each.status) for each in found.traits] == [("tone", TraitStatus.ERROR)] * 2
    assert "regex:tone" in found.traits[0].reason
    assert found.status is Status.PASSED


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


def test_an_answer_may_be_an_object_of_its_own() -> None:
    found = one(benchmark(), RecordedAnswer(QUESTION, {"metal": "mercury"}, model="m"))
    assert (found.status, found.answer.model_name) == (Status.PASSED, "m")


def test_the_context_chooses_the_case_of_a_conditional_ground_truth() -> None:
    conditional = VERIFIED.replace(
        'ground_truth="mercury"',
        'ground_truth=ConditionalGroundTruth(source="turn", cases={"2": GroundTruthCase(value="tin")}, '
        'default=GroundTruthCase(value="mercury"))',
    )
    made = benchmark(conditional)
    assert one(made, record("tin", context={"turn": 2})).status is Status.PASSED
    assert one(made, record("tin")).status is Status.FAILED


@pytest.mark.parametrize(
    "call",
    [
        lambda: [*assess(cast("Any", "elements.jsonld"), [])],
        lambda: read_answers(cast("Any", b"{}")),
        lambda: earl.joined(cast("Any", benchmark()), [], base="urn:x:"),
    ],
)
def test_an_argument_of_another_type_is_said(call: Callable[[], object]) -> None:
    with pytest.raises(WrongTypeError, match=r"give (Benchmark|CheckpointGraph|str)"):
        call()


def test_no_names_begin_with_what_is_no_iri() -> None:
    with pytest.raises(SettingsError, match="is no IRI for names to begin with"):
        earl.joined(benchmark().graph, [], base="no iri <")

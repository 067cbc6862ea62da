"""Answers: classes that verify themselves by what their fields say."""

import copy
import datetime as dt
import warnings
from typing import Any

import pytest
from pydantic import ValidationError, create_model

from checkpoint_ld import verify
from checkpoint_ld.entities import (
    BooleanMatch,
    ContainsAny,
    DateMatch,
    ExactMatch,
    NumericExact,
    NumericGraded,
    SemanticMatch,
    SetContainment,
    TraceContains,
)
from checkpoint_ld.entities.answer import BaseAnswer, VerifiedField, check_regexes, strategy_of, verified_fields
from checkpoint_ld.entities.template_spec import AnyOf, AtLeastN, ConditionalGroundTruth, FieldCheck, GroundTruthCase
from checkpoint_ld.errors import EvaluationError, LookupFailedError, NotVerifiableError


class Gene(BaseAnswer):
    name: str = VerifiedField("the gene", "BCL2", ExactMatch(), weight=2.0)
    count: int = VerifiedField("how many", 3, NumericExact())
    note: str = "none"


class Tags(BaseAnswer):
    tags: list[str] = VerifiedField("tags", {"a"}, SetContainment())


def test_an_answer_is_right_if_all_verified_fields_are() -> None:
    answer = Gene(name=" bcl2", count=3)
    assert (answer.verify(), answer.field_results()) == (True, {"name": True, "count": True})
    assert Gene(name="bcl2", count=4).verify() is False


def test_the_granular_score_goes_by_weights_and_credit() -> None:
    class Graded(Gene):
        size: float = VerifiedField("size", 100.0, NumericGraded(cutoff=0.1))

    answer = Graded(name="bcl2", count=4, size=105)
    assert answer.field_scores() == pytest.approx({"name": 1.0, "count": 0.0, "size": 0.5})
    assert answer.verify_granular() == pytest.approx(2.5 / 4)


def test_fields_are_verified_in_order_inherited_ones_first_and_in_place() -> None:
    class Base(BaseAnswer):
        b: str = VerifiedField("b", "b", ExactMatch())
        a: str = VerifiedField("a", "a", ExactMatch())

    class Derived(Base):
        c: str = VerifiedField("c", "c", ExactMatch())
        b: str = VerifiedField("b", "other", ExactMatch(), weight=5)

    truths = [(name, meta.ground_truth) for name, meta in verified_fields(Derived).items()]
    assert truths == [("b", "other"), ("a", "a"), ("c", "c")]
    assert Derived(a="a", b="other", c="c").verify()


def test_an_answer_keeps_other_members_and_knows_its_question() -> None:
    answer = Gene.model_validate({"name": "x", "count": 1, "extra": [1]})
    assert (answer.model_dump()["extra"], answer.id) == ([1], None)
    answer.set_question_id("q1")
    assert answer.id == "q1"


# The member `correct`


def test_correct_holds_the_ground_truths_and_can_be_left_out_of_a_dump() -> None:
    answer = Gene(name="x", count=1)
    assert answer.model_dump()["correct"] == {"name": "BCL2", "count": 3}
    assert answer.model_dump(exclude={"correct"}) == {"id": None, "name": "x", "count": 1, "note": "none"}


def test_what_is_done_to_correct_changes_no_ground_truth() -> None:
    Tags(tags=[]).__pydantic_extra__["correct"]["tags"].append("b")  # type: ignore[index]
    assert Tags(tags=["a"]).verify() is True


@pytest.mark.parametrize(("given", "kept"), [({"name": 1}, {"name": 1}), (None, {"name": "BCL2", "count": 3})])
def test_correct_is_kept_where_it_is_given(given: Any, kept: Any) -> None:
    assert Gene.model_validate({"name": "x", "count": 1, "correct": given}).model_dump()["correct"] == kept


def test_a_field_cannot_be_called_correct() -> None:
    with pytest.raises(TypeError, match="field 'correct', a reserved name"):
        type("Bad", (BaseAnswer,), {"__annotations__": {"correct": int}, "__module__": __name__})


class Hooked(BaseAnswer):
    value: int

    def ground_truth(self) -> None:
        self.correct = {"value": 1}
        self.id = "q"

    def verify(self) -> bool:
        return bool(self.value == self.correct["value"])


class WithBoth(BaseAnswer):
    value: int

    def ground_truth(self) -> None:
        raise AssertionError

    def model_post_init(self, context: Any, /) -> None:
        del context
        self.correct = {"value": 2}


class Again(WithBoth):
    def ground_truth(self) -> None:
        self.correct = {"value": 3}


class Inheriting(Again):
    other: int = 0


class CallingParent(Hooked):
    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        self.regex = {"r": {"pattern": "a"}}


def test_the_hook_ground_truth_runs_in_place_of_the_default() -> None:
    answer = Hooked(value=1)
    assert (answer.id, answer.verify(), Hooked(value=2).verify()) == ("q", True, False)


@pytest.mark.parametrize(("made", "truth"), [(WithBoth, 2), (Again, 3), (Inheriting, 3)])
def test_model_post_init_counts_more_than_the_hook_beside_it_and_less_than_one_below(made: Any, truth: int) -> None:
    assert made(value=0).model_dump()["correct"] == {"value": truth}


def test_model_post_init_may_call_that_of_its_parent() -> None:
    answer = CallingParent(value=1)
    assert (answer.verify(), answer.verify_regex("a")["results"]) == (True, {"r": False})


def test_a_field_may_be_called_ground_truth() -> None:
    class Named(BaseAnswer):
        ground_truth: str = VerifiedField("g", "g", ExactMatch())

    assert Named(ground_truth="g").verify()


# What decides


def test_a_class_may_verify_itself() -> None:
    class Own(Gene):
        def verify(self) -> bool:
            return self.note == "mine"

    assert Own(name="x", count=0, note="mine").verify() is True
    assert Own(name="bcl2", count=3, note="mine").verify_granular() == 1


def test_without_verified_fields_nothing_can_be_verified() -> None:
    class Plain(BaseAnswer):
        name: str

    for method in (Plain(name="x").verify, Plain(name="x").verify_granular):
        with pytest.raises(NotVerifiableError, match="Plain has no field that says how it is verified: declare one"):
            method()
    assert "correct" not in Plain(name="x").model_dump()


class OneOf(Gene):
    class VerificationStrategy:
        verify_strategy = AnyOf(conditions=[FieldCheck(field="name"), FieldCheck(field="count")])


class TwoOf(Gene):
    third: bool = VerifiedField("third", True, BooleanMatch())

    class VerificationStrategy:
        verify_strategy = AtLeastN(n=2, conditions=[FieldCheck(field=name) for name in ("name", "count", "third")])


@pytest.mark.parametrize(
    ("answer", "passed", "score"),
    [
        (OneOf(name="x", count=3), True, 1),
        (OneOf(name="x", count=0), False, 0),
        (TwoOf(name="bcl2", count=0, third=True), True, 1),
        (TwoOf(name="bcl2", count=0, third=False), False, 0.5),
    ],
)
def test_the_strategy_of_a_class_decides(answer: BaseAnswer, passed: bool, score: float) -> None:
    assert (answer.verify(), answer.graded_score()) == (passed, score)


def test_a_strategy_of_none_requires_all_fields() -> None:
    class Explicit(Gene):
        class VerificationStrategy:
            verify_strategy = None

    assert strategy_of(Explicit) is None
    assert Explicit(name="bcl2", count=0).verify() is False


def test_a_strategy_that_names_no_verified_field_states_so() -> None:
    class Wrong(Gene):
        class VerificationStrategy:
            verify_strategy = FieldCheck(field="note")

    with pytest.raises(LookupFailedError, match="'note'"):
        Wrong(name="bcl2", count=3).verify()


def test_results_are_kept_until_a_member_changes() -> None:
    answer = Tags(tags=["a"])
    assert answer.verify() is True
    answer.tags.append("b")
    assert answer.verify() is True, "what changes inside a value is not seen"
    answer.clear_field_results()
    assert answer.verify() is False
    answer.tags = ["a"]
    assert answer.verify() is True


def test_copies_have_results_of_their_own() -> None:
    answer = Gene(name="bcl2", count=3)
    assert answer.verify()
    assert not answer.model_copy(update={"count": 0}).verify()
    edited = copy.copy(answer)
    edited.count = 0
    assert (answer.verify(), edited.verify()) == (True, False)
    assert Gene(name="bcl2", count=3) == answer, "results that were asked for make no difference"


def test_null_fields_have_no_result_and_do_not_pass() -> None:
    answer = Gene(name="bcl2", count=3).attach(null_fields=["count"])
    assert (answer.field_results(), answer.field_scores()) == (
        {"name": True, "count": None},
        {"name": 1.0, "count": None},
    )
    assert answer.verify() is False
    assert answer.verify_granular() == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("primitive", "truth", "message"),
    [(NumericExact(), 1, '"abc" is no number'), (SemanticMatch(), "x", "embedding")],
)
def test_a_value_that_cannot_be_judged_is_an_error(primitive: Any, truth: Any, message: str) -> None:
    class Open(BaseAnswer):
        value: Any = VerifiedField("value", truth, primitive)

    with pytest.raises(EvaluationError, match=message):
        Open(value="abc").verify()


def test_python_values_are_compared_as_their_json() -> None:
    class Dated(BaseAnswer):
        day: dt.date = VerifiedField("day", dt.date(2020, 1, 31), DateMatch())
        tags: set[str] = VerifiedField("tags", ("b", "a"), SetContainment())

    right, wrong = Dated(day=dt.date(2020, 1, 31), tags={"a", "b"}), Dated(day=dt.date(2020, 1, 30), tags={"a", "b"})
    assert (right.verify(), wrong.verify()) == (True, False)
    assert right.model_dump()["correct"] == {"day": "2020-01-31", "tags": ["b", "a"]}


# Responses and contexts


class Traced(BaseAnswer):
    name: str = VerifiedField("name", "x", ExactMatch())
    polite: bool = VerifiedField("polite", True, TraceContains(substring="please"))
    rude: bool = VerifiedField("rude", False, TraceContains(substring="now!"))


def test_trace_fields_look_at_the_attached_response() -> None:
    answer = Traced(name="x").attach("please")
    assert answer.field_results() == {"name": True, "polite": True, "rude": True}
    assert answer.attach("please, now!").field_results()["rude"] is False
    assert answer.attached() == ("please, now!", None, frozenset())


def test_the_response_can_be_attached_as_templates_do() -> None:
    answer = Traced(name="x")
    for text, passed in (("please", True), ("now!", False)):
        setattr(answer, "_raw_trace", text)  # noqa: B010 - a private member
        assert answer.verify() is passed


def test_trace_fields_need_a_response_and_no_value() -> None:
    with warnings.catch_warnings(action="error"):
        answer = Traced(name="x")
    assert answer.model_dump(exclude={"correct"}) == {"id": None, "name": "x", "polite": None, "rude": None}
    with pytest.raises(EvaluationError, match="field 'polite' is about the raw response: attach it"):
        answer.verify()
    assert Traced.model_validate_json(answer.model_dump_json()) == answer
    with pytest.raises(ValidationError, match="polite"):
        Traced.model_validate({"name": "x", "polite": "perhaps"})


CASES = {
    "sad": GroundTruthCase(value="blue"),
    "4": GroundTruthCase(value=None, verify_with=ContainsAny(substrings=["ree"]).serialised()),
}


class Mood(BaseAnswer):
    colour: str = VerifiedField(
        "colour",
        ConditionalGroundTruth(source="state.mood", cases=CASES, default=GroundTruthCase(value="grey")),
        ExactMatch(),
    )
    kind: str = VerifiedField("kind", "k", ExactMatch())


@pytest.mark.parametrize(
    ("context", "colour"),
    [
        (None, "grey"),
        ({}, "grey"),
        ({"state": {"mood": "sad"}}, "blue"),
        ({"state": {"mood": 4}}, "a green one"),
        ({"state": {"mood": None}}, "grey"),
        ({"state": "sad"}, "grey"),
    ],
)
def test_the_context_chooses_a_conditional_ground_truth(context: Any, colour: str) -> None:
    assert Mood(colour=colour, kind="k").attach(context=context).verify() is True
    assert Mood(colour="black", kind="k").attach(context=context).verify() is False


def test_the_context_can_be_attached_as_karenina_does() -> None:
    answer = Mood(colour="blue", kind="k")
    setattr(answer, "_scenario_context", {"state": {"mood": "sad"}})  # noqa: B010 - a private member
    assert answer.verify() is True


@pytest.mark.filterwarnings("ignore:Field name:UserWarning")
def test_fields_may_have_the_names_of_methods() -> None:
    names = ("attach", "attached", "field_results", "field_scores")
    fields: Any = {name: (bool, VerifiedField(name, True, BooleanMatch())) for name in names}
    bond: Any = create_model("Bond", __base__=BaseAnswer, **fields)
    answer = bond(**dict.fromkeys(names, True))
    assert (answer.verify(), answer.graded_score()) == (True, 1.0)
    lines = (f"    {name}: bool = VerifiedField('d', True, BooleanMatch())\n" for name in names)
    assert verify("class Bond(BaseAnswer):\n" + "".join(lines), answer).passed is True


def test_conditional_ground_truths_are_left_out_of_correct() -> None:
    assert Mood(colour="x", kind="k").model_dump()["correct"] == {"kind": "k"}


# Regular expressions


def searched(pattern: Any, expected: Any, match_type: Any = "exact", text: str = "a12b") -> dict[str, Any]:
    found = check_regexes({"r": {"pattern": pattern, "expected": expected, "match_type": match_type}}, text)
    detail: dict[str, Any] = found["details"]["r"]
    assert found["success"] is found["results"]["r"] is ("success_reason" in detail)
    assert len({"success_reason", "failure_reason", "error"} & set(detail)) == 1
    return {"success": found["success"], **detail}


@pytest.mark.parametrize(
    ("pattern", "expected", "match_type", "success"),
    [
        (r"\d+", "12", "exact", True),
        (r"\d+", "1", "exact", False),
        (r"\d", "1", "exact", False),
        (r"x", None, "exact", False),
        (r"\d", "2", "contains", True),
        (r"\d", "3", "contains", False),
        (r"\d", 2, "count", True),
        (r"[12]x?", 3, "count", False),
        (r"a", True, "count", True),
        (r"a", "1", "count", False),
        (r"a", 1.0, "count", False),
        (r"\d", ["2", "1"], "all", True),
        (r"\d", [], "all", True),
        (r"\d", ["1", "3"], "all", False),
        (r"\d", "1", "all", False),
        (r"(\d)(x)?", ["1"], "all", False),
        (r"(\d)", "2", "contains", True),
        (r"\d", "1", "some", False),
        (r"\d", "1", ["exact"], False),
    ],
)
def test_expressions_are_met_as_their_match_type_states(
    pattern: str, expected: Any, match_type: Any, success: bool
) -> None:
    assert searched(pattern, expected, match_type)["success"] is success


def test_details_show_what_was_found() -> None:
    detail = searched(r"(\w)(\d)", "a1", "contains")
    assert "not among" in detail.pop("failure_reason")
    stated = {"pattern": r"(\w)(\d)", "expected": "a1", "match_type": "contains"}
    assert detail == {"success": False, **stated, "matches_found": [("a", "1")], "match_count": 1}


@pytest.mark.parametrize("words", [{"pattern": "("}, {"pattern": 5}, {"pattern": None}, "a", None])
def test_what_cannot_be_searched_for_is_an_error_in_the_details(words: Any) -> None:
    found = check_regexes({"r": words, "s": {"pattern": "12", "expected": "12"}}, "a12b")
    assert (found["success"], found["results"]) == (False, {"r": False, "s": True})
    assert set(found["details"]["r"]) == {"error", "pattern", "expected", "match_type"}
    assert found["details"]["r"]["error"]


@pytest.mark.usefixtures("impatient")
def test_an_expression_that_takes_too_long_is_given_up() -> None:
    assert "takes more than" in searched(r"(a+)+$", "x", text="a" * 40 + "b")["error"]


def test_members_that_are_not_given_are_the_usual_ones() -> None:
    detail = check_regexes({"r": {}}, "")["details"]["r"]
    usual = {"pattern": "", "expected": None, "match_type": "exact", "matches_found": [""]}
    assert detail.items() >= usual.items()


def test_an_answer_uses_its_member_regex() -> None:
    cited = BaseAnswer.model_validate({"regex": {"r": {"pattern": r"\[\d\]", "expected": 2, "match_type": "count"}}})
    assert cited.verify_regex("[1] [2]")["success"] is True
    assert cited.verify_regex("[1]")["results"] == {"r": False}
    with pytest.raises(EvaluationError, match="regex"):
        BaseAnswer.model_validate({"regex": "a"}).verify_regex("a")


@pytest.mark.parametrize("given", [{}, {"regex": {}}, {"regex": None}])
def test_without_expressions_there_is_nothing_to_miss(given: Any) -> None:
    assert BaseAnswer(**given).verify_regex("x") == {"success": True, "results": {}, "details": {}}

"""The five kinds of trait: defaults, rules, what follows from what, scores, evaluation."""

import json
import math
import re
import typing
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, ValidationError

from checkpoint_ld.entities import (
    LENIENT,
    AgenticRubricTrait,
    AnyTrait,
    CallableRubricTrait,
    LLMRubricTrait,
    MetricRubricTrait,
    RegexRubricTrait,
)
from checkpoint_ld.errors import EvaluationError
from checkpoint_ld.findings import Severity

FORM = {"type": "template", "schema": {"title": "F", "properties": {"n": {"type": "integer", "minimum": 1}, "m": {}}}}
TWO = {"no": "it is not", "yes": "it is"}
MANY = {str(number): "a class" for number in range(21)}
OVERRIDE = {"interface": "claude_agent_sdk", "temperature": 0.5, "new_setting": {"x": [1]}}
LEAST: dict[Any, dict[str, Any]] = {
    LLMRubricTrait: {"name": "a", "kind": "boolean"},
    RegexRubricTrait: {"name": "a", "pattern": "x"},
    CallableRubricTrait: {"name": "a", "kind": "boolean", "callable_code": "AAA="},
    MetricRubricTrait: {"name": "a", "metrics": ["recall"], "tp_instructions": ["x"]},
    AgenticRubricTrait: {"name": "a", "description": "d", "kind": "boolean"},
}
"""What a trait of each kind cannot do without."""

judged = pytest.mark.parametrize("cls", [LLMRubricTrait, AgenticRubricTrait])
of_kinds = pytest.mark.parametrize("cls", [LLMRubricTrait, AgenticRubricTrait, CallableRubricTrait])


def made(cls: Any, *, lenient: bool = False, **members: Any) -> Any:
    return cls.model_validate({**LEAST[cls], **members}, context=LENIENT if lenient else None)


def codes(trait: AnyTrait) -> list[str]:
    return [found.condition for found in trait.problems()]


def kept_from_files_only(cls: Any, code: str, fault: str, **members: Any) -> Any:
    """Return the trait that a file may have; its author is refused it."""
    with pytest.raises(ValidationError, match=fault):
        made(cls, **members)
    trait = made(cls, lenient=True, **members)
    assert codes(trait) == [code]
    return trait


# Names, kinds and defaults


@of_kinds
def test_a_kind_is_needed_and_must_be_known(cls: Any) -> None:
    least = {name: value for name, value in LEAST[cls].items() if name != "kind"}
    assert cls.model_validate({**least, "kind": "boolean"})
    for unknown in ({}, {"kind": "binary"}, {"kind": 1}, {"kind": None}):
        with pytest.raises(ValidationError):
            cls.model_validate({**least, **unknown}, context=LENIENT)


def test_a_name_is_any_text_with_a_character_until_the_trait_joins_a_rubric() -> None:
    assert made(LLMRubricTrait, name=" ").name == " "
    assert made(LLMRubricTrait, name="a.b").problems() == ()
    with pytest.raises(ValidationError):
        made(LLMRubricTrait, name="")


DEEP = {"deep_judgment_max_excerpts", "deep_judgment_fuzzy_match_threshold", "deep_judgment_excerpt_retry_attempts"}
SUMMARY = {"description": None, "summary": None}
RANGE = {"min_score": 1, "max_score": 5, "classes": None, "higher_is_better": True}


@pytest.mark.parametrize(
    ("cls", "members", "defaults"),
    [
        (
            LLMRubricTrait,
            {"kind": "score"},
            {
                **(SUMMARY | RANGE | dict.fromkeys(DEEP)),
                "deep_judgment_enabled": False,
                "deep_judgment_excerpt_enabled": True,
                "deep_judgment_search_enabled": False,
                "include_ground_truth": False,
            },
        ),
        (RegexRubricTrait, {}, {**SUMMARY, "case_sensitive": True, "invert_result": False, "higher_is_better": True}),
        (
            CallableRubricTrait,
            {"kind": "score"},
            {**SUMMARY, **RANGE, "min_score": None, "max_score": None, "invert_result": False},
        ),
        (
            MetricRubricTrait,
            {},
            {
                **(SUMMARY | {"evaluation_mode": "tp_only", "tn_instructions": []}),
                "repeated_extraction": True,
                "higher_is_better": None,
            },
        ),
        (
            AgenticRubricTrait,
            {"kind": "score"},
            {
                **(RANGE | {"summary": None, "context_mode": "trace_and_workspace", "materialize_trace": False}),
                "persist_trace": False,
                "max_turns": 15,
                "timeout_seconds": 120,
                "model_override": None,
            },
        ),
    ],
)
def test_what_is_not_stated_has_its_default(cls: Any, members: dict[str, Any], defaults: dict[str, Any]) -> None:
    assert made(cls, **members).model_dump(mode="json") == {**LEAST[cls], **members, **defaults}


# Templates


@judged
def test_a_template_trait_has_no_direction(cls: Any) -> None:
    assert made(cls, kind=FORM).higher_is_better is None
    assert made(cls, kind=FORM, higher_is_better=None).higher_is_better is None
    kept_from_files_only(cls, "W-VALUE", "no direction", kind=FORM, higher_is_better=False)


def test_a_template_is_not_judged_deeply() -> None:
    assert made(LLMRubricTrait, kind=FORM, deep_judgment_enabled=False)
    kept_from_files_only(LLMRubricTrait, "W-VALUE", "deep judgment", kind=FORM, deep_judgment_enabled=True)


@judged
def test_the_schema_of_a_template_trait_is_kept_as_it_is(cls: Any) -> None:
    trait = made(cls, kind=FORM)
    assert (trait.is_template_kind, trait.template_fields) == (True, ("n", "m"))
    assert json.dumps(trait.model_dump(mode="json")["kind"]) == json.dumps(FORM)
    assert cls.model_validate(trait.model_dump()) == trait
    assert (made(cls).is_template_kind, made(cls).template_fields) == (False, ())


@pytest.mark.parametrize(
    "kind", [{}, {"type": "template"}, {"type": "template", "schema": None}, {"type": "form", "schema": {}}]
)
def test_an_object_that_is_no_template_is_refused(kind: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="is no template"):
        made(LLMRubricTrait, lenient=True, kind=kind)


@pytest.mark.parametrize(
    "annotation",
    [
        *(
            dict[str, int],
            list,
            list[Annotated[int, {}]],
            list[list[int]],
            int | str,
            int | None,
            tuple[int],
            BaseModel,
        ),
        typing.List,  # noqa: UP006 - which has no arguments
    ],
)
def test_a_pydantic_model_with_other_fields_is_refused(annotation: Any) -> None:
    form = type("Form", (BaseModel,), {"__annotations__": {"value": annotation}})
    with pytest.raises(ValidationError, match="field 'value' of Form"):
        made(LLMRubricTrait, kind=form)


# Ranges and classes


@pytest.mark.parametrize(("low", "high"), [(5, 1), (3, 3), (None, -1), (5, None)])
def test_a_range_without_room_is_refused_from_authors_and_kept_from_files(low: int | None, high: int | None) -> None:
    members = {"kind": "score", "min_score": low, "max_score": high}
    trait = kept_from_files_only(LLMRubricTrait, "W-RANGE", "min_score", **members)
    assert (trait.min_score, trait.max_score) == (low, high)


def test_the_range_of_a_callable_trait_is_checked_when_it_has_both_ends() -> None:
    assert made(CallableRubricTrait, kind="score", min_score=9).problems() == ()
    kept_from_files_only(CallableRubricTrait, "W-RANGE", "min_score", kind="score", min_score=9, max_score=1)


def test_bounds_are_whole_but_for_some_files() -> None:
    whole = made(LLMRubricTrait, kind="score", min_score=1.0, max_score="7")
    assert json.dumps([whole.min_score, whole.max_score]) == "[1, 7]"
    broken: dict[str, Any] = {"kind": "score", "min_score": 0.5, "max_score": 2.5}
    with pytest.raises(ValidationError, match="not whole"):
        made(LLMRubricTrait, **broken)
    with pytest.raises(ValidationError):
        made(LLMRubricTrait, lenient=True, **{**broken, "max_score": float("inf")})
    trait = made(LLMRubricTrait, lenient=True, **broken)
    assert codes(trait) == ["W-FRACTION", "W-FRACTION"]
    assert [trait.validate_score(score) for score in (0, 1, 2, 3)] == [False, True, True, False]


def test_a_boolean_trait_has_no_range() -> None:
    trait = made(LLMRubricTrait, min_score=1, max_score=5)
    assert (trait.min_score, trait.max_score) == (None, None)


@of_kinds
def test_the_range_of_a_literal_trait_follows_from_its_classes(cls: Any) -> None:
    trait = made(cls, kind="literal", classes=TWO, min_score=3, max_score=9)
    assert (trait.min_score, trait.max_score) == (0, 1)
    unsaid = made(cls, kind="literal", classes=TWO)
    assert unsaid.model_dump(exclude_unset=True).keys() == {*LEAST[cls], "classes"}


@pytest.mark.parametrize(
    "classes",
    [MANY, {"a": "first", " ": "second"}, {"a": "first", "b": "\t"}, {"a": "first", "A": "second"}],
    ids=["too many", "blank name", "blank description", "alike"],
)
@pytest.mark.parametrize("kind", ["literal", "boolean"])
@of_kinds
def test_unusual_classes_are_refused_from_authors_and_kept_from_files(
    cls: Any, kind: str, classes: dict[str, str]
) -> None:
    trait = kept_from_files_only(cls, "W-VALUE", "class", kind=kind, classes=classes)
    assert trait.model_dump()["classes"] == classes


@pytest.mark.parametrize("classes", [None, {}, {"only": "one"}])
@of_kinds
def test_a_literal_trait_that_cannot_distinguish_anything_is_refused_from_files_too(cls: Any, classes: Any) -> None:
    with pytest.raises(ValidationError, match="at least two classes"):
        made(cls, lenient=True, kind="literal", classes=classes)


def test_the_order_of_classes_is_the_score() -> None:
    trait = made(LLMRubricTrait, kind="literal", classes={"worst": "w", "better": "b", "Best": "b"})
    assert trait.get_class_names() == ["worst", "better", "Best"]
    assert [trait.get_class_index(name) for name in ("Best", "best")] == [2, -1]
    assert made(LLMRubricTrait, kind="score", classes=TWO).get_class_names() == []


@pytest.mark.parametrize(
    ("members", "valid", "invalid"),
    [
        ({"kind": "boolean"}, [True, False], [1, 0, None, "true", 1.0]),
        ({"kind": "score", "min_score": None, "max_score": None}, [0, 5], [6, -1, True, 1.0]),
        ({"kind": "score", "min_score": -3, "max_score": 3}, [-3, 0, 3], [-4, 4, "1"]),
        ({"kind": "literal", "classes": TWO, "min_score": 3, "max_score": 9}, [-1, 0, 1], [2, True, "a", -2]),
        ({"kind": FORM}, [True, 7, "anything", None], []),
    ],
)
@judged
def test_a_judged_trait_shows_its_scores_from_other_values(
    cls: Any, members: dict[str, Any], valid: list[object], invalid: list[object]
) -> None:
    trait = made(cls, **members)
    assert [value for value in valid + invalid if trait.validate_score(value)] == valid


# Regular expressions


@pytest.mark.parametrize(
    ("members", "text", "expected"),
    [
        ({"pattern": r"\d+"}, "about 12 of them", True),
        ({"pattern": r"^\d+"}, "about 12 of them", False),
        ({"pattern": "ABOUT"}, "about", False),
        ({"pattern": "ABOUT", "case_sensitive": False}, "about", True),
        ({"pattern": "x", "invert_result": True}, "about", True),
        ({"pattern": ""}, "", True),
        ({"pattern": "[[a]"}, "[", True),  # of which Python warns
    ],
)
def test_a_regex_trait_searches_anywhere(members: dict[str, Any], text: str, expected: bool) -> None:
    trait = made(RegexRubricTrait, **members)
    assert (trait.evaluate(text), trait.is_incomplete) == (expected, False)


@pytest.mark.parametrize("pattern", ["(", "a{2,1}", "(?P<x>a)(?P<x>b)", "a{99999999999999999999}"])
def test_a_pattern_that_does_not_compile_is_refused_from_files_too(pattern: str) -> None:
    with pytest.raises(ValidationError, match="is no Python regular expression"):
        made(RegexRubricTrait, lenient=True, pattern=pattern)


def test_a_regex_trait_without_pattern_refuses_to_evaluate() -> None:
    with pytest.raises(ValidationError):
        RegexRubricTrait.model_validate({"name": "a"})
    trait = made(RegexRubricTrait, lenient=True, name="cites", pattern=None)
    assert trait.is_incomplete
    with pytest.raises(EvaluationError, match="'cites' has no pattern"):
        trait.evaluate("[1]")
    trait.pattern = r"\[\d\]"
    assert trait.evaluate("[1]") is True
    with pytest.raises(RuntimeError, match="'cites'"):
        trait.evaluate(None)


def test_the_older_name_of_invert_result_is_read_from_files_only() -> None:
    assert made(RegexRubricTrait, lenient=True, invert=True).invert_result is True
    with pytest.raises(ValidationError, match="invert"):
        made(RegexRubricTrait, invert=True)
    with pytest.raises(ValidationError, match="invert"):
        made(RegexRubricTrait, lenient=True, invert=True, invert_result=False)


@pytest.mark.usefixtures("impatient")
def test_a_pattern_that_never_comes_to_an_end_is_given_up() -> None:
    trait = made(RegexRubricTrait, pattern=r"(a+)+$")
    assert trait.evaluate("aaa")
    with pytest.raises(EvaluationError, match=r"takes more than 0\.2 s"):
        trait.evaluate("a" * 60 + "!")


# Functions


@pytest.mark.parametrize(
    ("members", "returned", "result"),
    [
        ({}, True, True),
        ({"invert_result": True}, True, False),
        ({"kind": "score"}, 2.5, 2.5),
        ({"kind": "score", "min_score": 1, "max_score": 3}, 3, 3),
        ({"kind": "score", "invert_result": True}, 4, 4),
        ({"kind": "literal", "classes": TWO}, "yes", 1),
    ],
)
def test_a_trusted_function_gives_the_result(members: dict[str, Any], returned: object, result: object) -> None:
    found = made(CallableRubricTrait, **members).evaluate("text", callable_override=lambda _: returned)
    assert (found, type(found)) == (result, type(result))


@pytest.mark.parametrize(
    ("members", "returned", "message"),
    [
        ({}, 1, "1, not true or false"),
        ({"kind": "score"}, "3", "'3', not a number"),
        ({"kind": "score", "min_score": 1, "max_score": 3}, 3.5, "3.5, not a number from 1 to 3"),
        ({"kind": "score", "min_score": 1, "max_score": 3}, math.nan, "nan, not a number from 1 to 3"),
        *(
            ({"kind": "literal", "classes": TWO}, returned, f"{returned!r}, not one of the classes no, yes")
            for returned in ("perhaps", ["yes"], 1)
        ),
    ],
)
def test_a_result_that_does_not_fit_is_an_error(members: dict[str, Any], returned: object, message: str) -> None:
    with pytest.raises(EvaluationError, match=re.escape(f"trait 'a': the function returned {message}")):
        made(CallableRubricTrait, **members).evaluate("text", callable_override=lambda _: returned)


def test_a_function_that_fails_is_an_error_with_its_cause() -> None:
    with pytest.raises(EvaluationError, match="ZeroDivisionError") as caught:
        made(CallableRubricTrait, kind="score").evaluate("", callable_override=lambda text: 1 / len(text))
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize(
    ("members", "valid", "invalid"),
    [
        ({"kind": "boolean"}, [True], [1, None]),
        ({"kind": "score", "min_score": 1, "max_score": 3}, [1, 2.5], [0, 3.5, True, "2"]),
        ({"kind": "literal", "classes": TWO}, [0, 1], [2, -1, 0.0, "yes"]),
    ],
)
def test_a_callable_trait_shows_its_scores_from_other_values(
    members: dict[str, Any], valid: list[object], invalid: list[object]
) -> None:
    trait = made(CallableRubricTrait, **members)
    assert [value for value in valid + invalid if trait.validate_score(value)] == valid


def test_a_callable_trait_without_code_is_incomplete() -> None:
    trait = kept_from_files_only(CallableRubricTrait, "W-TRAIT-DEFAULT", "no callable_code", callable_code=None)
    assert (trait.is_incomplete, trait.model_dump()["callable_code"]) == (True, None)
    assert not made(CallableRubricTrait).is_incomplete


# Metrics


@pytest.mark.parametrize(
    ("members", "fault"),
    [
        ({"metrics": ["accuracy"]}, "no metric 'accuracy'"),
        ({"metrics": ["Recall"]}, "no metric 'Recall'"),
        ({"metrics": ["specificity"], "evaluation_mode": "full_matrix"}, "without tn_instructions"),
    ],
)
def test_what_a_mode_cannot_measure_is_refused_from_authors_and_kept_from_files(
    members: dict[str, Any], fault: str
) -> None:
    (found,) = kept_from_files_only(MetricRubricTrait, "W-VALUE", fault, **members).problems()
    assert "metric" not in fault or found.remedy == "use some of precision, recall, f1"


@pytest.mark.parametrize("members", [{"metrics": []}, {"tp_instructions": []}, {"evaluation_mode": "tn_only"}])
def test_what_cannot_be_measured_at_all_is_refused_from_files_too(members: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        made(MetricRubricTrait, lenient=True, **members)


def test_the_mode_states_which_cells_are_filled() -> None:
    few = made(MetricRubricTrait, metrics=["recall", "recall"], tn_instructions=["y"])
    assert (few.metrics, few.tn_instructions) == (["recall", "recall"], ["y"])
    assert few.get_required_buckets() == {"tp", "fp", "fn"}
    all_cells = made(MetricRubricTrait, evaluation_mode="full_matrix", metrics=["accuracy"], tn_instructions=["y"])
    assert all_cells.get_required_buckets() == {"tp", "tn", "fp", "fn"}


# Agents


@pytest.mark.parametrize(
    "members",
    [
        *({"description": stated} for stated in ("", None)),
        *({"max_turns": 0}, {"timeout_seconds": 0}, {"context_mode": "nothing"}),
    ],
)
def test_an_agent_needs_a_description_turns_time_and_something_to_see(members: dict[str, Any]) -> None:
    assert made(AgenticRubricTrait, max_turns=1, timeout_seconds=1, context_mode="trace_only")
    with pytest.raises(ValidationError):
        made(AgenticRubricTrait, lenient=True, **members)
    with pytest.raises(ValidationError):
        AgenticRubricTrait.model_validate({"name": "a", "kind": "boolean"}, context=LENIENT)


def test_a_trace_that_nobody_sees_is_not_written() -> None:
    assert made(AgenticRubricTrait, materialize_trace=True, context_mode="trace_only")
    with pytest.raises(ValidationError, match="materialize_trace"):
        made(AgenticRubricTrait, materialize_trace=True, context_mode="workspace_only")


def test_the_settings_of_an_agents_model_are_kept_as_they_are() -> None:
    trait = made(AgenticRubricTrait, model_override=OVERRIDE)
    assert (trait.model_override, trait.problems()) == (OVERRIDE, ())


def test_an_interface_that_runs_no_agents_is_refused_and_an_unknown_one_remarked() -> None:
    langchain = {"interface": "langchain"}
    kept_from_files_only(AgenticRubricTrait, "W-VALUE", "runs no agents", model_override=langchain)
    for unknown in ("next_years_sdk", ["langchain"]):
        trait = made(AgenticRubricTrait, model_override={"interface": unknown})
        assert [found.severity for found in trait.problems()] == [Severity.INFO]


def test_keys_of_an_agents_model_are_neither_written_nor_shown() -> None:
    override = {**OVERRIDE, "anthropic_api_key": "sk-1", "extra": [{"x_api_key": "sk-2"}], "endpoint_api_key": None}
    trait = made(AgenticRubricTrait, model_override=override)
    assert trait.model_override == override
    stars = "**********"
    written = {**override, "anthropic_api_key": stars, "extra": [{"x_api_key": stars}]}
    assert trait.model_dump(mode="json")["model_override"] == written
    assert "sk-" not in repr(trait)

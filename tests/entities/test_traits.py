"""The five kinds of trait: defaults, rules, what follows from what, scores, evaluation."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import BaseModel, Field, ValidationError

from checkpoint_ld.entities import (
    LENIENT,
    AgenticRubricTrait,
    CallableRubricTrait,
    LLMRubricTrait,
    MetricRubricTrait,
    RegexRubricTrait,
)
from checkpoint_ld.errors import EvaluationError
from checkpoint_ld.findings import Severity

if TYPE_CHECKING:
    from checkpoint_ld.entities import AnyTrait

FORM = {"type": "template", "schema": {"title": "F", "properties": {"n": {"type": "integer", "minimum": 1}, "m": {}}}}
TWO = {"no": "it is not", "yes": "it is"}
MANY = {str(number): "a class" for number in range(21)}


def codes(trait: AnyTrait) -> list[str]:
    return [found.condition for found in trait.problems()]


# Names and kinds


@pytest.mark.parametrize("cls", [LLMRubricTrait, AgenticRubricTrait, CallableRubricTrait])
def test_a_kind_is_needed_and_must_be_known(cls: type[BaseModel]) -> None:
    members = {"name": "a", "description": "d", **({"callable_code": "AAA="} if cls is CallableRubricTrait else {})}
    assert cls.model_validate({**members, "kind": "boolean"})
    for unknown in ({}, {"kind": "binary"}, {"kind": 1}, {"kind": None}):
        with pytest.raises(ValidationError):
            cls.model_validate({**members, **unknown}, context=LENIENT)


def test_a_name_needs_a_character_and_a_space_is_one() -> None:
    assert LLMRubricTrait(name=" ", kind="boolean").name == " "
    with pytest.raises(ValidationError):
        LLMRubricTrait(name="", kind="boolean")


def test_a_trait_may_have_a_dot_in_its_name_until_it_joins_a_rubric() -> None:
    assert LLMRubricTrait(name="a.b", kind="boolean").problems() == ()


# Direction


@pytest.mark.parametrize(
    ("given", "expected"), [({}, True), ({"higher_is_better": None}, None), ({"higher_is_better": False}, False)]
)
def test_a_scalar_trait_has_a_direction_unless_told_otherwise(given: dict[str, Any], expected: bool | None) -> None:
    for trait in (
        LLMRubricTrait.model_validate({"name": "a", "kind": "score", **given}),
        RegexRubricTrait.model_validate({"name": "a", "pattern": "x", **given}),
        CallableRubricTrait.model_validate({"name": "a", "kind": "score", "callable_code": "AAA=", **given}),
        AgenticRubricTrait.model_validate({"name": "a", "description": "d", "kind": "score", **given}),
    ):
        assert trait.higher_is_better is expected


@pytest.mark.parametrize("cls", [LLMRubricTrait, AgenticRubricTrait])
def test_a_template_trait_has_no_direction(cls: type[LLMRubricTrait | AgenticRubricTrait]) -> None:
    members = {"name": "a", "description": "d", "kind": FORM}
    assert cls.model_validate(members).higher_is_better is None
    assert cls.model_validate({**members, "higher_is_better": None}).higher_is_better is None
    with pytest.raises(ValidationError, match="no direction"):
        cls.model_validate({**members, "higher_is_better": False})
    assert codes(cls.model_validate({**members, "higher_is_better": False}, context=LENIENT)) == ["W-VALUE"]


def test_a_metric_trait_has_no_direction_unless_told_otherwise() -> None:
    assert MetricRubricTrait(name="a", metrics=["recall"], tp_instructions=["x"]).higher_is_better is None


# Templates


@pytest.mark.parametrize("cls", [LLMRubricTrait, AgenticRubricTrait])
def test_the_schema_of_a_template_trait_is_kept_as_it_is(cls: type[LLMRubricTrait | AgenticRubricTrait]) -> None:
    trait = cls.model_validate({"name": "a", "description": "d", "kind": FORM})
    assert trait.is_template_kind
    assert trait.template_fields == ("n", "m")
    assert json.dumps(trait.model_dump(mode="json")["kind"]) == json.dumps(FORM)
    assert cls.model_validate(trait.model_dump()) == trait


@pytest.mark.parametrize(
    "kind", [{}, {"type": "template"}, {"type": "template", "schema": None}, {"type": "form", "schema": {}}]
)
def test_an_object_that_is_no_template_is_refused(kind: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="is no template"):
        LLMRubricTrait.model_validate({"name": "a", "kind": kind}, context=LENIENT)


def test_a_pydantic_model_of_plain_fields_is_a_template() -> None:
    class Form(BaseModel):
        count: int
        names: list[str] = Field(description="who")
        remark: str | None = None

    trait = LLMRubricTrait.model_validate({"name": "a", "kind": Form})
    assert trait.template_fields == ("count", "names", "remark")
    assert trait.kind is Form
    assert trait.kind.model_fields["remark"].default is None
    written = {"type": "template", "schema": Form.model_json_schema()}
    assert trait.model_dump()["kind"] == json.loads(trait.model_dump_json())["kind"] == written
    read = LLMRubricTrait.model_validate({"name": "a", "kind": written})
    assert (read == trait, trait == read, read != trait) == (True, True, False)
    assert trait != LLMRubricTrait(name="a", kind="boolean")


@pytest.mark.parametrize(
    "annotation", [dict[str, int], list, list[list[int]], int | str, int | None, tuple[int, int], BaseModel]
)
def test_a_pydantic_model_with_other_fields_is_refused(annotation: Any) -> None:
    form = type("Form", (BaseModel,), {"__annotations__": {"value": annotation}})
    with pytest.raises(ValidationError, match="field 'value' of Form"):
        LLMRubricTrait.model_validate({"name": "a", "kind": form})


def test_a_scalar_trait_has_no_template_fields() -> None:
    trait = LLMRubricTrait(name="a", kind="boolean")
    assert not trait.is_template_kind
    assert trait.template_fields == ()


# Ranges and classes


def test_a_boolean_trait_has_no_range() -> None:
    trait = LLMRubricTrait(name="a", kind="boolean", min_score=1, max_score=5)
    assert (trait.min_score, trait.max_score) == (None, None)


@pytest.mark.parametrize("cls", [LLMRubricTrait, AgenticRubricTrait, CallableRubricTrait])
def test_the_range_of_a_literal_trait_follows_from_its_classes(cls: type[BaseModel]) -> None:
    members = {"name": "a", "description": "d", "kind": "literal", "classes": TWO, "min_score": 3, "max_score": 9}
    code = {"callable_code": "AAA="} if cls is CallableRubricTrait else {}
    dump = cls.model_validate({**members, **code}).model_dump()
    assert (dump["min_score"], dump["max_score"]) == (0, 1)


def test_a_derived_range_was_not_said_by_anybody() -> None:
    trait = LLMRubricTrait(name="a", kind="literal", classes=TWO)
    assert trait.model_dump(exclude_unset=True) == {"name": "a", "kind": "literal", "classes": TWO}


@pytest.mark.parametrize(
    "classes",
    [MANY, {"a": "first", " ": "second"}, {"a": "first", "b": "\t"}, {"a": "first", "A": "second"}],
    ids=["too many", "blank name", "blank description", "alike"],
)
@pytest.mark.parametrize("kind", ["literal", "boolean"])
def test_odd_classes_are_refused_from_authors_and_kept_from_files(classes: dict[str, str], kind: str) -> None:
    for cls, more in (
        (LLMRubricTrait, {}),
        (AgenticRubricTrait, {"description": "d"}),
        (CallableRubricTrait, {"callable_code": "AAA="}),
    ):
        members = {"name": "a", "kind": kind, "classes": classes, **more}
        with pytest.raises(ValidationError):
            cls.model_validate(members)
        trait = cls.model_validate(members, context=LENIENT)
        assert trait.model_dump()["classes"] == classes
        assert [found.condition for found in trait.problems()] == ["W-VALUE"]


@pytest.mark.parametrize("classes", [None, {}, {"only": "one"}])
def test_a_literal_trait_that_cannot_tell_anything_apart_is_refused_from_files_too(
    classes: dict[str, str] | None,
) -> None:
    for cls, more in (
        (LLMRubricTrait, {}),
        (AgenticRubricTrait, {"description": "d"}),
        (CallableRubricTrait, {"callable_code": "AAA="}),
    ):
        with pytest.raises(ValidationError, match="at least two classes"):
            cls.model_validate({"name": "a", "kind": "literal", "classes": classes, **more}, context=LENIENT)


def test_classes_are_texts_by_texts() -> None:
    with pytest.raises(ValidationError):
        LLMRubricTrait.model_validate({"name": "a", "kind": "literal", "classes": {"x": 1, "y": 2}}, context=LENIENT)


def test_the_order_of_classes_is_the_score() -> None:
    trait = LLMRubricTrait(name="a", kind="literal", classes={"worst": "w", "better": "b", "Best": "b"})
    assert trait.get_class_names() == ["worst", "better", "Best"]
    assert trait.get_class_index("Best") == 2
    assert trait.get_class_index("best") == -1
    assert LLMRubricTrait(name="a", kind="score", classes=TWO).get_class_names() == []


@pytest.mark.parametrize(("low", "high"), [(5, 1), (3, 3), (None, -1), (5, None)])
def test_a_range_without_room_is_refused_from_authors_and_kept_from_files(low: int | None, high: int | None) -> None:
    members = {"name": "a", "kind": "score", "min_score": low, "max_score": high}
    with pytest.raises(ValidationError, match="min_score"):
        LLMRubricTrait.model_validate(members)
    trait = LLMRubricTrait.model_validate(members, context=LENIENT)
    assert (trait.min_score, trait.max_score) == (low, high)
    assert codes(trait) == ["W-RANGE"]


def test_the_range_of_a_callable_trait_is_checked_when_it_has_both_ends() -> None:
    members = {"name": "a", "kind": "score", "callable_code": "AAA=", "min_score": 9}
    assert CallableRubricTrait.model_validate(members).problems() == ()
    with pytest.raises(ValidationError):
        CallableRubricTrait.model_validate({**members, "max_score": 1})
    assert codes(CallableRubricTrait.model_validate({**members, "max_score": 1}, context=LENIENT)) == ["W-RANGE"]


def test_bounds_are_whole_but_for_some_files() -> None:
    whole = LLMRubricTrait.model_validate({"name": "a", "kind": "score", "min_score": 1.0, "max_score": "7"})
    assert json.dumps([whole.min_score, whole.max_score]) == "[1, 7]"
    broken = {"name": "a", "kind": "score", "min_score": 0.5, "max_score": 2.5}
    with pytest.raises(ValidationError, match="not whole"):
        LLMRubricTrait.model_validate(broken)
    with pytest.raises(ValidationError):
        LLMRubricTrait.model_validate({**broken, "max_score": float("inf")}, context=LENIENT)
    trait = LLMRubricTrait.model_validate(broken, context=LENIENT)
    assert codes(trait) == ["W-FRACTION", "W-FRACTION"]
    assert [trait.validate_score(score) for score in (0, 1, 2, 3)] == [False, True, True, False]


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
def test_a_judged_trait_tells_its_scores_from_other_values(
    members: dict[str, Any], valid: list[object], invalid: list[object]
) -> None:
    for cls in (LLMRubricTrait, AgenticRubricTrait):
        trait = cls.model_validate({"name": "a", "description": "d", **members})
        assert [value for value in valid + invalid if trait.validate_score(value)] == valid


# Traits that a language model judges


def test_a_template_is_not_judged_deeply() -> None:
    members = {"name": "a", "kind": FORM, "deep_judgment_enabled": True}
    assert LLMRubricTrait.model_validate({**members, "deep_judgment_enabled": False})
    with pytest.raises(ValidationError, match="deep judgment"):
        LLMRubricTrait.model_validate(members)
    assert codes(LLMRubricTrait.model_validate(members, context=LENIENT)) == ["W-VALUE"]


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
    ],
)
def test_a_regex_trait_searches_anywhere(members: dict[str, Any], text: str, expected: bool) -> None:
    assert RegexRubricTrait.model_validate({"name": "a", **members}).evaluate(text) is expected


@pytest.mark.parametrize("pattern", ["(", "a{2,1}", "(?P<x>a)(?P<x>b)", "a{99999999999999999999}"])
def test_a_pattern_that_does_not_compile_is_refused_from_files_too(pattern: str) -> None:
    with pytest.raises(ValidationError, match="is no Python regular expression"):
        RegexRubricTrait.model_validate({"name": "a", "pattern": pattern}, context=LENIENT)


def test_a_pattern_that_python_only_warns_of_is_fine() -> None:
    assert RegexRubricTrait(name="a", pattern="[[a]").evaluate("[") is True


def test_a_pattern_is_needed() -> None:
    with pytest.raises(ValidationError):
        RegexRubricTrait.model_validate({"name": "a"})


def test_a_regex_trait_without_pattern_refuses_to_evaluate() -> None:
    trait = RegexRubricTrait.model_validate({"name": "cites", "pattern": None}, context=LENIENT)
    assert trait.is_incomplete
    assert not RegexRubricTrait(name="a", pattern="").is_incomplete
    with pytest.raises(EvaluationError, match="'cites' has no pattern"):
        trait.evaluate("[1]")
    trait.pattern = r"\[\d\]"
    assert trait.evaluate("[1]") is True


def test_evaluating_something_else_than_a_text_names_the_trait() -> None:
    with pytest.raises(RuntimeError, match="'cites'"):
        RegexRubricTrait(name="cites", pattern="x").evaluate(None)  # type: ignore[arg-type]  # the point of the test


def test_the_older_name_of_invert_result_is_read_from_files_only() -> None:
    members = {"name": "a", "pattern": "x", "invert": True}
    assert RegexRubricTrait.model_validate(members, context=LENIENT).invert_result is True
    with pytest.raises(ValidationError, match="invert"):
        RegexRubricTrait.model_validate(members)
    with pytest.raises(ValidationError, match="invert"):
        RegexRubricTrait.model_validate({**members, "invert_result": False}, context=LENIENT)


# Functions


def callable_trait(**members: Any) -> CallableRubricTrait:
    return CallableRubricTrait.model_validate({"name": "a", "callable_code": "AAA=", **members})


def test_stored_code_is_never_run() -> None:
    code = "raise SystemExit('I was run')"
    with pytest.raises(EvaluationError, match="never run"):
        callable_trait(kind="boolean", callable_code=code).evaluate("text")


@pytest.mark.parametrize(
    ("members", "returned", "result"),
    [
        ({"kind": "boolean"}, True, True),
        ({"kind": "boolean", "invert_result": True}, True, False),
        ({"kind": "score"}, 2.5, 2.5),
        ({"kind": "score", "min_score": 1, "max_score": 3}, 3, 3),
        ({"kind": "score", "invert_result": True}, 4, 4),
        ({"kind": "literal", "classes": TWO}, "yes", 1),
    ],
)
def test_a_trusted_function_gives_the_result(members: dict[str, Any], returned: object, result: object) -> None:
    found = callable_trait(**members).evaluate("text", callable_override=lambda _: returned)
    assert found == result
    assert type(found) is type(result)


@pytest.mark.parametrize(
    ("members", "returned"),
    [
        ({"kind": "boolean"}, 1),
        ({"kind": "score"}, "3"),
        ({"kind": "score", "min_score": 1, "max_score": 3}, 3.5),
        ({"kind": "literal", "classes": TWO}, "perhaps"),
        ({"kind": "literal", "classes": TWO}, ["yes"]),
        ({"kind": "literal", "classes": TWO}, 1),
    ],
)
def test_a_result_that_does_not_fit_is_an_error(members: dict[str, Any], returned: object) -> None:
    with pytest.raises(EvaluationError, match="the function returned"):
        callable_trait(**members).evaluate("text", callable_override=lambda _: returned)


def test_a_function_that_fails_is_an_error_with_its_cause() -> None:
    with pytest.raises(EvaluationError, match="ZeroDivisionError") as caught:
        callable_trait(kind="score").evaluate("", callable_override=lambda text: 1 / len(text))
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize(
    ("members", "valid", "invalid"),
    [
        ({"kind": "boolean"}, [True], [1, None]),
        ({"kind": "score", "min_score": 1, "max_score": 3}, [1, 2.5], [0, 3.5, True, "2"]),
        ({"kind": "literal", "classes": TWO}, [0, 1], [2, -1, 0.0, "yes"]),
    ],
)
def test_a_callable_trait_tells_its_scores_from_other_values(
    members: dict[str, Any], valid: list[object], invalid: list[object]
) -> None:
    trait = callable_trait(**members)
    assert [value for value in valid + invalid if trait.validate_score(value)] == valid


def test_a_callable_trait_without_code_is_incomplete() -> None:
    members = {"name": "a", "kind": "boolean", "callable_code": None}
    with pytest.raises(ValidationError, match="no callable_code"):
        CallableRubricTrait.model_validate(members)
    trait = CallableRubricTrait.model_validate(members, context=LENIENT)
    assert trait.is_incomplete
    assert codes(trait) == ["W-TRAIT-DEFAULT"]
    assert trait.model_dump()["callable_code"] is None
    assert not callable_trait(kind="boolean").is_incomplete


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
    members = {"name": "a", "tp_instructions": ["x"], **members}
    with pytest.raises(ValidationError, match=fault):
        MetricRubricTrait.model_validate(members)
    assert codes(MetricRubricTrait.model_validate(members, context=LENIENT)) == ["W-VALUE"]


@pytest.mark.parametrize(
    "members",
    [
        {"metrics": [], "tp_instructions": ["x"]},
        {"metrics": ["recall"]},
        {"metrics": ["recall"], "tp_instructions": ["x"], "evaluation_mode": "tn_only"},
    ],
)
def test_what_cannot_be_measured_at_all_is_refused_from_files_too(members: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        MetricRubricTrait.model_validate({"name": "a", **members}, context=LENIENT)


def test_the_remedy_for_a_metric_names_those_that_the_mode_measures() -> None:
    members = {"name": "a", "tp_instructions": ["x"], "metrics": ["accuracy"]}
    (found,) = MetricRubricTrait.model_validate(members, context=LENIENT).problems()
    assert found.remedy == "use some of precision, recall, f1"


def test_the_mode_says_which_cells_are_filled() -> None:
    few = MetricRubricTrait(name="a", metrics=["recall", "recall"], tp_instructions=["x"], tn_instructions=["y"])
    all_cells = MetricRubricTrait(
        name="a", evaluation_mode="full_matrix", metrics=["accuracy"], tp_instructions=["x"], tn_instructions=["y"]
    )
    assert few.metrics == ["recall", "recall"]
    assert few.tn_instructions == ["y"]
    assert few.get_required_buckets() == {"tp", "fp", "fn"}
    assert all_cells.get_required_buckets() == {"tp", "tn", "fp", "fn"}


# Agents


@pytest.mark.parametrize("members", [{}, {"description": ""}, {"description": None}])
def test_an_agent_needs_a_description(members: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        AgenticRubricTrait.model_validate({"name": "a", "kind": "boolean", **members}, context=LENIENT)


@pytest.mark.parametrize("members", [{"max_turns": 0}, {"timeout_seconds": 0}, {"context_mode": "nothing"}])
def test_an_agent_needs_turns_time_and_something_to_see(members: dict[str, Any]) -> None:
    least = {"max_turns": 1, "timeout_seconds": 1, "context_mode": "trace_only"}
    assert AgenticRubricTrait.model_validate({"name": "a", "description": "d", "kind": "boolean", **least})
    with pytest.raises(ValidationError):
        AgenticRubricTrait.model_validate({"name": "a", "description": "d", "kind": "boolean", **members})


def test_a_trace_that_nobody_sees_is_not_written() -> None:
    members = {"name": "a", "description": "d", "kind": "boolean", "materialize_trace": True}
    assert AgenticRubricTrait.model_validate({**members, "context_mode": "trace_only"})
    with pytest.raises(ValidationError, match="materialize_trace"):
        AgenticRubricTrait.model_validate({**members, "context_mode": "workspace_only"})


def agent(override: dict[str, Any], *, lenient: bool = False) -> AgenticRubricTrait:
    members = {"name": "a", "description": "d", "kind": "boolean", "model_override": override}
    return AgenticRubricTrait.model_validate(members, context=LENIENT if lenient else None)


def test_the_settings_of_an_agents_model_are_kept_as_they_are() -> None:
    override = {"interface": "claude_agent_sdk", "temperature": 0.5, "new_setting": {"x": [1]}}
    assert agent(override).model_override == override
    assert agent(override).problems() == ()


def test_an_interface_that_runs_no_agents_is_refused_and_an_unknown_one_remarked() -> None:
    with pytest.raises(ValidationError, match="runs no agents"):
        agent({"interface": "langchain"})
    assert codes(agent({"interface": "langchain"}, lenient=True)) == ["W-VALUE"]
    for unknown in ("next_years_sdk", ["langchain"]):
        assert [found.severity for found in agent({"interface": unknown}).problems()] == [Severity.INFO]


def test_keys_of_an_agents_model_are_neither_written_nor_shown() -> None:
    override = {"interface": "claude_agent_sdk", "anthropic_api_key": "sk-1", "extra": [{"x_api_key": "sk-2"}]}
    trait = agent(override)
    assert trait.model_override == override
    assert trait.model_dump(mode="json")["model_override"] == {
        "interface": "claude_agent_sdk",
        "anthropic_api_key": "**********",
        "extra": [{"x_api_key": "**********"}],
    }
    assert "sk-" not in repr(trait)
    assert agent({"endpoint_api_key": None}).model_dump(mode="json")["model_override"] == {"endpoint_api_key": None}


# Defaults


@pytest.mark.parametrize(
    ("cls", "members", "defaults"),
    [
        (
            LLMRubricTrait,
            {"name": "a", "kind": "score"},
            {
                "description": None,
                "summary": None,
                "min_score": 1,
                "max_score": 5,
                "classes": None,
                "higher_is_better": True,
                "deep_judgment_enabled": False,
                "deep_judgment_excerpt_enabled": True,
                "deep_judgment_max_excerpts": None,
                "deep_judgment_fuzzy_match_threshold": None,
                "deep_judgment_excerpt_retry_attempts": None,
                "deep_judgment_search_enabled": False,
                "include_ground_truth": False,
            },
        ),
        (
            RegexRubricTrait,
            {"name": "a", "pattern": "x"},
            {
                "description": None,
                "summary": None,
                "case_sensitive": True,
                "invert_result": False,
                "higher_is_better": True,
            },
        ),
        (
            CallableRubricTrait,
            {"name": "a", "kind": "score", "callable_code": "AAA="},
            {
                "description": None,
                "summary": None,
                "min_score": None,
                "max_score": None,
                "invert_result": False,
                "classes": None,
                "higher_is_better": True,
            },
        ),
        (
            MetricRubricTrait,
            {"name": "a", "metrics": ["f1"], "tp_instructions": ["x"]},
            {
                "description": None,
                "summary": None,
                "evaluation_mode": "tp_only",
                "tn_instructions": [],
                "repeated_extraction": True,
                "higher_is_better": None,
            },
        ),
        (
            AgenticRubricTrait,
            {"name": "a", "description": "d", "kind": "score"},
            {
                "summary": None,
                "min_score": 1,
                "max_score": 5,
                "classes": None,
                "higher_is_better": True,
                "context_mode": "trace_and_workspace",
                "materialize_trace": False,
                "persist_trace": False,
                "max_turns": 15,
                "timeout_seconds": 120,
                "model_override": None,
            },
        ),
    ],
)
def test_what_is_not_said_has_its_default(
    cls: type[BaseModel], members: dict[str, Any], defaults: dict[str, Any]
) -> None:
    assert cls.model_validate(members).model_dump(mode="json") == {**members, **defaults}


@pytest.mark.slow
def test_a_pattern_that_never_comes_to_an_end_is_given_up() -> None:
    trait = RegexRubricTrait(name="endless", pattern=r"(a+)+$")
    assert trait.evaluate("aaa")
    with pytest.raises(EvaluationError, match="takes more than 2 s"):
        trait.evaluate("a" * 60 + "!")

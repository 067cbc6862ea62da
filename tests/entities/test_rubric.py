"""Rubrics: names, views of their traits, evaluations; dynamic rubrics."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from checkpoint_ld.entities import (
    LENIENT,
    AgenticRubricTrait,
    AnyTrait,
    CallableRubricTrait,
    DynamicRubric,
    LLMRubricTrait,
    MetricRubricTrait,
    RegexRubricTrait,
    Rubric,
    RubricEvaluation,
)

FORM = {"type": "template", "schema": {"properties": {"n": {"type": "integer"}, "m2": {"type": "string"}}}}

LLM = LLMRubricTrait(name="l", kind="boolean", description="clear")
REGEX = RegexRubricTrait(name="x", pattern="x", higher_is_better=False)
CALLABLE = CallableRubricTrait.model_validate({"name": "c", "kind": "boolean", "callable_code": "AAA="})
METRIC = MetricRubricTrait(name="m", metrics=["recall"], tp_instructions=["i"])
AGENTIC = AgenticRubricTrait(name="g", description="d", kind="boolean")
TEMPLATE = AgenticRubricTrait.model_validate({"name": "t", "description": "d", "kind": FORM})


@pytest.fixture
def rubric() -> Rubric:
    return Rubric(
        llm_traits=[LLM],
        regex_traits=[REGEX],
        callable_traits=[CALLABLE],
        metric_traits=[METRIC],
        agentic_traits=[AGENTIC, TEMPLATE],
    )


def test_names_come_kind_by_kind(rubric: Rubric) -> None:
    assert rubric.get_trait_names() == ["l", "x", "c", "m", "g", "t"]
    assert rubric.get_llm_trait_names() == ["l"]
    assert rubric.get_regex_trait_names() == ["x"]
    assert rubric.get_callable_trait_names() == ["c"]
    assert rubric.get_metric_trait_names() == ["m"]
    assert rubric.get_agentic_trait_names() == ["g", "t"]


@pytest.mark.parametrize("collection", [Rubric, DynamicRubric])
def test_traits_of_any_kind_are_sorted_into_the_lists(collection: type[Rubric | DynamicRubric]) -> None:
    made = collection.from_traits([AGENTIC, LLM])
    assert made is not None
    assert (made.llm_traits, made.agentic_traits) == ([LLM], [AGENTIC])
    assert made.llm_traits[0] is LLM
    assert collection.from_traits(None) is None


def test_what_is_no_trait_joins_no_rubric() -> None:
    with pytest.raises(TypeError, match="is no trait"):
        Rubric.from_traits([LLM, "clear"])  # type: ignore[list-item]  # the point of the test


def test_an_empty_rubric_is_empty_and_true(rubric: Rubric) -> None:
    assert Rubric().is_empty()
    assert bool(Rubric()) is True
    assert not rubric.is_empty()


@pytest.mark.parametrize(
    ("members", "code"),
    [
        ({"llm_traits": [LLM, LLM]}, "W-DUP-TRAIT"),
        ({"llm_traits": [LLM], "regex_traits": [RegexRubricTrait(name="l", pattern="x")]}, "W-DUP-TRAIT"),
        ({"llm_traits": [LLMRubricTrait(name="a.b", kind="boolean", summary="s")]}, "W-TRAIT-NAME"),
        ({"regex_traits": [RegexRubricTrait(name="a.b", pattern="x", summary="s")]}, "W-TRAIT-NAME"),
        ({"agentic_traits": [AgenticRubricTrait(name="a.b", kind="boolean", description="d")]}, "W-TRAIT-NAME"),
    ],
)
def test_shared_and_dotted_names_are_refused_from_authors_and_kept_from_files(
    members: dict[str, Any], code: str
) -> None:
    for collection in (Rubric, DynamicRubric):
        members = {name: [trait.model_copy(update={"summary": "s"}) for trait in members[name]] for name in members}
        with pytest.raises(ValidationError):
            collection.model_validate(members)
        kept = collection.model_validate(members, context=LENIENT)
        assert [found.condition for found in kept.problems()] == [code]
        assert len(kept.get_trait_names()) == sum(len(traits) for traits in members.values())


def test_a_trait_added_to_a_list_is_seen_when_one_looks(rubric: Rubric) -> None:
    rubric.llm_traits.append(LLM)
    assert [found.subject for found in rubric.problems()] == ["l"]


def test_highest_scores_are_those_of_scores_and_of_judged_classes() -> None:
    classes = {"no": "n", "so so": "s", "yes": "y"}
    score = {"kind": "score", "callable_code": "AAA="}
    rubric = Rubric.model_validate(
        {
            "llm_traits": [
                {"name": "score", "kind": "score", "max_score": 7},
                {"name": "class", "kind": "literal", "classes": classes},
                {"name": "open", "kind": "score", "max_score": None},
                {"name": "boolean", "kind": "boolean"},
            ],
            "callable_traits": [
                {"name": "counted", **score, "max_score": 9},
                {"name": "endless", **score},
                {"name": "sorted", **score, "kind": "literal", "classes": classes},
            ],
            "agentic_traits": [
                {"name": "agent", "description": "d", "kind": "score"},
                {"name": "form", "description": "d", "kind": FORM},
            ],
        }
    )
    assert rubric.get_trait_max_scores() == {"score": 7, "class": 2, "counted": 9, "agent": 5}


def test_directions_are_those_of_all_traits_but_metrics(rubric: Rubric) -> None:
    directions = rubric.get_trait_directionalities()
    assert directions == {"l": True, "x": False, "c": True, "g": True, "t": None}
    assert list(directions) == [name for name in rubric.get_trait_names() if name != "m"]


COMPLETE = {"l": True, "x": False, "c": True, "g": True, "t.n": 3, "t.m2": "any"}


def test_a_complete_evaluation_has_a_result_for_everything_that_is_judged(rubric: Rubric) -> None:
    assert rubric.validate_evaluation(COMPLETE)
    assert rubric.evaluation_problems(COMPLETE) == []


@pytest.mark.parametrize(
    ("scores", "reason"),
    [
        ({**COMPLETE, "m": 0.5}, "'m' is nothing"),
        ({name: COMPLETE[name] for name in COMPLETE if name != "l"}, "'l' has no result"),
        ({**COMPLETE, "x": 1}, "'x' cannot have the result 1"),
        ({**COMPLETE, "c": 2}, "'c' cannot have the result 2"),
        ({**COMPLETE, "g": 5}, "'g' cannot have the result 5"),
        ({**COMPLETE, "t.other": 1}, "'t.other' is nothing"),
    ],
)
def test_an_incomplete_or_wrong_evaluation_says_why(rubric: Rubric, scores: dict[str, object], reason: str) -> None:
    found = rubric.evaluation_problems(scores)
    assert len(found) == 1
    assert reason in found[0]
    assert not rubric.validate_evaluation(scores)


def test_a_template_trait_has_results_by_field_only(rubric: Rubric) -> None:
    without = {name: value for name, value in COMPLETE.items() if not name.startswith("t.")}
    assert not rubric.validate_evaluation({**without, "t": {}})
    assert len(rubric.evaluation_problems({**without, "t": {}})) == 3


def test_template_traits_of_a_language_model_have_results_by_field_too() -> None:
    rubric = Rubric(llm_traits=[LLMRubricTrait.model_validate({"name": "f", "kind": FORM})])
    assert rubric.validate_evaluation({"f.n": 1, "f.m2": "x"})
    assert not rubric.validate_evaluation({"f": 1})


def test_a_dotted_name_from_a_file_is_found_whole() -> None:
    rubric = Rubric.model_validate({"llm_traits": [{"name": "a.b", "kind": "boolean"}]}, context=LENIENT)
    assert rubric.validate_evaluation({"a.b": True})


def test_callable_traits_have_scores_and_class_indexes() -> None:
    rubric = Rubric.model_validate(
        {
            "callable_traits": [
                {"name": "s", "kind": "score", "callable_code": "AAA=", "min_score": 0, "max_score": 1},
                {"name": "k", "kind": "literal", "callable_code": "AAA=", "classes": {"no": "n", "yes": "y"}},
            ]
        }
    )
    assert rubric.validate_evaluation({"s": 0.5, "k": 1})
    assert not rubric.validate_evaluation({"s": 1.5, "k": 1})
    assert not rubric.validate_evaluation({"s": 1, "k": 2})


def test_results_are_truth_values_or_whole_numbers() -> None:
    scores = RubricEvaluation.model_validate({"trait_scores": {"a": True, "b": 3, "c": 2.0}}).trait_scores
    assert scores == {"a": True, "b": 3, "c": 2}
    assert [type(score) for score in scores.values()] == [bool, int, int]
    with pytest.raises(ValidationError):
        RubricEvaluation.model_validate({"trait_scores": {"a": 2.5}})
    with pytest.raises(ValidationError):
        RubricEvaluation.model_validate({})


# Dynamic rubrics


def test_a_dynamic_trait_needs_a_concept() -> None:
    bare = {"llm_traits": [{"name": "a", "kind": "boolean"}]}
    with pytest.raises(ValidationError, match="concept"):
        DynamicRubric.model_validate(bare)
    assert [one.subject for one in DynamicRubric.model_validate(bare, context=LENIENT).problems()] == ["a"]
    for told in ({"summary": ""}, {"description": ""}):
        assert DynamicRubric.model_validate({"llm_traits": [{"name": "a", "kind": "boolean", **told}]})


@pytest.mark.parametrize(
    ("told", "concept"),
    [({"summary": "s", "description": "d"}, "s"), ({"description": "d"}, "d"), ({}, "a"), ({"summary": ""}, "")],
)
def test_the_concept_is_the_summary_or_the_description_or_the_name(told: dict[str, str], concept: str) -> None:
    trait: AnyTrait = LLMRubricTrait.model_validate({"name": "a", "kind": "boolean", **told})
    assert DynamicRubric().resolve_concept_text(trait) == concept

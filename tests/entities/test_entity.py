"""What holds for every entity: strict and lenient building, edits, equality, JSON Schema, names of the package."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from checkpoint_ld import entities, templates
from checkpoint_ld.entities import LENIENT, LLMRubricTrait, Question, RegexRubricTrait, Rubric

NAMES = (
    *("LLMRubricTrait", "RegexRubricTrait", "CallableRubricTrait", "MetricRubricTrait", "AgenticRubricTrait"),
    *("Question", "QuestionRegistryEntry", "Rubric", "DynamicRubric", "RubricEvaluation"),
    *("VerificationMeta", "BaseAnswer", "GroundTruthCase", "ConditionalGroundTruth"),
    *("FieldCheck", "AllOf", "AnyOf", "AtLeastN", "SynonymMap", "TracePrimitive", "VerificationPrimitive"),
    *("TemplateSpec", "TemplateFieldSpec", "VerifyStrategySpec"),
    *("Scenario", "ScenarioNode", "ScenarioEdge", "OutcomeCriterion"),
    *("VerifiedField", "merge_rubrics", "merge_rubrics_with_provenance", "merge_dynamic_rubrics"),
    *("evaluate_strategy", "evaluate_composition", "safe_check", "primitive_of", "apply_normalizers"),
)
PRIMITIVES = (
    *("BooleanMatch", "ExactMatch", "ContainsAny", "ContainsAll", "RegexMatch", "SemanticMatch"),
    *("NumericExact", "NumericTolerance", "NumericRange", "NumericMinimum", "NumericMaximum"),
    *("NumericGraded", "NumericRangeGraded", "NumericThresholdGraded", "SetContainment", "OrderedMatch"),
    *("LiteralMatch", "DateMatch", "DateTolerance", "DateRange", "TraceRegex", "TraceContains", "TraceLength"),
)
MODELS = [
    value
    for value in (getattr(entities, name) for name in entities.__all__)
    if isinstance(value, type) and issubclass(value, BaseModel) and value is not entities.Entity
]
CLASSES = {"no": "it is not", "yes": "it is"}


# Names


def test_everything_is_there_under_its_name() -> None:
    assert set(entities.__all__) >= {*NAMES, *PRIMITIVES}
    assert [getattr(entities, name).__name__ for name in (*NAMES, *PRIMITIVES)] == [*NAMES, *PRIMITIVES]
    assert {name: getattr(entities, name) for name in PRIMITIVES} == dict(entities.PRIMITIVES)
    assert set(templates.__all__) >= {"read_template", "spec_of", "source_of", "validate_spec"}


@pytest.mark.parametrize("package", [entities, templates], ids=["entities", "templates"])
def test_the_names_are_sorted_and_there(package: Any) -> None:
    # Constants, then classes, then functions, each in the order of the alphabet.
    names = package.__all__
    assert names == sorted(names, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    assert all(hasattr(package, name) for name in names)
    assert set(names) <= set(dir(package))
    with pytest.raises(AttributeError, match="no attribute 'Answer'"):
        package.Answer  # noqa: B018  # the point of the test


def test_templates_are_read_without_pydantic() -> None:
    program = "import sys; from checkpoint_ld.templates import read_template; sys.exit('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
@pytest.mark.parametrize("mode", ["validation", "serialization"])
def test_every_entity_has_a_json_schema(model: type[BaseModel], mode: Any) -> None:
    schema = model.model_json_schema(mode=mode)
    root = schema["$defs"][model.__name__] if "$ref" in schema else schema
    assert root["type"] == "object"
    assert json.loads(json.dumps(schema)) == schema


# Edits


def test_an_edit_is_checked_and_changes_nothing_if_it_is_refused() -> None:
    trait = LLMRubricTrait(name="a", kind="score", min_score=1, max_score=5)
    trait.max_score = 9
    assert (trait.min_score, trait.max_score) == (1, 9)
    before = trait.model_copy(deep=True)
    with pytest.raises(ValidationError, match="min_score 1 is not less than max_score 0"):
        trait.max_score = 0
    assert trait == before


def test_an_edit_of_one_field_changes_what_follows_from_it() -> None:
    trait = LLMRubricTrait(name="a", kind="literal", classes=CLASSES)
    with pytest.raises(ValidationError):
        trait.classes = {"no": "it is not", "NO": "nor this"}
    assert (trait.classes, trait.max_score) == (CLASSES, 1)
    trait.classes = {"no": "it is not", "perhaps": "nobody knows", "yes": "it is"}
    assert trait.max_score == 2


def test_an_edit_leaves_the_other_values_in_place() -> None:
    question = Question(question="q", raw_answer="a", keywords=["k"])
    keywords, created = question.keywords, question.date_created
    question.raw_answer = "b"
    keywords.append("l")
    assert (question.keywords, question.date_created) == (["k", "l"], created)


def test_a_field_that_was_edited_counts_as_given() -> None:
    trait = RegexRubricTrait(name="a", pattern="x")
    trait.case_sensitive = True
    assert trait.model_dump(exclude_unset=True) == {"name": "a", "pattern": "x", "case_sensitive": True}


def test_what_is_no_field_can_be_neither_given_nor_set() -> None:
    question = Question(question="q", raw_answer="a")
    with pytest.raises(AttributeError):
        question.id = "mine"  # type: ignore[misc]  # the point of the test
    with pytest.raises(ValueError, match="colour"):
        setattr(question, "colour", "red")  # noqa: B010  # mypy would refuse the plain assignment
    with pytest.raises(ValidationError, match="colour"):
        LLMRubricTrait.model_validate({"name": "a", "kind": "boolean", "colour": "red"})


# What files may have


def test_a_problem_is_refused_from_authors_and_kept_from_files() -> None:
    broken = {"name": "a", "pattern": None}
    with pytest.raises(ValidationError, match="no pattern"):
        RegexRubricTrait.model_validate(broken)
    trait = RegexRubricTrait.model_validate(broken, context=LENIENT)
    assert [(found.condition, found.subject) for found in trait.problems()] == [("W-TRAIT-DEFAULT", "a")]
    with pytest.raises(ValidationError):  # a fault of type is refused from files, too
        RegexRubricTrait.model_validate({"name": "a", "pattern": 5}, context=LENIENT)


def test_a_broken_entity_can_be_repaired_step_by_step_but_not_broken_further() -> None:
    broken = {"yes": "it is", "YES": "it is as well", "no": " "}
    trait = LLMRubricTrait.model_validate({"name": "a", "kind": "literal", "classes": broken}, context=LENIENT)
    assert len(trait.problems()) == 2
    trait.description = "about something else"
    trait.classes = {**broken, "no": "it is not"}
    assert len(trait.problems()) == 1
    with pytest.raises(ValidationError, match="blank"):
        trait.classes = broken
    trait.classes = CLASSES
    assert trait.problems() == ()


def test_entities_are_equal_by_content_however_they_were_built() -> None:
    strict = Rubric(llm_traits=[LLMRubricTrait(name="a", kind="boolean")])
    assert strict == Rubric.model_validate({"llm_traits": [{"name": "a", "kind": "boolean"}]}, context=LENIENT)
    assert strict != Rubric(llm_traits=[LLMRubricTrait(name="b", kind="boolean")])


def test_entities_can_be_copied_and_pickled() -> None:
    question = Question(question="q", raw_answer="a", custom_metadata={"level": [1, None]})
    assert copy.deepcopy(question) == question == pickle.loads(pickle.dumps(question))


@pytest.mark.parametrize(
    ("model", "members"),
    [
        (Question, {"question": "q", "raw_answer": "a", "tags": ["x", None], "id": "0"}),
        (LLMRubricTrait, {"name": "a", "kind": "boolean", "higher_is_better": None}),
    ],
)
def test_validation_does_not_touch_what_it_is_given(model: type[BaseModel], members: dict[str, Any]) -> None:
    before = copy.deepcopy(members)
    model.model_validate(members)
    assert members == before

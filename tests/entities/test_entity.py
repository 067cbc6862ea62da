"""What holds for every entity: strict and lenient building, edits, equality, JSON Schema."""

from __future__ import annotations

import copy
import json
import pickle

import pytest
from pydantic import BaseModel, ValidationError

from checkpoint_ld import entities
from checkpoint_ld.entities import LENIENT, LLMRubricTrait, Question, RegexRubricTrait, Rubric

MODELS = [
    value
    for value in (getattr(entities, name) for name in entities.__all__)
    if isinstance(value, type) and issubclass(value, BaseModel) and value is not entities.Entity
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
@pytest.mark.parametrize("mode", ["validation", "serialization"])
def test_every_entity_has_a_json_schema(model: type[BaseModel], mode: str) -> None:
    schema = model.model_json_schema(mode="validation" if mode == "validation" else "serialization")
    root = schema["$defs"][model.__name__] if "$ref" in schema else schema
    assert root["type"] == "object"
    assert json.loads(json.dumps(schema)) == schema


def test_unknown_members_are_refused() -> None:
    with pytest.raises(ValidationError, match="colour"):
        LLMRubricTrait.model_validate({"name": "a", "kind": "boolean", "colour": "red"})


def test_an_edit_is_checked() -> None:
    trait = LLMRubricTrait(name="a", kind="score", min_score=1, max_score=5)
    trait.max_score = 9
    assert (trait.min_score, trait.max_score) == (1, 9)
    with pytest.raises(ValidationError, match="min_score 1 is not less than max_score 0"):
        trait.max_score = 0


def test_a_refused_edit_changes_nothing() -> None:
    trait = LLMRubricTrait(name="a", kind="literal", classes={"no": "it is not", "yes": "it is"})
    before = trait.model_copy(deep=True)
    with pytest.raises(ValidationError):
        trait.classes = {"no": "it is not", "NO": "nor this"}
    assert trait == before


def test_an_edit_of_one_field_changes_what_follows_from_it() -> None:
    trait = LLMRubricTrait(name="a", kind="literal", classes={"no": "it is not", "yes": "it is"})
    trait.classes = {"no": "it is not", "perhaps": "nobody knows", "yes": "it is"}
    assert trait.max_score == 2


def test_an_edit_leaves_the_other_values_in_place() -> None:
    question = Question(question="q", raw_answer="a", keywords=["k"])
    keywords, created = question.keywords, question.date_created
    question.raw_answer = "b"
    keywords.append("l")
    assert question.keywords == ["k", "l"]
    assert question.date_created == created


def test_a_field_that_was_edited_counts_as_given() -> None:
    trait = RegexRubricTrait(name="a", pattern="x")
    trait.case_sensitive = True
    assert trait.model_dump(exclude_unset=True) == {"name": "a", "pattern": "x", "case_sensitive": True}


def test_an_attribute_that_is_no_field_cannot_be_set() -> None:
    question = Question(question="q", raw_answer="a")
    with pytest.raises(AttributeError):
        question.id = "mine"  # type: ignore[misc]  # the point of the test
    with pytest.raises(ValueError, match="colour"):
        setattr(question, "colour", "red")  # noqa: B010  # mypy would refuse the plain assignment


def test_a_problem_is_refused_from_authors_and_kept_from_files() -> None:
    broken = {"name": "a", "pattern": None}
    with pytest.raises(ValidationError, match="no pattern"):
        RegexRubricTrait.model_validate(broken)
    trait = RegexRubricTrait.model_validate(broken, context=LENIENT)
    assert [(found.condition, found.subject) for found in trait.problems()] == [("W-TRAIT-DEFAULT", "a")]


def test_faults_of_type_are_refused_from_files_too() -> None:
    with pytest.raises(ValidationError):
        RegexRubricTrait.model_validate({"name": "a", "pattern": 5}, context=LENIENT)


def test_a_broken_entity_can_be_repaired_step_by_step_but_not_broken_further() -> None:
    classes = {"yes": "it is", "YES": "it is as well", "no": " "}
    trait = LLMRubricTrait.model_validate({"name": "a", "kind": "literal", "classes": classes}, context=LENIENT)
    assert len(trait.problems()) == 2
    trait.description = "about something else"
    trait.classes = {"yes": "it is", "YES": "it is as well", "no": "it is not"}
    assert len(trait.problems()) == 1
    with pytest.raises(ValidationError, match="blank"):
        trait.classes = {"yes": "it is", "YES": "it is as well", "no": " "}
    trait.classes = {"yes": "it is", "no": "it is not"}
    assert trait.problems() == ()


def test_entities_are_equal_by_content_however_they_were_built() -> None:
    strict = Rubric(llm_traits=[LLMRubricTrait(name="a", kind="boolean")])
    lenient = Rubric.model_validate({"llm_traits": [{"name": "a", "kind": "boolean"}]}, context=LENIENT)
    assert strict == lenient
    assert strict != Rubric(llm_traits=[LLMRubricTrait(name="b", kind="boolean")])


def test_entities_can_be_copied_and_pickled() -> None:
    question = Question(question="q", raw_answer="a", custom_metadata={"level": [1, None]})
    assert copy.deepcopy(question) == question
    assert pickle.loads(pickle.dumps(question)) == question


def test_validation_does_not_touch_what_it_is_given() -> None:
    members = {"question": "q", "raw_answer": "a", "tags": ["x", None], "id": "0"}
    trait = {"name": "a", "kind": "boolean", "higher_is_better": None}
    Question.model_validate(members)
    LLMRubricTrait.model_validate(trait)
    assert members == {"question": "q", "raw_answer": "a", "tags": ["x", None], "id": "0"}
    assert trait == {"name": "a", "kind": "boolean", "higher_is_better": None}

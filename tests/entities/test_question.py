"""Questions and their registry entries."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from checkpoint_ld.entities import LENIENT, Question, QuestionRegistryEntry

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
json_objects = st.dictionaries(st.text(), json_values, max_size=3)

questions = st.builds(
    Question,
    question=st.text(min_size=1),
    raw_answer=st.text(min_size=1),
    keywords=st.lists(st.text(), max_size=3),
    few_shot_examples=st.none() | st.lists(st.dictionaries(st.text(), st.text(), max_size=2), max_size=2),
    date_created=st.text(),
    answer_template=st.none() | st.text(),
    author=st.none() | json_objects,
    sources=st.none() | st.lists(json_objects, max_size=2),
    custom_metadata=st.none() | json_objects,
)


@pytest.mark.parametrize(
    ("text", "expected"), [("a", "0cc175b9c0f1b6a831c399e269772661"), (" ", "7215ee9c7d9dc229d2921a40e899ec5f")]
)
def test_id_is_the_hash_of_the_text(text: str, expected: str) -> None:
    assert Question(question=text, raw_answer="x").id == expected


def test_id_is_the_last_member_of_a_dump_and_follows_the_text() -> None:
    question = Question(question="a", raw_answer="x")
    question.question = " "
    assert list(question.model_dump().items())[-1] == ("id", "7215ee9c7d9dc229d2921a40e899ec5f")


def test_a_given_id_is_ignored() -> None:
    assert Question.model_validate({"question": "a", "raw_answer": "x", "id": "wrong"}).id.startswith("0cc1")


@given(questions)
def test_a_dump_is_read_back(question: Question) -> None:
    assert Question.model_validate(question.model_dump()) == question
    assert Question.model_validate_json(question.model_dump_json()) == question


@pytest.mark.parametrize(
    ("members", "keywords"),
    [
        ({"tags": ["x", None, "y"]}, ["x", "y"]),
        ({"tags": ["x"], "keywords": ["k"]}, ["k"]),
        ({"tags": None}, []),
        ({"tags": "metal"}, ["metal"]),
        ({}, []),
    ],
)
def test_tags_are_keywords_where_there_are_none(members: dict[str, Any], keywords: list[str]) -> None:
    question = Question.model_validate({"question": "a", "raw_answer": "x", **members})
    assert question.keywords == keywords


def test_tags_that_are_no_texts_are_refused() -> None:
    with pytest.raises(ValidationError):
        Question.model_validate({"question": "a", "raw_answer": "x", "tags": [1]})
    with pytest.raises(ValidationError):
        Question.model_validate({"question": "a", "raw_answer": "x", "tags": 1})


@pytest.mark.parametrize("missing", ["question", "raw_answer"])
def test_text_and_answer_are_needed(missing: str) -> None:
    members = {"question": "a", "raw_answer": "x"}
    with pytest.raises(ValidationError):
        Question.model_validate({**members, missing: ""})
    with pytest.raises(ValidationError):
        Question.model_validate({name: value for name, value in members.items() if name != missing})


def test_the_json_schema_says_that_text_and_answer_are_needed() -> None:
    properties = Question.model_json_schema()["properties"]
    assert [properties[name]["minLength"] for name in ("question", "raw_answer")] == [1, 1]


def test_a_file_may_lack_the_answer_but_not_the_text() -> None:
    question = Question.model_validate({"question": "a", "raw_answer": ""}, context=LENIENT)
    assert [found.condition for found in question.problems()] == ["W-ANSWER-MISSING"]
    with pytest.raises(ValidationError):
        Question.model_validate({"question": "", "raw_answer": "x"}, context=LENIENT)


def test_few_shot_examples_are_pairs_of_texts() -> None:
    example = {"question": "1+1?", "answer": "2"}
    assert Question(question="a", raw_answer="x", few_shot_examples=[example]).few_shot_examples == [example]
    with pytest.raises(ValidationError):
        Question.model_validate({"question": "a", "raw_answer": "x", "few_shot_examples": [{"answer": 2}]})


def test_metadata_that_no_file_can_hold_is_refused() -> None:
    with pytest.raises(ValidationError):
        Question.model_validate({"question": "a", "raw_answer": "x", "custom_metadata": {"on": datetime.now()}})


def test_new_dates_are_moments_and_given_dates_are_kept_as_they_are() -> None:
    assert datetime.fromisoformat(Question(question="a", raw_answer="x").date_created).tzinfo is not None
    assert Question(question="a", raw_answer="x", date_created="last spring").date_created == "last spring"


def test_a_registry_entry_starts_unfinished() -> None:
    entry = QuestionRegistryEntry()
    assert entry.finished is False
    assert datetime.fromisoformat(entry.date_added) <= datetime.fromisoformat(entry.date_modified)
    with pytest.raises(ValidationError):
        QuestionRegistryEntry.model_validate({"done": True})

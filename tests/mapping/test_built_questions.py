"""Questions that are put together without pydantic are what pydantic makes of the same members."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from checkpoint_ld.entities import Question
from checkpoint_ld.mapping.built_questions import built, checked, question
from tests.mapping import Json, json_values

texts = st.text(max_size=8) | st.sampled_from(["", "\ud83d", "\ud83d\ude00", "😀", " ", "a\x00b"])
optional = st.none() | texts
objects = st.dictionaries(texts, json_values, max_size=2)
members_of_questions = st.fixed_dictionaries(
    {
        "question": texts,
        "raw_answer": texts,
        "keywords": st.lists(texts, max_size=3),
        "few_shot_examples": st.none() | st.lists(st.dictionaries(texts, texts, max_size=2), max_size=2),
        "date_created": texts,
        "date_modified": texts,
        "answer_template": optional,
        "answer_notes": optional,
        "author": st.none() | objects,
        "sources": st.none() | st.lists(objects, max_size=2),
        "custom_metadata": st.none() | objects,
        "question_rubric": st.none() | objects,
        "question_dynamic_rubric": st.none() | objects,
        "workspace_path": optional,
    }
).map(lambda members: {name: members[name] for name in Question.model_fields})


def told(one: Question) -> list[Any]:
    """Return all that there is to see of a question, in its order."""
    return [
        one,
        type(one),
        repr(vars(one)),
        one.model_fields_set,
        one.model_extra,
        one.__pydantic_private__,
        repr(one.model_dump(exclude={"id"})),
        one.problems(),
        one.id,
    ]


def outcome(make: Any, members: Json) -> Any:
    try:
        return told(make(members))
    except ValidationError as error:
        return str(error)


@given(members_of_questions)
def test_a_question_is_what_pydantic_makes_of_it(members: Json) -> None:
    assert outcome(question, dict(members)) == outcome(checked, dict(members))


@given(members_of_questions, st.sampled_from(list(Question.model_fields)), json_values | texts)
def test_a_question_is_edited_like_any_other(members: Json, name: str, value: Json) -> None:
    def edited(make: Any) -> Any:
        one = make(dict(members))
        setattr(one, name, value)
        return one

    assert outcome(lambda _: edited(question), members) == outcome(lambda _: edited(checked), members)


def test_a_copy_of_a_question_is_a_question_of_its_own() -> None:
    members = dict.fromkeys(Question.model_fields) | {"question": "q", "raw_answer": "a", "keywords": ["k"]}
    one = built({**members, "date_created": "", "date_modified": ""})
    for other in (one.model_copy(deep=True), Question.model_validate(one.model_dump(exclude={"id"}))):
        assert other == one
        other.keywords.append("l")
        other.raw_answer = "b"
        assert (one.keywords, one.raw_answer) == (["k"], "a")


@pytest.mark.parametrize(("text", "fault"), [("", "at least 1 character"), ("\ud83d", "unicode")])
def test_a_text_that_is_no_questions_is_refused(text: str, fault: str) -> None:
    members = dict.fromkeys(Question.model_fields) | {"raw_answer": "a", "keywords": []}
    with pytest.raises(ValidationError, match=fault):
        question({**members, "question": text, "date_created": "", "date_modified": ""})

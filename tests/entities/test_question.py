"""Questions and their registry entries, and what a benchmark says about itself."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from checkpoint_ld.entities import LENIENT, BenchmarkMetadata, Organization, Person, Question, QuestionRegistryEntry

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
LEAST = {"question": "a", "raw_answer": "x"}


def made(**members: Any) -> Question:
    return Question.model_validate({**LEAST, **members})


def test_id_is_the_hash_of_the_text_and_the_last_member_of_a_dump() -> None:
    question = made(id="wrong")
    assert question.id == "0cc175b9c0f1b6a831c399e269772661"
    question.question = " "
    assert list(question.model_dump().items())[-1] == ("id", "7215ee9c7d9dc229d2921a40e899ec5f")


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
    assert made(**members).keywords == keywords


@pytest.mark.parametrize(
    "members",
    [
        {"tags": [1]},
        {"tags": 1},
        {"question": ""},
        {"raw_answer": ""},
        {"few_shot_examples": [{"answer": 2}]},
        {"custom_metadata": {"on": datetime(2026, 1, 1)}},
    ],
)
def test_what_no_file_can_hold_is_refused(members: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        made(**members)


@pytest.mark.parametrize("missing", LEAST)
def test_text_and_answer_are_needed(missing: str) -> None:
    with pytest.raises(ValidationError):
        Question.model_validate({name: value for name, value in LEAST.items() if name != missing})
    assert Question.model_json_schema()["properties"][missing]["minLength"] == 1


def test_a_file_may_lack_the_answer_but_not_the_text() -> None:
    question = Question.model_validate({"question": "a", "raw_answer": ""}, context=LENIENT)
    assert [found.condition for found in question.problems()] == ["W-ANSWER-MISSING"]
    with pytest.raises(ValidationError):
        Question.model_validate({"question": "", "raw_answer": "x"}, context=LENIENT)


def test_few_shot_examples_are_pairs_of_texts() -> None:
    example = {"question": "1+1?", "answer": "2"}
    assert made(few_shot_examples=[example]).few_shot_examples == [example]


def test_new_dates_are_moments_and_given_dates_are_kept_as_they_are() -> None:
    for now in (made().date_created, BenchmarkMetadata(name="M").created_at):
        assert datetime.fromisoformat(now).tzinfo is not None
    assert made(date_created="last spring").date_created == "last spring"
    assert BenchmarkMetadata(name="M", modified_at="spring").modified_at == "spring"


def test_a_registry_entry_starts_unfinished() -> None:
    entry = QuestionRegistryEntry()
    assert entry.finished is False
    assert datetime.fromisoformat(entry.date_added) <= datetime.fromisoformat(entry.date_modified)
    with pytest.raises(ValidationError):
        QuestionRegistryEntry.model_validate({"done": True})


# Benchmarks

PERSON = {"@type": "Person", "name": "A. Smith", "email": "a@example.org", "affiliation": {"@type": "Organization"}}
ORGANIZATION = {"@type": "Organization", "name": "Metals Ltd", "logo": "https://example.org/logo.png"}


def created_by(creator: object) -> BenchmarkMetadata:
    return BenchmarkMetadata.model_validate({"name": "Metals", "creator": creator})


@pytest.mark.parametrize(("creator", "cls"), [(PERSON, Person), (ORGANIZATION, Organization)])
def test_a_creator_is_written_as_it_was_read(creator: dict[str, Any], cls: type) -> None:
    metadata = created_by(creator)
    assert isinstance(metadata.creator, cls)
    assert metadata.model_dump(mode="json", by_alias=True, exclude_none=True)["creator"] == creator


def test_a_creator_may_be_a_name_an_untyped_person_or_several() -> None:
    assert created_by("A. Smith").creator == "A. Smith"
    assert created_by({"name": "A. Smith"}).creator == Person(name="A. Smith")
    assert created_by(["A. Smith", ORGANIZATION]).creator == ["A. Smith", Organization.model_validate(ORGANIZATION)]


@pytest.mark.parametrize("creator", [5, {"@type": "Person"}, {"@type": "Dog", "name": "Rex"}, {"name": ""}])
def test_other_things_create_nothing(creator: object) -> None:
    with pytest.raises(ValidationError):
        created_by(creator)


@pytest.mark.parametrize("creator", [Person(name="A"), Organization(name="A")])
def test_a_creator_can_be_edited(creator: Person | Organization) -> None:
    creator.name = "B"
    assert creator.model_dump(by_alias=True, exclude_none=True) == {"@type": creator.type, "name": "B"}
    with pytest.raises(ValidationError):
        creator.type = "Dog"  # type: ignore[assignment]  # the point of the test


def test_a_benchmark_has_a_name_and_what_else_is_not_stated_is_none() -> None:
    metadata = BenchmarkMetadata(name="M")
    held = (metadata.name, metadata.id, metadata.description, metadata.version, metadata.creator)
    assert held == ("M", None, None, None, None)
    with pytest.raises(ValidationError):
        BenchmarkMetadata(name="")

"""Rubrics: the traits of a checkpoint or of a question, in ratings and in the places of older files."""

from __future__ import annotations

import json

import pytest

from checkpoint_ld.entities import LLMRubricTrait, RegexRubricTrait
from checkpoint_ld.mapping.traits import dynamic_rubric_of, rating_of, rubric_of
from tests.documents import rating, setting
from tests.mapping import Json


def names(rubric: Json) -> list[str]:
    return [one.name for one in rubric.traits()] if rubric else []


def test_static_and_dynamic_traits_make_two_rubrics() -> None:
    dynamic = rating_of(RegexRubricTrait(name="mg", pattern="mg", summary="a dose"), "Global", dynamic=True)
    holder = {"rating": [rating("tone", "Global"), dynamic]}
    assert names(rubric_of(holder)) == ["tone"]
    assert names(dynamic_rubric_of(holder)) == ["mg"]


@pytest.mark.parametrize("holder", [{}, {"rating": []}, {"rating": [{"@type": "Rating", "ratingValue": 1}]}])
def test_no_traits_make_no_rubric(holder: Json) -> None:
    assert rubric_of(holder) is None
    assert dynamic_rubric_of(holder) is None


def test_traits_are_listed_by_kind_and_keep_their_order() -> None:
    llm = rating_of(LLMRubricTrait(name="z", kind="boolean"), "Global")
    holder = {"rating": [rating("b", "Global"), llm, rating("a", "Global")]}
    assert names(rubric_of(holder)) == ["z", "b", "a"]


def test_global_types_in_a_question_are_traits_of_the_question() -> None:
    assert names(rubric_of({"rating": [rating("complete", "Global")]})) == ["complete"]


def test_names_that_karenina_cannot_use_are_kept() -> None:
    assert names(rubric_of({"rating": [rating("a.b", "Global"), rating("a.b", "Global")]})) == ["a.b", "a.b"]


def test_traits_in_old_properties_count_where_no_rating_has_their_name() -> None:
    listed = [{"name": "tone", "pattern": "old"}, {"name": "cites", "pattern": "c", "invert": True}]
    properties = [
        setting("global_regex_rubric_traits", json.dumps(listed)),
        setting("global_rubric_traits", [{"name": "depth", "min_score": 0, "max_score": 9}]),
    ]
    rubric = rubric_of({"rating": [rating("tone", "Global", pattern="new")], "additionalProperty": properties})
    assert rubric is not None
    assert [(one.name, one.pattern, one.invert_result) for one in rubric.regex_traits] == [
        ("tone", "new", False),
        ("cites", "c", True),
    ]
    assert [(one.kind, one.max_score) for one in rubric.llm_traits] == [("score", 9)]


def test_a_rubric_in_a_plain_member_counts() -> None:
    whole = {
        "llm_traits": [{"name": "a"}],
        "traits": [{"type": "RegexTrait", "name": "b", "pattern": "x"}],
        "name": "n",
    }
    assert names(rubric_of({"globalRubric": whole})) == ["a", "b"]


@pytest.mark.parametrize(
    "value", ["[", '{"name": "a"}', 5, None, '[5, {"pattern": "x"}, {"name": "a", "pattern": "("}]']
)
def test_what_is_no_trait_in_an_old_property_stays_there(value: Json) -> None:
    assert rubric_of({"additionalProperty": [setting("global_regex_rubric_traits", value)]}) is None

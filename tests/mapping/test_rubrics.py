"""Rubrics: the traits of a checkpoint or of a question, in ratings and in older places, and what they are dumped as."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld.entities import LLMRubricTrait, RegexRubricTrait
from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph.literals import same
from checkpoint_ld.mapping import traits as mapped
from checkpoint_ld.mapping.traits import dynamic_rubric_of, rating_of, rubric_of
from tests.documents import rating, setting
from tests.mapping import Json, traits

DYNAMIC = rating_of(RegexRubricTrait(name="mg", pattern="mg", summary="a dose"), "Global", dynamic=True)
JUDGED = rating_of(LLMRubricTrait(name="z", kind="boolean"), "Global")
OLD = {"llm_traits": [{"name": "a"}], "traits": [{"type": "RegexTrait", "name": "b", "pattern": "x"}], "name": "n"}


def names(rubric: Json) -> list[str]:
    return [one.name for one in rubric.traits()] if rubric else []


@pytest.mark.parametrize(
    ("holder", "static", "dynamic"),
    [
        ({"rating": [rating("tone", "Global"), DYNAMIC]}, ["tone"], ["mg"]),
        ({"rating": [rating("b", "Global"), JUDGED, rating("a", "Global")]}, ["z", "b", "a"], []),
        ({"rating": [rating("a.b", "Global"), rating("a.b", "Global")]}, ["a.b", "a.b"], []),
        ({"@type": "Question", "rating": [rating("complete", "Global")]}, ["complete"], []),
        ({"globalRubric": OLD}, ["a", "b"], []),
    ],
    ids=["static and dynamic", "by kind and in order", "names that Karenina cannot use", "of a question", "older"],
)
def test_traits_make_rubrics(holder: Json, static: list[str], dynamic: list[str]) -> None:
    assert (names(rubric_of(holder)), names(dynamic_rubric_of(holder))) == (static, dynamic)


@pytest.mark.parametrize("holder", [{}, {"rating": []}, {"rating": [{"@type": "Rating", "ratingValue": 1}]}])
def test_no_traits_make_no_rubric(holder: Json) -> None:
    assert (rubric_of(holder), dynamic_rubric_of(holder)) == (None, None)


def test_traits_in_old_properties_count_where_no_rating_has_their_name() -> None:
    listed = [{"name": "tone", "pattern": "old"}, {"name": "cites", "pattern": "c", "invert": True}]
    properties = [setting("global_regex_rubric_traits", json.dumps(listed))]
    properties.append(setting("global_rubric_traits", [{"name": "depth", "min_score": 0, "max_score": 9}]))
    rubric = rubric_of({"rating": [rating("tone", "Global", pattern="new")], "additionalProperty": properties})
    assert rubric is not None
    found = [(one.name, one.pattern, one.invert_result) for one in rubric.regex_traits]
    assert found == [("tone", "new", False), ("cites", "c", True)]
    assert [(one.kind, one.max_score) for one in rubric.llm_traits] == [("score", 9)]


@pytest.mark.parametrize(
    "value", ["[", '{"name": "a"}', 5, None, '[5, {"pattern": "x"}, {"name": "a", "pattern": "("}]']
)
def test_what_is_no_trait_in_an_old_property_stays_there(value: Json) -> None:
    assert rubric_of({"additionalProperty": [setting("global_regex_rubric_traits", value)]}) is None


# Rubrics as questions have them

ODD = st.sampled_from(
    [
        *(None, True, False, 0, 1, 5, 1.0, 0.0, -0.0, 1.5, "1", "", "a", "null", "score", "literal", "boolean", "llm"),
        *(2**70, float("nan"), float("inf"), "\ud83d", "😀", [], ["a"], [1, None], {}, {"a": "b"}, '["a"]', '{"a": 1}'),
        {"type": "template", "schema": {"properties": {"a": [None, 1.0]}}},
        *("karenina:GlobalRegexTrait", "karenina:QuestionSpecificDynamicRubricTrait", "NoTrait"),
    ]
)
MEMBERS = st.sampled_from(
    [
        *("name", "description", "bestRating", "worstRating", "additionalType", "additionalProperty", "@id", "other"),
        *("deep_judgment_enabled", "deep_judgment_max_excerpts"),
    ]
)
SETTINGS = st.sampled_from(
    [
        *("kind", "min_score", "max_score", "classes", "higher_is_better", "pattern", "metrics", "summary", "invert"),
        *("dynamic_trait_type", "callable_code", "name", "description", "deep_judgment_enabled", "model_override"),
    ]
)


@st.composite
def ratings(draw: st.DrawFn) -> Json:
    """Ratings of all kinds of traits, some of them damaged."""
    one = rating_of(draw(traits), "QuestionSpecific", dynamic=draw(st.booleans()))
    one |= draw(st.dictionaries(MEMBERS, ODD, max_size=2))
    for name, value in draw(st.dictionaries(SETTINGS, ODD, max_size=2)).items():
        if isinstance(one["additionalProperty"], list):
            one["additionalProperty"].append(setting(name, value))
    return one


def outcome(dump: Any, holder: Json) -> Any:
    try:
        return dump(holder)
    except ReadError as error:
        return str(error)


def dumped(holder: Json) -> Any:
    return mapped.dumped(mapped.traits_of(holder)), mapped.dumped(mapped.dynamic_traits_of(holder))


def by_entities(holder: Json) -> Any:
    held = rubric_of(holder), dynamic_rubric_of(holder)
    return tuple(one and one.model_dump(mode="json") for one in held)


def agrees(holder: Json) -> Any:
    """Hold rubrics as questions have them against what the entities are dumped as; return what they are."""
    before = copy.deepcopy(holder)
    expected = outcome(by_entities, holder)
    assert repr(outcome(dumped, holder)) == repr(expected)
    assert repr(holder) == repr(before)
    return expected


@given(
    st.lists(ratings() | ODD, max_size=4), st.sampled_from([{}, {"globalRubric": {"llm_traits": [{"name": "old"}]}}])
)
def test_rubrics_are_dumped_as_the_entities_are(held: list[Json], beside: Json) -> None:
    agrees({"@type": "Question", "rating": held, **beside})


def test_the_first_trait_that_cannot_be_read_is_named() -> None:
    dynamic = rating("dynamic", dynamic_trait_type="regex", pattern="(")
    dynamic["additionalType"] = "karenina:QuestionSpecificDynamicRubricTrait"
    assert "'static'" in agrees({"rating": [dynamic, rating("static", pattern="[")]})


@pytest.mark.parametrize("first", [1, 1.0, True, "1"])
@pytest.mark.parametrize("second", [1, 1.0, True, "1"])
def test_values_that_are_equal_but_not_the_same_are_distinguished(first: Json, second: Json) -> None:
    forms = [{"type": "template", "schema": {"default": value}} for value in (first, second)]
    held = [{**rating("a", kind=kind), "additionalType": "QuestionSpecificLLMRubricTrait"} for kind in forms]
    rubric, _ = agrees({"rating": held})
    assert same([one["kind"]["schema"]["default"] for one in rubric["llm_traits"]], [first, second])


def test_older_traits_are_among_them() -> None:
    trait = '[{"name": "old", "pattern": "x"}]'
    holder = {"rating": [rating()], "additionalProperty": [setting("global_regex_rubric_traits", trait)]}
    rubric, dynamic = agrees(holder)
    assert ([one["name"] for one in rubric["regex_traits"]], dynamic) == (["cites", "old"], None)

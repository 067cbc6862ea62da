"""Rubrics as questions have them are what the entities are dumped as."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld.errors import ReadError
from checkpoint_ld.graph.literals import same
from checkpoint_ld.mapping import traits as mapped
from checkpoint_ld.mapping.traits import rating_of
from tests.documents import rating, setting
from tests.mapping import Json, traits

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
    for key, value in draw(st.dictionaries(MEMBERS, ODD, max_size=2)).items():
        one[key] = value
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
    held = mapped.rubric_of(holder), mapped.dynamic_rubric_of(holder)
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
    dynamic = {**rating("dynamic", dynamic_trait_type="regex", pattern="("), "name": "dynamic"}
    dynamic["additionalType"] = "karenina:QuestionSpecificDynamicRubricTrait"
    fault = agrees({"rating": [dynamic, rating("static", pattern="[")]})
    assert "'static'" in fault


@pytest.mark.parametrize("first", [1, 1.0, True, "1"])
@pytest.mark.parametrize("second", [1, 1.0, True, "1"])
def test_values_that_are_equal_but_not_the_same_are_told_apart(first: Json, second: Json) -> None:
    form = {"type": "template", "schema": {"default": first}}
    other = {"type": "template", "schema": {"default": second}}
    held = [{**rating("a", kind=kind), "additionalType": "QuestionSpecificLLMRubricTrait"} for kind in (form, other)]
    rubric, _ = agrees({"rating": held})
    told = [one["kind"]["schema"]["default"] for one in rubric["llm_traits"]]
    assert same(told, [first, second])


def test_older_traits_are_among_them() -> None:
    trait = '[{"name": "old", "pattern": "x"}]'
    holder = {"rating": [rating()], "additionalProperty": [setting("global_regex_rubric_traits", trait)]}
    rubric, dynamic = agrees(holder)
    assert dynamic is None
    assert [one["name"] for one in rubric["regex_traits"]] == ["cites", "old"]

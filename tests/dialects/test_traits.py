"""Rubric traits of the GUI's state as ratings, and back."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld.dialects.traits import Family, rating_from_v2, trait_from_rating
from tests.dialects import Json, prop, settings

QUESTION = "QuestionSpecific"
CLASSES = {"poor": "weak", "good": "strong", "best": "excellent"}
SCHEMA = {"type": "template", "schema": {"type": "object"}}


def there(family: Family, **trait: Json) -> dict[str, Any]:
    return rating_from_v2(family, {"name": "t", **trait}, QUESTION)


def back(**members: Json) -> tuple[Family, dict[str, Any]]:
    rating = {"@type": "Rating", "name": "t", "bestRating": 1.0, "worstRating": 0.0, **members}
    found = trait_from_rating(rating, QUESTION)
    assert found is not None
    return found


def test_a_boolean_trait_becomes_a_rating_from_0_to_1() -> None:
    rating = there("llm", kind="boolean", description="Is it?", higher_is_better=False)

    assert rating == {
        "@type": "Rating",
        "name": "t",
        "description": "Is it?",
        "bestRating": 1.0,
        "worstRating": 0.0,
        "additionalType": "karenina:QuestionSpecificRubricTrait",
        "additionalProperty": [prop("higher_is_better", False), prop("kind", "boolean")],
    }
    assert isinstance(rating["bestRating"], float)


@pytest.mark.parametrize(
    ("trait", "bounds"),
    [
        ({"kind": "score", "min_score": 0, "max_score": 10}, (0, 10)),
        ({"kind": "score", "min_score": -3, "max_score": 3}, (-3, 3)),
        ({"kind": "score", "min_score": 0.5, "max_score": 2.5}, (0.5, 2.5)),
        ({"kind": "score", "min_score": 0, "max_score": 1}, (0, 1)),
        ({"kind": "score"}, (1, 5)),
        ({"kind": "score", "max_score": None}, (1, 5)),
        ({"max_score": 3}, (1, 3)),
        ({"scale": [4, 2, 3]}, (2, 4)),
    ],
)
def test_a_score_trait_states_its_range_twice(trait: dict[str, Json], bounds: tuple[float, float]) -> None:
    rating = there("llm", **trait)
    made = settings(rating)

    assert (rating["worstRating"], rating["bestRating"]) == bounds
    assert (made["min_score"], made["max_score"]) == bounds
    assert made["kind"] == "score"


def test_a_trait_without_kind_and_range_is_boolean() -> None:
    assert settings(there("llm"))["kind"] == "boolean"


@pytest.mark.parametrize("direction", [{}, {"higher_is_better": None}])
def test_more_is_better_unless_the_trait_states_otherwise(direction: dict[str, Json]) -> None:
    assert settings(there("llm", **direction))["higher_is_better"] is True


def test_the_classes_of_a_literal_trait_keep_their_order_and_make_its_range() -> None:
    rating = there("llm", kind="literal", classes=CLASSES)

    assert rating["additionalType"] == "karenina:QuestionSpecificLLMRubricTrait"
    assert (rating["bestRating"], rating["worstRating"]) == (2.0, 0.0)
    assert list(settings(rating)["classes"]) == ["poor", "good", "best"]


def test_a_template_trait_has_no_range_and_no_direction() -> None:
    rating = there("llm", kind=SCHEMA)

    assert rating["additionalType"] == "karenina:QuestionSpecificLLMRubricTrait"
    assert (rating["bestRating"], rating["worstRating"]) == (0.0, 0.0)
    assert rating["additionalProperty"] == [prop("higher_is_better"), prop("kind", SCHEMA)]


def test_the_old_name_of_an_inverted_result_is_understood() -> None:
    assert settings(there("regex", pattern="x", invert=True)) == {"pattern": "x", "invert_result": True}
    assert settings(there("regex", pattern="x", invert=True, invert_result=False))["invert_result"] is False


def test_the_guis_name_of_the_full_matrix_is_understood() -> None:
    rating = there("metric", evaluation_mode="tp_and_tn", metrics=["accuracy"])

    assert rating["additionalType"] == "karenina:QuestionSpecificMetricRubricTrait"
    assert settings(rating) == {"evaluation_mode": "full_matrix", "metrics": ["accuracy"]}


@pytest.mark.parametrize(
    ("trait", "bounds"),
    [
        ({"kind": "boolean"}, (0, 1)),
        ({"kind": "score", "min_score": 0, "max_score": 7}, (0, 7)),
        ({"kind": "score"}, (1, 5)),
        ({}, (0, 1)),
    ],
)
def test_the_range_of_a_callable_trait(trait: dict[str, Json], bounds: tuple[float, float]) -> None:
    rating = there("callable", callable_code="AAAA", **trait)

    assert (rating["worstRating"], rating["bestRating"]) == bounds
    assert settings(rating) == {"callable_code": "AAAA", **trait}


def test_members_that_no_trait_has_stay_members() -> None:
    rating = there("llm", kind="boolean", weight=2)

    assert rating["weight"] == 2
    assert back(**rating)[1]["weight"] == 2


def test_a_member_whose_name_means_something_on_a_rating_is_parked_and_comes_back() -> None:
    rating = there("llm", kind="boolean", bestRating="five")

    assert rating["bestRating"] == 1.0
    assert back(**rating)[1]["bestRating"] == "five"


def test_a_rating_without_kind_is_boolean_or_score_by_its_range() -> None:
    kind = "karenina:GlobalRubricTrait"

    assert back(additionalType=kind)[1]["kind"] == "boolean"
    assert back(additionalType=kind, bestRating=9.0, worstRating=2.0)[1] == {
        "name": "t",
        "kind": "score",
        "min_score": 2,
        "max_score": 9,
        "higher_is_better": True,
        "x_karenina": {"additionalType": kind},
    }


def test_a_range_from_0_to_1_is_a_score_if_the_properties_state_so() -> None:
    unit = [prop("min_score", 0), prop("max_score", 1)]
    idle = [prop("min_score", 1), prop("max_score", 5)]
    kind = "karenina:QuestionSpecificRubricTrait"

    assert back(additionalType=kind, additionalProperty=unit)[1]["kind"] == "score"
    trait = back(additionalType=kind, additionalProperty=idle)[1]
    assert trait == {"name": "t", "kind": "boolean", "higher_is_better": True}


def test_a_range_that_contradicts_itself_survives() -> None:
    entries = [prop("higher_is_better", True), prop("min_score", 1), prop("max_score", 5), prop("kind", "score")]
    rating = {
        "@type": "Rating",
        "name": "t",
        "bestRating": 1.0,
        "worstRating": 5.0,
        "additionalType": "karenina:QuestionSpecificRubricTrait",
        "additionalProperty": entries,
    }
    found = trait_from_rating(rating, QUESTION)

    assert found is not None
    assert (found[1]["min_score"], found[1]["max_score"]) == (5, 1)
    assert settings(rating_from_v2(*found, QUESTION)) == settings(rating)


@pytest.mark.parametrize(
    "rating",
    [
        {"additionalType": "karenina:GlobalAgenticRubricTrait"},
        {"additionalType": "karenina:GlobalDynamicRubricTrait"},
        {"additionalType": "karenina:GlobalLLMRubricTrait", "additionalProperty": [prop("kind", SCHEMA)]},
        {"additionalType": "karenina:GlobalRegxTrait"},
        {"additionalType": "karenina:GlobalRegexTrait", "additionalProperty": {}},
        {"name": "t"},
        "text",
    ],
)
def test_what_the_state_cannot_hold_is_no_trait(rating: Json) -> None:
    assert trait_from_rating(rating, "Global") is None


def test_a_trait_that_states_its_direction_gets_its_other_gaps_filled() -> None:
    kind = "karenina:QuestionSpecificRegexTrait"
    pattern = prop("pattern", "x")

    assert back(additionalType=kind, additionalProperty=[pattern])[1] == {"name": "t", "pattern": "x"}
    assert back(additionalType=kind, additionalProperty=[pattern, prop("higher_is_better", True)])[1] == {
        "name": "t",
        "pattern": "x",
        "case_sensitive": True,
        "invert_result": False,
        "higher_is_better": True,
    }


def test_an_identifier_that_the_gui_makes_anew_is_not_kept() -> None:
    kind = "karenina:QuestionSpecificRubricTrait"

    assert "@id" not in back(**{"@id": "urn:uuid:rating-t"}, additionalType=kind)[1]
    assert back(**{"@id": "urn:uuid:mine"}, additionalType=kind)[1]["@id"] == "urn:uuid:mine"


NAMES = st.text(min_size=1, max_size=8)
SHARED = {"name": NAMES, "description": NAMES, "higher_is_better": st.booleans()}
SCORE = {"kind": st.just("score"), "min_score": st.integers(-9, 0), "max_score": st.integers(1, 9)}
LLM = st.one_of(
    st.fixed_dictionaries({**SHARED, "kind": st.just("boolean")}, optional={"deep_judgment_enabled": st.booleans()}),
    st.fixed_dictionaries({**SHARED, **SCORE}, optional={"summary": NAMES, "weight": st.integers()}),
    st.fixed_dictionaries({**SHARED, "kind": st.just("literal"), "classes": st.dictionaries(NAMES, NAMES, min_size=2)}),
)
REGEX = st.fixed_dictionaries(
    {**SHARED, "pattern": NAMES, "case_sensitive": st.booleans(), "invert_result": st.booleans()}
)
CALLABLE = st.fixed_dictionaries(
    {**SHARED, "callable_code": NAMES, "invert_result": st.booleans(), "kind": st.just("boolean")}
) | st.fixed_dictionaries({**SHARED, "callable_code": NAMES, "invert_result": st.booleans(), **SCORE})
TEXTS = st.lists(NAMES, max_size=3)
METRIC = st.fixed_dictionaries(
    {
        "name": NAMES,
        "evaluation_mode": st.sampled_from(["tp_only", "full_matrix"]),
        "metrics": TEXTS,
        "tp_instructions": TEXTS,
        "tn_instructions": TEXTS,
        "repeated_extraction": st.booleans(),
    }
)


@given(
    st.one_of(
        st.tuples(st.just("llm"), LLM),
        st.tuples(st.just("regex"), REGEX),
        st.tuples(st.just("callable"), CALLABLE),
        st.tuples(st.just("metric"), METRIC),
    ),
    st.sampled_from(["Global", QUESTION]),
)
def test_a_complete_trait_comes_back_as_it_was(trait: tuple[Family, dict[str, Any]], scope: str) -> None:
    rating = rating_from_v2(*trait, scope)

    assert trait_from_rating(rating, scope) == trait

"""What is checked about ratings as such: name, type, scope, range."""

from __future__ import annotations

import pytest

from checkpoint_ld.checks import check
from checkpoint_ld.vocabulary import TRAIT_TYPES
from tests.checks import QUESTION, RATING, Json, asked, found, rated, rating, root

SCORE = {"min_score": 0, "max_score": 1}


@pytest.mark.parametrize("name", [None, "", 5])
def test_a_trait_needs_a_name(name: Json) -> None:
    assert found(rated(name=name)) == [("E-RATING", f"{RATING}/name")]


def test_a_dot_in_a_name_is_reported() -> None:
    assert found(rated(name="a.b")) == [("W-TRAIT-NAME", f"{RATING}/name")]


def test_the_second_of_two_traits_with_one_name_is_reported_whatever_their_kinds() -> None:
    tree = asked(rating=[rating("cites"), rated()["rating"][0] | {"name": "other"}, rating("cites")])

    assert ("W-DUP-TRAIT", f"{QUESTION}/rating/2/name") in found(tree)
    assert "W-DUP-TRAIT" not in {code for code, _ in found(asked(rating=[rating("cites"), rating("tone")]))}


def test_a_question_may_have_a_trait_named_like_a_global_one() -> None:
    assert found({**asked(rating=[rating("same")]), "rating": [rating("same", "Global")]}) == []


def test_a_dynamic_trait_may_have_the_name_of_a_static_one() -> None:
    static, dynamic = rating("same", "Global"), rating("same", "Global", dynamic_trait_type="regex", pattern="x")
    dynamic["additionalType"] = "karenina:GlobalDynamicRubricTrait"

    assert found(root(rating=[static, dynamic])) == []
    assert found(root(rating=[dynamic, dynamic])) == [("W-DUP-TRAIT", "/rating/1/name")]


@pytest.mark.parametrize("kind", [None, 5, ["karenina:GlobalRubricTrait"], "InvalidType", "karenina:", "x" * 100_000])
def test_an_unknown_type_is_the_only_fault_of_its_rating(kind: Json) -> None:
    assert found(rated(additionalType=kind, bestRating=None, worstRating=None)) == [
        ("E-TRAIT-TYPE", f"{RATING}/additionalType")
    ]


def test_the_nearest_known_type_is_proposed() -> None:
    (finding,) = check(
        asked(rating=[rating() | {"name": "certainty", "additionalType": "karenina:QuestionSpecificRegxTrait"}])
    )

    assert finding.message == 'unknown type "karenina:QuestionSpecificRegxTrait"'
    assert finding.remedy == "did you mean karenina:QuestionSpecificRegexTrait?"
    assert finding.subject == 'question "Which metal is liquid at 20 °C?", trait "certainty"'


def test_a_type_like_no_other_gets_the_list_of_its_scope() -> None:
    (finding,) = check(rated(additionalType="zzz"))

    assert "karenina:GlobalMetricRubricTrait" in finding.remedy
    assert "QuestionSpecific" not in finding.remedy


@pytest.mark.parametrize(
    "prefix", ["", "karenina:", "urn:karenina:vocab:", "https://schema.org/", "http://schema.org/"]
)
def test_every_spelling_of_a_type_is_taken(prefix: str) -> None:
    assert found(rated(additionalType=f"{prefix}GlobalRubricTrait")) == []


@pytest.mark.parametrize("kind", TRAIT_TYPES)
def test_all_fourteen_types_are_known_and_each_has_its_place(kind: str) -> None:
    at_root = {code for code, _ in found(rated(additionalType=kind))}
    in_question = {code for code, _ in found(asked(rating=[rating() | {"additionalType": kind}]))}

    assert "E-TRAIT-TYPE" not in at_root | in_question
    assert ("E-SCOPE-ROOT" in at_root) == kind.startswith("QuestionSpecific")
    assert ("W-SCOPE" in in_question) == kind.startswith("Global")


def test_scope_is_reported_at_the_type() -> None:
    assert found(rated(additionalType="QuestionSpecificRubricTrait")) == [("E-SCOPE-ROOT", f"{RATING}/additionalType")]
    assert found(asked(rating=[rating(scope="Global")])) == [("W-SCOPE", f"{QUESTION}/rating/0/additionalType")]


def test_a_rating_that_is_no_object_is_refused() -> None:
    assert found(root(rating=[5])) == [("E-RATING", RATING)]
    assert found(root(rating="tone")) == [("E-RATING", "/rating")]


def test_each_missing_bound_is_reported() -> None:
    assert found(rated(bestRating=None, worstRating=None)) == [
        ("E-RATING", f"{RATING}/bestRating"),
        ("E-RATING", f"{RATING}/worstRating"),
    ]


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("RegexTrait", {"pattern": "x"}),
        ("MetricRubricTrait", {"metrics": ["recall"], "tp_instructions": ["x"]}),
        ("DynamicRubricTrait", {"dynamic_trait_type": "regex", "pattern": "x"}),
        ("RubricTrait", {"kind": "boolean"}),
        ("RubricTrait", {"kind": "score", "min_score": 1, "max_score": 7}),
        ("LLMRubricTrait", {"kind": "literal", "classes": {"low": "little", "high": "much"}}),
        ("LLMRubricTrait", {"kind": {"type": "template", "schema": {}}}),
    ],
)
def test_a_bound_that_follows_from_the_kind_may_be_missing(kind: str, settings: Json) -> None:
    assert found(rated(kind, settings, bestRating=None)) == [("W-VALUE", f"{RATING}/bestRating")]


@pytest.mark.parametrize("settings", [{"kind": "score"}, {"kind": "literal", "classes": 5}, SCORE])
def test_a_bound_that_does_not_follow_may_not(settings: Json) -> None:
    assert ("E-RATING", f"{RATING}/bestRating") in found(rated("RubricTrait", settings, bestRating=None))


@pytest.mark.parametrize(
    ("best", "code"), [("5", "W-VALUE"), ("5.5", "W-VALUE"), ("five", "E-RATING"), ("nan", "E-RATING")]
)
def test_a_bound_as_text_is_taken_if_it_is_a_number(best: str, code: str) -> None:
    assert found(rated(bestRating=best)) == [(code, f"{RATING}/bestRating")]


@pytest.mark.parametrize("best", [True, [], {}])
def test_a_bound_of_another_kind_is_refused(best: Json) -> None:
    assert found(rated(bestRating=best)) == [("E-RATING", f"{RATING}/bestRating")]


@pytest.mark.parametrize(
    ("best", "worst"), [(1, 5), (3, 3), ("1", 5), (10**5000, 10**5000)], ids=["less", "equal", "text", "huge"]
)
def test_a_range_without_room_is_reported(best: Json, worst: Json) -> None:
    assert ("W-RANGE", RATING) in found(rated(bestRating=best, worstRating=worst))


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("LLMRubricTrait", {"kind": {"type": "template", "schema": {"type": "object"}}}),
        ("LLMRubricTrait", {"kind": "literal", "classes": {"low": "little", "high": "much"}}),
    ],
)
def test_templates_and_literals_need_no_range(kind: str, settings: Json) -> None:
    assert found(rated(kind, settings, bestRating=0.0, worstRating=0.0)) == []


@pytest.mark.parametrize(
    ("kind", "bounds", "settings"),
    [
        ("RubricTrait", (5.0, 1.0), {"min_score": 0, "max_score": 5}),
        ("RubricTrait", (5.0, 1.0), {"max_score": 10}),
        ("RubricTrait", (1.0, 0.0), {"kind": "score", "min_score": 1, "max_score": 5}),
        ("CallableTrait", (5, 1), {"kind": "score", "callable_code": "def f(): ...", "min_score": 1, "max_score": 7}),
        ("AgenticRubricTrait", (7.0, 1.0), {"kind": "score", "min_score": 1, "max_score": 5}),
        ("RubricTrait", (1.0, 0.0), {"min_score": 0, "max_score": 10}),
        ("RubricTrait", (1, 0), {"min_score": 1, "max_score": 5}),
    ],
    ids=["min", "max", "explicit kind", "callable", "agentic", "boolean by bounds only", "integers"],
)
def test_scores_that_contradict_the_bounds_are_reported(kind: str, bounds: Json, settings: Json) -> None:
    assert ("W-RANGE", RATING) in found(rated(kind, settings, bestRating=bounds[0], worstRating=bounds[1]))


@pytest.mark.parametrize(
    ("kind", "bounds", "settings"),
    [
        ("RubricTrait", (5.0, 1.0), {"min_score": 1, "max_score": 5}),
        ("RubricTrait", (5, 1), {}),
        ("RubricTrait", (1.0, 0.0), {"min_score": 1, "max_score": 5}),
        ("RubricTrait", (1.0, 0.0), SCORE),
        ("RubricTrait", (1, 0), {"kind": "boolean", "min_score": 1, "max_score": 5}),
        ("AgenticRubricTrait", (1.0, 0.0), {"kind": "boolean", "min_score": 1, "max_score": 5}),
        ("RubricTrait", (0.0, -1.0), {"min_score": -1, "max_score": 0}),
    ],
    ids=["equal", "none", "Karenina's boolean", "score from 0 to 1", "explicit boolean", "agentic boolean", "negative"],
)
def test_scores_that_agree_or_mean_nothing_are_no_fault(kind: str, bounds: Json, settings: Json) -> None:
    assert found(rated(kind, settings, bestRating=bounds[0], worstRating=bounds[1])) == []


def test_a_setting_that_stands_twice_is_reported_except_the_summary() -> None:
    repeated = rating("tone", "Global", pattern="a", summary="s")
    repeated["additionalProperty"] *= 2

    assert found(root(rating=[repeated])) == [("W-VALUE", RATING)]


def test_a_malformed_setting_is_refused_at_its_place() -> None:
    assert found(rated(additionalProperty=[5])) == [("E-PROPERTY", f"{RATING}/additionalProperty/0")]

"""Completion: a canonical tree with everything that Karenina refuses a file without."""

from __future__ import annotations

import json
from typing import Any

import pytest

from checkpoint_ld.errors import WriteError
from checkpoint_ld.mapping.questions import default_template
from checkpoint_ld.writing.completion import complete, with_placeholders
from tests.documents import canonical, item, rating, setting

Json = Any
NOW = "2026-03-01T00:00:00+00:00"


def completed(tree: Json) -> Json:
    whole, findings = complete(tree, NOW)
    assert findings == ()
    return whole


def llm(**members: Json) -> Json:
    settings = members.pop("settings", {"kind": "score", "min_score": 0, "max_score": 5})
    return {
        "@type": "Rating",
        "name": "depth",
        "bestRating": 5.0,
        "worstRating": 0.0,
        "additionalType": "karenina:GlobalRubricTrait",
        "additionalProperty": [setting(name, value) for name, value in settings.items()],
        **members,
    }


def test_what_is_complete_stays_as_it_is() -> None:
    tree = canonical(item(), item("Other?", "urn:uuid:2"))
    assert json.dumps(completed(tree)) == json.dumps(tree)


@pytest.mark.parametrize(
    ("given", "dates"),
    [
        ({}, (NOW, NOW)),
        ({"dateCreated": "2025"}, ("2025", "2025")),
        ({"dateModified": "2025"}, ("2025", "2025")),
        ({"dateCreated": "2024", "dateModified": "2025"}, ("2024", "2025")),
        ({"dateModified": 2025}, ("2025", "2025")),
    ],
)
def test_dates_stand_in_for_each_other(given: Json, dates: tuple[str, str]) -> None:
    tree = {key: value for key, value in canonical().items() if not key.startswith("date")} | given
    whole = completed(tree)
    assert (whole["dateCreated"], whole["dateModified"]) == dates


def test_an_item_without_dates_has_that_of_the_benchmark() -> None:
    whole = item()
    del whole["dateCreated"], whole["dateModified"]
    made = completed(canonical(whole))["dataFeedElement"][0]
    assert (made["dateCreated"], made["dateModified"]) == ("2026-01-02T00:00:00", "2026-01-02T00:00:00")
    assert list(made) == ["@type", "@id", "dateCreated", "dateModified", "item"]


def test_a_question_without_template_gets_the_one_that_stands_for_none_if_that_is_wanted() -> None:
    bare = item()
    del bare["item"]["hasPart"]
    assert "hasPart" not in completed(canonical(bare))["dataFeedElement"][0]["item"]
    question = with_placeholders(completed(canonical(bare)))["dataFeedElement"][0]["item"]
    assert question["hasPart"] == {
        "@type": "SoftwareSourceCode",
        "name": "Which metal is liquid at 20 °C... Answer Template",
        "text": default_template(question["text"]),
        "programmingLanguage": "Python",
        "codeRepository": "karenina-benchmarks",
    }
    assert list(question).index("hasPart") == 3


def test_what_a_template_lacks_is_added_and_what_it_has_stays() -> None:
    whole = item()
    whole["item"]["hasPart"] = {"text": "class A: ...", "licence": "MIT", "programmingLanguage": "python"}
    template = completed(canonical(whole))["dataFeedElement"][0]["item"]["hasPart"]
    assert (template["text"], template["licence"], template["programmingLanguage"]) == ("class A: ...", "MIT", "Python")
    assert template["name"] == "Which metal is liquid at 20 °C... Answer Template"


def test_a_question_without_answer_gets_an_empty_one() -> None:
    whole = item()
    del whole["item"]["acceptedAnswer"]
    question = completed(canonical(whole))["dataFeedElement"][0]["item"]
    assert question["acceptedAnswer"] == {"@type": "Answer", "text": ""}


def test_a_benchmark_gets_a_name_a_type_and_its_elements() -> None:
    whole = completed({"dateModified": "2026"})
    assert (whole["@type"], whole["name"], whole["dataFeedElement"]) == (
        "DataFeed",
        "Karenina LLM Benchmark Checkpoint",
        [],
    )


def test_a_version_is_text_and_keywords_are_a_list() -> None:
    whole = item()
    whole["keywords"], whole["item"]["keywords"] = "a", "b"
    made = completed(canonical(whole) | {"version": 1.5})
    assert made["version"] == "1.5"
    assert made["dataFeedElement"][0]["keywords"] == ["a"]
    assert made["dataFeedElement"][0]["item"]["keywords"] == ["b"]


@pytest.mark.parametrize(
    "creator", ["A. Smith", {"@type": "Person", "name": "A", "email": "e"}, {"@type": "Person", "name": "A"}]
)
def test_a_creator_whom_karenina_takes_stays(creator: Json) -> None:
    assert completed(canonical() | {"creator": creator}) == canonical() | {"creator": creator}


def test_another_creator_is_named_and_kept_in_full() -> None:
    acme = {"@type": "Organization", "name": "ACME", "url": "u"}
    made = completed(canonical() | {"creator": acme})
    assert made["creator"] == "ACME"
    assert made["additionalProperty"][-1] == setting("creator_details", acme)
    both = completed(canonical() | {"creator": ["A", acme]})
    assert (both["creator"], both["additionalProperty"][-1]["value"]) == ("A, ACME", ["A", acme])
    assert "creator" not in completed({key: value for key, value in canonical().items() if key != "creator"})


@pytest.mark.parametrize(
    ("members", "best", "worst"),
    [
        ({}, 5.0, 0.0),
        ({"bestRating": "5", "worstRating": "1.0"}, 5.0, 1.0),
        ({"bestRating": 5, "worstRating": 1}, 5, 1),
        ({"bestRating": None, "worstRating": None}, 5.0, 0.0),
        ({"bestRating": None, "settings": {"kind": "boolean"}}, 1.0, 0.0),
    ],
)
def test_the_range_of_a_rating_is_two_numbers(members: Json, best: float, worst: float) -> None:
    made = completed(canonical() | {"rating": [llm(**members)]})["rating"][0]
    assert (repr(made["bestRating"]), repr(made["worstRating"])) == (repr(best), repr(worst))


def test_whole_numbers_are_written_as_such() -> None:
    settings = {"kind": "score", "min_score": 0.0, "max_score": 5.0, "other": 1.0}
    made = completed(canonical() | {"rating": [llm(settings=settings)]})["rating"][0]["additionalProperty"]
    assert [repr(one["value"]) for one in made[1:]] == ["0", "5", "1.0"]


FRACTIONS = {"kind": "score", "min_score": 0.5, "max_score": 2.5}


def test_a_range_of_fractions_is_refused_with_every_place() -> None:
    whole = item()
    whole["item"]["rating"] = [llm(settings={**FRACTIONS, "min_score": 0})]
    with pytest.raises(WriteError) as refused:
        complete(canonical(whole) | {"rating": [llm(settings=FRACTIONS)]})
    for part in ("/rating/0/additionalProperty/1 is 0.5", "/rating/0/additionalProperty/2 is 2.5", "allow rounding"):
        assert part in str(refused.value)
    assert "/dataFeedElement/0/item/rating/0/additionalProperty/2" in str(refused.value)


def test_a_range_of_fractions_is_rounded_to_the_wider_side_if_that_is_allowed() -> None:
    tree = canonical() | {"rating": [llm(settings=FRACTIONS, bestRating=2.5, worstRating=0.5)]}
    whole, findings = complete(tree, round_scores=True)
    (made,) = whole["rating"]
    assert [one["value"] for one in made["additionalProperty"]] == ["score", 0, 3]
    assert (made["bestRating"], made["worstRating"]) == (2.5, 0.5)
    assert [(one.condition, one.place.pointer) for one in findings] == [
        ("W-LOSS", "/rating/0/additionalProperty/1"),
        ("W-LOSS", "/rating/0/additionalProperty/2"),
    ]


def test_a_part_that_is_no_scenario_is_refused() -> None:
    with pytest.raises(WriteError, match="the part at /hasPart/1 is no scenario"):
        complete(canonical() | {"hasPart": [{"@type": "karenina:Scenario"}, {"@type": "CreativeWork"}]})


def test_a_trait_that_means_nothing_is_refused() -> None:
    with pytest.raises(WriteError, match=r"at /rating/0 the trait 'cites' cannot be read: pattern"):
        complete(canonical() | {"rating": [rating(pattern="(")]})


def test_what_is_no_trait_stays() -> None:
    result = {"@type": "Rating", "ratingValue": 3}
    assert completed(canonical() | {"rating": [result, "x"]})["rating"] == [result, "x"]


def test_the_given_tree_is_not_changed() -> None:
    whole = item()
    del whole["item"]["hasPart"], whole["dateCreated"]
    tree = canonical(whole)
    before = json.dumps(tree)
    complete(tree, NOW)
    assert json.dumps(tree) == before

"""Completion: a canonical tree with everything that Karenina refuses a file without."""

import copy
import json
from collections.abc import Callable

import pytest

from checkpoint_ld.errors import WriteError
from checkpoint_ld.mapping.questions import default_template
from checkpoint_ld.writing.completion import complete, with_placeholders
from tests.documents import Json, canonical, item, rating, setting

NOW = "2026-03-01T00:00:00+00:00"
STEM = "Which metal is liquid at 20 °C... Answer Template"


def completed(tree: Json) -> Json:
    before = json.dumps(tree)
    whole, findings = complete(tree, NOW)
    assert findings == ()
    assert json.dumps(tree) == before, "the given tree is not changed"
    return whole


def without(holder: Json, *names: str) -> Json:
    return {key: copy.deepcopy(value) for key, value in holder.items() if key not in names}


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


RESULT = {"@type": "Rating", "ratingValue": 3}


@pytest.mark.parametrize(
    "members",
    [
        {},
        {"dataFeedElement": [item(), item("Other?", "urn:uuid:2")]},
        *({"creator": one} for one in ("A. Smith", {"@type": "Person", "name": "A", "email": "e"})),
        {"creator": {"@type": "Person", "name": "A"}},
        {"rating": [RESULT, "x"]},
    ],
)
def test_what_is_complete_and_what_is_no_trait_stays_as_it_is(members: Json) -> None:
    tree = canonical() | members
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
    whole = completed(without(canonical(), "dateCreated", "dateModified") | given)
    assert (whole["dateCreated"], whole["dateModified"]) == dates


def test_an_item_without_dates_has_that_of_the_benchmark() -> None:
    made = completed(canonical(without(item(), "dateCreated", "dateModified")))["dataFeedElement"][0]
    assert (made["dateCreated"], made["dateModified"]) == ("2026-01-02T00:00:00", "2026-01-02T00:00:00")
    assert list(made) == ["@type", "@id", "dateCreated", "dateModified", "item"]


def question_of(change: Callable[[Json], Json]) -> Json:
    """Return what becomes of a question."""
    element = item()
    element["item"] = change(element["item"])
    return completed(canonical(element))["dataFeedElement"][0]["item"]


def test_a_question_without_template_gets_the_one_that_stands_for_none_if_that_is_wanted() -> None:
    assert "hasPart" not in question_of(lambda question: without(question, "hasPart"))
    bare = item()
    bare["item"] = without(bare["item"], "hasPart")
    question = with_placeholders(completed(canonical(bare)))["dataFeedElement"][0]["item"]
    assert question["hasPart"] == {
        "@type": "SoftwareSourceCode",
        "name": STEM,
        "text": default_template(question["text"]),
        "programmingLanguage": "Python",
        "codeRepository": "karenina-benchmarks",
    }
    assert list(question).index("hasPart") == 3


def test_what_a_template_or_a_question_lacks_is_added_and_what_it_has_stays() -> None:
    part = {"text": "class A: ...", "licence": "MIT", "programmingLanguage": "python"}
    template = question_of(lambda question: question | {"hasPart": part})["hasPart"]
    assert template.items() >= {**part, "programmingLanguage": "Python", "name": STEM}.items()
    bare = question_of(lambda question: without(question, "acceptedAnswer"))
    assert bare["acceptedAnswer"] == {"@type": "Answer", "text": ""}


def test_a_benchmark_gets_a_name_a_type_and_its_elements() -> None:
    whole = completed({"dateModified": "2026"})
    found = whole["@type"], whole["name"], whole["dataFeedElement"]
    assert found == ("DataFeed", "Karenina LLM Benchmark Checkpoint", [])
    assert "creator" not in whole


def test_a_version_is_text_and_keywords_are_a_list() -> None:
    whole = item() | {"keywords": "a"}
    whole["item"]["keywords"] = "b"
    made = completed(canonical(whole) | {"version": 1.5})
    assert made["version"] == "1.5"
    assert made["dataFeedElement"][0]["keywords"] == ["a"]
    assert made["dataFeedElement"][0]["item"]["keywords"] == ["b"]


ACME = {"@type": "Organization", "name": "ACME", "url": "u"}


@pytest.mark.parametrize(("creator", "name"), [(ACME, "ACME"), (["A", ACME], "A, ACME")])
def test_a_creator_whom_karenina_does_not_take_is_named_and_kept_in_full(creator: Json, name: str) -> None:
    made = completed(canonical() | {"creator": creator})
    assert (made["creator"], made["additionalProperty"][-1]) == (name, setting("creator_details", creator))


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
    places = "/rating/0/additionalProperty/1 is 0.5", "/rating/0/additionalProperty/2 is 2.5"
    for part in (*places, "/dataFeedElement/0/item/rating/0/additionalProperty/2", "allow rounding"):
        assert part in str(refused.value)


def test_a_range_of_fractions_is_rounded_to_the_wider_side_if_that_is_allowed() -> None:
    tree = canonical() | {"rating": [llm(settings=FRACTIONS, bestRating=2.5, worstRating=0.5)]}
    whole, findings = complete(tree, round_scores=True)
    (made,) = whole["rating"]
    assert [one["value"] for one in made["additionalProperty"]] == ["score", 0, 3]
    assert (made["bestRating"], made["worstRating"]) == (2.5, 0.5)
    places = [f"/rating/0/additionalProperty/{at}" for at in (1, 2)]
    assert [(one.condition, one.place.pointer) for one in findings] == [("W-LOSS", place) for place in places]


@pytest.mark.parametrize(
    ("members", "message"),
    [
        (
            {"hasPart": [{"@type": "karenina:Scenario"}, {"@type": "CreativeWork"}]},
            "the part at /hasPart/1 is no scenario",
        ),
        ({"rating": [rating(pattern="(")]}, "at /rating/0 the trait 'cites' cannot be read: pattern"),
    ],
)
def test_a_part_or_a_trait_that_means_nothing_is_refused(members: Json, message: str) -> None:
    with pytest.raises(WriteError, match=message):
        complete(canonical() | members)

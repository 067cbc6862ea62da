"""The flat dialect: bare questions instead of elements."""

from __future__ import annotations

from typing import Any

from checkpoint_ld.dialects import Upgrade, detect, source_pointer
from tests.dialects import Json, feed, prop, rating, settings

BARE = {
    "@type": "Question",
    "identifier": "q1",
    "name": "What is 2+2?",
    "acceptedAnswer": {"@type": "Answer", "text": "4"},
    "answerTemplate": "class Answer(BaseAnswer): ...",
}


def upgrade(*questions: dict[str, Json], **members: Json) -> Upgrade:
    document = feed(**{"@context": "https://schema.org"}, dataFeedElement=list(questions or (BARE,)), **members)
    del document["dateCreated"]
    found = detect(document)
    assert found is not None
    assert found.name == "flat"
    return found.upgrade(document)


def only(found: Upgrade) -> dict[str, Any]:
    entry: dict[str, Any] = found.tree["dataFeedElement"][0]
    return entry


def test_a_bare_question_becomes_an_element() -> None:
    found = upgrade()

    assert only(found) == {
        "@type": "DataFeedItem",
        "@id": "q1",
        "dateCreated": "2025-01-02T00:00:00",
        "dateModified": "2025-01-02T00:00:00",
        "item": {
            "@type": "Question",
            "text": "What is 2+2?",
            "acceptedAnswer": {"@type": "Answer", "text": "4"},
            "hasPart": {
                "@type": "SoftwareSourceCode",
                "name": "What is 2+2?... Answer Template",
                "text": "class Answer(BaseAnswer): ...",
                "programmingLanguage": "Python",
            },
            "additionalProperty": [prop("finished", False)],
        },
    }
    assert found.findings == ()


def test_places_lead_back_to_the_bare_question() -> None:
    origins = upgrade().origins
    places = {
        "/dataFeedElement/0/@id": "/dataFeedElement/0/identifier",
        "/dataFeedElement/0/dateCreated": "/dateModified",
        "/dataFeedElement/0/item": "/dataFeedElement/0",
        "/dataFeedElement/0/item/text": "/dataFeedElement/0/name",
        "/dataFeedElement/0/item/acceptedAnswer/text": "/dataFeedElement/0/acceptedAnswer/text",
        "/dataFeedElement/0/item/hasPart/text": "/dataFeedElement/0/answerTemplate",
        "/dataFeedElement/0/item/rating": "/dataFeedElement/0/rating",
    }

    assert {pointer: source_pointer(origins, pointer) for pointer in places} == places


def test_a_rubric_object_becomes_ratings_without_a_warning() -> None:
    rubric = {
        "name": "R",
        "description": "all kinds",
        "llm_traits": [{"name": "tone", "kind": "boolean"}],
        "callable_traits": [{"name": "c", "callable_code": "def f(): ...", "kind": "boolean"}],
    }
    found = upgrade(globalRubric=rubric)

    assert [one["name"] for one in found.tree["rating"]] == ["tone", "c"]
    assert settings(found.tree) == {"rubric_name": "R", "rubric_description": "all kinds"}
    assert found.findings == ()
    assert source_pointer(found.origins, "/rating/1") == "/globalRubric/callable_traits/0"


def test_a_trait_may_name_its_class_and_leave_out_its_kind() -> None:
    traits = [
        {"type": "LLMRubricTrait", "name": "b"},
        {"name": "s", "min_score": 2},
        {"type": "RegexTrait", "name": "r"},
    ]
    found = upgrade({**BARE, "rubric": {"traits": traits}})
    boolean, score, regex = only(found)["item"]["rating"]

    assert boolean["additionalType"] == "karenina:QuestionSpecificRubricTrait"
    assert settings(boolean) == {"higher_is_better": True, "kind": "boolean"}
    assert "type" not in boolean
    assert (score["worstRating"], score["bestRating"], settings(score)["kind"]) == (2.0, 5.0, "score")
    assert regex["additionalType"] == "karenina:QuestionSpecificRegexTrait"


def test_the_scenario_of_a_question_is_metadata_of_the_user() -> None:
    found = upgrade({**BARE, "scenario": "simple"})

    assert settings(only(found)["item"]) == {"finished": False, "custom_scenario": "simple"}


def test_an_own_identifier_and_own_text_are_not_overwritten() -> None:
    found = upgrade({**BARE, "@id": "urn:uuid:q", "text": "What is the sum?"})

    assert only(found)["@id"] == "urn:uuid:q"
    assert only(found)["item"]["text"] == "What is the sum?"
    assert (only(found)["item"]["identifier"], only(found)["item"]["name"]) == ("q1", "What is 2+2?")


def test_what_is_missing_stays_missing() -> None:
    found = upgrade({"@type": "Question"})

    assert only(found)["item"] == {"@type": "Question", "additionalProperty": [prop("finished", False)]}
    assert "dateCreated" not in found.tree


def test_ratings_and_properties_of_a_bare_question_are_brought_to_canonical_form() -> None:
    own = {"rating": [rating("t", "QuestionSpecificRubricTrait")], "additionalProperty": [prop("finished", True)]}
    item = only(upgrade({**BARE, **own}))["item"]

    assert item["rating"][0]["additionalType"] == "karenina:QuestionSpecificRubricTrait"
    assert item["additionalProperty"] == [prop("finished", True)]


def test_what_stands_in_the_wrong_shape_is_passed_on() -> None:
    item = only(upgrade({**BARE, "rating": "x", "rubric": {"traits": []}}))["item"]

    assert (item["rating"], item["rubric"]) == ("x", {"traits": []})

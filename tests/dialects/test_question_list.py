"""The earliest 2.0 shape: an array of questions beside their templates."""

from __future__ import annotations

from typing import Any

from checkpoint_ld.dialects import Upgrade, detect, source_pointer
from tests.dialects import Json, prop, settings

QUESTION = {
    "id": "q1",
    "question": "Which metal?",
    "category": "Chemistry",
    "isFinished": True,
    "hasGeneratedTemplate": True,
}


def upgrade(*questions: Json, **members: Json) -> Upgrade:
    document = {
        "version": "2.0",
        "questions": list(questions or (QUESTION,)),
        "templates": {"q1": {"template": "class Answer: ..."}},
        "progress": {"finished": 1, "total": 1},
        **members,
    }
    found = detect(document)
    assert found is not None
    assert found.name == "v2.0-other"
    return found.upgrade(document)


def only(found: Upgrade) -> dict[str, Any]:
    entry: dict[str, Any] = found.tree["dataFeedElement"][0]
    return entry


def test_a_question_and_its_template_become_an_element() -> None:
    entry = only(upgrade())

    assert entry["@id"] == "urn:uuid:q1"
    assert entry["item"]["text"] == "Which metal?"
    assert entry["item"]["hasPart"]["text"] == "class Answer: ..."
    assert entry["item"]["additionalProperty"] == [
        prop("finished", True),
        prop("custom_category", "Chemistry"),
        prop("custom_hasGeneratedTemplate", True),
    ]
    assert "dateCreated" not in entry


def test_there_are_no_answers_which_is_reported() -> None:
    found = upgrade(QUESTION, {**QUESTION, "id": "q2"})

    assert [one["item"]["acceptedAnswer"]["text"] for one in found.tree["dataFeedElement"]] == ["", ""]
    assert [(one.condition, one.place.pointer) for one in found.findings] == [
        ("W-ANSWER-MISSING", "/questions/0"),
        ("W-ANSWER-MISSING", "/questions/1"),
    ]


def test_an_answer_that_is_there_all_the_same_is_read() -> None:
    found = upgrade({**QUESTION, "raw_answer": "Mercury"})

    assert only(found)["item"]["acceptedAnswer"]["text"] == "Mercury"
    assert found.findings == ()


def test_scales_become_ranges() -> None:
    rubric = {"traits": [{"name": "a", "scale": [1, 2, 3]}, {"name": "b", "scale": [0, 5, 10]}]}
    first, second = only(upgrade({**QUESTION, "rubric": rubric}))["item"]["rating"]

    assert (first["worstRating"], first["bestRating"], settings(first)["kind"]) == (1.0, 3.0, "score")
    assert "scale" not in first
    assert (second["worstRating"], second["bestRating"], second["scale"]) == (0.0, 10.0, [0, 5, 10])


def test_the_global_rubric_goes_to_the_root() -> None:
    found = upgrade(globalRubric={"traits": [{"name": "g", "scale": [1, 2]}]})

    assert [one["additionalType"] for one in found.tree["rating"]] == ["karenina:GlobalRubricTrait"]
    assert source_pointer(found.origins, "/rating/0/name") == "/globalRubric/traits/0/name"


def test_places_lead_back() -> None:
    found = upgrade({**QUESTION, "rubric": {"traits": [{"name": "t"}]}})
    places = {
        "/dataFeedElement": "/questions",
        "/dataFeedElement/0": "/questions/0",
        "/dataFeedElement/0/@id": "/questions/0/id",
        "/dataFeedElement/0/item/text": "/questions/0/question",
        "/dataFeedElement/0/item/hasPart": "/templates/q1/template",
        "/dataFeedElement/0/item/additionalProperty/0": "/questions/0/isFinished",
        "/dataFeedElement/0/item/additionalProperty/1": "/questions/0/category",
        "/dataFeedElement/0/item/rating/0": "/questions/0/rubric/traits/0",
    }

    assert {pointer: source_pointer(found.origins, pointer) for pointer in places} == places


def test_nothing_is_dropped_but_the_progress() -> None:
    templates = {"q1": {"template": "x", "by": "A"}, "q9": {"template": "y"}}
    found = upgrade({**QUESTION, "note": "n"}, templates=templates, extra=1)

    assert only(found)["note"] == "n"
    assert only(found)["item"]["hasPart"]["by"] == "A"
    assert found.tree["x_v2"] == {"templates": {"q9": {"template": "y"}}}
    assert found.tree["extra"] == 1
    assert "progress" not in found.tree


def test_a_question_without_id_has_no_identifier() -> None:
    entry = only(upgrade({"question": "Which?"}))

    assert "@id" not in entry
    assert "@id" not in only(upgrade({"question": "Which?", "id": 5}))
    assert only(upgrade({"question": "Which?", "id": 5}))["id"] == 5
    assert "hasPart" not in entry["item"]


def test_what_is_no_question_is_passed_on() -> None:
    assert upgrade("text", QUESTION).tree["dataFeedElement"][0] == "text"

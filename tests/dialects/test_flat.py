"""The flat dialect: bare questions instead of elements."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld.dialects import Upgrade, detect, source_pointer
from checkpoint_ld.dialects.dialect import container, decoded, encoded, gui_encoded, step
from checkpoint_ld.dialects.leftovers import missing_from, restored
from tests.dialects import Json, feed, lacking, named, prop, rating, settings

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


@pytest.mark.parametrize("unknown", ["AgenticRubricTrait", "ManualRubricTrait"])
def test_a_trait_of_an_unknown_class_is_no_trait_of_a_language_model(unknown: str) -> None:
    found = upgrade({**BARE, "rubric": {"traits": [{"type": unknown, "name": "x"}]}})

    assert only(found)["item"]["rating"][0]["additionalType"] == unknown
    assert source_pointer(found.origins, "/dataFeedElement/0/item/rating/0/additionalType").endswith("/traits/0/type")


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


# --- The earliest 2.0 shape: an array of questions beside their templates.


QUESTION = {
    "id": "q1",
    "question": "Which metal?",
    "category": "Chemistry",
    "isFinished": True,
    "hasGeneratedTemplate": True,
}


def upgrade_list(*questions: Json, **members: Json) -> Upgrade:
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


def test_a_question_and_its_template_become_an_element() -> None:
    entry = only(upgrade_list())

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
    found = upgrade_list(QUESTION, {**QUESTION, "id": "q2"})

    assert [one["item"]["acceptedAnswer"]["text"] for one in found.tree["dataFeedElement"]] == ["", ""]
    assert [(one.condition, one.place.pointer) for one in found.findings] == [
        ("W-ANSWER-MISSING", "/questions/0"),
        ("W-ANSWER-MISSING", "/questions/1"),
    ]


@pytest.mark.parametrize("identifier", [None, 5, [1, None]])
def test_a_question_without_answer_is_called_by_its_text(identifier: Json) -> None:
    found = upgrade_list({**QUESTION, "id": identifier}, {"id": "q2", "question": " "}, {"id": [1]})
    subjects = ['question "Which metal?"', 'question "q2"', "a question without a name"]

    assert [one.subject for one in found.findings] == subjects


def test_an_answer_that_is_there_all_the_same_is_read() -> None:
    found = upgrade_list({**QUESTION, "raw_answer": "Mercury"})

    assert only(found)["item"]["acceptedAnswer"]["text"] == "Mercury"
    assert found.findings == ()


def test_scales_become_ranges() -> None:
    rubric = {"traits": [{"name": "a", "scale": [1, 2, 3]}, {"name": "b", "scale": [0, 5, 10]}]}
    first, second = only(upgrade_list({**QUESTION, "rubric": rubric}))["item"]["rating"]

    assert (first["worstRating"], first["bestRating"], settings(first)["kind"]) == (1.0, 3.0, "score")
    assert "scale" not in first
    assert (second["worstRating"], second["bestRating"], second["scale"]) == (0.0, 10.0, [0, 5, 10])


def test_the_global_rubric_goes_to_the_root() -> None:
    found = upgrade_list(globalRubric={"traits": [{"name": "g", "scale": [1, 2]}]})

    assert [one["additionalType"] for one in found.tree["rating"]] == ["karenina:GlobalRubricTrait"]
    assert source_pointer(found.origins, "/rating/0/name") == "/globalRubric/traits/0/name"


def test_places_lead_back() -> None:
    found = upgrade_list({**QUESTION, "rubric": {"traits": [{"name": "t"}]}})
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
    found = upgrade_list({**QUESTION, "note": "n"}, templates=templates, extra=1)

    assert only(found)["note"] == "n"
    assert only(found)["item"]["hasPart"]["by"] == "A"
    assert found.tree["x_v2"] == {"templates": {"q9": {"template": "y"}}}
    assert found.tree["extra"] == 1
    assert "progress" not in found.tree


def test_what_a_template_has_no_place_for_keeps_its_order() -> None:
    left = dict.fromkeys(("text", "codeRepository", "@id", "name", "programmingLanguage", "@type"), "")
    found = upgrade_list(templates={"q1": {"template": "x", **left}})

    assert list(found.tree["x_v2"]["templates"]["q1"]) == list(left)


def test_a_question_without_id_has_no_identifier() -> None:
    entry = only(upgrade_list({"question": "Which?"}))

    assert "@id" not in entry
    assert "@id" not in only(upgrade_list({"question": "Which?", "id": 5}))
    assert only(upgrade_list({"question": "Which?", "id": 5}))["id"] == 5
    assert "hasPart" not in entry["item"]


def test_what_is_no_question_is_passed_on() -> None:
    assert upgrade_list("text", QUESTION).tree["dataFeedElement"][0] == "text"


# --- What a translation cannot say, taken apart and put back.


SCALARS = st.none() | st.booleans() | st.integers(0, 3) | st.text(max_size=2)
PROPERTIES = st.lists(
    st.builds(prop, st.sampled_from(["a", "b", "c"]), SCALARS) | st.builds(prop, st.sampled_from(["a", "d"])),
    min_size=1,
    max_size=4,
)
INNER = st.fixed_dictionaries({}, optional={"text": SCALARS, "@id": SCALARS, "additionalProperty": PROPERTIES})
OBJECTS = st.fixed_dictionaries({}, optional={"@id": SCALARS, "item": INNER | SCALARS, "foo": SCALARS})


@given(OBJECTS, OBJECTS)
def test_a_translation_with_its_leftovers_states_everything(have: dict[str, Any], want: dict[str, Any]) -> None:
    whole = restored(have, missing_from(have, want))

    assert not list(lacking(named(want), named(whole)))


@given(OBJECTS)
def test_nothing_is_left_over_of_what_was_stated(expected: dict[str, Any]) -> None:
    assert missing_from(expected, expected) == {}
    assert restored(expected, {}) == expected


def test_what_only_the_translation_states_is_no_leftover() -> None:
    assert missing_from({"a": 1, "additionalProperty": [prop("x", 1)]}, {}) == {}


def test_only_the_properties_that_differ_are_left_over() -> None:
    have = {"additionalProperty": [prop("same", 1), prop("other", 1), prop("extra", 1)]}
    want = {"additionalProperty": [prop("other", 2), prop("same", 1), prop("new")]}

    assert missing_from(have, want) == {"additionalProperty": [prop("other", 2), prop("new")]}


def test_a_cleared_author_states_no_more_than_none_at_all() -> None:
    assert missing_from({}, {"additionalProperty": [prop("author"), prop("custom_x")]}) == {
        "additionalProperty": [prop("custom_x")]
    }


def test_of_a_name_that_stands_twice_all_is_kept_in_order() -> None:
    have = {"additionalProperty": [prop("x", 2)]}
    want = {"additionalProperty": [prop("x", 1), prop("x", 2)]}

    assert restored(have, missing_from(have, want)) == want


# --- JSON inside text.


LEAVES = st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False, allow_infinity=False)
CONTAINERS = st.recursive(
    st.lists(LEAVES) | st.dictionaries(st.text(), LEAVES),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@pytest.mark.slow
@given(CONTAINERS)
def test_what_is_encoded_can_be_decoded(value: Any) -> None:
    assert decoded(encoded(value)) == value
    assert decoded(gui_encoded(value)) == value
    assert encoded(gui_encoded(value)) == encoded(value)


def test_karenina_escapes_and_the_gui_does_not() -> None:
    assert encoded({"a": ["ü", 1]}) == '{"a": ["\\u00fc", 1]}'
    assert gui_encoded({"a": ["ü", 1]}) == '{"a":["ü",1]}'


@pytest.mark.parametrize("value", [None, 1, True, "text", "123", '"quoted"', "{oops", "", "null"])
def test_what_is_no_container_stays_as_it_is(value: Json) -> None:
    assert encoded(value) is value
    assert gui_encoded(value) is value
    assert decoded(value) is value


@pytest.mark.parametrize(
    "text",
    ['{"a": 1, "a": 2}', "[NaN]", "[Infinity]", "[1e999]", "[" * 100_000, '[{"a": 1, "a": 1}]'],
)
def test_text_that_would_not_come_back_whole_counts_as_no_json(text: str) -> None:
    assert container(text) is None


# --- Places in a canonical tree and where they come from.


KEYS = st.lists(st.text(max_size=3) | st.integers(0, 9), max_size=4)


def test_the_longest_prefix_decides_and_the_rest_is_appended() -> None:
    origins = {"/a": "/x", "/a/b": "/y/z", "/a/b/0": ""}

    assert source_pointer(origins, "/a") == "/x"
    assert source_pointer(origins, "/a/c/d") == "/x/c/d"
    assert source_pointer(origins, "/a/b/1/c") == "/y/z/1/c"
    assert source_pointer(origins, "/a/b/0/c") == "/c"
    assert source_pointer(origins, "") == ""


def test_prefixes_are_whole_segments() -> None:
    assert source_pointer({"/rating/1": "/x"}, "/rating/10") == "/rating/10"
    assert source_pointer({"/ab": "/x"}, "/abc/d") == "/abc/d"


def test_the_root_may_have_moved() -> None:
    assert source_pointer({"": "/graph/0"}, "/name") == "/graph/0/name"
    assert source_pointer({"": "/graph/0"}, "") == "/graph/0"


@given(KEYS)
def test_keys_are_escaped_so_that_they_can_be_distinguished(keys: list[str | int]) -> None:
    pointer = step("", *keys)
    read = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]

    assert read == [str(key) for key in keys]

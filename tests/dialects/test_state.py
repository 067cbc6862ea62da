"""The GUI's state, version 2.0, as a canonical document."""

from __future__ import annotations

from typing import Any

import pytest

from checkpoint_ld.dialects import Upgrade, detect, source_pointer
from tests.dialects import Json, prop, rating, settings, state


def upgrade(*items: dict[str, Json], **members: Json) -> Upgrade:
    document = state(*items, **members)
    found = detect(document)
    assert found is not None
    return found.upgrade(document)


def only(found: Upgrade) -> dict[str, Any]:
    entry: dict[str, Any] = found.tree["dataFeedElement"][0]
    return entry


def test_a_question_of_the_state_becomes_an_element() -> None:
    found = upgrade()

    assert only(found) == {
        "@type": "DataFeedItem",
        "@id": "urn:uuid:k0",
        "dateCreated": "2025-01-01T00:00:00Z",
        "dateModified": "2025-01-02T00:00:00Z",
        "item": {
            "@type": "Question",
            "text": "Which metal is liquid?",
            "acceptedAnswer": {"@type": "Answer", "text": "Mercury"},
            "hasPart": {
                "@type": "SoftwareSourceCode",
                "name": "Which metal is liquid?... Answer Template",
                "text": "class Answer: ...",
                "programmingLanguage": "Python",
            },
            "additionalProperty": [prop("finished", True)],
        },
    }


def test_everything_about_a_question_finds_its_place() -> None:
    item = {
        "original_answer_template": "class Old: ...",
        "author": {"@type": "Person", "name": "Ünal"},
        "sources": [{"name": "S"}],
        "few_shot_examples": [{"question": "Q", "answer": "A"}],
        "custom_metadata": {"level": "easy", "my_custom_note": "x", "": "y"},
        "keywords": ["a", "a"],
    }
    question = only(upgrade(item))["item"]

    assert question["additionalProperty"] == [
        prop("finished", True),
        prop("original_answer_template", "class Old: ..."),
        prop("author", '{"@type": "Person", "name": "\\u00dcnal"}'),
        prop("sources", '[{"name": "S"}]'),
        prop("custom_level", "easy"),
        prop("custom_my_custom_note", "x"),
        prop("custom_", "y"),
        prop("few_shot_examples", '[{"question": "Q", "answer": "A"}]'),
    ]
    assert question["keywords"] == ["a", "a"]


def test_what_is_empty_or_null_is_not_there() -> None:
    empty: dict[str, Json] = {
        "sources": [],
        "few_shot_examples": [],
        "author": None,
        "custom_metadata": {},
        "date_created": None,
    }
    entry = only(upgrade({**empty, "finished": None, "keywords": []}))

    assert "additionalProperty" not in entry["item"]
    assert entry["item"]["keywords"] == []
    assert entry["dateCreated"] == entry["dateModified"]


def test_a_key_with_the_prefix_of_an_identifier_gets_no_second_one() -> None:
    document = state()
    document["checkpoint"] = {"urn:uuid:double": document["checkpoint"]["k0"]}
    found = detect(document)

    assert found is not None
    assert only(found.upgrade(document))["@id"] == "urn:uuid:double"


def test_rubrics_become_ratings_kind_by_kind() -> None:
    rubric = {
        "metric_traits": [{"name": "m", "metrics": ["f1"]}],
        "regex_traits": [{"name": "r", "pattern": "x"}],
        "llm_traits": [{"name": "t", "kind": "boolean"}],
        "callable_traits": [{"name": "c", "callable_code": "AAAA"}],
    }
    found = upgrade({"question_rubric": rubric}, global_rubric=rubric)

    assert [one["name"] for one in found.tree["rating"]] == ["t", "r", "c", "m"]
    assert [one["name"] for one in only(found)["item"]["rating"]] == ["t", "r", "c", "m"]
    assert found.tree["rating"][1]["additionalType"] == "karenina:GlobalRegexTrait"
    assert only(found)["item"]["rating"][1]["additionalType"] == "karenina:QuestionSpecificRegexTrait"


def test_the_gui_extracts_once_unless_a_metric_trait_states_otherwise() -> None:
    traits = [{"name": "m"}, {"name": "n", "repeated_extraction": True}]
    found = upgrade(global_rubric={"metric_traits": traits})

    assert [settings(one)["repeated_extraction"] for one in found.tree["rating"]] == [False, True]


def test_the_gui_s_name_of_the_full_matrix_is_reported_at_the_trait() -> None:
    found = upgrade({"question_rubric": {"metric_traits": [{"name": "m", "evaluation_mode": "tp_and_tn"}]}})

    assert [(one.condition, one.place.pointer) for one in found.findings] == [
        ("W-VALUE", "/checkpoint/k0/question_rubric/metric_traits/0")
    ]


def test_rubrics_under_traits_are_not_dropped() -> None:
    found = upgrade({"question_rubric": {"traits": [{"name": "t"}]}}, global_rubric={"traits": [{"name": "g"}]})

    assert [one["name"] for one in (*found.tree["rating"], *only(found)["item"]["rating"])] == ["g", "t"]


def test_places_lead_back_to_the_state() -> None:
    document = state()
    item = {
        **document["checkpoint"]["k0"],
        "custom_metadata": {"level": "easy"},
        "question_rubric": {"llm_traits": [{"name": "t", "kind": "score", "max_score": 3}]},
    }
    document["checkpoint"] = {"my key/1": item}
    document["dataset_metadata"] = {"name": "M"}
    found = detect(document)
    assert found is not None
    origins = found.upgrade(document).origins
    key, rubric = "/checkpoint/my key~11", "/checkpoint/my key~11/question_rubric"
    inside = "/dataFeedElement/0/item"
    places = {
        "/name": "/dataset_metadata/name",
        "/dataFeedElement": "/checkpoint",
        "/dataFeedElement/0": key,
        "/dataFeedElement/0/@id": key,
        "/dataFeedElement/0/dateModified": f"{key}/last_modified",
        f"{inside}/text": f"{key}/question",
        f"{inside}/acceptedAnswer": f"{key}/raw_answer",
        f"{inside}/acceptedAnswer/text": f"{key}/raw_answer",
        f"{inside}/hasPart/text": f"{key}/answer_template",
        f"{inside}/keywords": f"{key}/keywords",
        f"{inside}/additionalProperty/0": f"{key}/finished",
        f"{inside}/additionalProperty/1/value": f"{key}/custom_metadata/level",
        f"{inside}/rating": rubric,
        f"{inside}/rating/0": f"{rubric}/llm_traits/0",
        f"{inside}/rating/0/name": f"{rubric}/llm_traits/0/name",
        f"{inside}/rating/0/bestRating": f"{rubric}/llm_traits/0/max_score",
        f"{inside}/rating/0/worstRating": f"{rubric}/llm_traits/0",
    }

    assert {pointer: source_pointer(origins, pointer) for pointer in places} == places


def test_metadata_of_the_dataset_become_members_and_properties_of_the_root() -> None:
    metadata = {
        "name": "Metals",
        "description": "d",
        "version": "1",
        "dateCreated": "2024-01-01",
        "license": "CC0",
        "keywords": ["a"],
        "publisher": {"@type": "Organization", "name": "P"},
        "custom_properties": {"p": "q"},
    }
    tree = upgrade(dataset_metadata=metadata).tree

    assert {name: tree[name] for name in metadata if name != "custom_properties"} == {
        name: value for name, value in metadata.items() if name != "custom_properties"
    }
    assert tree["additionalProperty"] == [prop("p", "q")]
    assert "dateModified" not in tree


@pytest.mark.parametrize("metadata", [None, {}, {"name": ""}, {"name": None}])
def test_a_benchmark_without_name_gets_the_gui_s_default(metadata: Json) -> None:
    assert upgrade(dataset_metadata=metadata).tree["name"] == "Karenina LLM Benchmark Checkpoint"


PERSON = {"@type": "Person", "name": "A", "email": "a@example.org"}
ORGANIZATION = {"@type": "Organization", "name": "O"}


@pytest.mark.parametrize(
    ("creator", "text", "details"),
    [
        ("A", "A", None),
        ({"@type": "Person", "name": "A"}, "A", None),
        (PERSON, PERSON, None),
        (ORGANIZATION, "O", ORGANIZATION),
        ({"@type": "Organization"}, {"@type": "Organization"}, None),
    ],
)
def test_creators(creator: Json, text: Json, details: Json) -> None:
    tree = upgrade(dataset_metadata={"creator": creator}).tree

    assert tree["creator"] == text
    assert settings(tree).get("creator_details") == details


def test_unknown_members_stay_members() -> None:
    found = upgrade({"foo": [1, None]}, extra={"a": 1}, dataset_metadata={"funder": "F"})

    assert only(found)["foo"] == [1, None]
    assert (found.tree["extra"], found.tree["funder"]) == ({"a": 1}, "F")


def test_members_whose_names_are_taken_are_parked() -> None:
    found = upgrade({"item": "x", "custom_metadata": "text"}, rating="y", dataset_metadata="z")

    assert only(found)["x_v2"] == {"item": "x", "custom_metadata": "text"}
    assert found.tree["x_v2"] == {"rating": "y", "dataset_metadata": "z"}
    assert only(found)["item"]["text"] == "Which metal is liquid?"


def test_what_has_the_wrong_shape_is_passed_on_where_it_will_be_noticed() -> None:
    found = upgrade(
        {"question_rubric": "text", "raw_answer": 4}, global_rubric={"llm_traits": "text", "regex_traits": [1]}
    )

    assert only(found)["item"]["rating"] == ["text"]
    assert only(found)["item"]["acceptedAnswer"] == {"@type": "Answer", "text": 4}
    assert found.tree["rating"] == ["text", 1]
    assert source_pointer(found.origins, "/rating/0") == "/global_rubric/llm_traits"


def test_what_our_writer_could_not_map_is_read_again() -> None:
    left = {
        "@id": "urn:karenina:test:q",
        "item": {
            "additionalProperty": [prop("answer_notes", "n"), prop("finished", False)],
            "rating": [rating("agent")],
        },
    }
    rubric = {"llm_traits": [{"name": "t", "kind": "boolean"}]}
    found = upgrade({"x_karenina": left, "question_rubric": rubric}, x_karenina={"@id": "urn:uuid:b"})

    assert found.tree["@id"] == "urn:uuid:b"
    assert only(found)["@id"] == "urn:karenina:test:q"
    assert settings(only(found)["item"]) == {"answer_notes": "n", "finished": False}
    assert [one["name"] for one in only(found)["item"]["rating"]] == ["t", "agent"]
    assert "x_karenina" not in found.tree
    assert "x_karenina" not in only(found)


def test_two_reads_give_the_same_tree() -> None:
    assert upgrade({"date_created": None}) == upgrade({"date_created": None})

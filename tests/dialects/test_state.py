"""The GUI's state, version 2.0, as a canonical document."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld.dialects import Downgrade, Upgrade, detect, dialect, source_pointer
from checkpoint_ld.dialects.datafeed import clean
from tests.dialects import (
    HTTPS,
    Json,
    documents,
    element,
    feed,
    lacking,
    named,
    prop,
    question,
    rating,
    settings,
    state,
    telling,
)


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


@pytest.mark.parametrize(
    ("traits", "conditions"), [([{"name": "m", "pattern": "x"}], ["W-LEGACY-PROPERTY"]), ([], []), (None, [])]
)
@pytest.mark.parametrize("member", ["manual_traits", "agentic_traits"])
def test_traits_of_a_kind_that_is_not_read_are_kept_with_a_finding(
    member: str, traits: Json, conditions: list[str]
) -> None:
    found = upgrade({"question_rubric": {"traits": [{"name": "t"}], member: traits}})
    kept = [prop(f"rubric_{member}", traits)] if traits is not None else []

    assert only(found)["item"]["additionalProperty"][1:] == kept
    assert [one.condition for one in found.findings] == conditions
    assert {one.place.pointer for one in found.findings} <= {f"/checkpoint/k0/question_rubric/{member}"}


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
    created_later = {name: value for name, value in item.items() if name != "date_created"}
    document["checkpoint"] = {"my key/1": item, "later": created_later}
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
        "/dataFeedElement/0/dateCreated": f"{key}/date_created",
        "/dataFeedElement/0/dateModified": f"{key}/last_modified",
        "/dataFeedElement/1/dateCreated": "/checkpoint/later/last_modified",
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


# --- The GUI's state, version 2.0, written from canonical documents.


OWN = "karenina:QuestionSpecificRubricTrait"
VALUES = st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.lists(st.integers(), max_size=2)
MEMBERS = st.dictionaries(st.sampled_from(["item", "rating", "name", "foo", "@id", "@type", "text", "funder"]), VALUES)


def downgrade(tree: dict[str, Json]) -> Downgrade:
    write = dialect("v2.0").downgrade
    assert write is not None
    return write(tree)


def test_only_metric_traits_leave_repeated_extraction_out() -> None:
    found = downgrade(
        tree_of(rating=[rating(ratingValue=None, bestRating=None), rating("m", "karenina:GlobalMetricRubricTrait")])
    )
    assert [one.message for one in found.findings if "repeated_extraction" in one.message] == [
        'the metric trait "m" leaves repeated_extraction out, which the GUI takes for false'
    ]


def tree_of(**members: Json) -> dict[str, Json]:
    return feed(**{"@context": HTTPS}, **members)


def holding(**members: Json) -> Downgrade:
    """Write a benchmark with one question that has `members`."""
    return downgrade(tree_of(dataFeedElement=[element(item=question(**members))]))


def only_of(found: Downgrade) -> dict[str, Any]:
    (item,) = found.value["checkpoint"].values()
    assert isinstance(item, dict)
    return item


def lost(found: Downgrade) -> list[str | None]:
    assert {one.condition for one in found.findings} <= {"W-LOSS"}
    return [one.place.pointer for one in found.findings]


def again(found: Downgrade) -> dict[str, Any]:
    return dialect("v2.0").upgrade(found.value).tree


def test_a_question_without_an_identifier_gets_one_and_this_is_reported() -> None:
    unnamed = {name: value for name, value in element().items() if name != "@id"}
    found = downgrade(tree_of(**{"@id": "urn:uuid:karenina-checkpoint-1"}, dataFeedElement=[unnamed]))
    [(key, _)] = found.value["checkpoint"].items()
    *_, said = found.findings
    assert (said.place.pointer, f'the key "{key}"' in said.message) == ("/dataFeedElement/0/@id", True)
    assert again(found)["dataFeedElement"][0]["@id"] == f"urn:uuid:{key}"


def test_an_element_becomes_a_question_of_the_state() -> None:
    found = downgrade(tree_of(**{"@id": "urn:uuid:karenina-checkpoint-1"}))

    assert found.value == {
        "version": "2.0",
        "global_rubric": None,
        "dataset_metadata": {
            "name": "Metals",
            "dateCreated": "2025-01-01T00:00:00",
            "dateModified": "2025-01-02T00:00:00",
        },
        "checkpoint": {
            "q1": {
                "question": "Which metal is liquid?",
                "raw_answer": "Mercury",
                "original_answer_template": "",
                "answer_template": "class Answer: ...",
                "date_created": "2025-01-01T00:00:00",
                "last_modified": "2025-01-02T00:00:00",
                "finished": False,
            }
        },
    }
    assert detect(found.value) is dialect("v2.0")


def test_settings_of_a_question_find_their_places() -> None:
    entries = [
        prop("finished", True),
        prop("author", '{"name": "A"}'),
        prop("sources", [{"name": "S"}]),
        prop("few_shot_examples", "[]"),
        prop("custom_a", 1),
        prop("custom_custom_b", None),
        prop("original_answer_template", "class Old: ..."),
    ]
    item = only_of(holding(additionalProperty=entries, keywords=["k"]))

    assert item["finished"] is True
    assert (item["author"], item["sources"]) == ({"name": "A"}, [{"name": "S"}])
    assert "few_shot_examples" not in item
    assert item["custom_metadata"] == {"a": 1, "custom_b": None}
    assert item["original_answer_template"] == "class Old: ..."
    assert item["keywords"] == ["k"]
    assert "x_karenina" not in item


@pytest.mark.parametrize(
    ("author", "written"), [("A. Smith", "A. Smith"), ("123", "123"), ('{"a": 1', '{"a": 1'), ("", None)]
)
def test_an_author_that_is_no_json_object_stays_text(author: str, written: str | None) -> None:
    assert only_of(holding(additionalProperty=[prop("author", author)])).get("author") == written


@pytest.mark.parametrize(
    ("finished", "written"), [("Yes", True), ("off", False), (1, True), (None, False), ("banana", "banana")]
)
def test_progress_is_understood_as_karenina_does(finished: Json, written: Json) -> None:
    assert (
        only_of(holding(additionalProperty=[prop("finished", finished)]))["finished"] is written or written == "banana"
    )


def test_the_last_of_two_properties_counts() -> None:
    entries = [prop("finished", True), prop("finished", False)]

    assert only_of(holding(additionalProperty=entries))["finished"] is False


def test_rubrics_have_lists_for_the_kinds_that_there_are() -> None:
    regex = rating("r", "karenina:GlobalRegexTrait", additionalProperty=[prop("pattern", "x")])
    found = downgrade(tree_of(rating=[regex]))

    assert found.value["global_rubric"] == {"llm_traits": [], "regex_traits": [{"name": "r", "pattern": "x"}]}
    assert "question_rubric" not in only_of(found)


def test_the_mode_of_a_metric_trait_has_the_gui_s_name_only_in_the_gui_s_documents() -> None:
    entries = [prop("evaluation_mode", "full_matrix")]
    metric = rating("m", "karenina:GlobalMetricRubricTrait", additionalProperty=entries)
    gui = [prop("checkpoint_format_version", "3.0.0-jsonld")]
    modes = [
        downgrade(tree_of(rating=[metric], additionalProperty=own)).value["global_rubric"]["metric_traits"][0]
        for own in ([], gui)
    ]

    assert [mode["evaluation_mode"] for mode in modes] == ["full_matrix", "tp_and_tn"]


@pytest.mark.parametrize(("settings", "written"), [(["higher_is_better"], False), ([], None)])
def test_a_metric_trait_that_leaves_repetition_out_means_something_else_to_the_gui(
    settings: list[str], written: bool | None
) -> None:
    entries = [prop("metrics", ["f1"]), *map(prop, settings)]
    own = rating("m", "karenina:QuestionSpecificMetricRubricTrait", additionalProperty=entries)
    found = holding(rating=[rating("b", OWN), own])

    assert only_of(found)["question_rubric"]["metric_traits"][0].get("repeated_extraction") is written
    stated = holding(
        rating=[rating("b", OWN), {**own, "additionalProperty": [*entries, prop("repeated_extraction", True)]}]
    )
    assert set(lost(found)) - set(lost(stated)) == {"/dataFeedElement/0/item/rating/1"}


def test_keys_are_identifiers_without_prefix_or_the_number_of_the_question() -> None:
    bare = element()
    del bare["@id"]
    found = downgrade(tree_of(dataFeedElement=[element(), bare]))

    assert list(found.value["checkpoint"]) == ["q1", "question_1"]


def test_other_identifiers_are_kept_beside_the_key() -> None:
    found = downgrade(tree_of(dataFeedElement=[element(**{"@id": "q1"}), element(**{"@id": "urn:uuid:q1"})]))

    assert list(found.value["checkpoint"]) == ["q1", "q1-1"]
    assert [one["@id"] for one in again(found)["dataFeedElement"]] == ["q1", "urn:uuid:q1"]
    assert "/dataFeedElement/0/@id" in lost(found)


def test_identifiers_that_the_gui_makes_anew_are_not_kept() -> None:
    template = {**question()["hasPart"], "@id": "urn:uuid:template-q1", "codeRepository": "karenina-benchmarks"}
    answer = {"@type": "Answer", "@id": "urn:uuid:answer-q1", "text": "Mercury"}
    members = {"@id": "urn:uuid:question-which-metal-is-liquid-3673b009", "acceptedAnswer": answer, "hasPart": template}
    item = only_of(holding(**members, rating=[rating("t", OWN, **{"@id": "urn:uuid:rating-t"})]))

    assert "x_karenina" not in item
    assert item["question_rubric"]["llm_traits"] == [{"name": "t", "kind": "boolean", "higher_is_better": True}]
    assert only_of(holding(**{**members, "@id": "urn:uuid:mine"}))["x_karenina"] == {"item": {"@id": "urn:uuid:mine"}}


def test_what_the_state_cannot_hold_is_kept_and_listed() -> None:
    agent = rating("agent", "karenina:QuestionSpecificAgenticRubricTrait", description="d")
    entries = [prop("finished", True), prop("answer_notes", "n"), prop("other", [1])]
    answer = {"@type": "Answer", "text": "Mercury", "about": "x"}
    found = holding(rating=[rating("b", OWN), agent], additionalProperty=entries, acceptedAnswer=answer, license="CC0")
    inside = "/dataFeedElement/0/item"

    assert set(lost(found)) == {
        f"{inside}/rating/1",
        f"{inside}/additionalProperty/1",
        f"{inside}/additionalProperty/2",
        f"{inside}/acceptedAnswer/about",
        f"{inside}/license",
        f"{inside}/hasPart/name",
        "/@id",
    }
    entry = again(found)["dataFeedElement"][0]["item"]
    assert settings(entry) == {"finished": True, "answer_notes": "n", "other": [1]}
    assert [one["name"] for one in entry["rating"]] == ["b", "agent"]
    assert (entry["acceptedAnswer"], entry["license"]) == (answer, "CC0")


def test_the_name_of_a_template_is_made_anew_and_listed_only_if_it_was_another() -> None:
    ours = {**question()["hasPart"], "name": "Which metal is liquid?... Answer Template"}

    assert "/dataFeedElement/0/item/hasPart/name" in lost(holding())
    assert "/dataFeedElement/0/item/hasPart/name" not in lost(holding(hasPart=ours))


def test_scenarios_survive() -> None:
    scenarios = [{"@type": "karenina:Scenario", "name": "s"}]
    entries = [prop("benchmark_type", "scenario")]
    found = downgrade(tree_of(dataFeedElement=[], hasPart=scenarios, additionalProperty=entries))

    assert again(found)["hasPart"] == scenarios
    assert again(found)["additionalProperty"] == entries
    assert {"/hasPart", "/additionalProperty/0"} <= set(lost(found))


def test_a_global_trait_of_a_question_stays_one() -> None:
    found = holding(rating=[rating("t", "karenina:GlobalRubricTrait")])

    assert again(found)["dataFeedElement"][0]["item"]["rating"][0]["additionalType"] == "karenina:GlobalRubricTrait"
    assert "/dataFeedElement/0/item/rating/0/additionalType" in lost(found)


@pytest.mark.parametrize(
    ("creator", "written"),
    [("A", {"@type": "Person", "name": "A"}), (PERSON, PERSON), ({"@type": "Organization", "name": "O"},) * 2],
)
def test_creators_are_written(creator: Json, written: Json) -> None:
    found = downgrade(tree_of(creator=creator))

    assert found.value["dataset_metadata"]["creator"] == written
    assert "/creator" not in lost(found)


def test_a_creator_with_details_comes_back_as_a_whole() -> None:
    details = {"@type": "Organization", "name": "O", "url": "https://example.org"}
    found = downgrade(tree_of(creator="O", additionalProperty=[prop("creator_details", details)]))

    assert found.value["dataset_metadata"]["creator"] == details
    assert settings(again(found))["creator_details"] == details


def test_own_properties_and_members_of_the_root_find_their_places() -> None:
    entries = [prop("benchmark_format_version", "3.0.0-jsonld"), prop("own", 1)]
    found = downgrade(tree_of(additionalProperty=entries, license="CC0", extra="x"))

    assert found.value["dataset_metadata"]["custom_properties"] == {"own": 1}
    assert found.value["dataset_metadata"]["license"] == "CC0"
    assert found.value["extra"] == "x"
    assert lost(found) == ["/@id", "/dataFeedElement/0/item/hasPart/name"]


def test_nothing_is_stated_about_the_dataset_when_nothing_is_known() -> None:
    found = downgrade(dialect("v2.0").upgrade(state()).tree)

    assert "dataset_metadata" not in found.value
    assert found.findings == ()


def test_the_tree_is_left_alone() -> None:
    tree = tree_of(dataFeedElement=[element(keywords=["a"])], rating=[rating()])
    before = named(tree)
    downgrade(tree)

    assert named(tree) == before


def test_unusual_values_of_a_canonical_document_are_understood() -> None:
    tree = tree_of(
        rating=[rating("t")],
        additionalProperty=[prop("global_rubric_traits", '[{"name": "old"}]')],
        dataFeedElement=[element(keywords=["a"])],
    )
    found = downgrade(tree)

    assert [one["name"] for one in found.value["global_rubric"]["llm_traits"]] == ["t", "old"]
    assert only_of(found)["keywords"] == ["a"]


def test_a_state_comes_back_as_it_was() -> None:
    rubric = {
        "llm_traits": [
            {"name": "t", "kind": "score", "min_score": 0, "max_score": 1, "higher_is_better": True, "weight": 2}
        ],
        "regex_traits": [{"name": "r", "pattern": "x"}],
        "metric_traits": [{"name": "m", "metrics": ["f1"], "repeated_extraction": True}],
    }
    item = {
        "question_rubric": rubric,
        "author": {"name": "A"},
        "custom_metadata": {"a": "b"},
        "keywords": [],
        "foo": [1],
    }
    document = state(item, {}, global_rubric=rubric, dataset_metadata={"name": "M", "creator": PERSON}, extra=1)
    found = downgrade(dialect("v2.0").upgrade(document).tree)

    assert found.value == document
    assert found.findings == ()


def test_parked_members_return_to_their_places() -> None:
    metadata = {"name": "M", "custom_properties": "text", "rating": 1, "extra": 2, "x_karenina": {"a": 3}}
    document = state({"item": "x", "custom_metadata": 1}, rating="y", extra="z", dataset_metadata=metadata)
    found = downgrade(dialect("v2.0").upgrade(document).tree)

    assert found.value == document
    assert found.findings == ()


def test_an_inverted_result_by_its_old_name_is_not_overruled_by_a_default() -> None:
    document = state(global_rubric={"regex_traits": [{"name": "r", "invert": True, "higher_is_better": True}]})
    found = downgrade(dialect("v2.0").upgrade(document).tree)

    assert found.value["global_rubric"]["regex_traits"][0]["invert_result"] is True
    assert again(found) == dialect("v2.0").upgrade(document).tree


@given(MEMBERS, MEMBERS, MEMBERS)
def test_no_unknown_member_is_lost_between_states(
    own: dict[str, Json], root: dict[str, Json], metadata: dict[str, Json]
) -> None:
    document = state(own, **root, dataset_metadata={**metadata, "name": "M"})
    value = downgrade(dialect("v2.0").upgrade(document).tree).value
    moved = {name: held for name, held in metadata.items() if name in value and name not in root}

    assert value["checkpoint"] == document["checkpoint"]
    assert value == {**document, **moved, "dataset_metadata": {**value["dataset_metadata"], "name": "M"}}
    assert {**value["dataset_metadata"], **moved, "name": "M"} == document["dataset_metadata"]


@pytest.mark.parametrize("name", ["v2.0", "v2.0-traits-key", "v2.0-other"])
def test_real_states_survive_being_written(corpus: Path, name: str) -> None:
    seen = 0
    for file, document in documents(corpus, name):
        tree = dialect(name).upgrade(document).tree
        found = downgrade(tree)
        assert again(found) == tree, file
        assert not found.findings, file
        seen += 1
    assert seen


def test_real_documents_of_other_dialects_survive_as_states(corpus: Path) -> None:
    made_anew = re.compile(r"/@id: 'urn:uuid:|/hasPart/name|/hasPart/codeRepository: 'karenina-benchmarks'")
    for name in ("datafeed-ns-v3", "datafeed-legacy", "gui-datafeed", "dataset-0", "dataset-1", "flat"):
        for file, document in documents(corpus, name):
            tree = clean(dialect(name).upgrade(document).tree)
            back = again(downgrade(tree))
            missing = [place for place in lacking(telling(tree), named(back)) if not made_anew.search(place)]
            assert not missing, file

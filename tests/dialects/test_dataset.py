"""The Dataset dialects: reading both, writing the second."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld import Benchmark
from checkpoint_ld.dialects import Upgrade, detect, dialect, source_pointer
from checkpoint_ld.dialects.datafeed import clean
from checkpoint_ld.dialects.traits import Family, rating_from_v2, trait_from_rating
from checkpoint_ld.identifiers import gui_rating_id
from tests.dialects import (
    HTTPS,
    Json,
    dataset,
    documents,
    element,
    feed,
    lacking,
    named,
    prop,
    question,
    rating,
    settings,
    telling,
)

OWN = "QuestionSpecificRubricTrait"


def upgrade(**members: Json) -> Upgrade:
    found = detect(dataset(**members))
    assert found is not None
    return found.upgrade(dataset(**members))


def repeated(*ratings: dict[str, Json]) -> list[dict[str, Json]]:
    """Return one element for each of `ratings`, which its question has."""
    return [element(**{"@id": f"urn:uuid:q{i}"}, item=question(rating=[one])) for i, one in enumerate(ratings)]


def test_a_dataset_becomes_a_datafeed() -> None:
    found = upgrade(version="1.0.0", rating=[rating()], license="MIT")

    assert found.tree["@type"] == "DataFeed"
    assert [one["@id"] for one in found.tree["dataFeedElement"]] == ["urn:uuid:q1"]
    assert "hasPart" not in found.tree
    assert found.tree["rating"][0]["additionalType"] == "karenina:GlobalRubricTrait"
    assert (found.tree["version"], found.tree["license"]) == ("1.0.0", "MIT")
    assert source_pointer(found.origins, "/dataFeedElement/0/item/text") == "/hasPart/0/item/text"
    assert source_pointer(found.origins, "/dataFeedElement") == "/hasPart"
    assert found.findings == ()


def test_an_element_without_date_of_creation_takes_the_other_date() -> None:
    bare = element()
    del bare["dateCreated"]
    found = upgrade(hasPart=[bare])

    assert found.tree["dataFeedElement"][0]["dateCreated"] == bare["dateModified"]
    assert list(found.tree["dataFeedElement"][0])[2:4] == ["dateCreated", "dateModified"]
    assert source_pointer(found.origins, "/dataFeedElement/0/dateCreated") == "/hasPart/0/dateModified"


def test_an_element_without_any_date_stays_so() -> None:
    bare = {"@type": "DataFeedItem", "item": question()}

    assert upgrade(hasPart=[bare]).tree["dataFeedElement"] == [bare]


def test_elements_in_the_place_of_a_datafeed_are_read_with_a_warning() -> None:
    found = upgrade(hasPart=[element()], dataFeedElement=[element(**{"@id": "urn:uuid:q2"})])

    assert [one["@id"] for one in found.tree["dataFeedElement"]] == ["urn:uuid:q1", "urn:uuid:q2"]
    assert [(one.condition, one.place.pointer) for one in found.findings] == [("W-FORM", "/dataFeedElement")]
    assert source_pointer(found.origins, "/dataFeedElement/1/item") == "/dataFeedElement/0/item"


def test_parts_of_the_wrong_shape_are_passed_on() -> None:
    assert upgrade(hasPart="text").tree["dataFeedElement"] == "text"
    assert "dataFeedElement" not in upgrade(hasPart=None).tree


def test_repeated_global_traits_go_to_the_root_once() -> None:
    found = upgrade(hasPart=repeated(rating("tone"), rating("tone"), rating("depth", OWN)))

    assert [one["name"] for one in found.tree["rating"]] == ["tone"]
    assert [len(one["item"].get("rating", ())) for one in found.tree["dataFeedElement"]] == [0, 0, 1]
    assert source_pointer(found.origins, "/rating/0") == "/hasPart/0/item/rating/0"


def test_the_property_with_the_global_traits_comes_first() -> None:
    entry = prop("global_rubric_traits", '[{"name": "tone", "kind": "score", "min_score": 1, "max_score": 3}]')
    found = upgrade(hasPart=repeated(rating("tone"), rating("new")), additionalProperty=[entry])

    assert [(one["name"], one["bestRating"]) for one in found.tree["rating"]] == [("tone", 3.0), ("new", 1.0)]


def test_what_a_repeated_rating_states_about_its_question_is_kept_there() -> None:
    author = {"author": "Global Rubric"}
    first = {
        "@type": "Rating",
        "@id": "urn:uuid:a",
        "name": "tone",
        "ratingValue": 1,
        "bestRating": 1,
        "worstRating": 0,
        **author,
    }
    second = {**first, "@id": "urn:uuid:b", "ratingValue": 0}
    found = upgrade(hasPart=repeated(first, second))
    questions = [one["item"] for one in found.tree["dataFeedElement"]]

    assert "ratingValue" not in found.tree["rating"][0]
    assert settings(questions[0]) == {"rating_results": [{"name": "tone", "ratingValue": 1}]}
    assert settings(questions[1]) == {"rating_results": [{"name": "tone", "ratingValue": 0, "@id": "urn:uuid:b"}]}


def test_results_that_a_document_has_already_are_added_to_in_the_tree_alone() -> None:
    own = question(rating=[rating("tone", ratingValue=1)], additionalProperty=[prop("rating_results", [{"name": "x"}])])
    document = dataset(hasPart=[element(item=own)])
    before = copy.deepcopy(document)
    found = detect(document)
    assert found is not None
    upgrade = found.upgrade(document)
    assert upgrade.origins

    given = upgrade.tree["dataFeedElement"][0]["item"]
    assert settings(given) == {"rating_results": [{"name": "x"}, {"name": "tone", "ratingValue": 1}]}
    assert document == before


@pytest.mark.parametrize("before", [[], [rating("tone")]], ids=["as the first", "as the second"])
def test_what_a_repeated_rating_states_otherwise_than_the_root_is_kept_at_its_question(before: list[Json]) -> None:
    held: dict[str, Json] = {"@id": "urn:uuid:q", "description": "here only", "weight": 2}
    root = [rating("tone", **{"@id": "urn:uuid:t"})]
    found = upgrade(rating=root, hasPart=repeated(*before, rating("tone", **held)))
    kept = [settings(one["item"]) for one in found.tree["dataFeedElement"]]

    assert kept[:-1] == [{}] * len(before)
    assert kept[-1] == {"rating_results": [{"name": "tone", **held}]}


def test_a_repeated_rating_with_the_identifier_of_the_gui_states_the_rest_of_what_it_states() -> None:
    made = rating("tone", **{"@id": gui_rating_id("tone"), "description": "here only"})
    found = upgrade(rating=[rating("tone")], hasPart=repeated(made))

    kept = settings(found.tree["dataFeedElement"][0]["item"])
    assert kept == {"rating_results": [{"name": "tone", "description": "here only"}]}


def test_a_value_of_a_question_s_own_rating_is_kept() -> None:
    found = upgrade(hasPart=repeated(rating("tone"), rating("depth", OWN, ratingValue=4)))

    assert found.tree["dataFeedElement"][1]["item"]["rating"][0]["ratingValue"] == 4


def test_global_traits_of_a_later_dataset_are_those_of_the_root() -> None:
    found = upgrade(rating=[rating("tone")], hasPart=repeated(rating("depth", OWN)))

    assert [one["name"] for one in found.tree["rating"]] == ["tone"]
    assert found.tree["dataFeedElement"][0]["item"]["rating"][0]["name"] == "depth"


def written(tree: dict[str, Any]) -> dict[str, Any]:
    downgrade = dialect("dataset-1").downgrade
    assert downgrade is not None
    return downgrade(tree).value


def test_a_written_dataset_has_plain_types_and_keywords_on_its_elements() -> None:
    tree = feed(**{"@context": HTTPS}, rating=[rating(kind="karenina:GlobalRubricTrait")])
    tree["dataFeedElement"] = [element(item=question(keywords=["a"], rating=[rating("d", f"karenina:{OWN}")]))]
    value = written(tree)

    assert value["@type"] == "Dataset"
    assert value["@context"]["@vocab"] == "http://schema.org/"
    assert value["rating"][0]["additionalType"] == "GlobalRubricTrait"
    assert value["hasPart"][0]["keywords"] == ["a"]
    assert value["hasPart"][0]["item"]["rating"][0]["additionalType"] == OWN
    assert "keywords" not in value["hasPart"][0]["item"]
    assert detect(value) is dialect("dataset-1")


def test_the_version_names_the_format_and_a_property_the_benchmark_s() -> None:
    value = written(feed(**{"@context": HTTPS}, version="1.2"))

    assert "jsonld" in value["version"]
    assert settings(value)["benchmark_version"] == "1.2"
    assert "conversion_metadata" in settings(value)


def test_what_a_canonical_trait_implies_is_written_out() -> None:
    bounds = {"bestRating": 5.0, "worstRating": 2.0, "additionalProperty": [prop("higher_is_better", True)]}
    value = written(feed(**{"@context": HTTPS}, rating=[rating("s", "karenina:GlobalRubricTrait", **bounds)]))
    [made] = value["rating"]

    assert settings(made) == {"higher_is_better": True, "min_score": 2, "max_score": 5, "kind": "score"}
    assert (repr(made["bestRating"]), repr(made["worstRating"])) == ("5", "2")


def test_a_setting_that_a_dataset_has_no_words_for_is_a_loss_and_stays_a_property() -> None:
    deep = [prop("deep_judgment_enabled", True), prop("deep_judgment_search_enabled", False)]
    tree = feed(**{"@context": HTTPS}, rating=[rating("d", "karenina:GlobalRubricTrait", additionalProperty=deep)])
    downgrade = dialect("dataset-1").downgrade
    assert downgrade is not None
    found = downgrade(tree)

    assert [(one.condition, one.place.pointer) for one in found.findings] == [("W-LOSS", "/rating/0")]
    assert "no words for deep_judgment_enabled of" in found.findings[0].message
    assert settings(found.value["rating"][0])["deep_judgment_enabled"] is True


def test_scenarios_are_set_apart_with_a_warning_and_come_back() -> None:
    scenarios = [{"@type": "karenina:Scenario", "name": "s"}]
    tree = feed(**{"@context": HTTPS}, dataFeedElement=[], hasPart=scenarios)
    downgrade = dialect("dataset-1").downgrade
    assert downgrade is not None
    found = downgrade(tree)

    assert [(one.condition, one.place.pointer) for one in found.findings] == [("W-LOSS", "/hasPart")]
    assert found.value["hasPart"] == []
    back = dialect("dataset-1").upgrade(found.value)
    assert back.tree["hasPart"] == scenarios
    assert source_pointer(back.origins, "/hasPart/0/name") == "/x_karenina/@value/hasPart/0/name"


def test_a_trait_and_a_property_of_one_question_are_set_apart_together() -> None:
    agent = rating("agent", "karenina:QuestionSpecificAgenticRubricTrait", description="d")
    made = question(rating=[agent], additionalProperty=[prop("note")])
    tree = feed(**{"@context": HTTPS}, dataFeedElement=[element(item=made)])
    back = dialect("dataset-1").upgrade(written(tree)).tree["dataFeedElement"][0]["item"]

    assert [one["name"] for one in back["rating"]] == ["agent"]
    assert back["additionalProperty"] == [prop("note")]


def test_a_global_trait_of_a_question_is_written_as_its_own_with_a_warning() -> None:
    tree = feed(**{"@context": HTTPS}, dataFeedElement=[element(item=question(rating=[rating("b", OWN), rating("a")]))])
    downgrade = dialect("dataset-1").downgrade
    assert downgrade is not None
    found = downgrade(tree)

    assert [one.place.pointer for one in found.findings] == ["/dataFeedElement/0/item/rating/1/additionalType"]
    assert {one["additionalType"] for one in found.value["hasPart"][0]["item"]["rating"]} == {OWN}
    assert detect(found.value) is dialect("dataset-1")


@pytest.mark.parametrize("name", ["dataset-0", "dataset-1"])
def test_real_datasets_survive_being_written(corpus: Path, name: str) -> None:
    seen = 0
    for file, document in documents(corpus, name):
        tree = dialect(name).upgrade(document).tree
        again = dialect("dataset-1").upgrade(written(tree)).tree
        assert not list(lacking(telling(tree), named(again))), file
        seen += 1
    assert seen >= 5


def test_real_canonical_documents_survive_being_written(corpus: Path) -> None:
    for file, document in documents(corpus, "datafeed-ns-v3"):
        tree = {name: value for name, value in clean(document).items() if name not in ("@context", "@type")}
        again = dialect("dataset-1").upgrade(written(document)).tree
        assert not list(lacking(telling(tree), named(again))), file


def test_a_benchmark_without_a_version_does_not_take_that_of_the_format(tmp_path: Path) -> None:
    question = {"question": "What is it?", "raw_answer": "Gold", "original_answer_template": ""}
    source, target = tmp_path / "state.json", tmp_path / "dataset.jsonld"
    source.write_text(json.dumps({"version": "2.0", "checkpoint": {"q": question}}), encoding="utf-8")
    benchmark = Benchmark.load(source)
    benchmark.save(target, dialect="dataset-1")
    assert "jsonld" in json.loads(target.read_text(encoding="utf-8"))["version"]
    assert Benchmark.load(target).version == benchmark.version == "0.1.0"


# --- Rubric traits of the GUI's state as ratings, and back.


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


def test_what_has_no_identifier_gets_the_described_one_as_in_the_gui() -> None:
    asked = question("What is the capital of France?", rating=[rating("Brief", f"karenina:{OWN}")])
    parts = [element(**{"@id": "urn:uuid:question-1"}, item=asked)]
    trait = rating("Is Short", "karenina:GlobalRubricTrait")
    tree = written(feed(**{"@context": HTTPS}, dataFeedElement=parts, rating=[trait]))

    [part] = tree["hasPart"]
    held = part["item"]
    assert held["@id"] == "urn:uuid:question-what-is-the-capital-of-france-41620d5c"
    assert held["acceptedAnswer"]["@id"] == "urn:uuid:answer-question-1"
    assert held["hasPart"]["@id"] == "urn:uuid:template-question-1"
    assert [one["@id"] for one in (*tree["rating"], *held["rating"])] == [
        "urn:uuid:rating-is-short",
        "urn:uuid:rating-brief",
    ]

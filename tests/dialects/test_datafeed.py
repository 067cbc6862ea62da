"""The DataFeed dialects in canonical form."""

import copy
import json
from typing import Any

import pytest

from checkpoint_ld.dialects import Upgrade, detect, dialect, source_pointer
from checkpoint_ld.dialects.datafeed import clean
from tests.dialects import HTTPS, Json, element, feed, prop, question, rating, settings

GUI = prop("checkpoint_format_version", "3.0.0-jsonld")
OWN = "QuestionSpecificRubricTrait"


def upgrade(**members: Json) -> Upgrade:
    found = detect(feed(**members))
    assert found is not None
    return found.upgrade(feed(**members))


def holding(**members: Json) -> Upgrade:
    """Upgrade a feed with one question that has `members`."""
    return upgrade(dataFeedElement=[element(item=question(**members))])


def places(found: Upgrade) -> list[tuple[str, str | None]]:
    return [(finding.condition, finding.place.pointer) for finding in found.findings]


def only_question(found: Upgrade) -> dict[str, Any]:
    item: dict[str, Any] = found.tree["dataFeedElement"][0]["item"]
    return item


def test_a_canonical_document_is_kept_with_all_its_unusual_values() -> None:
    unusual = feed(
        **{"@context": HTTPS},
        rating=[rating()],
        dataFeedElement=[element(keywords=["a"], item=question(keywords=["b"]))],
        additionalProperty=[prop("global_rubric_traits", "[]")],
        globalRubric={"traits": []},
    )
    found = dialect("datafeed-ns-v3").upgrade(unusual)

    assert (found.tree, found.origins, found.findings) == (unusual, {}, ())


def test_an_upgrade_leaves_the_document_alone() -> None:
    document = feed(
        rating=[rating()], dataFeedElement=[element(keywords=["a"])], globalRubric={"traits": [{"name": "x"}]}
    )
    before = copy.deepcopy(document)
    tree = dialect("datafeed-legacy").upgrade(document).tree
    tree["dataFeedElement"][0]["item"]["keywords"].append("b")
    tree["rating"][0]["additionalProperty"].clear()

    assert document["dataFeedElement"][0]["item"] == before["dataFeedElement"][0]["item"]
    assert document["rating"] == before["rating"]


def test_members_stand_in_karenina_s_order_and_unknown_ones_last() -> None:
    found = upgrade(license="MIT", rating=[rating(author="A")], additionalProperty=[])

    assert list(found.tree) == [
        *("@context", "@type", "@id", "name", "dateCreated", "dateModified", "rating", "dataFeedElement"),
        *("additionalProperty", "license"),
    ]
    assert list(found.tree["rating"][0])[-1] == "author"


@pytest.mark.parametrize(
    "spelling", ["GlobalRegexTrait", "karenina:GlobalRegexTrait", "urn:karenina:vocab:GlobalRegexTrait"]
)
def test_types_get_karenina_s_prefix(spelling: str) -> None:
    tree = clean(feed(rating=[rating(kind=spelling)]))

    assert tree["rating"][0]["additionalType"] == "karenina:GlobalRegexTrait"


@pytest.mark.parametrize("kind", ["GlobalRegxTrait", 5, None, "karenina:Regex"])
def test_unknown_types_are_left_to_be_found_wrong(kind: Json) -> None:
    assert clean(feed(rating=[rating(kind=kind)]))["rating"][0] == rating(kind=kind)


def test_bounds_are_floats() -> None:
    written = upgrade(rating=[rating(bestRating=10)]).tree["rating"][0]

    assert [(bound, type(bound)) for bound in (written["bestRating"], written["worstRating"])] == [
        (10.0, float),
        (0.0, float),
    ]
    assert upgrade(rating=[rating(bestRating="5")]).tree["rating"][0]["bestRating"] == "5"


def test_what_a_rating_implies_is_written_out() -> None:
    boolean, score = upgrade(rating=[rating("b"), rating("s", bestRating=5, worstRating=2)]).tree["rating"]

    assert settings(boolean) == {"higher_is_better": True, "kind": "boolean"}
    assert settings(score) == {"higher_is_better": True, "min_score": 2, "max_score": 5, "kind": "score"}


def test_what_a_rating_states_is_not_changed() -> None:
    entries = [prop("min_score", 0), prop("max_score", 9), prop("higher_is_better", False), prop("kind", "binary")]
    written = upgrade(rating=[rating(additionalProperty=entries)]).tree["rating"][0]

    assert written["additionalProperty"] == entries


def test_the_kind_of_a_rating_without_a_range_is_not_guessed() -> None:
    bare = rating()
    del bare["bestRating"]

    assert "kind" not in settings(upgrade(rating=[bare]).tree["rating"][0])


def test_a_literal_trait_gets_the_type_of_one_and_its_classes_out_of_their_text() -> None:
    entries = [prop("kind", "literal"), prop("classes", '{"poor": "weak", "good": "strong"}')]
    written = upgrade(rating=[rating(bestRating=1, additionalProperty=entries)]).tree["rating"][0]

    assert written["additionalType"] == "karenina:GlobalLLMRubricTrait"
    assert settings(written)["classes"] == {"poor": "weak", "good": "strong"}


def test_deep_judgment_goes_from_members_to_properties() -> None:
    deep: dict[str, Json] = {"deep_judgment_enabled": True, "deep_judgment_max_excerpts": 3}
    written = upgrade(rating=[rating(**deep)]).tree["rating"][0]

    assert not deep.keys() & written.keys()
    assert deep.items() <= settings(written).items()


def test_a_property_wins_over_the_member_of_the_same_name() -> None:
    entries = [prop("deep_judgment_enabled", False)]
    written = upgrade(rating=[rating(deep_judgment_enabled=True, additionalProperty=entries)]).tree["rating"][0]

    assert settings(written)["deep_judgment_enabled"] is False
    assert written["deep_judgment_enabled"] is True


def test_the_gui_s_name_of_the_full_matrix_is_translated_with_a_warning() -> None:
    entries = [prop("evaluation_mode", "tp_and_tn"), prop("metrics", ["accuracy"])]
    metric = rating("m", "QuestionSpecificMetricRubricTrait", additionalProperty=entries)
    found = holding(rating=[rating("b", OWN), metric])

    assert settings(only_question(found)["rating"][1])["evaluation_mode"] == "full_matrix"
    assert places(found) == [("W-VALUE", "/dataFeedElement/0/item/rating/1")]
    assert "tp_and_tn" in found.findings[0].message
    assert found.findings[0].subject == 'trait "m"'


def test_a_mode_without_counterpart_is_left_to_be_found_wrong() -> None:
    metric = rating("m", "GlobalMetricRubricTrait", additionalProperty=[prop("evaluation_mode", "tn_only")])
    found = upgrade(rating=[metric])

    assert settings(found.tree["rating"][0])["evaluation_mode"] == "tn_only"
    assert places(found) == []


@pytest.mark.parametrize(
    ("author", "kind"),
    [
        ("Global Rubric", "karenina:GlobalRubricTrait"),
        ("Question-Specific Rubric", "karenina:QuestionSpecificRubricTrait"),
    ],
)
def test_the_author_of_an_untyped_rating_shows_its_scope(author: str, kind: str) -> None:
    untyped = {"@type": "Rating", "name": "t", "bestRating": 1, "worstRating": 0, "author": author}
    found = holding(rating=[untyped])

    assert only_question(found)["rating"][0]["additionalType"] == kind
    assert only_question(found)["rating"][0]["author"] == author


def test_any_other_author_shows_nothing() -> None:
    untyped = {"@type": "Rating", "name": "t", "bestRating": 1, "worstRating": 0, "author": "A. Smith"}

    assert "additionalType" not in only_question(holding(rating=[untyped]))["rating"][0]


def test_keywords_of_an_element_belong_to_its_question() -> None:
    found = upgrade(dataFeedElement=[element(keywords=["a", "b"])])

    assert only_question(found)["keywords"] == ["a", "b"]
    assert "keywords" not in found.tree["dataFeedElement"][0]
    assert source_pointer(found.origins, "/dataFeedElement/0/item/keywords/1") == "/dataFeedElement/0/keywords/1"


def test_keywords_in_two_places_are_united_with_a_warning_if_they_differ() -> None:
    found = upgrade(dataFeedElement=[element(keywords=["a", "b"], item=question(keywords=["b", "c"]))])

    assert only_question(found)["keywords"] == ["b", "c", "a"]
    assert places(found) == [("W-VALUE", "/dataFeedElement/0/keywords")]


def test_the_same_keywords_in_two_places_are_no_cause_for_a_warning() -> None:
    found = upgrade(dataFeedElement=[element(keywords="a", item=question(keywords=["a"]))])

    assert only_question(found)["keywords"] == ["a"]
    assert places(found) == []


def test_traits_in_root_properties_become_ratings() -> None:
    entries = [
        prop("global_rubric_traits", '[{"name": "old", "kind": "boolean"}]'),
        prop("own", 1),
        prop("global_regex_rubric_traits", '[{"name": "r", "pattern": "x", "invert": true}]'),
        prop("global_metric_rubric_traits", [{"name": "m", "metrics": ["f1"]}]),
    ]
    found = upgrade(additionalProperty=entries)

    assert [one["name"] for one in found.tree["rating"]] == ["old", "r", "m"]
    assert settings(found.tree["rating"][1]) == {"pattern": "x", "invert_result": True}
    assert found.tree["additionalProperty"] == [prop("own", 1)]
    assert source_pointer(found.origins, "/rating/0/name") == "/additionalProperty/0/value"
    assert source_pointer(found.origins, "/rating/2/name") == "/additionalProperty/3/value/0/name"
    assert source_pointer(found.origins, "/additionalProperty/0") == "/additionalProperty/1"


def test_traits_in_properties_of_a_question_become_its_ratings() -> None:
    entries = [
        prop("question_regex_rubric_traits", '[{"name": "r", "pattern": "x"}, {"name": "tone", "pattern": "y"}]'),
        prop("finished", True),
        prop("question_llm_rubric_traits", '[{"name": "depth", "kind": "score", "min_score": 0, "max_score": 9}]'),
        prop("question_callable_rubric_traits", '[{"name": "c", "callable_code": "ZGVm", "kind": "boolean"}]'),
        prop("question_metric_rubric_traits", [{"name": "m", "metrics": ["f1"]}]),
        prop("question_regex_rubric_traits", "[{broken"),
    ]
    found = holding(additionalProperty=entries, rating=[rating("tone", "QuestionSpecificRubricTrait")])
    own = only_question(found)

    assert [(one["name"], one["additionalType"]) for one in own["rating"]] == [
        (name, f"karenina:QuestionSpecific{suffix}")
        for name, suffix in (
            *(("tone", "RubricTrait"), ("r", "RegexTrait"), ("depth", "RubricTrait")),
            *(("c", "CallableTrait"), ("m", "MetricRubricTrait")),
        )
    ]
    assert (own["rating"][2]["worstRating"], own["rating"][2]["bestRating"]) == (0.0, 9.0)
    assert own["additionalProperty"][:2] == [prop("finished", True), entries[-1]]
    assert settings({"additionalProperty": own["additionalProperty"][2:]}) == {
        "rubric_question_regex_rubric_traits": [{"name": "tone", "pattern": "y"}]
    }
    place = "/dataFeedElement/0/item"
    assert source_pointer(found.origins, f"{place}/rating/1/name") == f"{place}/additionalProperty/0/value"
    assert source_pointer(found.origins, f"{place}/rating/4/name") == f"{place}/additionalProperty/4/value/0/name"


NOTHING: list[Json] = ["[]", [], None]


def test_properties_of_a_question_that_list_no_traits_stay() -> None:
    entries = [
        prop("question_manual_rubric_traits", '[{"name": "m", "pattern": "x"}]'),
        prop("question_metric_rubric_traits", '[{"name": "cut off"'),
        *(prop("question_manual_rubric_traits", empty) for empty in NOTHING),
    ]
    found = holding(additionalProperty=entries)

    assert only_question(found)["additionalProperty"] == entries


def test_a_trait_in_a_property_and_in_rating_is_one_and_the_rating_counts() -> None:
    entries = [prop("global_rubric_traits", '[{"name": "tone", "kind": "score"}, {"name": "new"}]')]
    found = upgrade(rating=[rating("tone")], additionalProperty=entries)

    assert [one["name"] for one in found.tree["rating"]] == ["tone", "new"]
    assert settings(found.tree["rating"][0])["kind"] == "boolean"


@pytest.mark.parametrize("broken", ["[{oops", '"no list"', "", None, 5, '[{"name": "x", "name": "y"}]'])
def test_a_property_that_holds_no_list_of_traits_stays(broken: Json) -> None:
    entry = prop("global_regex_rubric_traits", broken)
    found = upgrade(additionalProperty=[entry])

    assert found.tree["additionalProperty"] == [entry]
    assert "rating" not in found.tree


def test_manual_traits_stay_where_they_are() -> None:
    entry = prop("global_manual_rubric_traits", '[{"name": "x"}]')

    assert upgrade(additionalProperty=[entry]).tree["additionalProperty"] == [entry]


def test_a_plain_rubric_object_becomes_ratings_with_a_warning() -> None:
    rubric = {"name": "R", "llm_traits": [{"name": "tone"}, {"name": "new"}], "callable_traits": [{"name": "c"}]}
    found = upgrade(rating=[rating("tone")], globalRubric=rubric)

    assert [one["name"] for one in found.tree["rating"]] == ["tone", "new", "c"]
    assert found.tree["additionalProperty"] == [prop("rubric_name", "R")]
    assert "globalRubric" not in found.tree
    assert places(found) == [("W-LEGACY-PROPERTY", "/globalRubric")]
    assert source_pointer(found.origins, "/rating/2") == "/globalRubric/callable_traits/0"


def test_a_question_may_have_a_plain_rubric_object_too() -> None:
    found = holding(rubric={"traits": [{"name": "r", "type": "RegexTrait", "pattern": "x"}]})

    assert only_question(found)["rating"][0]["additionalType"] == "karenina:QuestionSpecificRegexTrait"
    assert places(found) == [("W-LEGACY-PROPERTY", "/dataFeedElement/0/item/rubric")]


@pytest.mark.parametrize("value", [{"name": "A"}, '{"name":"A"}', '{"name": "A"}'])
def test_authors_are_spelled_in_one_way(value: Json) -> None:
    assert settings(only_question(holding(additionalProperty=[prop("author", value)])))["author"] == '{"name": "A"}'


@pytest.mark.parametrize("value", ["A. Smith", "123", "{oops", None, '{"a": 1, "a": 2}', '{"a": NaN}'])
def test_what_is_no_json_object_stays_text(value: Json) -> None:
    assert settings(only_question(holding(additionalProperty=[prop("author", value)])))["author"] == value


def test_a_person_whose_details_stand_beside_the_name_is_put_together() -> None:
    person = {"@type": "Person", "name": "A", "email": "a@example.org"}
    found = upgrade(creator="A", additionalProperty=[prop("creator_details", person), prop("own", 1)])

    assert found.tree["creator"] == person
    assert found.tree["additionalProperty"] == [prop("own", 1)]


def test_details_of_an_organization_or_of_somebody_else_stay() -> None:
    for details in ({"@type": "Organization", "name": "A"}, {"@type": "Person", "name": "B"}, "A"):
        found = upgrade(creator="A", additionalProperty=[prop("creator_details", details)])
        assert found.tree["creator"] == "A"
        assert found.tree["additionalProperty"] == [prop("creator_details", details)]


def test_a_missing_type_of_the_root_stays_missing() -> None:
    document = feed()
    del document["@type"]

    assert "@type" not in dialect("datafeed-legacy").upgrade(document).tree


def test_what_stands_in_the_wrong_shape_is_passed_on() -> None:
    for shape in ({"rating": {"name": "x"}}, {"additionalProperty": prop("a", 1)}, {"dataFeedElement": element()}):
        tree = upgrade(**shape).tree
        assert {name: tree[name] for name in shape} == shape


def test_clean_finds_nothing_left_to_do_in_its_own_result() -> None:
    tree = clean(feed(rating=[rating(), rating("s", bestRating=5)], dataFeedElement=[element(keywords=["a"])]))

    assert clean(tree) == tree
    assert json.dumps(clean(tree)) == json.dumps(tree)


def test_the_gui_s_documents_are_upgraded_alike() -> None:
    document = feed(rating=[rating()], additionalProperty=[GUI])
    legacy, gui = (dialect(name).upgrade(document).tree for name in ("datafeed-legacy", "gui-datafeed"))

    assert legacy == gui

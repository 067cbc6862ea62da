"""The DataFeed of the Karenina GUI, written from canonical documents."""

import json
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld.dialects import Downgrade, detect, dialect
from checkpoint_ld.dialects.datafeed import clean
from checkpoint_ld.dialects.dialect import ABSENT
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

NOW = "2026-01-01T00:00:00.000Z"
OWN = "karenina:QuestionSpecificRubricTrait"


def downgrade(tree: dict[str, Json], **options: Json) -> Downgrade:
    write = dialect("gui-datafeed").downgrade
    assert write is not None
    return write(tree, **{"now": NOW, **options})


def tree_of(**members: Json) -> dict[str, Json]:
    return feed(**{"@context": HTTPS}, **members)


def holding(**members: Json) -> dict[str, Any]:
    """Return how the GUI writes a question with `members`."""
    value = downgrade(tree_of(dataFeedElement=[element(item=question(**members))])).value
    item: dict[str, Any] = value["dataFeedElement"][0]["item"]
    return item


def rated(*ratings: dict[str, Json]) -> list[dict[str, Any]]:
    """Return how the GUI writes global `ratings`."""
    written: list[dict[str, Any]] = downgrade(tree_of(rating=list(ratings))).value["rating"]
    return written


def test_a_state_is_written_as_the_gui_exports_it() -> None:
    tree = dialect("v2.0").upgrade(state()).tree
    value = downgrade(tree).value

    assert list(value) == [
        *("@context", "@type", "@id", "name", "description", "version", "creator", "dateCreated", "dateModified"),
        *("dataFeedElement", "additionalProperty"),
    ]
    assert value["@id"] == "urn:uuid:karenina-checkpoint-1767225600000"
    assert value["name"] == "Karenina LLM Benchmark Checkpoint"
    assert value["description"].startswith("Checkpoint containing 1 benchmark questions")
    assert (value["version"], value["creator"]) == ("0.1.0", "Karenina Benchmarking System")
    assert (value["dateCreated"], value["dateModified"]) == (NOW, NOW)
    assert value["additionalProperty"][0] == prop("checkpoint_format_version", "3.0.0-jsonld")
    assert json.loads(value["additionalProperty"][1]["value"]) == {
        "originalVersion": "2.0",
        "convertedAt": NOW,
        "totalQuestions": 1,
        "totalRatings": 0,
    }
    assert value["dataFeedElement"][0] == {
        "@type": "DataFeedItem",
        "@id": "urn:uuid:k0",
        "dateCreated": "2025-01-01T00:00:00Z",
        "dateModified": "2025-01-02T00:00:00Z",
        "item": {
            "@type": "Question",
            "@id": "urn:uuid:question-which-metal-is-liquid-3673b009",
            "text": "Which metal is liquid?",
            "acceptedAnswer": {"@type": "Answer", "@id": "urn:uuid:answer-k0", "text": "Mercury"},
            "hasPart": {
                "@type": "SoftwareSourceCode",
                "@id": "urn:uuid:template-k0",
                "name": "Which metal is liquid?... Answer Template",
                "text": "class Answer: ...",
                "programmingLanguage": "Python",
                "codeRepository": "karenina-benchmarks",
            },
            "additionalProperty": [prop("finished", True), prop("original_answer_template", "")],
        },
    }
    assert detect(value) is dialect("gui-datafeed")


def test_identifiers_are_optional_but_those_of_ratings() -> None:
    tree = tree_of(rating=[rating()])
    value = downgrade(tree, preserve_ids=False).value
    entry = value["dataFeedElement"][0]

    assert not any("@id" in part for part in (value, entry, entry["item"], entry["item"]["hasPart"]))
    assert value["rating"][0]["@id"] == "urn:uuid:rating-tone"


@pytest.mark.parametrize("identifier", [None, 5])
def test_an_identifier_that_is_no_text_is_not_written(identifier: Json) -> None:
    found = downgrade(tree_of(dataFeedElement=[element(**{"@id": identifier})])).value["dataFeedElement"][0]

    assert not any("@id" in one for one in (found, found["item"]["acceptedAnswer"], found["item"]["hasPart"]))


def test_identifiers_that_are_there_are_kept() -> None:
    answer = {"@type": "Answer", "@id": "urn:uuid:a", "text": "x"}
    item = holding(**{"@id": "urn:uuid:q"}, acceptedAnswer=answer)

    assert (item["@id"], item["acceptedAnswer"]["@id"]) == ("urn:uuid:q", "urn:uuid:a")
    assert rated(rating(**{"@id": "urn:uuid:r"}))[0]["@id"] == "urn:uuid:r"
    assert downgrade(tree_of()).value["@id"] == "urn:uuid:benchmark"


def test_the_note_about_the_conversion_is_optional_and_keeps_its_time() -> None:
    note = '{"originalVersion":"2.0","convertedAt":"2025-05-05","totalQuestions":9,"totalRatings":9}'
    tree = tree_of(rating=[rating()], additionalProperty=[prop("conversion_metadata", note)])

    assert "conversion_metadata" not in settings(downgrade(tree, include_metadata=False).value)
    written = json.loads(settings(downgrade(tree).value)["conversion_metadata"])
    assert (written["convertedAt"], written["totalQuestions"], written["totalRatings"]) == ("2025-05-05", 1, 1)


def test_a_new_document_counts_as_modified_now() -> None:
    kept, new = (downgrade(tree_of(), is_creation=flag).value for flag in (False, True))

    assert (kept["dateModified"], new["dateModified"]) == ("2025-01-02T00:00:00", NOW)
    assert kept["dateCreated"] == new["dateCreated"] == "2025-01-01T00:00:00"


def test_without_a_given_time_the_clock_counts() -> None:
    write = dialect("gui-datafeed").downgrade
    assert write is not None
    value = write(dialect("v2.0").upgrade(state()).tree).value

    assert value["dateCreated"].endswith("Z")
    assert value["dateCreated"][:4] >= "2025"
    assert value["@id"].removeprefix("urn:uuid:karenina-checkpoint-").isdigit()


def test_a_time_that_is_none_is_written_as_it_is_but_makes_no_identifier() -> None:
    value = downgrade(dialect("v2.0").upgrade(state()).tree, now="yesterday").value

    assert value["dateCreated"] == "yesterday"
    assert value["@id"].removeprefix("urn:uuid:karenina-checkpoint-").isdigit()


def test_a_time_without_offset_counts_as_utc() -> None:
    value = downgrade(dialect("v2.0").upgrade(state()).tree, now="2026-01-01T00:00:00").value

    assert value["@id"] == "urn:uuid:karenina-checkpoint-1767225600000"


def test_elements_without_dates_take_those_of_the_root() -> None:
    bare = {"@type": "DataFeedItem", "item": question()}
    entry = downgrade(tree_of(dataFeedElement=[bare])).value["dataFeedElement"][0]

    assert entry["dateCreated"] == entry["dateModified"] == "2025-01-02T00:00:00"


def test_properties_of_a_question_stand_in_the_gui_s_order() -> None:
    entries = [
        *(prop("custom_level", "hard"), prop("few_shot_examples", '[{"question": "Q"}]'), prop("answer_notes", "n")),
        *(prop("author", '{"name": "\\u00dcnal"}'), prop("finished", True), prop("sources", "plain")),
    ]

    assert holding(additionalProperty=entries)["additionalProperty"] == [
        prop("finished", True),
        prop("original_answer_template", ""),
        prop("author", '{"name":"Ünal"}'),
        prop("sources", "plain"),
        prop("few_shot_examples", '[{"question":"Q"}]'),
        prop("custom_level", "hard"),
        prop("answer_notes", "n"),
    ]


def test_progress_that_is_not_stated_has_no_value() -> None:
    assert holding()["additionalProperty"][0] == prop("finished")


def test_keywords_stand_on_the_element() -> None:
    value = downgrade(tree_of(dataFeedElement=[element(item=question(keywords=["a"]))])).value

    assert value["dataFeedElement"][0]["keywords"] == ["a"]
    assert "keywords" not in value["dataFeedElement"][0]["item"]


def test_the_name_of_a_template_counts_utf_16_units_and_cuts_no_character() -> None:
    text = "\U0001f600" * 14 + "a" + "\U0001f600" * 3
    unnamed = {"@type": "SoftwareSourceCode", "text": ""}

    assert holding(text=text, hasPart=unnamed)["hasPart"]["name"] == "\U0001f600" * 14 + "a... Answer Template"
    assert holding()["hasPart"]["name"] == "t"


def test_llm_traits() -> None:
    boolean, score, unit, literal = rated(
        rating("b", "karenina:GlobalRubricTrait", additionalProperty=[prop("higher_is_better", False)]),
        rating("s", "karenina:GlobalRubricTrait", bestRating=9.0, worstRating=0.5),
        rating("u", "karenina:GlobalRubricTrait", additionalProperty=[prop("kind", "score")]),
        rating(
            "l",
            "karenina:GlobalLLMRubricTrait",
            additionalProperty=[prop("kind", "literal"), prop("classes", {"a": "b"})],
        ),
    )

    assert boolean == {
        "@type": "Rating",
        "@id": "urn:uuid:rating-b",
        "name": "b",
        "additionalType": "GlobalRubricTrait",
        "bestRating": 1,
        "worstRating": 0,
        "additionalProperty": [prop("higher_is_better", False)],
    }
    assert [type(bound) for bound in (boolean["bestRating"], score["bestRating"], score["worstRating"])] == [
        int,
        int,
        float,
    ]
    assert settings(score) == {"higher_is_better": True}
    assert settings(unit) == {"higher_is_better": True, "kind": "score", "min_score": 0, "max_score": 1}
    assert settings(literal) == {"higher_is_better": True, "kind": "literal", "classes": {"a": "b"}}
    assert literal["additionalType"] == "GlobalLLMRubricTrait"


@pytest.mark.parametrize("range_", [{}, {"bestRating": None, "worstRating": "1"}, {"worstRating": 1.0}])
def test_a_score_whose_range_follows_from_its_scores_is_read_again(range_: Json) -> None:
    entries = [prop("kind", "score"), prop("min_score", 1), prop("max_score", 5), prop("higher_is_better", True)]
    kept = {**rating(additionalProperty=entries), "bestRating": ABSENT, "worstRating": ABSENT, **range_}
    kept = {name: value for name, value in kept.items() if value is not ABSENT}
    (written,) = rated(kept)
    (again,) = dialect("gui-datafeed").upgrade(downgrade(tree_of(rating=[kept])).value).tree["rating"]

    assert written["bestRating"] == 5
    assert settings(again) == settings(kept)
    assert [again[name] for name in range_] == [*range_.values()]


def test_other_traits_state_what_the_gui_states() -> None:
    regex, callable_, metric = rated(
        rating("r", "karenina:GlobalRegexTrait", additionalProperty=[prop("pattern", "x")]),
        rating(
            "c",
            "karenina:GlobalCallableTrait",
            additionalProperty=[prop("classes", {"a": "b"}), prop("kind", "literal")],
        ),
        rating("m", "karenina:GlobalMetricRubricTrait", additionalProperty=[prop("evaluation_mode", "full_matrix")]),
    )

    assert regex["additionalProperty"] == [
        prop("pattern", "x"),
        prop("case_sensitive", True),
        prop("invert_result", False),
    ]
    assert callable_["additionalProperty"] == [
        prop("kind", "literal"),
        prop("invert_result", False),
        prop("classes", {"a": "b"}),
    ]
    assert metric["additionalProperty"] == [
        prop("evaluation_mode", "tp_and_tn"),
        prop("tn_instructions", []),
        prop("repeated_extraction", True),
    ]


def test_deep_judgment_stands_on_the_rating_when_it_is_enabled() -> None:
    deep = [prop("deep_judgment_enabled", True), prop("deep_judgment_max_excerpts", 3)]
    idle = [prop("deep_judgment_enabled", False), prop("deep_judgment_excerpt_enabled", True)]
    unusual = [prop("deep_judgment_enabled", False), prop("deep_judgment_max_excerpts", 3)]
    enabled, disabled, kept = rated(*(rating(additionalProperty=entries) for entries in (deep, idle, unusual)))

    assert (enabled["deep_judgment_enabled"], enabled["deep_judgment_max_excerpts"]) == (True, 3)
    assert enabled["additionalProperty"] == [prop("higher_is_better", True)]
    assert disabled["additionalProperty"] == [prop("higher_is_better", True)]
    assert kept["additionalProperty"] == [prop("higher_is_better", True), prop("deep_judgment_max_excerpts", 3)]


def test_a_trait_that_has_no_direction_keeps_saying_so() -> None:
    (none,) = rated(rating(bestRating=3, additionalProperty=[prop("higher_is_better")]))

    assert none["additionalProperty"] == [prop("higher_is_better")]


@pytest.mark.parametrize(
    ("suffix", "entries", "range_"),
    [
        ("RubricTrait", [prop("kind", "boolean")], (1, 0)),
        ("LLMRubricTrait", [prop("kind", "literal"), prop("classes", {"a": "A", "b": "B", "c": "C"})], (2, 0)),
        ("RegexTrait", [prop("pattern", "x")], (1, 0)),
        ("CallableTrait", [prop("callable_code", "ZGVm")], (1, 0)),
        ("CallableTrait", [prop("callable_code", "ZGVm"), prop("kind", "score"), prop("max_score", 9)], (9, 1)),
        ("MetricRubricTrait", [prop("metrics", ["f1"]), prop("tp_instructions", ["a"])], (1, 0)),
    ],
)
def test_a_rating_has_the_range_and_the_mode_without_which_the_gui_refuses_a_document(
    suffix: str, entries: list[Json], range_: tuple[int, int]
) -> None:
    bare = {name: value for name, value in rating("t", f"karenina:Global{suffix}").items() if "Rating" not in name}
    (written,) = rated({**bare, "additionalProperty": entries})

    assert (written["bestRating"], written["worstRating"]) == range_
    mode = "tp_only" if suffix == "MetricRubricTrait" else None
    assert settings(written).get("evaluation_mode") == mode


@pytest.mark.parametrize(
    ("suffix", "entries", "reason"),
    [
        ("RegexTrait", [prop("pattern", "")], "it has no pattern"),
        ("CallableTrait", [prop("kind", "boolean")], "it has no code"),
        ("CallableTrait", [prop("callable_code", "ZGVm"), prop("kind", "literal")], "its kind is 'literal', neither …"),
        ("RubricTrait", [prop("kind", "score")], "its lowest score is not below its highest"),
    ],
)
def test_a_trait_with_which_the_gui_refuses_a_document_is_listed(suffix: str, entries: Json, reason: str) -> None:
    trait = rating("t", f"karenina:Global{suffix}", bestRating=1.0, worstRating=1.0, additionalProperty=entries)
    (found,) = downgrade(tree_of(rating=[trait])).findings

    assert found.message.startswith(f'the GUI refuses a document with the trait "t": {reason}'.removesuffix("…"))
    assert found.place.pointer == "/rating/0"


def test_what_the_gui_does_not_read_is_kept_and_listed() -> None:
    agent = rating("agent", "karenina:GlobalAgenticRubricTrait", additionalProperty=[prop("max_turns", 3)])
    template = rating("fill", "karenina:GlobalLLMRubricTrait", additionalProperty=[prop("kind", {"type": "template"})])
    notes = element(item=question(additionalProperty=[prop("finished", True), prop("answer_notes", "n")]))
    found = downgrade(tree_of(rating=[rating(), agent, template], dataFeedElement=[notes]))

    assert {(one.condition, one.place.pointer) for one in found.findings} == {
        ("W-LOSS", "/rating/1"),
        ("W-LOSS", "/rating/2"),
        ("W-LOSS", "/dataFeedElement/0/item/additionalProperty/1"),
    }
    again = dialect("gui-datafeed").upgrade(found.value).tree
    assert [settings(one).get("max_turns") for one in again["rating"]] == [None, 3, None]
    assert settings(again["rating"][2])["kind"] == {"type": "template"}
    assert settings(again["dataFeedElement"][0]["item"])["answer_notes"] == "n"


def test_a_setting_that_stands_twice_is_listed_at_its_first_place() -> None:
    twice = rating(
        "cites", "karenina:GlobalRegexTrait", additionalProperty=[prop("pattern", "a"), prop("pattern", "b")]
    )
    found = downgrade(tree_of(rating=[rating(), twice]))

    assert {one.place.pointer for one in found.findings} == {"/rating/1/additionalProperty/0"}
    again = dialect("gui-datafeed").upgrade(found.value).tree["rating"][1]["additionalProperty"]
    assert [one["value"] for one in again if one["name"] == "pattern"] == ["a", "b"]


def test_scenarios_are_set_apart_and_listed() -> None:
    scenarios = [{"@type": "karenina:Scenario", "name": "s"}]
    found = downgrade(tree_of(dataFeedElement=[], hasPart=scenarios))

    assert detect(found.value) is dialect("gui-datafeed")
    assert dialect("gui-datafeed").upgrade(found.value).tree["hasPart"] == scenarios
    assert [one.place.pointer for one in found.findings] == ["/hasPart"]


@pytest.mark.parametrize(
    ("creator", "name", "details"),
    [
        ("A", "A", None),
        ({"@type": "Person", "name": "A"}, "A", None),
        ({"@type": "Person", "name": "A", "email": "a@b"}, "A", {"@type": "Person", "name": "A", "email": "a@b"}),
        ({"@type": "Organization", "name": "O"}, "O", {"@type": "Organization", "name": "O"}),
    ],
)
def test_a_creator_is_a_name_with_the_rest_beside_it(creator: Json, name: str, details: Json) -> None:
    value = downgrade(tree_of(creator=creator)).value

    assert value["creator"] == name
    assert settings(value).get("creator_details") == details


def test_members_and_properties_of_the_root_that_the_gui_does_not_know_are_written() -> None:
    value = downgrade(tree_of(license="CC0", additionalProperty=[prop("own", 1)])).value

    assert value["license"] == "CC0"
    assert settings(value)["own"] == 1


def test_the_tree_is_left_alone() -> None:
    tree = tree_of(
        rating=[rating()], dataFeedElement=[element(item=question(keywords=["a"], rating=[rating("d", OWN)]))]
    )
    before = json.dumps(tree)
    downgrade(tree)

    assert json.dumps(tree) == before


def test_real_documents_of_the_newest_gui_are_written_as_they_were(corpus: Path) -> None:
    """Those that were written with identifiers and a note; full_matrix is a name that the GUI's own reader refuses."""
    compared = 0
    for file, document in documents(corpus, "gui-datafeed"):
        if "conversion_metadata" in settings(document) and "@id" in document and "full-matrix" not in file:
            assert downgrade(dialect("gui-datafeed").upgrade(document).tree).value == document, file
            compared += 1
    assert compared > 20


@pytest.mark.parametrize(
    "name", ["gui-datafeed", "datafeed-legacy", "datafeed-ns-v3", "dataset-0", "dataset-1", "flat", "v2.0"]
)
def test_real_documents_survive_as_the_gui_s(corpus: Path, name: str) -> None:
    for file, document in documents(corpus, name):
        tree = clean(dialect(name).upgrade(document).tree)
        value = downgrade(tree).value
        found = detect(value)
        assert found is not None
        again = clean(found.upgrade(value).tree)
        missing = list(lacking(telling(tree), named(again)))
        assert not missing, file

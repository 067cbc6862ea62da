"""What is checked about a benchmark as a whole."""

from __future__ import annotations

import pytest

from checkpoint_ld.checks import check
from tests.checks import Json, found, root, setting
from tests.documents import canonical, item, scenario

PROPERTIES = "/additionalProperty"


def test_a_faultless_benchmark_has_no_findings() -> None:
    assert found(canonical()) == []


@pytest.mark.parametrize(
    ("members", "finding"),
    [
        ({"name": None}, ("E-NAME", "/name")),
        ({"name": ""}, ("E-NAME", "/name")),
        ({"name": 5}, ("E-NAME", "/name")),
        ({"description": 5}, ("W-VALUE", "/description")),
        ({"version": 1.0}, ("W-VERSION-TYPE", "/version")),
        ({"version": ["1.0"]}, ("E-VALUE", "/version")),
        ({"creator": 5}, ("E-VALUE", "/creator")),
        ({"creator": {"@type": "Person"}}, ("W-VALUE", "/creator")),
        ({"creator": ["A. Smith", 5]}, ("E-VALUE", "/creator/1")),
        ({"dateCreated": None}, ("W-DATE-MISSING", "/dateCreated")),
        ({"dateModified": "not-a-date"}, ("W-DATE-FORMAT", "/dateModified")),
        ({"dateModified": 20260101}, ("W-DATE-FORMAT", "/dateModified")),
        ({"globalRubric": {"llm_traits": []}}, ("W-LEGACY-PROPERTY", "/globalRubric")),
        ({"dataFeedElement": None}, ("E-ROOT", "/dataFeedElement")),
        ({"dataFeedElement": "none"}, ("E-ROOT", "/dataFeedElement")),
    ],
)
def test_a_faulty_member_is_reported_at_its_place(members: Json, finding: tuple[str, str]) -> None:
    assert found(root(**members)) == [finding]


@pytest.mark.parametrize(
    "members",
    [
        {"description": None, "version": None, "creator": None, "rating": None, "additionalProperty": None},
        {"creator": {"@type": "Person", "name": "A. Smith", "affiliation": {"name": "ACME"}}},
        {"creator": {"@type": "Organization", "name": "ACME"}},
        {"creator": ["A. Smith", {"@type": "Person", "name": "B. Jones"}]},
        {"license": "MIT", "nobody knows this": {"@weird": [None]}},
        {"dataFeedElement": []},
    ],
)
def test_optional_and_unknown_members_are_no_fault(members: Json) -> None:
    assert found(root(**members)) == []


@pytest.mark.parametrize(
    "date",
    ["2026-01-31", "20260131T120000Z", "2026-01-31T12:00:00.123456789+02:00", "2026-01-31T12:00", "2026-W05-6"],
)
def test_dates_of_iso_8601_are_taken(date: str) -> None:
    assert found(root(dateCreated=date)) == []


@pytest.mark.parametrize("date", ["31.01.2026", "2026-01-31 12:00:00", "2026-02-30", "2026-01-31T12:00:00Z[UTC]", ""])
def test_other_dates_are_kept_with_a_warning(date: str) -> None:
    assert found(root(dateCreated=date)) == [("W-DATE-FORMAT", "/dateCreated")]


@pytest.mark.parametrize(
    ("dialect", "excused"),
    [
        (
            "v2.0",
            {"/dateCreated", "/dateModified", "/dataFeedElement/0/dateCreated", "/dataFeedElement/0/dateModified"},
        ),
        ("dataset-0", {"/dataFeedElement/0/dateCreated"}),
        ("dataset-1", {"/dataFeedElement/0/dateCreated"}),
        ("flat", {"/dateCreated", "/dataFeedElement/0/dateCreated", "/dataFeedElement/0/dateModified"}),
        ("gui-datafeed", set()),
    ],
)
def test_a_dialect_excuses_the_dates_it_has_no_place_for(dialect: str, excused: set[str]) -> None:
    element = {name: value for name, value in item().items() if not name.startswith("date")}
    undated = {name: value for name, value in canonical(element).items() if not name.startswith("date")}
    everywhere = {f"{place}/{date}" for place in ("", "/dataFeedElement/0") for date in ("dateCreated", "dateModified")}

    assert {pointer for _, pointer in found(undated, dialect)} == everywhere - excused


@pytest.mark.parametrize(
    ("properties", "finding"),
    [
        ([setting("benchmark_format_version", "9.9.9-foo")], ("W-FORMAT-VERSION", PROPERTIES)),
        ([setting("checkpoint_format_version", 3)], ("W-FORMAT-VERSION", PROPERTIES)),
        ([setting("global_regex_rubric_traits", "[{")], ("W-LEGACY-PROPERTY", PROPERTIES)),
        ([setting("global_rubric_traits", '{"name": "x"}')], ("W-LEGACY-PROPERTY", PROPERTIES)),
        ([setting("global_manual_rubric_traits", "[]")], ("W-LEGACY-PROPERTY", PROPERTIES)),
        ([setting("level", 1), setting("level", 2)], ("W-VALUE", PROPERTIES)),
        (["text"], ("E-PROPERTY", f"{PROPERTIES}/0")),
        ([setting("level", 1), {"value": 1}], ("E-PROPERTY", f"{PROPERTIES}/1")),
        ([{"name": 1, "value": 1}], ("E-PROPERTY", f"{PROPERTIES}/0")),
        ({"level": "easy"}, ("E-PROPERTY", PROPERTIES)),
        (5, ("E-PROPERTY", PROPERTIES)),
    ],
)
def test_faulty_properties_are_reported(properties: Json, finding: tuple[str, str]) -> None:
    assert found(root(additionalProperty=properties)) == [finding]


@pytest.mark.parametrize(
    "properties",
    [
        [setting("checkpoint_format_version", "3.1.0-jsonld")],
        [setting("global_metric_rubric_traits", '[{"name": "x"}]'), setting("global_rubric_traits", [])],
        [{"name": "level", "value": "easy"}, {"name": "no value"}, setting("null", None)],
        {"name": "a single one", "value": 1},
        [],
    ],
)
def test_properties_of_every_lawful_form_are_taken(properties: Json) -> None:
    assert found(root(additionalProperty=properties)) == []


def test_questions_and_scenarios_in_one_file_are_refused() -> None:
    mixed = {**canonical(), "hasPart": scenario()["hasPart"]}

    assert found(mixed)[0] == ("E-MIXED", "/hasPart")
    assert "E-MIXED" not in {code for code, _ in found(scenario())}


def test_findings_stand_in_the_order_of_the_document_and_missing_members_after_what_their_object_has() -> None:
    tree = {
        "additionalProperty": [5],
        "dataFeedElement": [{"item": {"text": "", "acceptedAnswer": {"text": "a"}}, "@id": "x"}],
        "version": 1,
        "name": "n",
    }

    assert [pointer for _, pointer in found(tree)] == [
        "/additionalProperty/0",
        "/dataFeedElement/0/item/text",
        "/dataFeedElement/0/item/hasPart",
        "/dataFeedElement/0/dateCreated",
        "/dataFeedElement/0/dateModified",
        "/version",
        "/dateCreated",
        "/dateModified",
    ]


def test_a_finding_names_the_value_the_dialect_and_what_to_do() -> None:
    (finding,) = check(root(version=1.5), "datafeed-legacy")

    assert "1.5" in finding.message
    assert finding.remedy
    assert finding.dialect == "datafeed-legacy"

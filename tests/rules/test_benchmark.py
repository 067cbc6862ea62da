"""Rules about the benchmark as a whole, beyond one example of each."""

from __future__ import annotations

import pytest

from tests.documents import setting
from tests.rules.broken import Json, added, findings, located, messages, removed, replaced


@pytest.mark.parametrize("start", ["metals", "interview"])
def test_the_documents_that_all_examples_start_from_have_no_findings(start: str) -> None:
    assert located(start=start) == []


@pytest.mark.parametrize(
    ("member", "value", "code"),
    [
        ("name", 7, "KB001"),
        ("name", None, "KB001"),
        ("name", {"en": "Metals"}, "KB001"),
        ("name", ["Metals", "Metalle"], "KB001"),
        ("name", "\n", "KB020"),
        ("description", {"en": "About metals"}, "KB002"),
        ("version", True, "KB003"),
        ("version", ["1.0", "2.0"], "KB004"),
        ("version", None, "KB023"),
        ("dateCreated", 20260301, "KB009"),
        ("dateCreated", "2026-13-01", "KB009"),
        ("dateCreated", "", "KB009"),
        ("dateCreated", None, "KB007"),
        ("creator", True, "KB011"),
        ("creator", {"@type": "Person", "name": 7}, "KB012"),
        ("dataFeedElement", 7, "KB013"),
    ],
)
def test_a_value_of_the_wrong_kind_is_one_finding(member: str, value: Json, code: str) -> None:
    pointer = "/creator/name" if code == "KB012" else f"/{member}"

    assert located(replaced(f"/{member}", value)) == [(code, pointer)]


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("description", None),
        ("creator", None),
        ("creator", "Foundry"),
        ("dateCreated", "2026-03-01"),
        ("dateCreated", "2026-03-01T09:00:00.123456"),
        ("hasPart", []),
        ("globalRubric", None),
        ("license", "https://creativecommons.org/licenses/by/4.0/"),
    ],
)
def test_what_the_format_allows_is_not_reported(member: str, value: Json) -> None:
    assert located(added(f"/{member}", value)) == []


def test_of_several_creators_the_one_that_is_nobody_is_pointed_at() -> None:
    assert located(replaced("/creator", ["Ada Smith", 7])) == [("KB021", "/creator"), ("KB011", "/creator/1")]


def test_a_feed_that_is_missing_is_not_empty_too() -> None:
    assert located(removed("/dataFeedElement")) == [("KB013", "/dataFeedElement")]


def test_scenarios_alone_are_no_empty_benchmark() -> None:
    assert located(removed("/dataFeedElement"), start="interview") == []


@pytest.mark.parametrize("version", ["3.0.0-jsonld", "3.1"])
@pytest.mark.parametrize("name", ["benchmark_format_version", "checkpoint_format_version"])
def test_either_name_of_the_format_version_will_do(name: str, version: str) -> None:
    assert located(replaced("/additionalProperty/0", setting(name, version))) == []


def test_the_foreign_one_of_two_format_versions_is_named() -> None:
    [found] = findings(added("/additionalProperty/-", setting("checkpoint_format_version", "4.0.0")))

    assert found.place.pointer == "/additionalProperty/1/value"
    assert found.message == 'checkpoint_format_version is "4.0.0", not 3.0.0-jsonld'


@pytest.mark.parametrize("value", ["[]", [], " [ ] ", None])
def test_an_empty_list_of_abandoned_traits_is_no_loss(value: Json) -> None:
    assert located(added("/additionalProperty/-", setting("global_manual_rubric_traits", value))) == []


def test_the_old_property_that_lists_no_traits_is_named() -> None:
    change = added("/additionalProperty/-", setting("global_metric_rubric_traits", '[{"name": "cut off"'))

    assert messages(change) == ['global_metric_rubric_traits is "[{\\"name\\": \\"cut off\\"", not a list of traits']


def test_the_date_that_is_wrong_is_named() -> None:
    assert messages(replaced("/dateModified", "yesterday")) == [
        'dateModified is "yesterday", which is no date in ISO 8601'
    ]


def test_dates_of_which_one_has_no_offset_are_not_compared_closely() -> None:
    assert located(replaced("/dateModified", "2026-02-28T20:00:00")) == []
    assert located(replaced("/dateModified", "2026-02-20T20:00:00")) == [("KB010", "/dateModified")]


def test_a_part_that_is_no_scenario_is_not_called_one() -> None:
    [found] = findings(added("/hasPart", [{"@type": "CreativeWork", "name": "Appendix"}]))

    assert found.subject == 'part "Appendix"'

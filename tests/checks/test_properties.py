"""What is checked about the settings of a question that are kept as properties."""

from __future__ import annotations

import pytest

from checkpoint_ld.checks import check
from tests.checks import QUESTION, Json, asked, found, setting

PROPERTIES = f"{QUESTION}/additionalProperty"


def with_settings(**settings: Json) -> Json:
    return asked(additionalProperty=[setting(name, value) for name, value in settings.items()])


@pytest.mark.parametrize("finished", ["yes", "TRUE", "off", 0, 1, 1.0])
def test_what_looks_like_a_boolean_is_read_as_one_with_a_warning(finished: Json) -> None:
    assert found(with_settings(finished=finished)) == [("W-VALUE", PROPERTIES)]


@pytest.mark.parametrize("finished", ["banana", "", 2, 0.5, [], {}])
def test_what_does_not_is_refused(finished: Json) -> None:
    assert found(with_settings(finished=finished)) == [("E-VALUE", PROPERTIES)]


@pytest.mark.parametrize("finished", [True, False, None])
def test_a_boolean_or_nothing_is_taken(finished: Json) -> None:
    assert found(with_settings(finished=finished)) == []


def test_finished_twice_is_reported_once_and_the_last_one_counts() -> None:
    tree = asked(additionalProperty=[setting("finished", True), setting("finished", False), setting("finished", True)])
    (finding,) = check(tree)

    assert (finding.condition, finding.place.pointer) == ("W-VALUE", PROPERTIES)
    assert "3 times" in finding.message
    assert "true" in finding.message


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("author", "Jane Doe"),
        ("author", "123"),
        ("author", '{"name": '),
        ("author", '["A. Smith"]'),
        ("author", 5),
        ("sources", "a book"),
        ("sources", '{"title": "a book"}'),
        ("few_shot_examples", "[{"),
        ("few_shot_examples", {"question": "q"}),
        ("answer_notes", 5),
        ("workspace_path", ["a"]),
        ("original_answer_template", {}),
    ],
)
def test_a_value_that_is_kept_but_not_understood_is_reported(name: str, value: Json) -> None:
    (finding,) = check(with_settings(**{name: value}))

    assert (finding.condition, finding.place.pointer) == ("W-VALUE", PROPERTIES)
    assert name in finding.message


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("author", '{"name": "A. Smith"}'),
        ("author", {"name": "A. Smith"}),
        ("author", None),
        ("sources", "[]"),
        ("sources", [{"title": "a book"}]),
        ("few_shot_examples", '[{"question": "q", "answer": "a"}]'),
        ("answer_notes", "mind the unit"),
        ("custom_custom_level", [None, {"@id": 1}]),
        ("anything", 5),
    ],
)
def test_values_in_either_encoding_and_custom_ones_are_taken(name: str, value: Json) -> None:
    assert found(with_settings(**{name: value})) == []


def test_json_text_nested_beyond_all_measure_is_reported_like_other_broken_text() -> None:
    assert found(with_settings(sources="[" * 100_000)) == [("W-VALUE", PROPERTIES)]

"""Identifiers of questions, templates and traits, as Karenina and its GUI compute them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld import identifiers

if TYPE_CHECKING:
    from pathlib import Path


def table(corpus: Path, name: str) -> Any:
    return json.loads((corpus / "tables" / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What is the capital of France?", "urn:uuid:question-what-is-the-capital-of-france-cb0b4aaf"),
        ("", "urn:uuid:question--d41d8cd9"),
        ("What is 2+2?", "urn:uuid:question-what-is-2+2-936dbc87"),
        ('Quotes "stay", so\tdo tabs', 'urn:uuid:question-quotes-"stay"-so\tdo-tabs-43e91068'),
        ("İ" * 30, "urn:uuid:question-" + "i̇" * 25 + "-0d75ee2c"),
    ],
)
def test_question_id_is_the_lowered_text_and_eight_digits_of_its_hash(text: str, expected: str) -> None:
    assert identifiers.question_id(text) == expected


def test_question_id_cuts_after_fifty_characters_of_the_changed_text() -> None:
    stem = identifiers.question_id("?" * 60 + "a" * 60).removeprefix("urn:uuid:question-").rpartition("-")[0]

    assert stem == "a" * 50


def test_a_taken_question_id_gets_the_first_free_suffix() -> None:
    base = identifiers.question_id("Same?")

    assert identifiers.unique_question_id("Same?", ()) == base
    assert identifiers.unique_question_id("Same?", {base}) == f"{base}-1"
    assert identifiers.unique_question_id("Same?", {base, f"{base}-1", f"{base}-3"}) == f"{base}-2"


def test_question_object_id_is_the_hash_of_the_exact_text() -> None:
    assert identifiers.question_object_id("a") == "0cc175b9c0f1b6a831c399e269772661"
    assert identifiers.question_object_id(" ") == "7215ee9c7d9dc229d2921a40e899ec5f"


@pytest.mark.parametrize("code", [None, "", " \n\t", "\r\n\r\n"])
def test_an_absent_or_blank_template_has_no_template_id(code: str | None) -> None:
    assert identifiers.template_id(code) == "no_template"


@pytest.mark.parametrize(
    "layout",
    [
        "class A:\n    x: int\n",
        "\n    class A:\n        x: int   \n\n",
        "\tclass A:\r\n\t    x: int",
        "class A:\r    x: int",
        "  class A:  \n      x: int\t",
    ],
)
def test_layout_does_not_change_a_template_id(layout: str) -> None:
    assert identifiers.template_id(layout) == identifiers.template_id("class A:\n    x: int")


def test_indentation_inside_a_template_changes_its_id() -> None:
    assert identifiers.template_id("class A:\n  x: int") != identifiers.template_id("class A:\n    x: int")


def test_the_margin_is_what_all_lines_share() -> None:
    assert identifiers.template_id("  \ta\n   b") == identifiers.question_object_id("a\n b")


def test_a_line_of_nothing_but_a_carriage_return_keeps_the_margin() -> None:
    kept = identifiers.template_id("    a\r\n\r\n    b")

    assert kept == identifiers.question_object_id("a\n\n    b")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What is the capital of France?", "urn:uuid:question-what-is-the-capital-of-france-41620d5c"),
        ("", "urn:uuid:question--0"),
        ("What is 2+2?", "urn:uuid:question-what-is-22-4dc98640"),
        ("🧬 emoji", "urn:uuid:question--emoji-17d7a8ec"),
        ("a\u00a0\ufeff b", "urn:uuid:question-a-b-95ce2c2"),
        ("a\u0085b", "urn:uuid:question-ab-17c9e"),
    ],
)
def test_gui_question_id_keeps_letters_and_digits_of_ascii_only(text: str, expected: str) -> None:
    assert identifiers.gui_question_id(text) == expected


def test_gui_question_id_counts_lone_surrogates_as_code_units() -> None:
    assert identifiers.gui_question_id("\ud800") == "urn:uuid:question--d800"


def test_gui_ids_are_made_from_keys() -> None:
    assert identifiers.gui_element_id("4f1c") == "urn:uuid:4f1c"
    assert identifiers.gui_element_id("urn:uuid:4f1c") == "urn:uuid:4f1c"
    assert identifiers.gui_answer_id("4f1c") == "urn:uuid:answer-4f1c"
    assert identifiers.gui_template_id("4f1c") == "urn:uuid:template-4f1c"
    assert identifiers.gui_rating_id("Very \u00a0 Good\tÉ") == "urn:uuid:rating-very-good-é"


def test_an_element_without_id_has_a_key_by_its_index() -> None:
    assert identifiers.gui_key(None, 3) == "question_3"
    assert identifiers.gui_key("urn:uuid:4f1c", 3) == "4f1c"


@given(st.text(min_size=1).filter(lambda key: not key.startswith("urn:uuid:")))
def test_a_key_comes_back_from_its_element_id(key: str) -> None:
    assert identifiers.gui_key(identifiers.gui_element_id(key), 0) == key


@given(st.lists(st.sampled_from(["a b", "a  b", "A b", "a?b"]), max_size=12))
def test_ids_given_one_after_the_other_are_all_different(texts: list[str]) -> None:
    taken: list[str] = []
    for text in texts:
        taken.append(identifiers.unique_question_id(text, taken))

    assert len(set(taken)) == len(texts)


@given(st.text())
def test_question_ids_never_need_more_than_their_parts(text: str) -> None:
    found = identifiers.question_id(text)

    assert found.startswith("urn:uuid:question-")
    assert found.endswith("-" + identifiers.question_object_id(text)[:8])
    assert len(found) <= len("urn:uuid:question-") + 50 + 1 + 8


def test_observed_question_ids(corpus: Path) -> None:
    rows = table(corpus, "ids.json")["question_ids"]

    assert [identifiers.question_id(text) for text, _ in rows] == [expected for _, expected in rows]


def test_observed_question_object_ids(corpus: Path) -> None:
    rows = table(corpus, "ids.json")["question_object_ids"]

    assert [identifiers.question_object_id(text) for text, _ in rows] == [expected for _, expected in rows]


def test_observed_template_ids(corpus: Path) -> None:
    rows = table(corpus, "ids.json")["template_ids"]

    assert [identifiers.template_id(code) for code, _ in rows] == [expected for _, expected in rows]


def test_observed_collisions(corpus: Path) -> None:
    for row in table(corpus, "ids.json")["collisions"]:
        given_ids: list[str] = []
        for text in row["texts"]:
            given_ids.append(identifiers.unique_question_id(text, given_ids))
        assert given_ids == row["ids"]


def test_observed_gui_question_ids(corpus: Path) -> None:
    rows = table(corpus, "gui_ids.json")

    assert [identifiers.gui_question_id(text) for text, _ in rows] == [expected for _, expected in rows]

"""Identifiers of questions, templates and traits, as Karenina and its GUI compute them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoint_ld import identifiers
from checkpoint_ld.identifiers import gui_key, gui_question_id, question_id, question_object_id, template_id
from checkpoint_ld.identifiers import unique_question_id as unique

SAME = question_id("Same?")
CLASS = "class A:\n    x: int"


@pytest.mark.parametrize(
    ("compute", "given", "expected"),
    [
        # the text in small letters, cut after fifty characters, and eight digits of its hash
        (question_id, "What is the capital of France?", "urn:uuid:question-what-is-the-capital-of-france-cb0b4aaf"),
        (question_id, "", "urn:uuid:question--d41d8cd9"),
        (question_id, "What is 2+2?", "urn:uuid:question-what-is-2+2-936dbc87"),
        (question_id, 'Quotes "stay", so\tdo tabs', 'urn:uuid:question-quotes-"stay"-so\tdo-tabs-43e91068'),
        (question_id, "İ" * 30, "urn:uuid:question-" + "i̇" * 25 + "-0d75ee2c"),
        # the hash of the exact text
        (question_object_id, "a", "0cc175b9c0f1b6a831c399e269772661"),
        (question_object_id, " ", "7215ee9c7d9dc229d2921a40e899ec5f"),
        # letters and digits of ASCII only, lone surrogates as code units
        (gui_question_id, "What is the capital of France?", "urn:uuid:question-what-is-the-capital-of-france-41620d5c"),
        (gui_question_id, "", "urn:uuid:question--0"),
        (gui_question_id, "What is 2+2?", "urn:uuid:question-what-is-22-4dc98640"),
        (gui_question_id, "🧬 emoji", "urn:uuid:question--emoji-17d7a8ec"),
        (gui_question_id, "a\u00a0\ufeff b", "urn:uuid:question-a-b-95ce2c2"),
        (gui_question_id, "a\u0085b", "urn:uuid:question-ab-17c9e"),
        (gui_question_id, "\ud800", "urn:uuid:question--d800"),
        (identifiers.gui_element_id, "4f1c", "urn:uuid:4f1c"),
        (identifiers.gui_element_id, "urn:uuid:4f1c", "urn:uuid:4f1c"),
        (identifiers.gui_answer_id, "4f1c", "urn:uuid:answer-4f1c"),
        (identifiers.gui_template_id, "4f1c", "urn:uuid:template-4f1c"),
        (identifiers.gui_rating_id, "Very \u00a0 Good\tÉ", "urn:uuid:rating-very-good-é"),
        # the first free suffix
        (lambda taken: unique("Same?", taken), (), SAME),
        (lambda taken: unique("Same?", taken), {SAME}, f"{SAME}-1"),
        (lambda taken: unique("Same?", taken), {SAME, f"{SAME}-1", f"{SAME}-3"}, f"{SAME}-2"),
        # an element without identifier has a key by its index
        (lambda given: gui_key(given, 3), None, "question_3"),
        (lambda given: gui_key(given, 3), "urn:uuid:4f1c", "4f1c"),
        # layout does not change a template, its indentation does; the margin is what all lines share
        *((template_id, blank, "no_template") for blank in (None, "", " \n\t", "\r\n\r\n")),
        (template_id, "class A:\n    x: int\n", template_id(CLASS)),
        (template_id, "\n    class A:\n        x: int   \n\n", template_id(CLASS)),
        (template_id, "\tclass A:\r\n\t    x: int", template_id(CLASS)),
        (template_id, "class A:\r    x: int", template_id(CLASS)),
        (template_id, "  class A:  \n      x: int\t", template_id(CLASS)),
        (template_id, "class A:\n  x: int", question_object_id("class A:\n  x: int")),
        (template_id, "  \ta\n   b", question_object_id("a\n b")),
        (template_id, "    a\r\n\r\n    b", question_object_id("a\n\n    b")),
    ],
)
def test_an_identifier_is_what_karenina_and_its_gui_compute(
    compute: Callable[[Any], str], given: object, expected: str
) -> None:
    assert compute(given) == expected


def test_a_question_id_is_cut_after_fifty_characters_of_the_changed_text() -> None:
    assert question_id("?" * 60 + "a" * 60).rpartition("-")[0] == "urn:uuid:question-" + "a" * 50


@given(st.text(min_size=1).filter(lambda key: not key.startswith("urn:uuid:")))
def test_a_key_comes_back_from_its_element_id(key: str) -> None:
    assert gui_key(identifiers.gui_element_id(key), 0) == key


@given(st.lists(st.sampled_from(["a b", "a  b", "A b", "a?b"]), max_size=12))
def test_ids_given_one_after_the_other_are_all_different(texts: list[str]) -> None:
    taken: list[str] = []
    for text in texts:
        taken.append(unique(text, taken))
    assert len(set(taken)) == len(texts)


@given(st.text())
def test_question_ids_never_need_more_than_their_parts(text: str) -> None:
    found = question_id(text)
    assert found.startswith("urn:uuid:question-")
    assert found.endswith("-" + question_object_id(text)[:8])
    assert len(found) <= len("urn:uuid:question-") + 50 + 1 + 8


@pytest.mark.parametrize(
    ("compute", "file", "name"),
    [
        (question_id, "ids.json", "question_ids"),
        (question_object_id, "ids.json", "question_object_ids"),
        (template_id, "ids.json", "template_ids"),
        (gui_question_id, "gui_ids.json", None),
    ],
)
def test_identifiers_are_those_that_were_observed(
    corpus: Path, compute: Callable[[str], str], file: str, name: str | None
) -> None:
    table = json.loads((corpus / "tables" / file).read_text(encoding="utf-8"))
    rows = table if name is None else table[name]
    assert rows
    assert [compute(text) for text, _ in rows] == [expected for _, expected in rows]

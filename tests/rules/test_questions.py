"""Rules about elements, questions, answers and identifiers, beyond one example of each."""

from __future__ import annotations

import pytest

from checkpoint_ld import Benchmark, families
from checkpoint_ld.validation import profiles
from tests.rules.broken import FIRST, QUESTION, Json, added, findings, located, messages, removed, replaced, text

TEXT = "Which metal is liquid at 20 °C?"
ANSWER = {"@type": "Answer", "text": "Mercury"}


@pytest.mark.parametrize(
    ("pointer", "value", "code"),
    [
        (FIRST, 7, "KQ001"),
        (FIRST, {}, "KQ001"),
        (QUESTION, "Which metal?", "KQ002"),
        (QUESTION, {}, "KQ002"),
        (QUESTION, None, "KQ002"),
        (f"{QUESTION}/text", 7, "KQ003"),
        (f"{QUESTION}/text", {"en": TEXT}, "KQ003"),
        (f"{QUESTION}/text", "\n", "KQ004"),
        (f"{QUESTION}/text", "\u00a0\t", "KQ004"),
        (f"{QUESTION}/acceptedAnswer", "Mercury", "KQ005"),
        (f"{QUESTION}/acceptedAnswer", [ANSWER, ANSWER], "KQ005"),
        (f"{QUESTION}/acceptedAnswer", [], "KQ005"),
        (f"{QUESTION}/acceptedAnswer/text", 80, "KQ006"),
        (f"{QUESTION}/acceptedAnswer/text", " \n", "KQ007"),
        (f"{FIRST}/dateCreated", 7, "KQ011"),
        (f"{FIRST}/@id", "", "KQ013"),
        (f"{FIRST}/@id", "http://example.org/a b", "KQ015"),
        (f"{FIRST}/@id", "d41d8cd98f00b204e9800998ecf8427e", "KQ016"),
    ],
)
def test_a_value_of_the_wrong_kind_is_one_finding(pointer: str, value: Json, code: str) -> None:
    assert located(replaced(pointer, value)) == [(code, pointer)]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("Which metal?", '"Which metal?"'),
        ("https://example.org/questions/1", "<https://example.org/questions/1>"),
        ({}, "an empty object"),
        (7, "7"),
        (None, "missing"),
    ],
)
def test_a_message_shows_what_stands_in_place_of_a_question(value: Json, shown: str) -> None:
    assert messages(replaced(QUESTION, value)) == [f"the question of this element is {shown}"]


@pytest.mark.parametrize(
    "identifier",
    [
        "urn:uuid:question-which-metal-is-liquid-at-20-°c-687325bc-2",
        "urn:uuid:3e1a6f3e-6d0c-4c27-8a3f-0d4c1b1f9a10",
        "https://example.org/questions/1",
        "urn:uuid:question-1",
    ],
)
def test_an_identifier_that_may_stand_for_the_question_is_not_reported(identifier: str) -> None:
    assert located(replaced(f"{FIRST}/@id", identifier)) == []


def test_an_identifier_that_was_copied_with_its_element_is_one_finding() -> None:
    copied = replaced("/dataFeedElement/1/@id", "urn:uuid:question-which-metal-is-liquid-at-20-°c-687325bc")

    assert located(copied) == [("KQ014", "/dataFeedElement/1/@id")]


def test_each_copy_of_an_identifier_is_reported_but_not_the_first() -> None:
    changes = [replaced(f"/dataFeedElement/{at}/@id", "urn:uuid:one") for at in (0, 1)]

    assert located(*changes) == [("KQ014", "/dataFeedElement/1/@id")]


@pytest.mark.parametrize(
    ("keywords", "at"),
    [([7], "/0"), (["physics", None, 7], None), (["physics", 7], "/1"), (["physics", {"name": "optics"}], "/1")],
)
def test_the_keyword_that_is_not_text_is_pointed_at(keywords: Json, at: str | None) -> None:
    found = located(replaced(f"{QUESTION}/keywords", keywords))

    assert [code for code, _ in found if code[:2] == "KQ"] == ["KQ017"]
    assert at is None or found == [("KQ017", f"{QUESTION}/keywords{at}")]


@pytest.mark.parametrize("keywords", [[], None, ["metals", "Metals"], ["80"]])
def test_usual_keywords_are_not_reported(keywords: Json) -> None:
    assert located(replaced(f"{QUESTION}/keywords", keywords)) == []


@pytest.mark.parametrize(
    ("old", "new", "places"),
    [
        (["a"], ["b"], ["/0"]),
        (["a", "b"], ["a"], ["/1"]),
        (["a", "b"], ["c"], ["/0", "/1"]),
        (["b", "a"], ["a", "b", "c"], ["/1"]),
        (["a"], [], []),
        ([], ["a"], []),
        (["b", "a"], ["a", "b"], []),
    ],
)
def test_keywords_in_two_places_are_compared_as_sets(old: list[str], new: list[str], places: list[str]) -> None:
    found = located(added(f"{FIRST}/keywords", old), replaced(f"{QUESTION}/keywords", new))

    assert found == [("KQ018", f"{FIRST}/keywords{place}") for place in places]


def test_a_keyword_that_is_not_text_does_not_also_differ() -> None:
    assert located(added(f"{FIRST}/keywords", [7, "chemistry"])) == [("KQ017", f"{FIRST}/keywords/0")]


def test_a_finding_without_a_usable_text_names_the_question_by_its_identifier() -> None:
    [found] = findings(replaced(f"{QUESTION}/text", 7))

    assert found.subject == 'question "urn:uuid:question-which-metal-is-liquid-at-20-°c-687325bc"'


@pytest.mark.parametrize("place", ["", QUESTION, f"{QUESTION}/acceptedAnswer", f"{QUESTION}/hasPart", "/rating/0"])
@pytest.mark.parametrize("identifier", ["rq 1", "urn:uuid:a b"])
def test_an_identifier_that_is_no_iri_is_reported_wherever_it_stands(place: str, identifier: str) -> None:
    assert located(added(f"{place}/@id", identifier)) == [("KQ019", f"{place}/@id")]


@pytest.mark.parametrize("layout", [{}, {"indent": None, "separators": (",", ":")}, {"ensure_ascii": True}])
def test_line_and_column_are_right_in_every_layout(layout: Json) -> None:
    changes = [replaced("/name", "Метали 🜍"), replaced("/dataFeedElement/1/item/acceptedAnswer/text", 80)]
    [found] = findings(*changes, **layout)

    line = text(*changes, **layout).decode().splitlines()[(found.place.line or 0) - 1]
    assert line[(found.place.column or 0) - 1 :].startswith("80")


def test_every_question_that_is_broken_is_reported_in_the_order_of_the_document() -> None:
    changes = [replaced(f"/dataFeedElement/{at}/item/text", value) for at, value in ((1, ""), (0, 7))]

    assert located(*changes) == [("KQ003", f"/dataFeedElement/{at}/item/text") for at in (0, 1)]


def test_a_question_of_a_scenario_keeps_the_same_rules() -> None:
    question = "/hasPart/0/nodes/ask/question"

    assert located(removed(f"{question}/acceptedAnswer"), start="interview") == [
        ("KQ005", f"{question}/acceptedAnswer")
    ]


def test_a_text_in_rdf_with_a_language_is_a_text() -> None:
    turtle = Benchmark.load(text()).to_turtle()
    tagged = turtle.replace('"Mercury"', '"Mercury"@en')
    assert tagged != turtle
    assert families.check(tagged.encode(), profiles.profile(), syntax="turtle").findings == ()
